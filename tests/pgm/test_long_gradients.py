"""Gradients through many iterations of belief propagation: rounding errors must not grow with the number of steps."""

import numpy as np
import pytest

from oracles.loopy_graphs import LOOPY, swinging_graph
from pgm import BeliefPropagation, InferenceModule
from pgm.factors import Table
from pgm.graph import FactorGraph
from pgm.message_passing import MessagePassing, MessageStep
from pgm.schedules import FixedPlan, Residual, Schedule

LONG = [1, 10, 50, 200]


def potentials_of(graph):
    return [family.potentials for family in graph.families if family.potentials is not None]


def check_slope(module, inputs, rng, tolerance=1e-6):
    """Compare the slope of random sums of all outputs, in a random direction, with central differences."""
    outputs, backward = module.forward(*inputs)
    adjoints = [rng.normal(size=np.shape(output)) for output in outputs]
    # A direction that leaves impossible entries alone, and a little of it.
    direction = [np.where(x == -np.inf, 0.0, rng.normal(size=x.shape)) for x in inputs]
    found = sum(float((a * d).sum()) for a, d in zip(backward(*adjoints), direction, strict=True))

    def value(step):
        moved = [x + step * d for x, d in zip(inputs, direction, strict=True)]
        return sum(float((a * y).sum()) for a, y in zip(adjoints, module(*moved), strict=True))

    estimates = []
    for step in (1e-4, 1e-5, 1e-3):
        wide, narrow = (value(2 * step) - value(-2 * step)) / (4 * step), (value(step) - value(-step)) / (2 * step)
        estimates.append((4 * narrow - wide) / 3)  # Richardson: the error is of the fourth order
        if abs(found - estimates[-1]) < tolerance * max(1.0, abs(found)):
            return
    raise AssertionError(f"the slope is {found}, but differences give {estimates}")


@pytest.mark.parametrize("iterations", LONG)
@pytest.mark.parametrize(
    ("schedule", "damping"), [("parallel", 0.0), ("parallel", 0.3), ("serial", 0.0), ("serial", 0.4)]
)
@pytest.mark.parametrize("kind", LOOPY)
def test_slopes_of_long_runs(kind, schedule, damping, iterations):
    rng = np.random.default_rng(5)
    graph = LOOPY[kind](rng)
    module = InferenceModule(graph, BeliefPropagation(iterations=iterations, schedule=schedule, damping=damping))
    check_slope(module, potentials_of(graph), rng)


class Again(Schedule):
    """The steps that another schedule took: its order turns on tiny differences, and then there is no slope."""

    def __init__(self, schedule, graph, iterations, damping):
        self.made = schedule.plan(graph)
        passing = MessagePassing(self.made.layout, damping=damping, record=True)
        self.made.start(passing)
        opening = len(passing.tape)
        for _ in range(iterations):
            self.made.iterate(passing)
        rounds = [tuple(MessageStep(number, sent.targets) for number, sent in round_) for round_ in passing.tape]
        self.opening, self.rounds = tuple(rounds[:opening]), tuple(rounds[opening:])

    def plan(self, graph):
        return FixedPlan(self.made.layout, self.opening, self.rounds)


@pytest.mark.parametrize(("iterations", "damping"), [(1, 0.0), (10, 0.0), (50, 0.0), (10, 0.3)])
@pytest.mark.parametrize("kind", ["binary grid", "zeros", "high degree", "logic", "trees"])
def test_slopes_of_long_runs_by_residual(kind, iterations, damping):
    rng = np.random.default_rng(6)
    graph = LOOPY[kind](rng)
    inputs = potentials_of(graph)
    again = Again(Residual(), graph, iterations, damping)
    fixed = InferenceModule(graph, BeliefPropagation(iterations=1, schedule=again, damping=damping))
    check_slope(fixed, inputs, rng)
    module = InferenceModule(graph, BeliefPropagation(iterations=iterations, schedule="residual", damping=damping))
    outputs, backward = module.forward(*inputs)
    _, backward_of_fixed = fixed.forward(*inputs)
    ones = [np.ones_like(output) for output in outputs]
    for a, b in zip(backward(*ones), backward_of_fixed(*ones), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("iterations", LONG)
@pytest.mark.parametrize("states", [2, 3, 4])
def test_slopes_where_messages_swing_for_ever(states, iterations):
    rng = np.random.default_rng(7)
    graph = swinging_graph(rng, states)
    module = InferenceModule(graph, BeliefPropagation(iterations=iterations))
    check_slope(module, potentials_of(graph), rng, tolerance=1e-5)


def test_adjoints_of_a_potts_grid_settle_with_its_messages():
    """Six by six variables of three states: after 30 iterations nothing changes any more, so neither do adjoints."""
    graph = LOOPY["potts 3"](np.random.default_rng(0))
    found = []
    for iterations in (40, 100, 200):
        result = BeliefPropagation(iterations=iterations).run(graph, record=True)
        adjoint = np.random.default_rng(1).normal(size=result.flat_beliefs.shape)
        found.append(result.backward(beliefs=adjoint))
    for later in found[1:]:
        for family, expected in found[0].items():
            np.testing.assert_allclose(later[family], expected, atol=1e-11)


def test_a_state_that_others_forbid_has_adjoint_exactly_0():
    graph = FactorGraph()
    x = graph.variables("x", 3, 3)
    soft = graph.add(Table(x[[[0, 1], [1, 2], [2, 0]]], np.random.default_rng(0).normal(size=(3, 3, 3))))
    graph.add(Table([x[0]], [0.0, -np.inf, 0.5]))
    module = InferenceModule(graph, BeliefPropagation(iterations=50))
    outputs, backward = module.forward(*potentials_of(graph))
    adjoint, unary = backward(*[np.arange(float(output.size)).reshape(output.shape) for output in outputs])
    assert adjoint.shape == soft.potentials.shape
    assert (adjoint[0, 1] == 0.0).all()
    assert (adjoint[2, :, 1] == 0.0).all()
    assert unary[0, 1] == 0.0
