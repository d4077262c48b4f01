"""Kernels of context-free parsing for padded batches, against the generic engine, in the real and in the log domain."""

from itertools import product

import numpy as np
import pytest

from autodiff import check_gradients
from hypergraph import ImpossibleError, WeightError, viterbi
from hypergraph.batched import BatchMarginals, BinaryRules, ContextFreeChart, best_parses
from hypergraph.errors import GrammarError
from hypergraph.inside_outside import InsideOutsideChart
from hypergraph.kernels import cky_log, cky_max, cky_real
from hypergraph.structures import ContextFree, Grammar
from oracles import random_weights

BATCH, LONGEST, SYMBOLS = 3, 5, 3
LENGTHS = [5, 1, 4]
TRIPLES = np.array([(a, b, c) for a, b, c in product(range(SYMBOLS), repeat=3) if (a + 2 * b + c) % 4])
RULES = BinaryRules(SYMBOLS, *TRIPLES[::-1].T)
SHAPES = [((SYMBOLS,), (len(RULES),)), ((1, SYMBOLS), (BATCH, len(RULES))), ((BATCH, SYMBOLS), (1, len(RULES)))]
by_shapes = pytest.mark.parametrize("shapes", SHAPES, ids=str)


@pytest.fixture(params=["real", "log"])
def domain(request, monkeypatch):
    if request.param == "log":  # let the real domain declare every sentence unsafe
        monkeypatch.setattr(cky_real, "inside", lambda *arrays: arrays[-1].fill(np.nan))
    return request.param


def draw(rng, shapes, impossible=0.0):
    shapes = (*shapes, (BATCH, LONGEST, SYMBOLS))
    return [random_weights(rng, int(np.prod(shape)), impossible=impossible).reshape(shape) for shape in shapes]


def random_grammar(rng):
    keep = rng.random(27) < rng.choice([0.2, 0.6, 1.0])
    rules = [rule for rule, kept in zip(product("ABC", repeat=3), keep, strict=True) if kept]
    return Grammar(["A"], [rules[k] for k in rng.permutation(len(rules))], symbols="ABC")


def score_of(tree, trees, weights):
    """Return the log-weight of nested tuples, and check that they are a tree of the grammar over all the words."""
    roots, rules, lexical = trees.parts(weights)
    words = []

    def below(node):
        number = trees.grammar.number[node[0]]
        if len(node) == 2:
            words.append(node[1])
            return lexical[node[1], number]
        rule = trees.grammar.rules.index((node[0], node[1][0], node[2][0]))
        return rules[rule] + below(node[1]) + below(node[2])

    total = roots[trees.grammar.number[tree[0]]] + below(tree)
    assert words == list(range(trees.n))
    return total


@pytest.mark.parametrize("impossible", [0.0, 0.3])
def test_equal_to_the_generic_engine(domain, impossible):
    rng = np.random.default_rng(0)
    compared = 0
    for _ in range(150):
        trees = ContextFree(random_grammar(rng), int(rng.integers(1, 6)))
        weights = random_weights(rng, trees.num_weights, impossible=impossible, spread=rng.choice([1.0, 5.0, 50.0]))
        try:
            generic = InsideOutsideChart.run(trees, weights)
        except ImpossibleError:
            with pytest.raises(ImpossibleError, match="ContextFree"):
                trees.run(weights)
            with pytest.raises(ImpossibleError, match="ContextFree"):
                trees.best(weights)
            continue
        chart, adjoint = trees.run(weights), rng.normal(size=weights.shape)
        assert chart.log_partition == pytest.approx(generic.log_partition, rel=1e-12, abs=1e-10)
        np.testing.assert_allclose(chart.weight_marginals, generic.weight_marginals, rtol=0, atol=1e-10)
        np.testing.assert_allclose(chart.backward(adjoint), generic.backward(adjoint), rtol=0, atol=1e-10)
        score, tree = trees.best(weights)
        best = viterbi(trees, weights)
        assert score == pytest.approx(best.score, rel=1e-12)
        # Many trees use the same parts, so that the best one is not the only one.
        assert score_of(tree, trees, weights) == pytest.approx(best.score, rel=1e-12)
        compared += 1
    assert compared >= 75


@by_shapes
@pytest.mark.parametrize("filling", [0.0, 900.0, -np.inf])
def test_a_batch_is_each_alone_and_padding_is_not_read(domain, shapes, filling):
    rng = np.random.default_rng(1)
    roots, rules, lexical = draw(rng, shapes)
    adjoints = [rng.normal(size=values.shape) for values in (roots, rules, lexical)]
    for b, n in enumerate(LENGTHS):
        lexical[b, n:] = filling
    chart = ContextFreeChart.run(RULES, roots, rules, lexical, LENGTHS)
    scores, nodes = best_parses(RULES, roots, rules, lexical, LENGTHS)
    marginals = [np.zeros((BATCH, values.shape[-1])) for values in (roots, rules)]
    backward = [np.zeros_like(array) for array in marginals]
    for b, n in enumerate(LENGTHS):
        own = [np.broadcast_to(values, (BATCH, values.shape[-1]))[b] for values in (roots, rules)]
        of_own = [np.broadcast_to(values, (BATCH, values.shape[-1]))[b] for values in adjoints[:2]]
        alone = ContextFreeChart.run(RULES, *own, lexical[b : b + 1, :n])
        assert chart.log_partitions[b] == pytest.approx(alone.log_partitions[0], rel=1e-13)
        marginals[0][b], marginals[1][b], of_words = alone.marginals
        backward[0][b], backward[1][b], back = alone.backward(*of_own, adjoints[2][b : b + 1, :n])
        for values, expected in ((chart.marginals[2][b], of_words[0]), (chart.backward(*adjoints)[2][b], back[0])):
            np.testing.assert_allclose(values[:n], expected, rtol=0, atol=1e-12)
            assert (values[n:] == 0).all()
        alone_score, alone_nodes = best_parses(RULES, *own, lexical[b : b + 1, :n])
        assert scores[b] == pytest.approx(alone_score[0])
        np.testing.assert_array_equal(nodes[b, : 2 * n - 1], alone_nodes[0])
        assert (nodes[b, 2 * n - 1 :] == -1).all()
    for got, each in ((chart.marginals, marginals), (chart.backward(*adjoints), backward)):
        for k, values in enumerate(each):
            shared = values.sum(axis=0).reshape(shapes[k]) if shapes[k][:-1] != (BATCH,) else values
            np.testing.assert_allclose(got[k], shared, rtol=0, atol=1e-12)


@by_shapes
@pytest.mark.parametrize("impossible", [0.0, 0.15])
def test_gradients(domain, shapes, impossible):
    potentials = draw(np.random.default_rng(2), shapes, impossible)
    module = BatchMarginals(lambda *potentials: ContextFreeChart.run(RULES, *potentials, LENGTHS))
    check_gradients(module, *potentials).raise_if_failed()


def dense(nonterminals, preterminals):
    symbols = nonterminals + preterminals
    return BinaryRules(symbols, *np.array(list(product(range(nonterminals), range(symbols), range(symbols)))).T)


def test_real_and_log_kernels_agree_on_longer_sentences(monkeypatch):
    rng = np.random.default_rng(3)
    grammar = dense(4, 4)
    roots, rules = rng.normal(size=8), rng.normal(size=len(grammar))
    lexical = rng.normal(size=(2, 17, 8))
    lexical[:, :, :4] = -np.inf
    adjoints = rng.normal(size=8), rng.normal(size=len(grammar)), rng.normal(size=lexical.shape)
    real = ContextFreeChart.run(grammar, roots, rules, lexical, [17, 9])
    assert len(real._unsafe) == 0
    real_parts = [real.log_partitions, *real.marginals, *real.backward(*adjoints)]
    monkeypatch.setattr(cky_real, "inside", lambda *arrays: arrays[-1].fill(np.nan))
    log = ContextFreeChart.run(grammar, roots, rules, lexical, [17, 9])
    assert len(log._unsafe) == 2
    for one, other in zip(real_parts, [log.log_partitions, *log.marginals, *log.backward(*adjoints)], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-10)


def test_rules_that_no_tree_uses_do_not_push_the_others_below_the_range():
    """Symbol 1 has a rule of weight e^400, and no word has symbol 1."""
    grammar = BinaryRules(2, parent=[0, 1], left=[0, 1], right=[0, 1])
    lexical = np.tile([0.0, -np.inf], (2, 4, 1))
    chart = ContextFreeChart.run(grammar, [0.0, 0.0], [0.0, 400.0], lexical, [4, 1])
    np.testing.assert_allclose(np.exp(chart.log_partitions), [5.0, 1.0], rtol=1e-13)
    np.testing.assert_allclose(chart.marginals[1], [3.0, 0.0], rtol=0, atol=1e-12)
    assert chart._unsafe.tolist() == [0]


def test_log_weights_of_a_thousand():
    rng = np.random.default_rng(4)
    for _ in range(20):
        shapes = (SYMBOLS,), (len(RULES),), (BATCH, LONGEST, SYMBOLS)
        roots, rules, lexical = (rng.uniform(-1000, 1000, size=shape) for shape in shapes)
        chart = ContextFreeChart.run(RULES, roots, rules, lexical, LENGTHS)
        of_roots, of_rules, of_words = chart.marginals
        assert np.isfinite(chart.log_partitions).all()
        assert of_roots.sum() == pytest.approx(BATCH)
        assert of_rules.sum() == pytest.approx(sum(LENGTHS) - BATCH)
        for b, n in enumerate(LENGTHS):
            np.testing.assert_allclose(of_words[b, :n].sum(axis=1), 1.0, rtol=0, atol=1e-9)
        assert all(np.isfinite(a).all() for a in chart.backward(None, rng.normal(size=rules.shape), None))
        shifted = lexical + rng.uniform(-1000, 1000, size=(BATCH, LONGEST, 1))
        again = ContextFreeChart.run(RULES, roots - 1000, rules + 1000, shifted, LENGTHS)
        for one, other in zip(chart.marginals, again.marginals, strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-9)


@pytest.mark.parametrize("run", [ContextFreeChart.run, best_parses])
def test_errors_name_what_is_wrong(run):
    roots, rules, lexical = np.zeros(SYMBOLS), np.zeros(len(RULES)), np.zeros((BATCH, LONGEST, SYMBOLS))
    lexical[1, 3] = -np.inf
    with pytest.raises(ImpossibleError, match="sentence 1 of the batch"):
        run(RULES, roots, rules, lexical)
    run(RULES, roots, rules, lexical, [5, 3, 5])  # there it is padding
    with pytest.raises(ImpossibleError, match="sentence 0 of the batch"):
        run(RULES, roots, np.full_like(rules, -np.inf), lexical)
    run(RULES, roots, np.full_like(rules, -np.inf), lexical, [1, 1, 1])
    with pytest.raises(WeightError, match="rules have shape"):
        run(RULES, roots, rules[1:], lexical)
    with pytest.raises(WeightError, match="roots have shape"):
        run(RULES, np.zeros((2, SYMBOLS)), rules, lexical)
    with pytest.raises(WeightError, match="4 symbols"):
        run(RULES, roots, rules, np.zeros((BATCH, LONGEST, 4)))
    with pytest.raises(WeightError, match="lengths"):
        run(RULES, roots, rules, lexical, [6, 1, 1])
    rules[2] = np.nan
    with pytest.raises(WeightError, match=r"rules\[0, 2\] is nan"):
        run(RULES, roots, rules, lexical)


def test_rules_are_checked():
    with pytest.raises(GrammarError, match=r"left\[1\] is 2"):
        BinaryRules(2, [0, 1], [0, 2], [0, 0])
    with pytest.raises(GrammarError, match="shapes"):
        BinaryRules(2, [0, 1], [0], [0, 0])


def test_ties_go_to_the_first_symbol_rule_and_split():
    grammar = BinaryRules(2, parent=[0, 0, 1, 1], left=[1, 0, 1, 0], right=[1, 0, 1, 0])
    scores, nodes = best_parses(grammar, np.zeros(2), np.zeros(4), np.zeros((1, 3, 2)))
    assert scores.tolist() == [0.0]
    assert nodes[0].tolist() == [[0, 0, 3], [1, 0, 1], [1, 1, 3], [1, 1, 2], [1, 2, 3]]


def test_no_rules_and_no_sentences():
    grammar = BinaryRules(2, [], [], [])
    chart = ContextFreeChart.run(grammar, np.zeros(2), np.zeros(0), np.zeros((3, 1, 2)))
    np.testing.assert_allclose(np.exp(chart.log_partitions), 2.0)
    assert chart.backward(np.ones(2), None, None)[1].shape == (0,)
    with pytest.raises(ImpossibleError, match="sentence 0"):
        ContextFreeChart.run(grammar, np.zeros(2), np.zeros(0), np.zeros((1, 2, 2)))
    assert ContextFreeChart.run(RULES, np.zeros(3), np.zeros(len(RULES)), np.zeros((0, 4, 3))).marginals[1].sum() == 0


def test_one_signature_per_kernel():
    rng = np.random.default_rng(5)
    lexical, rules = rng.normal(size=(2, 4, SYMBOLS)), rng.normal(size=len(RULES))
    frozen = lexical.copy()
    frozen.flags.writeable = False
    lengths = np.array([4, 3], dtype=np.int32)
    of_rules = np.ones(len(RULES), dtype=np.float32)[::-1]
    views = (lexical, frozen, np.asfortranarray(lexical), lexical[:, ::-1], lexical.astype(np.float32))
    for words in views:
        for weights in (rules, rules[::-1], rules.astype(np.float32), 2000 * rules):
            chart = ContextFreeChart.run(RULES, np.zeros(SYMBOLS), weights, words, lengths)
            chart.backward(None, of_rules, None)
            best_parses(RULES, np.zeros(SYMBOLS), weights, words, lengths)
    for module, names in (
        (cky_real, ("inside", "outside", "backward")),
        (cky_log, ("inside", "outside", "backward")),
        (cky_max, ("best",)),
    ):
        assert [len(getattr(module, name).signatures) for name in names] == [1] * len(names)
