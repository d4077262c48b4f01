"""A likelihood above 1 is reported: the Bethe log-partition of few iterations or strong loops is no upper bound."""

import warnings

import numpy as np
import pytest

from autodiff import Parameter
from autodiff.optimizers import Adam, minimize_lbfgs
from pgm import BeliefPropagation, FactorGraph
from pgm.exact import JunctionTree
from pgm.factors import LogLinear
from pgm.learning import (
    ConditionalLogLikelihood,
    GraphModel,
    L2Distance,
    MarginalLogLikelihood,
    SoftmaxMargin,
    Trainer,
    TrainingProblem,
    UnboundedLossWarning,
)

FEW = GraphModel(BeliefPropagation(iterations=2))


def loopy(weights):
    """Five variables, every pair of which likes to be equal: Bethe's log Z is log 2⁵ ψ¹⁰ / 2¹⁰, less than it can be."""
    graph = FactorGraph()
    x = graph.variables("x", 5)
    first, second = np.triu_indices(5, 1)
    graph.add(LogLinear([x[first], x[second]], np.eye(2)[:, :, None], weights))
    return graph, [0, 0, 0, 0, 0]


OBJECTIVES = [
    ConditionalLogLikelihood(),
    ConditionalLogLikelihood(approximation_aware=True),
    MarginalLogLikelihood(approximation_aware=True),
    SoftmaxMargin(cost=0.01, approximation_aware=True),
]


@pytest.mark.parametrize("objective", OBJECTIVES, ids=lambda objective: type(objective).__name__)
def test_training_warns_once_with_a_count(objective):
    weights = Parameter("weights", [4.0])
    examples = [loopy(weights) for _ in range(3)]
    with pytest.warns(UnboundedLossWarning, match=r"epoch 1: the losses of 3 of 3 examples are below 0") as caught:
        history = Trainer(objective, Adam(0.1), epochs=3, batch_size=2).fit(FEW, examples)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert [epoch.below for epoch in history.epochs] == [3, 3, 3]
    assert history.epochs[-1].loss < 0


def test_batch_training_warns_too():
    problem = TrainingProblem(FEW, [loopy(Parameter("weights", [4.0]))], OBJECTIVES[1])
    with pytest.warns(UnboundedLossWarning, match="the losses of 1 of 1 examples") as caught:
        minimize_lbfgs(problem, problem.parameters, maximum_iterations=2, l2=1.0)
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("objective", "model"), [(ConditionalLogLikelihood(), GraphModel(JunctionTree())), (L2Distance(), FEW)]
)
def test_what_cannot_run_off_says_nothing(objective, model):
    weights = Parameter("weights", [4.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        history = Trainer(objective, Adam(0.1), epochs=3).fit(model, [loopy(weights)])
    assert all(epoch.below == 0 for epoch in history.epochs)
