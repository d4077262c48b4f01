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
        self._keep(x)
        return x * x

    def backward(self, adjoint: Any) -> tuple[Any, ...]:
        (x,) = self._kept()
        return (2 * x * adjoint,)


class WrongSign(Square):
    def backward(self, adjoint: Any) -> tuple[Any, ...]:
        return (-super().backward(adjoint)[0],)


class SlightlyWrong(Square):
    def backward(self, adjoint: Any) -> tuple[Any, ...]:
        return (super().backward(adjoint)[0] * (1 + 1e-5),)


class KeepsFirst(Square):
    def forward(self, x: Any) -> Any:
        if self._tape is None:
            self._keep(x)
        return x * x


class KeepsFirstAdjoint(Square):
    cached: Any = None

    def backward(self, adjoint: Any) -> tuple[Any, ...]:
        if self.cached is None:
            self.cached = super().backward(adjoint)
        return self.cached


class KeepsOnlyOnce(Square):
    """Its backward pass consumes what the forward pass kept."""

    def backward(self, adjoint: Any) -> tuple[Any, ...]:
        (x,) = self._kept()
        self._keep(0 * x)
        return (2 * x * adjoint,)


class Accumulates(Square):
    total: Any = 0.0

    def backward(self, adjoint: Any) -> tuple[Any, ...]:
        self.total = self.total + super().backward(adjoint)[0]
        return (self.total,)


class ChangesInput(Square):
    def forward(self, x: Any) -> Any:
        self._keep(x.copy())
        x *= x
        return x.copy()


class ChangesOutput(Square):
    def forward(self, x: Any) -> Any:
        self._keep(x, x * x)
        return self._kept()[1]

    def backward(self, adjoint: Any) -> tuple[Any, ...]:
        x, output = self._kept()
        output[...] = 2 * x * adjoint
        return (output.copy(),)


class ChangesAdjoint(Square):
    def backward(self, adjoint: Any) -> tuple[Any, ...]:
        (x,) = self._kept()
        adjoint *= 2 * x
        return (adjoint.copy(),)


class ReusesOutput(Square):
    buffer: Any = None

    def forward(self, x: Any) -> Any:
        self._keep(x)
        self.buffer = np.empty_like(x) if self.buffer is None else self.buffer
        return np.multiply(x, x, out=self.buffer)


class ReusesLaterOutputs(ReusesOutput):
    """Its buffer is made when it is needed a second time."""

    fresh: Any = None

    def forward(self, x: Any) -> Any:
        if self.fresh is None:
            self.fresh = Square.forward(self, x)
            return self.fresh
        return super().forward(x)


class ReusesAdjoint(Square):
    buffer: Any = None

    def backward(self, adjoint: Any) -> tuple[Any, ...]:
        (x,) = self._kept()
        self.buffer = np.empty_like(x) if self.buffer is None else self.buffer
        return (np.multiply(2 * x, adjoint, out=self.buffer),)


class Noisy(Square):
    rng = np.random.default_rng(0)

    def forward(self, x: Any) -> Any:
        return super().forward(x) + 1e-12 * self.rng.normal()


class NoisyBackward(Noisy):
    def forward(self, x: Any) -> Any:
        return Square.forward(self, x)

    def backward(self, adjoint: Any) -> tuple[Any, ...]:
        return (super().backward(adjoint)[0] + 1e-12 * self.rng.normal(),)


class ReturnsNone(Square):
    def backward(self, adjoint: Any) -> tuple[Any, ...]:
        return (None,)


class WrongShape(Square):
    def backward(self, adjoint: Any) -> tuple[Any, ...]:
        return (super().backward(adjoint)[0].T,)


class TwoAdjoints(Square):
    def backward(self, adjoint: Any) -> tuple[Any, ...]:
        return super().backward(adjoint) * 2


class NoTuple(Square):
    def backward(self, adjoint: Any) -> Any:
        return super().backward(adjoint)[0]


class NotFinite(Square):
    def backward(self, adjoint: Any) -> tuple[Any, ...]:
        return (super().backward(adjoint)[0] * np.where(X > 0, 1.0, np.nan),)


class ReturnsNan(Square):
    def forward(self, x: Any) -> Any:
        return super().forward(x) * np.nan


@pytest.mark.parametrize("max_full", [100, 0])
@pytest.mark.parametrize(
    ("module_class", "message"),
    [
        (WrongSign, "backward says"),
        (SlightlyWrong, "backward says"),
        (KeepsFirst, "backward says"),
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
        self._keep(x, y)
        return x * x * y

    def backward(self, adjoint: Any) -> tuple[Any, ...]:
        x, y = self._kept()
        return adjoint * x * y, (adjoint * x * x).sum(axis=0)


class ForgetsBroadcast(m.Add):
    def backward(self, adjoint: Any) -> tuple[Any, ...]:
        return adjoint, adjoint


class SetsInsteadOfAdds(m.Gather):
    def backward(self, adjoint: Any) -> tuple[Any, ...]:
        chosen, shape = self._kept()
        table = np.zeros(shape)
        table[chosen] = adjoint
        return table, None


class NaiveLogSumExp(Module):
    def forward(self, x: Any) -> Any:
        with np.errstate(all="ignore"):
            output = np.log(np.sum(np.exp(x), axis=1))
        self._keep(x, output)
        return output

    def backward(self, adjoint: Any) -> tuple[Any, ...]:
        x, output = self._kept()
        with np.errstate(all="ignore"):
            return (np.exp(x - output[:, None]) * adjoint[:, None],)


class LeaksToImpossible(m.Exp):
    def backward(self, adjoint: Any) -> tuple[Any, ...]:
        return (np.where(self._kept()[0] == 0, 1e-30, super().backward(adjoint)[0]),)


class IgnoresSecondOutput(m.Split):
    def backward(self, *adjoints: Any) -> tuple[Any, ...]:
        return super().backward(adjoints[0], None)


class WrongSparse(m.Gather):
    def backward(self, adjoint: Any) -> tuple[Any, ...]:
        table, _ = super().backward(adjoint)
        return SparseAdjoint(table.indices[::-1], table.values, table.shape), None


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


class OneWrongElement(Square):
    def backward(self, adjoint: Any) -> tuple[Any, ...]:
        gradient = super().backward(adjoint)[0].copy()
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
        def backward(self, *adjoints: Any) -> tuple[Any, ...]:
            return (np.concatenate(adjoints),)

    with pytest.raises(ValueError, match="same number of dimensions") as caught:
        check_gradients(RefusesNone((1, 1)), X)
    assert "with None for output 1" in caught.value.__notes__[0]
