"""The sections of a file of templates for the parser: one for each kind of parts, for relations, and for the pruner."""

from typing import Any

from nlp.deps.kinds import Arcs
from nlp.deps.pruner_features import PrunerFeatures as _PrunerFeatures  # noqa: F401 - so that they are found by name
from nlp.deps.templated import Templated
from nlp.features import TemplateSet

__all__ = ["default_templates", "template_roles", "with_defaults"]


def _sections() -> dict[str, type[Templated]]:
    """Return what has templates, by name; arcs first, whose are the lines before any header."""
    return {Arcs.name: Arcs, **Templated.kinds()}


def template_roles() -> dict[str, tuple[str, ...]]:
    """Return the sections that there may be, with the roles of the words of their parts: what parses templates needs.

    >>> from nlp.features import parse_templates
    >>> list(parse_templates("h.tag m.tag dir\\n[sibling]\\nm.tag s.tag side", roles=template_roles()))
    ['arc', 'sibling']
    """
    return {name: section.roles for name, section in _sections().items()}


def default_templates() -> dict[str, TemplateSet]:
    """Return the default templates of every section.

    >>> [template.text for template in default_templates()["nocross"]][:3]
    ['bias', 'h.tag', 'm.tag']
    """
    return {name: section.default_set() for name, section in _sections().items()}


def with_defaults(given: Any) -> dict[str, TemplateSet]:
    """Return the templates of every section: those that are given, by name, and default ones.

    >>> with_defaults({"arc": TemplateSet.of("arc", ("m", "h"), "h.tag m.tag dir")})
    Traceback (most recent call last):
    ValueError: templates of 'arc' are for parts of m, h; expected h, m: parse them with roles=template_roles()
    """
    if given is None:
        return default_templates()
    if not (isinstance(given, dict) and all(isinstance(chosen, TemplateSet) for chosen in given.values())):
        raise TypeError(f"templates is what read_templates or parse_templates returns; not {given!r}")
    roles = template_roles()
    for name, chosen in given.items():
        if name not in roles:
            raise ValueError(f"there are no templates of {name!r}; there are those of {', '.join(roles)}")
        if roles[name] != chosen.roles:
            raise ValueError(
                f"templates of {name!r} are for parts of {', '.join(chosen.roles)}; expected "
                f"{', '.join(roles[name])}: parse them with roles=template_roles()"
            )
    return {**default_templates(), **given}
