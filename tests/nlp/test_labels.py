"""Features of labelled parts: the kernels against the slow twin in tests/oracles/features.py, and what they promise."""

import numpy as np
import pytest

from autodiff.optimizers import GradientBuffer
from nlp.conll import Sentence
from nlp.deps import default_templates
from nlp.features import FeatureError, LabelHasher, TemplateSet, Vocabulary
from oracles.features import labelled_indices, random_sentences

RELATION = default_templates()["relation"]
EVERYTHING = TemplateSet.of(
    "relation",
    "hm",
    """
bias
h.form m.tag+2 dir
h.morph m.morph
m.morph h.tag dir dist
between.tag h.form dir
between.punctuation between.predicate
h.shape m.prefix2 m.suffix3 m.frequency h.lower
""",
)
TRIPLES = TemplateSet.of("grandparent", "ghm", "g.tag h.tag m.tag shape.gp\ng.tag m.tag dir.gm\nh.morph m.form")


@pytest.fixture(scope="module")
def sentences():
    return [sentence for sentence in random_sentences(40, np.random.default_rng(0)) if len(sentence) > 3][:8]


@pytest.fixture(scope="module")
def vocabulary(sentences):
    return Vocabulary.fit(sentences)


def some_labels(parts: int, labels: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return for each part between none and all of the labels, in any order."""
    chosen = [rng.permutation(labels)[: rng.integers(labels + 1)] for _ in range(parts)]
    return np.cumsum([0, *map(len, chosen)]), np.concatenate([np.zeros(0, dtype=np.int64), *chosen])


def some_arcs(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    modifiers = rng.integers(1, n + 1, size=37)  # more than a chunk of the kernel
    return rng.integers(0, n + 1, size=37), modifiers


@pytest.mark.parametrize("labels", [1, 15, 17, 40])
@pytest.mark.parametrize("bits", [5, 18])
def test_extraction_agrees_with_the_slow_twin(labels, bits, sentences, vocabulary):
    rng = np.random.default_rng(labels)
    hasher = LabelHasher(EVERYTHING, bits=bits, labels=labels)
    for sentence in sentences[:3]:
        encoded = vocabulary.encode(sentence)
        heads, modifiers = some_arcs(len(sentence), rng)
        starts, names = some_labels(len(heads), labels, rng)
        indices, offsets = hasher.prepare(encoded).extract(starts, names, heads, modifiers)
        assert indices.dtype == np.int32
        assert len(offsets) == len(names) + 1
        for part, (head, modifier) in enumerate(zip(heads.tolist(), modifiers.tolist(), strict=True)):
            for i in range(starts[part], starts[part + 1]):
                expected = labelled_indices(EVERYTHING, encoded, (head, modifier), int(names[i]), bits)
                assert sorted(indices[offsets[i] : offsets[i + 1]].tolist()) == sorted(expected)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("labels", [1, 16, 33])
def test_scores_are_sums_over_extracted_features(dtype, labels, sentences, vocabulary):
    rng = np.random.default_rng(2)
    hasher = LabelHasher(RELATION, bits=14, labels=labels)
    weights = rng.normal(size=hasher.slots).astype(dtype)
    for sentence in sentences:
        features = hasher.prepare(vocabulary.encode(sentence))
        arcs = some_arcs(len(sentence), rng)
        starts, names = some_labels(len(arcs[0]), labels, rng)
        indices, offsets = features.extract(starts, names, *arcs)
        sums = np.concatenate([[0.0], np.cumsum(weights[indices], dtype=np.float64)])
        scores = features.score(weights, starts, names, *arcs)
        assert scores.dtype == np.float64
        np.testing.assert_allclose(scores, np.diff(sums[offsets]), atol=1e-9)


def test_accumulated_gradient_is_that_of_the_scores(sentences, vocabulary):
    rng = np.random.default_rng(3)
    hasher = LabelHasher(EVERYTHING, bits=8, labels=20)  # few slots: they collide
    sentence = max(sentences, key=len)
    features = hasher.prepare(vocabulary.encode(sentence))
    arcs = some_arcs(len(sentence), rng)
    starts, names = some_labels(len(arcs[0]), 20, rng)
    adjoint, weights = rng.normal(size=len(names)), rng.normal(size=hasher.slots)
    adjoint[::7] = 0.0
    adjoint[starts[5] : starts[9]] = 0.0  # whole arcs, too
    buffer = GradientBuffer(hasher.slots)
    features.accumulate(adjoint, buffer, starts, names, *arcs)
    indices, values = buffer.take()
    gradient = np.zeros(hasher.slots)
    gradient[indices] = values
    for slot in range(hasher.slots):
        moved = weights.copy()
        moved[slot] += 0.5  # the scores are linear: the step may be large
        difference = (features.score(moved, starts, names, *arcs) - features.score(weights, starts, names, *arcs)) / 0.5
        assert gradient[slot] == pytest.approx(difference @ adjoint, abs=1e-9)
    assert not buffer.memory.any()


def test_pairs_of_arcs_have_labels_too(sentences, vocabulary):
    """Blocks of two and of three roles add up, whatever words they look at."""
    rng = np.random.default_rng(4)
    hasher = LabelHasher(TRIPLES, bits=12, labels=18)
    sentence = max(sentences, key=len)
    encoded = vocabulary.encode(sentence)
    features = hasher.prepare(encoded)
    parts = list(np.array([rng.permutation(len(sentence))[:3] + 1 for _ in range(20)]).T)
    starts, names = some_labels(20, 18, rng)
    weights, adjoint = rng.normal(size=hasher.slots), rng.normal(size=len(names))
    gradient = np.zeros(hasher.slots)
    scores = features.score(weights, starts, names, *parts)
    for part in range(20):
        for i in range(starts[part], starts[part + 1]):
            found = labelled_indices(TRIPLES, encoded, tuple(int(role[part]) for role in parts), int(names[i]), 12)
            assert scores[i] == pytest.approx(weights[found].sum(), abs=1e-9)
            np.add.at(gradient, found, adjoint[i])
    buffer = GradientBuffer(hasher.slots)
    features.accumulate(adjoint, buffer, starts, names, *parts)
    indices, values = buffer.take()
    np.testing.assert_allclose(values, gradient[indices], atol=1e-9)
    assert not np.delete(gradient, indices).any()


def test_small_adjoints_are_passed_over(sentences, vocabulary):
    hasher = LabelHasher(TemplateSet.of("relation", "hm", "h.tag m.tag dir"), bits=20, labels=3)
    features = hasher.prepare(vocabulary.encode(sentences[0]))
    buffer = GradientBuffer(hasher.slots)
    features.accumulate([1e-9, 1.0, -1e-9, 2.0], buffer, [0, 3, 4], [0, 1, 2, 0], [0, 1], [1, 2], smallest=1e-8)
    assert sorted(buffer.take()[1].tolist()) == [1.0, 2.0]


def test_labels_of_a_feature_are_neighbours(sentences, vocabulary):
    hasher = LabelHasher(TemplateSet.of("relation", "hm", "h.form m.form"), bits=20, labels=48)
    features = hasher.prepare(vocabulary.encode(sentences[0]))
    indices, _ = features.extract([0, 48], range(48), [0], [1])
    rows = indices.reshape(3, 16)
    assert (np.diff(rows) == 1).all()
    assert (rows[:, 0] % 16 == 0).all()
    assert len({*rows[:, 0].tolist()}) == 3


def test_collisions_are_as_rare_as_chance():
    """Lines of 120 × 120 words, three templates, three rows of labels: n (1 - e^(-k/n)) lines are used."""
    words = [f"w{k}" for k in range(120)]
    sentence = Sentence.from_words(words, tags=words, heads=[0] * 120)
    vocabulary = Vocabulary.fit([sentence], minimum_count=1)
    templates = TemplateSet.of("relation", "hm", "h.form m.form\nh.tag m.form\nh.form m.tag dir")
    hasher = LabelHasher(templates, bits=20, labels=48)
    heads, modifiers = (array.ravel() + 1 for array in np.divmod(np.arange(120 * 120), 120))
    starts, labels = 3 * np.arange(len(heads) + 1), np.tile([0, 16, 32], len(heads))
    indices, _ = hasher.prepare(vocabulary.encode(sentence)).extract(starts, labels, heads, modifiers)
    lines = indices.reshape(len(heads), 3, 3) // 16  # (arcs, labels, templates)
    expected = hasher.lines * (1 - np.exp(-lines.size / hasher.lines))
    assert len(np.unique(lines)) == pytest.approx(expected, rel=0.01)
    first, second = lines[:, 0].ravel(), lines[:, 1].ravel()  # features that share a line, in one row of labels
    both = len(np.unique(first.astype(np.int64) * hasher.lines + second))
    assert both == pytest.approx(len(first), rel=0.001)  # share none in another


def test_nothing_to_score(vocabulary):
    hasher = LabelHasher(RELATION, bits=10, labels=4)
    features = hasher.prepare(vocabulary.encode(Sentence.from_words([])))
    assert features.score(np.zeros(1024), [0], [], [], []).shape == (0,)
    one = hasher.prepare(vocabulary.encode(Sentence.from_words(["word"], tags=["Na"])))
    assert one.score(np.ones(1024), [0, 0], [], [0], [1]).shape == (0,)
    assert one.extract([0, 0], [], [0], [1])[1].tolist() == [0]


def test_what_no_kernel_can_take_is_refused(sentences, vocabulary):
    hasher = LabelHasher(RELATION, bits=10, labels=4)
    features = hasher.prepare(vocabulary.encode(sentences[0]))
    weights, n = np.zeros(1024), len(sentences[0])
    for arguments, said in [
        (([0, 1], [0], [0]), "1 arrays of positions; expected 2: of h, m"),
        (([0, 1], [0], [0], [n + 1]), f"positions of m go from {n + 1}"),
        (([0, 1, 1], [0], [0], [1]), r"starts of shape \(3,\) and labels of shape \(1,\) for 1 parts"),
        (([0, 1], [[0]], [0], [1]), "expected .* and a vector"),
        (([0, 1], [4], [0], [1]), "labels go from 4 to 4; expected 0 to 3"),
        (([0, 1], [-1], [0], [1]), "labels go from -1"),
        (([0, 2], [0], [0], [1]), "must rise from 0 to 1"),
        (([1, 1], [0], [0], [1]), "must rise"),
        (([0, 2, 1], [0], [0, 1], [1, 2]), "must rise"),
        (([0.0, 1.0], [0], [0], [1]), "starts must be integers"),
    ]:
        for use in (
            lambda *x: features.score(weights, *x),
            features.extract,
            lambda *x: features.accumulate([0.0], GradientBuffer(1024), *x),
        ):
            with pytest.raises(FeatureError, match=said):
                use(*arguments)
    good = ([0, 1], [0], [0], [1])
    with pytest.raises(FeatureError, match="weights of shape"):
        features.score(np.zeros(5), *good)
    with pytest.raises(FeatureError, match="a gradient of"):
        features.accumulate([np.nan], GradientBuffer(1024), *good)
    with pytest.raises(FeatureError, match="for 1 labels"):
        features.accumulate([1.0, 1.0], GradientBuffer(1024), *good)
    with pytest.raises(FeatureError, match="a buffer of 4 slots"):
        features.accumulate([1.0], GradientBuffer(4), *good)
    with pytest.raises(FeatureError, match="bits is 4, but must be a whole number from 5"):
        LabelHasher(RELATION, bits=4, labels=2)
    with pytest.raises(FeatureError, match="labels is 0"):
        LabelHasher(RELATION, bits=10, labels=0)
