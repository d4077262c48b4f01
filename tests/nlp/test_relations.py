"""Which relations arcs may have: against sets counted in plain Python."""

from collections import Counter, defaultdict

import numpy as np
import pytest

from nlp.conll import Sentence
from nlp.deps.relations import RelationTable, label_places

TAGS, NAMES = ["N", "V", "D", "P"], ["subj", "obj", "det", "mod", "mod:x", "punct"]


def trees(count: int, rng: np.random.Generator) -> list[Sentence]:
    """Return trees whose relations go with tags, more or less."""
    result = []
    for _ in range(count):
        n = int(rng.integers(1, 8))
        tags = [str(rng.choice(TAGS, p=[0.4, 0.3, 0.25, 0.05])) for _ in range(n)]
        heads = [0, *(int(rng.integers(1, m)) for m in range(2, n + 1))]
        relations = [
            "root" if head == 0 else NAMES[(TAGS.index(tag) + int(rng.integers(3))) % len(NAMES)]
            for tag, head in zip(tags, heads, strict=True)
        ]
        result.append(Sentence.from_words(["w"] * n, coarse_tags=tags, heads=heads, relations=relations))
    return result


@pytest.fixture(scope="module")
def treebank():
    return trees(60, np.random.default_rng(0))


@pytest.mark.parametrize("minimum_count", [0, 1, 5, 1000])
def test_allowed_relations_are_those_that_training_has_seen(treebank, minimum_count):
    table = RelationTable.fit(treebank, minimum_count=minimum_count)
    seen, modifiers = defaultdict(Counter), defaultdict(set)
    for tree in treebank:
        for tag, head, relation in zip(tree.coarse_tags, tree.heads.tolist(), tree.relations, strict=True):
            seen[tree.coarse_tags[head - 1] if head else None, tag][relation] += 1
            modifiers[tag].add(relation)
    new = Sentence.from_words(["w"] * 5, coarse_tags=["N", "X", "V", "D", "P"])
    heads, modifiers_at = (array.ravel() for array in np.indices((6, 6)))
    heads, modifiers_at = heads[modifiers_at > 0], modifiers_at[modifiers_at > 0]
    starts, labels = table.allowed(new, heads, modifiers_at)
    for k, (head, modifier) in enumerate(zip(heads.tolist(), modifiers_at.tolist(), strict=True)):
        pair = (new.coarse_tags[head - 1] if head else None, new.coarse_tags[modifier - 1])
        expected = set(seen[pair]) if seen[pair].total() >= max(minimum_count, 1) else modifiers[pair[1]]
        found = [table.names[label] for label in labels[starts[k] : starts[k + 1]]]
        assert set(found) == (expected or set(table.names))
        assert labels[starts[k] : starts[k + 1]].tolist() == sorted(labels[starts[k] : starts[k + 1]].tolist())


@pytest.mark.parametrize("minimum_count", [0, 5, 1000])
def test_gold_relations_of_training_are_allowed(treebank, minimum_count):
    table = RelationTable.fit(treebank, minimum_count=minimum_count)
    for tree in treebank:
        starts, labels = table.allowed(tree, tree.heads, np.arange(1, len(tree) + 1))
        places = label_places(starts, labels, table.numbers(tree.relations))
        assert (places >= 0).all()
        assert [table.names[label] for label in labels[places]] == list(tree.relations)


def test_names_are_numbered_by_frequency(treebank):
    table = RelationTable.fit(treebank)
    counts = Counter(name for tree in treebank for name in tree.relations)
    assert len(table) == len(counts)
    assert list(table.names) == sorted(counts, key=lambda name: (-counts[name], name))
    assert table.numbers(["root", "never"]).tolist() == [table.names.index("root"), -1]


def test_missing_relations_are_one_relation():
    bare = Sentence.from_words(["a", "b"], tags=["N", "V"], heads=[2, 0])
    table = RelationTable.fit([bare])
    assert table.names == ("_",)
    assert table.allowed(bare, [2, 0], [1, 2])[1].tolist() == [0, 0]
    assert RelationTable.fit([]).names == ("_",)


def test_words_without_a_head_say_nothing():
    some = Sentence.from_words(["a", "b"], tags=["N", "V"], heads=[2, -1], relations=["subj", "root"])
    assert RelationTable.fit([some]).names == ("subj",)


def test_round_trip(treebank):
    table = RelationTable.fit(treebank)
    again = RelationTable.from_arrays(table.to_arrays())
    assert again.names == table.names
    for tree in treebank[:10]:
        arcs = tree.heads, np.arange(1, len(tree) + 1)
        for one, other in zip(table.allowed(tree, *arcs), again.allowed(tree, *arcs), strict=True):
            np.testing.assert_array_equal(one, other)


def test_damaged_arrays_are_refused(treebank):
    good = RelationTable.fit(treebank).to_arrays()
    last = len(good["starts"]) - 1
    for name, value, said in [
        ("names", np.array([300]), "no bytes"),
        ("names", np.array([255], dtype=np.uint8), "not UTF-8"),
        ("names", np.frombuffer(b"a\na", dtype=np.uint8), "no different texts"),
        ("names", np.frombuffer(b"a", dtype=np.uint8), "members must rise in each set, from 0 to 0"),
        ("tags", np.frombuffer(b"N\nV", dtype=np.uint8), "tags and sets"),
        ("sets", good["sets"][1:], "sets of shape"),
        ("sets", good["sets"] + last, "there are"),
        ("sets", good["sets"].astype(float), "must be integers"),
        ("starts", good["starts"][:-1], "expected sets"),
        ("starts", good["starts"][:1], "expected sets"),
        ("starts", good["starts"][None], "expected sets"),
        ("members", good["members"][:-1], "expected sets"),
        ("members", good["members"][::-1].copy(), "members must rise"),
        ("members", good["members"] - 1, "members must rise"),
    ]:
        with pytest.raises(ValueError, match=said):
            RelationTable.from_arrays({**good, name: value})
    with pytest.raises(ValueError, match="missing"):
        RelationTable.from_arrays({name: array for name, array in good.items() if name != "sets"})


def test_what_are_no_arcs_is_refused(treebank):
    table, tree = RelationTable.fit(treebank), Sentence.from_words(["a"], tags=["N"])
    for heads, modifiers, said in [
        ([0, 0], [1], "as many"),
        ([2], [1], "heads go from 2 to 2; expected 0 to 1"),
        ([0], [-1], "modifiers go from -1"),
        ([[0]], [1], "vector"),
        ([0.5], [1], "must be integers"),
    ]:
        with pytest.raises(ValueError, match=said):
            table.allowed(tree, heads, modifiers)
    with pytest.raises(ValueError, match="minimum_count"):
        RelationTable.fit(treebank, minimum_count=-1)
