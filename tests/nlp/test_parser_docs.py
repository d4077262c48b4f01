"""docs/parser.md lists every option with its default, and the default templates as they are."""

import re
from pathlib import Path

import pytest

from nlp.deps import default_templates, template_roles
from nlp.deps.options import CHANGEABLE, parser_options
from nlp.deps.parse_command import parse
from nlp.deps.train_command import train
from nlp.features import parse_templates

PAGE = (Path(__file__).parents[2] / "docs" / "parser.md").read_text(encoding="utf-8")
OPTIONS = parser_options()


def rows():
    """The rows of the tables of options: values by option."""
    found = {}
    for names, dot, values in re.findall(r"^\| (`[a-z_`, ]+`)( •)? \| ([^|]*) \|", PAGE, re.MULTILINE):
        several = re.findall(r"`([a-z_]+)`", names)
        shown = values.split(", ") if len(several) > 1 else [values]
        for name, value in zip(several, shown, strict=True):
            assert name not in found
            found[name] = value, bool(dot)
    return found


@pytest.mark.parametrize("option", sorted(OPTIONS))
def test_every_option_is_in_a_table_with_its_default(option):
    values, changeable = rows()[option]
    assert changeable == (option in parser_options(*CHANGEABLE))
    chosen = re.findall(r"\*\*(\S+?)\*\*", values)
    choice = OPTIONS.choices().get(option)
    default = OPTIONS.attributes()[option].default if choice is None else choice.default
    if default is None:
        assert not chosen
    else:
        assert chosen == [str(default) if not isinstance(default, bool) else "on" if default else "off"]
    if choice is not None:
        shipped = {name for name, kind in choice.contract.kinds().items() if _is_shipped(kind)}
        assert set(values.replace("*", "").split(", ")) == shipped


def _is_shipped(kind):
    return kind.__module__.split(".")[0] in ("autodiff", "pgm", "nlp")


def test_nothing_else_is_in_the_tables():
    assert set(rows()) - set(OPTIONS) == {"templates"}


@pytest.mark.parametrize("command", [train, parse])
def test_every_option_of_the_shell_is_on_the_page(command):
    names = {option.removeprefix("--") for parameter in command.params for option in parameter.opts}
    known = {name for name in names if f"--{name}" in PAGE or f"`{name.replace('-', '_')}`" in PAGE}
    assert names - known <= {"source"}  # an argument


def test_every_file_is_named():
    folder = Path(__file__).parents[2] / "nlp" / "deps"
    listed = PAGE.split("## What is inside")[1].split("To extend it")[0]
    for name in re.findall(r"`([a-z_]+\.py)`", listed):
        assert (folder / name).exists(), name
    for name in re.findall(r"`([a-z_]+)/`", listed):
        assert (folder / name).is_dir(), name


def test_defaults_on_the_page_are_the_defaults():
    listed = parse_templates(re.split(r"<!-- templates:.*-->\n+```\n", PAGE)[1].split("```")[0], roles=template_roles())
    assert {name: [t.text for t in found] for name, found in listed.items()} == {
        name: [t.text for t in found] for name, found in default_templates().items()
    }
