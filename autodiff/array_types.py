"""The types of arrays, by what is in them; the shape is in the docstring of whoever says one."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Booleans", "Floats", "Integers"]

Booleans: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
