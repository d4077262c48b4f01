"""What can go wrong with features, each named by its meaning."""

from autodiff.errors import InputError

__all__ = ["FeatureError", "TemplateError"]


class FeatureError(InputError, ValueError):
    """Base of every error of this package; also a vocabulary, a part or a setting that cannot work."""


class TemplateError(FeatureError):
    """A template that cannot be read; the message says `file:line`, and names the atom."""
