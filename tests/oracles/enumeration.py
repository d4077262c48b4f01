"""Answers by summing over a list of objects, each given by the weights that it uses."""

from typing import Any

import numpy as np
from attrs import field, frozen
from scipy.special import logsumexp

__all__ = ["Enumeration", "canonical"]


@frozen(eq=False)
class Enumeration:
    """All objects: `parts[o]` are the indices of the weights that object o uses, as often as it uses them."""

    objects: list[Any] = field()
    parts: list[tuple[int, ...]] = field()
    num_weights: int = field()
    uses: np.ndarray = field(init=False)
    _index: np.ndarray = field(init=False)

    @uses.default
    def _count_uses(self):
        """(objects, weights)"""
        uses = np.zeros((len(self.parts), self.num_weights))
        for row, indices in zip(uses, self.parts, strict=True):
            np.add.at(row, list(indices), 1)
        return uses

    @_index.default
    def _pad(self):
        """(objects, most parts): -1 where there is no part any more."""
        index = np.full((len(self.parts), max(map(len, self.parts), default=0)), -1)
        for row, indices in zip(index, self.parts, strict=True):
            row[: len(indices)] = indices
        return index

    def scores(self, weights: np.ndarray) -> np.ndarray:
        """(objects,): the log-weight of each object."""
        return np.append(weights.ravel(), 0.0)[self._index].sum(axis=1)

    def log_partition(self, weights: np.ndarray) -> float:
        """-inf if nothing is possible."""
        return float(logsumexp(self.scores(weights)))

    def probabilities(self, weights: np.ndarray) -> np.ndarray:
        """(objects,)"""
        return np.exp(self.scores(weights) - self.log_partition(weights))

    def marginals(self, weights: np.ndarray) -> np.ndarray:
        """(weights,)"""
        return self.probabilities(weights) @ self.uses

    def entropy(self, weights: np.ndarray) -> float:
        """In nats."""
        p = self.probabilities(weights)
        return -float(p[p > 0] @ np.log(p[p > 0]))

    def covariance(self, weights: np.ndarray) -> np.ndarray:
        """(weights, weights): of the numbers of uses."""
        p, mean = self.probabilities(weights), self.marginals(weights)
        return (self.uses * p[:, None]).T @ self.uses - np.outer(mean, mean)

    def __len__(self) -> int:
        return len(self.objects)


def canonical(value: Any) -> Any:
    """Return what a structure decodes to as something that can be hashed and compared."""
    if isinstance(value, np.ndarray):
        return tuple(value.tolist())
    if isinstance(value, list | tuple):
        return tuple(canonical(item) for item in value)
    return value
