"""Sums over dependency trees by eliminating words one after another, without a subtraction (the readable twin).

A tree gives each word one head, such that all hang on the root 0.  Read the arcs as a random walk that goes from word m
to head h with rate w(h → m) until it reaches the root.  Word k is eliminated (Grassmann, Taksar & Heyman 1985) by

    s = Σ_h w(h → k),    c(h) = w(h → k) / s,    w(h → m) += w(k → m) c(h)  for h ≠ m,

the sums over what is not yet eliminated.  Then Z = Π s: the matrix-tree determinant as the pivots of the Laplacian,
where each diagonal entry is a sum of what is off the diagonal.  All numbers are positive, so none loses its digits.

Marginals need more: how likely the walk from h is to *escape* to the root before it comes to m.  As the walks that
reach m again are cycles,

    p(h → m) = w(h → m) e(h, m) / Σ_h' w(h' → m) e(h', m),    e(0, m) = 1,  e(m, m) = 0,

and dZ / dw(h → m) is e(h, m) times what depends on m only.  If everything but 0 and m is eliminated, the escape of a
word follows from that of those that were eliminated after it, e(k, m) = Σ_h c(h) e(h, m).  To do so for every m, divide
and conquer: a step eliminates one half of the words and keeps the other, for each half; its children do the same with
what it kept.  That is O(n³), as the sizes halve.

Exactly one child of the root: let the root's arcs have weights t · w for an infinitely small t.  Then the trees with
one child are the leading term of Z, and since all is positive, it is enough to carry leading terms: a number is x
or x·t.  Arcs from the root are kept in two rows, the root's (x) and the *light* root's (x·t).  In s the latter counts
only if there is nothing else; then it steps in for the root (and there is one t in Z).  Escapes have two blocks, x and
x·t; the second counts only where the first is zero.

The same with max in place of + gives the best tree with each arc, the limit of low temperatures: max-marginals in
O(n³), where forcing each arc in turn and searching again takes O(n⁴) (Smith & Eisner 2008, footnote 24).

Legend: F factors; a step's matrix is [h, m] with index 0 the root, 1 the light root, 2 … the words.  All in logs.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from autodiff.array_types import Floats

__all__ = ["EliminationStep", "LogElimination", "elimination_plan"]


class EliminationStep(NamedTuple):
    """One step of the plan: of the `size` words that its parent kept, it keeps `kept` and eliminates the others.

    Its first word is its parent's at `shift`, and so on, cyclically; the kept ones come first.  `matrix` and `escape`
    say where in a factor's room its matrix (size + 2, size + 2) and its escapes (size + 2, blocks · kept) begin.
    """

    size: int
    kept: int
    parent: int
    shift: int
    matrix: int
    escape: int


@lru_cache(maxsize=256)
def elimination_plan(n: int, blocks: int) -> tuple[tuple[EliminationStep, ...], int, int]:
    """Return the steps for n words, parents before children, and the room that all matrices and all escapes take."""
    steps = [EliminationStep(n, n, -1, 0, 0, 0)]
    matrix, escape = (n + 2) ** 2, (n + 2) * blocks * n
    for parent, above in enumerate(steps):  # grows while it is walked
        half = above.kept // 2
        if half:
            for shift, kept in ((0, half), (half, above.kept - half)):
                steps.append(EliminationStep(above.kept, kept, parent, shift, matrix, escape))
                matrix += (above.kept + 2) ** 2
                escape += (above.kept + 2) * blocks * kept
    return tuple(steps), matrix, escape


class LogElimination:
    """The elimination in the log domain, for any range of scores.

    Parameters
    ----------
    log_weights : (F, n + 1, n + 1), arcs h → m; -inf is no arc; the diagonal and the first column are not read
    one_root : exactly one child of the root, instead of any number
    best : max in place of +

    Attributes
    ----------
    log_partition : (F,)
    log_escape : (F, n + 1, blocks, n), for word m at m - 1; the second block (if one_root) is that of t
    """

    def __init__(self, log_weights: Floats, *, one_root: bool, best: bool = False) -> None:
        self.plus = np.maximum if best else np.logaddexp
        n = log_weights.shape[1] - 1
        self.blocks = 2 if one_root else 1
        self.steps = elimination_plan(n, self.blocks)[0]
        first = np.full((len(log_weights), n + 2, n + 2), -np.inf)
        first[:, 1 if one_root else 0, 2:] = log_weights[:, 0, 1:]
        first[:, 2:, 2:] = log_weights[:, 1:, 1:]
        first[:, np.arange(n + 2), np.arange(n + 2)] = -np.inf
        self.stages: list[list[Floats]] = []  # of each step: the matrix before each elimination, and in the end
        self.shares: list[list[Floats]] = []  # of each step: c (F, k) of each eliminated word
        self.log_partition = np.zeros(len(log_weights))
        self._eliminate_all(first, one_root)
        self.escapes = self._escape_all()
        self.log_escape = np.delete(self.escapes[0], 1, axis=1)

    def backward(self, d_log_escape: Floats) -> Floats:
        """Return the adjoint of the log-weights (F, n + 1, n + 1), given that of `log_escape`."""
        num_factors, size = len(d_log_escape), self.steps[0].size + 2
        d_escapes = [np.zeros_like(escape) for escape in self.escapes]
        d_escapes[0][:, 2:] = d_log_escape[:, 1:]
        d_shares = [self._undo_escape(step, d_escapes) for step in range(len(self.steps))]
        d_kept = [np.zeros((num_factors, step.kept + 2, step.kept + 2)) for step in self.steps]
        for number in range(len(self.steps) - 1, -1, -1):
            step = self.steps[number]
            d_matrix = self._undo_eliminations(number, d_kept[number], d_shares[number])
            if number == 0:
                break
            order = _order(step)
            d_kept[step.parent][:, order[:, None], order] += d_matrix
        adjoint = np.zeros((num_factors, size - 1, size - 1))
        adjoint[:, 0, 1:] = d_matrix[:, self.blocks - 1, 2:]
        adjoint[:, 1:, 1:] = d_matrix[:, 2:, 2:]
        return adjoint

    def _sum(self, terms: Floats, axis: int) -> Floats:
        if terms.shape[axis] == 0:
            return np.full(np.delete(terms.shape, axis), -np.inf)
        return np.asarray(self.plus.reduce(terms, axis=axis))

    # Elimination

    def _eliminate_all(self, first: Floats, one_root: bool) -> None:
        degree = np.zeros(len(first), dtype=np.int64)
        on_path = 0  # the steps that keep the first word: their pivots are the ones in Z
        for number, step in enumerate(self.steps):
            matrix = first
            if number > 0:
                order = _order(step)
                matrix = self.stages[step.parent][-1][:, order[:, None], order]
            self.stages.append([matrix])
            self.shares.append([])
            counts = number == 0 or (step.parent == on_path and step.shift == 0)
            for _ in range(step.size - step.kept):
                matrix, total, promoted = self._eliminate(matrix, number)
                if counts:
                    self.log_partition += total
                    degree += promoted
            if counts:
                on_path = number
        last = self.stages[on_path][-1]
        light = last[:, 0, 2] == -np.inf
        self.log_partition += np.where(light, last[:, 1, 2], last[:, 0, 2])
        self.log_partition[degree + light > int(one_root)] = -np.inf

    def _eliminate(self, matrix: Floats, number: int) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Eliminate the last word; return what is left, log s, and where the light root stepped in."""
        k = matrix.shape[1] - 1
        column = matrix[:, :k, k]
        total = self._sum(np.delete(column, 1, axis=1), axis=1)
        promoted = total == -np.inf
        shares = column - np.where(promoted, 0.0, total)[:, None]
        shares[promoted] = -np.inf
        shares[promoted, 0] = 0.0
        total = np.where(promoted, column[:, 1], total)
        after = self.plus(matrix[:, :k, :k], shares[:, :, None] + matrix[:, None, k, :k])
        after[:, np.arange(k), np.arange(k)] = -np.inf
        self.stages[number].append(after)
        self.shares[number].append(shares)
        return after, total, promoted

    def _undo_eliminations(self, number: int, d_matrix: Floats, d_shares: list[Floats]) -> Floats:
        """Return the adjoint of a step's first matrix, given those of what it kept and of its shares."""
        stages = self.stages[number]
        for place in range(len(d_shares) - 1, -1, -1):
            before, after, shares = stages[place], stages[place + 1], self.shares[number][place]
            k = after.shape[1]
            scale = np.where(after == -np.inf, 0.0, after)
            through = np.exp(shares[:, :, None] + before[:, None, k, :k] - scale) * d_matrix
            through[:, np.arange(k), np.arange(k)] = 0.0
            d_share = d_shares[place] + through.sum(axis=2)
            mean = d_share.sum(axis=1, keepdims=True)
            part = np.exp(np.minimum(shares, 0.0))  # in the sum s
            part[:, 1] = 0.0
            d_column = d_share - part * mean
            d_before = np.zeros_like(before)
            d_before[:, :k, :k] = np.exp(before[:, :k, :k] - scale) * d_matrix
            d_before[:, k, :k] = through.sum(axis=1)
            d_before[:, :k, k] = d_column
            d_matrix = d_before
        return d_matrix

    # Escapes

    def _escape_all(self) -> list[Floats]:
        """Return the escapes (F, size + 2, blocks, kept) of each step."""
        num_factors = len(self.log_partition)
        escapes = [np.full((num_factors, step.size + 2, self.blocks, step.kept), -np.inf) for step in self.steps]
        for number in range(len(self.steps) - 1, -1, -1):
            step, escape = self.steps[number], escapes[number]
            for block in range(self.blocks):
                escape[:, block, block] = 0.0
            for place, shares in reversed(list(enumerate(self.shares[number]))):
                k = step.size + 1 - place
                escape[:, k] = self._sum(shares[:, :, None, None] + escape[:, :k], axis=1)
                if self.blocks == 2:
                    escape[:, k, 1][escape[:, k, 0] > -np.inf] = -np.inf
            if number > 0:
                rows = _order(step)[2:, None]
                escapes[step.parent][:, rows, :, _columns(step)] = escape[:, 2:].transpose(1, 3, 0, 2)
        return escapes

    def _undo_escape(self, number: int, d_escapes: list[Floats]) -> list[Floats]:
        """Take the adjoints of a step's escapes from its parent; return those of its shares."""
        step, escape, d_escape = self.steps[number], self.escapes[number], d_escapes[number]
        if number > 0:
            rows = _order(step)[2:, None]
            d_escape[:, 2:] = d_escapes[step.parent][:, rows, :, _columns(step)].transpose(2, 0, 3, 1)
        d_shares = []
        for place, shares in enumerate(self.shares[number]):
            k = step.size + 1 - place
            scale = np.where(escape[:, k] == -np.inf, 0.0, escape[:, k])
            terms = shares[:, :, None, None] + escape[:, :k] - scale[:, None]
            terms[np.broadcast_to((escape[:, k] == -np.inf)[:, None], terms.shape)] = -np.inf
            through = np.exp(terms) * d_escape[:, None, k]
            d_escape[:, :k] += through
            d_shares.append(through.sum(axis=(2, 3)))
        return d_shares


def _order(step: EliminationStep) -> NDArray[np.int64]:
    """Return the indices in the parent's kept matrix of this step's rows."""
    words = (np.arange(step.size) + step.shift) % step.size
    return np.concatenate([[0, 1], words + 2])


def _columns(step: EliminationStep) -> NDArray[np.int64]:
    return step.shift + np.arange(step.kept)
