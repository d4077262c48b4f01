"""Dependency trees, projective or not, by enumeration; and their sums by determinants of exact fractions."""

import itertools
import math
from fractions import Fraction
from functools import cache

import numpy as np

__all__ = ["all_trees", "exact_log_partition", "exact_marginals", "tree_scores"]


@cache
def all_trees(n: int, roots: str) -> np.ndarray:
    """(trees, n): the heads of words 1 … n in every tree."""
    choices = [[h for h in range(n + 1) if h != m] for m in range(1, n + 1)]
    trees = [heads for heads in itertools.product(*choices) if _hangs_on_root(heads)]
    return np.array([heads for heads in trees if roots == "any" or heads.count(0) == 1]).reshape(-1, n)


def _hangs_on_root(heads: tuple[int, ...]) -> bool:
    for word in range(1, len(heads) + 1):
        at = word
        for _ in heads:
            at = heads[at - 1] if at else 0
        if at:
            return False
    return True


def tree_scores(scores: np.ndarray, roots: str) -> np.ndarray:
    """(trees,): the score of each."""
    n = len(scores) - 1
    return scores[all_trees(n, roots), np.arange(1, n + 1)].sum(axis=1)


def _total(weights: list[list[Fraction]], roots: str) -> Fraction:
    """The matrix-tree theorem (Koo et al. 2007, eqs 5 and 7): any number of roots, or one."""
    n = len(weights) - 1
    laplacian = [
        [
            sum(weights[k][m] for k in range(0 if roots == "any" else 1, n + 1) if k != m) if h == m else -weights[h][m]
            for m in range(1, n + 1)
        ]
        for h in range(1, n + 1)
    ]
    if roots == "one":
        laplacian[0] = list(weights[0][1:])
    return _determinant(laplacian)


def _determinant(matrix: list[list[Fraction]]) -> Fraction:
    matrix = [list(row) for row in matrix]
    result = Fraction(1)
    for k in range(len(matrix)):
        pivot = next((row for row in range(k, len(matrix)) if matrix[row][k]), None)
        if pivot is None:
            return Fraction(0)
        if pivot != k:
            matrix[k], matrix[pivot], result = matrix[pivot], matrix[k], -result
        result *= matrix[k][k]
        for row in range(k + 1, len(matrix)):
            factor = matrix[row][k] / matrix[k][k]
            if factor:
                matrix[row] = [x - factor * y for x, y in zip(matrix[row], matrix[k], strict=True)]
    return result


def _fractions(powers: np.ndarray) -> list[list[Fraction]]:
    return [[Fraction(2) ** int(power) if power > -np.inf else Fraction(0) for power in row] for row in powers]


def exact_log_partition(powers: np.ndarray, roots: str) -> float:
    """log Z where arc h → m has the weight 2^powers[h, m], whole numbers (or -inf)."""
    total = _total(_fractions(powers), roots)
    return math.log(total.numerator) - math.log(total.denominator)


def exact_marginals(powers: np.ndarray, roots: str) -> np.ndarray:
    """(n + 1, n + 1): 1 - Z without the arc / Z."""
    weights = _fractions(powers)
    total = _total(weights, roots)
    result = np.zeros(powers.shape)
    for h, m in itertools.permutations(range(len(powers)), 2):
        if m > 0:
            without = [list(row) for row in weights]
            without[h][m] = Fraction(0)
            result[h, m] = float(1 - _total(without, roots) / total)
    return result
