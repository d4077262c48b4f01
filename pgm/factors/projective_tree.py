"""PTREE: the arcs that are ON form a projective dependency tree."""

from collections.abc import Hashable, Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Floats, Integers
from hypergraph.roots import Roots
from hypergraph.structures import ProjectiveTrees
from pgm import kernels
from pgm.errors import FactorGraphError
from pgm.factor import Factor
from pgm.factor_run import FactorRun
from pgm.factors._arcs import ArcLayout, best_arcs, check_roots

__all__ = ["ProjectiveTree"]


class ProjectiveTree(Factor):
    """ψ(y) is 1 if the arcs that are ON form a projective dependency tree under the root 0, and else 0.

    A tree is projective if no two of its arcs cross, those from the root included.  Messages take O(n³) by Eisner's
    algorithm, in the real domain where that is safe and else in the log domain.  The trees without an arc are those
    with another arc into the same word, so nothing is subtracted: messages are right to the last digits for arcs that
    are almost sure, impossible or certain.  The backward pass takes about twice as long.

    Parameters
    ----------
    arcs : binary variables of shape (n + 1, n), arc h → m at [h, m - 1] (entries with h = m are always OFF), or
        (factors, n + 1, n); or with `heads` and `modifiers` a list or array (…, A) of variables, one for each arc that
        is not pruned
    heads, modifiers : (A,)
    n : number of words, by default the largest modifier or head
    roots : "any" number of words may depend on the root 0, or exactly "one"

    References
    ----------
    Smith & Eisner (2008), §3.1 and §5.3; Eisner (1996); Gormley, Dredze & Eisner (2015), §5.3.

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> graph = FactorGraph()
    >>> tree = graph.add(ProjectiveTree(graph.variables("arc", shape=(4, 3))))
    >>> run = tree.run(np.zeros((1, 24)), None)
    >>> np.exp(run.log_partition).round(9)  # trees on three words
    array([12.])
    >>> (run.messages[0, 1::2] - run.messages[0, 0::2]).reshape(4, 3)[0].round(3)  # log-odds of root → 1, 2, 3
    array([ 0.336, -0.693,  0.336])
    """

    row_fields = ()

    def __init__(
        self,
        arcs: Any,
        heads: ArrayLike | None = None,
        modifiers: ArrayLike | None = None,
        n: int | None = None,
        roots: Roots = "any",
        *,
        name: str | None = None,
    ) -> None:
        variables, self.layout = ArcLayout.of(name or type(self).__name__, arcs, heads, modifiers, n)
        super().__init__(variables, name=name)
        if max(self.cardinalities) != 2 or min(self.cardinalities) != 2:
            raise FactorGraphError(f"{self.name}: arcs are variables with 2 states, not {max(self.cardinalities)}")
        self.roots = roots
        self.one_root = check_roots(self.name, roots)

    @cached_property
    def kernel_arrays(self) -> tuple[Integers, Integers, Integers, Integers, int]:
        """(heads, modifiers, arcs by modifier without loops, where those of each word start, whether one root)."""
        layout = self.layout
        order, start = kernels.arcs.by_modifier(layout.heads, layout.modifiers, layout.n)
        return layout.heads, layout.modifiers, order, start, int(self.one_root)

    def score(self, assignment: NDArray[np.int64]) -> Floats:
        """Return 0 for a projective tree and -inf for anything else."""
        states = self.states_of(assignment)
        trees = self.layout.is_tree(states, one_root=self.one_root, projective=True)
        return np.where(trees, 0.0, -np.inf)

    def run(self, incoming: Floats, prepared: Any = None) -> "ProjectiveTreeRun":
        """Run inside-outside over Eisner's charts."""
        incoming = self.check_incoming(incoming)
        return ProjectiveTreeRun(incoming, self.layout.n, self.kernel_arrays)

    def max_messages(self, incoming: Floats, prepared: Any = None) -> Floats:
        """Run inside-outside with maxima."""
        incoming = self.check_incoming(incoming)
        by_arc = _by_arc(incoming, self.degree)
        messages = np.empty_like(by_arc)
        kernels.projective_tree.forward_max(by_arc, *self.kernel_arrays, messages)
        return messages.reshape(incoming.shape)

    def best(self, incoming: Floats, prepared: Any = None) -> Integers:
        """Return the arcs of the best projective tree (Eisner 1996)."""
        found, impossible = best_arcs(self.layout, incoming, ProjectiveTrees(self.layout.n, self.roots))
        if impossible >= 0:
            raise self.contradiction(impossible)
        return found

    def merge_key(self) -> Hashable:
        """Sentences with the same candidate arcs can be stacked."""
        layout = self.layout
        return "ProjectiveTree", layout.n, self.roots, layout.heads.tobytes(), layout.modifiers.tobytes()

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable["ProjectiveTree"]:
        """Yield families over up to three words with all arcs, and over four with some."""
        kinds: tuple[Roots, ...] = ("any", "one")
        for roots in kinds:
            for n in (1, 2, 3):
                yield cls(np.arange(2 * (n + 1) * n).reshape(2, n + 1, n), roots=roots)
            arcs = [(h, m) for h in range(5) for m in range(1, 5) if h != m]
            chosen = sorted({(0, 2), (2, 1), (2, 3), (3, 4), *(arcs[i] for i in rng.permutation(16)[:7])})
            heads, modifiers = np.array(chosen).T
            yield cls(np.arange(len(chosen)), heads, modifiers, 4, roots)


class ProjectiveTreeRun(FactorRun):
    """One run of the tree constraint; see `pgm.kernels.projective_tree`."""

    def __init__(
        self, incoming: Floats, n: int, kernel_arrays: tuple[Integers, Integers, Integers, Integers, int]
    ) -> None:
        super().__init__(incoming)
        self._arrays = kernel_arrays
        factors, arcs = len(incoming), len(kernel_arrays[0])
        self._incoming = _by_arc(incoming, arcs)
        self._messages = np.empty((factors, arcs, 2))
        self._log_partition = np.empty(factors)
        self._kept = (
            np.empty((factors, arcs)),
            np.empty((factors, n + 1), dtype=np.int64),
            np.zeros((factors, kernels.projective_tree.NUM_CHARTS, n + 1, n + 1)),
            np.empty((factors, arcs)),
            self._messages,
            self._log_partition,
            np.empty(factors, dtype=np.bool_),
        )
        kernels.projective_tree.forward(self._incoming, *kernel_arrays, *self._kept)

    @property
    def messages(self) -> Floats:
        """(F, 2 A)."""
        return self._messages.reshape(self.incoming.shape)

    @property
    def log_partition(self) -> Floats:
        """(F,)."""
        return self._log_partition

    def _backward(
        self, messages: Floats | None = None, log_partition: Floats | None = None, beliefs: Floats | None = None
    ) -> tuple[Floats, None]:
        """Return the adjoint of the incoming messages."""
        d_incoming = np.zeros_like(self._messages)
        d_messages = np.zeros_like(self._messages) if messages is None else _by_arc(messages, d_incoming.shape[1])
        d_total = (
            np.zeros(len(d_incoming)) if log_partition is None else np.require(log_partition, np.float64, ["C", "W"])
        )
        kernels.projective_tree.backward(
            self._incoming, *self._arrays, *self._kept, d_messages, d_total, d_incoming
        )  # fmt: skip
        result = d_incoming.reshape(self.incoming.shape)
        result[self.incoming == -np.inf] = 0.0
        return result, None


def _by_arc(messages: Floats, arcs: int) -> Floats:
    """Return (F, A, 2): the OFF and ON messages of each arc, in memory that a kernel can take."""
    if messages.dtype != np.float64 or not (messages.flags.c_contiguous and messages.flags.writeable):
        messages = np.require(messages, np.float64, ["C", "W"])
    return messages.reshape(len(messages), arcs, 2)
