"""Compiled loops of the parser, imported when they are first used."""

from autodiff.kernels.lazy import lazy_modules

__getattr__ = lazy_modules(__name__)
