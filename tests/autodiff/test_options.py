"""Options by flat names: kinds that are chosen by name, plain values and back, and command lines made of fields."""

import json
from typing import Literal

import click
import pytest
from attrs import field, frozen
from attrs.validators import instance_of
from click.testing import CliRunner

from autodiff.click_options import add_options, given_options
from autodiff.named import Named, setting
from autodiff.options import Choice, OptionError, OptionSet, default_of
from autodiff.settings import settings_from
from autodiff.validators import number, one_of, plain, whole


class Shape(Named):
    """A contract."""


@frozen
class Circle(Shape):
    name = "circle"
    radius: float = setting(default=1.0, converter=plain, validator=number(above=0), help="Of the circle.")
    colour: str | None = field(default=None)  # of no option


@frozen
class Box(Shape):
    name = "box"
    side: float = setting(default=2.0, converter=plain, validator=number(above=0), help="Of the box.")
    rounded: bool = setting(default=False, validator=instance_of(bool), help="With round corners.")


@frozen
class Nameless(Shape):
    pass


@frozen
class Drawing:
    width: int = setting(default=3, converter=plain, validator=whole(1), help="In pixels.")
    style: Literal["thin", "thick"] = setting(default="thin", validator=one_of("thin", "thick"), help="Of lines.")
    scale: float | None = setting(default=None, help="If any.")
    secret: int = field(default=7)


OPTIONS = OptionSet(
    {
        "drawing": Drawing,
        "shape": Choice("shape", Shape, "circle", "What is drawn.", defaults={"side": 5.0}),
        "order": Choice("order", Shape, "box", "In what order.", several=True),
    }
)
SIMPLE = OptionSet({name: OPTIONS.groups[name] for name in ("drawing", "shape")})


# Kinds


def test_kinds_are_found_by_name():
    assert Shape.kinds() == {"box": Box, "circle": Circle}
    assert Shape.named("box", side=3.0) == Box(3.0)
    assert [each.name for each in Circle.option_fields()] == ["radius"]
    for wrong in ("square", "", None, 3, ["box"]):
        with pytest.raises(ValueError, match=r"there is no Shape .*there is 'box', 'circle'"):
            Shape.kind(wrong)


@pytest.mark.parametrize("shape", [Circle(2.5), Box(), Box(1.0, True)])
def test_plain_values_and_back(shape):
    assert Shape.from_plain(json.loads(json.dumps(shape.plain()))) == shape


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"name": "box"}, "lacks the setting 'side'"),
        ({"name": "box", "side": 1.0, "rounded": False, "size": 2}, "no setting 'size'"),
        ({"name": "box", "side": "1.0", "rounded": False}, "side is '1.0'"),
        ({"name": "box", "side": True, "rounded": False}, "side is 'True'"),
        ({"name": "box", "side": 1, "rounded": 0}, "rounded is '0'"),
        ({"name": "box", "side": float("nan"), "rounded": False}, "side is 'nan'"),
        ({"name": "box", "side": -1.0, "rounded": False}, "side"),
        ({"name": "cube", "side": 1.0}, "no Shape 'cube'"),
        ({"side": 1.0}, "expected settings with a name"),
        (None, "expected settings with a name"),
        ([1, 2], "expected settings with a name"),
    ],
)
def test_damaged_plain_values_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        Shape.from_plain(given)


def test_settings_of_a_file():
    whole_file = {"width": 4, "style": "thick", "scale": None}
    fields = [each for each in Drawing.__attrs_attrs__ if "help" in each.metadata]
    assert settings_from(Drawing, whole_file, fields) == Drawing(4, "thick")
    assert settings_from(Drawing, whole_file, fields, {"secret": 1}).secret == 1
    for change in ({"style": "broad"}, {"width": 4.0}, {"scale": "1"}, {"secret": 3}):
        with pytest.raises(ValueError, match=next(iter(change))):
            settings_from(Drawing, whole_file | change, fields)


# Sets of options


def test_every_option_has_an_owner_and_an_attribute():
    assert set(SIMPLE) == {"width", "style", "scale", "shape", "radius", "side", "rounded"}
    assert set(SIMPLE.attributes()) == set(SIMPLE) - {"shape"}
    assert SIMPLE.choices().keys() == {"shape"}
    defaults = {name: default_of(attribute) for name, attribute in SIMPLE.attributes().items()}
    assert defaults == {"width": 3, "style": "thin", "scale": None, "radius": 1.0, "side": 5.0, "rounded": False}
    with pytest.raises(TypeError, match="is in the groups 'shape' and 'order'"):
        list(OPTIONS)


def test_groups_are_built_of_flat_options():
    assert SIMPLE.build({}) == {"drawing": Drawing(), "shape": Circle()}
    built = SIMPLE.build({"width": 9, "shape": "box", "rounded": True})
    assert built == {"drawing": Drawing(9), "shape": Box(5.0, True)}
    assert SIMPLE.build({"shape": Box()})["shape"] == Box()  # an object with its settings
    several = OptionSet({"order": OPTIONS.groups["order"]})
    assert several.build({"order": "circle+box", "side": 3.0})["order"] == (Circle(), Box(3.0))
    assert several.build({"order": [Box(), Circle()]})["order"] == (Box(), Circle())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"height": 3}, "there is no option 'height'; there are radius"),
        ({"width": 0}, "width"),
        ({"style": "broad"}, "style is 'thin' or 'thick'"),
        ({"shape": "cube"}, "shape is one of box, circle; not 'cube'"),
        ({"shape": "circle", "side": 3.0}, "side is an option of shape 'box', not of 'circle'"),
        ({"side": 3.0}, "side is an option of shape 'box', not of 'circle'"),
        ({"shape": Box(), "side": 3.0}, "give a name, or objects"),
        ({"shape": 3}, "give a name, or objects"),
        ({"shape": "circle+box"}, "not 'circle\\+box'"),
        ({"radius": -1.0}, "radius"),
    ],
)
def test_wrong_options_are_refused(given, message):
    with pytest.raises(OptionError, match=message):
        SIMPLE.build(given)


@pytest.mark.parametrize("given", [{}, {"width": 2, "scale": 0.5}, {"shape": "box", "side": 1.5, "rounded": True}])
def test_sets_go_through_files(given):
    built = SIMPLE.build(given)
    assert SIMPLE.from_plain(json.loads(json.dumps(SIMPLE.plain(built)))) == built
    damaged = SIMPLE.plain(built)
    del damaged["shape"]
    with pytest.raises(ValueError, match="lack 'shape'"):
        SIMPLE.from_plain(damaged)


def test_several_go_through_files():
    several = OptionSet({"order": OPTIONS.groups["order"]})
    built = several.build({"order": "circle+box"})
    assert several.from_plain(json.loads(json.dumps(several.plain(built)))) == built
    for wrong in ([], {}, "circle", [3]):
        with pytest.raises(ValueError, match=r"order|Shape"):
            several.from_plain({"order": wrong})


def test_changes_leave_the_rest():
    built = SIMPLE.build({"width": 9, "shape": "box", "rounded": True})
    assert SIMPLE.change(built, {}) == built
    assert SIMPLE.change(built, {"style": "thick"})["drawing"] == Drawing(9, "thick")
    assert SIMPLE.change(built, {"side": 3.0})["shape"] == Box(3.0, True)
    assert SIMPLE.change(built, {"shape": "circle"})["shape"] == Circle()
    with pytest.raises(OptionError, match="no option 'height'"):
        SIMPLE.change(built, {"height": 1})


# Command lines


@click.command()
@add_options(SIMPLE)
def draw(**values):
    """Draw."""
    try:
        built = SIMPLE.build(given_options(SIMPLE, values))
    except OptionError as error:
        raise click.ClickException(str(error)) from None
    click.echo(json.dumps(SIMPLE.plain(built), sort_keys=True))


def invoke(*arguments):
    return CliRunner().invoke(draw, arguments)


def test_help_is_that_of_the_fields():
    text = invoke("--help").output
    for words in ("--width INT", "In pixels.  [default: 3]", "--shape [box|circle]", "--rounded / --no-rounded",
                  "--style [thin|thick]", "[default: 5.0]", "[default: no-rounded]"):  # fmt: skip
        assert words in " ".join(text.split()) or words in text, words
    assert "secret" not in text
    assert "colour" not in text


def test_what_is_not_given_is_by_default():
    assert json.loads(invoke().output) == SIMPLE.plain(SIMPLE.build({}))
    given = ("--width", "4", "--shape", "box", "--rounded", "--side", "1e-1", "--scale", "2")
    expected = {"width": 4, "shape": "box", "rounded": True, "side": 0.1, "scale": 2.0}
    assert json.loads(invoke(*given).output) == SIMPLE.plain(SIMPLE.build(expected))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--width", "none"), "width"),
        (("--width", "1.5"), "width"),
        (("--style", "broad"), "'broad' is not one of 'thin', 'thick'"),
        (("--shape", "cube"), "'cube' is not one of"),
        (("--side", "3"), "side is an option of shape 'box'"),
        (("--radius", "0"), "radius"),
        (("--height", "1"), "No such option"),
    ],
)
def test_mistakes_on_a_command_line(arguments, message):
    result = invoke(*arguments)
    assert result.exit_code in (1, 2)
    assert message in result.output
    assert "Traceback" not in result.output
