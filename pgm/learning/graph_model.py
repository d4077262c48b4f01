"""Any factor graph as a structured model: parts are the entries of its families, events the states of its variables."""

import copy
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from autodiff import Parameter
from autodiff.array_types import Floats
from pgm.belief_propagation import BeliefPropagation
from pgm.factors.table import Table
from pgm.graph import FactorGraph
from pgm.inference import DifferentiableInference
from pgm.inference_result import InferenceResult
from pgm.learning.each_variable import EachVariable
from pgm.learning.errors import GoldError
from pgm.learning.example import Example, ExampleLike, as_example
from pgm.learning.instance import Instance, Run, Scores
from pgm.learning.output_space import OutputSpace
from pgm.learning.scorers.family_scorer import FamilyScorer
from pgm.learning.structured_model import StructuredModel

__all__ = ["GraphInstance", "GraphModel", "GraphRun"]


@frozen
class GraphModel(StructuredModel):
    """Learns and decodes the graphs of examples, whose families have their potentials from parameters.

    Parameters
    ----------
    inference : belief propagation or an exact method; objectives that go back through inference need the former
    space : makes the output space of a graph; by default each variable is decoded for itself

    Examples
    --------
    >>> from pgm.factors import Table
    >>> graph = FactorGraph()
    >>> rain, wet = graph.variable("rain"), graph.variable("wet")
    >>> _ = graph.add(Table([rain, wet], np.log([[0.4, 0.0001], [0.3, 0.2999]])))
    >>> GraphModel().run(graph).beliefs.round(2)
    array([0.4, 0.6, 0.7, 0.3])
    """

    inference: DifferentiableInference = field(default=BeliefPropagation())
    space: Callable[[FactorGraph], OutputSpace] = field(default=EachVariable, kw_only=True)
    scorer: FamilyScorer = field(factory=FamilyScorer, init=False)

    @inference.validator
    def _sums(self, _: Any, inference: Any) -> None:
        maximises = isinstance(inference, BeliefPropagation) and inference.mode == "max"
        if not isinstance(inference, DifferentiableInference) or maximises:
            raise ValueError(
                f"GraphModel: inference is a method that can go back, as BeliefPropagation(); not {inference!r}"
            )

    def instance(self, item: ExampleLike) -> "GraphInstance":
        """Make an example ready: an `Example`, a pair (graph, gold), a graph alone, or a function that makes one."""
        example = Example(item, {}) if isinstance(item, FactorGraph) else as_example(item)
        return GraphInstance(example, self)

    @classmethod
    def examples(cls, rng: np.random.Generator) -> "Iterable[tuple[StructuredModel, Any]]":
        """Yield a triangle with an entry that is impossible, by exact and by loopy inference."""
        from pgm.exact import JunctionTree
        from pgm.factors.log_linear import LogLinear

        graph = FactorGraph()
        x = graph.variables("x", 3)
        weights = Parameter("weights", rng.normal(size=4))
        possible = np.array([[True, True], [True, False]])
        graph.add(LogLinear(x[[[0, 1], [1, 2], [2, 0]]], rng.normal(size=(3, 2, 2, 4)), weights, possible=possible))
        graph.add(LogLinear([x], rng.normal(size=(3, 2, 4)), weights))
        for inference in (JunctionTree(), BeliefPropagation(iterations=3)):
            yield cls(inference), (graph, [1, 0, 0])


class GraphInstance(Instance):
    """An example of a graph.

    Attributes
    ----------
    example : the graph, gold and evidence
    """

    def __init__(self, example: Example, model: GraphModel) -> None:
        self.example, self.model = example, model

    @property
    def graph(self) -> FactorGraph:
        """The factor graph."""
        return self.example.graph

    @cached_property
    def space(self) -> OutputSpace:  # type: ignore[override]  # made when it is first asked for
        """The output space that the model makes for the graph."""
        return self.model.space(self.graph)

    def run(
        self, scores: Mapping[Any, Floats], *, costs: Floats | None = None, clamped: bool = False, record: bool = False
    ) -> "GraphRun":
        """Run the model's inference, with the scores for potentials."""
        checked = None if costs is None else self.checked_costs(costs)
        return GraphRun(self, scores, checked, clamped=clamped, record=record)

    @cached_property
    def targets(self) -> Floats:
        """(states,): 1 for gold states, 0 for the others of their variables, NaN elsewhere; or the example's own."""
        example = self.example
        if example.targets is not None:
            return example.targets
        counts = (example.gold >= 0) & (example.evidence < 0)
        targets = np.where(np.repeat(counts, self.graph.cardinalities), 0.0, np.nan)
        targets[self._gold_states(counts)] = 1.0
        return targets

    @cached_property
    def right(self) -> Floats:
        """(states,): 1 for the gold states of variables that are not observed."""
        return self._marked((self.example.gold >= 0) & (self.example.evidence < 0))

    def recalled(self, recall_of: Any = None) -> Floats:
        """Return (states,): 1 for the gold states; for those with these numbers only, where such are given."""
        if recall_of is None:
            return self.right
        gold = self.example.gold
        return self._marked((gold >= 0) & (self.example.evidence < 0) & np.isin(gold, list(recall_of)))

    def hamming(self, cost: float) -> Floats:
        """Return (states,): the cost of every state of a variable but its gold state."""
        states = self.example.complete("a margin")
        costs = np.full(len(self.targets), float(cost))
        costs[self.graph.state_starts[:-1] + states] = 0.0
        return costs

    def gold_score(self, scores: Mapping[Any, Floats], why: str) -> tuple[float, Scores]:
        """Return the score of the gold assignment, and its use of every entry (for a table: 1 at the gold entry)."""
        states = self.example.complete(why)
        total, uses = 0.0, {}
        for family in self.graph.families:
            potentials = scores.get(family, family.potentials)
            places = family.offsets[:-1] + states[family.variables]
            clamped = np.full((family.num_factors, int(family.offsets[-1])), -np.inf)
            np.put_along_axis(clamped, places, 0.0, axis=1)
            run = family.run(clamped, family.prepare(potentials))
            impossible = np.flatnonzero(run.log_partition == -np.inf)
            if len(impossible):
                raise GoldError(
                    f"{family.describe(int(impossible[0]))} forbids the gold assignment, so it has no likelihood"
                )
            total += float(run.log_partition.sum())
            if potentials is not None and run.beliefs is not None:
                uses[family] = run.beliefs
        return total, uses  # type: ignore[return-value]

    def _gold_states(self, counts: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.asarray((self.graph.state_starts[:-1] + self.example.gold)[counts])

    def _marked(self, counts: NDArray[np.bool_]) -> Floats:
        marked = np.zeros(int(self.graph.state_starts[-1]))
        marked[self._gold_states(counts)] = 1.0
        return marked


class GraphRun(Run):
    """A run of inference on a graph."""

    def __init__(
        self,
        instance: GraphInstance,
        scores: Mapping[Any, Floats],
        costs: Floats | None,
        *,
        clamped: bool,
        record: bool,
    ) -> None:
        self._instance, self._record = instance, record
        example = instance.example
        self._evidence = example.clamped if clamped else example.observed
        self._families = example.graph.families
        self._graph = example.graph
        self._potentials: list[Floats | None] = [scores.get(family) for family in self._families]
        if costs is not None:
            graph = example.graph
            self._graph, tables = graph.derived(GraphRun, lambda: _with_unaries(graph))
            start = graph.state_starts
            self._potentials += [costs[start[table.variables] + np.arange(table.cardinalities[0])] for table in tables]

    @cached_property
    def result(self) -> InferenceResult:
        """What the model's inference says of the graph."""
        return self._instance.model.inference.run(
            self._graph, evidence=self._evidence, potentials=self._potentials, record=self._record
        )

    @property
    def converged(self) -> bool | None:  # type: ignore[override]
        """Whether inference says that it has converged."""
        return self.result.converged

    @property
    def log_partition(self) -> float:
        """The (Bethe) log-partition."""
        return self.result.log_partition

    @property
    def beliefs(self) -> Floats:
        """(states,)."""
        return self.result.flat_beliefs

    @property
    def part_beliefs(self) -> Scores:
        """By family, the belief in each entry."""
        return self._of_families(self.result.factor_beliefs)

    def backward(self, *, beliefs: Floats | None = None, log_partition: float | None = None) -> Scores:
        """Return the adjoints of the potentials by family."""
        return self._of_families(self.result.backward(beliefs=beliefs, log_partition=log_partition))

    def best(self) -> NDArray[np.int64]:
        """Return (variables,): the best assignment; max-product's guess at it on a graph with cycles."""
        inference = self._instance.model.inference
        method = inference.maximising()
        if method is inference:
            return self.result.assignment()
        return method.run(self._graph, evidence=self._evidence, potentials=self._potentials).assignment()

    def _of_families(self, found: Mapping[Any, Floats]) -> Scores:
        return {family: found[family] for family in self._families if family in found}


def _with_unaries(graph: FactorGraph) -> tuple[FactorGraph, list[Table]]:
    """Return a graph with a table more at each variable, and those tables, a family for each number of states."""
    augmented = copy.copy(graph)
    tables = [
        Table(np.flatnonzero(graph.cardinalities == cardinality)[:, None], np.zeros(cardinality), name="cost")
        for cardinality in np.unique(graph.cardinalities).tolist()
    ]
    augmented.families = [*graph.families, *tables]
    return augmented, tables
