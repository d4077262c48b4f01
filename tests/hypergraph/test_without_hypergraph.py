"""A structure without a hypergraph says so where one is needed, and answers everything else."""

import numpy as np
import pytest

from hypergraph import (
    Hypergraph,
    InsideOutside,
    LogPartition,
    Marginals,
    NoHypergraphError,
    Structure,
    edge_marginals,
    inside,
    node_marginals,
    outside,
    total,
    viterbi,
)
from hypergraph.batched import HypergraphChart, best_derivations
from hypergraph.drawing import draw, to_networkx
from hypergraph.semirings import Boolean
from hypergraph.structures import NonprojectiveTrees, ProjectiveTrees

TREES = NonprojectiveTrees(3)
WEIGHTS = np.zeros((4, 4))


@pytest.mark.parametrize(
    "ask",
    [
        lambda: TREES.graph,
        lambda: inside(TREES, WEIGHTS),
        lambda: outside(TREES, WEIGHTS),
        lambda: total(TREES, WEIGHTS, Boolean()),
        lambda: node_marginals(TREES, WEIGHTS),
        lambda: edge_marginals(TREES, WEIGHTS),
        lambda: to_networkx(TREES),
        lambda: draw(TREES),
        lambda: HypergraphChart.run(TREES, WEIGHTS[None]),
        lambda: best_derivations(TREES, WEIGHTS[None]),
        lambda: InsideOutside(TREES).forward(WEIGHTS),
    ],
)
def test_what_needs_one_says_what_can_be_asked_instead(ask):
    with pytest.raises(NoHypergraphError, match=r"NonprojectiveTrees\(n=3, roots='any'\) has no hypergraph.*viterbi"):
        ask()


def test_its_derivations_have_a_score_and_weights():
    derivation = viterbi(TREES, WEIGHTS)
    assert derivation.score == 0.0
    assert derivation.counts().sum() == len(derivation.weights) == 3
    for ask in (
        lambda: derivation.graph,
        lambda: derivation.edges,
        lambda: derivation.nodes,
        lambda: derivation.tree(),
    ):
        with pytest.raises(NoHypergraphError, match="score and weights, but no edges"):
            ask()


def test_its_modules_work():
    for module in (LogPartition(TREES), Marginals(TREES)):
        _, backward = module.forward(WEIGHTS)
        backward(*[1.0, WEIGHTS][: module.output_count])


def test_which_structures_have_one():
    assert ProjectiveTrees(2).has_graph
    assert ProjectiveTrees(2).graph.has_graph
    assert issubclass(Hypergraph, Structure)
    assert not TREES.has_graph
