"""Templates as data: lists of conjunctions of atoms, one on a line, in sections by kind of part.

::

    [arc]                        # also [grandparent], [sibling], … (SECTIONS), in any order
    h.form m.tag dir dist?       # `?`: once with this atom and once without
    h.tag between.tag m.tag dir  # a set: a feature for each distinct tag between

The feature of a template is the conjunction of its answers; a template with sets has one for each combination.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise, product
from pathlib import Path

from attrs import field, frozen

from autodiff.files import FileTooLargeError, read_bounded
from nlp.features.atoms import KINDS, Atom, parse_atom
from nlp.features.errors import TemplateError

__all__ = ["SECTIONS", "Template", "TemplateSet", "parse_templates", "read_templates"]

# What a section is about: the name of a kind, or a set with a name of its own.  A part of "childseq" is an arc h → m
# with the child s before it (h itself, if there is none); of "nocross" it is two words, h before m; of "relation" it is
# an arc, whose features are conjoined with each relation that it may have.
SECTIONS = {
    **{kind: kind for kind in KINDS},
    "pruner": "arc", "childseq": "sibling", "nocross": "arc", "relation": "arc",
}  # fmt: skip
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
    """The templates for one kind of part.

    Attributes
    ----------
    name : goes into the hash, so that equal templates of different sets do not share their weights
    kind : "arc", "grandparent" or "sibling"
    """

    name: str
    kind: str
    templates: tuple[Template, ...]

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
        return TemplateSet(name, self.kind, self.templates)

    def without(self, absent: frozenset[str]) -> "TemplateSet":
        """Return the set without the templates that need an attribute in `absent`.

        Coarse tags are absent where they say what tags say: then tags stand in for them, if that makes a new template.

        >>> arcs = parse_templates("h.tag m.tag\\nh.lemma m.lemma\\nh.coarse m.coarse\\nh.coarse")["arc"]
        >>> arcs.without(frozenset({"lemma", "coarse"})).text
        'h.tag m.tag\\nh.tag\\n'
        """
        given = tuple(_by_tag(t, self.kind) for t in self.templates) if "coarse" in absent else self.templates
        kept: dict[str, Template] = {}
        for template in given:
            if not any(atom.needs in absent for atom in template.atoms):
                kept.setdefault(template.text, template)
        return TemplateSet(self.name, self.kind, tuple(kept.values()))


def parse_templates(text: str, *, source: str = "<templates>") -> dict[str, TemplateSet]:
    """Return the sets of templates in `text`, by the names of their sections; lines before any header are `[arc]`.

    Raises
    ------
    TemplateError
        Naming `source:line` and the atom.

    Examples
    --------
    >>> sets = parse_templates("h.tag m.tag dir dist?")
    >>> [template.text for template in sets["arc"]]
    ['dir h.tag m.tag', 'dir dist h.tag m.tag']
    >>> parse_templates("h.tag m.tg dir")
    Traceback (most recent call last):
        ...
    nlp.features.errors.TemplateError: <templates>:1: atom 'm.tg': words have no attribute 'tg'; expected one of ...
    """
    sections: dict[str, dict[str, Template]] = {}
    section = "arc"
    for number, line in enumerate(text.splitlines(), start=1):
        where = f"{source}:{number}"
        content = line.split("#", 1)[0].strip()
        if content.startswith("["):
            section = content.removeprefix("[").removesuffix("]").strip()
            if section not in SECTIONS or not content.endswith("]"):
                known = ", ".join(f"[{name}]" for name in SECTIONS)
                raise TemplateError(f"{where}: {content!r} is no section; expected one of {known}")
            sections.setdefault(section, {})
        elif content:
            found = sections.setdefault(section, {})
            for template in _expand(content, SECTIONS[section], where):
                if template.text in found:
                    raise TemplateError(f"{where}: {template.text!r} was given before, at {found[template.text].where}")
                found[template.text] = template
    return {name: TemplateSet(name, SECTIONS[name], tuple(found.values())) for name, found in sections.items()}


def read_templates(path: str | Path) -> dict[str, TemplateSet]:
    """Read a file of templates: see `parse_templates`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".templates") as file:
    ...     _ = file.write("[sibling]\\nm.tag s.tag side\\n")
    ...     file.flush()
    ...     list(read_templates(file.name))
    ['sibling']
    """
    try:
        text = read_bounded(path, _MOST_BYTES).decode("utf-8")
    except FileTooLargeError as error:
        raise TemplateError(f"{error}; expected templates, one on a line") from None
    except UnicodeDecodeError as error:
        raise TemplateError(f"{path}: not UTF-8 ({error.reason} at byte {error.start})") from error
    return parse_templates(text, source=str(path))


def _by_tag(template: Template, kind: str) -> Template:
    """Return a template in which tags stand in for coarse tags."""
    texts = {atom.text.replace(".coarse", ".tag") for atom in template.atoms}
    return Template(tuple(parse_atom(text, kind) for text in sorted(texts)), template.where)


def _expand(content: str, kind: str, where: str) -> Iterator[Template]:
    """Yield a template for each choice of the optional atoms."""
    choices: list[tuple[tuple[Atom, ...], ...]] = []
    for word in content.split():
        try:
            atom = parse_atom(word.removesuffix("?"), kind)
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
