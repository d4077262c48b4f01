"""Whether what a file says of a vocabulary is one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlp.features.attributes import ATTRIBUTES, CLASSES
from nlp.features.errors import FeatureError

__all__ = ["check_vocabulary"]

_COLUMNS = ("lemma", "tag", "coarse")


def check_vocabulary(given: Any, counts: NDArray[Any]) -> None:
    """Raise FeatureError unless tables, classes and absent attributes are such as `Vocabulary.to_arrays` writes.

    Parameters
    ----------
    given : the parsed JSON
    counts : (forms,), how often training had each form

    Examples
    --------
    >>> check_vocabulary({"tables": {}}, np.zeros(0, dtype=np.int64))
    Traceback (most recent call last):
    nlp.features.errors.FeatureError: no vocabulary: it has ['tables'], expected ['absent', 'classes', 'tables']
    """
    _check_names("it", given, ("tables", "classes", "absent"))
    tables, classes, absent = given["tables"], given["classes"], given["absent"]
    _check_names("its tables", tables, (*ATTRIBUTES, "morph"))
    for name, values in tables.items():
        _check_texts(f"the table of {name}", values)
    _check_names("its classes", classes, CLASSES)
    for name, entry in classes.items():
        if not (isinstance(entry, list) and len(entry) == 2 and entry[0] in _COLUMNS):
            raise FeatureError(f"no vocabulary: class {name} is {str(entry)[:40]!r}, expected a column and its values")
        _check_texts(f"class {name}", entry[1])
    _check_texts("absent", absent)
    if not {*absent} <= {*_COLUMNS, "morph"}:
        raise FeatureError(f"no vocabulary: {sorted(absent)} cannot be absent, only {[*_COLUMNS, 'morph']} can")
    if counts.shape != (len(tables["form"]),) or not np.issubdtype(counts.dtype, np.integer) or (counts < 0).any():
        raise FeatureError(f"no vocabulary: counts {counts.dtype} {counts.shape}, and {len(tables['form'])} forms")


def _check_names(what: str, given: Any, expected: tuple[str, ...]) -> None:
    if not isinstance(given, dict):
        raise FeatureError(f"no vocabulary: {what} is {str(given)[:40]!r}, expected {sorted(expected)}")
    if set(given) != set(expected):
        raise FeatureError(f"no vocabulary: {what} has {str(sorted(given))[:200]}, expected {sorted(expected)}")


def _check_texts(what: str, given: Any) -> None:
    if not (isinstance(given, list) and all(type(value) is str for value in given) and len({*given}) == len(given)):
        raise FeatureError(f"no vocabulary: {what} is no list of different texts")
