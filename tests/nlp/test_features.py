"""Hashed features: the kernels against the slow twin in tests/oracles/features.py, and what they promise."""

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from autodiff.optimizers import GradientBuffer
from nlp.conll import Sentence
from nlp.deps import default_templates
from nlp.features import (
    ATTRIBUTES,
    FeatureError,
    FeatureHasher,
    TemplateSet,
    Vocabulary,
    parse_templates,
)
from nlp.features.encoded import AFTER, BEFORE, FIRST_VALUE, ROOT, UNKNOWN
from nlp.features.layout import distance_bin
from oracles.features import distance_bin as expected_bin
from oracles.features import feature_indices, random_sentences

DEFAULTS = default_templates()
ROLES = {"arc": ("h", "m"), "grandparent": ("g", "h", "m"), "sibling": ("h", "m", "s")}
EVERYTHING = """
[arc]
bias
h.form
h.tag-1 m.tag+2 dir
h.tag-9 m.form+9 dist
h.morph
m.morph h.tag dir dist
h.morph m.morph
between.tag
between.tag h.form dir
between.coarse m.morph dist
between.tag between.coarse
between.punctuation
between.predicate between.conjunction dir dist
h.shape m.prefix2 m.prefix3 m.suffix2 m.suffix3 m.frequency h.lower
[grandparent]
bias
g.tag
m.form-1
g.tag h.tag m.tag shape.gp
g.tag h.tag m.tag dir dir.gh dist.gm dist
g.morph m.morph h.tag
g.morph m.morph dir.mg
between.tag g.tag
between.tag dir
between.conjunction g.form dir.gh dist.gh dist dist.gm shape.gp between.predicate between.punctuation
between.tag.gm g.form dir.gm
between.coarse.mg m.morph g.tag
between.predicate.gh h.tag m.tag between.conjunction.gm between.tag
h.tag m.tag dist
[sibling]
between.tag.ms m.tag s.tag
between.punctuation.ms m.tag s.tag h.tag
side
adjacent
m.tag s.tag adjacent dist.ms
h.tag m.tag s.tag side adjacent dir dist dist.hs dir.hs
s.morph h.morph m.form
s.form+1
"""


@pytest.fixture(scope="module")
def sentences():
    return random_sentences(40, np.random.default_rng(0))


@pytest.fixture(scope="module")
def vocabulary(sentences):
    return Vocabulary.fit(sentences)


def all_parts(kind: str, n: int) -> list[np.ndarray]:
    roles = len(ROLES[kind])
    chosen = [part for part in product(range(n + 1), repeat=roles) if len(set(part)) == roles]
    return list(np.array(chosen, dtype=np.int64).reshape(-1, roles).T)


def some_parts(kind: str, n: int, rng: np.random.Generator, most: int = 60) -> list[np.ndarray]:
    parts = all_parts(kind, n)
    keep = rng.permutation(len(parts[0]))[:most]
    return [array[keep] for array in parts]


ALL_ATOMS = parse_templates(EVERYTHING, roles=ROLES)


@pytest.mark.parametrize("templates", [ALL_ATOMS, DEFAULTS], ids=["everything", "defaults"])
@pytest.mark.parametrize("kind", ["arc", "grandparent", "sibling"])
def test_extraction_agrees_with_the_slow_twin(templates, kind, sentences, vocabulary):
    rng = np.random.default_rng(1)
    hasher = FeatureHasher(templates[kind], bits=22)
    for sentence in sentences[:12]:
        encoded = vocabulary.encode(sentence)
        parts = some_parts(kind, len(sentence), rng)
        indices, offsets = hasher.prepare(encoded).extract(*parts)
        assert indices.dtype == np.int32
        assert len(offsets) == len(parts[0]) + 1
        for k, part in enumerate(zip(*(array.tolist() for array in parts), strict=True)):
            expected = feature_indices(templates[kind], encoded, part, 22)
            assert sorted(indices[offsets[k] : offsets[k + 1]].tolist()) == sorted(expected)


@pytest.mark.parametrize("kind", ["arc", "grandparent", "sibling"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_scores_are_sums_over_extracted_features(kind, dtype, sentences, vocabulary):
    rng = np.random.default_rng(2)
    hasher = FeatureHasher(ALL_ATOMS[kind], bits=16)
    weights = rng.normal(size=hasher.slots).astype(dtype)
    for sentence in sentences[:12]:
        features = hasher.prepare(vocabulary.encode(sentence))
        parts = some_parts(kind, len(sentence), rng, most=200)
        indices, offsets = features.extract(*parts)
        sums = np.concatenate([[0.0], np.cumsum(weights[indices], dtype=np.float64)])
        np.testing.assert_allclose(features.score(weights, *parts), np.diff(sums[offsets]), atol=1e-9)


@pytest.mark.parametrize("kind", ["arc", "grandparent", "sibling"])
def test_accumulated_gradient_is_that_of_the_scores(kind, sentences, vocabulary):
    rng = np.random.default_rng(3)
    hasher = FeatureHasher(ALL_ATOMS[kind], bits=8)  # few slots: they collide
    sentence = max(sentences, key=len)
    features = hasher.prepare(vocabulary.encode(sentence))
    parts = some_parts(kind, len(sentence), rng, most=50)
    adjoint, weights = rng.normal(size=len(parts[0])), rng.normal(size=hasher.slots)
    adjoint[::7] = 0.0
    buffer = GradientBuffer(hasher.slots)
    features.accumulate(adjoint, buffer, *parts)
    indices, values = buffer.take()
    gradient = np.zeros(hasher.slots)
    gradient[indices] = values
    for slot in range(hasher.slots):
        moved = weights.copy()
        moved[slot] += 0.5  # the scores are linear: the step may be large
        difference = (features.score(moved, *parts) - features.score(weights, *parts)) @ adjoint / 0.5
        assert gradient[slot] == pytest.approx(difference, abs=1e-9)
    assert not buffer.memory.any()


def test_small_adjoints_are_passed_over(sentences, vocabulary):
    hasher = FeatureHasher(TemplateSet.of("arc", "hm", "h.tag m.tag dir"), bits=20)
    features = hasher.prepare(vocabulary.encode(max(sentences, key=len)))
    buffer = GradientBuffer(hasher.slots)
    features.accumulate([1e-9, 1.0], buffer, [0, 1], [1, 2], smallest=1e-8)
    assert buffer.take()[1].tolist() == [1.0]


def test_positions_outside_the_sentence_and_the_root(vocabulary, sentences):
    encoded = vocabulary.encode(sentences[3])
    n = len(encoded)
    assert (encoded.attributes[0] == ROOT).all()
    assert encoded.morph_offsets[1] == 0
    templates = TemplateSet.of("arc", "hm", "h.tag-1\nm.tag+1")
    indices, _ = FeatureHasher(templates, bits=31).prepare(encoded).extract([0], [n])
    changed = {
        (before, after): sorted(_hash_two(templates, before, after))
        for before in (BEFORE, ROOT)
        for after in (AFTER, 0)
    }
    assert sorted(indices.tolist()) == changed[BEFORE, AFTER]


def _hash_two(templates, before, after):
    from nlp.features.blocks import atom_keys, mix, template_key
    from oracles.features import MASK, finish

    for template, value in zip(templates, (before, after), strict=True):
        (key,) = atom_keys("arc", template)
        yield finish((template_key("arc", template) + mix((key + value) & MASK)) & MASK, 31)


def test_unseen_words_keep_their_endings(vocabulary):
    new = Sentence.from_words(["Zyxnra"], tags=["Na"], coarse_tags=["N"], lemmas=["zyx"], feats=["new=1"])
    row = dict(zip(ATTRIBUTES, vocabulary.encode(new).attributes[1].tolist(), strict=True))
    assert row["form"] == row["lower"] == row["lemma"] == row["prefix3"] == UNKNOWN
    assert row["suffix2"] >= FIRST_VALUE
    assert row["tag"] >= FIRST_VALUE
    assert vocabulary.encode(new).morph.tolist() == [UNKNOWN]


def test_rare_words_are_unknown(sentences):
    rare, all_words = Vocabulary.fit(sentences, minimum_count=2), Vocabulary.fit(sentences, minimum_count=1)
    assert not any(form.startswith("once") for form in rare.tables["form"])
    assert any(form.startswith("once") for form in all_words.tables["form"])


def test_absent_columns_are_found():
    rng = np.random.default_rng(4)
    assert Vocabulary.fit(random_sentences(5, rng)).absent == frozenset()
    assert Vocabulary.fit(random_sentences(5, rng, lemmas=False)).absent == {"lemma"}
    plain = Sentence.from_words(["a", "b"], tags=["X", "Y"], heads=[0, 1])
    assert Vocabulary.fit([plain]).absent == {"lemma", "morph", "coarse"}
    with pytest.raises(FeatureError, match="needs training sentences"):
        Vocabulary.fit([])


def test_vocabulary_round_trip(vocabulary, sentences):
    arrays = vocabulary.to_arrays()
    assert all(isinstance(array, np.ndarray) for array in arrays.values())
    again = Vocabulary.from_arrays(arrays)
    assert again.absent == vocabulary.absent
    assert again.classes == vocabulary.classes
    for sentence in sentences:
        one, other = vocabulary.encode(sentence), again.encode(sentence)
        for name in ("attributes", "morph_offsets", "morph", "class_counts"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    with pytest.raises(FeatureError, match="counts"):
        Vocabulary.from_arrays({"vocabulary": arrays["vocabulary"]})


CODE = """
import sys
sys.path.insert(0, "tests")
import numpy as np
from nlp.deps import default_templates
from nlp.features import FeatureHasher, Vocabulary
from oracles.features import random_sentences
sentences = random_sentences(5, np.random.default_rng(0))
encoded = Vocabulary.fit(sentences).encode(sentences[0])
for name, part in (("arc", [[0], [1]]), ("sibling", [[1], [2], [3]]), ("grandparent", [[0], [1], [2]])):
    indices, _ = FeatureHasher(default_templates()[name], bits=22).prepare(encoded).extract(*part)
    print(name, *indices[:3])
"""


def test_hashes_are_the_same_in_every_process():
    root = Path(__file__).parent.parent.parent
    for seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)}
        found = subprocess.run(
            [sys.executable, "-c", CODE], capture_output=True, text=True, check=True, env=environment, cwd=root
        ).stdout.splitlines()
        assert found == EXPECTED


EXPECTED = ["arc 3138534 1564138 2946142", "sibling 2119856 3148151 237316", "grandparent 3668250 2903994 3309709"]


def test_collisions_are_as_rare_as_chance():
    """Distinct conjunctions: 200 × 200 words, three templates, into 2^18 slots; a good hash leaves n (1 - e^(-k/n))."""
    words = [f"w{k}" for k in range(200)]
    sentence = Sentence.from_words(words, tags=words, heads=[0] * 200)
    vocabulary = Vocabulary.fit([sentence], minimum_count=1)
    hasher = FeatureHasher(TemplateSet.of("arc", "hm", "h.form m.form\nh.tag m.form\nh.form m.tag dir"), bits=18)
    parts = [array + 1 for array in all_parts("arc", 199)]
    indices, _ = hasher.prepare(vocabulary.encode(sentence)).extract(*parts)
    expected = hasher.slots * (1 - np.exp(-len(indices) / hasher.slots))
    assert len(np.unique(indices)) == pytest.approx(expected, rel=0.005)
    counts = np.bincount(indices, minlength=hasher.slots)
    assert counts.max() <= 12  # Poisson with mean 0.46: a thirteenth in one slot has a chance of 1e-9


def test_sets_share_no_weights_but_by_name(sentences, vocabulary):
    arcs = TemplateSet.of("arc", "hm", "h.tag m.tag dir")
    encoded = vocabulary.encode(max(sentences, key=len))
    one = FeatureHasher(arcs, bits=30).prepare(encoded).extract([1], [2])[0]
    other = FeatureHasher(arcs.renamed("outer"), bits=30).prepare(encoded).extract([1], [2])[0]
    assert one.tolist() != other.tolist()


def test_order_of_templates_does_not_matter(sentences, vocabulary):
    texts = ("h.tag m.tag\nbias\nh.morph dir", "dir h.morph\nm.tag h.tag\nbias")
    encoded = vocabulary.encode(max(sentences, key=len))
    hashers = [FeatureHasher(TemplateSet.of("arc", "hm", text), bits=30) for text in texts]
    first, second = (hasher.prepare(encoded).extract([1], [2])[0] for hasher in hashers)
    assert sorted(first.tolist()) == sorted(second.tolist())


def test_bins_of_distances():
    assert [distance_bin(d) for d in range(1, 60)] == [expected_bin(d) for d in range(1, 60)]


def test_empty_sentences_parts_and_templates(vocabulary):
    empty = vocabulary.encode(Sentence.from_words([]))
    features = FeatureHasher(DEFAULTS["arc"], bits=10).prepare(empty)
    indices, offsets = features.extract([], [])
    assert (len(indices), offsets.tolist()) == (0, [0])
    assert features.score(np.zeros(1024), [], []).shape == (0,)
    one = vocabulary.encode(Sentence.from_words(["word"], tags=["Na"]))
    nothing = FeatureHasher(DEFAULTS["arc"].without(frozenset(ATTRIBUTES) | {"morph"}), bits=10).prepare(one)
    assert len(nothing.extract([0], [1])[0]) == 2  # dir, dir dist


def test_what_cannot_be_a_part_is_refused(sentences, vocabulary):
    hasher = FeatureHasher(DEFAULTS["arc"], bits=10)
    features = hasher.prepare(vocabulary.encode(sentences[0]))
    n = len(sentences[0])
    for parts, said in [
        (([0],), "1 arrays of positions; expected 2: of h, m"),
        (([0], [n + 1]), f"positions of m go from {n + 1}"),
        (([-1], [1]), "positions of h go from -1"),
        (([0, 0], [1]), "positions of m have shape"),
    ]:
        with pytest.raises(FeatureError, match=said):
            features.extract(*parts)
    with pytest.raises(FeatureError, match="weights of shape"):
        features.score(np.zeros(5), [0], [1])
    for value in (np.nan, np.inf, 1e200):
        with pytest.raises(FeatureError, match="a gradient of"):
            features.accumulate([value], GradientBuffer(hasher.slots), [0], [1])
    with pytest.raises(FeatureError, match="a buffer of 4 slots"):
        features.accumulate([1.0], GradientBuffer(4), [0], [1])
    with pytest.raises(FeatureError, match="bits is 40"):
        FeatureHasher(DEFAULTS["arc"], bits=40)


def test_dropped_words_look_like_new_ones(vocabulary, sentences):
    same, form = vocabulary.encode(max(sentences, key=len)), ATTRIBUTES.index("form")
    kept = vocabulary.drop_words(same, 0.0, np.random.default_rng(0))
    np.testing.assert_array_equal(kept.attributes, same.attributes)
    changed = vocabulary.drop_words(same, 1e9, np.random.default_rng(0))
    assert (changed.attributes[1:, form] == UNKNOWN).all()
    assert (changed.attributes[0] == same.attributes[0]).all()  # the root
    for name in ("tag", "coarse", "suffix2", "suffix3", "shape"):
        column = ATTRIBUTES.index(name)
        assert (changed.attributes[:, column] == same.attributes[:, column]).all()
