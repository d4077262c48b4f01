"""Good calls of `pgm.learning`."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from autodiff import Parameter
from autodiff.optimizers import SGD
from fuzz.pgm_graphs import draws, pair
from fuzz.recipe import Case, recipe
from hypergraph.structures import ProjectiveTrees
from pgm import FactorGraph, factors, learning


def _example(gold: Any, weights: Any = None) -> learning.Example:
    graph = FactorGraph()
    x = graph.variables("x", 2)
    parameter = Parameter("weights", draws(3) if weights is None else weights)
    graph.add(factors.LogLinear(x[[[0], [1]]], draws(2, 2, 3), parameter))
    return learning.Example(graph, gold)


def _objective(make: Callable[..., Any], **settings: Any) -> Case:
    """An objective; `progress` among the settings is that of the training."""

    def use(gold: Any, weights: Any, progress: float = 0.5, **settings: Any) -> Any:
        evaluation = make(**settings).evaluate(_example(gold, weights), progress=progress)
        return evaluation.loss, evaluation.adjoints

    return Case(use, gold=np.array([1, 0]), weights=draws(3), **settings)


for _kind in (learning.ConditionalLogLikelihood, learning.L2Distance, learning.MarginalLogLikelihood):
    recipe(f"pgm.learning.{_kind.__name__}")(lambda kind=_kind: [_objective(kind)])


@recipe("pgm.learning.AnnealedRisk")
def annealed_risk() -> Iterable[Case]:
    yield _objective(learning.AnnealedRisk, temperature=0.5)
    yield _objective(learning.AnnealedRisk, progress=0.5)


@recipe("pgm.learning.SoftmaxMargin")
def softmax_margin() -> Iterable[Case]:
    yield _objective(learning.SoftmaxMargin, cost=1.5)


@recipe("pgm.learning.Annealing")
def annealing_schedule() -> Iterable[Case]:
    yield Case(lambda progress: learning.Annealing()(progress), progress=0.5)


@recipe("pgm.learning.Example")
def example() -> Iterable[Case]:
    yield Case(lambda gold: _example(gold).gold, gold=np.array([1, 0]))


@recipe("pgm.learning.StructureDecoder")
def structure_decoder() -> Iterable[Case]:
    def use(beliefs: Any, variables: Any, adjoint: Any) -> Any:
        graph = FactorGraph()
        graph.variables("arc", (3, 3))
        decoder = learning.StructureDecoder(graph, ProjectiveTrees(2), variables)
        marginals, backward = decoder.forward(beliefs)
        return marginals, backward(adjoint), decoder.decode(beliefs)

    yield Case(use, beliefs=np.full(18, 0.5), variables=np.arange(9), adjoint=draws(18))


@recipe("pgm.learning.VariableDecoder")
def variable_decoder() -> Iterable[Case]:
    def use(beliefs: Any, temperature: float, adjoint: Any) -> Any:
        graph = FactorGraph()
        graph.variables("x", 2)
        decoder = learning.VariableDecoder(graph, temperature)
        marginals, backward = decoder.forward(beliefs)
        return marginals, backward(adjoint), decoder.decode(beliefs)

    yield Case(use, beliefs=np.array([0.2, 0.8, 0.6, 0.4]), temperature=0.5, adjoint=draws(4))


@recipe("pgm.learning.TrainingProblem", "pgm.learning.check_objective", "pgm.learning.accuracy")
def training_problem() -> Iterable[Case]:
    def use(gold: Any, weights: Any) -> Any:
        item = _example(gold, weights)
        problem = learning.TrainingProblem([item], learning.ConditionalLogLikelihood())
        loss, gradients = problem(problem.parameters)
        checked = learning.check_objective(learning.ConditionalLogLikelihood(), item).passed
        return loss, gradients, checked, learning.accuracy([item])

    yield Case(use, gold=np.array([1, 0]), weights=draws(3))


@recipe("pgm.learning.minimum_bayes_risk")
def minimum_bayes_risk() -> Iterable[Case]:
    yield Case(lambda potentials: learning.minimum_bayes_risk(pair(potentials)), potentials=draws(3, 2))


@recipe("pgm.learning.fit")
def fit() -> Iterable[Case]:
    def use(gold: Any, weights: Any, epochs: int, batch_size: int, seed: int) -> Any:
        items = [_example(gold, weights)]
        options = {"epochs": epochs, "batch_size": batch_size, "seed": seed}
        return learning.fit(items, learning.L2Distance(), SGD(0.1), **options).epochs[-1].loss

    yield Case(use, gold=np.array([1, 0]), weights=draws(3), epochs=2, batch_size=1, seed=0)


@recipe("pgm.learning.feature_rows")
def feature_rows() -> Iterable[Case]:
    yield Case(lambda blocks: learning.feature_rows(blocks), blocks=np.arange(6).reshape(3, 2))
