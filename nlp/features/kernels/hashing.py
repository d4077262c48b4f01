"""The hash of a feature: additive over its atoms, so that what a word contributes is computed once a sentence.

    index = finish(template key + Σ_atoms mix(atom key + answer))

`mix` is the finaliser of splitmix64 (Steele, Lea & Flood 2014), a bijection of 64 bits that flips half of them for a
change of any one.  The sum of such values is as good as random, and a different template or atom has a different key.
`finish` folds and multiplies once more: without it, two heads that agree in the top bits of their contributions would
collide together with *every* modifier.
"""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["finish", "mix"]

_FIRST, _SECOND, _LAST = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB), np.uint64(0xD6E8FEB86659FD93)
_30, _27, _31, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


@kernel
def mix(value):
    """Scatter 64 bits."""
    value = (value ^ (value >> _30)) * _FIRST
    value = (value ^ (value >> _27)) * _SECOND
    return value ^ (value >> _31)


@kernel
def finish(total, shift):
    """Return the index of a feature: the top 64 - `shift` bits of the scattered sum."""
    return ((total ^ (total >> _32)) * _LAST) >> shift
