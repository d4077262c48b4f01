"""One call at a time: what it may do, and whether it did."""

import re
import warnings
from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np

from fuzz.discovery import PACKAGES
from fuzz.mutations import Mutation, mutations
from fuzz.recipe import Case

__all__ = ["violations"]

Path = tuple[str | int, ...]


def violations(case: Case, announce: Any = lambda label: None) -> Iterator[str]:
    """Yield what is wrong with the answers of a case; `announce` is told of every call before it is made."""
    announce("good arguments")
    good = _call(case, _copied(case.arguments))
    if isinstance(good, Exception):
        yield f"good arguments: {_shown(good)}"
        return
    for path in _leaves(case.arguments, case.keep):
        value = _at(case.arguments, path)
        extra = [Mutation(repr(other), other, other) for other in case.extra.get(str(path[0]), ())]
        for mutation in [*mutations(value), *extra]:
            label = f"{_named(path)} = {mutation.label}"
            announce(label)
            problem = _judge(case, path, mutation)
            if problem:
                yield f"{label}: {problem}"


def _judge(case: Case, path: Path, mutation: Mutation) -> str | None:
    """Return what is wrong with the answer to one mutation, or None."""
    arguments = _replaced(_copied(case.arguments), path, mutation.value)
    before = _plain(arguments)
    answer = _call(case, arguments)
    if isinstance(answer, Exception):
        return None if _is_allowed(answer, case, path) else _shown(answer)
    if mutation.refuse:
        return f"was not refused; the answer is {_brief(answer)}"
    if str(path[0]) not in case.changes and not case.changes and not _agree(before, _plain(arguments)):
        return "changed what it was given"
    _scribble()
    clean = _call(case, _replaced(_copied(case.arguments), path, mutation.clean))
    if isinstance(clean, Exception):
        return f"answered {_brief(answer)}, but a clean copy raises {_shown(clean)}"
    if not _agree(answer, clean):
        return f"answered {_brief(answer)}, but a clean copy {_brief(clean)}"
    return None


def _call(case: Case, arguments: dict[str, Any]) -> Any:
    """Return the plain answer, or the exception."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return _plain(case.function(**arguments))
    except Exception as error:
        return error


def _is_allowed(error: Exception, case: Case, path: Path) -> bool:
    if type(error).__module__.split(".")[0] in PACKAGES:
        return True
    if not isinstance(error, TypeError | ValueError) or isinstance(error, IndexError | UnicodeError):
        return False
    words = [str(part) for part in path if isinstance(part, str)]
    words += [word for part in path for word in case.words.get(str(part), ())]
    text = str(error).lower()
    return any(
        re.search(rf"(?<![a-z]){re.escape(word.lower().replace('_', ' '))}", text.replace("_", " ")) for word in words
    )


def _shown(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error)[:200]}"


def _brief(answer: Any) -> str:
    text = repr(answer)
    return text if len(text) < 160 else text[:160] + " …"


def _scribble() -> None:
    """Fill memory that was just freed, so that an answer made of it changes."""
    for size in (1, 8, 64, 512, 4096):
        np.full(size, 7.25e77)


# Arguments


def _leaves(arguments: dict[str, Any], keep: tuple[str, ...]) -> Iterator[Path]:
    def below(value: Any, path: Path) -> Iterator[Path]:
        if isinstance(value, dict):
            for key, inner in value.items():
                yield from below(inner, (*path, key))
        elif isinstance(value, list | tuple):
            for position, inner in enumerate(value):
                yield from below(inner, (*path, position))
        else:
            yield path

    for name, value in arguments.items():
        if name not in keep:
            yield from below(value, (name,))


def _at(arguments: Any, path: Path) -> Any:
    for part in path:
        arguments = arguments[part]
    return arguments


def _replaced(arguments: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    if isinstance(arguments, dict):
        return {**arguments, path[0]: _replaced(arguments[path[0]], path[1:], value)}
    changed = list(arguments)
    changed[int(path[0])] = _replaced(changed[int(path[0])], path[1:], value)
    return type(arguments)(changed)


def _copied(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, dict):
        return {key: _copied(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)([_copied(inner) for inner in value])
    return value


def _named(path: Path) -> str:
    return str(path[0]) + "".join(f"[{part!r}]" for part in path[1:])


# Answers


def _plain(value: Any) -> Any:
    """Return an answer as arrays, numbers and text in lists."""
    if isinstance(value, np.ndarray | np.generic):
        array = np.array(value)
        return array if array.dtype != object else [_plain(inner) for inner in array.reshape(-1).tolist()]
    if isinstance(value, dict):
        return [[_plain(key), _plain(inner)] for key, inner in value.items()]
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(inner) for inner in value]
    if value is None or isinstance(value, int | float | complex | str | bytes):
        return value
    if attrs.has(type(value)):
        public = [each.name for each in attrs.fields(type(value)) if not each.name.startswith("_")]
        return [type(value).__name__, *(_plain(getattr(value, name)) for name in public)]
    return type(value).__name__


def _agree(left: Any, right: Any) -> bool:
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(_agree(*pair) for pair in zip(left, right, strict=True))
    if isinstance(left, str | bytes) or isinstance(right, str | bytes) or left is None or right is None:
        return type(left) is type(right) and bool(left == right)
    if isinstance(left, list) or isinstance(right, list):
        return False
    one, other = np.asarray(left), np.asarray(right)
    if one.shape != other.shape:
        return False
    if one.dtype.kind in "fc" or other.dtype.kind in "fc":
        return bool(np.allclose(one, other, rtol=1e-9, atol=1e-9, equal_nan=True))
    return bool(np.array_equal(one, other))
