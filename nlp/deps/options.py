"""All options of the parser, by what they belong to: for keyword arguments, command lines and model files alike."""

import json
from typing import TYPE_CHECKING, Any

from attrs import asdict

from autodiff.optimizers import Optimizer
from autodiff.options import Choice, OptionSet
from nlp.deps import decoders as _decoders  # noqa: F401 - so that they are found by name
from nlp.deps.errors import ParserError
from nlp.deps.inference import DependencyInference
from nlp.deps.kinds import part_switches
from nlp.deps.learning import LearningSettings
from nlp.deps.pruning import PruningSettings
from nlp.deps.settings import ConstraintSettings, PartSettings, ScorerSettings, TreeSettings
from pgm.learning import Decoder, Objective

if TYPE_CHECKING:
    from nlp.deps.parser import DependencyParser

__all__ = ["CHANGEABLE", "check_savable", "describe", "history_rows", "parser_options"]

CHANGEABLE = ("tree", "constraint", "inference", "decoder")
"""Groups of options that do not belong to the weights, so that a trained parser can change them."""


def parser_options(*groups: str) -> OptionSet:
    """Return the options, of all groups or of some.

    >>> parser_options("decoder").build({"decoder": "map"})
    {'decoder': MaximumScore()}
    """
    every = {
        "parts": PartSettings,
        "kinds": part_switches(),
        "tree": TreeSettings,
        "constraint": ConstraintSettings,
        "inference": Choice("inference", DependencyInference, "bp", "How beliefs are inferred."),
        "decoder": Choice("decoder", Decoder, "mbr", "From beliefs to a tree."),
        "scoring": ScorerSettings,
        "pruning": PruningSettings,
        "objective": Choice("objective", Objective, "l2", "What is made small; as l2+risk, one after another.", True),
        "learning": LearningSettings,
        # With δ = 0.0125 first-order EWT ends half a point lower.
        "update": Choice(
            "update",
            Optimizer,
            "adagrad",
            "How a step changes weights.",
            defaults={"delta": 0.125},
            fixed={"learning_rate": 0.01},
        ),
    }
    return OptionSet({name: group for name, group in every.items() if not groups or name in groups})


def describe(parser: "DependencyParser") -> dict[str, Any]:
    """Return all settings by what they belong to, and the templates, as plain values."""
    return {
        "settings": parser_options().plain(parser.settings),
        "templates": {kind: parser.templates[kind].text for kind in sorted(parser.templates)},
    }


def check_savable(parser: "DependencyParser") -> None:
    """Raise ParserError if a model file could not say what the settings are: before the work."""
    options = parser_options()
    try:
        options.from_plain(json.loads(json.dumps(options.plain(parser.settings))))
    except (ValueError, TypeError) as error:
        raise ParserError(f"the settings cannot be written to a model file: {error}") from None


def history_rows(parser: "DependencyParser") -> dict[str, Any]:
    """Return how training went, as plain values: without times, for the same run makes the same bytes."""
    if parser.history is None:
        return {"epochs": [], "best": 0, "stopped_early": False}
    epochs = [asdict(epoch) | {"seconds": 0.0} for epoch in parser.history.epochs]
    return {"epochs": epochs, "best": parser.history.best, "stopped_early": parser.history.stopped_early}
