"""Every factor of a graph as a table over its unobserved variables: what exact methods work on."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from autodiff.array_types import Floats
from pgm.errors import ContradictionError, TooLargeError
from pgm.evidence import Evidence
from pgm.factor import Factor
from pgm.factors.table import Table
from pgm.graph import FactorGraph

__all__ = ["LocalTable", "embed", "family_tables", "local_tables", "observations", "scores_of", "spread"]


_CHUNK = 4096  # assignments that are scored at a time


@frozen(eq=False)
class LocalTable:
    """One factor, tabulated.

    Attributes
    ----------
    scope : its unobserved variables
    log_potentials : an axis for each of them
    family, row : where the factor is in the graph
    """

    scope: tuple[int, ...] = field()
    log_potentials: Floats = field()
    family: int = field()
    row: int = field()


def observations(graph: FactorGraph, evidence: Any) -> Evidence:
    """Return {variable: state} of the observed variables and of those that have only one state."""
    single = {int(v): 0 for v in np.flatnonzero(graph.cardinalities == 1)}
    return Evidence(graph, single | graph.evidence(evidence))


def local_tables(
    graph: FactorGraph,
    observed: Mapping[int, int] | None = None,
    *,
    limit: int = 1 << 20,
    potentials: Sequence[Floats | None] | None = None,
) -> Iterator[LocalTable]:
    """Yield each factor as a table, in the order of the graph; observed states are taken out of it.

    Tables are sliced (views, not copies); any other factor is asked for the `score` of each of its assignments.

    Parameters
    ----------
    limit : the greatest number of assignments for which a factor that is no Table is tabulated
    potentials : for each family the log-potentials used in place of its own, or None

    Raises
    ------
    TooLargeError
        If a factor has more assignments.
    ContradictionError
        If a factor allows none of its assignments; the message names it.

    Examples
    --------
    >>> graph = FactorGraph()
    >>> x, y = graph.variable("x"), graph.variable("y")
    >>> _ = graph.add(Table([x, y], [[1.0, 2.0], [3.0, 4.0]]))
    >>> [(table.scope, table.log_potentials) for table in local_tables(graph, {0: 1})]
    [((1,), array([3., 4.]))]
    """
    for number in range(len(graph.families)):
        given = None if potentials is None else potentials[number]
        yield from family_tables(graph, number, observed or {}, limit=limit, potentials=given)


def family_tables(
    graph: FactorGraph,
    number: int,
    observed: Mapping[int, int],
    *,
    limit: int = 1 << 20,
    potentials: Floats | None = None,
) -> Iterator[LocalTable]:
    """Yield each factor of one family as a table; see `local_tables`."""
    family = graph.families[number]
    if potentials is not None:
        family = family.with_potentials(potentials)
    for row, variables in enumerate(family.variables.tolist()):
        free = [d for d, v in enumerate(variables) if v not in observed]
        if isinstance(family, Table):
            place = tuple(observed.get(v, slice(None)) for v in variables)
            table = np.asarray(family.log_potentials[row][place])
        else:
            table = _tabulate(family, row, [observed.get(v, 0) for v in variables], free, limit)
        if table.max(initial=-np.inf) == -np.inf:
            given = " given the evidence" if len(free) < len(variables) else ""
            raise ContradictionError(f"{family.describe(row)} allows nothing{given}")
        yield LocalTable(tuple(variables[d] for d in free), table, number, row)


def embed(table: Floats, family: Factor, row: int, observed: Mapping[int, int]) -> Floats:
    """Return a distribution over a factor's unobserved variables as one over all of them: (c_1, …, c_D)."""
    result = np.zeros(family.cardinalities)
    result[tuple(observed.get(int(v), slice(None)) for v in family.variables[row])] = table
    return result


def spread(graph: FactorGraph, variables: Sequence[int], belief: Floats, observed: Mapping[int, int]) -> Floats:
    """Return a joint belief of those of some variables that are not observed as one of all of them, (c_1, …, c_k)."""
    result = np.zeros([int(graph.cardinalities[v]) for v in variables])
    result[tuple(observed.get(v, slice(None)) for v in variables)] = belief
    return result


def _tabulate(family: Factor, row: int, states: list[int], free: list[int], limit: int) -> Floats:
    """Score all assignments of one factor, the states of all but the `free` positions being given."""
    shape = [family.cardinalities[d] for d in free]
    size = math.prod(shape)
    if size > limit:
        raise TooLargeError(
            f"{family.describe(row)} has {size} assignments of its {len(free)} unobserved variables; as a table it may "
            f"have {limit}; use belief propagation, or observe more variables"
        )
    scores = np.empty(size)
    for start in range(0, size, _CHUNK):
        places = np.arange(start, min(start + _CHUNK, size))
        assignments = np.tile(np.array(states, dtype=np.int64), (len(places), 1))
        if free:
            assignments[:, free] = np.stack(np.unravel_index(places, shape), axis=1)
        scores[places] = scores_of(family, row, assignments)
    return scores.reshape(shape)


def scores_of(family: Factor, row: int, assignments: NDArray[np.int64]) -> Floats:
    """Return (Y,): log ψ of one factor for many assignments (Y, D)."""
    if family.row_fields is None:  # its factors stay together
        many = (family.num_factors, family.degree)
        return np.array([family.score(np.broadcast_to(y, many))[row] for y in assignments])
    return family.take(np.full(len(assignments), row)).score(assignments)  # as many copies of the one factor
