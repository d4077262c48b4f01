"""Reading and writing treebanks: the words are right, and the bytes come back."""

import gzip
import io
import pickle
from pathlib import Path

import numpy as np
import pytest

from nlp.conll import CONLL_2009, CONLL_U, CONLL_X, ConllWarning, Sentence, read_all, read_sentences, write_sentences

FIXTURES = Path(__file__).parent.parent / "fixtures"
NAMES = ["goats.conll", "kettle.conll09", "ducks.conllu"]
ROW = "{}\t{}\t_\tN\tNN\t_\t{}\tdep\t_\t_\n"


def row(word: int, head: object, form: str = "word") -> str:
    return ROW.format(word, form, head)


def read(data: str | bytes, **options) -> list[Sentence]:
    return read_all(io.BytesIO(data.encode() if isinstance(data, str) else data), **options)


def written(sentences) -> bytes:
    stream = io.BytesIO()
    assert write_sentences(sentences, stream) == len(sentences)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("name", "columns", "lengths"),
    [("goats.conll", CONLL_X, [5, 3, 7]), ("kettle.conll09", CONLL_2009, [6, 2]), ("ducks.conllu", CONLL_U, [5, 6, 3])],
)
def test_formats_are_detected(name, columns, lengths):
    sentences = read_all(FIXTURES / name)
    assert [len(sentence) for sentence in sentences] == lengths
    assert all(sentence.format is columns for sentence in sentences)
    for sentence in sentences:
        assert sentence.heads.dtype == np.int64
        assert not sentence.heads.flags.writeable
        parts = (sentence.lemmas, sentence.coarse_tags, sentence.tags, sentence.feats, sentence.relations)
        assert all(len(part) == len(sentence) == len(sentence.heads) for part in parts)


@pytest.mark.parametrize(
    ("line", "columns"),
    [
        ("1 a a a N N _ _ 0 0 root root _ _", CONLL_2009),
        ("1 a a a N N 3 _ 0 0 root root _ _", CONLL_2009),  # a number as FEAT
        ("1 a a a N N _ _ 0 _ root _", CONLL_2009),
        ("1 a a N N _ 0 root 0 root more more", CONLL_X),
        ("1 a a N N _ 0 root _ _ more more more more", CONLL_X),
    ],
)
def test_more_than_ten_columns(line, columns):
    (sentence,) = read(line.replace(" ", "\t"))
    assert sentence.format is columns
    assert (sentence.heads.tolist(), sentence.relations, sentence.tags) == ([0], ("root",), ("N",))


def test_ranges_and_empty_nodes_are_no_words():
    first, second, third = read_all(FIXTURES / "ducks.conllu")
    assert first.forms == ("Ducks", "ca", "n't", "knit", ".")
    assert first.heads.tolist() == [4, 4, 4, 0, 4]
    assert first.comments[2] == "# text = Ducks can't knit."
    assert second.forms == ("Snails", "walk", "and", "ducks", "home", ".")
    assert second.relations[4] == "orphan"
    assert third.forms[1] == "3 500"


def test_missing_columns_fall_back_on_their_neighbours():
    first, _ = read_all(FIXTURES / "kettle.conll09")
    assert first.lemmas == ("the", "kettle", "sing", "and", "dance", "!")
    assert first.tags == ("DT", "NN", "VBD", "CC", "VBD", ".")
    assert first.coarse_tags == first.tags
    assert first.morphology[4] == ("x=1",)
    knit = read_all(FIXTURES / "ducks.conllu")[0]
    assert (knit.tags[3], knit.coarse_tags[3]) == ("VERB", "VERB")
    (only_fine,) = read("1\ta\t_\t_\tNN\t_\t0\troot\t_\t_\n")
    assert (only_fine.tags, only_fine.coarse_tags) == (("NN",), ("NN",))


ODD = {
    "no blank line at the end": row(1, 0),
    "no end of line at the end": row(1, 0).rstrip("\n"),
    "several blank lines": "\n\n" + row(1, 0) + "\n\n\n" + row(1, 0) + "\n\n\n",
    "blank lines of spaces and tabs": row(1, 0) + " \t\n" + row(1, 0) + "\t\t\n",
    "ends of Windows": (row(1, 0) + row(2, 1) + "\n" + row(1, 0)).replace("\n", "\r\n"),
    "spaces and tabs after the columns": row(1, 0)[:-1] + " \n" + row(2, 1)[:-1] + "\t\n" + row(3, 1)[:-1] + "\t \r\n",
    "byte order mark": "\ufeff# text\n" + row(1, 0) + "\n",
    "byte order mark before a word": "\ufeff" + row(1, 0),
    "other separators of lines": row(1, 0, "a\x0b\x0c\u2028\x85b") + "\n",
    "more columns": row(1, 0)[:-1] + "\tmore\tx\n" + row(2, 1)[:-1] + "\tand\t\n",
    "eight columns": "1\ta\t_\tN\tN\t_\t0\troot\n\n",
    "comments that look like words": "#1\tx\n#\n" + row(1, 0) + "\n",
    "heads with zeros": row(1, "00") + row(2, "01") + "\n",
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_odd_files_come_back_byte_for_byte(text):
    data = text.encode()
    sentences = read(data)
    assert sum(map(len, sentences)) == text.count("\tN\t")
    assert written(sentences) == data
    assert written(read(gzip.compress(data))) == data
    again = [sentence.with_heads(sentence.heads, sentence.relations) for sentence in sentences]
    assert written(again) == (data if "\t0" in text and "\t00" not in text else data.replace(b"\t0", b"\t"))


@pytest.mark.parametrize("name", NAMES)
def test_fixtures_come_back_byte_for_byte(name, tmp_path):
    sentences = read_all(FIXTURES / name)
    for target in (tmp_path / "copy.conll", tmp_path / "copy.gz"):
        assert write_sentences(sentences, target) == len(sentences)
        assert read_all(target) == sentences
    assert (tmp_path / "copy.conll").read_bytes() == (FIXTURES / name).read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.conll", "copy.gz"]


def test_heads_go_to_their_column_and_nothing_else_changes():
    for name, column, relation_column in zip(NAMES, (6, 8, 6), (7, 10, 7), strict=True):
        for sentence in read_all(FIXTURES / name):
            chain = np.arange(len(sentence))
            relations = [f"r{i}" for i in range(len(sentence))]
            changed = sentence.with_heads(chain, relations)
            assert changed.heads.tolist() == chain.tolist()
            assert changed.relations == tuple(relations)
            words = 0
            for before, after in zip(sentence.lines, changed.lines, strict=True):
                old, new = before.split("\t"), after.split("\t")
                if old[0].isdigit():
                    assert (new[column], new[relation_column]) == (str(chain[words]), relations[words])
                    new[column], new[relation_column] = old[column], old[relation_column]
                    words += 1
                assert new == old
            assert words == len(sentence)
            assert read(changed.text)[0] == changed
            assert sentence.with_heads(chain).relations == sentence.relations


def test_input_without_heads():
    blind = "1\tGo\tgo\tV\tVB\t_\n2\thome\thome\tN\tNN\t_\n\n"
    missing = row(1, "_") + row(2, "_") + "\n"
    for text in (blind, missing):
        (sentence,) = read(text, strict_trees=False)
        assert sentence.heads.tolist() == [-1, -1]
        assert not sentence.has_heads
        assert written([sentence]) == text.encode()
        parsed = sentence.with_heads([0, 1], ["root", "obj"])
        assert read(parsed.text)[0].heads.tolist() == [0, 1]
        assert parsed.has_heads
    zeros, cycle = read(row(1, 0) + row(2, 0) + "\n" + row(1, 2) + row(2, 1), strict_trees=False)
    assert (zeros.heads.tolist(), cycle.heads.tolist()) == ([0, 0], [2, 1])


def test_heads_that_cannot_be_are_refused():
    sentence = read(row(1, 0) + row(2, 1))[0]
    for heads in ([0], [0, 3], [0, -2], [0.0, 1.0], [[0, 1]]):
        with pytest.raises(ValueError, match="expected"):
            sentence.with_heads(heads)
    for relations in (["a"], ["a", ""], ["a", "b\tc"], ["a", "b\n"]):
        with pytest.raises(ValueError, match="expected"):
            sentence.with_heads([0, 1], relations)


def test_several_roots_are_a_warning():
    text = row(1, 0) + row(2, 0) + "\n" + row(1, 0) + "\n" + row(1, 0) + row(2, 0) + row(3, 0)
    with pytest.warns(
        ConllWarning, match=r"^<stream>:1: 2 words have head 0; .* \(2 of 3 sentences have several roots"
    ):
        read(text)
    messages: list[str] = []
    assert len(read(text, on_warning=messages.append)) == 3
    assert [message.split(":")[1] for message in messages] == ["1", "6"]


def test_sources(tmp_path, monkeypatch):
    data = (FIXTURES / "ducks.conllu").read_bytes()
    expected = read_all(FIXTURES / "ducks.conllu")
    (tmp_path / "named.txt").write_bytes(gzip.compress(data))  # gzip is known by its bytes
    stream = io.BytesIO(data)
    assert read_all(stream) == expected
    assert not stream.closed
    assert read_all(str(tmp_path / "named.txt")) == expected
    assert read_all(io.StringIO(data.decode())) == expected
    with (
        open(FIXTURES / "ducks.conllu", encoding="ascii") as text_file,
        open(tmp_path / "named.txt", "rb") as bytes_file,
    ):
        assert read_all(text_file) == read_all(bytes_file) == expected
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), encoding="ascii"))
    assert read_all("-") == expected
    output = io.TextIOWrapper(io.BytesIO(), encoding="ascii", newline="\r\n")
    monkeypatch.setattr("sys.stdout", output)
    write_sentences(expected, "-")
    assert output.buffer.getvalue() == data
    text = io.StringIO()
    assert write_sentences(expected, text) == 3
    assert text.getvalue() == data.decode()
    with pytest.raises(FileNotFoundError):
        read_all(tmp_path / "nothing")


def test_reading_is_lazy():
    class Endless(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, buffer):
            text = (row(1, 0) + "\n").encode()
            buffer[: len(text)] = text
            return len(text)

    sentences = read_sentences(Endless())
    assert [len(next(sentences)) for _ in range(3)] == [1, 1, 1]


def test_sentences_of_several_files_stay_apart():
    one, other = read("\ufeff" + row(1, 0, "one").rstrip("\n")), read("\ufeff" + row(1, 0, "other"))
    both = read(written([*one, *other, *one]))
    assert [sentence.forms for sentence in both] == [("one",), ("other",), ("one",)]


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "file.conll"
    path.write_text("old")

    def sentences():
        yield Sentence.from_words(["a"])
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        write_sentences(sentences(), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_from_words_equality_and_pickling():
    sentence = Sentence.from_words(["a", "b"], tags=["X", "Y"], coarse_tags=["x", "y"], feats=["f", "_"], heads=[0, 1])
    assert read(sentence.text) == [sentence] == [pickle.loads(pickle.dumps(sentence))]
    assert sentence != sentence.with_heads([2, 0])
    assert len({sentence, read(sentence.text)[0]}) == 1
    assert not sentence.with_heads([2, 0]).heads.flags.writeable
    with pytest.raises(ValueError, match="1 tags; expected 2"):
        Sentence.from_words(["a", "b"], tags=["X"])
