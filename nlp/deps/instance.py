"""A sentence made ready for a dependency model: candidate arcs, factor graph, and what is right in it."""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from autodiff.array_types import Floats
from hypergraph.structures import ProjectiveTrees
from nlp.deps.analysis import Analysis
from nlp.deps.joint_run import JointGraph, JointRun
from nlp.deps.parts import Parts
from nlp.deps.relation_sums import RelationSums
from nlp.deps.runs import GraphArcRun, RelationRun, TreeArcRun
from nlp.deps.tree_space import TreeSpace
from nlp.features import EncodedSentence
from pgm.learning import GoldError, Instance, Run, ScoredGraph, Scores

if TYPE_CHECKING:
    from nlp.deps.model import DependencyModel

__all__ = ["DependencyInstance"]

_NEGLIGIBLE = 1e-9
_IMPOSSIBLE = -1e150
"""In place of -inf where differences are taken: inference takes no scores as large."""


class DependencyInstance(Instance):
    """A sentence and its candidate arcs.

    Attributes
    ----------
    encoded : the sentence as integers
    parts : the candidate arcs
    relations : those that each arc may have; None if the model has none
    gold : what is known of the right tree
    """

    def __init__(
        self,
        model: "DependencyModel",
        encoded: EncodedSentence,
        parts: Parts,
        relations: RelationSums | None = None,
        gold: Analysis | None = None,
    ) -> None:
        self.model, self.encoded, self.parts, self.relations, self.gold = model, encoded, parts, relations, gold
        self.space: TreeSpace = TreeSpace(parts, model.tree, relations)
        self._graph: ScoredGraph | None = None

    # Inference

    def run(
        self, scores: Mapping[Any, Floats], *, costs: Floats | None = None, clamped: bool = False, record: bool = False
    ) -> Run:
        """Run the model's inference; where arcs alone are scored, exactly on their trees."""
        changed = dict(scores)
        if costs is not None:
            changed = self._with_costs(changed, self.checked_costs(costs))
        if clamped:
            changed = self._clamped(changed)

        def on_arcs(of_arcs: dict[Any, Floats]) -> Run:
            if self._arcs_alone:
                return TreeArcRun(self, of_arcs)
            return GraphArcRun(self, of_arcs, self.scored_graph, record=record)

        if self.relations is None:
            return on_arcs(changed)
        if self._relations_meet:
            return JointRun(self, changed, record=record)
        return RelationRun(self.relations, changed, on_arcs, self.space.labelled)

    @cached_property
    def _arcs_alone(self) -> bool:
        if self.model.constraint.constraint != "global":
            return False
        return all(not len(kind.positions(self.parts)[0]) for kind in self.model.kinds[1:])

    @cached_property
    def _relations_meet(self) -> bool:
        """Whether relations of several arcs are scored together; otherwise they are summed out, which is the same."""
        relations = self.relations
        if relations is None:
            return False
        return any(len(kind.labels(self.parts, relations)[1]) for kind in self.model.labelled_kinds)

    def joint_graph(self) -> JointGraph:
        """Build the factor graph with relations: each time, for those of all training sentences are too large."""
        model = self.model
        assert self.relations is not None
        arcs = model.inference.graph(self.parts, model.kinds, model.tree, model.constraint)
        return JointGraph.of(arcs, self.parts, self.relations, model.labelled_kinds)

    @property
    def scored_graph(self) -> ScoredGraph:
        """The factor graph, and where scores go in it; built when it is needed, and kept if there is room for it."""
        if self._graph is not None:
            return self._graph
        model = self.model
        graph = model.inference.graph(self.parts, model.kinds, model.tree, model.constraint)
        if model.graph_budget.keeps(graph):
            self._graph = graph
        return graph

    def _with_costs(self, scores: Scores, costs: Floats) -> Scores:
        arcs = 2 * len(self.parts)
        if costs[:arcs:2].any():
            raise GoldError("costs of arcs are costs of arcs that are there: those of OFF must be 0")
        scores["arc"] = scores["arc"] + costs[1:arcs:2]
        if self.relations is not None:
            scores["relation"] = scores["relation"] + costs[arcs:]
        return scores

    def _clamped(self, scores: Scores) -> Scores:
        """Make impossible what contradicts the heads and relations that are known.

        Heads are unknown if no tree of candidate arcs has them together with more of the others.
        """
        known = self._possible_heads[self.parts.modifiers - 1]
        scores["arc"] = np.where((known >= 0) & (known != self.parts.heads), -np.inf, scores["arc"])
        if self.relations is not None:
            right = np.where(self._possible_heads >= 0, self._gold_labels, -1)
            right = right[self.parts.modifiers - 1][self.relations.arcs]
            scores["relation"] = np.where((right >= 0) & (right != self.relations.labels), -np.inf, scores["relation"])
        return scores

    # What is right

    @property
    def _known_heads(self) -> NDArray[np.int64]:
        return np.full(self.parts.n, -1) if self.gold is None else self.gold.heads

    @cached_property
    def _possible_heads(self) -> NDArray[np.int64]:
        """(n,): the heads that the nearest tree of candidate arcs has as well; -1 for others."""
        known = self._known_heads
        nearest = self.space.best_heads(self.parts.indicator(known))
        return np.where(nearest == known, known, -1)

    @cached_property
    def _gold_labels(self) -> NDArray[np.int64]:
        """(n,): the number of each right relation that its arc may have, -1 for others and unknown ones."""
        if self.gold is None or self.gold.relations is None or self.relations is None:
            return np.full(self.parts.n, -1)
        number = {name: label for label, name in enumerate(self.relations.all_names)}
        labels = np.array([number.get(name or "", -1) for name in self.gold.relations], dtype=np.int64)
        arcs = self.parts.indicator(self.gold.heads)[self.relations.arcs] > 0
        found = arcs & (labels[self.parts.modifiers - 1][self.relations.arcs] == self.relations.labels)
        there = np.zeros(self.parts.n, dtype=np.bool_)
        there[self.parts.modifiers[self.relations.arcs[found]] - 1] = True
        return np.where(there, labels, -1)

    @cached_property
    def targets(self) -> Floats:
        """(2 A + T,): 1 for what is right, 0 for what is not, NaN where it is unknown."""
        heads = self._known_heads
        known = (heads >= 0)[self.parts.modifiers - 1]
        on = np.where(known, self.parts.indicator(heads), np.nan)
        states = np.stack([1.0 - on, on], axis=1).ravel()
        if self.relations is None:
            return states
        labels = self._gold_labels[self.parts.modifiers - 1][self.relations.arcs]
        of_arcs = on[self.relations.arcs]
        right = np.where(labels >= 0, (labels == self.relations.labels).astype(np.float64), np.nan)
        return np.concatenate([states, np.where(of_arcs == 0.0, 0.0, of_arcs * right)])

    def recalled(self, recall_of: Any = None) -> Floats:
        """Return (2 A + T,): 1 for the right arcs and relations."""
        right = self.right
        right[: 2 * len(self.parts) : 2] = 0.0
        return right

    def hamming(self, cost: float) -> Floats:
        """Return (2 A + T,): the cost of each wrong arc, and of each wrong relation of a right one."""
        arcs, targets = 2 * len(self.parts), self.targets
        costs = np.zeros(len(targets))
        costs[1:arcs:2] = np.where(targets[1:arcs:2] == 0.0, cost, 0.0)
        if self.relations is not None:
            right_arc = self.relations.spread(targets[1:arcs:2]) == 1.0
            costs[arcs:] = np.where(right_arc & (targets[arcs:] == 0.0), cost, 0.0)
        return costs

    @cached_property
    def _gold_tree(self) -> Floats:
        """(A,): the tree of candidate arcs, of the model's kind, that has the most right arcs."""
        if self.gold is None or not self.gold.is_complete:
            raise GoldError("this objective needs all heads; `mll` learns from trees that are known in part")
        return self.parts.indicator(self.space.best_heads(self.parts.indicator(self.gold.heads)))

    def gold_score(self, scores: Mapping[Any, Floats], why: str) -> tuple[float, Scores]:
        """Return the score of the right tree (the nearest one, if pruning or projectivity forbids it), and its parts.

        Relations that are unknown, or of an arc that is not right, are summed out.
        """
        tree = self._gold_tree
        present: Scores = {kind.name: kind.present(self.parts, tree) for kind in self.model.kinds}
        total = _total(present, scores)
        if self.relations is not None:
            labels = self._gold_labels[self.parts.modifiers - 1][self.relations.arcs]
            right = (self.parts.indicator(self._known_heads) > 0)[self.relations.arcs] & (labels >= 0)
            allowed = np.where(right & (labels != self.relations.labels), -np.inf, scores["relation"])
            totals, shares = self.relations.sums(allowed)
            chosen = self.relations.spread(tree) * shares
            if self._relations_meet and not np.isin(chosen, (0.0, 1.0)).all():
                return self._sum_of_unknown({**scores, "arc": np.where(tree > 0, scores["arc"], -np.inf),
                                             "relation": allowed})  # fmt: skip
            total += float(totals[tree > 0].sum())
            present["relation"] = chosen
            for kind in self.model.labelled_kinds:
                present[kind.name] = own = kind.present(self.parts, self.relations, chosen)
                total += float(scores[kind.name][own > 0].sum())
        if not total > -np.inf:
            raise GoldError(f"a part of the right tree is impossible ({why})")
        return total, present

    def _sum_of_unknown(self, scores: Scores) -> tuple[float, Scores]:
        """Return the score of what is left where all that is known is given, and its gradient; siblings are loopy."""
        run = JointRun(self, scores, record=True)
        return run.log_partition, run.backward(log_partition=1.0)

    # Search

    @property
    def projective(self) -> ProjectiveTrees:
        """The projective trees of the sentence, whatever the model's are; candidate arcs always make one."""
        return ProjectiveTrees(self.parts.n, self.model.tree.roots or "one")

    def score(self, heads: NDArray[np.int64], scores: Mapping[Any, Floats]) -> float:
        """Return the score of a tree of candidate arcs, without relations."""
        tree = self.parts.indicator(heads)
        return _total({kind.name: kind.present(self.parts, tree) for kind in self.model.kinds}, scores)

    def labelled_score(self, heads: NDArray[np.int64], pairs: NDArray[np.int64], scores: Mapping[Any, Floats]) -> float:
        """Return the score of a tree with a relation (T) for each arc."""
        assert self.relations is not None
        chosen = self.relations.indicator(pairs)
        total = self.score(heads, scores) + float(scores["relation"][pairs].sum())
        for kind in self.model.labelled_kinds:
            there = kind.present(self.parts, self.relations, chosen) > 0
            total += float(scores[kind.name][there].sum())
        return total

    def climb(self, heads: NDArray[np.int64], scores: Mapping[Any, Floats]) -> NDArray[np.int64]:
        """Return a tree that no change of one head makes better (McDonald & Pereira 2006).

        It is the given one if there are parts of which it is not known what an arc adds to them.  The only root stays.
        """
        finite = {kind: np.maximum(values, _IMPOSSIBLE) for kind, values in scores.items()}
        while True:
            tree = self.parts.indicator(heads)
            found = [kind.gains(self.parts, tree, finite[kind.name]) for kind in self.model.kinds]
            known = [gains for gains in found if gains is not None]
            if len(known) < len(found):
                return heads
            gains = np.sum(known, axis=0)
            # Two arcs to one word are no pair, so what is gained is what the one adds less what the other does.
            gains = gains - gains[self.parts.numbers(heads)][self.parts.modifiers - 1]
            for arc in np.argsort(-gains, kind="stable"):
                if gains[arc] <= _NEGLIGIBLE:
                    return heads
                changed = heads.copy()
                changed[self.parts.modifiers[arc] - 1] = self.parts.heads[arc]
                if self.model.allows(changed):
                    heads = changed
                    break
            else:
                return heads


def _total(present: Scores, scores: Mapping[Any, Floats]) -> float:
    """Return the sum of the scores of the parts that are present, whatever those of the others."""
    return sum(float(parts[parts > 0] @ scores[kind][parts > 0]) for kind, parts in present.items())
