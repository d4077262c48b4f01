"""Linear scores of sparse features, hashed or numbered: one long vector of weights."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import ArrayLike, NDArray

from autodiff import HashedParameter, Parameter, SparseAdjoint
from pgm.learning.instance import Instance, Scores
from pgm.learning.scorer import Gradients, Rows, Scorer, ScoresBackward

__all__ = ["FeatureScorer"]

Floats = NDArray[np.float64]


def _as_weights(given: Any) -> Parameter:
    return given if isinstance(given, Parameter) else HashedParameter("weights", given)


@frozen(eq=False)
class FeatureScorer(Scorer):
    """The score of a part is the sum of the weights of its features.

    Parameters
    ----------
    weights : one vector, often a `HashedParameter`; or its length
    features : returns, for an instance, the features of all parts, `(indices, offsets)`: part p has
        indices[offsets[p] : offsets[p + 1]], as `feature_rows` makes them; or a dict of such pairs by kind of parts

    Examples
    --------
    >>> from hypergraph.structures import LinearChain
    >>> from pgm.learning import StructureModel
    >>> def features(instance):                                # of 2 × 2 states and 4 transitions, one each
    ...     return np.arange(8), np.arange(9)
    >>> scorer = FeatureScorer(8, features)
    >>> model = StructureModel(lambda words: LinearChain(2, 2), scorer)
    >>> scorer.weights.value[0] = 1.0
    >>> model.run(["a", "b"]).beliefs[:2].round(3)
    array([0.731, 0.269])
    """

    weights: Parameter = field(converter=_as_weights)
    features: Callable[[Any], Any] = field()

    def parameters(self, instances: Iterable[Instance]) -> dict[str, Parameter]:
        """Return the weights."""
        return {self.weights.name: self.weights}

    def score(self, instance: Instance, *, rng: np.random.Generator | None = None) -> tuple[Scores, ScoresBackward]:
        """Sum the weights of all features."""
        weights = self.weights.read()
        found = self._features(instance)
        scores: Scores = {}
        for kind, (indices, offsets) in found.items():
            sums = np.concatenate([[0.0], np.cumsum(weights[indices])])
            scores[kind] = sums[offsets[1:]] - sums[offsets[:-1]]

        def backward(adjoints: Mapping[Any, Floats], gradients: Gradients) -> None:
            for kind, (indices, offsets) in found.items():
                values = np.repeat(np.ravel(adjoints[kind]), np.diff(offsets))
                if self.weights.hashed:
                    gradients.buffer(self.weights.name).add(indices, values)
                else:
                    gradients.add(self.weights.name, SparseAdjoint(indices, values, weights.shape))

        return scores, backward

    def reads(self, instance: Instance) -> Rows:
        """Return the features of the instance."""
        return {self.weights.name: np.concatenate([indices for indices, _ in self._features(instance).values()])}

    def _features(self, instance: Instance) -> dict[Any, tuple[NDArray[np.int64], NDArray[np.int64]]]:
        given = self.features(instance)
        named: Mapping[Any, tuple[ArrayLike, ArrayLike]] = given if isinstance(given, Mapping) else {"weights": given}
        return {kind: (np.asarray(one, dtype=np.int64), np.asarray(two)) for kind, (one, two) in named.items()}
