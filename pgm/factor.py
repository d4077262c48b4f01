"""The contract of a factor, and of a family of factors.

A *family* is a batch of factors of one shape: F factors over D variables each, whose cardinalities are the same for all
factors (but may differ between positions).  A single factor is a family of one.  A family's messages are one array
(F, W) with W = Σ_d c_d: for each factor the states of its first variable, then those of its second, and so on; for
binary variables that is (F, D, 2).

Everything is in the log domain; -inf is a real zero.
"""

import copy
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from attrs import evolve
from numpy.typing import ArrayLike, NDArray

from autodiff import Adjoint
from autodiff.array_types import Floats
from autodiff.conversion import as_floats, as_integers
from pgm.completions import completions
from pgm.errors import ContradictionError, FactorGraphError, PotentialError
from pgm.factor_run import FactorRun
from pgm.log_potentials import check_log_potentials
from pgm.potential_source import Computed, PotentialSource
from pgm.variables import VariableArray, as_index, owner

if TYPE_CHECKING:
    from pgm.channel import Channel
    from pgm.layout import FactorBlock

__all__ = ["Factor", "LinearConstraints"]

LinearConstraints = tuple[Floats, Floats, Floats, Floats]


class Factor(ABC):
    """A family of factors of one shape over discrete variables.

    A subclass stores what it needs in its constructor (after `super().__init__`) and writes the abstract methods.
    `check_factor` compares all of them with enumeration.  What only some factors can do is declared here too:
    `row_fields` and `merge_key` (to be taken apart and stacked), `potentials`, `linear_constraints`.

    Parameters
    ----------
    variables : what `as_index` takes
    name : for messages and pictures

    Attributes
    ----------
    source : what computes the log-potentials from parameters, for learning; None if they are just given
    row_fields : the names of the attributes that have an entry for each factor, beside `variables` and the
        log-potentials; None where nothing is said, and then the factors of a family stay together
    """

    row_fields: ClassVar[tuple[str, ...] | None] = None

    source: "PotentialSource | None" = None
    _log_potentials: Any = None
    _computed: Computed | None = None

    def __init__(self, variables: Any, *, name: str | None = None) -> None:
        if isinstance(variables, Iterator):
            variables = list(variables)
        self.graph = owner(variables)
        self.variables = as_index(variables)
        self.name = name or type(self).__name__
        self.cardinalities: tuple[int, ...]
        if self.graph is None:
            self.cardinalities = (2,) * self.degree
        elif isinstance(variables, VariableArray):
            self.cardinalities = (variables.cardinality,) * self.degree
        else:
            cards = self.graph.cardinalities[self.variables]
            if (cards != cards[:1]).any():
                raise PotentialError(
                    f"{self.name}: the factors of a family have the same numbers of states at each position, but here "
                    f"position {int(np.argmax((cards != cards[:1]).any(axis=0)))} has different ones"
                )
            self.cardinalities = tuple(cards[0].tolist()) if len(cards) else _of_empty(variables, self.degree)

    # What a family is

    @property
    def num_factors(self) -> int:
        """F."""
        return len(self.variables)

    @property
    def degree(self) -> int:
        """D."""
        return self.variables.shape[1]

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """(D + 1,): where the states of each position begin in a row of messages; the last is W."""
        return np.fromiter(accumulate(self.cardinalities, initial=0), np.int64, self.degree + 1)

    @property
    def potentials(self) -> Floats | None:
        """The log-potentials, with F as the first axis: what beliefs and gradients belong to; None if hard."""
        return None

    @property
    def log_potentials(self) -> Any:
        """Where a family keeps its potentials, if it has some; those with a `source` follow its parameters.

        Whoever runs or scores a graph reads them here, and so sees the parameters as they are now.
        """
        source = self.source
        if source is not None:
            known = self._computed
            if known is None or not known.is_current(source):
                self.refresh()
        return self._log_potentials

    @log_potentials.setter
    def log_potentials(self, values: Any) -> None:
        """Give the potentials; they then come from no source."""
        if self.source is not None:
            self.source = None
        self._log_potentials = values

    def refresh(self) -> None:
        """Compute the potentials anew by their `source`, changed parameters or not; without one they stay."""
        source = self.source
        if source is not None and self._log_potentials is not None:
            self._compute_by(source, self._log_potentials.shape)

    def gradients(self, adjoint: Floats) -> dict[str, Adjoint]:
        """Return the gradients of the parameters of its `source` by name, given the adjoint of the log-potentials.

        They are those at the parameters' present values.  The source is run again only if parameters have changed since
        it computed the log-potentials, or if this was asked before.
        """
        source, known = self.source, self._computed
        if source is None:
            return {}
        if known is None or known.gradients is None or not known.is_current(source):
            _, gradients = source.forward()
            return gradients(adjoint)
        # An update of the parameters comes next, and what a neural scorer keeps for the way back may be large.
        self._computed = evolve(known, gradients=None)
        return known.gradients(adjoint)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the way back through the source out: a copy computes its log-potentials anew."""
        return {name: value for name, value in self.__dict__.items() if name != "_computed"}

    def with_potentials(self, log_potentials: ArrayLike) -> Self:
        """Return the same family with other log-potentials, which come from no source.

        Raises
        ------
        PotentialError
            If they do not fit, or the family has none.
        """
        own = self.potentials
        if own is None:
            raise PotentialError(f"{self!r} has no log-potentials, so there are none to replace")
        family = self._copy()
        family.log_potentials = check_log_potentials(self.name, log_potentials, own.shape, computed=True)
        return family

    def _take_potentials(self, given: Any, shape: tuple[int, ...]) -> None:
        """Keep log-potentials that are given, or the source (or parameter) that they are computed from."""
        source = PotentialSource.of(given)
        if source is None:
            self.log_potentials = check_log_potentials(self.name, given, shape)
            return
        self._compute_by(source, shape)
        self.source = source

    def _compute_by(self, source: PotentialSource, shape: tuple[int, ...]) -> None:
        version = source.version
        values, gradients = source.forward()
        self._log_potentials = check_log_potentials(self.name, values, shape, computed=True)
        self._computed = Computed(source, version, gradients)

    @abstractmethod
    def score(self, assignment: NDArray[np.int64]) -> Floats:
        """Return (F,): log ψ of an assignment (F, D) of state numbers; -inf where it is forbidden."""

    def states_of(self, assignment: ArrayLike) -> NDArray[np.int64]:
        """Return an assignment as (F, D) state numbers, or say what is wrong with it: for `score`."""
        states = as_integers(assignment, f"{self.name}: the states of an assignment", FactorGraphError)
        if states.shape != self.variables.shape:
            raise FactorGraphError(
                f"{self.name}: an assignment is (factors, degree) = {self.variables.shape} state numbers, not an array "
                f"of shape {states.shape}"
            )
        wrong = (states < 0) | (states >= self.cardinalities)
        if wrong.any():
            row, position = np.argwhere(wrong)[0].tolist()
            raise FactorGraphError(
                f"{self.name}: an assignment has state {states[row, position]} at position {position}; its states are "
                f"0 to {self.cardinalities[position] - 1}"
            )
        return states

    # What it does with messages

    def check_incoming(self, incoming: ArrayLike) -> Floats:
        """Return incoming messages as an array (F, W) that kernels can take, or say that they are none."""
        shape = self.num_factors, int(self.offsets[-1])
        array = as_floats(incoming, f"{self.name}: incoming messages", FactorGraphError, shape=shape)
        return array if array.flags.carray else np.require(array, requirements=["C", "W"])

    def prepare(self, potentials: Floats | None) -> Any:
        """Return whatever depends on the potentials only; passed to `run` and `max_messages`."""
        return potentials

    @abstractmethod
    def run(self, incoming: Floats, prepared: Any) -> FactorRun:
        """Take incoming messages (F, W), which `check_incoming` checks, and give all that sum-product needs."""

    @abstractmethod
    def max_messages(self, incoming: Floats, prepared: Any) -> Floats:
        """Return (F, W): max_{y: y_d = s} log ψ(y) Π_{k ≠ d} m_k(y_k), up to a constant for each edge.

        Of incoming messages that contradict the factor it says so as `FactorRun.messages` does.
        """

    def best(self, incoming: Floats, prepared: Any) -> NDArray[np.int64]:
        """Return (F, D): of each factor an assignment y of the greatest log ψ(y) + Σ_d incoming_d(y_d).

        Here by max-product messages, which takes one call of `max_messages` where no assignments tie (within 1e-9 of
        the scores).

        Raises
        ------
        ContradictionError
            If a factor allows nothing that the incoming messages allow.
        """
        found, impossible = completions(self, prepared, incoming, np.full(self.variables.shape, -1))
        if impossible >= 0:
            raise self.contradiction(impossible)
        return found

    def contradiction(self, row: int) -> ContradictionError:
        """Return the error for a factor of the family that is left without a possible assignment."""
        return ContradictionError(
            f"{self.describe(row)} finds every state of one of its variables impossible: "
            f"the factors (or the evidence) contradict each other"
        )

    def channel(self, block: "FactorBlock", prepared: Any, *, mode: str, damping: float) -> "Channel":
        """Return what holds the family's messages during message passing; one of its own if that is faster."""
        from pgm.channel import Channel

        return Channel(block, prepared, mode=mode, damping=damping)

    def linear_constraints(self) -> "LinearConstraints | None":
        """Return a hard constraint on binary variables as rows of a linear program: A_ub, b_ub, A_eq, b_eq.

        With x (D,) the probabilities that the variables of a factor are in state 1, A_ub x ≤ b_ub and A_eq x = b_eq.
        A_ub is (F, constraints, D) and b_ub (F, constraints), likewise A_eq and b_eq.  None: it has no such form, and
        is used as a table.
        """
        return None

    # How families are batched and split by schedules

    def merge_key(self) -> Hashable | None:
        """Return a key: families with the same one can be stacked into one.  None: this one stays alone."""
        return None

    @classmethod
    def stack(cls, families: Sequence[Self]) -> Self:
        """Return one family of all the factors of families with the same `merge_key`."""

        def together(rows: Sequence[Any]) -> Any:
            return np.concatenate(rows)

        first = families[0]
        own = None if first.potentials is None else together([family.potentials for family in families])
        variables = together([family.variables for family in families])
        fields = {name: together([vars(family)[name] for family in families]) for name in first._declared_rows()}
        return first._with_rows(variables, own, fields)

    def take(self, rows: NDArray[np.int64]) -> Self:
        """Return the family of some of the factors, in the order of `rows`; one may be taken several times."""
        own = None if self.potentials is None else self.potentials[rows]
        fields = {name: vars(self)[name][rows] for name in self._declared_rows()}
        return self._with_rows(self.variables[rows], own, fields)

    def _declared_rows(self) -> tuple[str, ...]:
        if self.row_fields is None:
            raise FactorGraphError(
                f"{type(self).__name__} does not say which of its attributes have an entry for each factor, so its "
                f"factors cannot be taken apart or stacked; declare row_fields (() if there are none)"
            )
        return self.row_fields

    def _with_rows(self, variables: NDArray[np.int64], log_potentials: Any, fields: Mapping[str, Any]) -> Self:
        """Return a copy with other factors; what follows from the old ones is computed anew when it is asked for."""
        family = self._copy()
        vars(family).update(fields, variables=variables)
        if log_potentials is not None:
            family.log_potentials = log_potentials  # what is put together has no source of its own
        return family

    def _copy(self) -> Self:
        family = copy.copy(self)
        for name in _cached_properties(type(self)):
            vars(family).pop(name, None)
        return family

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable["Factor"]:
        """Yield small families, over variables given as plain numbers, for the conformance tests."""
        return ()

    def describe(self, row: int) -> str:
        """Return the name of one factor of the family, with its variables, for messages."""
        names = [str(v) for v in self.variables[row]]
        if self.graph is not None:
            names = [self.graph.variable_at(int(v)).name for v in self.variables[row]]
        shown = ", ".join(names[:6]) + (f", … ({len(names)} in all)" if len(names) > 6 else "")
        which = f" {row}" if self.num_factors > 1 else ""
        return f"factor{which} of {self.name} over ({shown})" if which else f"{self.name} over ({shown})"

    def __repr__(self) -> str:
        return f"<{self.name}: {self.num_factors} factors over {self.degree} variables>"


@cache
def _cached_properties(kind: type[Factor]) -> tuple[str, ...]:
    """Return the names of a class's cached properties, its own and those that it inherits."""
    return tuple({name for base in kind.__mro__ for name, value in vars(base).items()
                  if isinstance(value, cached_property)})  # fmt: skip


def _of_empty(variables: Any, degree: int) -> tuple[int, ...]:
    """Return the numbers of states at each position of a family of no factors."""
    columns = list(variables)
    return tuple(v.cardinality for v in columns) if len(columns) == degree else (2,) * degree
