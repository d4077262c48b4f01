"""Malformed files: one line that says where, what, and what was expected; and never anything else."""

import gzip
import io
import re
from pathlib import Path

import numpy as np
import pytest

from nlp.conll import ConllError, Limits, read_all, write_sentences

FIXTURES = Path(__file__).parent.parent / "fixtures"
NAMES = ["goats.conll", "kettle.conll09", "ducks.conllu"]


def rows(*words: str) -> str:
    """Rows of ten columns from `id head`."""
    return "".join("{}\tw\t_\tN\tNN\t_\t{}\tdep\t_\t_\n".format(*word.split()) for word in words)


TWO = rows("1 0", "2 1")
BAD = {
    "a cycle": (TWO + "\n" + rows("1 0", "2 4", "3 2", "4 3"), 5, "a cycle of heads, 2 → 4 → 3 → 2; expected a tree"),
    "a word as its own head": (rows("1 0", "2 2"), 2, "a cycle of heads, 2 → 2"),
    "no root": (rows("1 2", "2 1"), 1, "no word has head 0"),
    "head too large": (rows("1 0", "2 3"), 2, "head '3' is no word; expected a head from 0 to 2"),
    "head much too large": (rows("1 0", "2 " + "9" * 5000), 2, "head '9+...' is no word"),
    "negative head": (rows("1 0", "2 -1"), 2, "'-1' as head; expected a whole number from 0 to 2"),
    "head in other digits": (rows("1 0", "2 ١"), 2, "'١' as head"),
    "head with underscore": (rows("1 0", "2 1_0"), 2, "'1_0' as head"),
    "head missing": (rows("1 0", "2 _"), 2, "word 2 has no head; expected one in column 7"),
    "heads of CoNLL-2009 missing": ("1\ta" + "\t_" * 12, 1, "word 1 has no head; expected one in column 9"),
    "no columns for heads": ("1\ta\t_\tN\tN\t_\n", 1, "word 1 has no head"),
    "too few columns": ("1\ta\tN\n", 1, "3 columns; expected 10 or more"),
    "spaces for tabs": (TWO.replace("\t", " "), 1, "1 column; expected .* separated by tabs"),
    "columns change": (TWO + "\n" + rows("1 0").replace("\n", "\tmore\n"), 4, "11 columns; expected 10, as before"),
    "columns end early": (rows("1 0") + "2\tw\t_\n", 2, "3 columns; expected 10"),
    "an empty column": (TWO.replace("\tw\t", "\t\t", 1), 1, "column 2 is empty; expected a value, or _"),
    "ids start late": (rows("2 0"), 1, "'2' as id; expected word 1"),
    "ids skip": (rows("1 0", "3 1"), 2, "'3' as id; expected word 2"),
    "ids repeat": (rows("1 0", "1 0"), 2, "'1' as id; expected word 2"),
    "no blank line between": (TWO + rows("1 0"), 3, "'1' as id; expected word 3"),
    "id with zero": (rows("01 0"), 1, "'01' as id"),
    "a range too late": (rows("1 0", "1-2 _", "2 1"), 2, "'1-2' as id"),
    "a range backwards": (rows("1 0", "2-1 _", "2 1"), 2, "'2-1' as id"),
    "ranges that overlap": (rows("1-3 _", "1 0", "2-3 _", "2 1", "3 1"), 3, "'2-3' as id"),
    "a range too long": (rows("1-4 _", "1 0", "2 1"), 1, "a range to word 4 of 2; expected a range within"),
    "an empty node at the wrong place": (rows("1 0", "2.1 _", "2 1"), 2, "'2.1' as id"),
    "empty nodes that skip": (rows("1 0", "1.2 _", "2 1"), 2, "'1.2' as id"),
    "only comments": ("# one\n\n# two\n" + TWO, 2, "a sentence without words"),
    "only an empty node": (rows("0.1 _"), 1, "a sentence without words"),
    "a comment within": (rows("1 0") + "# here\n" + rows("2 1"), 2, "a comment within a sentence"),
}


@pytest.mark.parametrize(("text", "line", "message"), BAD.values(), ids=BAD)
def test_bad_files_are_refused_in_one_line(text, line, message):
    with pytest.raises(ConllError, match=rf"^<stream>:{line}: {message}"):
        read_all(io.BytesIO(text.encode()))


def test_trees_of_input_to_parse_may_be_bad_but_not_its_numbers():
    for name in ("a cycle", "a word as its own head", "no root", "head missing", "no columns for heads"):
        assert read_all(io.BytesIO(BAD[name][0].encode()), strict_trees=False)
    for name in ("head too large", "negative head", "ids skip"):
        with pytest.raises(ConllError):
            read_all(io.BytesIO(BAD[name][0].encode()), strict_trees=False)


def test_bad_bytes_are_found_on_their_line():
    with pytest.raises(ConllError, match=r"^<stream>:2: byte 0xff is not UTF-8; expected"):
        read_all(io.BytesIO(TWO.encode().replace(b"\n2\tw", b"\n2\t\xff")))
    with pytest.raises(ConllError, match=r"^<stream>:1: byte 0xed is not UTF-8; expected"):
        read_all(io.StringIO(TWO.replace("w", "\ud800")))


def test_bad_gzip(tmp_path):
    rng = np.random.default_rng(0)
    text = "".join(rows("1 0", f"2 {rng.integers(2)}") + "\n" for _ in range(2000)).encode()
    data = gzip.compress(text)
    path = tmp_path / "broken.gz"
    for bad in (data[:-20], data[: len(data) // 2], data[:5], data[:200] + b"\x00\xff" * 50 + data[300:]):
        path.write_bytes(bad)
        with pytest.raises(ConllError, match=rf"^{re.escape(str(path))}:\d+: (broken gzip|.*expected)"):
            read_all(path, on_warning=lambda message: None)


FIELDS = [b"_", b"0", b"1", b"2", b"7", b"-1", b"1-2", b"2-3", b"1.1", b"0.1", b"9" * 5000, b"1e3", "٣".encode(), b"Y"]
BYTES = [
    b"\t",
    b"\n",
    b"\r",
    b"\r\n",
    b"\n\n",
    b" ",
    b"#",
    b"\xff",
    b"\x00",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
    b"-",
    b".",
]


def damaged(data: bytes, rng: np.random.Generator) -> bytes:
    """Change some fields, lines or bytes."""
    lines = data.split(b"\n")
    for _ in range(rng.integers(1, 4)):
        at, other = rng.integers(len(lines), size=2)
        match rng.integers(8):
            case 0:
                del lines[at : at + int(rng.integers(1, 3))]
                lines = lines or [b""]
            case 1:
                lines[at], lines[other % len(lines)] = lines[other % len(lines)], lines[at]
            case 2:
                lines.insert(at, lines[other])
            case 3:
                lines[at] = lines[at][: rng.integers(len(lines[at]) + 1)]
            case 4:
                lines[at] += b"\t" + lines[other]
            case 5:
                position = rng.integers(len(lines[at]) + 1)
                lines[at] = lines[at][:position] + BYTES[rng.integers(len(BYTES))] + lines[at][position:]
            case _:
                fields = lines[at].split(b"\t")
                fields[rng.integers(len(fields))] = FIELDS[rng.integers(len(FIELDS))]
                lines[at] = b"\t".join(fields)
    return b"\n".join(lines)


@pytest.mark.parametrize("strict_trees", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_damaged_files_are_read_or_refused(name, strict_trees):
    """What is read also comes back byte for byte."""
    rng = np.random.default_rng([NAMES.index(name), strict_trees])  # other files for either mode
    data = (FIXTURES / name).read_bytes()
    outcomes = {"read": 0, "refused": 0}
    for number in range(5000):
        bad = damaged(data, rng)
        packed = gzip.compress(bad, 1) if number % 20 == 0 else bad
        if number % 40 == 0:
            position = rng.integers(len(packed))
            packed = packed[:position] + bytes([rng.integers(256)]) + packed[position + 1 :]
            bad = b""
        message, sentences = "", []
        try:
            sentences = read_all(io.BytesIO(packed), strict_trees=strict_trees, on_warning=lambda message: None)
        except ConllError as error:
            message = str(error)
        if message:
            assert re.match(r"<stream>:[1-9]\d*: [^\n]+; expected [^\n]+$", message), message
            outcomes["refused"] += 1
            continue
        outcomes["read"] += 1
        stream = io.BytesIO()
        write_sentences(sentences, stream)
        assert not bad.strip() or stream.getvalue() == bad
        for sentence in sentences:
            assert 1 <= len(sentence) == len(sentence.heads) == len(sentence.relations)
            assert read_all(io.BytesIO(sentence.with_heads(np.arange(len(sentence))).text.encode()))
    assert min(outcomes.values()) > 200, outcomes


def test_limits():
    word = b"1\ta\t_\tN\tN\t_\t0\t_\t_\t_\n"
    for data, limits, message in (
        (word * 1, Limits(line=9), "<stream>:1: a line of more than 9 bytes"),
        (word + b"\n" * 5, Limits(lines=5), "<stream>:6: more than 5 lines of one sentence"),
        (b"\n" * 9, Limits(lines=5), "<stream>:6: more than 5 lines of one sentence"),
        ((word + b"\n") * 50, Limits(megabytes=1e-3), "<stream>:[0-9]+: more than 0.001 MB"),
        (gzip.compress((word + b"\n") * 50), Limits(megabytes=1e-3), "<stream>:[0-9]+: more than 0.001 MB"),
    ):
        with pytest.raises(ConllError, match=message):
            read_all(io.BytesIO(data), limits=limits)
    enough = Limits(line=len(word), lines=2, megabytes=50 * len(word + b"\n") / 1e6)
    assert len(read_all(io.BytesIO((word + b"\n") * 50), limits=enough)) == 50


@pytest.mark.parametrize("zipped", [False, True])
def test_a_file_on_disk_is_measured_before_it_is_read(tmp_path, zipped):
    data = b"1\ta\t_\tN\tN\t_\t0\t_\t_\t_\n\n" * 1000
    (tmp_path / "x").write_bytes(gzip.compress(data) if zipped else data)
    with pytest.raises(ConllError, match=r"x:1: more than 0\.02 MB"):
        read_all(tmp_path / "x", limits=Limits(megabytes=0.02))
    assert len(read_all(tmp_path / "x", limits=Limits(megabytes=len(data) / 1e6))) == 1000
