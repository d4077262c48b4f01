"""A factor graph: variables, and factors over them."""

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from math import prod
from operator import index as whole
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pgm import kernels
from pgm.errors import FactorGraphError
from pgm.evidence import Evidence, find_evidence
from pgm.factor import Factor
from pgm.variables import Variable, VariableArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["FactorGraph"]

AnyFactor = TypeVar("AnyFactor", bound=Factor)


class FactorGraph:
    """Discrete variables and factors; p(y) ∝ Π_α ψ_α(y_α).

    Examples
    --------
    >>> from pgm import BeliefPropagation, FactorGraph
    >>> from pgm.factors import Table
    >>> graph = FactorGraph()
    >>> rain = graph.variable("rain", ["no", "yes"])
    >>> wet = graph.variable("wet", ["no", "yes"])
    >>> prior = graph.add(Table([rain], np.log([0.8, 0.2])))
    >>> cause = graph.add(Table([rain, wet], np.log([[0.9, 0.1], [0.2, 0.8]])))
    >>> BeliefPropagation().run(graph).belief(wet).round(3)
    array([0.76, 0.24])
    """

    def __init__(self) -> None:
        self.families: list[Factor] = []
        self._added: set[Factor] = set()  # the same families, found quickly
        self._cardinalities: list[int] = []
        self._blocks: list[tuple[int, str, tuple[int, ...], tuple[Any, ...]]] = []  # first, name, shape, states
        self._first: list[int] = []
        self._by_name: dict[str, int] = {}
        self._cards_array = np.zeros(0, dtype=np.int64)
        self._starts = np.zeros(1, dtype=np.int64)
        self._derived: dict[Hashable, Any] = {}
        self._derived_from: list[int] = []
        self._derived_families: list[Factor] = []  # kept, so that no other family can have the same id

    # Building

    def variable(self, name: str, states: Sequence[Any] | int = 2) -> Variable:
        """Add a variable with named states (or so many, named 0, 1, …)."""
        block = self._add_block(name, (), states)
        return self.variable_at(block)

    def variables(self, name: str, shape: int | tuple[int, ...], states: Sequence[Any] | int = 2) -> VariableArray:
        """Add an array of variables with the same states."""
        shape = _as_shape(name, shape)
        first = self._add_block(name, shape, states)
        index = first + np.arange(prod(shape), dtype=np.int64).reshape(shape)
        return VariableArray(self, index, name, self._blocks[-1][3])

    def add(self, factor: AnyFactor) -> AnyFactor:
        """Add a factor, or a family of factors, and return it."""
        if not isinstance(factor, Factor):
            raise FactorGraphError(f"add takes a factor such as Table(variables, log_potentials), not {factor!r}")
        if factor.graph is not None and factor.graph is not self:
            raise FactorGraphError(
                f"{factor!r} is over variables of another factor graph; make it with variables of this one"
            )
        if factor.graph is None:
            self._check_numbers(factor)
        twice = kernels.places.repeated(factor.variables)
        if twice >= 0:
            raise FactorGraphError(f"{factor.describe(twice)} has a variable twice")
        if factor in self._added:
            raise FactorGraphError(f"{factor!r} is in the graph already; make another one to count it twice")
        self.families.append(factor)
        self._added.add(factor)
        return factor

    def extend(self, factors: Iterable[Factor]) -> None:
        """Add several factors."""
        for factor in factors:
            self.add(factor)

    # Looking

    def family(self, name: str) -> Any:
        """Return the one family of factors that has a name.

        Examples
        --------
        >>> from pgm.factors import AtMostOne
        >>> graph = FactorGraph()
        >>> added = graph.add(AtMostOne(graph.variables("x", 3), name="at most one x"))
        >>> graph.family("at most one x") is added
        True

        Raises
        ------
        FactorGraphError
            If none has it, or several.
        """
        found = [family for family in self.families if family.name == name]
        if len(found) != 1:
            names = sorted({family.name for family in self.families})
            raise FactorGraphError(f"{len(found)} families of factors are named {name!r}; the names are {names}")
        return found[0]

    @property
    def num_variables(self) -> int:
        """The number of variables."""
        return len(self._cardinalities)

    @property
    def num_factors(self) -> int:
        """The number of factors, all families together."""
        return sum(family.num_factors for family in self.families)

    @property
    def cardinalities(self) -> NDArray[np.int64]:
        """(variables,): the number of states of each."""
        known = len(self._cards_array)
        if known != len(self._cardinalities):
            new = np.array(self._cardinalities[known:], dtype=np.int64)
            self._cards_array = np.concatenate([self._cards_array, new])
        return self._cards_array

    @property
    def state_starts(self) -> NDArray[np.int64]:
        """(variables + 1,): where the states of each variable begin in a flat array of all states."""
        if len(self._starts) != self.num_variables + 1:
            self._starts = np.concatenate([[0], np.cumsum(self.cardinalities)])
        return self._starts

    def variable_at(self, index: int) -> Variable:
        """Return the variable with this number."""
        if not 0 <= index < self.num_variables:
            raise FactorGraphError(f"there is no variable number {index}; {_numbers(self.num_variables)}")
        block = int(np.searchsorted(self._first, index, side="right")) - 1
        first, name, shape, states = self._blocks[block]
        if shape:
            place = ", ".join(str(int(i)) for i in np.unravel_index(index - first, shape))
            name = f"{name}[{place}]"
        return Variable(self, index, name, states)

    def __getitem__(self, name: str) -> Variable | VariableArray:
        """Return a variable, or an array of variables, by its name."""
        element = re.fullmatch(r"(.+)\[([\d, ]+)\]", name)  # as an array's variables are called in messages
        if element and name not in self._by_name and element[1] in self._by_name:
            array = self[element[1]]
            place = tuple(int(number) for number in element[2].split(","))
            if isinstance(array, VariableArray) and _is_within(place, array.shape):
                return array[place]
        if name not in self._by_name:
            raise FactorGraphError(f"there is no variable {name!r}; there are {sorted(self._by_name)[:10]} …")
        first, name, shape, states = self._blocks[self._by_name[name]]
        if not shape:
            return self.variable_at(first)
        index = first + np.arange(prod(shape), dtype=np.int64).reshape(shape)
        return VariableArray(self, index, name, states)

    def check_owns(self, variable: Any) -> None:
        """Raise FactorGraphError if something is no variable, or array of variables, of this graph."""
        if not isinstance(variable, Variable | VariableArray):
            raise FactorGraphError(f"expected a variable of the graph, or its name, not {variable!r}")
        if variable.graph is not self:
            raise FactorGraphError(f"{variable.name!r} is a variable of another factor graph")

    def score(
        self, assignment: NDArray[np.int64], *, potentials: Sequence[NDArray[np.float64] | None] | None = None
    ) -> float:
        """Return Σ_α log ψ_α of an assignment (variables,) of state numbers; -inf where a factor forbids it.

        Parameters
        ----------
        potentials : for each family the log-potentials used in place of its own, or None
        """
        given = np.asarray(assignment)
        if given.shape != (self.num_variables,) or (given.size and not np.issubdtype(given.dtype, np.integer)):
            raise FactorGraphError(
                f"an assignment is {self.num_variables} state numbers, one for each variable; "
                f"not {given.dtype} values of shape {given.shape}"
            )
        states = given.astype(np.int64)
        outside = np.flatnonzero((states < 0) | (states >= self.cardinalities))
        if len(outside):
            raise FactorGraphError(
                f"variable {self.variable_at(int(outside[0])).name!r} has no state number {states[outside[0]]}"
            )
        families = self.families
        if potentials is not None:
            pairs = zip(families, potentials, strict=True)
            families = [family if own is None else family.with_potentials(own) for family, own in pairs]
        return float(sum(family.score(states[family.variables]).sum() for family in families))

    def find(self, key: Any) -> Variable | VariableArray:
        """Return a variable or an array of variables, given that, its name, or a variable's number."""
        if isinstance(key, str):
            return self[key]
        if isinstance(key, int | np.integer) and not isinstance(key, bool):
            return self.variable_at(int(key))
        self.check_owns(key)
        return key

    def find_one(self, key: Any) -> Variable:
        """Return a single variable, given that, its name, or its number."""
        found = self.find(key)
        if not isinstance(found, Variable):
            raise FactorGraphError(f"{found.name!r} is an array of variables of shape {found.shape}; give single ones")
        return found

    def evidence(self, observed: Any) -> Evidence:
        """Return states, given in any of the forms of `pgm.evidence`, as {variable number: state number}."""
        return find_evidence(self, observed)

    def derived(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return what `make` makes of the graph's structure (a schedule's plan), again only once that has changed."""
        structure = [self.num_variables, *map(id, self.families)]
        if structure != self._derived_from:
            self._derived, self._derived_from, self._derived_families = {}, structure, list(self.families)
        if not isinstance(key, Hashable):
            return make()
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]

    def draw(self, *, axes: "Axes | None" = None) -> "Axes":
        """Draw the graph with matplotlib: variables round, factors square; see `pgm.drawing`."""
        from pgm.drawing import draw

        return draw(self, axes=axes)

    def __repr__(self) -> str:
        factors = f"{self.num_factors} factors in {len(self.families)} families"
        return f"<FactorGraph: {self.num_variables} variables, {factors}>"

    def _check_numbers(self, factor: Factor) -> None:
        """Check a factor that was made with plain numbers for its variables."""
        outside = (factor.variables < 0) | (factor.variables >= self.num_variables)
        if outside.any():
            raise FactorGraphError(
                f"{factor!r} is over variable {factor.variables[outside][0]}, but there are {self.num_variables}"
            )
        if not factor.num_factors:
            return
        cardinalities = tuple(self.cardinalities[factor.variables[0]].tolist())
        if cardinalities != factor.cardinalities:
            raise FactorGraphError(
                f"{factor!r} is for variables with {factor.cardinalities} states, but these have {cardinalities}"
            )

    def _add_block(self, name: str, shape: tuple[int, ...], states: Sequence[Any] | int) -> int:
        if not isinstance(name, str):
            raise FactorGraphError(f"the name of a variable is text, not {name!r}")
        if name in self._by_name:
            raise FactorGraphError(f"there is already a variable {name!r}; choose another name")
        names: tuple[Hashable, ...] = _as_states(name, states)
        if not names or len(set(names)) != len(names):
            raise FactorGraphError(f"variable {name!r}: the states {names} must be different, and at least one")
        first = len(self._cardinalities)
        self._by_name[name] = len(self._blocks)
        self._blocks.append((first, name, shape, names))
        self._first.append(first)
        self._cardinalities.extend([len(names)] * prod(shape))
        return first


def _as_shape(name: str, shape: Any) -> tuple[int, ...]:
    try:
        sizes = (whole(shape),) if np.ndim(shape) == 0 else tuple(whole(size) for size in shape)
    except TypeError:
        raise FactorGraphError(f"variables {name!r}: the shape is whole numbers, not {shape!r}") from None
    if any(size < 0 for size in sizes):
        raise FactorGraphError(f"variables {name!r}: the shape {sizes} has a negative size")
    return sizes


def _as_states(name: str, states: Any) -> tuple[Hashable, ...]:
    if isinstance(states, int | np.integer):
        return tuple(range(int(states)))
    if not isinstance(states, Iterable):
        raise FactorGraphError(f"variable {name!r}: states are their names or their number, not {states!r}")
    # A NumPy array's entries as Python's own values, for messages and for comparisons.
    labels = tuple(states.tolist() if isinstance(states, np.ndarray) else states)
    wrong = [label for label in labels if not isinstance(label, Hashable)]
    if wrong:
        raise FactorGraphError(f"variable {name!r}: a state cannot be called {wrong[0]!r}; names must be hashable")
    return labels


def _numbers(count: int) -> str:
    return f"there are {count} variables, 0 to {count - 1}" if count else "the graph has none"


def _is_within(place: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    return len(place) == len(shape) and all(number < size for number, size in zip(place, shape, strict=True))
