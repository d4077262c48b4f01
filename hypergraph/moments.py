"""Expectations of additive features of a derivation, their gradients, and covariances.

The features of a derivation are the sum of those of the weights it uses.  The expectation is then linear in the
marginals, and its gradient a product with the Hessian of the log-partition, which is the covariance of the uses of
weights: what the expectation semirings of Li & Eisner (2009) compute, at the cost of a backward pass a feature and
without leaving the range of floating point.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.conversion import as_floats
from hypergraph.errors import WeightError
from hypergraph.structure import Structure

__all__ = ["covariance", "expectation", "expectation_with_gradient"]


def expectation(structure: Structure, weights: ArrayLike, features: ArrayLike) -> NDArray[np.float64]:
    """Return (features,): the expected features, given (weights, features) — or a number, given (weights,).

    Examples
    --------
    The expected length of the arcs of a random tree over 3 words:

    >>> from hypergraph.structures import ProjectiveTrees
    >>> length = abs(np.arange(4)[:, None] - np.arange(4))
    >>> round(float(expectation(ProjectiveTrees(3), np.zeros((4, 4)), length.ravel())), 6)
    4.833333
    """
    return expectation_with_gradient(structure, weights, features, gradient=False)[0]


def expectation_with_gradient(
    structure: Structure, weights: ArrayLike, features: ArrayLike, *, gradient: bool = True
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the expected features and their derivatives in the log-weights, (features, weights).

    Examples
    --------
    >>> from hypergraph.structures import ProjectiveTrees
    >>> value, slope = expectation_with_gradient(ProjectiveTrees(2), np.zeros((3, 3)), np.arange(9.0))
    >>> value.shape, slope.shape
    ((), (9,))
    """
    array = as_floats(features, "features", WeightError)
    if array.shape[:1] != (structure.num_weights,):
        raise WeightError(
            f"features need a row for each of the {structure.num_weights} weights, but their shape is {array.shape}"
        )
    chart = structure.run(structure.check_weights(weights))
    columns = array.reshape(structure.num_weights, -1)
    value = (chart.weight_marginals @ columns).reshape(array.shape[1:])
    if not gradient:
        return value, np.empty(0)
    slope = np.array([chart.backward(np.ascontiguousarray(column)) for column in columns.T])
    return value, slope.reshape(*array.shape[1:], structure.num_weights)


def covariance(structure: Structure, weights: ArrayLike, features: ArrayLike, others: ArrayLike) -> NDArray[np.float64]:
    """Return (R, S): the covariance of two vectors of features, (weights, R) and (weights, S).

    Examples
    --------
    >>> from hypergraph.structures import ProjectiveTrees
    >>> root = np.zeros((3, 3))
    >>> root[0, 1:] = 1  # counts the children of the root: 2, 1 and 1 in the three trees over two words
    >>> round(float(covariance(ProjectiveTrees(2), np.zeros((3, 3)), root.ravel(), root.ravel())), 6)
    0.222222
    """
    _, slope = expectation_with_gradient(structure, weights, features)
    array = as_floats(others, "others", WeightError)
    if array.ndim not in (1, 2) or array.shape[:1] != (structure.num_weights,):
        raise WeightError(
            f"others need a row for each of the {structure.num_weights} weights, but their shape is {array.shape}"
        )
    return slope @ array
