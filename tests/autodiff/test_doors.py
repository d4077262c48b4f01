"""What does not fit is refused by name; what is long is built in linear time; the value is that of the point."""

import numpy as np
import pytest

from autodiff import Circuit, CircuitError, DomainError, Module, Parameter, SparseAdjoint, check_gradients
from autodiff.modules import Add, Concatenate, Exp, Linear, LogSumExp, MatMul, Max, Mean, Multiply, Stack, Sum
from autodiff.optimizers import AdaGrad, minimize_lbfgs
from oracles.calls import calls


@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 3)])
@pytest.mark.parametrize("axis", [None, -1])
def test_the_maximum_of_nothing_is_refused(shape, axis):
    with pytest.raises(DomainError, match="no values to compare"):
        Max(axis=axis).forward(np.zeros(shape))


@pytest.mark.parametrize("module", [Sum(2), Mean(2), Max(2), LogSumExp(2), Concatenate(2)], ids=repr)
def test_an_axis_that_is_not_there_is_named(module):
    with pytest.raises(DomainError, match="no axis 2"):
        module.forward(np.ones((2, 3)))


@pytest.mark.parametrize("module", [Add(), Multiply(), MatMul(), Linear(), Stack(), Concatenate()], ids=repr)
def test_shapes_that_do_not_fit_are_named(module):
    with pytest.raises(DomainError, match=r"2, 3.*4, 5|shapes"):
        module.forward(np.ones((2, 3)), np.ones((4, 5)))


@pytest.mark.parametrize("values", [np.ones(2) + 1j, ["a", "b"], [[1.0], [1.0, 2.0]], np.array(["2020"], "M8[Y]")])
def test_what_is_no_real_number_is_refused(values):
    with pytest.raises(DomainError):
        Exp().forward(values)


def test_a_sparse_adjoint_does_not_cut_indices_off():
    with pytest.raises(DomainError, match="integers"):
        SparseAdjoint([0.7], [1.0], (3,))
    for index in (-1, 3):
        with pytest.raises(DomainError, match="outside"):
            SparseAdjoint([index], [1.0], (3,)).dense()
        with pytest.raises(DomainError, match="outside"):
            SparseAdjoint([index], [1.0], (3,)) + np.zeros(3)


def _built(size):
    circuit = Circuit()
    wire = circuit.input("x")
    for number in range(size):
        wire = circuit.add(Add(), wire, circuit.parameter(f"p{number}", 1.0))
    circuit.output(wire)
    return circuit.forward(1.0)[1](1.0)


def test_circuits_are_built_and_run_in_linear_time():
    assert len(_built(300).gradients) == 300
    assert calls(_built, 400) < 2.2 * calls(_built, 200)


def _nested(depth):
    inner = Circuit()
    inner.output(inner.add(Add(), inner.input("x"), inner.parameter("p", 1.0)))
    for _ in range(depth - 1):
        outer = Circuit()
        outer.output(outer.add(inner, outer.input("x")))
        inner = outer
    return inner


def test_circuits_nest_deep_and_beyond_that_are_refused():
    deep = _nested(200)
    output, backward = deep.forward(2.0)
    assert float(output) == 3.0
    adjoints = backward(1.0)
    assert float(adjoints[0]) == 1.0
    assert len(adjoints.gradients) == 1
    with pytest.raises(CircuitError, match="201 deep"):
        _nested(400)


def test_lbfgs_reports_the_value_at_the_parameters_it_leaves():
    def steep(parameters):  # a gradient that does not belong to the value: the line search fails
        weights = parameters["w"]
        return float(np.sum(np.abs(weights))), {"w": 1e6 * np.sign(weights + 1e-9)}

    for scale in (1.0, 5.0, 1e4):
        parameters = {"w": np.full(3, scale)}
        result = minimize_lbfgs(steep, parameters)
        assert not result.converged
        assert result.value == steep(parameters)[0] <= 3 * scale
        assert result.gradient_norm == 1e6


def test_lbfgs_that_runs_out_of_iterations_reports_its_point():
    def valley(parameters):
        x, y = parameters["w"]
        gradient = [-400 * x * (y - x * x) - 2 * (1 - x), 200 * (y - x * x)]
        return float(100 * (y - x * x) ** 2 + (1 - x) ** 2), {"w": np.array(gradient)}

    for most in range(1, 12):
        parameters = {"w": np.array([-1.2, 1.0])}
        result = minimize_lbfgs(valley, parameters, maximum_iterations=most)
        value, gradients = valley(parameters)
        assert result.value == value
        assert result.gradient_norm == np.abs(gradients["w"]).max()


def test_adagrad_counts_no_steps_where_nothing_shrinks():
    for settings, counts in (({}, False), ({"l2": 0.1}, True), ({"l1": 0.1}, True)):
        store = AdaGrad(0.1, **settings).store({"w": Parameter("w", np.ones(2))})
        assert ("parameter/w/caught_up" in store.state()) == counts


def test_a_check_remembers_two_passes_of_each_kind():
    class Reuses(Module):
        """The third output overwrites what the second pass returned."""

        def __init__(self):
            self.passes, self.buffer = 0, np.zeros(2)

        def forward(self, x):
            def backward(adjoint):
                return (np.array(adjoint),)

            self.passes += 1
            if self.passes >= 2:
                self.buffer[:] = x
                return self.buffer, backward
            return np.array(x), backward

    report = check_gradients(Reuses(), np.array([1.0, 2.0]))
    assert any("overwrites an output" in problem for problem in report.problems)
