"""The tree with the greatest score: exact where inference is, never worse than its guesses elsewhere."""

import numpy as np
import pytest
from nlp.deps.decoding import minimum_risk
from nlp.deps.map_decoding import map_tree, tree_score

from nlp.deps import DependencyParser, map_decoding
from nlp.deps.kinds import kinds_of
from nlp.deps.parts import Parts
from nlp.deps.settings import ModelSettings
from oracles.dependency_trees import all_trees
from oracles.sentences import invented_sentences


def random_scores(parts, settings, rng):
    return {kind.name: rng.normal(size=len(kind.positions(parts)[0])) for kind in kinds_of(settings)}


def best_by_enumeration(parts, settings, scores):
    trees = all_trees(parts.n, projective=settings.tree == "projective", one_root=settings.roots == "one")
    return max(tree_score(parts, settings, scores, np.array(heads)) for heads in trees)


@pytest.mark.parametrize("options", [
    {"order": 1}, {"order": 1, "tree": "nonprojective"}, {"inference": "exact", "siblings": False},
    {"inference": "exact", "siblings": False, "childseq": True},
], ids=str)  # fmt: skip
def test_exact_models_find_the_best_tree(options):
    settings, parts, rng = ModelSettings(**options), Parts.all_arcs(4), np.random.default_rng(3)
    for _ in range(20):
        scores = random_scores(parts, settings, rng)
        found = tree_score(parts, settings, scores, map_tree(parts, settings, scores))
        assert found == pytest.approx(best_by_enumeration(parts, settings, scores))


@pytest.mark.parametrize("tree", ["projective", "nonprojective"])
@pytest.mark.parametrize("roots", ["one", "any"])
def test_no_change_of_one_head_makes_the_tree_better(tree, roots):
    settings, parts, rng = ModelSettings(tree=tree, roots=roots), Parts.all_arcs(5), np.random.default_rng(4)
    allowed = set(all_trees(5, projective=tree == "projective", one_root=roots == "one"))
    for _ in range(20):
        scores = random_scores(parts, settings, rng)
        heads = map_tree(parts, settings, scores)
        assert tuple(heads) in allowed
        reached = tree_score(parts, settings, scores, heads)
        for m in range(1, 6):
            for h in range(6):
                changed = (*heads[:m], h, *heads[m + 1 :])
                if changed in allowed:
                    assert tree_score(parts, settings, scores, np.array(changed)) <= reached + 1e-8


def test_trees_are_climbed_only_where_all_parts_are_pairs():
    """Gains of child sequences are not known: a climb without them would make trees worse."""
    rng = np.random.default_rng(5)
    pairs, sequences, parts = ModelSettings(), ModelSettings(childseq=True), Parts.all_arcs(5)
    worst = np.array([-1, 0, 1, 2, 3, 4])
    changed = 0
    for _ in range(10):
        scores = random_scores(parts, sequences, rng)
        assert map_decoding._climb(parts, sequences, scores, worst) is worst
        changed += map_decoding._climb(parts, pairs, scores, worst).tolist() != worst.tolist()
    assert changed


def test_the_parser_decodes_as_it_is_told():
    """On weak scores the best tree and the one with the most expected arcs differ, and each decoder gives its own."""
    sentences = [s for s in invented_sentences(60) if len(s) <= 6]
    parser = DependencyParser(order=1, bits=12, epochs=1).fit(sentences)
    parser.weights = np.random.default_rng(6).normal(size=parser.weights.shape).astype(np.float32) / 40
    trees = {}
    for name in ("map", "mbr"):
        chosen = parser.using(decoder=name)
        trees[name] = [chosen.heads(s).tolist() for s in sentences]
    assert sum(one != other for one, other in zip(trees["map"], trees["mbr"], strict=True)) > 5
    for sentence, heads in zip(sentences, trees["map"], strict=True):
        parts, scores = parser._scores(sentence)
        found = tree_score(parts, parser.model, scores, np.array([-1, *heads]))
        assert found == pytest.approx(best_by_enumeration(parts, parser.model, scores))


def test_log_odds_trust_what_is_nearly_certain():
    """0 → 1 is nearly certain, and worth more in log-odds than the two likely arcs of the other tree together."""
    parts, beliefs = Parts.all_arcs(2), np.array([0.999, 0.6, 0.65, 0.2])  # 0 → 1, 2 → 1, 0 → 2, 1 → 2
    assert minimum_risk(parts, ModelSettings(), beliefs).tolist() == [-1, 2, 0]
    assert minimum_risk(parts, ModelSettings(), beliefs, decoder="mbr").tolist() == [-1, 2, 0]
    assert minimum_risk(parts, ModelSettings(), beliefs, decoder="log-odds").tolist() == [-1, 0, 1]
