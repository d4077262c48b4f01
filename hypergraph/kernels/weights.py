"""Which numbers can be log-weights."""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["unfit"]


@kernel
def unfit(values, largest):
    """Return the first place (of a flat array) of what is neither -inf nor smaller in size than `largest`, or -1."""
    for place in range(len(values)):
        if not (abs(values[place]) < largest or values[place] == -np.inf):
            return place
    return -1
