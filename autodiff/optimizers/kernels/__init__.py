"""Compiled loops of the optimisers, imported when they are first used.

`gradients` gathers the gradient of hashed weights; `shrinkage` is what steps without a gradient come to, and the sums
of the weights after them; `adagrad` updates hashed weights.
"""

from autodiff.kernels.lazy import lazy_modules

__getattr__ = lazy_modules(__name__)
