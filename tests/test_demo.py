"""The demonstration of `make demo`, and its treebank."""

import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

from nlp.command import main
from nlp.conll import is_projective
from nlp.deps.demo import garden, garden_file
from nlp.deps.text_tree import text_tree

PARTS = ["train", "dev", "test"]


def text(sentence):
    return next(line.removeprefix("# text = ") for line in sentence.comments if line.startswith("# text = "))


@pytest.fixture(scope="module")
def output(tmp_path_factory):
    """What the demonstration prints, in a directory where it leaves nothing."""
    with pytest.MonkeyPatch.context() as patch:
        empty = tmp_path_factory.mktemp("empty")
        patch.chdir(empty)
        result = CliRunner().invoke(main, ["demo"], catch_exceptions=False)
        assert result.exit_code == 0
        assert not list(empty.iterdir())
    return result.output


def test_demo_learns(output):
    losses = [float(loss) for loss in re.findall(r"epoch +\d+ +loss (\S+)", output)]
    assert losses[-1] < losses[0] / 5
    for name, least in (("UAS", 80), ("LAS", 75)):
        scores = [float(score) for score in re.findall(rf"^  {name} +(\S+)%", output, re.MULTILINE)]
        assert least < scores[0] < 100
    assert re.search(r"epoch +1 .* dev LAS \d+\.\d\d", output)


def test_demo_shows_a_held_out_sentence_with_its_gold_tree(output):
    shown = output.split("gets right:\n\n  ")[1].splitlines()[0]
    (sentence,) = [s for s in garden("test") if text(s) == shown]
    tree = text_tree(sentence.forms, sentence.heads.tolist(), sentence.relations)
    assert "(nsubj)" in tree
    assert "\n".join(f"  {line}" for line in tree.splitlines()) in output


def test_demo_marks_a_wrong_head(output):
    mistake = output.split("the nearest miss:")[1]
    (sentence,) = [s for s in garden("test") if text(s) == mistake.splitlines()[2].strip()]
    marked = re.findall(r"(\S+) \(\S+ ◀\)", mistake)
    assert len(marked) >= 2
    assert set(marked) <= set(sentence.forms)


@pytest.mark.slow
def test_demo_prints_commands_that_do_the_same(output, tmp_path):
    commands = output.split("The same from the shell")[1].split("\n\n", 1)[1]
    command = f"{sys.executable} -m nlp.deps "
    commands = re.sub(r"^  \S*tacana ", command, commands, flags=re.MULTILINE)
    result = subprocess.run(["sh", "-ec", commands], cwd=tmp_path, capture_output=True, text=True, check=True)
    ((unlabelled, labelled),) = re.findall(r"^all words +\d+ +(\S+) +(\S+)", result.stdout, re.MULTILINE)
    assert re.search(rf"^  UAS +{unlabelled}%", output, re.MULTILINE)
    assert re.search(rf"^  LAS +{labelled}%", output, re.MULTILINE)


@pytest.mark.parametrize("part", PARTS)
def test_garden_is_a_sound_treebank(part):
    sentences = garden(part)
    assert "Apache-2.0" in garden_file(part).read_text(encoding="utf-8")
    for sentence in sentences:
        assert (sentence.heads == 0).sum() == 1
        assert [relation == "root" for relation in sentence.relations] == (sentence.heads == 0).tolist()
        assert "_" not in (*sentence.tags, *sentence.coarse_tags, *sentence.lemmas)
        assert text(sentence).replace(" ", "") == "".join(sentence.forms)
    assert sum(is_projective(sentence.heads) for sentence in sentences) >= 0.95 * len(sentences)


def test_parts_of_the_garden_do_not_overlap():
    texts = [text(sentence) for part in PARTS for sentence in garden(part)]
    assert len(set(texts)) == len(texts)


def test_text_tree_of_a_long_chain_does_not_recurse():
    assert len(text_tree(["word"] * 2000, range(2000)).splitlines()) == 2000
