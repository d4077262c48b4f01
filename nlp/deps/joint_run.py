"""Inference with variables for relations, and factors between them, beside those of arcs (Smith & Eisner 2008, §3).

Legend: A candidate arcs; T pairs of an arc with a relation that it may have; n words.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import field, frozen

from autodiff.array_types import Floats, Integers
from nlp.deps.analysis import Analysis
from nlp.deps.kinds import LabelledKind, Relations, RelationVariables
from nlp.deps.parts import Parts
from nlp.deps.relation_sums import RelationSums
from nlp.deps.runs import GraphArcRun
from pgm.factors import Table
from pgm.learning import ScoredGraph, Scores

if TYPE_CHECKING:
    from nlp.deps.instance import DependencyInstance

__all__ = ["JointGraph", "JointRun"]


_NEGLIGIBLE = 1e-9


@frozen(eq=False)
class JointGraph:
    """A factor graph of arcs and their relations.

    Attributes
    ----------
    scored : the graph, and where scores go in it
    events : (2 A + T,) where in its beliefs, one variable after another, those in events are
    """

    scored: ScoredGraph = field()
    events: Integers = field(repr=False)

    @classmethod
    def of(
        cls, arcs: ScoredGraph, parts: Parts, relations: RelationSums, kinds: Sequence[LabelledKind]
    ) -> "JointGraph":
        """Add relations to a graph of arcs: a variable is "none" if and only if its arc is not there."""
        graph = arcs.graph
        arc_variables: Any = graph["arc"]
        variables = RelationVariables.of(graph, relations)
        for group, array in enumerate(variables.arrays):
            link = np.full((2, array.cardinality), -np.inf)
            link[0, 0] = link[1, 1:] = 0.0
            own = np.flatnonzero(variables.groups == group)
            graph.add(Table([arc_variables[own], array], link, name="links"))
        every = [Relations(), *kinds]
        placed = [(kind.name, one) for kind in every for one in kind.factors(variables, parts, relations)]
        graph.extend(one.factor for _, one in placed)
        sizes = {kind.name: len(kind.labels(parts, relations)[1]) for kind in every}
        starts = graph.state_starts
        firsts = np.concatenate([starts[array.index] for array in variables.arrays])
        of_arc = np.concatenate([[0], np.cumsum([len(array) for array in variables.arrays])])[variables.groups]
        of_relations = firsts[of_arc + variables.rows][relations.arcs] + variables.states
        on_and_off = np.arange(2 * len(parts))  # the variables of arcs come first
        return cls(
            ScoredGraph(graph, [*arcs.placed, *placed], {**arcs.sizes, **sizes}),
            np.concatenate([on_and_off, of_relations]),
        )


class JointRun(GraphArcRun):
    """Inference on the factor graph of arcs and relations.

    The sum over an arc's relations is in the score of the arc, and the log of a relation's share is its score: that is
    the same model, but arcs know of their relations before any message is passed, so that without factors between
    relations all is as if they were summed out (`RelationRun`), after any number of iterations.
    """

    def __init__(self, instance: "DependencyInstance", scores: Mapping[Any, Floats], *, record: bool) -> None:
        assert instance.relations is not None
        self._relations, self._joint = instance.relations, instance.joint_graph()
        totals, self._shares = self._relations.sums(scores["relation"])
        logs = np.full(len(self._shares), -np.inf)
        possible = self._shares > 0
        logs[possible] = scores["relation"][possible] - totals[self._relations.arcs[possible]]
        inner = {**scores, "arc": scores["arc"] + totals, "relation": logs}
        super().__init__(instance, inner, self._joint.scored, record=record)
        self._scores = scores

    @cached_property
    def beliefs(self) -> Floats:
        """(2 A + T,)."""
        return np.asarray(self._result.flat_beliefs[self._joint.events])

    def backward(self, *, beliefs: Floats | None = None, log_partition: float | None = None) -> Scores:
        """Return the adjoints of the scores, through every iteration."""
        on_states = None
        if beliefs is not None:
            on_states = np.zeros(len(self._result.flat_beliefs))
            on_states[self._joint.events] = beliefs
        found = super().backward(beliefs=on_states, log_partition=log_partition)
        found["relation"] = self._relations.backward_logs(self._shares, found["arc"], found["relation"])
        return found

    def best(self) -> Analysis:
        """Return the model's best guess at the labelled tree of greatest score.

        Of the trees that max-product says, that have minimum risk, and that are best by arcs with their best relations,
        all with relations improved one at a time, that of the greatest score.
        """
        instance, relations = self._instance, self._relations
        arcs = 2 * len(instance.parts)
        method = instance.model.inference.best_method
        maximal = method.run(self._graph.graph, potentials=self._potentials).flat_beliefs[self._joint.events]
        tiny = np.finfo(np.float64).tiny
        odds = np.log(np.maximum(maximal[1:arcs:2], tiny)) - np.log(np.maximum(maximal[:arcs:2], tiny))
        values = self._scores["relation"]
        alone = self._scores["arc"] + values[relations.best(values)]
        guesses = [(odds, maximal[arcs:]), (self.beliefs[1:arcs:2], self.beliefs[arcs:]), (alone, values)]
        found = []
        for of_arcs, of_relations in guesses:
            heads = instance.space.best_heads(of_arcs)
            pairs = self._improved(relations.best(of_relations)[instance.parts.numbers(heads)])
            found.append((instance.labelled_score(heads, pairs, self._scores), heads, pairs))
        _, heads, pairs = max(found, key=lambda guess: guess[0])
        return Analysis(heads, relations.names(pairs))

    def _improved(self, pairs: Integers) -> Integers:
        """Return (n,): the relations of a tree that no change of one makes better, given such (places in T)."""
        instance, relations = self._instance, self._relations
        pairs, arcs = pairs.copy(), relations.arcs[pairs]
        while True:
            chosen = relations.indicator(pairs)
            gains = np.zeros(len(relations))
            for kind in (Relations(), *instance.model.labelled_kinds):
                gains += kind.gains(instance.parts, relations, chosen, self._scores[kind.name])
            best = relations.best(gains)[arcs]
            gained = gains[best] - gains[pairs]
            word = int(np.argmax(gained))
            if not gained[word] > _NEGLIGIBLE:
                return pairs
            pairs[word] = best[word]
