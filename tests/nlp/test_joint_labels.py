"""Relations as variables with factors between them: against enumeration, relations summed out, and differences."""

from itertools import product

import numpy as np
import pytest

from autodiff import check_gradients
from nlp.conll import Sentence
from nlp.deps import Analysis, DependencyParser, template_roles
from nlp.deps.joint_run import JointRun
from nlp.deps.parts import Parts
from nlp.features import parse_templates
from oracles.dependency_models import (
    Enumerated,
    Loss,
    dependency_model,
    instance_of,
    labelled_events,
    labelled_score,
    random_parts,
    random_relations,
    random_scores,
)
from pgm.learning import (
    AnnealedRisk,
    ConditionalLogLikelihood,
    L2Distance,
    MarginalLogLikelihood,
    MaximumScore,
    MinimumBayesRisk,
    SoftmaxMargin,
)

JOINT = {"labels": "joint", "siblings": False, "grandparents": False}
MODELS = [
    {}, {"siblings": True, "grandparents": True, "iterations": 3}, {"tree": "nonprojective", "siblings": True},
    {"constraint": "exactly_one", "schedule": "parallel", "iterations": 6, "damping": 0.2},
]  # fmt: skip
CHAIN = Analysis([0, 1, 2], ["r0", "r1", "r0"])
FLAT = Analysis([0, 1, 1], ["r0", "r1", "r2"])


def drawn(options=(), *, n=3, relations=3, gold=None, seed=0, share=1.0, scale=1.0):
    rng = np.random.default_rng(seed)
    parts = random_parts(n, rng, share=share)
    instance = instance_of(dependency_model(**{**JOINT, **dict(options)}), parts, None, gold)
    instance = instance_of(instance.model, parts, random_relations(parts, relations, rng), gold)
    return instance, random_scores(instance, rng, scale)


@pytest.mark.parametrize("relations", [2, 20])
def test_parts_are_what_their_definition_says(relations):
    """All pairs of siblings with all their relations, each once; those of a tree are in it."""
    instance, _ = drawn(n=4, relations=relations, share=0.7)
    (kind,), parts, table = instance.model.labelled_kinds, instance.parts, instance.relations
    starts, labels = kind.labels(parts, table)
    words = list(zip(*map(np.ndarray.tolist, kind.positions(parts, table)), strict=True))
    width = kind.label_count(relations) // relations
    listed = [(h, m, label // width, h, s, label % width)
              for place, (h, m, s) in enumerate(words) for label in labels[starts[place] : starts[place + 1]].tolist()
              ]  # fmt: skip
    arcs = [
        (int(parts.heads[a]), int(parts.modifiers[a]), int(r)) for a, r in zip(table.arcs, table.labels, strict=True)
    ]
    assert sorted(listed) == sorted((*one, *other) for one, other in product(arcs, arcs)
                                    if one[0] == other[0] > 0 and one[1] < other[1])  # fmt: skip
    rng = np.random.default_rng(1)
    chosen = rng.integers(0, 2, size=len(table)).astype(float)
    there = {arc for arc, on in zip(arcs, chosen, strict=True) if on}
    present = kind.present(parts, table, chosen)
    assert present.tolist() == [float(part[:3] in there and part[3:] in there) for part in listed]
    scores = rng.normal(size=len(listed))
    for pair in range(len(table)):
        ends = []
        for on in (0.0, 1.0):
            changed = chosen.copy()
            changed[pair] = on
            ends.append(scores @ kind.present(parts, table, changed))
        assert kind.gains(parts, table, chosen, scores)[pair] == pytest.approx(ends[1] - ends[0])


@pytest.mark.parametrize("options", MODELS[:3], ids=str)
def test_without_factors_between_relations_it_is_as_if_they_were_summed_out(options):
    """The links are leaves of the graph, so all agrees after any number of iterations where each sends all messages."""
    instance, scores = drawn({**options, "relation_pairs": False}, n=5, relations=9, share=0.7)
    joint, summed = JointRun(instance, scores, record=True), instance.run(scores, record=True)
    assert type(summed) is not JointRun
    assert joint.log_partition == pytest.approx(summed.log_partition, abs=1e-9)
    np.testing.assert_allclose(joint.beliefs, summed.beliefs, atol=1e-9)
    adjoint = np.random.default_rng(1).normal(size=len(joint.beliefs))
    ours, theirs = (run.backward(beliefs=adjoint, log_partition=0.5) for run in (joint, summed))
    assert set(ours) == set(theirs) == set(scores)
    for name in scores:
        np.testing.assert_allclose(joint.part_beliefs[name], summed.part_beliefs[name], atol=1e-9)
        np.testing.assert_allclose(ours[name], theirs[name], atol=1e-9)


def test_with_scores_of_zero_for_pairs_too():
    instance, scores = drawn(n=4, relations=9)
    scores["relation_pair"][:] = 0.0
    summed = instance_of(dependency_model(**JOINT, relation_pairs=False), instance.parts, instance.relations)
    alone = {name: scores[name] for name in ("arc", "relation")}
    np.testing.assert_allclose(instance.run(scores).beliefs, summed.run(alone).beliefs, atol=1e-9)


@pytest.mark.parametrize("relations", [2, 9])
def test_it_is_exact_where_the_graph_is_a_tree(relations):
    """Exactly one head for each word, and siblings that close no circle."""
    mask = np.zeros((5, 5), dtype=np.bool_)
    mask[[0, 2, 3, 4, 2, 4, 0, 3], [1, 1, 2, 2, 3, 3, 4, 4]] = True
    parts, rng = Parts.of_mask(mask), np.random.default_rng(0)
    model = dependency_model(**JOINT, constraint="exactly_one", roots="any", iterations=2)
    instance = instance_of(model, parts, random_relations(parts, relations, rng))
    scores = random_scores(instance, rng, 2.0)
    starts = instance.relations.starts
    total, beliefs = -np.inf, 0.0
    for heads in product(*(np.flatnonzero(mask[:, m]) for m in (1, 2, 3, 4))):  # with cycles, which nothing forbids
        arcs = parts.numbers(np.array(heads))
        for pairs in product(*(range(starts[arc], starts[arc + 1]) for arc in arcs)):
            tree = np.array(heads), np.array(pairs)
            score = labelled_score(instance, scores, *tree)
            total = np.logaddexp(total, score)
            beliefs = beliefs + np.exp(score) * labelled_events(instance, *tree)
    run = instance.run(scores)
    assert isinstance(run, JointRun)
    assert run.log_partition == pytest.approx(total, abs=1e-9)
    np.testing.assert_allclose(run.beliefs, beliefs / np.exp(total), atol=1e-9)


@pytest.mark.parametrize("tree", ["projective", "nonprojective"])
def test_it_is_close_where_the_graph_is_none(tree):
    gaps, without = [], []
    for seed in range(6):
        instance, scores = drawn({"tree": tree, "iterations": 50}, seed=seed, scale=0.6)
        expected, run = Enumerated(instance, scores), instance.run(scores)
        gaps.append(np.abs(run.beliefs - expected.beliefs).max())
        assert run.log_partition == pytest.approx(expected.log_partition, abs=0.1)
        scores["relation_pair"][:] = 0.0
        without.append(np.abs(instance.run(scores).beliefs - expected.beliefs).max())
    assert max(gaps) < 0.05
    assert np.mean(gaps) < 0.5 * np.mean(without)


@pytest.mark.parametrize("objective", [
    L2Distance(), AnnealedRisk(temperature=0.4), ConditionalLogLikelihood(approximation_aware=True),
    MarginalLogLikelihood(approximation_aware=True), SoftmaxMargin(cost=0.7, approximation_aware=True),
], ids=repr)  # fmt: skip
@pytest.mark.parametrize("gold", [CHAIN, FLAT], ids=["chain", "flat"])
@pytest.mark.parametrize("options", MODELS, ids=str)
def test_gradients_by_scores_of_all_parts(objective, gold, options):
    instance, scores = drawn({**options, "iterations": 2}, gold=gold, scale=0.6)
    check_gradients(Loss(objective, instance, list(scores)), *scores.values()).raise_if_failed()


@pytest.mark.parametrize("gold", [CHAIN, FLAT], ids=["chain", "flat"])
@pytest.mark.parametrize("damping", [0.0, 0.3])
def test_the_gold_score_is_that_of_the_gold_tree(gold, damping):
    for seed in range(8):
        instance, scores = drawn({"damping": damping}, gold=gold, seed=seed)
        total, present = instance.gold_score(scores, "")
        expected = Enumerated(instance, scores)
        may = _names(instance, gold.heads)
        fits = [k for k, (heads, pairs) in enumerate(expected.trees) if heads.tolist() == gold.heads.tolist()
                and all(instance.relations.names(pairs)[m] == gold.relations[m] or gold.relations[m] not in may[m]
                        for m in range(3))]  # fmt: skip
        assert total == pytest.approx(np.logaddexp.reduce(expected.scores[fits]), abs=1e-9 if len(fits) == 1 else 0.1)
        if len(fits) == 1:
            assert sum(float(present[name] @ scores[name]) for name in scores) == pytest.approx(total)


def _names(instance, heads):
    """The relations that the arc to each word may have."""
    starts = instance.relations.starts
    return [instance.relations.names(np.arange(starts[arc], starts[arc + 1])) for arc in instance.parts.numbers(heads)]


def test_unknown_relations_are_summed_out_of_the_gold_score():
    for seed in range(5):
        gold = Analysis([0, 1, 1], ["r0", None, "r2"])  # one of two siblings: the rest is no circle
        instance, scores = drawn(gold=gold, seed=seed)
        expected = Enumerated(instance, scores)
        may = _names(instance, gold.heads)
        fits = [k for k, (heads, pairs) in enumerate(expected.trees) if heads.tolist() == [0, 1, 1]
                and all(instance.relations.names(pairs)[m] == gold.relations[m] or gold.relations[m] not in may[m]
                        for m in (0, 2))]  # fmt: skip
        total, present = instance.gold_score(scores, "")
        assert total == pytest.approx(np.logaddexp.reduce(expected.scores[fits]), abs=1e-6)
        assert present["arc"] @ instance.parts.indicator(gold.heads) == pytest.approx(3)


@pytest.mark.parametrize("options", MODELS[:3], ids=str)
def test_the_best_tree_is_nearly_always_the_best_of_all(options):
    best = 0
    for seed in range(20):
        instance, scores = drawn(options, seed=seed, share=0.8)
        expected = Enumerated(instance, scores)
        found = MaximumScore().decode(instance, scores)
        heads, pairs = expected.trees[int(np.argmax(expected.scores))]
        best += found.heads.tolist() == heads.tolist() and list(found.relations) == instance.relations.names(pairs)
    assert best >= 18


def test_minimum_risk_trees_have_the_most_expected_arcs_and_relations():
    instance, scores = drawn(MODELS[1], n=4, share=0.7)
    beliefs, expected = instance.run(scores).beliefs, Enumerated(instance, scores)
    heads, pairs = expected.trees[int(np.argmax(expected.events @ beliefs))]
    found = MinimumBayesRisk().decode(instance, scores)
    assert found.heads.tolist() == heads.tolist()
    assert list(found.relations) == instance.relations.names(pairs)


# A parser


def two_nouns(count, seed=0):
    """Return sentences of a verb and nouns, of two the first the subject: of a noun alone nothing tells which it is."""
    rng, nouns = np.random.default_rng(seed), ["goat", "duck", "pond", "tree"]
    sentences = []
    for _ in range(count):
        words = ["sees", *rng.choice(nouns, size=2)] if rng.random() < 0.7 else ["sees", rng.choice(nouns)]
        relations = ["root", "subj", "obj"] if len(words) == 3 else ["root", "obj"]
        tags, heads = ["V", "N", "N"][: len(words)], [0, 1, 1][: len(words)]
        sentences.append(Sentence.from_words(words, tags=tags, heads=heads, relations=relations))
    return sentences


def test_a_parser_learns_what_siblings_say_of_each_other(tmp_path):
    few = parse_templates("[relation]\nh.tag m.tag dir\n[relation_pair]\nside dir", roles=template_roles())
    options = {"templates": few, "bits": 12, "epochs": 15, "learning_rate": 0.1, "pruning": False, "objective": "cll"}
    summed = DependencyParser(**options).fit(two_nouns(60))
    joint = DependencyParser(**options, labels="joint").fit(two_nouns(60))
    test = two_nouns(40, seed=1)
    assert summed.score(test).las < 85
    assert joint.score(test).las == 100
    joint.save(tmp_path / "m.tacana")
    again = DependencyParser.load(tmp_path / "m.tacana")
    assert again.parse(test) == joint.parse(test)
    for decoder in ("map", "log-odds", "hill-climbing"):
        assert joint.using(decoder=decoder).score(test).uas == 100
    (sentence,) = [s for s in test if len(s) == 3][:1]
    of_relations = joint.marginals(sentence, labels=True)
    np.testing.assert_allclose(sum(of_relations.values()), joint.marginals(sentence), atol=1e-9)
    assert joint.best_parses(sentence, 2)[0][1].relations == ("root", "subj", "obj")


@pytest.mark.parametrize("objective", ["l2", "risk", "mll", "softmax-margin"])
def test_every_objective_trains_it(objective):
    options = {"bits": 12, "epochs": 6, "learning_rate": 0.05, "pruning": False, "labels": "joint"}
    assert DependencyParser(**options, objective=objective).fit(two_nouns(40)).score(two_nouns(20, seed=1)).las > 90


def test_a_single_relation_needs_no_variables():
    sentences = [Sentence.from_words(["sees", "goat", "duck"], tags=["V", "N", "N"], heads=[0, 1, 1],
                                     relations=["dep"] * 3)] * 5  # fmt: skip
    parser = DependencyParser(labels="joint", bits=10, epochs=4, learning_rate=0.1, pruning=False).fit(sentences)
    assert parser.model.labelled_kinds == ()
    assert parser.score(sentences).las == 100


def test_exact_inference_refuses_it():
    with pytest.raises(ValueError, match=r"without relation_pairs.*or inference='bp'"):
        DependencyParser(labels="joint", inference="exact", siblings=False)
