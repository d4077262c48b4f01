"""What is put in the place of a good argument.

A mutation has the value and what the answer is to agree with: the answer to a clean copy of the same values
(C-contiguous float64 or int64), or none: then the call must be refused.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from attrs import field, frozen

__all__ = ["Mutation", "mutations"]


@frozen(eq=False)
class Mutation:
    """A value to try; `clean` is the same in the plainest form."""

    label: str = field()
    value: Any = field()
    clean: Any = field()
    refuse: bool = field(default=False)


def mutations(value: Any) -> Iterator[Mutation]:
    """Yield what to put in the place of a number or an array; nothing for other values."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "iuf":
        yield from _layouts(value)
        yield from _shapes(value)
        yield from _float_values(value) if value.dtype.kind == "f" else _int_values(value)
    elif isinstance(value, bool | np.bool_):
        return
    elif isinstance(value, int | np.integer):
        yield from _ints(int(value))
    elif isinstance(value, float | np.floating):
        yield from _floats(float(value))


def _same(label: str, value: Any) -> Mutation:
    dtype = np.int64 if np.asarray(value).dtype.kind in "iub" else np.float64
    return Mutation(label, value, np.array(value, dtype=dtype, order="C"))


def _layouts(array: Any) -> Iterator[Mutation]:
    """The same values, otherwise laid out."""
    wide = np.repeat(array[..., None], 3, axis=-1)[..., 1] if array.ndim else array
    yield _same("strided", wide)
    yield _same("reversed view", array[::-1].copy()[::-1] if array.ndim else array)
    yield _same("Fortran order", np.asfortranarray(array))
    yield _same("a list", array.tolist())
    yield _same("other byte order", array.astype(array.dtype.newbyteorder()))
    read_only = array.copy()
    read_only.flags.writeable = False
    yield _same("read-only", read_only)
    if array.dtype.kind == "f":
        yield _same("float32", array.astype(np.float32))
        yield _same("float16, strided", np.asfortranarray(array.astype(np.float16)))
        whole = np.where(np.isfinite(array), array, 0.0).astype(np.int32)
        yield Mutation("int32", whole, whole.astype(np.float64))
        yield Mutation("bool", whole != 0, (whole != 0).astype(np.float64))
        yield Mutation("objects", array.astype(object), array.copy())
    else:
        yield _same("int16", array.astype(np.int16))
        if array.size and array.min() >= 0:
            yield Mutation("uint64", array.astype(np.uint64), array.astype(np.int64))


def _shapes(array: Any) -> Iterator[Mutation]:
    """Other shapes: one more, one less, none, very many along each axis; an axis more, or less."""
    for axis in range(array.ndim if array.size else 0):
        for size in (0, 1, array.shape[axis] - 1, array.shape[axis] + 1, 60, 400):
            if (
                array.size
                and size != array.shape[axis]
                and size >= 0
                and array.size // array.shape[axis] * size < 10_000
            ):
                where = np.arange(size) % array.shape[axis]
                yield _same(f"axis {axis} of length {size}", np.take(array, where, axis=axis))
    yield _same("an axis more, in front", array[None].copy())
    yield _same("an axis more, at the end", array[..., None].copy())
    yield _same("flat", array.reshape(-1).copy())
    if array.size and array.ndim:
        yield _same("an axis less", array[0].copy())
        yield _same("a scalar", array.reshape(-1)[0])
        yield _same("an empty list", [])
    if array.ndim > 1:
        yield _same("transposed", array.T.copy())
        yield _same("empty, with many axes", np.empty((0,) * array.ndim, dtype=array.dtype))


def _with(array: Any, place: int, value: Any, dtype: Any = None) -> Any:
    result = array.astype(dtype or array.dtype).copy()
    result.reshape(-1)[place] = value
    return result


def _float_values(array: Any) -> Iterator[Mutation]:
    if not array.size:
        return
    for place in dict.fromkeys((0, array.size - 1)):
        for value in (np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324):
            yield _same(f"{value} at {place}", _with(array, place, value))
    for value in (np.nan, np.inf, -np.inf, 1e308, 800.0, -800.0):
        yield _same(f"{value} everywhere", np.full(array.shape, value))
    yield Mutation("complex", array + 1j, None, refuse=True)
    yield Mutation("text", np.full(array.shape, "many"), None, refuse=True)
    yield Mutation("dates", np.full(array.shape, np.datetime64("2020-01-01")), None, refuse=True)


def _int_values(array: Any) -> Iterator[Mutation]:
    if not array.size:
        return
    for place in dict.fromkeys((0, array.size - 1)):
        for value in (-1, -2, -1000, 0, 1000, 10**9, -(2**63), 2**63 - 1):
            yield _same(f"{value} at {place}", _with(array, place, value, np.int64))
    yield Mutation("fractions", array + 0.7, None, refuse=True)
    yield Mutation("NaN", _with(array, 0, np.nan, np.float64), None, refuse=True)
    yield Mutation("text", np.full(array.shape, "many"), None, refuse=True)


def _ints(value: int) -> Iterator[Mutation]:
    yield Mutation("np.int64", np.int64(value), value)
    for other in (0, -1, -1000):
        yield Mutation(str(other), other, other)
    for other in (value + 0.5, np.nan, np.inf, "many"):
        yield Mutation(repr(other), other, None, refuse=True)


def _floats(value: float) -> Iterator[Mutation]:
    yield Mutation("np.float64", np.float64(value), value)
    yield Mutation("np.float32", np.float32(value), float(np.float32(value)))
    for other in (0.0, -1.0, 1e308, np.nan, np.inf, -np.inf):
        yield Mutation(repr(other), other, other)
    yield Mutation("'many'", "many", None, refuse=True)
