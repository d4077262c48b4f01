"""Candidate arcs of a sentence."""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["of_mask"]


@kernel
def of_mask(allowed):
    """Return heads and modifiers of the arcs with allowed[h, m], by modifier; no loops, and none into the root."""
    size = len(allowed)
    heads, modifiers = np.empty(size * size, dtype=np.int64), np.empty(size * size, dtype=np.int64)
    count = 0
    for m in range(1, size):
        for h in range(size):
            if allowed[h, m] and h != m:
                heads[count], modifiers[count] = h, m
                count += 1
    return heads[:count].copy(), modifiers[:count].copy()
