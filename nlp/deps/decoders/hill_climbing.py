"""Hill climbing from the best tree of arcs alone (McDonald & Pereira 2006; Smith & Eisner 2008, §7)."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from nlp.deps.analysis import Analysis
from nlp.deps.instance import DependencyInstance
from pgm.learning import Decoder, Instance

__all__ = ["HillClimbing"]


@frozen
class HillClimbing(Decoder):
    """From the tree with the greatest score of its arcs, one head after another is changed while that gains.

    The first tree is projective; in a nonprojective model the changes need not be.
    """

    name: ClassVar[str] = "hill-climbing"

    def decode(self, instance: Instance, scores: Mapping[Any, NDArray[np.float64]]) -> Analysis:
        """Return the tree where no change gains any more."""
        assert isinstance(instance, DependencyInstance)
        arcs, relation_scores = dict(scores), scores.get("relation", np.zeros(0))
        if instance.relations is not None:
            arcs["arc"] = scores["arc"] + relation_scores[instance.relations.best(relation_scores)]
        weights = instance.parts.matrix(arcs["arc"], -np.inf)
        first = instance.projective.best(weights)[1][1:]
        return instance.space.labelled(instance.climb(first, arcs), relation_scores)
