"""The parser learns: every objective memorises, and gradients of the whole pipeline are right."""

from pathlib import Path

import numpy as np
import pytest

from autodiff.optimizers import GradientBuffer
from nlp.conll import read_all
from nlp.deps import DependencyParser, PruningSettings
from oracles.sentences import invented_sentences

DATA = Path(__file__).parents[3] / "shared" / "data"
SMALL = {"bits": 16, "learning_rate": 0.02, "epochs": 8}
# The gradient of risk vanishes as the temperature falls: steps should not be as small as it, and there should be more.
RISK = {"delta": 0.001, "learning_rate": 0.002, "epochs": 30, "forgetting": 0.0}


@pytest.mark.parametrize("tree", ["projective", "nonprojective"])
@pytest.mark.parametrize("objective", ["cll", "l2", "risk", "l2+risk"])
@pytest.mark.parametrize("order", [1, 2])
def test_it_learns_an_invented_language(order, objective, tree):
    sentences = invented_sentences(45)
    options = SMALL | (RISK if objective == "risk" else {})
    parser = DependencyParser(order=order, objective=objective, tree=tree, iterations=2, **options).fit(sentences[:35])
    assert parser.score(sentences[:35]).uas >= 99
    assert parser.score(sentences[35:]).uas >= 80


@pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not there")
@pytest.mark.parametrize(("order", "objective", "tree"), [
    (1, "cll", "nonprojective"), (1, "l2", "projective"), (1, "risk", "projective"), (2, "cll", "projective"),
    (2, "l2", "nonprojective"), (2, "l2+risk", "projective"), (2, "risk", "nonprojective"),
])  # fmt: skip
def test_it_memorises_real_sentences(order, objective, tree):
    from nlp.conll import is_projective

    treebank = read_all(DATA / "ud-english-ewt" / "en_ewt-ud-dev.conllu.gz")
    sentences = [s for s in treebank if 5 <= len(s) <= 16 and is_projective(s.heads)][:20]
    parser = DependencyParser(
        order=order, objective=objective, tree=tree, iterations=2, bits=20, l2=0.0, batch_size=2, average=False,
        pruning=PruningSettings(folds=1, bounds=False, epochs=10) if order == 2 else None,
        **(RISK if objective == "risk" else {"learning_rate": 0.01, "epochs": 16, "forgetting": 0.0}),
    )  # fmt: skip
    parser.fit(sentences)
    assert parser.score(sentences).uas >= 99


@pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not there")
@pytest.mark.parametrize("tree", ["projective", "nonprojective"])
def test_belief_propagation_is_exact_for_first_order_on_real_sentences(tree):
    from hypergraph import marginals
    from hypergraph.structures import ProjectiveTrees
    from pgm.matrix_tree import tree_marginals

    sentences = read_all(DATA / "ud-english-ewt" / "en_ewt-ud-dev.conllu.gz")[:40]
    alone = {"order": 2, "grandparents": False, "siblings": False, "pruning": None}  # a factor graph of arcs and tree
    parser = DependencyParser(tree=tree, bits=18, epochs=1, learning_rate=0.2, **alone).fit(sentences)
    for sentence in sentences:
        parts, scores = parser._scores(sentence)
        matrix = parts.matrix(scores["arc"], -np.inf)
        if tree == "projective":
            expected = marginals(ProjectiveTrees(len(sentence), "one"), matrix)
        else:
            expected = tree_marginals(matrix, roots="one")
        np.testing.assert_allclose(parser.marginals(sentence), expected[:, 1:], atol=1e-10)


EXACT = {"inference": "exact", "siblings": False}


# The surrogate likelihood of a loopy model is no integral of its gradient: exact inference stands for it.
@pytest.mark.parametrize("options", [
    {"order": 1, "objective": "cll"}, {"order": 1, "objective": "cll", "tree": "nonprojective"},
    {"objective": "cll", **EXACT}, {"objective": "l2", **EXACT}, {"objective": "l2", "childseq": True},
    *({"order": order, "objective": objective, "tree": tree}
      for order in (1, 2) for objective in ("l2", "risk") for tree in ("projective", "nonprojective")),
], ids=str)  # fmt: skip
def test_gradients_of_the_whole_pipeline(options):
    """Features → scores → belief propagation → loss, against differences in every weight."""
    from nlp.deps.parts import Parts
    from nlp.deps.training import Example, _add_gradient

    sentence, objective = min(invented_sentences(5), key=len), options["objective"]
    parser = DependencyParser(bits=7, epochs=1, iterations=2, pruning=None, **options).fit([sentence])
    example = Example.of(sentence, Parts.all_arcs(len(sentence)), parser.model, objective)
    buffer = GradientBuffer(parser.scorer.slots)

    def loss(weights):
        value = _add_gradient(example, parser.scorer, parser.model, objective, 0.3, weights, buffer)
        indices, values = buffer.take()
        gradient = np.zeros(len(weights))
        gradient[indices] = values
        return value, gradient

    weights = parser.weights + 0.05 * np.random.default_rng(0).normal(size=len(parser.weights))
    _, found = loss(weights)
    steps = 1e-5 * np.eye(len(weights))
    expected = [(loss(weights + step)[0] - loss(weights - step)[0]) / 2e-5 for step in steps]
    assert np.abs(expected).max() > 0.1
    np.testing.assert_allclose(found, expected, atol=2e-5)


def test_likelihood_gradient_is_expected_minus_observed_features():
    from nlp.deps.parts import Parts
    from nlp.deps.training import Example, _add_gradient

    sentences = invented_sentences(5)
    parser = DependencyParser(order=1, bits=14, epochs=1, learning_rate=0.2).fit(sentences)
    scorer, sentence = parser.scorer, sentences[0]
    weights = parser.weights.astype(np.float64)
    parts = Parts.all_arcs(len(sentence))
    buffer = GradientBuffer(scorer.slots)
    _add_gradient(Example.of(sentence, parts, parser.model, "cll"), scorer, parser.model, "cll", 0.1, weights, buffer)
    indices, values = buffer.take()
    found = np.zeros(scorer.slots)
    found[indices] = values
    features, offsets = scorer.prepare(sentence)["arc"].extract(parts.heads, parts.modifiers)
    beliefs = parser.marginals(sentence)[parts.heads, parts.modifiers - 1]
    observed = parts.indicator(np.concatenate([[-1], sentence.heads]))
    expected = np.bincount(features, np.repeat(beliefs - observed, np.diff(offsets)), minlength=scorer.slots)
    np.testing.assert_allclose(found, expected, atol=1e-6)  # parts of no weight are passed over
