"""Many small tables, as files list them, put into a graph as families; and back."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from autodiff.array_types import Floats
from pgm.errors import PotentialError
from pgm.factors.table import Table
from pgm.graph import FactorGraph

__all__ = ["MAX_DEGREE", "MAX_STATES", "TableList", "listed_tables", "potentials_of"]

MAX_DEGREE = 31  # NumPy 1 has arrays of at most 32 axes, and a family needs one for its factors
MAX_STATES = 1_000_000  # of variables in no table; others need as many numbers in the file as they have states


class TableList:
    """Tables in the order of a file; neighbours of one shape become one family, so that the order is kept.

    Examples
    --------
    >>> graph = FactorGraph()
    >>> x, y = graph.variable("x"), graph.variable("y")
    >>> tables = TableList()
    >>> tables.append((0,), np.array([1.0, 3.0]))
    >>> tables.append((1,), np.array([1.0, 0.0]))
    >>> tables.append((), np.array(2.0))
    >>> tables.add_to(graph)
    >>> [(family.num_factors, family.log_potentials.tolist()[-1]) for family in graph.families]
    [(3, [0.693..., 0.693...])]
    """

    def __init__(self) -> None:
        self._scopes: list[tuple[int, ...]] = []
        self._tables: list[Floats] = []

    def append(self, scope: tuple[int, ...], potentials: Floats) -> None:
        """Add one table of potentials (not their logarithms), in the order of its variables."""
        self._scopes.append(scope)
        self._tables.append(potentials)

    def add_to(self, graph: FactorGraph) -> None:
        """Add the families.  A constant, a table of no variables, becomes a constant table of the first variable."""
        for i, scope in enumerate(self._scopes):
            if not scope:
                self._scopes[i] = (0,)
                self._tables[i] = np.full(int(graph.cardinalities[0]), float(self._tables[i]))
        start = 0
        for stop in range(1, len(self._tables) + 1):
            if stop == len(self._tables) or self._tables[stop].shape != self._tables[start].shape:
                with np.errstate(divide="ignore"):
                    log_potentials = np.log(np.stack(self._tables[start:stop]))
                table = Table(np.array(self._scopes[start:stop], dtype=np.int64), log_potentials)
                table.graph = graph
                graph.add(table)
                start = stop


def listed_tables(graph: FactorGraph) -> Iterator[tuple[Sequence[int], Floats]]:
    """Yield (variables, log-potentials) of each factor; small factors that are no tables are tabulated."""
    from pgm.exact.tables import local_tables

    for local in local_tables(graph):
        yield local.scope, local.log_potentials


def potentials_of(scope: Sequence[int], log_potentials: Floats) -> Floats:
    """Return potentials to be written; refuse what a file of plain numbers cannot hold.

    Raises
    ------
    PotentialError
        If a potential is too large or too small for a floating-point number.
    """
    finite = log_potentials[log_potentials > -np.inf]
    low, high = math.log(np.finfo(np.float64).tiny), math.log(np.finfo(np.float64).max)
    if finite.size and (finite.max() >= high or finite.min() < low):
        worst = finite.max() if finite.max() >= high else finite.min()
        raise PotentialError(
            f"the table over variables {list(scope)} has a log-potential of {worst:.6g}, but the file holds "
            f"potentials, and those go from e^{low:.0f} to e^{high:.0f}; scale the table"
        )
    return np.exp(log_potentials)
