"""A batch of weights on one hypergraph is the same as one row after another."""

import numpy as np
import pytest

from autodiff import check_gradients
from hypergraph import ImpossibleError, WeightError, edge_marginals, log_partition, marginals, node_marginals, viterbi
from hypergraph.batched import BatchMarginals, HypergraphChart, best_derivations
from oracles import random_hypergraphs, small_instances

STRUCTURES = [*(s for s in small_instances() if s.has_graph), *random_hypergraphs(5, seed=0)]


@pytest.mark.parametrize("structure", STRUCTURES, ids=lambda each: each.brief)
def test_rows_are_what_they_are_alone(structure):
    weights = np.random.default_rng(0).normal(size=(3, structure.num_weights))
    chart = HypergraphChart.run(structure, weights)
    scores, derivations = best_derivations(structure, weights)
    for b, row in enumerate(weights):
        assert chart.log_partitions[b] == pytest.approx(log_partition(structure.graph, row), abs=1e-12)
        np.testing.assert_allclose(chart.marginals[0][b], marginals(structure.graph, row), atol=1e-12)
        np.testing.assert_array_equal(chart.node_marginals[b], node_marginals(structure, row))
        np.testing.assert_array_equal(chart.edge_marginals[b], edge_marginals(structure, row))
        best = viterbi(structure, row)
        assert scores[b] == best.score
        np.testing.assert_array_equal(derivations[b].edges, best.edges)


@pytest.mark.parametrize("structure", STRUCTURES[::6], ids=lambda each: each.brief)
def test_gradients(structure):
    module = BatchMarginals(lambda weights: HypergraphChart.run(structure, weights))
    check_gradients(module, np.random.default_rng(0).normal(size=(2, structure.num_weights))).raise_if_failed()


def test_the_impossible_row_is_named():
    structure = small_instances()[0]
    weights = np.zeros((3, structure.num_weights))
    weights[1] = -np.inf
    for run in (HypergraphChart.run, best_derivations):
        with pytest.raises(ImpossibleError, match="row 1 of the batch"):
            run(structure, weights)
    with pytest.raises(WeightError, match="numbers in each row"):
        HypergraphChart.run(structure, weights[:, :-1])
