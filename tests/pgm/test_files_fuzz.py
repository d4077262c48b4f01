"""Thousands of damaged files: each loads, or is refused with a FileFormatError; nothing else ever happens."""

import gzip
import re
from pathlib import Path

import numpy as np
import pytest

from pgm import FileFormatError
from pgm.files import read_evidence, read_map, read_mar, read_model, read_pr, read_uai

FIXTURES = Path(__file__).parent.parent / "fixtures"
NUMBERS = (b"-1", b"0", b"2", b"999999999999", b"1e400", b"nan", b"-inf", b"1_0", "٣".encode(), b"9" * 5000)
ODD = (*NUMBERS, b"{", b"}", b";", b'"', b"/*", b"# ", b"\xff\xfe", b"\x00", b"")


def damaged(data: bytes, rng: np.random.Generator) -> bytes:
    """Truncate, or change some tokens."""
    if rng.random() < 0.15:
        return data[: rng.integers(len(data))]
    pieces = re.split(rb"(\s+)", data)
    for _ in range(rng.integers(1, 4)):
        at, other = 2 * rng.integers(len(pieces) // 2 + 1, size=2)
        match rng.integers(5):
            case 0:
                pieces[at] = b""
            case 1:
                pieces[at], pieces[other] = pieces[other], pieces[at]
            case 2:
                pieces[at] = ODD[rng.integers(len(ODD))]
            case 3:
                pieces[at] += b" " + pieces[other]
            case _:
                piece = bytearray(pieces[at] or b"0")
                piece[rng.integers(len(piece))] = rng.integers(256)
                pieces[at] = bytes(piece)
    return b"".join(pieces)


def outcome(reader, path: Path) -> str:
    """Read a file: whether it loads, or is refused as it should be; any other exception goes on."""
    try:
        reader(path)
    except FileFormatError as error:
        message = str(error)
    else:
        return "loads"
    assert re.match(re.escape(str(path)) + r":\d+: .*; expected ", message, re.DOTALL), message
    return "refused"


@pytest.mark.parametrize("name", ["markov.uai", "gaps.fg", "weather.bif"])
def test_damaged_models_load_or_are_refused(name, tmp_path):
    rng = np.random.default_rng(0)
    data = (FIXTURES / name).read_bytes()
    path = tmp_path / name
    outcomes = {"loads": 0, "refused": 0}
    for _ in range(2000):
        path.write_bytes(damaged(data, rng))
        outcomes[outcome(read_model, path)] += 1
    assert min(outcomes.values()) > 20, outcomes


@pytest.mark.parametrize(
    ("reader", "data"),
    [
        (read_mar, b"MAR\n3 2 0.5 0.5 1 1.0 2 0.1 0.9\n"),
        (read_pr, b"PR\n-12.5\n"),
        (read_map, b"MAP\n4 0 1 2 0\n"),
        (lambda path: read_evidence(path, read_uai(FIXTURES / "markov.uai")), b"2 1 2 2 0\n"),
        (lambda path: read_evidence(path, read_uai(FIXTURES / "markov.uai"), sample=1), b"2\n1 0 1\n2 1 2 2 0\n"),
    ],
    ids=["MAR", "PR", "MAP", "evidence", "samples"],
)
def test_damaged_answers_load_or_are_refused(reader, data, tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "file"
    for _ in range(500):
        path.write_bytes(damaged(data, rng))
        outcome(reader, path)


def test_damaged_gzip(tmp_path):
    rng = np.random.default_rng(0)
    data = gzip.compress((FIXTURES / "markov.uai").read_bytes(), mtime=0)
    path = tmp_path / "markov.uai.gz"
    for _ in range(300):
        piece = bytearray(data[: rng.integers(3, len(data))] if rng.random() < 0.3 else data)
        piece[rng.integers(2, len(piece))] = rng.integers(256)
        path.write_bytes(bytes(piece))
        outcome(read_uai, path)
