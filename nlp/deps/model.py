"""The dependency model: which trees and parts there are, what scores them, how they are inferred."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from nlp.conll import Sentence
from nlp.deps.analysis import Analysis
from nlp.deps.dependency_scorer import DependencyScorer
from nlp.deps.graph_budget import GraphBudget
from nlp.deps.inference import DependencyInference, LoopyInference
from nlp.deps.instance import DependencyInstance
from nlp.deps.kinds import Arcs, LabelledKind, PartKind
from nlp.deps.parts import Parts
from nlp.deps.pruning import Pruner
from nlp.deps.relation_sums import RelationSums
from nlp.deps.relations import RelationTable
from nlp.deps.settings import ConstraintSettings, TreeSettings
from nlp.features import EncodedSentence
from pgm.learning import StructuredModel

__all__ = ["DependencyModel"]


def _as_tuple(kinds: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(kinds)


@frozen(kw_only=True, eq=False)
class DependencyModel(StructuredModel):
    """Dependency trees of sentences.

    Attributes
    ----------
    scorer : of the parts
    tree, constraint, inference : see their classes
    kinds : of parts, arcs first
    labelled_kinds : of parts with relations of several arcs; if there are some, relations are variables
    pruner : says which arcs are candidates; None for all
    relations : of arcs; None for trees without
    graph_budget : which factor graphs are kept for another run on the same sentence; by default none
    """

    scorer: DependencyScorer = field()
    tree: TreeSettings = field(default=TreeSettings())
    constraint: ConstraintSettings = field(default=ConstraintSettings())
    inference: DependencyInference = field(default=LoopyInference())
    kinds: tuple[PartKind, ...] = field(default=(Arcs(),), converter=_as_tuple)
    labelled_kinds: tuple[LabelledKind, ...] = field(default=(), converter=_as_tuple)
    pruner: Pruner | None = field(default=None)
    relations: RelationTable | None = field(default=None)
    graph_budget: GraphBudget = field(factory=GraphBudget, repr=False)

    def __attrs_post_init__(self) -> None:
        self.inference.check([*self.kinds, *self.labelled_kinds], self.tree, self.constraint)
        for kind in self.kinds:
            if kind.needs not in (None, self.tree.tree):
                raise ValueError(f"{kind.option} is for {kind.needs} models; this one is {self.tree.tree}")

    def instance(self, item: Any) -> DependencyInstance:
        """Make a sentence ready; its heads and relations are what is right, as far as it has some."""
        if isinstance(item, DependencyInstance):
            return item
        return self.of(item, gold=Analysis.of(item))

    def of(
        self,
        sentence: Sentence,
        parts: Parts | None = None,
        *,
        gold: Analysis | None = None,
        encoded: EncodedSentence | None = None,
    ) -> DependencyInstance:
        """Make a sentence ready.

        Parameters
        ----------
        parts : the candidate arcs, if they are known already
        gold : what is known of the right tree
        encoded : the sentence by the scorer's vocabulary, if it is there
        """
        encoded = self.scorer.encode(sentence) if encoded is None else encoded
        if parts is None:
            parts = self.candidates(sentence, encoded)
        if parts.n != len(sentence) or (gold is not None and len(gold) != len(sentence)):
            known = "" if gold is None else f", and gold has heads of {len(gold)}"
            raise ValueError(f"a sentence of {len(sentence)} words: the arcs are of {parts.n}{known}")
        relations = None
        if self.relations is not None:
            starts, labels = self.relations.allowed(sentence, parts.heads, parts.modifiers)
            relations = RelationSums(starts, labels, self.relations.names)
        return DependencyInstance(self, encoded, parts, relations, gold)

    def candidates(self, sentence: Sentence, encoded: EncodedSentence | None = None) -> Parts:
        """Return the candidate arcs of a sentence."""
        return Parts.all_arcs(len(sentence)) if self.pruner is None else self.pruner.candidates(sentence, encoded)

    def allows(self, heads: NDArray[np.int64]) -> bool:
        """Tell whether heads are a tree of the model's kind."""
        return self.tree.structure(len(heads)).contains(np.concatenate([[-1], heads]))

    def first_order(self, scorer: DependencyScorer) -> "DependencyModel":
        """Return the model of the same trees that scores arcs alone, without relations."""
        return evolve(
            self, scorer=scorer, kinds=(Arcs(),), labelled_kinds=(), constraint=ConstraintSettings(), pruner=None,
            relations=None,
        )  # fmt: skip
