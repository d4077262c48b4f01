"""The contract between a structured model and whoever learns or decodes with it: an instance, and a run on it.

An *instance* is one input made ready: its parts and (in training) what is right in it.  It is built once.  A *run* is
inference on an instance at some scores of its parts.

Legend: *parts* are what gets scores, by kind: entries of tables, arcs of trees, weights of a hypergraph.  *Events* are
what a model has beliefs in: states of variables, arcs, relations; there are B of them, in a fixed order.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from autodiff.array_types import Floats
from autodiff.conversion import as_floats
from pgm.errors import FactorGraphError
from pgm.learning.errors import GoldError
from pgm.learning.output_space import OutputSpace

__all__ = ["Instance", "Run", "Scores"]

Scores: TypeAlias = dict[Hashable, Floats]
"""By kind of parts: log-potentials, or what belongs to each of them (beliefs, adjoints)."""


class Run(ABC):
    """Inference on one instance at some scores; what nobody asks for is not computed.

    Attributes
    ----------
    converged : whether inference says that it did; None where a fixed number of iterations is all there is
    """

    converged: bool | None = None

    @property
    @abstractmethod
    def log_partition(self) -> float:
        """The log of the total weight; an approximation where inference is one."""

    @property
    @abstractmethod
    def beliefs(self) -> Floats:
        """(B,): the belief in every event."""

    @property
    @abstractmethod
    def part_beliefs(self) -> Scores:
        """The expected use of every part: where inference is exact or settled, the gradient of the log-partition."""

    @abstractmethod
    def backward(self, *, beliefs: Floats | None = None, log_partition: float | None = None) -> Scores:
        """Return the adjoints of the scores, given those of the beliefs (B,) and of the log-partition.

        Through every step of inference; a run that is asked for this is made with `record=True`.
        """

    def best(self) -> Any:
        """Return the answer of greatest score, or the model's best guess at it."""
        raise self._cannot("search for the best answer")

    def kbest(self, k: int) -> list[tuple[float, Any]]:
        """Return the k best answers with their scores, best first; fewer if there are not so many."""
        raise self._cannot("list the k best answers")

    def sample(self, count: int, rng: np.random.Generator) -> list[Any]:
        """Return answers drawn from the model."""
        raise self._cannot("draw samples")

    def _cannot(self, what: str) -> FactorGraphError:
        return FactorGraphError(f"{type(self).__name__} cannot {what}; use a model whose inference can")


class Instance(ABC):
    """An input with its parts, ready for inference at any scores.

    Attributes
    ----------
    space : the answers that there are for it, for decoders
    """

    space: OutputSpace

    @abstractmethod
    def run(
        self, scores: Mapping[Any, Floats], *, costs: Floats | None = None, clamped: bool = False, record: bool = False
    ) -> Run:
        """Run inference.

        Parameters
        ----------
        scores : of the parts, by kind
        costs : (B,) what each event adds to the score of an answer, besides: for margins
        clamped : whether what is known to be right is given, so that only the rest is inferred
        record : whether `Run.backward` will be asked for
        """

    @property
    @abstractmethod
    def targets(self) -> Floats:
        """(B,): the beliefs that a model should have, 1 for what is right; NaN for events of which nothing is known."""

    @abstractmethod
    def gold_score(self, scores: Mapping[Any, Floats], why: str) -> tuple[float, Scores]:
        """Return the score of the right answer, and its use of every part.

        Raises
        ------
        GoldError
            If something of it is unknown or impossible; `why` says what needs it.
        """

    @property
    def right(self) -> Floats:
        """(B,): how often the right answer has each event, once at most for most models; 0 where that is unknown."""
        return (self.targets == 1.0).astype(np.float64)

    def recalled(self, recall_of: Any = None) -> Floats:
        """Return (B,): the same for events that count for recall; by default all that are right.

        Parameters
        ----------
        recall_of : the states of variables that count, for instances that have variables
        """
        if recall_of is not None:
            raise GoldError(f"{type(self).__name__} has no variables with states, so recall_of must be None")
        return self.right

    def checked_costs(self, costs: ArrayLike) -> Floats:
        """Return costs of all events as (B,) numbers, or say what is wrong with them."""
        return as_floats(costs, f"{type(self).__name__}: costs of all events", GoldError, shape=self.targets.shape)

    def hamming(self, cost: float) -> Floats:
        """Return (B,): the cost of every event that is known to be wrong."""
        return np.where(self.targets == 0.0, float(cost), 0.0)
