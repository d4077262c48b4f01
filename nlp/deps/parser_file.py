"""A parser in a model file, and back: named sections, each written and read by what it belongs to."""

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from autodiff.files import ArraySpec, ModelFile, ModelFileError, Section, same_json, write_model
from nlp.deps.length_bounds import LengthBounds
from nlp.deps.options import check_savable, describe, history_rows, parser_options
from nlp.deps.pruning import Pruner
from nlp.deps.relations import RelationTable
from nlp.deps.templates import template_roles
from nlp.features import Vocabulary, parse_templates
from pgm.learning import History
from pgm.learning.checkpoint import history_from

if TYPE_CHECKING:
    from nlp.deps.dependency_scorer import DependencyScorer
    from nlp.deps.model import DependencyModel
    from nlp.deps.parser import DependencyParser

__all__ = ["load_parser", "save_parser"]

_KIND = "dependency model"
_WITH_SETTINGS = ("settings", "templates", "history")
_BYTES, _NUMBERS = ArraySpec("uint8", (None,)), ArraySpec("int64", (None,))
_VOCABULARY = {"vocabulary": _BYTES, "counts": _NUMBERS}
_BOUNDS = {"tags": _BYTES, "bounds": ArraySpec("int32", (None, None, 2))}
_RELATIONS = {
    "names": _BYTES, "tags": _BYTES, "sets": ArraySpec("int32", (None, None)), "starts": _NUMBERS, "members": _NUMBERS,
}  # fmt: skip


def save_parser(parser: "DependencyParser", model: "DependencyModel", path: str | os.PathLike[str]) -> None:
    """Write a fitted parser to a file."""
    check_savable(parser)
    pruner = model.pruner
    about = describe(parser)
    sections = {
        "settings": Section(about["settings"]),
        "templates": Section(about["templates"]),
        "history": Section(history_rows(parser)),
        "vocabulary": Section({}, model.scorer.vocabulary.to_arrays()),
        "weights": Section({}, _weights(model.scorer)),
    }
    if model.relations is not None:
        sections["relations"] = Section({}, model.relations.to_arrays())
    if pruner is not None and pruner.bounds is not None:
        sections["bounds"] = Section({}, pruner.bounds.to_arrays())
    if pruner is not None and pruner.model is not None:
        sections["pruner"] = Section({}, _weights(pruner.model.scorer))
    write_model(path, _KIND, sections)


def _weights(scorer: "DependencyScorer") -> dict[str, NDArray[Any]]:
    return {name: one.read().astype(np.float32) for name, one in scorer.parameters().items()}


def load_parser(kind: type["DependencyParser"], path: str | os.PathLike[str]) -> "DependencyParser":
    """Read a parser: first the settings, then the arrays that they imply, and only if all of it is as it was written.

    Raises
    ------
    ModelFileError
        If it is not; one line that begins with the name of the file.
    """
    file = ModelFile.open(path, _KIND)
    try:
        parser = _from_settings(kind, file)
        arrays = file.arrays(_specs(parser, file))
        _add_model(parser, arrays)
    except ModelFileError:
        raise
    except (ValueError, TypeError) as error:
        raise file.damaged(str(error)) from None
    return parser


def _from_settings(kind: type["DependencyParser"], file: ModelFile) -> "DependencyParser":
    """Return a parser without weights; ValueError says what is wrong with the settings."""
    named = {name: file.settings.get(name) for name in _WITH_SETTINGS}
    texts = named["templates"]
    if any(section is None for section in named.values()) or not isinstance(texts, dict):
        raise ValueError("there are no settings, templates or history")
    if not all(isinstance(text, str) for text in texts.values()):
        raise ValueError("the templates are no texts by kind")
    options = parser_options()
    text = "\n".join(f"[{name}]\n{lines}" for name, lines in texts.items())
    templates = parse_templates(text, roles=template_roles(), source="templates")
    parser = kind(templates=templates)
    parser.settings = parser._asked = options.from_plain(named["settings"] or {})
    parser._check()
    history = named["history"] or {}
    if set(history) != {"epochs", "best", "stopped_early"}:
        raise ValueError("the history is none")
    epochs = history_from(history["epochs"])
    if type(history["best"]) is not int or type(history["stopped_early"]) is not bool:
        raise ValueError("the history is none")
    parser.history = History(tuple(epochs), history["best"], history["stopped_early"])
    if not same_json(describe(parser), {name: named[name] for name in ("settings", "templates")}):
        raise ValueError("the settings are not those that a parser writes")
    return parser


def _specs(parser: "DependencyParser", file: ModelFile) -> dict[str, dict[str, ArraySpec]]:
    """Return the arrays that there must be."""
    slots = ArraySpec("float32", (1 << parser.settings["scoring"].bits,))
    specs: dict[str, dict[str, ArraySpec]] = {
        "settings": {}, "templates": {}, "history": {}, "vocabulary": _VOCABULARY, "weights": _as_they_are(file),
    }  # fmt: skip
    if parser.settings["parts"].labels != "none" and "relations" in file.settings:
        specs["relations"] = _RELATIONS
    if parser.settings["pruning"].length_bounds:
        specs["bounds"] = _BOUNDS
    if parser.prunes:
        specs["pruner"] = {"weights": slots}
    file.expect(*specs)
    for name in specs:
        if file.settings[name] and name not in _WITH_SETTINGS:
            raise ValueError(f"{name!r} has settings, and there are none of it")
    return specs


def _as_they_are(file: ModelFile) -> dict[str, ArraySpec]:
    """Return the weights that the file has: what they must be is known when there is a scorer (`_take_weights`)."""
    entries = {name: shape for name, (_, shape) in file.file.entries.items() if name.startswith("weights/")}
    return {name.removeprefix("weights/"): ArraySpec("float32", shape) for name, shape in entries.items()}


def _add_model(parser: "DependencyParser", arrays: dict[str, dict[str, NDArray[Any]]]) -> None:
    """Give a parser what it has learnt; ValueError says what is wrong with it."""
    vocabulary = Vocabulary.from_arrays(arrays["vocabulary"])
    relations = RelationTable.from_arrays(arrays["relations"]) if "relations" in arrays else None
    scorer = parser.make_scorer(vocabulary, relations)
    _take_weights(scorer, arrays["weights"])
    model = parser.make_model(scorer, relations)
    if "bounds" in arrays or "pruner" in arrays:
        bounds = LengthBounds.from_arrays(arrays["bounds"]) if "bounds" in arrays else None
        simple = None
        if "pruner" in arrays:
            simple = model.first_order(parser.pruner_scorer(vocabulary))
            _take_weights(simple.scorer, arrays["pruner"])
        model = evolve(model, pruner=Pruner(parser.settings["pruning"], bounds, simple))
    parser.model = model


def _take_weights(scorer: "DependencyScorer", arrays: dict[str, NDArray[Any]]) -> None:
    parameters = scorer.parameters()
    if set(parameters) != set(arrays):
        raise ValueError(f"there are weights of {sorted(arrays)}, and the settings are for {sorted(parameters)}")
    for name, parameter in parameters.items():
        expected = parameter.read().shape
        if arrays[name].shape != expected:
            raise ValueError(f"{name} are of shape {arrays[name].shape}, and the settings are for {expected}")
        if not np.isfinite(arrays[name]).all():
            raise ValueError(f"{name} are not all finite")
        parameter.value = arrays[name]
