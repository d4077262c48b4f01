"""Any hypergraph against the list of its derivations, and the kernels against their readable twins."""

import numpy as np
import pytest

from hypergraph import (
    UNWEIGHTED,
    ImpossibleError,
    edge_marginals,
    engine,
    entropy,
    inside,
    kbest,
    kernels,
    node_marginals,
    outside,
    sample,
    viterbi,
)
from hypergraph.inside_outside import InsideOutsideChart
from hypergraph.semirings import LogSemiring, MaxPlus, Real
from oracles import Enumeration, all_derivations, random_hypergraphs, random_weights

GRAPHS = random_hypergraphs(120, seed=0)


def enumerated(graph):
    derivations = all_derivations(graph)
    used = [tuple(int(graph.weight[e]) for e in d if graph.weight[e] != UNWEIGHTED) for d in derivations]
    return Enumeration(derivations, used, graph.num_weights)


def cases(impossible=0.3):
    """Yield graphs with their derivations and weights that leave something possible, finite ones and others."""
    rng = np.random.default_rng(1)
    for graph in GRAPHS:
        listed = enumerated(graph)
        for share in (0.0, impossible):
            weights = random_weights(rng, graph.num_weights, impossible=share, spread=1.0)
            if listed.log_partition(weights) > -np.inf:
                yield graph, listed, weights


def test_the_graphs_have_what_they_are_meant_to_have():
    repeated = [g for g in GRAPHS if any(len(set(g.tails_of(e))) < len(g.tails_of(e)) for e in range(g.num_edges))]
    shared = [g for g in GRAPHS if len(np.unique(g.weight)) < g.num_edges]
    assert len(repeated) > 30
    assert len(shared) > 30
    assert sum(g.root < g.num_nodes - 1 for g in GRAPHS) > 10
    assert sum(len(all_derivations(g)) > 20 for g in GRAPHS) > 20


def test_marginals_and_entropy():
    for graph, listed, weights in cases():
        chart = InsideOutsideChart.run(graph, weights)
        uses = np.array([np.bincount(d, minlength=graph.num_edges) for d in listed.objects])
        by_edge = listed.probabilities(weights) @ uses
        by_node = np.bincount(graph.head, by_edge, minlength=graph.num_nodes)
        assert chart.log_partition == pytest.approx(listed.log_partition(weights), abs=1e-10)
        np.testing.assert_allclose(chart.weight_marginals, listed.marginals(weights), rtol=0, atol=1e-10)
        np.testing.assert_allclose(edge_marginals(graph, weights), by_edge, rtol=0, atol=1e-10)
        np.testing.assert_allclose(node_marginals(graph, weights), by_node, rtol=0, atol=1e-10)
        assert entropy(graph, weights) == pytest.approx(listed.entropy(weights), abs=1e-10)
        beta, alpha = inside(graph, weights), outside(graph, weights)
        np.testing.assert_allclose(np.exp(alpha + beta - chart.log_partition), by_node, rtol=0, atol=1e-10)


def test_best_and_kbest():
    for graph, listed, weights in cases():
        scores = listed.scores(weights)
        assert viterbi(graph, weights).score == pytest.approx(scores.max(), abs=1e-10)
        found = kbest(graph, weights, k=len(listed) + 1)
        number = {derivation: index for index, derivation in enumerate(listed.objects)}
        indices = [number[tuple(derivation)] for derivation in found]
        assert sorted(indices) == np.flatnonzero(scores > -np.inf).tolist()
        np.testing.assert_allclose([d.score for d in found], np.sort(scores[indices])[::-1], rtol=0, atol=1e-10)


def test_samples_are_derivations_of_the_root():
    deviations = []
    for graph, listed, weights in cases():
        number = {derivation: index for index, derivation in enumerate(listed.objects)}
        drawn = [number[tuple(d)] for d in sample(graph, weights, 200, seed=3)]
        p = listed.probabilities(weights)
        likely = int(p.argmax())
        if p[likely] < 0.95:
            deviations.append((drawn.count(likely) / 200 - p[likely]) / np.sqrt(p[likely] * (1 - p[likely]) / 200))
        assert (p[drawn] > 0).all()
    assert len(deviations) > 50
    assert np.abs(deviations).max() < 4.5
    assert np.mean(np.square(deviations)) == pytest.approx(1.0, abs=0.5)


def test_impossible_graphs_raise():
    raised = 0
    for graph in GRAPHS:
        listed = enumerated(graph)
        weights = np.full(graph.num_weights, -np.inf)
        if listed.log_partition(weights) == -np.inf:
            raised += 1
            for ask in (viterbi, entropy, node_marginals, lambda g, w: kbest(g, w, 1)):
                with pytest.raises(ImpossibleError):
                    ask(graph, weights)
    assert raised > 20


@pytest.mark.parametrize("semiring", [Real(), LogSemiring(), MaxPlus()], ids=repr)
def test_kernels_equal_the_generic_engine(semiring):
    rng = np.random.default_rng(2)
    for graph in GRAPHS:
        for share in (0.0, 0.4):
            values = semiring.lift(random_weights(rng, graph.num_weights, impossible=share, spread=1.0))
            beta = engine.inside(graph, values, semiring)
            np.testing.assert_allclose(semiring.inside(graph, values), beta, rtol=1e-10, atol=1e-12)
            alpha = engine.outside(graph, values, beta, semiring)
            np.testing.assert_allclose(semiring.outside(graph, values, beta), alpha, rtol=1e-10, atol=1e-12)


def test_the_equations_of_the_paper_agree_with_the_log_engine():
    """Eqs 16–19 in the real domain, literally: ðw · w is the adjoint of log w."""
    rng = np.random.default_rng(4)
    compared = 0
    for graph, _, weights in cases():
        real, adjoint = np.exp(weights), rng.normal(size=graph.num_nodes)
        beta = kernels.engine_real.inside(*graph.arrays, real)
        alpha = kernels.engine_real.outside(*graph.arrays, real, beta, graph.root)
        by_paper = kernels.engine_real.backward(*graph.arrays, real, beta, alpha, graph.root, adjoint)
        ours = InsideOutsideChart.run(graph, weights).backward(None, adjoint)
        np.testing.assert_allclose(by_paper * real, ours, rtol=0, atol=1e-9)
        compared += bool(np.abs(ours).max() > 1e-3)
    assert compared > 50


def test_backward_is_the_hessian():
    rng = np.random.default_rng(6)
    for graph, listed, weights in cases():
        adjoint = rng.normal(size=graph.num_weights)
        ours = InsideOutsideChart.run(graph, weights).backward(adjoint)
        np.testing.assert_allclose(ours, listed.covariance(weights) @ adjoint, rtol=0, atol=1e-10)
        assert (ours[weights == -np.inf] == 0).all()
