"""Trees with relations: everything about them against enumeration of labelled trees, and central differences."""

import numpy as np
import pytest

from autodiff import check_gradients
from nlp.deps import Analysis
from nlp.deps.parts import Parts
from nlp.deps.relation_sums import RelationSums
from oracles.dependency_models import (
    Enumerated,
    Loss,
    dependency_model,
    instance_of,
    labelled_trees,
    random_parts,
    random_relations,
    random_scores,
)
from pgm.learning import (
    AnnealedRisk,
    ConditionalLogLikelihood,
    L2Distance,
    MarginalLogLikelihood,
    MaximumScore,
    MinimumBayesRisk,
    SoftmaxMargin,
)

EXACT = [
    {"order": 1}, {"order": 1, "tree": "nonprojective"}, {"order": 1, "roots": "any"},
    {"order": 2, "grandparents": False, "siblings": False, "tree": "nonprojective"},
    {"inference": "exact", "siblings": False}, {"inference": "exact", "siblings": False, "childseq": True},
]  # fmt: skip
LOOPY = [
    {"iterations": 3}, {"iterations": 2, "tree": "nonprojective", "nocross": True},
    {"iterations": 2, "childseq": True, "damping": 0.2}, {"iterations": 3, "schedule": "parallel"},
    {"iterations": 2, "constraint": "exactly_one", "tree": "nonprojective"},
]  # fmt: skip
AWARE = [
    L2Distance(), AnnealedRisk(temperature=0.4), ConditionalLogLikelihood(approximation_aware=True),
    MarginalLogLikelihood(approximation_aware=True), SoftmaxMargin(cost=0.7, approximation_aware=True),
]  # fmt: skip
PLAIN = [ConditionalLogLikelihood(), MarginalLogLikelihood(), SoftmaxMargin(cost=0.7)]
CHAIN = Analysis([0, 1, 2], ["r0", "r1", "r0"])
SETS = ["all", "some", "one"]


def relations_of(parts, kind, rng):
    """Every relation for each arc, some, or the only one that there is."""
    if kind == "some":
        return random_relations(parts, 3, rng)
    count = 3 if kind == "all" else 1
    starts = count * np.arange(len(parts) + 1)
    return RelationSums(starts, np.tile(np.arange(count), len(parts)), ("r0", "r1", "r2")[:count])


def drawn(options, *, n=3, kind="some", gold=CHAIN, seed=0, impossible=0, share=1.0, scale=1.0):
    """An instance and scores, of which some are -inf; not those of the right-branching tree with relation 0."""
    rng = np.random.default_rng(seed)
    parts = random_parts(n, rng, share=share)
    relations = relations_of(parts, kind, rng)
    instance = instance_of(dependency_model(**options), parts, relations, gold)
    scores = random_scores(instance, rng, scale)
    away_from_chain = np.flatnonzero(parts.heads != parts.modifiers - 1)
    scores["arc"][rng.permutation(away_from_chain)[:impossible]] = -np.inf
    many = np.flatnonzero((np.diff(relations.starts) > 1)[relations.arcs] & (relations.labels > 1))
    scores["relation"][rng.permutation(many)[:impossible]] = -np.inf
    return instance, scores


@pytest.mark.parametrize("kind", SETS)
@pytest.mark.parametrize("impossible", [0, 2])
@pytest.mark.parametrize("options", EXACT, ids=str)
def test_log_partition_and_beliefs_are_those_of_all_labelled_trees(options, impossible, kind):
    for n, share in ((1, 1.0), (3, 1.0), (4, 0.5)):
        instance, scores = drawn(options, n=n, kind=kind, share=share, impossible=impossible, gold=None)
        expected, run = Enumerated(instance, scores), instance.run(scores)
        assert run.log_partition == pytest.approx(expected.log_partition, abs=1e-9)
        np.testing.assert_allclose(run.beliefs, expected.beliefs, atol=1e-9)
        parts = expected.part_beliefs(instance)
        assert set(run.part_beliefs) == set(scores) == set(parts)
        for name, found in run.part_beliefs.items():
            np.testing.assert_allclose(found, parts[name], atol=1e-9, err_msg=name)
            assert (found[np.isneginf(scores[name])] == 0.0).all()


@pytest.mark.parametrize("options", EXACT + LOOPY, ids=str)
def test_beliefs_in_relations_sum_to_those_in_arcs(options):
    instance, scores = drawn(options, n=5, share=0.7, impossible=2, gold=None)
    beliefs, arcs = instance.run(scores).beliefs, 2 * len(instance.parts)
    np.testing.assert_allclose(instance.relations.total(beliefs[arcs:]), beliefs[1:arcs:2], atol=1e-12)


@pytest.mark.parametrize("kind", SETS)
@pytest.mark.parametrize("options", EXACT, ids=str)
def test_the_best_labelled_tree_is_the_best_of_all(options, kind):
    for seed in range(5):
        instance, scores = drawn(options, n=4, share=0.6, kind=kind, seed=seed, impossible=1, gold=None)
        expected = Enumerated(instance, scores)
        heads, pairs = expected.trees[int(np.argmax(expected.scores))]
        for found in (instance.run(scores).best(), MaximumScore().decode(instance, scores)):
            assert found.heads.tolist() == heads.tolist()
            assert list(found.relations) == instance.relations.names(pairs)


@pytest.mark.parametrize("options", EXACT[:3] + LOOPY, ids=str)
def test_minimum_risk_trees_have_the_most_expected_arcs_and_relations(options):
    for seed in range(5):
        instance, scores = drawn(options, n=4, share=0.6, seed=seed, gold=None)
        beliefs = instance.run(scores).beliefs
        expected = Enumerated(instance, scores)
        values = expected.events @ beliefs
        heads, pairs = expected.trees[int(np.argmax(values))]
        found = MinimumBayesRisk().decode(instance, scores)
        assert found.heads.tolist() == heads.tolist()
        assert list(found.relations) == instance.relations.names(pairs)


@pytest.mark.parametrize("options", EXACT[:3], ids=str)
def test_the_k_best_are_the_best_trees_each_with_its_best_relations(options):
    instance, scores = drawn(options, n=4, share=0.7, gold=None)
    expected = Enumerated(instance, scores)
    best = {}
    for (heads, pairs), score in zip(expected.trees, expected.scores, strict=True):
        if score > best.get(tuple(heads), (-np.inf,))[0]:
            best[tuple(heads)] = (score, instance.relations.names(pairs))
    order = sorted(best, key=lambda heads: -best[heads][0])
    for k in (1, 5, 10**6):
        found = instance.run(scores).kbest(k)
        assert len(found) == min(k, len(order))
        for (score, tree), heads in zip(found, order, strict=False):
            assert tuple(tree.heads) == heads
            assert score == pytest.approx(best[heads][0])
            assert list(tree.relations) == best[heads][1]


@pytest.mark.parametrize("options", EXACT[:3], ids=str)
def test_samples_are_as_frequent_as_their_probability(options):
    instance, scores = drawn(options, n=3, kind="all", impossible=1, gold=None)
    expected, count = Enumerated(instance, scores), 20000
    share_of = {
        (tuple(heads), tuple(instance.relations.names(pairs))): share
        for (heads, pairs), share in zip(expected.trees, expected.shares, strict=True)
    }
    drawn_trees = instance.run(scores).sample(count, np.random.default_rng(1))
    found = dict.fromkeys(share_of, 0)
    for tree in drawn_trees:
        found[tuple(tree.heads), tree.relations] += 1
    for tree, share in share_of.items():
        assert abs(found[tree] / count - share) <= 5 * np.sqrt(share * (1 - share) / count) + 1e-12


# Objectives


GOLDS = {
    "complete": CHAIN,
    "no relations": Analysis([0, 1, 2]),
    "some relations": Analysis([0, 1, 2], ["r0", None, "r1"]),
    "relations unseen in training": Analysis([0, 1, 2], ["r0", "new", "r1"]),
    "not a candidate": Analysis([2, 0, 2], ["r0", "r1", "r0"]),
}
PARTIAL = {
    "some heads": Analysis([-1, 1, -1], ["r1", "r0", None]),
    "a relation of an unknown head": Analysis([0, -1, 2], ["r0", "r1", None]),
    "nothing": Analysis([-1, -1, -1]),
}


def check(objective, options, **given):
    instance, scores = drawn(options, scale=0.6, **given)
    check_gradients(Loss(objective, instance, list(scores)), *scores.values()).raise_if_failed()


@pytest.mark.parametrize("objective", AWARE, ids=repr)
@pytest.mark.parametrize("options", EXACT + LOOPY, ids=str)
def test_gradients_by_scores_of_all_parts(objective, options):
    check(objective, options)


@pytest.mark.parametrize("objective", PLAIN, ids=repr)
@pytest.mark.parametrize("options", EXACT, ids=str)
def test_gradients_of_exact_likelihoods(objective, options):
    check(objective, options)


@pytest.mark.parametrize("objective", AWARE + PLAIN, ids=repr)
@pytest.mark.parametrize("gold", GOLDS.values(), ids=GOLDS)
@pytest.mark.parametrize("kind", SETS)
def test_gradients_whatever_is_known_of_relations(objective, gold, kind):
    check(objective, {"order": 1}, gold=gold, kind=kind)


@pytest.mark.parametrize("objective", [AWARE[0], AWARE[1], AWARE[3], PLAIN[1]], ids=repr)
@pytest.mark.parametrize("gold", PARTIAL.values(), ids=PARTIAL)
@pytest.mark.parametrize("options", [{"order": 1}, EXACT[5], {"order": 1, "tree": "nonprojective"}], ids=str)
def test_gradients_where_trees_are_known_in_part(objective, gold, options):
    check(objective, options, gold=gold)


@pytest.mark.parametrize("objective", AWARE + PLAIN, ids=repr)
@pytest.mark.parametrize("options", EXACT[:2] + EXACT[4:5], ids=str)
def test_gradients_where_scores_are_minus_infinity(objective, options):
    instance, scores = drawn(options, kind="all", impossible=2, gold=Analysis([0, 1, 2], ["r0", "r1", "r0"]))
    found = objective.evaluate(instance, scores)
    assert np.isfinite(found.loss)
    for name, values in scores.items():
        possible = np.flatnonzero(np.isfinite(values))
        assert (found.adjoints[name][np.isneginf(values)] == 0.0).all()
        for part in possible:
            ends = []
            for sign in (1, -1):
                moved = {**scores, name: values.copy()}
                moved[name][part] += sign * 1e-5
                ends.append(objective.evaluate(instance, moved).loss)
            assert found.adjoints[name][part] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=2e-7)


@pytest.mark.parametrize("options", LOOPY, ids=str)
@pytest.mark.parametrize("objective", PLAIN, ids=repr)
def test_surrogate_gradients_are_beliefs_less_gold(options, objective):
    instance, scores = drawn(options)
    found = objective.evaluate(instance, scores)
    costs = instance.hamming(0.7) if isinstance(objective, SoftmaxMargin) else None
    beliefs = instance.run(scores, costs=costs).part_beliefs
    if isinstance(objective, MarginalLogLikelihood):
        gold = instance.run(scores, clamped=True).part_beliefs
    else:
        gold = instance.gold_score(scores, "")[1]
    for name in scores:
        np.testing.assert_allclose(found.adjoints[name], beliefs[name] - gold[name], atol=1e-12)


# Values of losses


def consistent(instance, gold):
    """Tell for each labelled tree whether it has all heads, and all relations of right heads, that are known."""
    names = instance.relations.all_names

    def fits(heads, pairs):
        for m, head in enumerate(gold.heads):
            if head >= 0 and heads[m] != head:
                return False
            label = None if gold.relations is None or head < 0 else gold.relations[m]
            if label in names and instance.relations.names(pairs)[m] != label:
                return False
        return True

    return np.array([fits(*tree) for tree in labelled_trees(instance)])


@pytest.mark.parametrize("options", EXACT, ids=str)
@pytest.mark.parametrize("gold", [*GOLDS.values(), *PARTIAL.values()], ids=[*GOLDS, *PARTIAL])
def test_marginal_likelihood_sums_over_what_is_unknown(options, gold):
    instance, scores = drawn(options, kind="all", gold=gold)
    expected, fits = Enumerated(instance, scores), consistent(instance, gold)
    loss = MarginalLogLikelihood().evaluate(instance, scores).loss
    assert loss == pytest.approx(-np.log(expected.shares[fits].sum()), abs=1e-9)
    if gold.is_complete:
        assert ConditionalLogLikelihood().evaluate(instance, scores).loss == pytest.approx(loss, abs=1e-9)


@pytest.mark.parametrize("options", EXACT, ids=str)
def test_softmax_margin_counts_wrong_arcs_and_wrong_relations_of_right_ones(options):
    instance, scores = drawn(options, kind="all")
    right_heads, right = CHAIN.heads, list(CHAIN.relations)
    wrong = [
        sum(h != g or r != s for h, g, r, s in zip(heads, right_heads, instance.relations.names(pairs), right,
                                                   strict=True))
        for heads, pairs in labelled_trees(instance)
    ]  # fmt: skip
    plain = Enumerated(instance, scores)
    gold = plain.scores[wrong.index(0)]
    expected = np.logaddexp.reduce(plain.scores + 0.7 * np.array(wrong)) - gold
    assert SoftmaxMargin(cost=0.7).evaluate(instance, scores).loss == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("options", EXACT[:3], ids=str)
@pytest.mark.parametrize("gold", [CHAIN, Analysis([0, 1, 2], ["r0", None, "r1"]), *PARTIAL.values()], ids=str)
def test_l2_is_the_distance_of_beliefs_in_what_is_known(options, gold):
    instance, scores = drawn(options, kind="all", gold=gold)
    beliefs = Enumerated(instance, scores).beliefs
    total = 0.0
    for arc, (h, m) in enumerate(zip(instance.parts.heads, instance.parts.modifiers, strict=True)):
        head = gold.heads[m - 1]
        if head < 0:
            continue
        on = float(head == h)
        total += ((1 - on) - beliefs[2 * arc]) ** 2 + (on - beliefs[2 * arc + 1]) ** 2
        right = None if gold.relations is None else gold.relations[m - 1]
        for pair in range(instance.relations.starts[arc], instance.relations.starts[arc + 1]):
            belief = beliefs[2 * len(instance.parts) + pair]
            if not on:
                total += belief**2
            elif right is not None:
                total += (float(instance.relations.names([pair])[0] == right) - belief) ** 2
    assert L2Distance().evaluate(instance, scores).loss == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("options", EXACT[:3], ids=str)
def test_risk_is_the_expected_number_of_wrong_arcs_and_relations(options):
    """At temperature T, of trees ∝ exp(Σ beliefs / T)."""
    instance, scores = drawn(options, kind="all")
    beliefs = Enumerated(instance, scores).beliefs
    on = 2 * len(instance.parts)
    arcs = {kind.name: np.zeros_like(scores[kind.name]) for kind in instance.model.kinds}
    soft = {**arcs, "arc": beliefs[1:on:2] / 0.4, "relation": beliefs[on:] / 0.4}
    expected = Enumerated(instance, soft).beliefs
    right = instance.recalled() > 0
    assert right.sum() == 6
    loss = AnnealedRisk(temperature=0.4).evaluate(instance, scores).loss
    assert loss == pytest.approx((1.0 - expected[right]).sum(), abs=1e-9)


# Gold trees that a model cannot have

CROSSING = Analysis([3, 4, 0, 3], ["r0", "r1", "r0", "r1"])


@pytest.mark.parametrize("options", [{"order": 1}, {"iterations": 3}, EXACT[4]], ids=str)
def test_of_gold_trees_that_cross_likelihood_takes_the_nearest(options):
    instance, scores = drawn(options, n=4, kind="all", gold=CROSSING)
    _, present = instance.gold_score(scores, "")
    heads = instance.parts.heads[present["arc"] > 0]
    assert (heads == CROSSING.heads).sum() == 3
    for objective in PLAIN:
        found = objective.evaluate(instance, scores)
        assert found.loss > 0
        assert all(np.isfinite(adjoint).all() for adjoint in found.adjoints.values())


@pytest.mark.parametrize("objective", AWARE + PLAIN, ids=repr)
@pytest.mark.parametrize("tree", ["projective", "nonprojective"])
def test_gradients_where_gold_is_pruned_away_or_crosses(objective, tree):
    rng = np.random.default_rng(3)
    mask = np.ones((5, 5), dtype=bool)
    mask[3, 1] = False  # the right head of the first word
    parts = Parts.of_mask(mask)
    model = dependency_model(order=1, tree=tree)
    instance = instance_of(model, parts, relations_of(parts, "some", rng), CROSSING)
    scores = random_scores(instance, rng)
    check_gradients(Loss(objective, instance, list(scores)), *scores.values()).raise_if_failed()


def test_marginal_likelihood_of_a_tree_that_cannot_be_is_that_of_the_nearest_part_of_it():
    """Heads that no candidate tree has together with the others are unknown."""
    instance, scores = drawn({"order": 1}, n=4, kind="all", gold=CROSSING)
    found = MarginalLogLikelihood().evaluate(instance, scores).loss
    nearest = instance.space.best_heads(instance.parts.indicator(CROSSING.heads))
    kept = np.where(nearest == CROSSING.heads, CROSSING.heads, -1)
    known = Analysis(kept, [r if head >= 0 else None for r, head in zip(CROSSING.relations, kept, strict=True)])
    expected = Enumerated(instance, scores).shares[consistent(instance, known)].sum()
    assert found == pytest.approx(-np.log(expected), abs=1e-9)


def test_likelihood_says_that_it_needs_all_heads():
    from pgm.learning import GoldError

    instance, scores = drawn({"order": 1}, gold=PARTIAL["some heads"])
    for objective in (PLAIN[0], PLAIN[2]):
        with pytest.raises(GoldError, match="needs all heads; `mll` learns from trees that are known in part"):
            objective.evaluate(instance, scores)
