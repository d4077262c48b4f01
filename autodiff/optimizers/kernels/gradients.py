"""The gradient of hashed weights: added to slot by slot, with a list of the slots that were touched.

Legend: `memory` (slots, columns), the gradient is column 0; `touched` uint32, of which the first `used` count.
"""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["add", "arrange"]

_0, _1 = np.uint64(0), np.uint64(1)
_STRETCHES = 1024


@kernel
def add(indices, values, memory, touched, used):
    """Add to the gradient; return how many slots are listed in `touched`."""
    for i in range(np.uint64(len(indices))):
        index = indices[i]
        if values[i] != 0.0:
            before = memory[index, _0]
            if before == 0.0:
                touched[used] = index
                used += 1
            memory[index, _0] = before + values[i]
    return used


@kernel
def arrange(touched, used, slots):
    """Return the touched slots in stretches of neighbours, so that an update goes through memory but once."""
    shift = np.uint32(0)
    while (slots >> shift) > _STRETCHES:
        shift += np.uint32(1)
    starts = np.zeros(_STRETCHES + 2, dtype=np.int64)
    for i in range(np.uint64(used)):
        starts[np.uint64(touched[i] >> shift) + _1] += 1
    for k in range(_STRETCHES + 1):
        starts[k + 1] += starts[k]
    arranged = np.empty(used, dtype=np.uint32)
    for i in range(np.uint64(used)):
        stretch = np.uint64(touched[i] >> shift)
        arranged[np.uint64(starts[stretch])] = touched[i]
        starts[stretch] += 1
    return arranged
