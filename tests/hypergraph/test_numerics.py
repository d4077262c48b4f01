"""Large log-weights and shifted ones: nothing overflows, nothing is lost.  Warnings are errors in these tests."""

import numpy as np
import pytest

from hypergraph import (
    ImpossibleError,
    InsideOutside,
    Marginals,
    entropy,
    kbest,
    log_partition,
    marginals,
    sample,
    viterbi,
)
from hypergraph.inside_outside import InsideOutsideChart
from hypergraph.structures import (
    ContextFree,
    DependencyTrees,
    GrandparentTrees,
    GrandSiblingTrees,
    LinearChain,
    NonprojectiveTrees,
    ProjectiveTrees,
    SecondOrderChain,
    Segmentation,
    SiblingTrees,
)
from oracles import enumeration, random_weights, small_instances

INSTANCES = small_instances()
by_instance = pytest.mark.parametrize("structure", INSTANCES, ids=lambda s: f"{type(s).__name__}-{INSTANCES.index(s)}")


def charts(structure, weights):
    """Return all runs that there are: by the structure's own kernel, and by its hypergraph."""
    own = structure.run(weights)
    return [InsideOutsideChart.run(structure, weights), own] if structure.has_graph else [own]


@by_instance
@pytest.mark.parametrize("kind", ["two values", "uniform", "with zeros"])
def test_weights_of_a_thousand(structure, kind):
    listed = enumeration(structure)
    rng = np.random.default_rng(3)
    for _ in range(5):
        weights = rng.uniform(-1000, 1000, size=structure.num_weights)
        if kind == "two values":
            weights = rng.choice([-1000.0, 1000.0], size=structure.num_weights)
        elif kind == "with zeros":
            weights[rng.random(weights.shape) < 0.2] = -np.inf
        if listed.log_partition(weights) == -np.inf:
            continue
        for chart in charts(structure, weights):
            assert chart.log_partition == pytest.approx(listed.log_partition(weights), rel=1e-13, abs=1e-9)
            np.testing.assert_allclose(chart.weight_marginals, listed.marginals(weights), rtol=0, atol=1e-9)
            slope = chart.backward(np.ones(structure.num_weights))
            np.testing.assert_allclose(slope, listed.covariance(weights).sum(axis=0), rtol=0, atol=1e-7)
        assert entropy(structure, weights) == pytest.approx(listed.entropy(weights), abs=1e-9)
        assert viterbi(structure, weights).score == pytest.approx(listed.scores(weights).max(), rel=1e-13)
        assert kbest(structure, weights, 2)[0].score == pytest.approx(listed.scores(weights).max(), rel=1e-13)
        assert sample(structure, weights, 1, seed=0)[0].score > -np.inf
        module = InsideOutside(structure) if structure.has_graph else Marginals(structure)
        outputs, backward = module.forward(weights)
        (adjoint,) = backward(*(np.ones_like(output) for output in outputs))
        assert all(np.isfinite(output).all() for output in (*outputs, adjoint))


def shifts(structure):
    """Return vectors of which every object uses the same amount, so that adding them changes no probability."""
    size = structure.num_weights
    if isinstance(structure, DependencyTrees | SiblingTrees | GrandparentTrees | GrandSiblingTrees):
        axes = getattr(structure, "axes", "hm")
        modifier = np.indices((structure.n + 1,) * len(axes))[axes.index("m")]
        return [(modifier == m).ravel().astype(float) for m in range(1, structure.n + 1)]
    vectors = []
    if isinstance(structure, LinearChain | SecondOrderChain):
        parts, rows = structure.parts(np.arange(size)), list(structure.parts(np.arange(size)).unary)
        if not getattr(structure, "shared_transitions", False):
            rows += list(parts.transitions)  # every sequence uses one of each step
        vectors = [np.isin(np.arange(size), row).astype(float) for row in rows]
    elif isinstance(structure, ContextFree):
        parts = structure.parts(np.arange(size))
        groups = [*parts.lexical, parts.roots, *([parts.rules] if structure.n > 1 else [])]  # n words use n - 1 rules
        vectors = [np.isin(np.arange(size), group).astype(float) for group in groups]
    elif isinstance(structure, Segmentation):
        length = np.zeros(size)
        structure.parts(length).segments[:] = np.arange(1, structure.max_segment + 1)[:, None]
        vectors = [length]
    return vectors


@by_instance
@pytest.mark.parametrize("constant", [700.0, -700.0])
def test_a_shift_of_all_objects_moves_no_marginal(structure, constant):
    listed = enumeration(structure)
    weights = random_weights(np.random.default_rng(5), structure.num_weights)
    vectors = shifts(structure)
    assert vectors, f"say in `shifts` what leaves the distribution of {type(structure).__name__} as it is"
    for vector in vectors:
        amounts = listed.uses @ vector
        assert amounts[0] > 0
        assert (amounts == amounts[0]).all()
        before, after = charts(structure, weights), charts(structure, weights + constant * vector)
        for one, other in zip(before, after, strict=True):
            np.testing.assert_allclose(other.weight_marginals, one.weight_marginals, rtol=0, atol=1e-9)
            assert other.log_partition - one.log_partition == pytest.approx(constant * amounts[0], abs=1e-9)


@pytest.mark.parametrize("roots", ["any", "one"])
@pytest.mark.parametrize("kind", [ProjectiveTrees, NonprojectiveTrees, SiblingTrees, GrandparentTrees])
def test_shifts_of_the_words_of_a_sentence(kind, roots):
    structure = kind(10, roots)
    rng = np.random.default_rng(6)
    weights = random_weights(rng, structure.num_weights, impossible=0.1)
    before = marginals(structure, weights)
    shift = sum(rng.choice([-700.0, 700.0]) * vector for vector in shifts(structure))
    np.testing.assert_allclose(marginals(structure, weights + shift), before, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "structure",
    [ProjectiveTrees(25), SiblingTrees(15), GrandparentTrees(10), LinearChain(60, 4), Segmentation(40, 3, 5)],
    ids=lambda s: type(s).__name__,
)
def test_larger_ones_with_weights_of_a_thousand(structure):
    weights = np.random.default_rng(8).choice([-1000.0, 1000.0], size=structure.num_weights)
    for chart in charts(structure, weights):
        assert np.isfinite(chart.log_partition)
        assert (chart.weight_marginals >= 0).all()
        assert np.isfinite(chart.backward(weights)).all()
        for vector in shifts(structure)[:1]:
            total = chart.weight_marginals @ vector
            assert total == pytest.approx(structure.length if isinstance(structure, Segmentation) else 1.0, abs=1e-9)


@by_instance
def test_all_impossible_has_a_name(structure):
    with pytest.raises(ImpossibleError, match="nothing is possible"):
        log_partition(structure, np.full(structure.num_weights, -np.inf))
