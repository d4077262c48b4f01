"""The contract of one run of a family: what it makes of its incoming messages, forward and backward."""

from abc import ABC, abstractmethod

import numpy as np

from autodiff.array_types import Floats
from autodiff.conversion import as_floats
from pgm.errors import FactorGraphError

__all__ = ["FactorRun"]


class FactorRun(ABC):
    """What a family makes of its incoming messages (sum-product), and the adjoints of that.

    A subclass writes `messages`, `log_partition`, `beliefs` (if the family has potentials) and `_backward`; properties
    that cost something are cached.
    """

    def __init__(self, incoming: Floats, potentials: Floats | None = None) -> None:
        self.incoming = incoming
        self.potentials = potentials

    @property
    @abstractmethod
    def messages(self) -> Floats:
        """(F, W): to state s of variable d, log Σ_{y: y_d = s} ψ(y) Π_{k ≠ d} m_k(y_k), up to a constant for each edge.

        A constant that is added to all states of one message changes nothing, so a family may choose it.  Where the
        incoming messages contradict the factor, there is an edge each of whose states is -inf in what came in or in
        what goes out (the easiest is -inf everywhere): so message passing notices.
        """

    @property
    @abstractmethod
    def log_partition(self) -> Floats:
        """(F,): log Σ_y ψ(y) Π_d m_d(y_d); -inf where the incoming messages contradict the factor."""

    @property
    def beliefs(self) -> Floats | None:
        """In the shape of the potentials: the probability (expected use) of each entry; None without potentials."""
        return None

    def backward(
        self, messages: Floats | None = None, log_partition: Floats | None = None, beliefs: Floats | None = None
    ) -> tuple[Floats, Floats | None]:
        """Return the adjoints of `incoming` (F, W) and of the potentials, given those of the outputs (None is zero).

        An entry that is -inf has an adjoint of exactly 0.

        Raises
        ------
        FactorGraphError
            If an adjoint has not the shape of its output.
        """
        if messages is not None:
            messages = self._checked(messages, "messages", self.incoming.shape)
        if log_partition is not None:
            log_partition = self._checked(log_partition, "log_partition", self.incoming.shape[:1])
        if beliefs is not None:
            own = self.beliefs
            if own is None:
                raise FactorGraphError(f"{type(self).__name__}: there are no beliefs, and so no adjoint of them")
            beliefs = self._checked(beliefs, "beliefs", own.shape)
        return self._backward(messages, log_partition, beliefs)

    @abstractmethod
    def _backward(
        self, messages: Floats | None = None, log_partition: Floats | None = None, beliefs: Floats | None = None
    ) -> tuple[Floats, Floats | None]:
        """Return the same, given adjoints that fit."""

    def _checked(self, adjoint: Floats, what: str, shape: tuple[int, ...]) -> Floats:
        if isinstance(adjoint, np.ndarray) and adjoint.shape == shape and adjoint.dtype == np.float64:
            return np.ascontiguousarray(adjoint)
        return np.ascontiguousarray(
            as_floats(adjoint, f"{type(self).__name__}: the adjoint of {what}", FactorGraphError, shape=shape)
        )
