"""What must be in a model file and in a checkpoint: settings of the right names and types, and their arrays."""

import json
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from attrs import fields_dict

from autodiff.files import ArraySpec
from autodiff.optimizers import ParameterStore
from nlp.deps.objectives import OBJECTIVES
from nlp.deps.pruning import PruningSettings
from nlp.deps.training import Epoch

__all__ = ["checkpoint_arrays", "history_from", "model_arrays", "same_json", "settings_from", "whole_number"]

S = TypeVar("S")


def model_arrays(bits: int, pruning: PruningSettings | None) -> dict[str, ArraySpec]:
    """Return the arrays of a model with 2^bits hashed weights; a parser may have a scorer with others.

    Examples
    --------
    >>> sorted(model_arrays(12, PruningSettings()))
    ['pruner/weights', 'vocabulary/counts', 'vocabulary/vocabulary', 'weights']
    """
    arrays = {
        "weights": ArraySpec("float32", (None,)),
        "vocabulary/vocabulary": ArraySpec("uint8", (None,)),
        "vocabulary/counts": ArraySpec("int64", (None,)),
    }
    if pruning is not None and pruning.model:
        arrays["pruner/weights"] = ArraySpec("float32", (1 << bits,))
    if pruning is not None and pruning.bounds:
        arrays |= {"bounds/tags": ArraySpec("uint8", (None,)), "bounds/bounds": ArraySpec("int32", (None, None, 2))}
    return arrays


def checkpoint_arrays(store: ParameterStore) -> dict[str, ArraySpec]:
    """Return the arrays of a checkpoint: the state of the store, and the best weights so far."""
    specs = store.specs()
    return {"best": specs["parameter/weights/value"], **{f"optimizer/{name}": spec for name, spec in specs.items()}}


def settings_from(kind: type[S], given: Any) -> S:
    """Return the settings, an attrs class, of which a file has the values: all of them and no others.

    Raises
    ------
    ValueError
        If a setting is unknown, missing, or of another type than its class declares.

    Examples
    --------
    >>> from attrs import asdict
    >>> settings_from(PruningSettings, asdict(PruningSettings(most=5))).most
    5
    >>> settings_from(PruningSettings, {**asdict(PruningSettings()), "colour": 7})
    Traceback (most recent call last):
    ValueError: PruningSettings has no setting 'colour'
    """
    known = fields_dict(kind)  # type: ignore[arg-type]
    if not isinstance(given, Mapping):
        raise ValueError(f"{kind.__name__} are {str(given)[:40]!r}, expected settings by name")
    for name in given:
        if name not in known:
            raise ValueError(f"{kind.__name__} has no setting {name[:40]!r}")
    declared = get_type_hints(kind)
    for name in known:
        if name not in given:
            raise ValueError(f"{kind.__name__} lacks the setting {name!r}")
        if not _is_a(given[name], declared[name]):
            raise ValueError(f"{kind.__name__}: {name} is {str(given[name])[:40]!r}")
    try:
        return kind(**given)
    except TypeError as error:
        raise ValueError(f"{kind.__name__}: {error}") from None


def _is_a(value: Any, declared: Any) -> bool:
    """Tell whether a value of JSON is of a declared type; true and false are no numbers, and whole numbers are."""
    if get_origin(declared) in (Union, UnionType):
        return any(_is_a(value, each) for each in get_args(declared))
    if get_origin(declared) is Literal:
        return any(value == each and type(value) is type(each) for each in get_args(declared))
    if declared is float:
        return type(value) in (int, float) and abs(value) < float("inf")
    return type(value) is declared or (declared in (None, NoneType) and value is None)


def whole_number(given: Any, low: int, what: str) -> int:
    """Return a whole number from a file.

    Examples
    --------
    >>> whole_number(True, 0, "epoch")
    Traceback (most recent call last):
    ValueError: epoch is True, expected a whole number of at least 0
    """
    if type(given) is not int or given < low:
        raise ValueError(f"{what} is {str(given)[:40]}, expected a whole number of at least {low}")
    return given


def history_from(given: Any) -> list[Epoch]:
    """Return the epochs of which a file has the values, one row each.

    Examples
    --------
    >>> history_from([[1, "l2", 0.5, None]])[0].loss
    0.5
    """
    if not isinstance(given, list):
        raise ValueError(f"the history is {str(given)[:40]!r}, expected a list of epochs")
    names = list(fields_dict(Epoch))
    rows = [dict(zip(names, [*row, 0.0][:5], strict=False)) if isinstance(row, list) else row for row in given]
    epochs = [settings_from(Epoch, row) for row in rows]
    for number, epoch in enumerate(epochs, start=1):
        if epoch.number != number or epoch.objective not in OBJECTIVES:
            raise ValueError(
                f"the history has epoch {epoch.number} of {epoch.objective[:40]!r}, expected epoch {number}"
            )
    return epochs


def same_json(one: Any, other: Any) -> bool:
    """Tell whether two values are the same in a file: true is not 1 there, and a tuple is a list.

    >>> same_json({"a": (1, 2)}, {"a": [1, 2]}), same_json(1, True)
    (True, False)
    """
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
