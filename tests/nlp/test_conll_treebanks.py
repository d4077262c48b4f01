"""Real treebanks, beside the repository and not in it: without them these tests are skipped."""

import gzip
import io
import re
from pathlib import Path

import numpy as np
import pytest

from nlp.conll import CONLL_U, CONLL_X, nonprojective_arcs, projectivise_all, read_all, write_sentences

DATA = Path(__file__).parent.parent.parent.parent / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the treebanks are not at ../shared/data")

FILES = sorted(DATA.glob("*/*.gz"))
SEVERAL_ROOTS = {
    "danish_ddt_train.rebuilt.conll.gz": 22,
    "danish_ddt_test.conll.gz": 1,
    "dutch_alpino_test.conll.gz": 89,
}


def published() -> dict[str, tuple[int, int, float, float]]:
    """Sentences, tokens, % of non-projective arcs and of trees, by file, from the table of the read-me."""
    found, folder = {}, ""
    for line in (DATA / "README.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if not cells or not (cells[0].startswith("**") or re.match(r"\d", cells[2] if len(cells) > 2 else "")):
            continue
        if cells[0].startswith("**"):
            folder = cells[0].strip("*")
            continue
        parts = [cell.split(" / ") for cell in (cells[0], *cells[2:6])]
        for part, sentences, tokens, arcs, trees in zip(*parts, strict=True):
            name = part if part.endswith(".gz") else next((DATA / folder).glob(f"*-{part}.*")).name
            found[name] = (int(sentences), int(tokens), float(arcs), float(trees))
    return found


def test_the_table_is_about_all_files():
    assert {path.name for path in FILES} == set(published())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_treebank(path):
    messages: list[str] = []
    sentences = read_all(path, on_warning=messages.append)
    assert len(messages) == SEVERAL_ROOTS.get(path.name, 0)
    assert {sentence.format for sentence in sentences} == {CONLL_U if ".conllu" in path.name else CONLL_X}
    stream = io.BytesIO()
    write_sentences(sentences, stream)
    with gzip.open(path) as original:
        assert stream.getvalue() == original.read()
    crossing = [nonprojective_arcs(sentence.heads) for sentence in sentences]
    words = sum(map(len, sentences))
    arcs = 100 * sum(int(x.sum()) for x in crossing) / words
    trees = 100 * sum(bool(x.any()) for x in crossing) / len(sentences)
    assert (len(sentences), words, round(arcs, 2), round(trees, 2)) == published()[path.name]


def test_projectivised_treebank():
    sentences = read_all(DATA / "ud-latin-perseus" / "la_perseus-ud-test.conllu.gz")
    gold = [sentence.heads for sentence in sentences]
    projective = projectivise_all(gold, roots="one")
    crossing = sum(int(nonprojective_arcs(heads).sum()) for heads in gold)
    lost = 0
    for heads, result in zip(gold, projective, strict=True):
        assert not nonprojective_arcs(result).any()
        assert (result == 0).sum() == 1
        lost += int((heads != result).sum())
        if not nonprojective_arcs(heads).any():
            np.testing.assert_array_equal(heads, result)
    assert 0 < lost <= crossing
