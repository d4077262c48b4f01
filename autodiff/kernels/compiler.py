"""The one way in which this project compiles a loop.

Every kernel is cached on disk, so that only the first process on a machine compiles it.  Numba keeps the cache beside
the source file or, where that directory is read-only, in the user's cache directory.  Where neither can be written the
kernel is compiled in memory: slower to start, never an error.
"""

from collections.abc import Callable
from typing import Any

from numba import njit

__all__ = ["kernel"]

# Let a sum be reassociated (so that it is vectorised) and a*b+c be fused.  `fastmath=True` would also let the compiler
# assume that infinities and NaN do not occur; here -inf is a value.
_FLOATING_POINT = {"reassoc", "contract"}


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` at its first call (never at import), with the result cached on disk where possible."""
    try:
        return njit(cache=True, fastmath=_FLOATING_POINT, error_model="numpy")(function)
    except RuntimeError:  # Numba found no directory that it could write to
        return njit(fastmath=_FLOATING_POINT, error_model="numpy")(function)
