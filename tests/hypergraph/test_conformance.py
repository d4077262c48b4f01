"""Every ready structure against the list of all its objects: at least 200 random draws each, 30 % of them with -inf."""

from functools import cache

import numpy as np
import pytest

from hypergraph import (
    ImpossibleError,
    WeightError,
    count,
    edge_marginals,
    entropy,
    expectation,
    expectation_with_gradient,
    kbest,
    log_partition,
    marginals,
    node_marginals,
    sample,
    viterbi,
)
from hypergraph.derivation import EdgeDerivation
from hypergraph.inside_outside import InsideOutsideChart
from oracles import all_derivations, canonical, enumeration, random_weights, small_instances, structure_classes

DRAWS = 210
CLASSES = structure_classes()
INSTANCES = small_instances()
by_instance = pytest.mark.parametrize("structure", INSTANCES, ids=lambda s: f"{type(s).__name__}-{INSTANCES.index(s)}")
WITH_GRAPH = [structure for structure in INSTANCES if structure.has_graph]
by_graph = pytest.mark.parametrize("structure", WITH_GRAPH, ids=lambda s: f"{type(s).__name__}-{INSTANCES.index(s)}")
by_class = pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)


@cache
def draws(structure):
    """Return the draws of one instance: its share of those of its class, 3 in 10 of them with -inf."""
    instances = list(type(structure).examples())
    rng = np.random.default_rng([CLASSES.index(type(structure)), instances.index(structure)])
    share = -(-DRAWS // len(instances))
    share = -(-share // 10) * 10
    return [random_weights(rng, structure.num_weights, impossible=0.3 * (i % 10 in (2, 5, 8))) for i in range(share)]


def possible_draws(structure):
    listed = enumeration(structure)
    return [weights for weights in draws(structure) if listed.log_partition(weights) > -np.inf]


@by_class
def test_every_structure_has_examples_and_enough_draws(kind):
    instances = list(kind.examples())
    assert instances, f"{kind.__name__}.examples() must return small instances for these tests"
    everything = [weights for structure in instances for weights in draws(structure)]
    with_zeros = [weights for weights in everything if (weights == -np.inf).any()]
    assert len(everything) >= 200
    assert len(with_zeros) >= 0.25 * len(everything)  # of few weights none may be hit
    possible = sum((w == -np.inf).any() for structure in instances for w in possible_draws(structure))
    assert possible >= 0.2 * len(with_zeros)  # and not all of those are about nothing
    assert any(len(enumeration(structure)) >= 25 for structure in instances)


@by_instance
def test_a_structure_is_a_value(structure):
    twin = type(structure).examples()[list(type(structure).examples()).index(structure)]
    assert twin is not structure
    assert twin == structure
    assert hash(twin) == hash(structure)
    assert not structure.has_graph or twin.graph is structure.graph, "the hypergraph must be built once"
    with pytest.raises(AttributeError):
        structure.n = 3


@by_graph
def test_decode_is_a_bijection_between_derivations_and_objects(structure):
    listed = enumeration(structure)
    derivations = [EdgeDerivation(0.0, structure.graph, np.array(d)) for d in all_derivations(structure.graph)]
    decoded = [canonical(structure.decode(derivation)) for derivation in derivations]
    assert len(set(listed.objects)) == len(listed)
    assert len(set(decoded)) == len(decoded)
    assert set(decoded) == set(listed.objects)
    uses = dict(zip(listed.objects, listed.uses, strict=True))
    for derivation, value in zip(derivations, decoded, strict=True):
        np.testing.assert_array_equal(derivation.counts(), uses[value])


@by_instance
def test_weights_of_an_object_are_those_that_it_uses(structure):
    listed = enumeration(structure)
    for derivation in kbest(structure, draws(structure)[0], k=10):
        decoded = structure.decode(derivation)
        used = structure.weights_of(decoded)
        uses = listed.uses[listed.objects.index(canonical(decoded))]
        np.testing.assert_array_equal(np.bincount(used, minlength=structure.num_weights), uses)
    assert structure.shared.shape == (structure.num_weights,)
    assert not (listed.uses[:, ~structure.shared] > 1).any(), "what is used twice is shared"
    for nonsense in (None, [], [-1] * 7, ("X",), [(0, 9, 0)], np.full(50, 0.5)):
        with pytest.raises(WeightError):
            structure.weights_of(nonsense)


@by_instance
def test_log_partition_and_marginals(structure):
    listed = enumeration(structure)
    for weights in possible_draws(structure):
        expected = listed.marginals(weights)
        charts = [structure.run(weights)]
        if structure.has_graph:
            charts.append(InsideOutsideChart.run(structure, weights))
        for chart in charts:
            assert chart.log_partition == pytest.approx(listed.log_partition(weights), abs=1e-10)
            np.testing.assert_allclose(chart.weight_marginals, expected, rtol=0, atol=1e-11)
            assert (chart.weight_marginals[weights == -np.inf] == 0).all()
        assert log_partition(structure, weights) == pytest.approx(listed.log_partition(weights), abs=1e-10)
        np.testing.assert_allclose(marginals(structure, weights), expected, rtol=0, atol=1e-11)


@by_graph
def test_marginals_of_nodes_and_edges(structure):
    graph = structure.graph
    derivations = all_derivations(graph)
    uses = np.array([np.bincount(d, minlength=graph.num_edges) for d in derivations])
    weight = np.append(np.zeros(0), graph.weight)
    for weights in possible_draws(structure)[:10]:
        log_weight = np.where(weight < 0, 0.0, weights[graph.weight])
        scores = np.array([log_weight[list(d)].sum() for d in derivations])
        p = np.exp(scores - np.logaddexp.reduce(scores))
        by_edge = p @ uses
        by_node = np.bincount(graph.head, by_edge, minlength=graph.num_nodes)
        np.testing.assert_allclose(edge_marginals(structure, weights), by_edge, rtol=0, atol=1e-11)
        np.testing.assert_allclose(node_marginals(structure, weights), by_node, rtol=0, atol=1e-11)


@by_instance
def test_best(structure):
    listed = enumeration(structure)
    for weights in possible_draws(structure):
        scores = listed.scores(weights)
        derivation = viterbi(structure, weights)
        score, value = structure.best(weights)
        assert derivation.score == pytest.approx(scores.max(), abs=1e-10)
        assert score == pytest.approx(scores.max(), abs=1e-10)
        for found in (canonical(structure.decode(derivation)), canonical(value)):
            assert scores[listed.objects.index(found)] == pytest.approx(scores.max(), abs=1e-10)


@by_instance
def test_count(structure):
    listed = enumeration(structure)
    assert count(structure) == len(listed)
    for weights in draws(structure):
        assert count(structure, weights) == (listed.scores(weights) > -np.inf).sum()


@by_instance
def test_derivations_count_their_weights(structure):
    listed = enumeration(structure)
    uses = dict(zip(listed.objects, listed.uses, strict=True))
    for derivation in kbest(structure, np.zeros(structure.num_weights), k=len(listed)):
        np.testing.assert_array_equal(derivation.counts(), uses[canonical(structure.decode(derivation))])


@by_class
def test_shared_weights_are_used_several_times(kind):
    """What is said to be shared is so in some example."""
    sharing = [structure for structure in kind.examples() if structure.shared.any()]
    assert not sharing or any(enumeration(s).uses[:, s.shared].max(initial=0) > 1 for s in sharing)


@by_instance
def test_kbest_lists_all_in_order(structure):
    listed = enumeration(structure)
    number = {value: index for index, value in enumerate(listed.objects)}
    for weights in possible_draws(structure):
        scores = listed.scores(weights)
        possible = np.flatnonzero(scores > -np.inf)
        found = kbest(structure, weights, k=len(listed) + 3)
        indices = [number[canonical(structure.decode(derivation))] for derivation in found]
        assert sorted(indices) == possible.tolist()  # all of them, none twice
        found_scores = [derivation.score for derivation in found]
        assert found_scores == sorted(found_scores, reverse=True)
        np.testing.assert_allclose(found_scores, scores[indices], rtol=0, atol=1e-10)
        few = kbest(structure, weights, k=3)
        assert [canonical(structure.decode(derivation)) for derivation in few] == [
            listed.objects[index] for index in indices[:3]
        ]


@by_instance
def test_entropy_and_expectations(structure):
    listed = enumeration(structure)
    rng = np.random.default_rng(1)
    for weights in possible_draws(structure):
        assert entropy(structure, weights) == pytest.approx(listed.entropy(weights), abs=1e-10)
        features = rng.normal(size=(structure.num_weights, 2))
        expected = listed.marginals(weights) @ features
        np.testing.assert_allclose(expectation(structure, weights, features), expected, rtol=0, atol=1e-10)
        value, slope = expectation_with_gradient(structure, weights, features)
        np.testing.assert_allclose(value, expected, rtol=0, atol=1e-10)
        np.testing.assert_allclose(slope, features.T @ listed.covariance(weights), rtol=0, atol=1e-10)
        if structure.has_graph:
            generic = InsideOutsideChart.run(structure, weights).backward(features[:, 0].copy())
            np.testing.assert_allclose(slope[0], generic, rtol=0, atol=1e-10)


@by_class
def test_sample_frequencies(kind):
    """Pearson's statistic, summed over draws: its mean is the degrees of freedom, its variance about twice that."""
    size, statistic, freedom, variance = 300, 0.0, 0, 0.0
    for structure in kind.examples():
        listed = enumeration(structure)
        number = {value: index for index, value in enumerate(listed.objects)}
        known = {}
        for seed, weights in enumerate(possible_draws(structure)[:10]):
            p = listed.probabilities(weights)
            seen = np.zeros(len(p))
            for derivation in sample(structure, weights, size, seed=seed):
                key = (derivation.edges if structure.has_graph else derivation.weights).tobytes()
                if key not in known:
                    known[key] = number[canonical(structure.decode(derivation))]
                seen[known[key]] += 1
                assert derivation.score == pytest.approx(listed.scores(weights)[known[key]], abs=1e-10)
            assert (seen[p == 0] == 0).all()
            often = p * size >= 5
            expected = np.append(p[often], p[~often].sum()) * size
            counts = np.append(seen[often], seen[~often].sum())
            if expected[-1] < 1:  # the few that remain are too rare to be compared
                expected, counts = expected[:-1], counts[:-1]
            statistic += ((counts - expected) ** 2 / expected).sum()
            freedom += len(expected) - 1
            variance += 2 * (len(expected) - 1) + (1 / expected).sum()
    assert freedom > 100
    assert abs(statistic - freedom) < 4.5 * np.sqrt(variance)


@by_instance
def test_what_is_impossible_raises_everywhere(structure):
    listed = enumeration(structure)
    impossible = [weights for weights in draws(structure) if listed.log_partition(weights) == -np.inf]
    for weights in [np.full(structure.num_weights, -np.inf), *impossible]:
        for ask in (
            log_partition,
            marginals,
            viterbi,
            entropy,
            *([node_marginals, edge_marginals] if structure.has_graph else []),
            lambda s, w: s.best(w),
            lambda s, w: s.run(w),
            lambda s, w: kbest(s, w, k=2),
            lambda s, w: sample(s, w, 1, seed=0),
            lambda s, w: expectation(s, w, np.ones(s.num_weights)),
        ):
            with pytest.raises(ImpossibleError, match=type(structure).__name__):
                ask(structure, weights)


@by_instance
def test_the_shape_of_the_weights_is_kept_and_its_number_checked(structure):
    weights = possible_draws(structure)[0]
    assert marginals(structure, weights[None, :, None]).shape == (1, structure.num_weights, 1)
    with pytest.raises(ValueError, match="weights"):
        log_partition(structure, np.append(weights, 0.0))
    for bad in (np.nan, np.inf):
        for index in (0, structure.num_weights - 1):
            spoilt = weights.copy()
            spoilt[index] = bad
            with pytest.raises(ValueError, match=rf"{structure.weight_name(index)}.*{bad}".replace("(", r"\(")):
                marginals(structure, spoilt)


@by_instance
def test_weights_have_names_of_their_own(structure):
    names = [structure.weight_name(index) for index in range(structure.num_weights)]
    assert len(set(names)) == len(names)


def test_a_structure_without_an_oracle_is_told_what_to_add():
    from oracles import all_objects

    class Homeless(type(INSTANCES[0])):
        pass

    with pytest.raises(AssertionError, match=r"add to tests/oracles/objects.py a function with @parts_of\(Homeless\)"):
        all_objects(Homeless(*(getattr(INSTANCES[0], a.name) for a in type(INSTANCES[0]).__attrs_attrs__)))
