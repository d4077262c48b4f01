"""What has templates of its own: a section in files of templates, the roles of its words, and the default templates."""

from typing import ClassVar

from autodiff.named import Named
from nlp.features import TemplateSet

__all__ = ["Templated"]


class Templated(Named):
    """Something that is scored by hashed features; `name` is that of its section, and of the scores.

    Default templates that need a column which the data lacks are dropped when a model is fitted
    (`TemplateSet.without`).
    """

    roles: ClassVar[tuple[str, ...]]
    """The words of a part: h head, m modifier, g grandparent, s sibling."""
    templates: ClassVar[str]
    """Default templates of its features, a line each."""

    @classmethod
    def default_set(cls) -> TemplateSet:
        """Return the default templates.

        >>> from nlp.deps.kinds import Crossings
        >>> len(Crossings.default_set())
        7
        """
        return TemplateSet.of(cls.name, cls.roles, cls.templates)
