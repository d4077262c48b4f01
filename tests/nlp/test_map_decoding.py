"""The tree with the greatest score: exact where inference is, never worse than its guesses elsewhere."""

import numpy as np
import pytest

from nlp.deps import DependencyParser
from nlp.deps.parts import Parts
from nlp.deps.settings import TreeSettings
from nlp.deps.tree_space import TreeSpace
from oracles.dependency_models import dependency_model, instance_of, random_scores
from oracles.dependency_trees import all_trees
from oracles.sentences import invented_sentences
from pgm.learning import Decoder


def best_by_enumeration(instance, scores):
    tree = instance.model.tree
    trees = all_trees(instance.parts.n, projective=tree.tree == "projective", one_root=tree.roots == "one")
    return max(instance.score(np.array(heads[1:]), scores) for heads in trees)


@pytest.mark.parametrize("options", [
    {"order": 1}, {"order": 1, "tree": "nonprojective"}, {"inference": "exact", "siblings": False},
    {"inference": "exact", "siblings": False, "childseq": True},
], ids=str)  # fmt: skip
def test_exact_models_find_the_best_tree(options):
    instance, rng = instance_of(dependency_model(**options), Parts.all_arcs(4)), np.random.default_rng(3)
    for _ in range(20):
        scores = random_scores(instance, rng)
        found = instance.score(instance.run(scores).best().heads, scores)
        assert found == pytest.approx(best_by_enumeration(instance, scores))


@pytest.mark.parametrize("tree", ["projective", "nonprojective"])
@pytest.mark.parametrize("roots", ["one", "any"])
@pytest.mark.parametrize("decoder", ["map", "hill-climbing"])
@pytest.mark.parametrize("impossible", [0, 6])
def test_no_change_of_one_head_makes_the_tree_better(tree, roots, decoder, impossible):
    instance, rng = instance_of(dependency_model(tree=tree, roots=roots), Parts.all_arcs(5)), np.random.default_rng(4)
    allowed = set(all_trees(5, projective=tree == "projective", one_root=roots == "one"))
    away_from_chain = np.flatnonzero(instance.parts.heads != instance.parts.modifiers - 1)
    for _ in range(20):
        scores = random_scores(instance, rng)
        scores["arc"][rng.permutation(away_from_chain)[:impossible]] = -np.inf
        heads = Decoder.named(decoder).decode(instance, scores).heads
        assert (-1, *heads) in allowed
        reached = instance.score(heads, scores)
        assert reached > -np.inf
        for m in range(5):
            for h in range(6):
                changed = (*heads[:m], h, *heads[m + 1 :])
                if (-1, *changed) in allowed:
                    assert instance.score(np.array(changed), scores) <= reached + 1e-8


def test_hill_climbing_begins_at_the_best_projective_tree_of_arcs():
    """Without pairs nothing can be gained there, but by arcs that cross."""
    rng, crossing = np.random.default_rng(8), 0
    for _ in range(20):
        free, bound = (
            instance_of(dependency_model(order=1, tree=tree), Parts.all_arcs(5))
            for tree in ("nonprojective", "projective")
        )
        scores = random_scores(free, rng)
        first = bound.run(scores).best().heads
        climbed = Decoder.named("hill-climbing").decode(free, scores).heads
        assert Decoder.named("hill-climbing").decode(bound, scores).heads.tolist() == first.tolist()
        assert free.score(climbed, scores) >= free.score(first, scores)
        crossing += climbed.tolist() != first.tolist()
    assert crossing > 2


def test_trees_are_climbed_only_where_all_parts_are_pairs():
    """Gains of child sequences are not known: a climb without them would make trees worse."""
    rng, parts, worst = np.random.default_rng(5), Parts.all_arcs(5), np.arange(5)
    pairs, sequences = (instance_of(dependency_model(childseq=on), parts) for on in (False, True))
    changed = 0
    for _ in range(10):
        scores = random_scores(sequences, rng)
        assert sequences.climb(worst, scores) is worst
        changed += pairs.climb(worst, scores).tolist() != worst.tolist()
    assert changed


def test_the_parser_decodes_as_it_is_told():
    """On weak scores the best tree and the one with the most expected arcs differ, and each decoder gives its own."""
    sentences = [s for s in invented_sentences(60) if len(s) <= 6]
    parser = DependencyParser(order=1, bits=12, epochs=1).fit(sentences)
    weights = parser.model.scorer.weights
    weights.value = np.random.default_rng(6).normal(size=weights.read().shape).astype(np.float32) / 40
    trees = {}
    for name in ("map", "mbr"):
        chosen = parser.using(decoder=name)
        trees[name] = [chosen.analyse(s).heads for s in sentences]
    differ = [(one != other).any() for one, other in zip(trees["map"], trees["mbr"], strict=True)]
    assert sum(differ) > 5
    for sentence, heads in zip(sentences, trees["map"], strict=True):
        instance = parser.model.of(sentence)
        scores, _ = parser.model.scorer.score(instance)
        assert instance.score(heads, scores) == pytest.approx(best_by_enumeration(instance, scores), abs=1e-6)


def test_log_odds_trust_what_is_nearly_certain():
    """0 → 1 is nearly certain, and worth more in log-odds than the two likely arcs of the other tree together."""
    on = np.array([0.999, 0.6, 0.65, 0.2])  # 0 → 1, 2 → 1, 0 → 2, 1 → 2
    space = TreeSpace(Parts.all_arcs(2), TreeSettings())
    states = np.stack([1.0 - on, on], axis=1).ravel()
    assert space.search(states).heads.tolist() == [2, 0]
    assert space.search(np.log(states)).heads.tolist() == [0, 1]
