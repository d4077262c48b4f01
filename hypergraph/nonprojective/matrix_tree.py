"""Sums over non-projective dependency trees and their slopes (the matrix-tree theorem, without its subtractions).

Koo et al. (2007) and Smith & Smith (2007) take the determinant and the inverse of a Laplacian, which lose their digits
on confident scores.  `hypergraph.nonprojective.elimination` explains what is done here instead.

Legend: `n` words and the root 0; `h` head; `m` modifier; F sentences of one length; matrices are [h, m].
"""

from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Floats
from autodiff.conversion import as_floats
from hypergraph import kernels
from hypergraph.errors import WeightError
from hypergraph.nonprojective.elimination import LogElimination, elimination_plan
from hypergraph.roots import Roots, has_one_root

__all__ = ["TreeSums", "best_escape"]


class TreeSums:
    """log Z, and for each arc the derivative of Z in its weight.

    Parameters
    ----------
    scores : (F, n + 1, n + 1), log-weights of arcs; -inf is no arc; +inf is a word's only one, and counts as 0 in log Z
    roots : "any" or "one"
    exact : use the log domain, also where the real domain is safe

    Attributes
    ----------
    log_partition : (F,), -inf where there is no tree
    log_escape : (F, n + 1, n + 1): log dZ/dw(h → m), less a constant for each m; -inf where no tree has the arc.  The
        odds of heads of m are those of w(h → m) exp log_escape[h, m], and the latter does not depend on arcs into m.
    """

    def __init__(self, scores: Floats, roots: Roots, *, exact: bool = False) -> None:
        self.scores = scores = _check(scores)
        self.one_root = has_one_root(roots)
        n = scores.shape[1] - 1
        self.blocks = 2 if self.one_root else 1
        self.plan, matrices, escapes = _plan_array(n, self.blocks)
        self.matrices, self.escapes = np.empty((len(scores), matrices)), np.empty((len(scores), escapes))
        self.log_partition = np.empty(len(scores))
        state = np.full(len(scores), kernels.matrix_tree.UNSAFE)
        if not exact:
            kernels.matrix_tree.forward(
                scores, self.one_root, self.plan,
                self.matrices, self.escapes, self.log_partition, state,
            )  # fmt: skip
        self.safe = np.flatnonzero(state == kernels.matrix_tree.SAFE)
        self.unsafe = np.flatnonzero(state == kernels.matrix_tree.UNSAFE)
        self.in_logs: LogElimination | None = None
        if len(self.unsafe):
            clamped, shift = _clamp(scores[self.unsafe])
            self.in_logs = LogElimination(clamped, one_root=self.one_root)
            self.log_partition[self.unsafe] = self.in_logs.log_partition + shift

    @cached_property
    def log_escape(self) -> Floats:
        """(F, n + 1, n + 1)."""
        result = np.full(self.scores.shape, -np.inf)
        result[:, :, 1:] = leading_term(self._by_degree, self._degree)
        return result

    @cached_property
    def _by_degree(self) -> Floats:
        """(F, n + 1, blocks, n): log-escapes before the leading term is chosen."""
        n = self.scores.shape[1] - 1
        found = np.full((len(self.scores), n + 1, self.blocks, n), -np.inf)
        first = self.escapes[:, : (n + 2) * self.blocks * n].reshape(-1, n + 2, self.blocks, n)
        with np.errstate(divide="ignore"):
            found[self.safe, 1:] = np.log(first[self.safe, 2:])
        if self.in_logs is not None:
            found[self.unsafe] = self.in_logs.log_escape
        found[:, 0] = -np.inf
        found[:, 0, -1] = 0.0  # an arc from the root: 1, or t where there is exactly one
        found[self.log_partition == -np.inf] = -np.inf
        return found

    @cached_property
    def _degree(self) -> NDArray[np.int64]:
        return leading_degree(self._by_degree)

    @cached_property
    def marginals(self) -> Floats:
        """(F, n + 1, n + 1): the probability of each arc, for scores below +inf; 0 where there is no tree."""
        log_odds = self.log_escape + self.scores
        best = log_odds.max(axis=1, keepdims=True)
        best[best == -np.inf] = 0.0
        odds = np.exp(log_odds - best)
        total = odds.sum(axis=1, keepdims=True)
        total[total == 0.0] = 1.0
        odds /= total
        return odds

    def marginals_backward(self, d_marginals: Floats) -> Floats:
        """Return the adjoint of the scores (F, n + 1, n + 1), given that of `marginals`."""
        uses = self.marginals * d_marginals
        d_log_odds = uses - self.marginals * uses.sum(axis=1, keepdims=True)
        return d_log_odds + self.backward(d_log_odds)

    def backward(self, d_log_escape: Floats) -> Floats:
        """Return the adjoint of the scores (F, n + 1, n + 1), given that of `log_escape`; 0 where they are infinite."""
        n = self.scores.shape[1] - 1
        d_log_escape = as_floats(d_log_escape, "the adjoint of log_escape", WeightError)
        if d_log_escape.shape != self.scores.shape:
            raise WeightError(
                f"the adjoint of log_escape has shape {d_log_escape.shape}, but log_escape {self.scores.shape}"
            )
        d_by_degree = np.zeros_like(self._by_degree)
        possible = self.log_escape[:, :, 1:] > -np.inf
        for block in range(self.blocks):
            chosen = possible & (self._degree[:, None] == block)
            d_by_degree[:, :, block] = np.where(chosen, d_log_escape[:, :, 1:], 0.0)
        d_by_degree[:, 0] = 0.0  # the root's own escape is constant
        adjoint = np.zeros_like(self.scores)
        raw = np.empty((n + 2, n + 2))
        for f in self.safe:
            first = self.escapes[f, : (n + 2) * self.blocks * n].reshape(n + 2, self.blocks, n)
            d_escapes = np.zeros_like(self.escapes[f])
            d_first = d_escapes[: first.size].reshape(first.shape)
            np.divide(d_by_degree[f, 1:], first[2:], out=d_first[2:], where=d_by_degree[f, 1:] != 0.0)
            kernels.matrix_tree.backward(self.plan, self.blocks, self.matrices[f], self.escapes[f], d_escapes, raw)
            raw[:, 2:] *= self.matrices[f, : (n + 2) ** 2].reshape(n + 2, n + 2)[:, 2:]
            adjoint[f, 0, 1:] = raw[self.blocks - 1, 2:]
            adjoint[f, 1:, 1:] = raw[2:, 2:]
        if self.in_logs is not None:
            adjoint[self.unsafe] = self.in_logs.backward(d_by_degree[self.unsafe])
        adjoint[~np.isfinite(self.scores)] = 0.0
        adjoint[:, np.arange(n + 1), np.arange(n + 1)] = 0.0
        return adjoint


def leading_degree(by_degree: Floats) -> NDArray[np.int64]:
    """Return (F, n): the power of t in dZ/dw(h → m) that counts for each m, given log-escapes (F, n + 1, blocks, n).

    A tree has a t at least, and dZ/dw(h → m) is e(h, m) times what depends on m only; so the least power among the e(h,
    m) is the one of trees with one t, and what has more belongs to trees with more.
    """
    blocks = by_degree.shape[2]
    return np.where((by_degree[:, :, 0] > -np.inf).any(axis=1), 0, blocks - 1)


def leading_term(by_degree: Floats, degree: NDArray[np.int64]) -> Floats:
    """Return (F, n + 1, n): the log-escapes with the power that counts; -inf where only higher ones are."""
    return np.take_along_axis(by_degree, degree[:, None, None, :], axis=2)[:, :, 0]


def best_escape(scores: Floats, roots: Roots) -> Floats:
    """Return (F, n + 1, n + 1): `TreeSums.log_escape` with max in place of +, for max-marginals."""
    scores = _check(scores)
    clamped, _ = _clamp(scores)
    elimination = LogElimination(clamped, one_root=has_one_root(roots), best=True)
    by_degree = elimination.log_escape
    by_degree[:, 0] = -np.inf
    by_degree[:, 0, -1] = 0.0
    by_degree[elimination.log_partition == -np.inf] = -np.inf
    result = np.full(scores.shape, -np.inf)
    result[:, :, 1:] = leading_term(by_degree, leading_degree(by_degree))
    return result


@lru_cache(maxsize=256)
def _plan_array(n: int, blocks: int) -> tuple[NDArray[np.int64], int, int]:
    steps, matrices, escapes = elimination_plan(n, blocks)
    return np.array(steps, dtype=np.int64), matrices, escapes


def _clamp(scores: Floats) -> tuple[Floats, Floats]:
    """Return scores less each word's greatest, and Σ of these; a word's certain arc (+inf) is its only one."""
    arcs = np.array(scores)
    arcs[:, np.arange(arcs.shape[1]), np.arange(arcs.shape[1])] = -np.inf
    certain = arcs == np.inf
    sure = certain.any(axis=1, keepdims=True)
    arcs = np.where(sure, np.where(certain, 0.0, -np.inf), arcs)
    arcs = np.where(certain.sum(axis=1, keepdims=True) > 1, -np.inf, arcs)
    best = arcs.max(axis=1, keepdims=True)
    best[best == -np.inf] = 0.0
    return arcs - best, best[:, 0, 1:].sum(axis=1)


def _check(scores: ArrayLike) -> Floats:
    """Return scores of arcs of F sentences, (F, n + 1, n + 1), as kernels take them: +inf is allowed, NaN is not."""
    array = np.ascontiguousarray(as_floats(scores, "scores", WeightError))
    if array.ndim != 3 or array.shape[1] != array.shape[2] or array.shape[1] < 2:
        raise WeightError(f"scores of arcs are (F, n + 1, n + 1) for n ≥ 1 words, not of shape {array.shape}")
    # The kernels do not read column 0 and the diagonal, but a sum over the others finds their NaN at once.
    if np.isnan(array).any():
        arcs = array.copy()
        arcs[:, :, 0] = 0.0
        arcs[:, np.arange(array.shape[1]), np.arange(array.shape[1])] = 0.0
        if np.isnan(arcs).any():
            f, h, m = np.argwhere(np.isnan(arcs))[0]
            raise WeightError(f"the score of arc {h} → {m} of sentence {f} is NaN; scores are numbers, or -inf")
    return array
