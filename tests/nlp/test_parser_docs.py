"""docs/parser.md lists every option, and the default templates as they are."""

import re
from pathlib import Path

import pytest
from attrs import fields_dict
from nlp.deps.training import TrainingSettings

from nlp.deps import PruningSettings, default_templates, template_roles
from nlp.deps.parse_command import parse
from nlp.deps.settings import ModelSettings
from nlp.deps.train_command import train
from nlp.features import parse_templates

PAGE = (Path(__file__).parents[2] / "docs" / "parser.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("settings", [ModelSettings, TrainingSettings, PruningSettings])
def test_every_setting_is_on_the_page(settings):
    assert not [name for name in fields_dict(settings) if f"`{name}`" not in PAGE]


@pytest.mark.parametrize("command", [train, parse])
def test_every_option_is_on_the_page(command):
    names = {option.removeprefix("--") for parameter in command.params for option in parameter.opts}
    known = {name for name in names if f"--{name}" in PAGE or f"`{name.replace('-', '_')}`" in PAGE}
    assert names - known <= {"source", "two-cycles"}  # an argument; and --no-two-cycles


def test_defaults_on_the_page_are_the_defaults():
    listed = parse_templates(re.split(r"<!-- templates:.*-->\n+```\n", PAGE)[1].split("```")[0], roles=template_roles())
    assert {name: [t.text for t in found] for name, found in listed.items()} == {
        name: [t.text for t in found] for name, found in default_templates().items()
    }


def test_default_values_on_the_page_are_the_defaults():
    table = dict(re.findall(r"^\| `([a-z_2]+)`[^|]*\| ([^|]*) \|", PAGE, re.MULTILINE))
    for settings in (PruningSettings, ModelSettings, TrainingSettings):
        for name, field in fields_dict(settings).items():
            if settings is PruningSettings and name == "epochs":  # one row for two
                assert re.search(r"^\| `epochs`, `model` \| \*\*1\*\*, \*\*on\*\* \|", PAGE, re.MULTILINE)
                assert (PruningSettings().epochs, PruningSettings().model) == (1, True)
                continue
            chosen = re.findall(r"\*\*(\S+?)\*\*", table.get(name, ""))
            if len(chosen) == 1:
                value = {"on": True, "off": False}.get(chosen[0], chosen[0])
                assert str(value) == str(field.default) or float(value) == field.default, name
