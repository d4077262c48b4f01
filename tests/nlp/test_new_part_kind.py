"""A new kind of parts is one class: nothing else is told of it."""

import gc
from typing import Any, ClassVar

import click
import numpy as np
import pytest
from click.testing import CliRunner

from autodiff.click_options import add_options, given_options
from nlp.deps import DependencyParser, default_templates, template_roles
from nlp.deps.kinds import PartKind, switches
from nlp.deps.options import parser_options
from nlp.features import parse_templates
from oracles.sentences import invented_sentences
from pgm.factors import Table
from pgm.learning import Placed


def define():
    """Return a kind: each arc from a word with each word between, which is so much work that few would want it."""

    class WordsBetween(PartKind):
        name: ClassVar[str] = "word_between"
        option: ClassVar[str] = "words_between"
        help: ClassVar[str] = "Factors for an arc with a word between."
        roles: ClassVar[tuple[str, ...]] = ("h", "m", "w")
        templates: ClassVar[str] = "h.tag w.tag m.tag dir\nh.tag w.form m.tag\nw.tag m.tag dir.wm\nbetween.tag w.form"

        def positions(self, parts):
            arcs, words = self._listed(parts)
            return parts.heads[arcs], parts.modifiers[arcs], words

        def _listed(self, parts):
            ends = [sorted(arc) for arc in zip(parts.heads.tolist(), parts.modifiers.tolist(), strict=True)]
            found = [(arc, word) for arc, (low, high) in enumerate(ends) if low for word in range(low + 1, high)]
            return np.array(found, dtype=np.int64).reshape(-1, 2).T

        def factors(self, arcs: Any, parts):
            own, _ = self._listed(parts)
            if not len(own):
                return []
            table = Table(arcs[own[:, None]], np.zeros((len(own), 2)), name="words between")
            return [Placed(table, slice(None), (slice(None), 1))]

        def present(self, parts, tree):
            return tree[self._listed(parts)[0]]

        def gains(self, parts, tree, scores):
            return np.bincount(self._listed(parts)[0], weights=scores, minlength=len(parts))

    return WordsBetween


@pytest.fixture(autouse=True)
def lent():
    """Let the kind be there for a test, and not for others."""
    kind = define()
    yield
    del kind
    switches._make.cache_clear()
    gc.collect()
    assert "word_between" not in PartKind.kinds()


def test_it_is_learnt_saved_and_loaded(tmp_path):
    sentences = invented_sentences(45)
    options = {"siblings": False, "grandparents": False, "bits": 16, "epochs": 6, "learning_rate": 0.02}
    parser = DependencyParser(words_between=True, objective="cll", **options).fit(sentences[:35])
    assert [one.name for one in parser.kinds] == ["arc", "word_between"]
    assert parser.score(sentences[35:]).uas >= 80
    instance = parser.model.instance(max(sentences, key=len))
    scores, _ = parser.model.scorer.score(instance)
    assert np.abs(scores["word_between"]).max() > 0.01
    for decoder in ("mbr", "map"):
        decoded = parser.using(decoder=decoder)
        decoded.save(tmp_path / "m.tacana")
        again = DependencyParser.load(tmp_path / "m.tacana")
        assert again.parse(sentences) == decoded.parse(sentences)
    without = DependencyParser(**options).fit(sentences[:35])
    assert not np.allclose(without.marginals(sentences[-1]), parser.marginals(sentences[-1]))


def test_its_templates_are_those_of_a_file():
    assert template_roles()["word_between"] == ("h", "m", "w")
    own = parse_templates("[word_between]\nw.tag dir.hw", roles=template_roles())
    assert DependencyParser(templates=own).templates["word_between"].text == "dir.hw w.tag\n"
    assert len(default_templates()["word_between"]) == 4


def test_its_switch_is_on_the_command_line():
    given = {}

    @click.command()
    @add_options(parser_options())
    def command(**options):
        given.update(given_options(parser_options(), options))

    runner = CliRunner()
    assert "Factors for an arc with a word between." in runner.invoke(command, ["--help"], terminal_width=200).output
    runner.invoke(command, ["--words-between"], catch_exceptions=False)
    assert DependencyParser(**given).kinds[-1].name == "word_between"
