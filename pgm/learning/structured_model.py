"""The contract of a structured model: a scorer, and instances to run inference on."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np

from autodiff import Parameter
from pgm.learning.decoder import Decoder
from pgm.learning.instance import Instance, Run
from pgm.learning.scorer import Scorer

__all__ = ["StructuredModel"]


class StructuredModel(ABC):
    """What a `Trainer` trains and a `Decoder` decodes with.

    Attributes
    ----------
    scorer : turns an instance into the scores of its parts
    """

    scorer: Scorer

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable[tuple["StructuredModel", Any]]:
        """Yield small models, each with an input of which everything is known, for the conformance tests."""
        return ()

    @abstractmethod
    def instance(self, item: Any) -> Instance:
        """Make an input (with what is right in it, if that is known) ready."""

    def input_instance(self, item: Any) -> Instance:
        """Make an input ready of which nothing need be known: what `decode` and `run` take.

        By default it is what `instance` takes as well.
        """
        return self.instance(item)

    def decode(self, item: Any, decoder: Decoder) -> Any:
        """Return the answer that a decoder chooses for an input, or an instance."""
        instance = item if isinstance(item, Instance) else self.input_instance(item)
        return decoder.decode(instance, self.scorer.score(instance)[0])

    def run(self, item: Any, *, record: bool = False) -> Run:
        """Run inference on an input, or on an instance, at the scores that it has now."""
        instance = item if isinstance(item, Instance) else self.input_instance(item)
        scores, _ = self.scorer.score(instance)
        return instance.run(scores, record=record)

    def parameters(self, instances: Iterable[Instance] = ()) -> dict[str, Parameter]:
        """Return what is learned, by name."""
        return self.scorer.parameters(instances)
