"""Inference of the parser: exact where it should be, gradients through all of it, decoders that return trees."""

import numpy as np
import pytest

from autodiff import Module, check_gradients
from nlp.conll import is_projective
from nlp.deps import Analysis, DependencyParser
from nlp.deps.parts import Parts
from oracles.dependency_models import dependency_model, instance_of, random_parts, random_scores
from oracles.dependency_trees import all_trees, parts_of_tree
from pgm.learning import AnnealedRisk, ConditionalLogLikelihood, Decoder, L2Distance

TREES = ["projective", "nonprojective"]
EVERYTHING = {"tree": "nonprojective", "childseq": True, "nocross": True}
MODELS = [
    {}, {"tree": "nonprojective", "schedule": "parallel"}, {"childseq": True}, EVERYTHING,
    {"constraint": "exactly_one"}, {"constraint": "at_most_one", "no_two_cycle": True},
    {"constraint": "not_two", "no_two_cycle": True}, {"tree": "nonprojective", "constraint": "exactly_one"},
    {"tree": "nonprojective", "constraint": "exactly_one", "nocross": True, "siblings": False, "grandparents": False},
]  # fmt: skip


def drawn(options, rng, *, n=4, share=1.0, scale=1.0, gold=None):
    """An instance with random candidate arcs and scores."""
    instance = instance_of(dependency_model(**options), random_parts(n, rng, share), gold=gold)
    return instance, random_scores(instance, rng, scale)


def trees_of(instance):
    tree = instance.model.tree
    every = all_trees(instance.parts.n, projective=tree.tree == "projective", one_root=tree.roots == "one")
    return [np.array(heads[1:]) for heads in every]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_the_parts_of_a_tree_are_what_their_definitions_say(n):
    model, parts = dependency_model(**EVERYTHING, roots="any"), random_parts(n, np.random.default_rng(0), share=0.7)
    listed = {kind.name: list(zip(*map(np.ndarray.tolist, kind.positions(parts)), strict=True))
              for kind in model.kinds}  # fmt: skip
    assert set(listed) == {"arc", "grandparent", "sibling", "childseq", "nocross"}
    trees = 0
    for heads in all_trees(n, projective=False, one_root=False):
        if not all((h, m) in listed["arc"] for m, h in enumerate(heads) if m):
            continue
        trees += 1
        for kind in model.kinds:
            present = kind.present(parts, parts.indicator(np.array(heads[1:])))
            found = [words for words, on in zip(listed[kind.name], present, strict=True) if on]
            assert len(found) == len(set(found))
            assert set(found) == parts_of_tree(heads)[kind.name]
    assert trees


@pytest.mark.parametrize("options", MODELS, ids=str)
def test_the_factor_graph_scores_trees_as_the_parts_do(options):
    rng = np.random.default_rng(1)
    for n in (1, 2, 4):
        instance, scores = drawn(options, rng, n=n)
        parts, scored = instance.parts, instance.scored_graph
        for family, potentials in zip(scored.graph.families, scored.potentials(scores), strict=True):
            if potentials is not None:
                family.log_potentials = potentials
        for heads in trees_of(instance):
            there = parts_of_tree((-1, *heads.tolist()))
            expected = sum(
                value
                for kind in instance.model.kinds
                for *words, value in zip(*kind.positions(parts), scores[kind.name], strict=True)
                if tuple(words) in there[kind.name]
            )
            assert instance.score(heads, scores) == pytest.approx(expected)
            assert scored.graph.score(parts.indicator(heads).astype(np.int64)) == pytest.approx(expected)


@pytest.mark.parametrize("constraint", ["exactly_one", "at_most_one", "not_two"])
@pytest.mark.parametrize("no_two_cycle", [False, True])
def test_weaker_constraints_forbid_what_they_say(constraint, no_two_cycle):
    n = 3
    model, parts = dependency_model(constraint=constraint, no_two_cycle=no_two_cycle), Parts.all_arcs(n)
    graph = instance_of(model, parts).scored_graph.graph
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
    from nlp.deps.runs import GraphArcRun

    rng = np.random.default_rng(1)
    kind = ProjectiveTrees if tree == "projective" else NonprojectiveTrees
    for n in (1, 2, 5, 12):
        instance, scores = drawn({"order": 1, "tree": tree, "roots": roots}, rng, n=n, share=0.6, scale=2.0)
        parts, run = instance.parts, instance.run(scores)
        expected = marginals(kind(n, roots), parts.matrix(scores["arc"], -np.inf))
        np.testing.assert_allclose(run.beliefs[1::2], expected[parts.heads, parts.modifiers], atol=1e-10)
        np.testing.assert_allclose(run.beliefs[::2], 1.0 - run.beliefs[1::2], atol=1e-12)
        # Belief propagation on the factor graph says the same as inside-outside.
        on_graph = GraphArcRun(instance, scores, instance.scored_graph, record=False)
        np.testing.assert_allclose(on_graph.beliefs, run.beliefs, atol=1e-10)
        assert on_graph.log_partition == pytest.approx(run.log_partition)


@pytest.mark.parametrize("tree", TREES)
def test_first_order_log_partitions_are_those_of_all_trees(tree):
    instance, scores = drawn({"order": 1, "tree": tree}, np.random.default_rng(1))
    totals = [instance.parts.indicator(heads) @ scores["arc"] for heads in trees_of(instance)]
    run = instance.run(scores)
    assert run.log_partition == pytest.approx(np.logaddexp.reduce(totals))
    assert list(run.part_beliefs) == ["arc"]
    assert run.part_beliefs["arc"].shape == (len(instance.parts),)


@pytest.mark.parametrize("roots", ["one", "any"])
@pytest.mark.parametrize("kinds", [{}, {"childseq": True}, {"childseq": True, "grandparents": False}], ids=str)
def test_exact_second_order_is_what_enumeration_says(kinds, roots):
    rng = np.random.default_rng(2)
    for n in (1, 2, 4):
        instance, scores = drawn({"siblings": False, "inference": "exact", "roots": roots, **kinds}, rng, n=n)
        trees = trees_of(instance)
        values = np.array([instance.score(heads, scores) for heads in trees])
        share = np.exp(values) / np.exp(values).sum()
        run, on = instance.run(scores), [instance.parts.indicator(heads) for heads in trees]
        np.testing.assert_allclose(run.beliefs[1::2], share @ np.array(on), atol=1e-10)
        assert run.log_partition == pytest.approx(np.log(np.exp(values).sum()), abs=1e-9)
        for kind in instance.model.kinds:
            expected = share @ np.array([kind.present(instance.parts, tree) for tree in on])
            np.testing.assert_allclose(run.part_beliefs[kind.name], expected, atol=1e-10)
        assert run.best().heads.tolist() == trees[int(np.argmax(values))].tolist()


class Loss(Module):
    """scores of each kind of parts → the loss of a sentence."""

    def __init__(self, objective, instance, names):
        self.objective, self.instance, self.names = objective, instance, names

    def forward(self, *scores):
        found = self.objective.evaluate(self.instance, dict(zip(self.names, scores, strict=True)))
        return np.array(found.loss), lambda adjoint: tuple(adjoint * found.adjoints[name] for name in self.names)


def check_loss(objective, options, seed):
    gold = Analysis(np.arange(4))
    instance, scores = drawn(options, np.random.default_rng(seed), share=0.6, scale=0.6, gold=gold)
    check_gradients(Loss(objective, instance, list(scores)), *scores.values()).raise_if_failed()


@pytest.mark.parametrize(
    "options",
    [
        *({"order": order, "tree": tree, "iterations": 3} for order in (1, 2) for tree in TREES),
        *({"iterations": 2, **model} for model in MODELS[2:]),
        {"schedule": "parallel", "iterations": 3, "damping": 0.2},
        {"constraint_first": False, "iterations": 2},
        {"inference": "exact", "siblings": False, "childseq": True},
    ],
    ids=str,
)
@pytest.mark.parametrize("objective", [L2Distance(), AnnealedRisk(temperature=0.3)], ids=lambda one: one.name)
def test_gradients_of_approximation_aware_losses(objective, options):
    check_loss(objective, options, seed=3)


@pytest.mark.parametrize(
    "options",
    [{"order": 1}, {"order": 1, "tree": "nonprojective"}, {"inference": "exact", "siblings": False},
     {"inference": "exact", "siblings": False, "childseq": True}],
    ids=str,
)  # fmt: skip
def test_gradient_of_exact_likelihood(options):
    check_loss(ConditionalLogLikelihood(), options, seed=4)


@pytest.mark.parametrize("options", MODELS, ids=str)
def test_gradient_of_surrogate_likelihood_is_beliefs_minus_gold(options):
    gold = Analysis(np.arange(5))
    instance, scores = drawn({"iterations": 3, **options}, np.random.default_rng(5), n=5, share=0.6, gold=gold)
    adjoints = ConditionalLogLikelihood().evaluate(instance, scores).adjoints
    beliefs = instance.run(scores).part_beliefs
    for kind in instance.model.kinds:
        expected = beliefs[kind.name] - kind.present(instance.parts, instance.parts.indicator(gold.heads))
        np.testing.assert_allclose(adjoints[kind.name], expected, atol=1e-12)


@pytest.mark.parametrize("options", MODELS, ids=str)
@pytest.mark.parametrize("roots", ["one", "any"])
@pytest.mark.parametrize("decoder", [*Decoder.kinds()])
def test_decoders_return_trees(options, roots, decoder):
    rng = np.random.default_rng(6)
    for n in (1, 2, 7):
        instance, scores = drawn({"roots": roots, **options}, rng, n=n, share=0.6)
        heads = Decoder.named(decoder).decode(instance, scores).heads
        assert instance.model.allows(heads)
        assert instance.parts.indicator(heads).sum() == n
        assert ((heads == 0).sum() == 1) or roots == "any"
        assert is_projective(heads) or options.get("tree") == "nonprojective"


@pytest.mark.parametrize("tree", TREES)
def test_map_is_often_the_best_of_all_trees(tree):
    rng, found = np.random.default_rng(7), 0
    for _ in range(30):
        instance, scores = drawn({"tree": tree, "iterations": 10}, rng)
        best = max(instance.score(heads, scores) for heads in trees_of(instance))
        reached = instance.score(instance.run(scores).best().heads, scores)
        assert reached <= best + 1e-9
        found += reached > best - 1e-9
    assert found >= 24  # max-product on a loopy graph is a guess


def test_what_does_not_go_together_is_refused():
    for wrong in (
        {"order": 1, "childseq": True}, {"nocross": True}, {"inference": "exact"}, {"schedule": "random"},
        {"inference": "exact", "order": 1, "constraint": "not_two"},
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"order|nonprojective|exact|schedule"):
            DependencyParser(**wrong)
