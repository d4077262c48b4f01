"""Every semiring obeys the laws, and its total is the sum over derivations of the product of their weights."""

import inspect
from functools import reduce

import numpy as np
import pytest

import hypergraph.semirings
from hypergraph import (
    UNWEIGHTED,
    HypergraphBuilder,
    check_semiring,
    covariance,
    expectation,
    expectation_with_gradient,
    outside,
    total,
)
from hypergraph.semirings import (
    Counting,
    Expectation,
    KBest,
    LogSemiring,
    PythonSemiring,
    SecondOrderExpectation,
    Semiring,
    SignedLog,
)
from hypergraph.structures import ContextFree, Grammar, LinearChain, ProjectiveTrees, Segmentation, SiblingTrees
from oracles import all_derivations, enumeration, random_hypergraphs, random_weights

STRUCTURES = [
    ProjectiveTrees(3),
    SiblingTrees(3, roots="one"),
    LinearChain(3, 2, shared_transitions=True),
    Segmentation(3, 2, 2),
    ContextFree(Grammar(["A"], [("A", "A", "B"), ("B", "A", "A"), ("A", "B", "B")]), 4),
    *random_hypergraphs(12, seed=9),
]
NEED_ARGUMENTS = {
    Expectation: lambda size: Expectation(np.random.default_rng(0).normal(size=(size, 2))),
    SecondOrderExpectation: lambda size: SecondOrderExpectation(
        np.random.default_rng(0).normal(size=(size, 2)), np.random.default_rng(1).normal(size=(size, 3))
    ),
    KBest: lambda size: KBest(3),
}


def semiring_classes():
    members = [getattr(hypergraph.semirings, name) for name in hypergraph.semirings.__all__]
    kinds = [m for m in members if inspect.isclass(m) and issubclass(m, Semiring) and not inspect.isabstract(m)]
    assert len(kinds) >= 9
    return kinds


def instance(kind, size):
    if kind in NEED_ARGUMENTS:
        return NEED_ARGUMENTS[kind](size)
    try:
        return kind()
    except TypeError:
        raise AssertionError(f"{kind.__name__}() needs arguments: say in NEED_ARGUMENTS how to make one") from None


by_kind = pytest.mark.parametrize("kind", semiring_classes(), ids=lambda kind: kind.__name__)


@by_kind
def test_laws(kind):
    check_semiring(instance(kind, 8))
    check_semiring(instance(kind, 8), seed=5, count=5)


@by_kind
def test_laws_on_lifted_weights_with_zeros(kind):
    semiring = instance(kind, 8)
    log_weights = random_weights(np.random.default_rng(3), 8)
    log_weights[[2, 5]] = -np.inf
    lifted = semiring.lift(log_weights)
    assert lifted.shape == (8, *semiring.shape)
    check_semiring(semiring, lifted)
    assert semiring.close(lifted[2], semiring.full(1, semiring.zero)[0])  # -inf is zero in every semiring
    assert semiring.close(semiring.lift(np.zeros(8))[0], semiring.one) or kind in (Expectation, SecondOrderExpectation)


@by_kind
@pytest.mark.parametrize("impossible", [0.0, 0.3])
def test_total_is_the_sum_over_derivations(kind, impossible):
    rng = np.random.default_rng(4)
    for structure in STRUCTURES:
        graph, semiring = structure.graph, instance(kind, structure.num_weights)
        weights = random_weights(rng, structure.num_weights, impossible=impossible, spread=1.0)
        values = semiring.lift(weights)
        zero, one = semiring.full(1, semiring.zero)[0], semiring.full(1, semiring.one)[0]
        products = [
            reduce(semiring.times, (values[graph.weight[e]] for e in d if graph.weight[e] != UNWEIGHTED), one)
            for d in all_derivations(graph)
        ]
        assert semiring.close(total(structure, weights, semiring), reduce(semiring.plus, products, zero))


@by_kind
def test_inside_times_outside_of_a_cut(kind):
    """β_root = ⊕ over axioms of word 1's tags …: in a chain, Σ_k β(t, k) ⊗ α(t, k) is the total for every t."""
    chain = LinearChain(4, 2)
    semiring = instance(kind, chain.num_weights)
    weights = random_weights(np.random.default_rng(6), chain.num_weights, spread=1.0)
    beta = hypergraph.inside(chain, weights, semiring)
    alpha = outside(chain, weights, semiring)
    for t in range(4):
        nodes = [i for i, name in enumerate(chain.graph.node_names) if name[:2] == ("state", t)]
        assert len(nodes) == 2
        products = [semiring.times(beta[i], alpha[i]) for i in nodes]
        assert semiring.close(reduce(semiring.plus, products), beta[chain.graph.root])


def test_expectation_semirings_agree_with_moments():
    rng = np.random.default_rng(7)
    for structure in STRUCTURES:
        weights = random_weights(rng, structure.num_weights, spread=1.0)
        features, others = (rng.normal(size=(structure.num_weights, width)) for width in (2, 3))
        value = total(structure, weights, Expectation(features))
        mean = value[1:] / value[0]
        np.testing.assert_allclose(expectation(structure, weights, features), mean, rtol=1e-9, atol=1e-10)
        value = total(structure, weights, SecondOrderExpectation(features, others))
        p, r, s, t = value[0, 0], value[1:, 0], value[0, 1:], value[1:, 1:]
        second = t / p - np.outer(r / p, s / p)
        np.testing.assert_allclose(covariance(structure, weights, features, others), second, rtol=1e-9, atol=1e-10)
        identity = SecondOrderExpectation(features, np.eye(structure.num_weights))
        value = total(structure, weights, identity)
        slope = value[1:, 1:] / value[0, 0] - np.outer(value[1:, 0], value[0, 1:]) / value[0, 0] ** 2
        found = expectation_with_gradient(structure, weights, features)[1]
        np.testing.assert_allclose(found, slope, rtol=1e-9, atol=1e-10)


def test_features_of_one_dimension_give_numbers():
    structure = STRUCTURES[0]
    weights, features = np.zeros(structure.num_weights), np.arange(float(structure.num_weights))
    assert expectation(structure, weights, features).shape == ()
    assert covariance(structure, weights, features, features) == pytest.approx(
        features @ enumeration(structure).covariance(weights) @ features
    )
    with pytest.raises(ValueError, match="row for each of the 16 weights"):
        expectation(structure, weights, features[1:])


def test_signed_logarithms_hold_what_floats_cannot():
    semiring = SignedLog()
    huge = semiring.times(semiring.lift(np.array([800.0])), semiring.from_real(np.array([-1.0])))
    sign, log = semiring.plus(huge, semiring.lift(np.array([700.0])))[0]
    assert sign == -1.0
    assert log == pytest.approx(800.0)
    np.testing.assert_array_equal(semiring.plus(huge, semiring.times(huge, semiring.from_real(-1.0)))[0], semiring.zero)


def test_counting_ignores_the_size_of_weights():
    structure = STRUCTURES[0]
    weights = random_weights(np.random.default_rng(0), structure.num_weights, spread=50.0)
    assert total(structure, weights, Counting()) == 12


class Polynomial(Semiring):
    """A user's own: polynomials in one variable up to x⁵, where a weight is worth x; counts derivations by length."""

    shape, dtype = (6,), np.int64
    zero, one = np.zeros(6, dtype=int), np.eye(6, dtype=int)[0]

    def plus(self, left, right):
        return left + right

    def times(self, left, right):
        left, right = np.broadcast_arrays(left, right)
        return sum(
            left[..., i : i + 1] * np.pad(right, [(0, 0)] * (right.ndim - 1) + [(i, 0)])[..., :6] for i in range(6)
        )

    def lift(self, log_weights):
        return np.where((log_weights > -np.inf)[:, None], np.eye(6, dtype=int)[1], 0)


def test_a_semiring_of_ones_own():
    check_semiring(Polynomial())
    cuts = Segmentation(3, 1, 3)  # k segments use k weights of segments and k - 1 of transitions
    assert total(cuts, np.zeros(cuts.num_weights), Polynomial()).tolist() == [0, 1, 0, 2, 0, 1]


class Language(PythonSemiring):
    """Another: sets of strings; ⊗ does not commute."""

    zero, one = frozenset(), frozenset({""})

    def plus_values(self, left, right):
        return left | right

    def times_values(self, left, right):
        return frozenset(x + y for x in left for y in right)

    def lift_value(self, index, log_weight):
        return frozenset({"abcdefgh"[index]})


def test_a_semiring_of_python_values_keeps_the_order():
    check_semiring(Language(), commutative=False)
    builder = HypergraphBuilder()
    for letter in "ab":
        builder.edge("first", weight=letter)
    builder.edge("second", weight="c")
    builder.edge("both", ["first", "second"], weight="d")
    graph = builder.build("both")
    assert total(graph, np.zeros(4), Language()) == {"dac", "dbc"}


def test_log_of_nothing_is_zero_and_no_warning():
    assert LogSemiring().sum(np.zeros(0)) == -np.inf
    assert LogSemiring().plus(-np.inf, -np.inf) == -np.inf
