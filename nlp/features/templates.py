"""Templates as data: lists of conjunctions of atoms, one on a line, in sections by what they are for.

::

    [arc]                        # a section, and then others, in any order
    h.form m.tag dir dist?       # `?`: once with this atom and once without
    h.tag between.tag m.tag dir  # a set: a feature for each distinct tag between

The feature of a template is the conjunction of its answers; a template with sets has one for each combination.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, product
from pathlib import Path

from attrs import field, frozen

from autodiff.files import FileTooLargeError, read_bounded
from nlp.features.atoms import Atom, as_roles, parse_atom
from nlp.features.errors import TemplateError

__all__ = ["Template", "TemplateSet", "parse_templates", "read_templates"]

_MOST_SETS = 2
_MOST_BYTES = 1 << 24  # of a file


@frozen
class Template:
    """A conjunction of atoms, sorted by their texts; `where` is the line that it comes from."""

    atoms: tuple[Atom, ...]
    where: str = field(default="", eq=False, repr=False)

    @property
    def text(self) -> str:
        """The atoms, as they are written."""
        return " ".join(atom.text for atom in self.atoms)

    @property
    def roles(self) -> frozenset[str]:
        """The roles of all words that it looks at."""
        return frozenset(role for atom in self.atoms for role in atom.roles)


@frozen
class TemplateSet:
    """The templates for one kind of parts.

    Attributes
    ----------
    name : goes into the hash, so that equal templates of different sets do not share their weights
    roles : of the words of a part, in the order in which parts are given
    """

    name: str
    roles: tuple[str, ...] = field(converter=as_roles)
    templates: tuple[Template, ...]

    @classmethod
    def of(cls, name: str, roles: Sequence[str], text: str) -> "TemplateSet":
        """Return the templates in the lines of `text`, which has no headers; errors are as in `parse_templates`.

        >>> [template.text for template in TemplateSet.of("arc", ("h", "m"), "h.tag m.tag dir dist?")]
        ['dir h.tag m.tag', 'dir dist h.tag m.tag']
        """
        lines = ((f"[{name}]:{number}", line) for number, line in enumerate(text.splitlines(), start=1))
        return _read_set(name, as_roles(roles), lines)

    def __len__(self) -> int:
        return len(self.templates)

    def __iter__(self) -> Iterator[Template]:
        return iter(self.templates)

    @property
    def text(self) -> str:
        """The templates, one on a line, without a header."""
        return "".join(f"{template.text}\n" for template in self.templates)

    def renamed(self, name: str) -> "TemplateSet":
        """Return the same templates under another name, with weights of their own."""
        return TemplateSet(name, self.roles, self.templates)

    def without(self, absent: frozenset[str]) -> "TemplateSet":
        """Return the set without the templates that need an attribute in `absent`.

        Coarse tags are absent where they say what tags say: then tags stand in for them, if that makes a new template.

        >>> arcs = TemplateSet.of("arc", ("h", "m"), "h.tag m.tag\\nh.lemma m.lemma\\nh.coarse m.coarse\\nh.coarse")
        >>> arcs.without(frozenset({"lemma", "coarse"})).text
        'h.tag m.tag\\nh.tag\\n'
        """
        given = tuple(_by_tag(t, self.roles) for t in self.templates) if "coarse" in absent else self.templates
        kept: dict[str, Template] = {}
        for template in given:
            if not any(atom.needs in absent for atom in template.atoms):
                kept.setdefault(template.text, template)
        return TemplateSet(self.name, self.roles, tuple(kept.values()))


def parse_templates(
    text: str, *, roles: Mapping[str, Sequence[str]], source: str = "<templates>"
) -> dict[str, TemplateSet]:
    """Return the sets of templates in `text`, by the names of their sections.

    Parameters
    ----------
    roles : of the words of parts, for each section that there may be; lines before any header belong to the first
    source : the name for messages

    Raises
    ------
    TemplateError
        Naming `source:line` and the atom.

    Examples
    --------
    >>> sets = parse_templates("h.tag m.tag dir dist?\\n[pair]\\na.tag b.tag", roles={"arc": "hm", "pair": "ab"})
    >>> {name: [template.text for template in found] for name, found in sets.items()}
    {'arc': ['dir h.tag m.tag', 'dir dist h.tag m.tag'], 'pair': ['a.tag b.tag']}
    >>> parse_templates("h.tag m.tg dir", roles={"arc": "hm"})
    Traceback (most recent call last):
        ...
    nlp.features.errors.TemplateError: <templates>:1: atom 'm.tg': words have no attribute 'tg'; expected one of ...
    """
    known = {name: as_roles(given) for name, given in roles.items()}
    sections: dict[str, list[tuple[str, str]]] = {}
    section = next(iter(known))
    for number, line in enumerate(text.splitlines(), start=1):
        where, content = f"{source}:{number}", _content(line)
        if content.startswith("["):
            section = content.removeprefix("[").removesuffix("]").strip()
            if section not in known or not content.endswith("]"):
                names = ", ".join(f"[{name}]" for name in known)
                raise TemplateError(f"{where}: {content!r} is no section; expected one of {names}")
            sections.setdefault(section, [])
        elif content:
            sections.setdefault(section, []).append((where, content))
    return {name: _read_set(name, known[name], lines) for name, lines in sections.items()}


def read_templates(path: str | Path, *, roles: Mapping[str, Sequence[str]]) -> dict[str, TemplateSet]:
    """Read a file of templates: see `parse_templates`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".templates") as file:
    ...     _ = file.write("[sibling]\\nm.tag s.tag side\\n")
    ...     file.flush()
    ...     list(read_templates(file.name, roles={"sibling": "hms"}))
    ['sibling']
    """
    try:
        text = read_bounded(path, _MOST_BYTES).decode("utf-8")
    except FileTooLargeError as error:
        raise TemplateError(f"{error}; expected templates, one on a line") from None
    except UnicodeDecodeError as error:
        raise TemplateError(f"{path}: not UTF-8 ({error.reason} at byte {error.start})") from error
    return parse_templates(text, roles=roles, source=str(path))


def _content(line: str) -> str:
    return line.split("#", 1)[0].strip()


def _read_set(name: str, roles: tuple[str, ...], lines: Iterable[tuple[str, str]]) -> TemplateSet:
    """Return the templates of lines, each given with where it is."""
    found: dict[str, Template] = {}
    for where, line in lines:
        content = _content(line)
        for template in _expand(content, roles, where) if content else ():
            if template.text in found:
                raise TemplateError(f"{where}: {template.text!r} was given before, at {found[template.text].where}")
            found[template.text] = template
    return TemplateSet(name, roles, tuple(found.values()))


def _by_tag(template: Template, roles: Sequence[str]) -> Template:
    """Return a template in which tags stand in for coarse tags."""
    texts = {atom.text.replace(".coarse", ".tag") for atom in template.atoms}
    return Template(tuple(parse_atom(text, roles) for text in sorted(texts)), template.where)


def _expand(content: str, roles: tuple[str, ...], where: str) -> Iterator[Template]:
    """Yield a template for each choice of the optional atoms."""
    choices: list[tuple[tuple[Atom, ...], ...]] = []
    for word in content.split():
        try:
            atom = parse_atom(word.removesuffix("?"), roles)
        except ValueError as error:
            raise TemplateError(f"{where}: {error}") from None
        choices.append(((), (atom,)) if word.endswith("?") else ((atom,),))
    for chosen in product(*choices):
        atoms = sorted((atom for part in chosen for atom in part), key=lambda atom: atom.text)
        _check(atoms, where)
        yield Template(tuple(atoms), where)


def _check(atoms: list[Atom], where: str) -> None:
    if not atoms:
        raise TemplateError(f"{where}: a template without any atom; write 'bias' for a feature of every part")
    for one, other in pairwise(atoms):
        if one.text == other.text:
            raise TemplateError(f"{where}: atom {one.text!r} occurs twice")
    sets: Mapping[str, Atom] = {atom.text: atom for atom in atoms if atom.is_set}
    if len(sets) > _MOST_SETS:
        raise TemplateError(f"{where}: {', '.join(sets)} are sets; a template has at most {_MOST_SETS} of them")
    roles = {role for atom in atoms for role in atom.roles}
    for text, atom in sets.items():  # a block of three words has one place for sets to look at
        if atom.question == "between" and len(roles) > 2 and set(atom.roles) != {"h", "m"}:
            raise TemplateError(f"{where}: atom {text!r} goes with atoms of {' and '.join(atom.roles)} alone")
