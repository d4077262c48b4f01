"""The contract of a decoder: from the scores of an instance to one answer."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from autodiff.array_types import Floats
from autodiff.named import Named
from pgm.learning.instance import Instance

__all__ = ["Decoder"]


@frozen
class Decoder(Named, ABC):
    """Chooses an answer; one of your own is a subclass with `decode` and, for commands, a `name`."""

    @abstractmethod
    def decode(self, instance: Instance, scores: Mapping[Any, Floats]) -> Any:
        """Return an answer out of the instance's output space."""

    @classmethod
    def examples(cls) -> Iterable["Decoder"]:
        """Yield decoders of this kind, for the conformance tests."""
        return ()
