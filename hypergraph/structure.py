"""What the algorithms ask of a structure: its hypergraph, what its weights mean and what a derivation stands for.

A structure with kernels of its own overrides `run` and `best`; everything else comes from the hypergraph.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.conversion import as_count
from hypergraph.arrays import as_kernel_floats
from hypergraph.errors import ImpossibleError, WeightError

if TYPE_CHECKING:
    from hypergraph.derivation import Derivation
    from hypergraph.graph import Hypergraph

__all__ = ["LARGEST", "Chart", "Structure"]


def shorten(text: str, most: int = 120) -> str:
    """Return a text for a message: its beginning, if it is long.

    >>> shorten("Grammar(" + "rule, " * 1000)[-13:]
    '… (6008 long)'
    """
    return text if len(text) <= most else f"{text[: most - 20].rstrip()} … ({len(text)} long)"


LARGEST = 1e100
"""Log-weights are smaller, so that no sum of them overflows."""


def as_size(value: Any) -> int:
    """Return a size of a structure: a whole number from 1 on.

    >>> as_size(np.int64(3))
    3
    """
    return as_count(value, "a size (a number of words, positions, states or labels)", WeightError, least=1)


class Chart(Protocol):
    """What a run of inside-outside leaves behind, whichever kernel ran it; arrays over weights are flat."""

    @property
    def log_partition(self) -> float:
        """The log of the total weight."""

    @property
    def weight_marginals(self) -> NDArray[np.float64]:
        """(weights,): the expected number of uses of each weight; the gradient of the log-partition."""

    def backward(self, weight_adjoint: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the adjoint of the log-weights, given that of the marginals: the Hessian times `weight_adjoint`."""


class Structure(ABC):
    """A set of combinatorial objects, each the product of the weights of its parts.

    A subclass says how many weights there are, writes down a hypergraph whose derivations are the objects (one
    derivation for each object), and decodes a derivation into the object.
    """

    @property
    @abstractmethod
    def graph(self) -> "Hypergraph":
        """The hypergraph whose derivations are the objects."""

    @property
    @abstractmethod
    def num_weights(self) -> int:
        """The number of weights."""

    @abstractmethod
    def decode(self, derivation: "Derivation") -> Any:
        """Return the object that a derivation stands for."""

    @classmethod
    def examples(cls) -> "Iterable[Structure]":
        """Return small instances, on which the conformance tests compare everything with enumeration."""
        return ()

    def weight_name(self, index: int) -> str:
        """Return a weight's name for people."""
        return f"weight {index}"

    @property
    def brief(self) -> str:
        """What it is, in a few words for messages, however large it is."""
        return shorten(repr(self))

    def best(self, weights: ArrayLike) -> tuple[float, Any]:
        """Return the log-weight of the best object, and that object."""
        from hypergraph.algorithms import viterbi

        derivation = viterbi(self, weights)
        return derivation.score, self.decode(derivation)

    def check_weights(self, weights: ArrayLike) -> NDArray[np.float64]:
        """Return log-weights as a float64 array that a kernel can take, or say what is wrong with them.

        Raises
        ------
        WeightError
            If there are too many or too few, or one is NaN or +inf; -inf is an honest zero.
        """
        array = as_kernel_floats(weights, "weights")
        if array.size != self.num_weights:
            raise WeightError(
                f"{type(self).__name__} has {self.num_weights} weights, but the array of shape {array.shape} "
                f"holds {array.size}"
            )
        bad = ~(np.abs(array) < LARGEST) & (array != -np.inf)
        if bad.any():
            index = int(np.argmax(bad.ravel()))
            raise WeightError(
                f"{self.weight_name(index)} (index {index}) has log-weight {array.ravel()[index]}: "
                f"log-weights are finite numbers (below {LARGEST:g}, so that sums are finite too), "
                f"or -inf for what is impossible"
            )
        return array

    def impossible(self) -> ImpossibleError:
        """Return the error that says that nothing has a weight above zero."""
        return ImpossibleError(
            f"every derivation of {self.brief} contains a weight of -inf: nothing is possible; "
            f"leave at least one derivation with finite weights"
        )

    def run(self, weights: NDArray[np.float64]) -> "Chart":
        """Run inside-outside on checked weights; a structure with kernels of its own overrides this.

        Raises
        ------
        ImpossibleError
            If nothing has a weight above zero.
        """
        from hypergraph.inside_outside import InsideOutsideChart

        return InsideOutsideChart.run(self, weights)
