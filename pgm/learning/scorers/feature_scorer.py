"""Linear scores of sparse features, hashed or numbered: one long vector of weights."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import field, frozen
from numpy.typing import ArrayLike

from autodiff import HashedParameter, Parameter
from autodiff.array_types import Floats
from autodiff.modules import SparseDot
from pgm.learning.instance import Instance, Scores
from pgm.learning.scorer import Gradients, Rows, Scorer, ScoresBackward

if TYPE_CHECKING:
    from pgm.learning.structured_model import StructuredModel

__all__ = ["FeatureScorer"]


def _as_weights(given: Any) -> Parameter:
    return given if isinstance(given, Parameter) else HashedParameter("weights", given)


@frozen(eq=False)
class FeatureScorer(Scorer):
    """The score of a part is the sum of the weights of its features, times their values if they have some.

    Parameters
    ----------
    weights : one vector, often a `HashedParameter`; or its length
    features : returns, for an instance, the features of all parts, `(indices, offsets)`: part p has
        indices[offsets[p] : offsets[p + 1]], each with value 1, as `feature_rows` makes them; or
        `(indices, offsets, values)`; or a dict of such tuples by kind of parts

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
        weights, name = self.weights.read(), self.weights.name
        passes = {kind: SparseDot().forward(weights, *features) for kind, features in self._features(instance).items()}

        def backward(adjoints: Mapping[Any, Floats], gradients: Gradients) -> None:
            for kind, (_, of_kind) in passes.items():
                if kind not in adjoints or not gradients.wants(name):
                    continue
                adjoint = of_kind(np.ravel(adjoints[kind]))[0]
                if self.weights.hashed:
                    gradients.buffer(name).add(adjoint.indices, adjoint.values)
                else:
                    gradients.add(name, adjoint)

        return {kind: scores for kind, (scores, _) in passes.items()}, backward

    def reads(self, instance: Instance) -> Rows:
        """Return the features of the instance."""
        found = [np.asarray(features[0], dtype=np.int64) for features in self._features(instance).values()]
        return {self.weights.name: np.concatenate(found)}

    def _features(self, instance: Instance) -> Mapping[Any, tuple[ArrayLike, ...]]:
        given = self.features(instance)
        return given if isinstance(given, Mapping) else {"weights": given}

    @classmethod
    def examples(cls, rng: np.random.Generator) -> "Iterable[tuple[StructuredModel, Any]]":
        """Yield hashed and dense weights; parts with no feature, with several, and with values."""
        from hypergraph.structures import LinearChain
        from pgm.learning.structure_model import StructureModel

        offsets = np.array([0, 0, 3, 3, 4, 6, 7, 8, 9])  # of the eight parts of a chain of two words and two states
        indices, values = rng.integers(8, size=9), rng.normal(size=9)
        for weights in (HashedParameter("weights", 9), Parameter("weights", np.zeros(9))):
            weights.value[:] = rng.normal(size=9)
            for scorer in (
                cls(weights, lambda _: (indices, offsets)),
                cls(weights, lambda _: (indices, offsets, values)),
            ):
                yield StructureModel(lambda words: LinearChain(len(words), 2), scorer), (["a", "b"], [0, 1])
