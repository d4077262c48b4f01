"""Small tasks to train on: tags of noisy chains, as factor graphs and as structures with hashed weights."""

from typing import Any

import numpy as np

from autodiff import HashedParameter, Parameter
from hypergraph.structures import LinearChain as Chain
from pgm import BeliefPropagation, FactorGraph
from pgm.factors import LogLinear
from pgm.learning import ConditionalLogLikelihood, FeatureScorer, GraphModel, StructureModel, TrainingProblem

__all__ = ["GRAPHS", "bytes_of", "graph_task", "mean_loss", "noisy_tags", "structure_task"]

GRAPHS = GraphModel(BeliefPropagation(iterations=1, schedule="serial"))


def noisy_tags(rng: np.random.Generator, length: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Return measurements 0 … 19 of the tags of a chain, and the tags."""
    gold = np.cumsum(rng.random(length) < 0.3) % 2
    measured = gold + 0.5 * rng.normal(size=length)
    return np.clip((4 * measured).astype(int), -8, 11) + 8, gold


def graph_of(bins: np.ndarray, weights: Parameter, transitions: Parameter) -> FactorGraph:
    """Return a chain with two of 42 features for each word and state: a bias, and the measurement."""
    length = len(bins)
    graph = FactorGraph()
    x = graph.variables("x", length)
    indices = np.stack([np.zeros(length, dtype=int), 1 + bins], axis=1).repeat(2, axis=0)
    indices[1::2] += 20  # for state 1
    rows = x.ravel()[np.arange(length)[:, None]]
    graph.add(LogLinear(rows, (indices.ravel(), np.arange(0, 4 * length + 1, 2)), weights))
    pairs = np.stack([np.arange(length - 1), np.arange(1, length)], axis=1)
    graph.add(LogLinear(x[pairs], np.eye(4).reshape(2, 2, 4), transitions))
    return graph


def graph_task(seed: int = 0, count: int = 20) -> tuple[list[Any], Parameter, Parameter]:
    """Return examples of graphs, and the two parameters of all of them."""
    rng = np.random.default_rng(seed)
    weights, transitions = Parameter("weights", np.zeros(42)), Parameter("transitions", np.zeros(4))
    chains = [noisy_tags(rng) for _ in range(count)]
    return [(graph_of(bins, weights, transitions), gold) for bins, gold in chains], weights, transitions


def structure_task(seed: int = 0, count: int = 20, *, hashed: bool = True) -> tuple[StructureModel, list[Any]]:
    """Return a model of the same with one vector of weights, and examples."""
    rng = np.random.default_rng(seed)

    def features(instance: Any) -> Any:
        bins = np.asarray(instance.input)
        emissions = (2 * bins[:, None] + [0, 1]).ravel()
        return np.append(emissions, 40 + np.arange(4)), np.arange(len(emissions) + 5)

    weights = HashedParameter("weights", 64) if hashed else Parameter("weights", np.zeros(64))
    model = StructureModel(lambda bins: Chain(len(bins), 2, shared_transitions=True), FeatureScorer(weights, features))
    return model, [noisy_tags(rng, int(rng.integers(2, 6))) for _ in range(count)]


def mean_loss(model: Any, examples: list[Any]) -> float:
    """Return the mean negative log-likelihood."""
    return TrainingProblem(model, examples, ConditionalLogLikelihood())()[0]


def bytes_of(parameters: dict[str, Parameter]) -> dict[str, bytes]:
    """Return the values, to be compared bit by bit."""
    return {name: parameter.value.tobytes() for name, parameter in parameters.items()}
