"""MAP by linear programming: the relaxation over the local polytope, solved by HiGHS (Martins et al. 2010, Table 1).

    maximise  Σ_i θ_i·μ_i + Σ_α θ_α·μ_α
    where  μ_i, μ_α ≥ 0,  Σ_s μ_i(s) = 1,  Σ_{y: y_i = s} μ_α(y) = μ_i(s)

A hard factor over binary variables needs no μ_α if it knows its linear constraints (`Factor.linear_constraints`).  Any
other factor is tabulated, if it is small.
"""

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
import scipy.sparse
from attrs import field, frozen
from numpy.typing import NDArray

from autodiff.array_types import Floats
from autodiff.validators import plain, whole
from pgm.errors import ContradictionError, PgmError
from pgm.exact.tables import LocalTable, family_tables, observations
from pgm.graph import FactorGraph
from pgm.inference import Inference
from pgm.inference_result import InferenceResult

__all__ = ["LinearProgram", "LinearProgramResult"]


_INFEASIBLE = 2  # the status of scipy.optimize.linprog
_INTEGRAL = 1e-6  # HiGHS is right to about 1e-7


@frozen(eq=False)
class LinearProgramResult(InferenceResult):
    """What the relaxation says.

    Attributes
    ----------
    bound : an upper bound of the log-potential of every assignment
    score : the log-potential of the assignment; -inf if rounding has broken a constraint
    integral : whether no rounding was needed: then the assignment is a most probable one
    flat_beliefs : (states,) the solution's μ_i, which are no marginals
    """

    graph: FactorGraph = field(repr=False)
    bound: float = field()
    _assignment: NDArray[np.int64] = field(repr=False)
    score: float = field()
    integral: bool = field()
    flat_beliefs: Floats = field(repr=False)

    def assignment(self) -> NDArray[np.int64]:
        """Return (variables,): the solution, each variable rounded to its likeliest state."""
        return self._assignment

    @property
    def converged(self) -> bool:
        """True: the linear program was solved."""
        return True


@frozen(kw_only=True)
class LinearProgram(Inference):
    """The linear-programming relaxation of MAP.

    Parameters
    ----------
    limit : the greatest number of assignments of a factor that is neither a table nor has linear constraints

    Examples
    --------
    >>> from pgm.factors import Table
    >>> graph = FactorGraph()
    >>> ring = graph.variables("x", shape=(3,))
    >>> differ = graph.add(Table(ring[[[0, 1], [1, 2], [2, 0]]], [[0.0, 1.0], [1.0, 0.0]]))
    >>> result = LinearProgram().run(graph)
    >>> round(result.bound, 6), result.integral  # every pair half the one way, half the other
    (3.0, False)
    >>> LinearProgram().run(graph, evidence={ring[0]: 1, ring[1]: 0}).score
    2.0
    """

    error_on_trees: ClassVar[float] = np.inf

    limit: int = field(default=1 << 12, converter=plain, validator=whole(1))

    def run(self, graph: FactorGraph, *, evidence: Any = None) -> LinearProgramResult:
        """Solve the relaxation.

        Raises
        ------
        ContradictionError
            If even the relaxation has no solution.
        TooLargeError
            If a factor is too large to be tabulated and has no linear constraints.
        """
        from scipy.optimize import linprog

        problem = _Problem(graph, observations(graph, evidence))
        for number, family in enumerate(graph.families):
            constraints = family.linear_constraints()
            if constraints is not None:
                problem.add_constraints(family.variables, *constraints)
                continue
            for table in family_tables(graph, number, problem.observed, limit=self.limit):
                problem.add_table(table)
        if not graph.num_variables:
            return LinearProgramResult(graph, 0.0, np.zeros(0, dtype=np.int64), 0.0, True, np.zeros(0))
        upper, upper_bound = problem.upper.matrix(problem.width)
        equal, equal_value = problem.equal.matrix(problem.width)
        gain = np.concatenate(problem.gain)
        bounds = np.stack([np.concatenate(problem.low), np.concatenate(problem.high)], axis=1)
        solution = linprog(-gain, upper, upper_bound, equal, equal_value, bounds, method="highs")
        if solution.status == _INFEASIBLE:
            raise ContradictionError("no assignment satisfies all factors: even the linear relaxation has no solution")
        if solution.status != 0:
            raise PgmError(f"HiGHS did not solve the linear program: {solution.message}")
        beliefs = np.split(solution.x[: problem.start[-1]], problem.start[1:-1])
        assignment = np.array([int(np.argmax(belief)) for belief in beliefs], dtype=np.int64)
        integral = all(float(belief.max()) > 1.0 - _INTEGRAL for belief in beliefs)
        bound = float(problem.constant - solution.fun)
        flat = solution.x[: problem.start[-1]]
        return LinearProgramResult(graph, bound, assignment, graph.score(assignment), integral, flat)

    @classmethod
    def examples(cls) -> Iterable["LinearProgram"]:
        """Yield the only kind."""
        yield cls()


class _Rows:
    """Rows of a sparse matrix and their right-hand sides, as they come."""

    def __init__(self) -> None:
        self.rows: list[NDArray[np.int64]] = []
        self.columns: list[NDArray[np.int64]] = []
        self.values: list[Floats] = []
        self.right: list[Floats] = []
        self.count = 0

    def add(self, rows: Any, columns: Any, values: Any, right: Any) -> None:
        """Add entries of new rows (numbered from 0) and the rows' right-hand sides."""
        self.rows.append(np.asarray(rows) + self.count)
        self.columns.append(np.asarray(columns))
        self.values.append(np.broadcast_to(np.asarray(values, dtype=np.float64), np.shape(rows)))
        self.right.append(np.asarray(right, dtype=np.float64))
        self.count += len(self.right[-1])

    def matrix(self, width: int) -> tuple[Any, Floats | None]:
        if not self.count:
            return None, None
        place = (np.concatenate(self.rows), np.concatenate(self.columns))
        shape = (self.count, width)
        return scipy.sparse.csr_array((np.concatenate(self.values), place), shape=shape), np.concatenate(self.right)


class _Problem:
    """The linear program: first μ_i of all variables, then μ_α of tables, without their impossible entries."""

    def __init__(self, graph: FactorGraph, observed: dict[int, int]) -> None:
        self.graph, self.observed, self.constant = graph, observed, 0.0
        self.start = np.concatenate([[0], np.cumsum(graph.cardinalities)])
        self.width = int(self.start[-1])
        self.upper, self.equal = _Rows(), _Rows()
        low, high = np.zeros(self.width), np.ones(self.width)
        for v, state in observed.items():
            high[self.start[v] : self.start[v + 1]] = 0.0
            low[self.start[v] + state] = high[self.start[v] + state] = 1.0
        self.low, self.high, self.gain = [low], [high], [np.zeros(self.width)]
        owner = np.repeat(np.arange(graph.num_variables), graph.cardinalities)
        self.equal.add(owner, np.arange(self.width), 1.0, np.ones(graph.num_variables))

    def add_table(self, table: LocalTable) -> None:
        values = table.log_potentials
        if not table.scope:
            self.constant += float(values)
        elif len(table.scope) == 1:
            place = slice(self.start[table.scope[0]], self.start[table.scope[0] + 1])
            self.gain[0][place] += np.where(values > -np.inf, values, 0.0)
            self.high[0][place][values == -np.inf] = 0.0
        else:
            entries = np.nonzero(values > -np.inf)
            count = len(entries[0])
            columns = self.width + np.arange(count)
            for v, states in zip(table.scope, entries, strict=True):
                card = int(self.graph.cardinalities[v])
                rows, whole = np.concatenate([states, np.arange(card)]), np.arange(self.start[v], self.start[v + 1])
                signs = np.concatenate([np.ones(count), -np.ones(card)])
                self.equal.add(rows, np.concatenate([columns, whole]), signs, np.zeros(card))
            self.gain.append(values[entries])
            self.low.append(np.zeros(count))
            self.high.append(np.ones(count))
            self.width += count

    def add_constraints(
        self, variables: NDArray[np.int64], upper: Floats, upper_bound: Floats, equal: Floats, equal_value: Floats
    ) -> None:
        on = self.start[variables] + 1
        for rows, matrix, right in ((self.upper, upper, upper_bound), (self.equal, equal, equal_value)):
            factors, constraints, positions = np.nonzero(matrix)
            if matrix.shape[1]:
                place = factors * matrix.shape[1] + constraints
                rows.add(place, on[factors, positions], matrix[factors, constraints, positions], np.ravel(right))
