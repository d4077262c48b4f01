"""Inference of the parser: exact where it should be, gradients through all of it, decoders that return trees."""

import numpy as np
import pytest
from nlp.deps.decoding import minimum_risk
from nlp.deps.graphs import ModelGraph
from nlp.deps.map_decoding import map_tree, tree_score
from nlp.deps.objectives import loss_and_adjoints

from autodiff import Module, check_gradients
from nlp.deps.inference import infer
from nlp.deps.kinds import kinds_of
from nlp.deps.parts import Parts
from nlp.deps.settings import ModelSettings
from oracles.dependency_trees import all_trees, parts_of_tree

TREES = ["projective", "nonprojective"]
EVERYTHING = {"tree": "nonprojective", "childseq": True, "nocross": True}
MODELS = [
    {}, {"tree": "nonprojective", "schedule": "parallel"}, {"childseq": True}, EVERYTHING,
    {"constraint": "exactly_one"}, {"constraint": "at_most_one", "no_two_cycle": True},
    {"constraint": "not_two", "no_two_cycle": True}, {"tree": "nonprojective", "constraint": "exactly_one"},
    {"tree": "nonprojective", "constraint": "exactly_one", "nocross": True, "siblings": False, "grandparents": False},
]  # fmt: skip


def random_parts(n, rng, share=0.6):
    mask = rng.random((n + 1, n + 1)) < share
    mask[np.arange(n), np.arange(1, n + 1)] = True
    return Parts.of_mask(mask)


def random_scores(parts, settings, rng, scale=1.0):
    return {kind.name: scale * rng.normal(size=len(kind.positions(parts)[0])) for kind in kinds_of(settings)}


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_the_parts_of_a_tree_are_what_their_definitions_say(n):
    rng = np.random.default_rng(0)
    parts, settings = random_parts(n, rng, share=0.7), ModelSettings(**EVERYTHING, roots="any")
    listed = {kind.name: list(zip(*map(np.ndarray.tolist, kind.positions(parts)), strict=True))
              for kind in kinds_of(settings)}  # fmt: skip
    assert set(listed) == {"arc", "grandparent", "sibling", "childseq", "nocross"}
    trees = 0
    for heads in all_trees(n, projective=False, one_root=False):
        if not all((h, m) in listed["arc"] for m, h in enumerate(heads) if m):
            continue
        trees += 1
        for kind in kinds_of(settings):
            present = kind.present(parts, parts.indicator(np.array(heads)))
            found = [words for words, on in zip(listed[kind.name], present, strict=True) if on]
            assert len(found) == len(set(found))
            assert set(found) == parts_of_tree(heads)[kind.name]
    assert trees


@pytest.mark.parametrize("options", MODELS)
def test_the_factor_graph_scores_trees_as_the_parts_do(options):
    rng = np.random.default_rng(1)
    for n in (1, 2, 4):
        parts, settings = Parts.all_arcs(n), ModelSettings(roots="one", **options)
        scores = random_scores(parts, settings, rng)
        graph = ModelGraph.of(parts, settings, scores).graph
        for heads in all_trees(n, projective=settings.tree == "projective", one_root=True):
            expected = sum(
                value
                for kind in kinds_of(settings)
                for *words, value in zip(*kind.positions(parts), scores[kind.name], strict=True)
                if tuple(words) in parts_of_tree(heads)[kind.name]
            )
            assert tree_score(parts, settings, scores, np.array(heads)) == pytest.approx(expected)
            assert graph.score(parts.indicator(np.array(heads)).astype(np.int64)) == pytest.approx(expected)


@pytest.mark.parametrize("constraint", ["exactly_one", "at_most_one", "not_two"])
@pytest.mark.parametrize("no_two_cycle", [False, True])
def test_weaker_constraints_forbid_what_they_say(constraint, no_two_cycle):
    n, rng = 3, np.random.default_rng(2)
    parts = Parts.all_arcs(n)
    settings = ModelSettings(constraint=constraint, no_two_cycle=no_two_cycle, roots="one")
    graph = ModelGraph.of(parts, settings, random_scores(parts, settings, rng)).graph
    for number in range(2 ** len(parts)):
        on = (number >> np.arange(len(parts))) & 1
        groups = [*(on[parts.modifiers == m].sum() for m in range(1, n + 1)), on[parts.heads == 0].sum()]
        arcs = set(zip(parts.heads[on == 1].tolist(), parts.modifiers[on == 1].tolist(), strict=True))
        fine = all(size == 1 for size in groups) if constraint == "exactly_one" else max(groups) <= 1
        fine &= not (no_two_cycle and any((m, h) in arcs for h, m in arcs))
        assert (graph.score(on) > -np.inf) == fine


@pytest.mark.parametrize("roots", ["one", "any"])
@pytest.mark.parametrize("tree", TREES)
def test_first_order_is_exact(tree, roots):
    from hypergraph import marginals
    from hypergraph.structures import NonprojectiveTrees, ProjectiveTrees

    rng = np.random.default_rng(1)
    kind = ProjectiveTrees if tree == "projective" else NonprojectiveTrees
    for n in (1, 2, 5, 12):
        parts = random_parts(n, rng)
        scores = {"arc": 2 * rng.normal(size=len(parts))}
        matrix = parts.matrix(scores["arc"], -np.inf)
        settings = ModelSettings(order=1, tree=tree, roots=roots)
        found = infer(parts, settings, scores).beliefs
        expected = marginals(kind(n, roots), matrix)
        np.testing.assert_allclose(found, expected[parts.heads, parts.modifiers], atol=1e-10)
        # Belief propagation on the factor graph says the same as inside-outside.
        alone = ModelSettings(order=2, tree=tree, roots=roots, grandparents=False, siblings=False)
        np.testing.assert_allclose(infer(parts, alone, scores).beliefs, found, atol=1e-10)


@pytest.mark.parametrize("roots", ["one", "any"])
@pytest.mark.parametrize("kinds", [{}, {"childseq": True}, {"childseq": True, "grandparents": False}])
def test_exact_second_order_is_what_enumeration_says(kinds, roots):
    rng = np.random.default_rng(2)
    for n in (1, 2, 4):
        parts = Parts.all_arcs(n)
        settings = ModelSettings(siblings=False, inference="exact", roots=roots, **kinds)
        scores = random_scores(parts, settings, rng)
        trees = [np.array(heads) for heads in all_trees(n, projective=True, one_root=roots == "one")]
        values = np.array([tree_score(parts, settings, scores, heads) for heads in trees])
        share = np.exp(values) / np.exp(values).sum()
        run = infer(parts, settings, scores)
        on = [parts.indicator(heads) for heads in trees]
        np.testing.assert_allclose(run.beliefs, share @ np.array(on), atol=1e-10)
        total, beliefs = run.likelihood()
        assert total == pytest.approx(np.log(np.exp(values).sum()), abs=1e-9)
        for kind in kinds_of(settings):
            expected = share @ np.array([kind.present(parts, tree) for tree in on])
            np.testing.assert_allclose(beliefs[kind.name], expected, atol=1e-10)
        assert map_tree(parts, settings, scores).tolist() == trees[int(np.argmax(values))].tolist()


class Loss(Module):
    """scores of each kind of parts → the loss of a sentence."""

    def __init__(self, objective, parts, settings, gold):
        self.objective, self.parts, self.settings, self.gold = objective, parts, settings, gold
        self.kinds = [kind.name for kind in kinds_of(settings)]

    def forward(self, *scores):
        loss, adjoints = loss_and_adjoints(
            self.objective, self.parts, self.settings, dict(zip(self.kinds, scores, strict=True)), self.gold,
            temperature=0.3,
        )  # fmt: skip
        return np.array(loss), lambda adjoint: tuple(adjoint * adjoints[kind] for kind in self.kinds)


def check_loss(objective, options, seed):
    rng = np.random.default_rng(seed)
    parts, settings = random_parts(4, rng), ModelSettings(**options)
    scores = random_scores(parts, settings, rng, scale=0.6)
    check_gradients(Loss(objective, parts, settings, np.arange(-1, 4)), *scores.values()).raise_if_failed()


@pytest.mark.parametrize(
    "options",
    [
        *({"order": order, "tree": tree, "iterations": 3} for order in (1, 2) for tree in TREES),
        *({"iterations": 2, **model} for model in MODELS[2:]),
        {"schedule": "parallel", "iterations": 3, "damping": 0.2},
        {"tree_first": False, "iterations": 2},
        {"inference": "exact", "siblings": False, "childseq": True},
    ],
    ids=str,
)
@pytest.mark.parametrize("objective", ["l2", "risk"])
def test_gradients_of_approximation_aware_losses(objective, options):
    check_loss(objective, options, seed=3)


@pytest.mark.parametrize(
    "options",
    [{"order": 1}, {"order": 1, "tree": "nonprojective"}, {"inference": "exact", "siblings": False},
     {"inference": "exact", "siblings": False, "childseq": True}],
    ids=str,
)  # fmt: skip
def test_gradient_of_exact_likelihood(options):
    check_loss("cll", options, seed=4)


@pytest.mark.parametrize("options", MODELS)
def test_gradient_of_surrogate_likelihood_is_beliefs_minus_gold(options):
    rng = np.random.default_rng(5)
    parts, settings = random_parts(5, rng), ModelSettings(iterations=3, **options)
    scores = random_scores(parts, settings, rng)
    gold = np.arange(-1, 5)
    _, adjoints = loss_and_adjoints("cll", parts, settings, scores, gold)
    _, beliefs = infer(parts, settings, scores).likelihood()
    for kind in kinds_of(settings):
        expected = beliefs[kind.name] - kind.present(parts, parts.indicator(gold))
        np.testing.assert_allclose(adjoints[kind.name], expected)


def is_tree(heads, one_root):
    n = len(heads) - 1
    if heads[0] != -1 or (one_root and (heads == 0).sum() != 1):
        return False
    for m in range(1, n + 1):
        for _ in range(n):
            m = heads[m] if m else 0
        if m:
            return False
    return True


@pytest.mark.parametrize("options", MODELS, ids=str)
@pytest.mark.parametrize("roots", ["one", "any"])
@pytest.mark.parametrize("decoder", ["mbr", "log-odds", "map"])
def test_decoders_return_trees(options, roots, decoder):
    rng = np.random.default_rng(6)
    for n in (1, 2, 7):
        parts, settings = random_parts(n, rng), ModelSettings(roots=roots, **options)
        scores = random_scores(parts, settings, rng)
        if decoder == "map":
            heads = map_tree(parts, settings, scores)
        else:
            heads = minimum_risk(parts, settings, infer(parts, settings, scores).beliefs, decoder=decoder)
        assert is_tree(heads, one_root=roots == "one")
        assert parts.indicator(heads).sum() == n


@pytest.mark.parametrize("tree", TREES)
def test_map_is_often_the_best_of_all_trees(tree):
    rng = np.random.default_rng(7)
    parts, settings = Parts.all_arcs(4), ModelSettings(tree=tree, roots="one", iterations=10)
    trees = [np.array(heads) for heads in all_trees(4, projective=tree == "projective", one_root=True)]
    found = 0
    for _ in range(30):
        scores = random_scores(parts, settings, rng)
        best = max(tree_score(parts, settings, scores, heads) for heads in trees)
        reached = tree_score(parts, settings, scores, map_tree(parts, settings, scores))
        assert reached <= best + 1e-9
        found += reached > best - 1e-9
    assert found >= 24  # max-product on a loopy graph is a guess


def test_what_does_not_go_together_is_refused():
    for wrong in (
        {"order": 1, "childseq": True}, {"nocross": True}, {"inference": "exact"}, {"schedule": "random"},
        {"inference": "exact", "order": 1, "constraint": "not_two"},
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"order|nonprojective|exact|schedule"):
            ModelSettings(**wrong)
