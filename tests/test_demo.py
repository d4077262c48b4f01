"""The demonstration of `make demo`."""

import numpy as np
from click.testing import CliRunner

from hypergraph import kbest, log_partition, marginals
from hypergraph.structures import ProjectiveTrees
from nlp.command import main
from nlp.deps.demo import WORDS, arc_scores
from nlp.deps.text_tree import text_tree


def test_demo_prints_what_it_promises():
    result = CliRunner().invoke(main, ["demo"], catch_exceptions=False)
    assert result.exit_code == 0
    trees = ProjectiveTrees(len(WORDS), roots="one")
    weights = trees.weights(arc_scores())
    log_total = log_partition(trees, weights)
    best = kbest(trees, weights, k=3)
    assert f"probability {np.exp(best[0].score - log_total):.3f}" in result.output
    for derivation in best:
        assert f"score {derivation.score:.1f}" in result.output
        assert text_tree(WORDS, trees.decode(derivation).tolist()) in result.output
    assert f"{marginals(trees, weights)[0, 2]:.3f}" in result.output


def test_text_tree_of_a_long_chain_does_not_recurse():
    heads = [-1, *range(2000)]
    assert len(text_tree(["word"] * 2000, heads).splitlines()) == 2000
