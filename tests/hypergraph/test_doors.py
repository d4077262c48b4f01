"""Arrays that do not fit are refused before a kernel sees them, and messages stay short."""

from itertools import pairwise

import numpy as np
import pytest

from hypergraph import HypergraphBuilder, ImpossibleError, WeightError, log_partition
from hypergraph.batched import ChainChart, TreeChart, best_chains, best_trees
from hypergraph.structures import ContextFree, Grammar, SecondOrderChain


@pytest.mark.parametrize("shape", [(1, 4, 5), (2, 2, 400), (1, 3, 60), (1, 0, 4), (1, 4, 0), (1, 1, 1), (4, 4)])
def test_trees_need_square_scores(shape):
    for run in (TreeChart.run, best_trees):
        with pytest.raises(WeightError, match="scores"):
            run(np.zeros(shape))


@pytest.mark.parametrize("lengths", [[3.7, 2], [3.0, 2.0], ["3", "2"], [3, 2, 1], [[3, 2]], [0, 2], [4, 2]])
def test_lengths_are_integers_within_the_batch(lengths):
    with pytest.raises(WeightError, match="lengths"):
        TreeChart.run(np.zeros((2, 4, 4)), lengths=lengths)
    with pytest.raises(WeightError, match="lengths"):
        best_chains(np.zeros((2, 3, 2)), np.zeros((2, 2)), lengths=lengths)


def test_adjoints_have_the_shape_of_the_marginals():
    chart = ChainChart.run(np.zeros((2, 4, 3)), np.zeros((3, 3)))
    with pytest.raises(WeightError, match="adjoint"):
        chart.backward(np.zeros((2, 3, 4)), None)  # as many numbers, in another shape
    with pytest.raises(WeightError, match="adjoint"):
        chart.log_partitions_backward(np.zeros(3))
    with pytest.raises(WeightError, match="2 adjoints"):
        chart.backward(None)


def test_messages_do_not_print_a_whole_grammar():
    symbols = [f"symbol{i}" for i in range(300)]
    grammar = Grammar(["symbol0"], [(a, b, a) for a, b in pairwise(symbols)])
    trees = ContextFree(grammar, 2)
    with pytest.raises(ImpossibleError, match="300 symbols, 299 rules and 2 words") as caught:
        trees.run(np.full(trees.num_weights, -np.inf))
    assert len(str(caught.value)) < 300


def test_messages_do_not_print_a_whole_name():
    builder = HypergraphBuilder()
    builder.edge("x" * 10_000, weight="w")
    with pytest.raises(ImpossibleError) as caught:
        log_partition(builder.build("x" * 10_000), [-np.inf])
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("change", [-1, 1])
def test_the_vector_of_a_chain_has_its_length(change):
    chain = SecondOrderChain(4, 2)
    with pytest.raises(WeightError, match="the vector"):
        chain.parts(np.zeros(chain.num_weights + change))
    with pytest.raises(WeightError, match="the vector"):
        chain.parts(np.zeros((1, chain.num_weights)))
