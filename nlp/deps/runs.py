"""Runs of inference on the candidate arcs of a sentence: exact on trees, on a factor graph, and with relations.

Events are as in `TreeSpace`: both states of every arc, then the relations that each arc may have.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from autodiff.array_types import Floats
from hypergraph import Chart, kbest, sample
from nlp.deps.analysis import Analysis
from nlp.deps.relation_sums import RelationSums
from pgm.inference_result import InferenceResult
from pgm.learning import Run, ScoredGraph, Scores

if TYPE_CHECKING:
    from nlp.deps.instance import DependencyInstance

__all__ = ["GraphArcRun", "RelationRun", "TreeArcRun"]


class TreeArcRun(Run):
    """Sums over the trees of the candidate arcs, exact: where no other parts are scored."""

    converged = True

    def __init__(self, instance: "DependencyInstance", scores: Mapping[Any, Floats]) -> None:
        self._parts, self._space = instance.parts, instance.space
        self._scores = scores
        self._structure = instance.space.structure
        self._weights = self._structure.check_weights(self._parts.matrix(scores["arc"], -np.inf))

    @cached_property
    def _chart(self) -> Chart:
        return self._structure.run(self._weights)

    @cached_property
    def _on(self) -> Floats:
        return self._of_arcs(self._chart.weight_marginals)

    def _of_arcs(self, flat: Floats) -> Floats:
        return np.asarray(flat.reshape(self._weights.shape)[self._parts.heads, self._parts.modifiers])

    @property
    def log_partition(self) -> float:
        """The log of the total weight of all trees."""
        return float(self._chart.log_partition)

    @property
    def beliefs(self) -> Floats:
        """(2 A,)."""
        return np.stack([1.0 - self._on, self._on], axis=1).ravel()

    @property
    def part_beliefs(self) -> Scores:
        """The beliefs in the arcs."""
        return self._with_empty(self._on)

    def backward(self, *, beliefs: Floats | None = None, log_partition: float | None = None) -> Scores:
        """Return the adjoints of the scores."""
        adjoint = np.zeros(len(self._parts))
        if log_partition is not None:
            adjoint += log_partition * self._on
        if beliefs is not None:
            on_arcs = self._parts.matrix(beliefs[1::2] - beliefs[::2], 0.0)
            adjoint += self._of_arcs(self._chart.backward(on_arcs.ravel()))
        return self._with_empty(adjoint)

    def _with_empty(self, arcs: Floats) -> Scores:
        return {kind: arcs if kind == "arc" else np.zeros(0) for kind in self._scores}

    def best(self) -> Analysis:
        """Return the tree of greatest score."""
        return Analysis(self._space.best_heads(self._scores["arc"]))

    def kbest(self, k: int) -> list[tuple[float, Analysis]]:
        """Return the k best trees."""
        found = kbest(self._structure, self._weights, k)
        return [(one.score, Analysis(self._structure.decode(one)[1:])) for one in found]

    def sample(self, count: int, rng: np.random.Generator) -> list[Analysis]:
        """Return trees drawn from the model."""
        found = sample(self._structure, self._weights, count, seed=rng)
        return [Analysis(self._structure.decode(one)[1:]) for one in found]


class GraphArcRun(Run):
    """Inference on the factor graph of the candidate arcs and the other parts."""

    def __init__(
        self, instance: "DependencyInstance", scores: Mapping[Any, Floats], graph: ScoredGraph, *, record: bool
    ) -> None:
        self._instance, self._scores, self._record = instance, scores, record
        self._graph, self._potentials = graph, graph.potentials(scores)

    @cached_property
    def _result(self) -> InferenceResult:
        method = self._instance.model.inference.method
        return method.run(self._graph.graph, potentials=self._potentials, record=self._record)

    @property
    def log_partition(self) -> float:
        """The Bethe log-partition."""
        return self._result.log_partition

    @property
    def beliefs(self) -> Floats:
        """(2 A,)."""
        return self._result.flat_beliefs

    @property
    def part_beliefs(self) -> Scores:
        """By kind."""
        return self._graph.by_kind(self._result.factor_beliefs)

    def backward(self, *, beliefs: Floats | None = None, log_partition: float | None = None) -> Scores:
        """Return the adjoints of the scores, through every iteration."""
        return self._graph.by_kind(self._result.backward(beliefs=beliefs, log_partition=log_partition))

    def best(self) -> Analysis:
        """Return the tree of greatest score, certainly if the model's inference knows it.

        Otherwise max-product makes a guess; of this one, the minimum-risk tree and the best tree by its arcs alone the
        one of the greatest score is taken, and improved one head at a time.
        """
        instance, space = self._instance, self._instance.space
        result = instance.model.inference.best_method.run(self._graph.graph, potentials=self._potentials)
        on = result.flat_beliefs[1::2]
        tiny = np.finfo(np.float64).tiny
        guesses = [space.best_heads(np.log(np.maximum(on, tiny)) - np.log(np.maximum(1.0 - on, tiny)))]
        certain = instance.model.inference.finds_best
        if not certain:
            guesses += [space.best_heads(self._scores["arc"]), space.best_heads(self.beliefs[1::2])]
        best = max(guesses, key=lambda heads: instance.score(heads, self._scores))
        return Analysis(best if certain else instance.climb(best, self._scores))


class RelationRun(Run):
    """A run whose arcs have relations: those are summed out in the scores of arcs, or maximised for the best tree.

    Parameters
    ----------
    make : makes the run on arcs, given the scores of arcs with their relations in them
    label : gives the arcs of a tree, by its heads, their relations of greatest value (T,)
    """

    def __init__(
        self,
        relations: RelationSums,
        scores: Mapping[Any, Floats],
        make: Callable[[dict[Any, Floats]], Run],
        label: Callable[[NDArray[np.int64], Floats], Analysis],
    ) -> None:
        self._relations, self._scores, self._make, self._label = relations, scores, make, label
        self._arcs = {kind: values for kind, values in scores.items() if kind != "relation"}

    @cached_property
    def _sums(self) -> tuple[Floats, Floats]:
        return self._relations.sums(self._scores["relation"])

    @cached_property
    def _inner(self) -> Run:
        return self._make({**self._arcs, "arc": self._arcs["arc"] + self._sums[0]})

    @cached_property
    def _maximal(self) -> Run:
        """The run on arcs with their best relations."""
        best = self._scores["relation"][self._relations.best(self._scores["relation"])]
        return self._make({**self._arcs, "arc": self._arcs["arc"] + best})

    @property
    def converged(self) -> bool | None:  # type: ignore[override]
        """As of the arcs."""
        return self._inner.converged

    @property
    def log_partition(self) -> float:
        """The log-partition, with all relations."""
        return self._inner.log_partition

    @cached_property
    def _of_relations(self) -> Floats:
        """(T,): the belief in each arc with each relation."""
        return self._relations.spread(self._inner.beliefs[1::2]) * self._sums[1]

    @property
    def beliefs(self) -> Floats:
        """(2 A + T,)."""
        return np.concatenate([self._inner.beliefs, self._of_relations])

    @property
    def part_beliefs(self) -> Scores:
        """By kind, relations among them."""
        return {**self._inner.part_beliefs, "relation": self._of_relations}

    def backward(self, *, beliefs: Floats | None = None, log_partition: float | None = None) -> Scores:
        """Return the adjoints of the scores."""
        shares, on_arcs, on_shares = self._sums[1], None, np.zeros(len(self._relations))
        if beliefs is not None:
            arcs = len(beliefs) - len(self._relations)
            on_arcs, of_pairs = beliefs[:arcs].copy(), beliefs[arcs:]
            on_arcs[1::2] += self._relations.total(of_pairs * shares)
            on_shares = of_pairs * self._relations.spread(self._inner.beliefs[1::2])
        found = self._inner.backward(beliefs=on_arcs, log_partition=log_partition)
        return {**found, "relation": self._relations.backward(shares, found["arc"], on_shares)}

    def best(self) -> Analysis:
        """Return the labelled tree of greatest score, or the model's best guess at it."""
        return self._label(self._maximal.best().heads, self._scores["relation"])

    def kbest(self, k: int) -> list[tuple[float, Analysis]]:
        """Return the k best trees, each with its best relations."""
        return [(score, self._label(tree.heads, self._scores["relation"])) for score, tree in self._maximal.kbest(k)]

    def sample(self, count: int, rng: np.random.Generator) -> list[Analysis]:
        """Return labelled trees drawn from the model."""
        shares = self._sums[1]
        noise = rng.gumbel(size=(count, len(shares)))
        with np.errstate(divide="ignore"):
            drawn = [np.log(shares) + row for row in noise]
        trees = self._inner.sample(count, rng)
        return [self._label(tree.heads, values) for tree, values in zip(trees, drawn, strict=True)]
