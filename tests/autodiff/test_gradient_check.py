"""`check_gradients` finds broken modules, says where, and leaves what it checks as it was."""

from typing import Any

import numpy as np
import pytest

from autodiff import Circuit, GradientCheckError, Module, SparseAdjoint, check_gradients
from autodiff import modules as m

X = np.random.default_rng(3).normal(size=(2, 3))
Y = np.random.default_rng(4).normal(size=3)


class Square(Module):
    """Right; the broken ones below differ from it in one thing."""

    def forward(self, x: Any) -> Any:
        def backward(adjoint: Any) -> Any:
            return (2 * x * adjoint,)

        return x * x, backward


class BrokenBackward(Square):
    """Returns something else than the adjoints that `Square` would."""

    def forward(self, x: Any) -> Any:
        output, backward = super().forward(x)
        return output, lambda adjoint: self.broken(*backward(adjoint))

    def broken(self, right: Any) -> Any:
        raise NotImplementedError


class WrongSign(BrokenBackward):
    def broken(self, right: Any) -> Any:
        return (-right,)


class SlightlyWrong(BrokenBackward):
    def broken(self, right: Any) -> Any:
        return (right * (1 + 1e-5),)


class KeepsFirst(Square):
    first: Any = None

    def forward(self, x: Any) -> Any:
        if self.first is None:
            self.first = x
        return x * x, lambda adjoint: (2 * self.first * adjoint,)


class KeepsLatest(Square):
    """Right, as long as no other forward pass comes between."""

    def forward(self, x: Any) -> Any:
        self.latest = x
        return x * x, lambda adjoint: (2 * self.latest * adjoint,)


class KeepsFirstAdjoint(BrokenBackward):
    cached: Any = None

    def broken(self, right: Any) -> Any:
        if self.cached is None:
            self.cached = right
        return (self.cached,)


class KeepsOnlyOnce(Square):
    """Its backward pass consumes what the forward pass kept."""

    def forward(self, x: Any) -> Any:
        kept = [x]

        def backward(adjoint: Any) -> Any:
            return (2 * kept.pop() * adjoint if kept else 0 * adjoint,)

        return x * x, backward


class Accumulates(BrokenBackward):
    total: Any = 0.0

    def broken(self, right: Any) -> Any:
        self.total = self.total + right
        return (self.total,)


class ChangesInput(Square):
    def forward(self, x: Any) -> Any:
        output, backward = super().forward(x.copy())
        x *= x
        return output, backward


class ChangesOutput(Square):
    def forward(self, x: Any) -> Any:
        output = x * x

        def backward(adjoint: Any) -> Any:
            output[...] = 2 * x * adjoint
            return (output.copy(),)

        return output, backward


class ChangesAdjoint(Square):
    def forward(self, x: Any) -> Any:
        def backward(adjoint: Any) -> Any:
            adjoint *= 2 * x
            return (adjoint.copy(),)

        return x * x, backward


class ReusesOutput(Square):
    buffer: Any = None

    def forward(self, x: Any) -> Any:
        self.buffer = np.empty_like(x) if self.buffer is None else self.buffer
        return np.multiply(x, x, out=self.buffer), super().forward(x)[1]


class ReusesLaterOutputs(ReusesOutput):
    """Its buffer is made when it is needed a second time."""

    fresh: Any = None

    def forward(self, x: Any) -> Any:
        if self.fresh is None:
            self.fresh = Square.forward(self, x)
            return self.fresh
        return super().forward(x)


class ReusesAdjoint(BrokenBackward):
    buffer: Any = None

    def broken(self, right: Any) -> Any:
        self.buffer = np.empty_like(right) if self.buffer is None else self.buffer
        self.buffer[...] = right
        return (self.buffer,)


class Noisy(Square):
    rng = np.random.default_rng(0)

    def forward(self, x: Any) -> Any:
        output, backward = super().forward(x)
        return output + 1e-12 * self.rng.normal(), backward


class NoisyBackward(BrokenBackward):
    rng = np.random.default_rng(0)

    def broken(self, right: Any) -> Any:
        return (right + 1e-12 * self.rng.normal(),)


class ReturnsNone(BrokenBackward):
    def broken(self, right: Any) -> Any:
        return (None,)


class WrongShape(BrokenBackward):
    def broken(self, right: Any) -> Any:
        return (right.T,)


class TwoAdjoints(BrokenBackward):
    def broken(self, right: Any) -> Any:
        return right, right


class NoTuple(BrokenBackward):
    def broken(self, right: Any) -> Any:
        return right


class NotFinite(BrokenBackward):
    def broken(self, right: Any) -> Any:
        return (right * np.where(X > 0, 1.0, np.nan),)


class ReturnsNan(Square):
    def forward(self, x: Any) -> Any:
        output, backward = super().forward(x)
        return output * np.nan, backward


class OutputAlone(Square):
    def forward(self, x: Any) -> Any:
        return super().forward(x)[0]


@pytest.mark.parametrize("max_full", [100, 0])
@pytest.mark.parametrize(
    ("module_class", "message"),
    [
        (WrongSign, "backward says"),
        (SlightlyWrong, "backward says"),
        (KeepsFirst, "backward says"),
        (KeepsLatest, "after later forward passes, backward gives other adjoints"),
        (KeepsFirstAdjoint, "backward says"),
        (KeepsOnlyOnce, "second backward pass"),
        (Accumulates, "second backward pass"),
        (ChangesInput, "forward changes an input in place"),
        (ChangesOutput, "backward changes, in place, an output"),
        (ChangesAdjoint, "backward changes, in place, an adjoint"),
        (ReusesOutput, "overwrites an output"),
        (ReusesLaterOutputs, "overwrites an output"),
        (ReusesAdjoint, "overwrites an adjoint"),
        (Noisy, "other outputs the second time"),
        (NoisyBackward, "second backward pass"),
        (ReturnsNone, "backward says 0.0"),
        (WrongShape, r"input 0 has shape \(3, 2\), but its value has shape \(2, 3\)"),
        (TwoAdjoints, "returned 2 adjoints; it must return a tuple of 1"),
        (NoTuple, "returned a ndarray"),
        (NotFinite, "backward says nan"),
        (OutputAlone, r"forward of OutputAlone\(\) returned a ndarray; it must return a pair"),
        (ReturnsNan, r"output 0\[0, 0\] is nan"),
    ],
)
def test_broken_modules_fail(module_class: type[Module], message: str, max_full: int) -> None:
    report = check_gradients(module_class(), X, max_full=max_full)
    assert not report.passed
    with pytest.raises(GradientCheckError, match=message):
        report.raise_if_failed()


@pytest.mark.parametrize("max_full", [100, 0])
def test_the_module_they_derive_from_passes(max_full: int) -> None:
    report = check_gradients(Square(), X, max_full=max_full).raise_if_failed()
    assert report.worst_error < 1e-9
    assert report.comparisons > 0


class MissingTerm(Module):
    """x² y, of which the derivative by x forgets that x occurs twice."""

    def forward(self, x: Any, y: Any) -> Any:
        return x * x * y, lambda adjoint: (adjoint * x * y, (adjoint * x * x).sum(axis=0))


class ForgetsBroadcast(m.Add):
    def forward(self, x: Any, y: Any) -> Any:
        return x + y, lambda adjoint: (adjoint, adjoint)


class SetsInsteadOfAdds(m.Gather):
    def forward(self, table: Any, indices: Any) -> Any:
        def backward(adjoint: Any) -> Any:
            of_table = np.zeros(table.shape)
            of_table[indices] = adjoint
            return of_table, None

        return table[indices], backward


class NaiveLogSumExp(Module):
    def forward(self, x: Any) -> Any:
        with np.errstate(all="ignore"):
            output = np.log(np.sum(np.exp(x), axis=1))

        def backward(adjoint: Any) -> Any:
            with np.errstate(all="ignore"):
                return (np.exp(x - output[:, None]) * adjoint[:, None],)

        return output, backward


class LeaksToImpossible(m.Exp):
    def forward(self, x: Any) -> Any:
        output, backward = super().forward(x)
        return output, lambda adjoint: (np.where(output == 0, 1e-30, backward(adjoint)[0]),)


class IgnoresSecondOutput(m.Split):
    def forward(self, x: Any) -> Any:
        outputs, backward = super().forward(x)
        return outputs, lambda *adjoints: backward(adjoints[0], None)


class WrongSparse(m.Gather):
    def forward(self, table: Any, indices: Any) -> Any:
        output, right = super().forward(table, indices)

        def backward(adjoint: Any) -> Any:
            of_table, _ = right(adjoint)
            return SparseAdjoint(of_table.indices[::-1], of_table.values, of_table.shape), None

        return output, backward


@pytest.mark.parametrize(
    ("module", "inputs", "message"),
    [
        (MissingTerm(), (X, Y), "by input 0"),
        (ForgetsBroadcast(), (X, Y), "input 1 has shape"),
        (SetsInsteadOfAdds(), (X, np.array([0, 1, 1])), r"by input 0\[1"),
        (
            NaiveLogSumExp(),
            (np.array([[0.0, 1.0], [-np.inf, -np.inf]]),),
            r"input 0\[1, 0\] is -inf; its adjoint is nan",
        ),
        (LeaksToImpossible(), (np.array([0.0, -np.inf]),), r"input 0\[1\] is -inf; its adjoint is 1e-30, not 0"),
        (IgnoresSecondOutput((1, 1)), (X,), r"derivative of output 1\[0, \d\] by input 0\[1"),
        (WrongSparse(), (X, np.array([0, 1, 1])), "by input 0"),
        (Square(), (np.array([1, 2]),), "nothing to compare"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Module) else "",
)
def test_broken_modules_of_several_arguments_fail(module: Module, inputs: tuple[Any, ...], message: str) -> None:
    with pytest.raises(GradientCheckError, match=message):
        check_gradients(module, *inputs).raise_if_failed()


class OneWrongElement(BrokenBackward):
    def broken(self, right: Any) -> Any:
        gradient = right.copy()
        gradient[17, 23] += 1.0
        return (gradient,)


def test_error_in_a_large_input_is_traced_to_its_element() -> None:
    report = check_gradients(OneWrongElement(), np.random.default_rng(0).normal(size=(60, 50)))
    assert not report.passed
    assert report.where is not None
    assert report.where.index == (17, 23)
    assert report.analytic - report.numeric == pytest.approx(1.0)


def test_report_names_the_place() -> None:
    report = check_gradients(WrongSign(), np.array([0.0, 5.0]))
    assert report.where is not None
    assert (report.where.input, report.where.index) == ("input 0", (1,))
    assert report.analytic == pytest.approx(-report.numeric)
    assert report.worst_error == pytest.approx(2.0)
    assert "FAILED" in str(report)
    assert "input 0[1]" in str(report)


def test_parameters_of_a_circuit_are_checked_and_given_back() -> None:
    circuit = Circuit()
    x, weights = circuit.input("x"), circuit.parameter("weights", Y)
    circuit.output(circuit.add(m.Multiply(), x, circuit.add(WrongSign(), weights)))
    live = circuit.parameters()["weights"]
    report = check_gradients(circuit, 2.0)
    assert not report.passed
    assert report.where is not None
    assert report.where.input == "parameter 'weights'"
    assert circuit.parameters()["weights"] is live
    assert np.array_equal(live, Y)


def test_inputs_stay_as_they_were() -> None:
    mine = X.copy()
    check_gradients(ChangesInput(), mine)
    assert np.array_equal(mine, X)


def test_same_seed_gives_the_same_report() -> None:
    first, second = (check_gradients(m.Tanh(), X, max_full=0, seed=5) for _ in range(2))
    assert first == second


def test_note_says_which_outputs_were_none() -> None:
    class RefusesNone(m.Split):
        def forward(self, x: Any) -> Any:
            return super().forward(x)[0], lambda *adjoints: (np.concatenate(adjoints),)

    with pytest.raises(ValueError, match="same number of dimensions") as caught:
        check_gradients(RefusesNone((1, 1)), X)
    assert "with None for output 1" in caught.value.__notes__[0]
