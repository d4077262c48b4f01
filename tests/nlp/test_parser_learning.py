"""The parser learns: every objective memorises, and gradients of the whole pipeline are right."""

from pathlib import Path

import numpy as np
import pytest

from autodiff.optimizers import AdaGrad
from nlp.conll import read_all
from nlp.deps import Analysis, DependencyParser
from oracles.sentences import invented_sentences
from pgm.learning import AnnealedRisk, Objective, check_objective

DATA = Path(__file__).parents[3] / "shared" / "data"
SMALL = {"bits": 16, "learning_rate": 0.02, "epochs": 8}
# The gradient of risk vanishes as the temperature falls: steps should not be as small as it, and there should be more.
RISK = {"delta": 0.000125, "learning_rate": 0.002, "epochs": 30, "word_dropout": 0.0}
COLD_RISK = RISK | {"labels": "none"}  # with the many relations of a real treebank it gets stuck nevertheless


def labelled(count):
    return [s.with_heads(s.heads, [f"of {tag}" for tag in s.tags]) for s in invented_sentences(count)]


@pytest.mark.parametrize("tree", ["projective", "nonprojective"])
@pytest.mark.parametrize("objective", ["cll", "mll", "l2", "risk", "l2+risk", "softmax-margin"])
@pytest.mark.parametrize("order", [1, 2])
def test_it_learns_an_invented_language(order, objective, tree):
    sentences = labelled(45)
    options = SMALL | (RISK if objective == "risk" else {})
    parser = DependencyParser(order=order, objective=objective, tree=tree, iterations=2, **options).fit(sentences[:35])
    assert parser.score(sentences[:35]).uas >= 99
    assert parser.score(sentences[:35]).las >= 98
    assert parser.score(sentences[35:]).uas >= 80


@pytest.mark.parametrize("update", ["adagrad", "adam", "sgd"])
def test_it_learns_by_every_update(update):
    sentences = labelled(45)
    rate = {"adagrad": 0.02, "adam": 0.02, "sgd": 0.05}[update]
    parser = DependencyParser(order=1, update=update, bits=14, learning_rate=rate, epochs=8).fit(sentences[:35])
    assert parser.score(sentences[35:]).las >= 75


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
        order=order, objective=objective, tree=tree, iterations=2, bits=20, regularization=0.0, batch_size=2,
        average=False, folds=1, pruner_epochs=10,
        **(COLD_RISK if objective == "risk" else {"learning_rate": 0.01, "epochs": 16, "word_dropout": 0.0}),
    )  # fmt: skip
    parser.fit(sentences)
    found = parser.score(sentences)
    assert found.uas >= 99
    assert found.las is None or found.las >= 98


@pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not there")
@pytest.mark.parametrize("tree", ["projective", "nonprojective"])
def test_belief_propagation_is_exact_for_first_order_on_real_sentences(tree):
    from hypergraph import marginals
    from hypergraph.structures import NonprojectiveTrees, ProjectiveTrees
    from nlp.deps.runs import GraphArcRun

    kind = ProjectiveTrees if tree == "projective" else NonprojectiveTrees
    sentences = read_all(DATA / "ud-english-ewt" / "en_ewt-ud-dev.conllu.gz")[:40]
    options = {"tree": tree, "bits": 18, "epochs": 1, "learning_rate": 0.2, "labels": "none"}
    parser = DependencyParser(order=1, **options).fit(sentences)
    for sentence in sentences:
        instance = parser.model.of(sentence)
        scores, _ = parser.model.scorer.score(instance)
        matrix = instance.parts.matrix(scores["arc"], -np.inf)
        expected = marginals(kind(len(sentence), "one"), matrix)[:, 1:]
        np.testing.assert_allclose(parser.marginals(sentence), expected, atol=1e-10)
        on_graph = GraphArcRun(instance, scores, instance.scored_graph, record=False).beliefs[1::2]
        np.testing.assert_allclose(instance.parts.matrix(on_graph, 0.0)[:, 1:], expected, atol=1e-10)


EXACT = {"inference": "exact", "siblings": False}
LOOPY = {"order": 2, "iterations": 2}


# The surrogate likelihood of a loopy model is no integral of its gradient: exact inference stands for it.
@pytest.mark.parametrize("options", [
    {"order": 1, "objective": "cll"}, {"order": 1, "objective": "cll", "tree": "nonprojective"},
    {"objective": "cll", **EXACT}, {"objective": "mll", **EXACT}, {"objective": "softmax-margin", **EXACT},
    {"objective": "l2", **EXACT}, {"objective": "l2", "childseq": True, **LOOPY},
    *({"objective": objective, "tree": tree, **order}
      for order in ({"order": 1}, LOOPY) for objective in ("l2", "risk") for tree in ("projective", "nonprojective")),
], ids=str)  # fmt: skip
def test_gradients_of_the_whole_pipeline(options):
    """Features → scores → inference → loss, against differences in every weight, those of relations too."""
    options, sentence = dict(options), min(labelled(5), key=len)
    objective = Objective.named(options.pop("objective"))
    if isinstance(objective, AnnealedRisk):
        objective = AnnealedRisk(temperature=0.3)
    parser = DependencyParser(bits=7, epochs=1, pruning=False, **options).fit(labelled(5))
    rng = np.random.default_rng(0)
    for parameter in parser.model.parameters().values():
        parameter.value = parameter.read().astype(np.float64) + 0.05 * rng.normal(size=parameter.read().shape)
    check_objective(objective, parser.model, sentence, tolerance=2e-5).raise_if_failed()


def test_likelihood_gradient_is_expected_minus_observed_features():
    sentences = labelled(5)
    parser = DependencyParser(order=1, bits=14, epochs=1, learning_rate=0.2).fit(sentences)
    model, sentence = parser.model, sentences[0]
    instance = model.of(sentence, gold=Analysis.of(sentence))
    scores, backward = model.scorer.score(instance)
    for parameter in model.parameters().values():
        parameter.value = parameter.read().astype(np.float64)
    store = AdaGrad(0.1).store(model.parameters())
    backward(Objective.named("cll").evaluate(instance, scores).adjoints, store)
    parts, hasher = instance.parts, model.scorer.hashers["arc"]
    features, offsets = hasher.prepare(instance.encoded).extract(parts.heads, parts.modifiers)
    beliefs = parser.marginals(sentence)[parts.heads, parts.modifiers - 1]
    observed = parts.indicator(sentence.heads)
    expected = np.bincount(features, np.repeat(beliefs - observed, np.diff(offsets)), minlength=1 << 14)
    indices, values = store.buffer("weights").take()
    found = np.zeros(1 << 14)
    found[indices] = values
    np.testing.assert_allclose(found, expected, atol=1e-6)  # parts of no weight are passed over
