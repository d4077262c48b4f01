"""Options by flat names, for settings that nest: what keyword arguments, command lines and files have in common.

An option is a field with `setting(help=…)`: its name, type, default, check and help are there and nowhere else.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import NOTHING, Attribute, field, fields, frozen

from autodiff.errors import InputError
from autodiff.named import Named
from autodiff.settings import settings_from

__all__ = ["Choice", "OptionError", "OptionSet"]


class OptionError(InputError, ValueError):
    """An option that there is not, or with a value that it cannot have; the message says what there is."""


@frozen
class Choice:
    """A setting that is one of the kinds of a contract, chosen by name, with options of its own.

    Attributes
    ----------
    option : the name by which it is chosen
    contract : of which the kinds are
    default : the name of a kind
    help : a line
    several : whether it may be several, as "l2+risk"; then it is a tuple of objects
    defaults : of options of the kinds, in place of their own
    fixed : arguments of all kinds that something else decides
    """

    option: str
    contract: type[Named]
    default: str
    help: str
    several: bool = False
    defaults: Mapping[str, Any] = field(factory=dict, kw_only=True)
    fixed: Mapping[str, Any] = field(factory=dict, kw_only=True)

    def options(self) -> dict[str, "Attribute[Any]"]:
        """Return the options of all kinds by name; those of one name are alike."""
        every = {each.name: each for kind in self.contract.kinds().values() for each in kind.option_fields()}
        return {name: each.evolve(default=self.defaults.get(name, each.default)) for name, each in every.items()}

    def build(self, given: Mapping[str, Any]) -> Any:
        """Return the object (or objects) for the options that are given."""
        chosen = given.get(self.option, self.default)
        own = {name: value for name, value in given.items() if name != self.option}
        if not isinstance(chosen, str):
            objects = tuple(chosen) if self.several and isinstance(chosen, list | tuple) else (chosen,)
            if own or not all(isinstance(one, self.contract) for one in objects):
                raise OptionError(f"{self.option} is {chosen!r}; give a name, or objects with their settings")
            return objects if self.several else chosen
        names = chosen.split("+") if self.several else [chosen]
        kinds = [self._kind(name) for name in names]
        known = {each.name for kind in kinds for each in kind.option_fields()}
        for name in own:
            if name not in known:
                having = [repr(kind.name) for kind in self.contract.kinds().values() if _has(kind, name)]
                raise OptionError(f"{name} is an option of {self.option} {', '.join(having)}, not of {chosen!r}")
        every = {**self.defaults, **own}
        objects = tuple(
            kind(**{each: value for each, value in every.items() if _has(kind, each)}, **self.fixed) for kind in kinds
        )
        return objects if self.several else objects[0]

    def plain(self, built: Any) -> Any:
        """Return plain values for a file."""
        return [one.plain() for one in built] if self.several else built.plain()

    def from_plain(self, given: Any) -> Any:
        """Undo `plain`; a ValueError says what is wrong with values that it did not return."""
        if not self.several:
            return self.contract.from_plain(given, **self.fixed)
        if not isinstance(given, list) or not given:
            raise ValueError(f"{self.option} is {str(given)[:40]!r}, expected a list")
        return tuple(self.contract.from_plain(one, **self.fixed) for one in given)

    def _kind(self, name: str) -> type[Named]:
        kinds = self.contract.kinds()
        if name not in kinds:
            raise OptionError(f"{self.option} is one of {', '.join(kinds)}; not {name!r}")
        return kinds[name]


@frozen
class OptionSet:
    """The options of something that has several groups of settings.

    Parameters
    ----------
    groups : by name, attrs classes and `Choice`s

    Examples
    --------
    >>> from attrs import frozen
    >>> from autodiff.named import setting
    >>> @frozen
    ... class Size:
    ...     width: int = setting(default=3, help="In pixels.")
    >>> options = OptionSet({"size": Size})
    >>> options.build({"width": 5})
    {'size': Size(width=5)}
    >>> options.build({"height": 5})
    Traceback (most recent call last):
    autodiff.options.OptionError: there is no option 'height'; there are width
    """

    groups: Mapping[str, Any] = field()

    def __iter__(self) -> Iterator[str]:
        return iter(self._owners())

    def attributes(self) -> dict[str, "Attribute[Any]"]:
        """Return the options that are fields, by name: all but the names of choices."""
        found: dict[str, Attribute[Any]] = {}
        for group in self.groups.values():
            found |= group.options() if isinstance(group, Choice) else {each.name: each for each in _fields(group)}
        return found

    def choices(self) -> dict[str, Choice]:
        """Return the options by which something is chosen."""
        return {group.option: group for group in self.groups.values() if isinstance(group, Choice)}

    def build(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of every group, by its name, for the options that are given.

        Raises
        ------
        OptionError
            If there is no such option, or its value is none that it can have.
        """
        owners, result = self._owners_of(given), {}
        for name, group in self.groups.items():
            own = {option: value for option, value in given.items() if owners[option] == name}
            try:
                result[name] = group.build(own) if isinstance(group, Choice) else group(**own)
            except OptionError:
                raise
            except ValueError as error:
                raise OptionError(str(error)) from None
        return result

    def change(self, built: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of every group with some options changed.

        Where a choice goes to another kind, its other options are those by default.
        """
        plain, owners, result = self.plain(built), self._owners_of(given), {}
        for name, group in self.groups.items():
            own = {option: value for option, value in given.items() if owners[option] == name}
            if isinstance(group, Choice):
                result[name] = self._changed_choice(group, built[name], plain[name], own)
            else:
                result[name] = self.build({**plain[name], **own})[name] if own else built[name]
        return result

    def _changed_choice(self, group: Choice, built: Any, plain: Any, own: dict[str, Any]) -> Any:
        if not own or group.several:
            return group.build(own) if own else built
        kept = {option: value for option, value in plain.items() if option != "name"}
        name = own.get(group.option, plain["name"])
        return group.build({**kept, **own, group.option: name} if name == plain["name"] else own)

    def plain(self, built: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of every group as plain values."""
        return {
            name: group.plain(built[name])
            if isinstance(group, Choice)
            else {each.name: _plain(getattr(built[name], each.name)) for each in _fields(group)}
            for name, group in self.groups.items()
        }

    def from_plain(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Undo `plain`; a ValueError says what is wrong with values that it did not return."""
        missing = [name for name in self.groups if name not in given]
        if missing:
            raise ValueError(f"the settings lack {missing[0]!r}")
        return {
            name: group.from_plain(given[name])
            if isinstance(group, Choice)
            else settings_from(group, given[name], _fields(group))
            for name, group in self.groups.items()
        }

    def _owners_of(self, given: Mapping[str, Any]) -> dict[str, str]:
        """Return the group of each option, if there are all that are given."""
        owners = self._owners()
        for name in given:
            if name not in owners:
                raise OptionError(f"there is no option {name!r}; there are {', '.join(sorted(owners))}")
        return owners

    def _owners(self) -> dict[str, str]:
        """Return the group of each option."""
        found: dict[str, str] = {}
        for name, group in self.groups.items():
            options = (
                [group.option, *group.options()] if isinstance(group, Choice) else [f.name for f in _fields(group)]
            )
            for option in options:
                if found.setdefault(option, name) != name:
                    raise TypeError(f"the option {option!r} is in the groups {found[option]!r} and {name!r}")
        return found


def default_of(attribute: "Attribute[Any]") -> Any:
    """Return the default of an option."""
    return None if attribute.default is NOTHING else attribute.default


def _fields(group: type[Any]) -> "list[Attribute[Any]]":
    return [each for each in fields(group) if "help" in each.metadata]


def _has(kind: type[Named], option: str) -> bool:
    return any(each.name == option for each in kind.option_fields())


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
