"""The one way in which this project compiles a loop.

Every kernel is cached on disk, so that only the first process on a machine compiles it.  Numba keeps the cache beside
the source file or, where that directory is read-only, in the user's cache directory.  Where neither can be written, or
the disk is full, the kernel is compiled in memory: slower to start, never an error.  A file of the cache ends in its
checksum; a damaged one, which could hold any machine code, is not used but compiled and written anew.
"""

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.dispatcher import Dispatcher

__all__ = ["kernel"]

# Let a sum be reassociated (so that it is vectorised) and a*b+c be fused.  `fastmath=True` would also let the compiler
# assume that infinities and NaN do not occur; here -inf is a value.
_FLOATING_POINT = {"reassoc", "contract"}


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` at its first call (never at import), with the result cached on disk where possible."""
    compiled = njit(fastmath=_FLOATING_POINT, error_model="numpy")(function)
    if isinstance(compiled, Dispatcher):  # with NUMBA_DISABLE_JIT it is the function itself
        with suppress(RuntimeError):  # Numba found no directory that it could write to
            compiled._cache = _SealedCache(function)  # type: ignore[attr-defined] # what `enable_caching` sets
    return compiled


class _SealedCache(FunctionCache):
    """Numba's cache of a function, in which a damaged or unwritable file is as good as none."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _SealedFiles(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return what is cached for a signature, or None."""
        try:
            return super().load_overload(signature, context)
        except Exception:  # whatever a damaged file can lead to
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Cache what was compiled, if there is room."""
        with suppress(OSError):
            super().save_overload(signature, compiled)


class _SealedFiles(IndexDataCacheFile):
    """The files of a cache, each with a checksum after its content (where Numba does not look)."""

    @contextmanager
    def _open_for_write(self, path: str) -> Iterator[BytesIO]:
        with super()._open_for_write(path) as file:
            content = BytesIO()
            yield content
            file.write(content.getvalue() + _checksum(path, content.getvalue()))

    def _load_index(self) -> Any:
        if os.path.exists(self._index_path):
            _check(self._index_path)
        return super()._load_index()

    def _load_data(self, name: str) -> Any:
        _check(self._data_path(name))
        return super()._load_data(name)


def _checksum(path: str, content: bytes) -> bytes:
    return hashlib.sha256(os.path.basename(path).encode() + content).digest()


def _check(path: str) -> None:
    """Raise ValueError if a file does not end in the checksum of the rest."""
    with open(path, "rb") as file:
        data = file.read()
    size = hashlib.sha256().digest_size
    if _checksum(path, data[:-size]) != data[-size:]:
        raise ValueError(f"{path}: damaged")
