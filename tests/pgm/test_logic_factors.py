"""Logic factors: truth tables, degrees, negation, digits, contradictions and large degrees."""

import itertools
import tracemalloc
from collections.abc import Callable
from decimal import Decimal, localcontext

import numpy as np
import pytest

from pgm import BeliefPropagation, ContradictionError, FactorGraph, FactorGraphError, check_factor
from pgm.factors import (
    AndWithOutput,
    AtMostOne,
    Budget,
    ExactlyOne,
    Imply,
    Nand,
    Or,
    OrWithOutput,
    Parity,
    Table,
    XorWithOutput,
    no_two_cycle,
    not_two,
)
from pgm.factors._binary_constraint import BinaryConstraint

Make = Callable[..., BinaryConstraint]


def at_most(limit: int) -> Make:
    return lambda variables, **options: Budget(variables, min(limit, variables.shape[1]), **options)


def exactly(limit: int) -> Make:
    return lambda variables, **options: Budget(variables, min(limit, variables.shape[1]), exactly=True, **options)


# Each factor with what it says in Python.
MEANINGS: dict[str, tuple[Make, Callable[[list[int]], bool]]] = {
    "ExactlyOne": (ExactlyOne, lambda v: sum(v) == 1),
    "AtMostOne": (AtMostOne, lambda v: sum(v) <= 1),
    "Or": (Or, lambda v: any(v)),
    "Nand": (Nand, lambda v: not all(v)),
    "Imply": (Imply, lambda v: not all(v[:-1]) or bool(v[-1])),
    "OrWithOutput": (OrWithOutput, lambda v: any(v[:-1]) == bool(v[-1])),
    "XorWithOutput": (XorWithOutput, lambda v: sum(v[:-1]) == v[-1]),
    "AndWithOutput": (AndWithOutput, lambda v: all(v[:-1]) == bool(v[-1])),
    "AtMostTwo": (at_most(2), lambda v: sum(v) <= 2),
    "ExactlyTwo": (exactly(2), lambda v: sum(v) == min(2, len(v))),
    "None": (at_most(0), lambda v: not any(v)),
}
each = pytest.mark.parametrize("name", MEANINGS)


def family(name: str, degree: int, factors: int = 1, seed: int | None = None) -> BinaryConstraint:
    variables = np.arange(factors * degree).reshape(factors, degree)
    if seed is None:
        return MEANINGS[name][0](variables)
    return MEANINGS[name][0](variables, negated=np.random.default_rng(seed).random((factors, degree)) < 0.5)


def log_odds(messages: np.ndarray) -> np.ndarray:
    pairs = messages.reshape(len(messages), -1, 2)
    return pairs[..., 1] - pairs[..., 0]


@each
@pytest.mark.parametrize("degree", range(1, 7))
def test_truth_table(name, degree):
    plain, negated = family(name, degree), family(name, degree, seed=degree)
    for values in itertools.product((0, 1), repeat=degree):
        literals = [int(v) ^ int(n) for v, n in zip(values, negated.negated[0], strict=True)]
        says = MEANINGS[name][1]
        assert (plain.score(np.array([values]))[0] == 0.0) == says(list(values))
        assert (negated.score(np.array([values]))[0] == 0.0) == says(literals)


@each
@pytest.mark.parametrize("degree", [1, 2, 3, 5])
@pytest.mark.parametrize("impossible", [0.0, 0.2])
def test_agrees_with_enumeration(name, degree, impossible):
    """Single factors: with 20 % impossible many draws remain possible, so that adjoints are checked there too."""
    for seed in range(3):
        check_factor(family(name, degree, seed=seed), impossible=impossible, seed=seed)
    check_factor(family(name, degree, factors=5, seed=7), impossible=impossible, seed=degree)


@each
@pytest.mark.parametrize("degree", [1, 2, 4, 6])
@pytest.mark.parametrize("scale", [30.0, 1e4])
def test_wide_messages(name, degree, scale):
    for seed, impossible in enumerate((0.0, 0.2, 0.4)):
        check_factor(family(name, degree, 3, seed), scale=scale, impossible=impossible, gradients=False, seed=seed)
    check_factor(family(name, degree, 1, seed=9), scale=5.0, gradient_tolerance=1e-5, seed=1)


@each
def test_contradiction(name):
    """Messages that leave only a forbidden assignment: log-partition -inf, nothing raised, no NaN."""
    for degree in range(1, 6):
        for seed in (None, 3):
            factor = family(name, degree, seed=seed)
            for values in itertools.product((0, 1), repeat=degree):
                incoming = np.full((1, degree, 2), -np.inf)
                incoming[0, np.arange(degree), values] = 0.5
                run = factor.run(incoming.reshape(1, -1), None)
                allowed = factor.score(np.array([values]))[0] == 0.0
                assert run.log_partition[0] == (pytest.approx(0.5 * degree) if allowed else -np.inf)
                assert not np.isnan(run.messages).any()
                assert not np.isnan(factor.max_messages(incoming.reshape(1, -1), None)).any()
                adjoint, _ = run.backward(np.ones_like(run.messages), np.ones(1))
                assert np.isfinite(adjoint).all()
                assert (adjoint[incoming.reshape(1, -1) == -np.inf] == 0.0).all()


# Digits


def exact(factor: BinaryConstraint, incoming: np.ndarray) -> tuple[list[Decimal], Decimal, np.ndarray]:
    """Return outgoing log-odds, log-partition and marginals of one factor, by enumeration with 200 digits."""
    with localcontext() as context:
        context.prec = 200
        weights = [[Decimal(float(w)).exp() for w in pair] for pair in incoming.reshape(-1, 2)]
        without = [[Decimal(0), Decimal(0)] for _ in weights]
        for values in itertools.product((0, 1), repeat=len(weights)):
            if factor.score(np.array([values]))[0] == 0.0:
                for d, value in enumerate(values):
                    product = Decimal(1)
                    for k, other in enumerate(values):
                        product *= weights[k][other] if k != d else 1
                    without[d][value] += product
        odds = [Decimal("-inf") if not t else Decimal("inf") if not f else (t / f).ln() for f, t in without]
        both = [[f * w[0], t * w[1]] for (f, t), w in zip(without, weights, strict=True)]
        total = sum(both[0], Decimal(0))
        return odds, total.ln(), np.array([[float(f / total), float(t / total)] for f, t in both]).ravel()


DELICATE = {
    "all almost surely true": [36.0, 35.0, 37.5, 36.2],
    "all almost surely false": [-36.0, -35.0, -37.5, -36.2],
    "one almost surely true": [36.0, -34.0, -38.0, -36.5],
    "two compete": [36.0, 36.0 + 1e-9, -40.0, -1e-12],
    "far beyond e^-745": [-2000.0, -1500.0, -1800.0, -1600.0],
    "far above e^709": [2000.0, 1500.0, 1800.0, 1600.0],
    "mixed": [1e4, -1e4, 0.5, -9e3],
    "tiny differences": [1e-15, -1e-15, 3e-16, 0.0],
}


@each
@pytest.mark.parametrize("case", DELICATE)
@pytest.mark.parametrize("seed", [None, 1])
def test_no_digits_are_lost(name, case, seed):
    factor = family(name, 4, seed=seed)
    incoming = np.zeros((1, 4, 2))
    incoming[0, :, 1] = DELICATE[case]
    for shift in (0.0, -3.0):
        shifted = (incoming + shift).reshape(1, -1)
        run = factor.run(shifted, None)
        odds, total, marginals = exact(factor, shifted)
        # Polynomials hold sums of log-odds, so their digits end an ulp of those; the other factors do better.
        size = Decimal(float(np.abs(incoming).max())) if isinstance(factor, Budget) else Decimal(1)
        for found, expected in zip(log_odds(run.messages)[0], odds, strict=True):
            if expected.is_finite():
                error = abs(Decimal(float(found)) - expected)
                assert error <= Decimal("4e-15") * max(abs(expected), size, 1)
            else:
                assert found == float(expected)
        assert abs(Decimal(float(run.log_partition[0])) - total) <= Decimal("4e-15") * max(abs(total), 10)
        adjoint, _ = run.backward(log_partition=np.ones(1))
        # Relative: a probability of 1e-20 has its digits, and so has 1 minus it.  Log-odds of 1e4 have an ulp of 2e-12.
        np.testing.assert_allclose(adjoint[0], marginals, rtol=2e-11, atol=0.0)


def test_or_that_is_almost_satisfied_keeps_relative_digits():
    """The log-odds that Or sends are -log(1 - p) with p near 0: all digits although they are far below 1e-16."""
    incoming = np.zeros((1, 3, 2))
    incoming[0, :, 1] = [40.0, 45.0, 50.0]
    odds, _, _ = exact(family("Or", 3), incoming)
    found = log_odds(family("Or", 3).run(incoming.reshape(1, -1), None).messages)[0]
    np.testing.assert_allclose(found, [float(value) for value in odds], rtol=1e-14)


# Size


@each
def test_degree_of_thousands(name):
    """Linear in memory, so in time; leaving out one of many agrees with leaving it out of the input."""
    degree = 2000
    factor = family(name, degree, factors=3, seed=5)
    incoming = 3.0 * np.random.default_rng(6).normal(size=(3, 2 * degree))
    factor.run(incoming[:, :], None)  # compiled by now
    tracemalloc.start()
    run = factor.run(incoming, None)
    messages, _ = run.messages, run.log_partition
    factor.max_messages(incoming, None)
    adjoint, _ = run.backward(messages, np.ones(3))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100 * incoming.nbytes  # a square of the degree would be 3000 times
    assert np.isfinite(adjoint).all()
    if name.endswith("Output"):
        return
    # With position 7 fixed, the log-partition is that position's message plus what it was sent.
    fixed = []
    for state in (0, 1):
        clamped = incoming.copy().reshape(3, degree, 2)
        clamped[:, 7, 1 - state] = -np.inf
        fixed.append(factor.run(clamped.reshape(3, -1), None).log_partition - clamped[:, 7, state])
    with np.errstate(invalid="ignore"):
        expected = fixed[1] - fixed[0]
    np.testing.assert_allclose(log_odds(messages)[:, 7], expected, rtol=1e-9, atol=1e-9)


@each
def test_family_take_and_stack(name):
    whole = family(name, 4, factors=6, seed=2)
    incoming = np.random.default_rng(3).normal(size=(6, 8))
    run = whole.run(incoming, None)
    part = whole.take(np.array([4, 1]))
    np.testing.assert_array_equal(part.negated, whole.negated[[4, 1]])
    np.testing.assert_allclose(part.run(incoming[[4, 1]], None).messages, run.messages[[4, 1]], rtol=1e-14)
    again = type(whole).stack([whole.take(np.arange(2)), whole.take(np.arange(2, 6))])
    np.testing.assert_array_equal(again.run(incoming, None).messages, run.messages)
    assert whole.merge_key() == part.merge_key() != family(name, 5).merge_key()


def test_budgets_with_other_limits_do_not_merge():
    variables = np.arange(4).reshape(1, 4)
    budgets = [Budget(variables, 1), Budget(variables, 2), Budget(variables, 2, exactly=True)]
    assert len({budget.merge_key() for budget in budgets}) == 3


@pytest.mark.parametrize("exact_count", [False, True])
def test_budget_of_one_is_the_special_factor(exact_count):
    variables = np.arange(12).reshape(2, 6)
    incoming = np.random.default_rng(0).normal(size=(2, 12))
    budget = Budget(variables, 1, exactly=exact_count)
    special = ExactlyOne(variables) if exact_count else AtMostOne(variables)
    for found, expected in (
        (budget.run(incoming, None).messages, special.run(incoming, None).messages),
        (budget.run(incoming, None).log_partition, special.run(incoming, None).log_partition),
        (budget.max_messages(incoming, None), special.max_messages(incoming, None)),
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


# Errors, and use in a graph


def test_errors_say_what_is_wrong():
    graph = FactorGraph()
    colours = graph.variables("colour", shape=(3,), states=["red", "green", "blue"])
    with pytest.raises(FactorGraphError, match="binary variables"):
        Or(colours)
    with pytest.raises(FactorGraphError, match=r"negated is bool of shape \(2,\)"):
        Or(np.arange(3), negated=[True, False])
    with pytest.raises(FactorGraphError, match="negated is int64"):
        Or(np.arange(3), negated=[0, 1, 2])
    with pytest.raises(FactorGraphError, match="exactly 4 of 3"):
        Budget(np.arange(3), 4, exactly=True)
    with pytest.raises(FactorGraphError, match="limit is -1, but must be a whole number, 0 or above"):
        Budget(np.arange(3), -1)
    for helper in (not_two, no_two_cycle):
        with pytest.raises(FactorGraphError, match=r"not of shape \(2, 1\)"):
            helper(np.arange(2).reshape(2, 1))


def test_beliefs_on_a_tree_are_exact():
    graph = FactorGraph()
    choice, alarm = graph.variables("choice", shape=(3,)), graph.variable("alarm")
    rng = np.random.default_rng(0)
    graph.add(Table(choice[:, None], rng.normal(size=(3, 2))))
    graph.add(ExactlyOne(choice))
    graph.add(Imply([choice[1], alarm]))
    graph.add(Table([alarm], [1.5, -0.5]))
    scores = {y: graph.score(np.array(y)) for y in itertools.product((0, 1), repeat=4)}
    total = np.logaddexp.reduce(list(scores.values()))
    result = BeliefPropagation().run(graph)
    assert result.log_partition == pytest.approx(total, abs=1e-12)
    expected = sum(np.exp(score - total) for y, score in scores.items() if y[3])
    assert result.belief(alarm)[1] == pytest.approx(expected, abs=1e-12)


def test_contradiction_in_a_graph_names_the_factor():
    graph = FactorGraph()
    choice = graph.variables("choice", shape=(2,))
    graph.add(ExactlyOne(choice, name="one choice"))
    with pytest.raises(ContradictionError, match="choice"):
        BeliefPropagation().run(graph, evidence={choice[0]: 1, choice[1]: 1})


@pytest.mark.parametrize("words", [2, 3, 4])
def test_arc_pairs(words):
    """NOT2 is AtMostOne of the heads of each word; NO2CYCLE forbids both directions; each pair once, no self-loops."""
    arcs = np.arange((words + 1) * words).reshape(words + 1, words)
    pairs = {frozenset(row) for row in not_two(arcs).variables.tolist()}
    expected = {
        frozenset((int(arcs[i, m - 1]), int(arcs[k, m - 1])))
        for m in range(1, words + 1)
        for i, k in itertools.combinations([h for h in range(words + 1) if h != m], 2)
    }
    assert pairs == expected
    assert len(not_two(arcs).variables) == len(expected)
    cycles = {frozenset(row) for row in no_two_cycle(arcs).variables.tolist()}
    both_ways = itertools.combinations(range(1, words + 1), 2)
    assert cycles == {frozenset((int(arcs[i, j - 1]), int(arcs[j, i - 1]))) for i, j in both_ways}
    assert no_two_cycle(arcs).score(np.ones((len(cycles), 2), dtype=np.int64)).tolist() == [-np.inf] * len(cycles)


def test_parity_checks_decode_a_long_code():
    """A regular LDPC code, each bit in three checks of six: flipped bits are mended."""
    rng = np.random.default_rng(0)
    bits, degree = 600, 6
    graph = FactorGraph()
    x = graph.variables("bit", bits)
    for _ in range(3):
        graph.add(Parity(x[rng.permutation(bits).reshape(-1, degree)]))
    flipped = rng.permutation(bits)[:18]
    seen = np.tile(np.log([0.97, 0.03]), (bits, 1))
    seen[flipped] = seen[flipped][:, ::-1]  # the word of zeros was sent
    graph.add(Table(x[np.arange(bits)[:, None]], seen))
    for mode in ("sum", "max"):
        result = BeliefPropagation(mode=mode, iterations=50).run(graph)
        assert result.flat_beliefs.reshape(-1, 2).argmax(axis=1).sum() == 0


def test_parity_of_many_bits_follows_the_rule_of_hyperbolic_tangents():
    """Of sixty variables, of which no table could be made."""
    x = 4.0 + np.random.default_rng(0).normal(size=60)
    factor = Parity(np.arange(60))
    run = factor.run(np.stack([np.zeros(60), x], axis=1).reshape(1, -1), factor.prepare(None))
    found = np.diff(run.messages.reshape(60, 2), axis=1).ravel()
    halves = -np.tanh(x / 2)
    expected = np.array([-2 * np.arctanh(np.delete(halves, i).prod()) for i in range(60)])
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_parity_is_not_exactly_one():
    assert Parity(np.arange(3)).score(np.array([[1, 1, 0]])) == 0.0
    assert Parity(np.arange(3), odd=True).score(np.array([[1, 1, 1]])) == 0.0
    assert ExactlyOne(np.arange(3)).score(np.array([[1, 1, 1]])) == -np.inf
