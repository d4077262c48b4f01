"""The contract of an inference method: settings, and one `run`."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from autodiff.array_types import Floats
from autodiff.conversion import as_floats
from pgm.errors import PotentialError
from pgm.graph import FactorGraph
from pgm.inference_result import InferenceResult

__all__ = ["DifferentiableInference", "Inference", "check_potentials"]


class Inference(ABC):
    """A way to find beliefs, a log-partition or an assignment of a graph; best an attrs-frozen class of settings.

    Attributes
    ----------
    error_on_trees : how far beliefs may be from the marginals of a small graph without cycles, for the conformance
        tests; inf where they are meant to be something else.  Where that is more than rounding (a sampler), only on
        graphs where everything is possible
    """

    error_on_trees: ClassVar[float] = 1e-6

    @abstractmethod
    def run(self, graph: FactorGraph, *, evidence: Any = None) -> InferenceResult:
        """Return what the method says of the graph.

        Parameters
        ----------
        evidence : observed states, {variable: state} by names or numbers, also of arrays; see `pgm.evidence`
        """

    @classmethod
    def examples(cls) -> Iterable["Inference"]:
        """Yield settings for the conformance tests, quick on small graphs."""
        return ()


class DifferentiableInference(Inference):
    """A method whose result can go back to the log-potentials: it takes others in place of those of the families."""

    @abstractmethod
    def run(
        self,
        graph: FactorGraph,
        *,
        evidence: Any = None,
        potentials: Sequence[Floats | None] | None = None,
        record: bool = False,
    ) -> InferenceResult:
        """Return what the method says of the graph.

        Parameters
        ----------
        potentials : for each family of the graph an array used in place of its own log-potentials, or None
        record : keep what `backward` of the result needs
        """

    def maximising(self) -> "DifferentiableInference":
        """Return the same with results whose `assignment` is the best, as far as the method can find it.

        That is the method itself, unless it has a mode for it.
        """
        return self


def check_potentials(graph: FactorGraph, potentials: Sequence[Any]) -> list[Floats | None]:
    """Return the log-potentials of each family of a graph (None for a hard one): those given, or else its own.

    Raises
    ------
    PotentialError
        If there are not as many as families, or one does not fit its family, or has a value that is NaN or +inf.
    """
    if len(potentials) != len(graph.families):
        raise PotentialError(
            f"the graph has {len(graph.families)} families, but {len(potentials)} arrays of potentials were given; "
            f"give one for each, None for the family's own"
        )
    result: list[Floats | None] = []
    for family, given in zip(graph.families, potentials, strict=True):
        own = family.potentials
        if given is None:
            result.append(own)
            continue
        if own is None:
            raise PotentialError(f"{family!r} has no log-potentials, so it takes None in place of them")
        array = np.ascontiguousarray(as_floats(given, f"{family!r}: log-potentials", PotentialError))
        if array.shape != own.shape:
            raise PotentialError(f"{family!r}: potentials have shape {own.shape}, not {array.shape}")
        if not array.max(initial=-np.inf) < np.inf:
            raise PotentialError(f"{family!r}: a log-potential is NaN or +inf; they are finite, or -inf")
        result.append(array)
    return result
