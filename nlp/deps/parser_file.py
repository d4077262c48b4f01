"""A parser in a model file, and back."""

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import asdict
from numpy.typing import NDArray

from nlp.deps.choices import as_bits
from nlp.deps.length_bounds import LengthBounds
from nlp.deps.model_file import ModelFile, ModelFileError, subset, write_model
from nlp.deps.model_schema import history_from, model_arrays, same_json, settings_from
from nlp.deps.pruning import Pruner, PruningSettings
from nlp.deps.scorer import Scorer
from nlp.deps.settings import ModelSettings
from nlp.deps.training import TrainingSettings
from nlp.features import Vocabulary, parse_templates

if TYPE_CHECKING:
    from nlp.deps.parser import DependencyParser

__all__ = ["describe", "load_parser", "save_parser"]

_SECTIONS = {"model", "training", "pruning", "bits", "decoder", "templates", "history"}


def describe(parser: "DependencyParser") -> dict[str, Any]:
    """Return all settings, and how training went, as plain values."""
    return {
        "model": parser.model.to_dict(),
        "training": parser.training.to_dict(),
        "pruning": None if parser.pruning is None else asdict(parser.pruning),
        "bits": parser.bits,
        "decoder": parser.decoder,
        "templates": {kind: parser.templates[kind].text for kind in sorted(parser.templates)},
        # without times: the same run, the same bytes
        "history": [[e.number, e.objective, e.loss, e.dev_score] for e in parser.history],
    }


def save_parser(
    parser: "DependencyParser", scorer: Scorer, pruner: Pruner, weights: Any, path: str | os.PathLike[str]
) -> None:
    """Write a fitted parser to a file."""
    arrays: dict[str, NDArray[Any]] = {"weights": weights}
    arrays |= {f"vocabulary/{k}": v for k, v in scorer.vocabulary.to_arrays().items()}
    if pruner.bounds is not None:
        arrays |= {f"bounds/{k}": v for k, v in pruner.bounds.to_arrays().items()}
    if pruner.weights is not None:
        arrays["pruner/weights"] = pruner.weights
    write_model(path, arrays, describe(parser))


def load_parser(kind: type["DependencyParser"], path: str | os.PathLike[str]) -> "DependencyParser":
    """Read a parser: first the settings, then the arrays that they imply, and only if all of it is as it was written.

    Raises
    ------
    ModelFileError
        If it is not; one line that begins with the name of the file.
    """
    file = ModelFile.open(path)
    try:
        parser = _from_settings(kind, file.settings)
        specs = model_arrays(parser.bits, parser.pruning)
    except ModelFileError:
        raise
    except ValueError as error:
        raise file.damaged(str(error)) from None
    arrays = file.arrays(specs)
    try:
        _add_arrays(parser, arrays)
    except ValueError as error:
        raise file.damaged(str(error)) from None
    return parser


def _from_settings(kind: type["DependencyParser"], settings: dict[str, Any]) -> "DependencyParser":
    """Return a parser without weights; ValueError says what is wrong with the settings."""
    if set(settings) != _SECTIONS:
        odd = sorted(set(settings) ^ _SECTIONS)
        raise ValueError(f"the settings have or lack {', '.join(map(repr, odd))[:80]}")
    model = settings_from(ModelSettings, settings["model"])
    training = settings_from(TrainingSettings, settings["training"])
    pruning = None if settings["pruning"] is None else settings_from(PruningSettings, settings["pruning"])
    texts = settings["templates"]
    if not (isinstance(texts, dict) and all(isinstance(text, str) for text in texts.values())):
        raise ValueError("the templates are no texts by kind")
    templates = parse_templates("\n".join(f"[{name}]\n{text}" for name, text in texts.items()), source="templates")
    options = model.to_dict() | training.to_dict()
    parser = kind(
        pruning=pruning, bits=as_bits(settings["bits"]), templates=templates, decoder=settings["decoder"], **options
    )
    parser.history = history_from(settings["history"])
    if not same_json(describe(parser), settings):
        raise ValueError("the settings are not those that a parser writes")
    return parser


def _add_arrays(parser: "DependencyParser", arrays: dict[str, NDArray[Any]]) -> None:
    """Give a parser what it has learnt; ValueError says what is wrong with it."""
    for name in ("weights", "pruner/weights"):
        if name in arrays and not np.isfinite(arrays[name]).all():
            raise ValueError(f"{name} are not all finite")
    vocabulary = Vocabulary.from_arrays(subset(arrays, "vocabulary"))
    bounds = subset(arrays, "bounds")
    pruner_weights = arrays.get("pruner/weights")
    parser.scorer = parser.make_scorer(vocabulary)
    parser.weights = arrays["weights"]
    if len(parser.weights) != parser.scorer.slots:
        raise ValueError(f"there are {len(parser.weights)} weights, and the settings are for {parser.scorer.slots}")
    parser.pruner = Pruner(
        parser.pruning or PruningSettings(bounds=False, model=False),
        parser.model,
        LengthBounds.from_arrays(bounds) if bounds else None,
        None if pruner_weights is None else Scorer.of_pruner(vocabulary, parser.templates, parser.bits),
        pruner_weights,
    )
