"""Dependency models without features, and everything about them by enumeration of labelled trees."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from autodiff import Module
from nlp.conll import Sentence
from nlp.deps import Analysis, DependencyModel, DependencyParser
from nlp.deps.instance import DependencyInstance
from nlp.deps.parts import Parts
from nlp.deps.relation_sums import RelationSums
from nlp.features import Vocabulary
from oracles.dependency_trees import all_trees

__all__ = [
    "Enumerated", "Loss", "dependency_model", "instance_of", "labelled_events", "labelled_score", "labelled_trees",
    "random_parts", "random_relations", "random_scores",
]  # fmt: skip


def dependency_model(**options: Any) -> DependencyModel:
    """Return the model of a parser with these options, by default with one root, and all weights 0."""
    parser = DependencyParser(bits=4, **{"roots": "one", **options})
    vocabulary = Vocabulary.fit([Sentence.from_words(["a"], tags=["A"], heads=[0])])
    return parser.make_model(parser.make_scorer(vocabulary))


def instance_of(
    model: DependencyModel, parts: Parts, relations: RelationSums | None = None, gold: Analysis | None = None
) -> DependencyInstance:
    """Return a sentence with these candidate arcs and relations, ready for scores from outside."""
    encoded = model.scorer.encode(Sentence.from_words(["a"] * parts.n))
    return DependencyInstance(model, encoded, parts, relations, gold)


def random_parts(n: int, rng: np.random.Generator, share: float = 0.6) -> Parts:
    """Return some candidate arcs, those of the right-branching tree among them."""
    mask = rng.random((n + 1, n + 1)) < share
    mask[np.arange(n), np.arange(1, n + 1)] = True
    return Parts.of_mask(mask)


def random_relations(parts: Parts, count: int, rng: np.random.Generator) -> RelationSums:
    """Return a set of relations for each arc, none of them empty, out of so many."""
    sets = [np.flatnonzero(rng.random(count) < 0.6) for _ in range(len(parts))]
    sets = [found if len(found) else np.array([rng.integers(count)]) for found in sets]
    starts = np.cumsum([0, *map(len, sets)])
    return RelationSums(starts, np.concatenate(sets), tuple(f"r{k}" for k in range(count)))


def random_scores(instance: DependencyInstance, rng: np.random.Generator, scale: float = 1.0) -> dict[str, Any]:
    """Return normal scores of all parts."""
    sizes = {kind.name: len(kind.positions(instance.parts)[0]) for kind in instance.model.kinds}
    if instance.relations is not None:
        sizes["relation"] = len(instance.relations)
        for kind in instance.model.labelled_kinds:
            sizes[kind.name] = len(kind.labels(instance.parts, instance.relations)[1])
    return {name: scale * rng.normal(size=size) for name, size in sizes.items()}


def labelled_trees(instance: DependencyInstance) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield heads (n,) of trees of candidate arcs, and the pairs of an arc with a relation (n,); no pairs without."""
    tree, parts = instance.model.tree, instance.parts
    listed = set(zip(parts.heads.tolist(), parts.modifiers.tolist(), strict=True))
    for found in all_trees(parts.n, projective=tree.tree == "projective", one_root=tree.roots == "one"):
        if not all((h, m) in listed for m, h in enumerate(found) if m):
            continue
        heads = np.array(found[1:])
        if instance.relations is None:
            yield heads, np.zeros(0, dtype=np.int64)
            continue
        starts = instance.relations.starts
        for pairs in product(*(range(starts[arc], starts[arc + 1]) for arc in parts.numbers(heads))):
            yield heads, np.array(pairs)


def labelled_events(instance: DependencyInstance, heads: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return (2 A + T,): both states of each arc, and the relations, of a labelled tree."""
    on = instance.parts.indicator(heads)
    relations = np.zeros(0 if instance.relations is None else len(instance.relations))
    relations[pairs] = 1.0
    return np.concatenate([np.stack([1.0 - on, on], axis=1).ravel(), relations])


def labelled_score(instance: DependencyInstance, scores: dict[str, Any], heads: np.ndarray, pairs: np.ndarray) -> float:
    """Return the sum of the scores of the parts of a labelled tree."""
    on = instance.parts.indicator(heads)
    total = float(sum(scores["relation"][pairs])) if len(pairs) else 0.0
    for kind in instance.model.kinds:
        there = kind.present(instance.parts, on) > 0
        total += float(scores[kind.name][there].sum())
    if instance.relations is not None:
        chosen = instance.relations.indicator(pairs)
        for labelled in instance.model.labelled_kinds:
            there = labelled.present(instance.parts, instance.relations, chosen) > 0
            total += float(scores[labelled.name][there].sum())
    return total


class Enumerated:
    """All labelled trees of an instance, their shares, events and parts."""

    def __init__(self, instance, scores, costs=None):
        self.trees = list(labelled_trees(instance))
        self.events = np.array([labelled_events(instance, *tree) for tree in self.trees])
        self.scores = np.array([labelled_score(instance, scores, *tree) for tree in self.trees])
        if costs is not None:
            self.scores = self.scores + self.events @ costs
        self.log_partition = np.logaddexp.reduce(self.scores)
        self.shares = np.exp(self.scores - self.log_partition)
        self.beliefs = self.shares @ self.events

    def part_beliefs(self, instance):
        kinds = instance.model.kinds
        found = {
            kind.name: self.shares
            @ np.array([kind.present(instance.parts, instance.parts.indicator(heads)) for heads, _ in self.trees])
            for kind in kinds
        }
        return {**found, **self._labelled(instance), "relation": self.beliefs[2 * len(instance.parts) :]}

    def _labelled(self, instance):
        parts, relations = instance.parts, instance.relations
        return {
            kind.name: self.shares
            @ np.array([kind.present(parts, relations, relations.indicator(pairs)) for _, pairs in self.trees])
            for kind in instance.model.labelled_kinds
        }


class Loss(Module):
    """scores of each kind of parts → the loss of an instance."""

    def __init__(self, objective, instance, names):
        self.objective, self.instance, self.names = objective, instance, names

    def forward(self, *scores):
        found = self.objective.evaluate(self.instance, dict(zip(self.names, scores, strict=True)), progress=0.0)
        return np.array(found.loss), lambda adjoint: tuple(adjoint * found.adjoints[name] for name in self.names)
