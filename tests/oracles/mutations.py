"""Damage to safetensors files: bytes flipped, headers and metadata edited, arrays renamed, resized and swapped."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["mutated"]

_VALUES: list[Any] = [None, True, -1, 0, 3, 1e308, "", "x", "I32", [], {}, [1, 2], 2**63, {"a": 1}, "é\n"]


def mutated(data: bytes, rng: np.random.Generator) -> tuple[str, bytes]:
    """Return what was done, and what came of it."""
    kind = list(_KINDS)[rng.integers(len(_KINDS))]
    return kind, _KINDS[kind](data, rng)


def _parts(data: bytes) -> tuple[dict[str, Any], bytes]:
    length = int.from_bytes(data[:8], "little")
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def _joined(header: Any, body: bytes) -> bytes:
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + body


def _flipped(data: bytes, rng: np.random.Generator, low: int, high: int) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.integers(1, 4)):
        changed[rng.integers(low, high)] ^= 1 << rng.integers(8)
    return bytes(changed)


def _flip_header(data: bytes, rng: np.random.Generator) -> bytes:
    return _flipped(data, rng, 0, 8 + int.from_bytes(data[:8], "little"))


def _flip_body(data: bytes, rng: np.random.Generator) -> bytes:
    return _flipped(data, rng, 8 + int.from_bytes(data[:8], "little"), len(data))


def _edit_within(value: Any, rng: np.random.Generator) -> Any:
    """Change, drop or add something at some depth of a JSON value."""
    if isinstance(value, dict | list) and value and rng.random() < 0.9:
        places = list(value) if isinstance(value, dict) else list(range(len(value)))
        place = places[rng.integers(len(places))]
        match rng.integers(8):
            case 0:
                del value[place]
            case 1 if isinstance(value, dict):
                value[f"{place}x"] = value.pop(place)
            case 2 if isinstance(value, dict):
                value["unknown"] = _VALUES[rng.integers(len(_VALUES))]
            case _:
                value[place] = _edit_within(value[place], rng)
        return value
    if isinstance(value, str) and value and rng.random() < 0.5:
        at = rng.integers(len(value))
        return value[:at] + chr(rng.integers(32, 126)) + value[at + 1 :]
    return _VALUES[rng.integers(len(_VALUES))]


def _edit_header(data: bytes, rng: np.random.Generator) -> bytes:
    header, body = _parts(data)
    return _joined(_edit_within(header, rng), body)


def _edit_metadata(data: bytes, rng: np.random.Generator) -> bytes:
    header, body = _parts(data)
    (key,) = header["__metadata__"]
    header["__metadata__"][key] = json.dumps(_edit_within(json.loads(header["__metadata__"][key]), rng))
    return _joined(header, body)


def _names(header: dict[str, Any], rng: np.random.Generator) -> list[str]:
    names = [name for name in header if name != "__metadata__"]
    return [names[i] for i in rng.permutation(len(names))]


def _rename(data: bytes, rng: np.random.Generator) -> bytes:
    header, body = _parts(data)
    name = _names(header, rng)[0]
    header[name + "2" if rng.random() < 0.5 else "no/" + name] = header.pop(name)
    return _joined(header, body)


def _swap(data: bytes, rng: np.random.Generator) -> bytes:
    header, body = _parts(data)
    one, other = _names(header, rng)[:2]
    header[one], header[other] = header[other], header[one]
    return _joined(header, body)


def _resize(data: bytes, rng: np.random.Generator) -> bytes:
    """Make an array longer or shorter, with a header that is right about it; at times by a factor of 2^40."""
    header, body = _parts(data)
    name = _names(header, rng)[0]
    entry = header[name]
    start, end = entry["data_offsets"]
    if rng.random() < 0.3:
        entry["shape"] = [entry["shape"][0] << 40, *entry["shape"][1:]] if entry["shape"] else [1 << 40]
        entry["data_offsets"] = [start, start + (end - start << 40)]
        return _joined(header, body)
    rows = max(entry["shape"][0], 1)
    row = max((end - start) // rows, 1)
    less = int(rng.integers(1, min(rows, 3) + 1)) if rng.random() < 0.5 else -int(rng.integers(1, 3))
    piece = body[start:end][: max(end - start - less * row, 0)] + bytes(max(-less * row, 0))
    shift = len(piece) - (end - start)
    for other in header:
        if other != "__metadata__" and header[other]["data_offsets"][0] >= end and other != name:
            header[other]["data_offsets"] = [at + shift for at in header[other]["data_offsets"]]
    entry["data_offsets"] = [start, start + len(piece)]
    entry["shape"] = [len(piece) // row, *entry["shape"][1:]]
    return _joined(header, body[:start] + piece + body[end:])


def _cut(data: bytes, rng: np.random.Generator) -> bytes:
    return data[: rng.integers(len(data))]


def _append(data: bytes, rng: np.random.Generator) -> bytes:
    return data + rng.bytes(int(rng.integers(1, 64)))


_KINDS: dict[str, Callable[[bytes, np.random.Generator], bytes]] = {
    "flip header": _flip_header,
    "flip body": _flip_body,
    "edit header": _edit_header,
    "edit metadata": _edit_metadata,
    "rename": _rename,
    "swap": _swap,
    "resize": _resize,
    "cut": _cut,
    "append": _append,
}
