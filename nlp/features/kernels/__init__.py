"""Compiled loops of features, imported when they are first used.

`hashing` mixes integers; `words` hashes what each word says, once a sentence; `positions` answers what depends on where
words are; `parts` puts a part's features together from both.
"""

from autodiff.kernels.lazy import lazy_modules

__getattr__ = lazy_modules(__name__)
