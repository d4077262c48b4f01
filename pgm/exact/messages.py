"""Messages of a junction tree: collected to its roots, and distributed again.

Only messages are kept; the table of a clique is made when it is needed, and let go.  Messages are in the log domain,
each with its greatest value taken off, so that potentials of e^±10000 and hard zeros do no harm.
"""

from collections.abc import Callable, Sequence

import numpy as np
from attrs import field, frozen

from autodiff.array_types import Floats
from pgm.errors import ContradictionError
from pgm.exact.named_arrays import NamedArray, multiply
from pgm.exact.plan import JunctionTreePlan
from pgm.exact.tables import LocalTable
from pgm.graph import FactorGraph

__all__ = ["Messages"]


class Messages:
    """The state of one inference: tables in their cliques, and messages to parents and to children."""

    def __init__(self, plan: JunctionTreePlan, tables: Sequence[LocalTable], graph: FactorGraph) -> None:
        self.plan, self.tables, self.graph = plan, tables, graph
        self.inside: list[list[NamedArray]] = [[] for _ in plan.cliques]
        self.children: list[list[int]] = [[] for _ in plan.cliques]
        self.upward: list[NamedArray] = []
        self.downward: dict[int, NamedArray] = {}
        for i, clique in enumerate(plan.cliques):
            if clique.parent >= 0:
                self.children[clique.parent].append(i)
        holders: dict[int, list[int]] = {}  # of each variable the cliques that have it, the smallest first
        for i in sorted(range(len(plan.cliques)), key=lambda i: len(plan.cliques[i].scope)):
            for v in plan.cliques[i].scope:
                holders.setdefault(v, []).append(i)
        self.holders = holders
        self.constant = 0.0
        self.home = [self._place(table) for table in tables]

    def _place(self, table: LocalTable) -> int:
        if not table.scope:
            self.constant += float(table.log_potentials)
            return -1
        needed = set(table.scope)
        rarest = min((self.holders[v] for v in table.scope), key=len)
        home = next(i for i in rarest if needed.issubset(self.plan.cliques[i].scope))
        self.inside[home].append(NamedArray(table.scope, table.log_potentials))
        return home

    def _product(self, clique: int, *more: NamedArray) -> NamedArray:
        """Return the table of a clique: its factors, its children's messages, and whatever else."""
        scope = self.plan.cliques[clique].scope
        arrays = [*self.inside[clique], *(self.upward[child] for child in self.children[clique]), *more]
        found = {v for array in arrays for v in array.scope}
        for v in scope:
            if v not in found:
                arrays.append(NamedArray((v,), np.zeros(int(self.graph.cardinalities[v]))))
        return multiply(arrays)

    def collect(self, reduce: Callable[[NamedArray, Sequence[int]], NamedArray]) -> float:
        """Send messages towards the roots; return the logarithm of the total (or of the greatest) weight."""
        scale = self.constant
        for i, clique in enumerate(self.plan.cliques):
            message = reduce(self._product(i), clique.separator)
            top = float(message.values.max())
            if top == -np.inf:
                names = ", ".join(self.graph.variable_at(v).name for v in clique.scope[:6])
                raise ContradictionError(
                    f"no assignment satisfies all factors: the contradiction shows in those over the variables {names}"
                    f"{', …' if len(clique.scope) > 6 else ''} and what hangs on them"
                )
            scale += top
            self.upward.append(NamedArray(message.scope, message.values - top))
        return scale

    def distribute(self) -> dict[int, Floats]:
        """Send messages towards the leaves, and return the marginals of all variables."""
        marginals: dict[int, Floats] = {}
        wanted: list[list[int]] = [[] for _ in self.plan.cliques]
        for v, holders in self.holders.items():
            wanted[holders[0]].append(v)
        for i in reversed(range(len(self.plan.cliques))):
            belief = self._belief(i)
            onto: dict[tuple[int, ...], Floats] = {(v,): belief.onto((v,)) for v in wanted[i]}
            for child in self.children[i]:
                separator = self.plan.cliques[child].separator
                if separator not in onto:
                    onto[separator] = belief.onto(separator)
                with np.errstate(divide="ignore", invalid="ignore"):
                    rest = np.log(onto[separator]) - self.upward[child].values
                rest[np.isnan(rest)] = -np.inf  # what the child forbids it forbids, whatever is above
                self.downward[child] = NamedArray(separator, rest - rest.max())
            marginals |= {v: onto[v,] for v in wanted[i]}
        return marginals

    def _belief(self, clique: int) -> "_Belief":
        above = (self.downward[clique],) if clique in self.downward else ()
        product = self._product(clique, *above)
        weights = product.values - product.values.max()
        np.exp(weights, out=weights)
        weights /= weights.sum()
        return _Belief(product.scope, weights)

    def joint(self, scope: tuple[int, ...]) -> Floats:
        """Return the joint marginals of variables that are together in some clique."""
        if not scope:
            return np.ones(())
        self.distribute()
        rarest = min((self.holders[v] for v in scope), key=len)
        home = next(i for i in rarest if set(scope).issubset(self.plan.cliques[i].scope))
        return self._belief(home).onto(scope)

    def table_beliefs(self) -> list[Floats]:
        """Return the joint marginals of every table."""
        result = [np.ones(()) for _ in self.tables]
        residents: dict[int, list[int]] = {}
        for number, home in enumerate(self.home):
            if home >= 0:
                residents.setdefault(home, []).append(number)
        for clique, numbers in residents.items():
            belief = self._belief(clique)
            for number in numbers:
                result[number] = belief.onto(self.tables[number].scope)
        return result

    def best(self) -> dict[int, int]:
        """Follow the maxima from the roots to the leaves."""
        states: dict[int, int] = {}
        for i in reversed(range(len(self.plan.cliques))):
            free = [v for v in self.plan.cliques[i].scope if v not in states]
            arrays = [*self.inside[i], *(self.upward[child] for child in self.children[i])]
            arrays += [NamedArray((v,), np.zeros(int(self.graph.cardinalities[v]))) for v in free]
            table = multiply([array.at(states) for array in arrays])
            place = np.unravel_index(int(np.argmax(table.values)), table.values.shape)
            states |= {v: int(x) for v, x in zip(table.scope, place, strict=True)}
        return states


@frozen(eq=False)
class _Belief:
    """Probabilities of a clique.  What underflows here is below 1e-300, in the marginals too: logarithms can go."""

    scope: tuple[int, ...] = field()
    probabilities: Floats = field()

    def onto(self, scope: tuple[int, ...]) -> Floats:
        """Return the marginals of some variables."""
        axes = [self.scope.index(v) for v in scope]
        others = tuple(axis for axis in range(len(self.scope)) if axis not in axes)
        return self.probabilities.sum(axis=others).transpose(np.argsort(np.argsort(axes)))
