"""The options of the parser: the same ones, with the same defaults, in Python, in the shell and in model files."""

from collections import Counter
from types import NoneType
from typing import Literal, get_args, get_origin

import pytest
from attrs import NOTHING
from click.testing import CliRunner

from autodiff.click_options import given_options
from nlp.command import main
from nlp.conll import write_sentences
from nlp.deps import DependencyParser, OptionError
from nlp.deps.options import CHANGEABLE, parser_options
from nlp.deps.parse_command import parse
from nlp.deps.train_command import train
from oracles.sentences import invented_sentences

OPTIONS = parser_options()
OWN = {  # of the commands, and of no model
    "train": {"train_file", "dev_file", "dev_fraction", "model_file", "template_file", "workers", "resume",
              "max_megabytes"},
    "parse": {"model_file", "source", "output", "workers", "max_megabytes"},
}  # fmt: skip


def flags(option, value):
    name = "--" + option.replace("_", "-")
    if isinstance(value, bool):
        return [name if value else f"--no-{name[2:]}"]
    return [name, str(value)]


def kind_with(option):
    """The choice that an option of a kind needs, and what it needs to be: {"update": "sgd"} for momentum."""
    for name, choice in OPTIONS.choices().items():
        if option in choice.options():
            kinds = [kind.name for kind in choice.contract.kinds().values() if option in _names(kind)]
            return {name: choice.default if choice.default in kinds else kinds[0]}
    return {}


def _names(kind):
    return [each.name for each in kind.option_fields()]


def from_shell(*arguments):
    """The settings of a parser whose command line has these arguments."""
    context = train.make_context("train", ["--train", "a", "--model", "b", *arguments])
    return OPTIONS.plain(DependencyParser(**given_options(OPTIONS, context.params)).settings)


def defaults():
    found = {name: attribute.default for name, attribute in OPTIONS.attributes().items()}
    return {name: value for name, value in found.items() if value is not NOTHING and value is not None}


def test_nothing_on_the_command_line_is_what_python_has_by_default():
    assert from_shell() == OPTIONS.plain(DependencyParser().settings)


@pytest.mark.parametrize("option", sorted(defaults()))
def test_every_default_given_on_the_command_line_changes_nothing(option):
    needs = kind_with(option)
    expected = OPTIONS.plain(OPTIONS.build(needs))
    arguments = [text for each in (needs | {option: defaults()[option]}).items() for text in flags(*each)]
    assert OPTIONS.plain(OPTIONS.build(given_options(
        OPTIONS, train.make_context("train", ["--train", "a", "--model", "b", *arguments]).params
    ))) == expected  # fmt: skip


@pytest.mark.parametrize("option", sorted(OPTIONS.choices()))
def test_every_kind_can_be_chosen_in_the_shell(option):
    choice = OPTIONS.choices()[option]
    assert choice.default in choice.contract.kinds()
    for name in choice.contract.kinds():
        context = train.make_context("train", ["--train", "a", "--model", "b", f"--{option}", name])
        built = OPTIONS.build(given_options(OPTIONS, context.params))[option]
        assert (built[0] if choice.several else built).name == name


@pytest.mark.parametrize("option", sorted(OPTIONS.attributes()))
def test_other_values_reach_the_settings(option):
    """A value that is not the default is in the settings, from Python and from the shell alike, and comes back."""
    attribute, needs = OPTIONS.attributes()[option], kind_with(option)
    value = other_value(attribute)
    built = OPTIONS.build({**needs, option: value})
    before = OPTIONS.plain(OPTIONS.build(needs))
    (group,) = [name for name, own in OPTIONS.plain(built).items() if own != before[name]]
    arguments = [text for each in (needs | {option: value}).items() for text in flags(*each)]
    context = train.make_context("train", ["--train", "a", "--model", "b", *arguments])
    plain = OPTIONS.plain(built)
    assert OPTIONS.plain(OPTIONS.build(given_options(OPTIONS, context.params))) == plain
    assert OPTIONS.plain(OPTIONS.from_plain(plain)) == plain
    of_group = plain[group][0] if isinstance(plain[group], list) else plain[group]
    assert of_group[option] == value


def other_value(attribute):
    declared = next((each for each in get_args(attribute.type) if each is not NoneType), None)
    declared = attribute.type if get_origin(attribute.type) is Literal or declared is None else declared
    if get_origin(declared) is Literal:
        return next(value for value in get_args(declared) if value != attribute.default)
    if attribute.name == "order":
        return 1
    if declared is bool:
        return not attribute.default
    if declared is int:
        return attribute.default + 1
    return 0.5 if attribute.default != 0.5 else 0.25


@pytest.mark.parametrize("command", [train, parse])
def test_the_commands_have_just_these_options(command):
    mine = parser_options(*CHANGEABLE) if command is parse else OPTIONS
    assert {parameter.name for parameter in command.params} == {*mine} | OWN[command.name]
    texts = Counter(text for parameter in command.params for text in (*parameter.opts, *parameter.secondary_opts))
    assert max(texts.values()) == 1
    assert Counter(parameter.name for parameter in command.params).most_common(1)[0][1] == 1


def test_no_option_exists_twice():
    """An option is in one group; kinds of one choice that share it mean the same by it."""
    groups = Counter(name for group in OPTIONS.groups for name in parser_options(group))
    assert max(groups.values()) == 1
    assert not OPTIONS.attributes().keys() & OPTIONS.choices().keys()
    for choice in OPTIONS.choices().values():
        found = {}
        for kind in choice.contract.kinds().values():
            for each in kind.option_fields():
                same = found.setdefault(each.name, each)
                assert (same.default, same.type, same.metadata["help"]) == (
                    each.default, each.type, each.metadata["help"],
                )  # fmt: skip


def test_the_help_tells_every_option_with_its_default():
    text = " ".join(CliRunner().invoke(main, ["train", "--help"]).output.split())
    for option, attribute in OPTIONS.attributes().items():
        assert f"--{option.replace('_', '-')}" in text
        assert attribute.metadata["help"].split()[0] in text
        value = attribute.default
        if isinstance(value, bool):
            assert f"[default: {'' if value else 'no-'}{option.replace('_', '-')}]" in text, option
        elif value is not None:
            assert f"[default: {value}]" in text, option
    for option, choice in OPTIONS.choices().items():
        assert f"--{option}" in text
        assert f"[default: {choice.default}]" in text
        assert all(name in text for name in choice.contract.kinds())


@pytest.mark.parametrize(("options", "message"), [
    ({"ordre": 2}, "there is no option 'ordre'; there are approximation_aware, average, "),
    ({"momentum": 0.5}, "momentum is an option of update 'sgd', not of 'adagrad'"),
    ({"temperature": 0.5}, "temperature is an option of objective 'risk', not of 'l2'"),
    ({"inference": "exact", "siblings": False, "iterations": 3}, "iterations is an option of inference 'bp', not"),
    ({"decoder": "oracle"}, "decoder is one of .*hill-climbing, .*; not 'oracle'"),
    ({"objective": "l2+ruin"}, "objective is one of .*cll, .*; not 'ruin'"),
    ({"objective": 7}, "objective is 7; give a name, or objects with their settings"),
    ({"iterations": 0}, "iterations"), ({"threshold": 2.0}, "threshold"), ({"damping": 1.0}, "damping"),
], ids=str)  # fmt: skip
def test_what_is_no_option_is_one_line(tmp_path, options, message):
    with pytest.raises(OptionError, match=message) as caught:
        DependencyParser(**options)
    assert "\n" not in str(caught.value)
    write_sentences(invented_sentences(2), tmp_path / "train.conll")
    arguments = [text for each in options.items() for text in flags(*each)]
    result = CliRunner().invoke(
        main, ["train", "--train", str(tmp_path / "train.conll"), "--model", str(tmp_path / "m"), *arguments]
    )
    assert result.exit_code == 2
    assert result.stderr.startswith("tacana train: ")
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "m").exists()


def test_a_parser_changes_what_does_not_belong_to_its_weights():
    parser = DependencyParser(order=1, bits=8, epochs=1, iterations=2).fit(invented_sentences(3))
    changed = parser.using(damping=0.25, decoder="map")
    assert changed.settings["inference"].iterations == 2
    assert changed.settings["inference"].damping == 0.25
    assert changed.model.scorer is parser.model.scorer
    assert parser.settings["inference"].damping == 0.0
    for option in ("epochs", "order", "siblings", "bits", "update"):
        with pytest.raises(OptionError, match=f"there is no option '{option}'; there are constraint, "):
            parser.using(**{option: 1})
