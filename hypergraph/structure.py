"""What the algorithms ask of a structure: what its weights mean, what a derivation stands for, and the answers.

The answers come from its hypergraph.  A structure with kernels of its own overrides `run` and `best`; one without a
hypergraph overrides all methods that follow `best`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.conversion import as_count
from hypergraph import kernels
from hypergraph.arrays import as_kernel_floats
from hypergraph.errors import ImpossibleError, NoHypergraphError, WeightError

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

    A subclass says how many weights there are, decodes a derivation into the object that it stands for, and writes down
    a hypergraph whose derivations are the objects (one derivation for each object).  Where that would be too large, it
    has no `graph`, but answers in its own way what all structures are asked: `run`, `best`, `best_derivation`,
    `derivations`, `draw`, `entropy` and `count`.
    """

    @property
    def graph(self) -> "Hypergraph":
        """The hypergraph whose derivations are the objects.

        Raises
        ------
        NoHypergraphError
            If the structure has none.
        """
        raise NoHypergraphError(
            f"{self.brief} has no hypergraph: there are no values of its nodes and edges (inside, outside, total, "
            f"InsideOutside, node_marginals, edge_marginals), no semirings, no drawing and no HypergraphFactor of it; "
            f"it can be asked for log_partition, marginals, viterbi, kbest, sample, entropy, count and expectations"
        )

    @property
    def has_graph(self) -> bool:
        """Whether there is a hypergraph."""
        return type(self).graph is not Structure.graph

    @property
    @abstractmethod
    def num_weights(self) -> int:
        """The number of weights."""

    @property
    def shared(self) -> NDArray[np.bool_]:
        """(weights,): which stand for several places in an object, as the transitions of a chain may.

        An object can use them more than once, so their marginals are expected numbers, and no beliefs in an event.
        """
        return np.zeros(self.num_weights, dtype=np.bool_)

    @abstractmethod
    def decode(self, derivation: "Derivation") -> Any:
        """Return the object that a derivation stands for."""

    def weights_of(self, decoded: Any) -> NDArray[np.int64]:
        """Return the indices of the weights that an object uses, as often as it does: what `decode` undoes.

        Raises
        ------
        WeightError
            If it is no object of the structure; or if the structure cannot tell, as it is here.
        """
        raise WeightError(f"{self.brief} cannot tell which weights an object uses; write `weights_of` in its class")

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

    def check_weights(self, weights: ArrayLike) -> NDArray[np.float64]:
        """Return log-weights as a float64 array that a kernel can take, or say what is wrong with them.

        An array that already is one is not copied.

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
        index = kernels.weights.unfit(array.reshape(-1), LARGEST)
        if index >= 0:
            raise WeightError(
                f"{self.weight_name(index)} (index {index}) has log-weight {array.reshape(-1)[index]}: "
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

    # Answers.  Those that need a derivation of weight above zero raise ImpossibleError where there is none.

    def best(self, weights: ArrayLike) -> tuple[float, Any]:
        """Return the log-weight of the best object, and that object."""
        derivation = self.best_derivation(self.check_weights(weights))
        return derivation.score, self.decode(derivation)

    def run(self, weights: NDArray[np.float64]) -> "Chart":
        """Run inside-outside on checked weights."""
        from hypergraph.inside_outside import InsideOutsideChart

        return InsideOutsideChart.run(self, weights)

    def best_derivation(self, weights: NDArray[np.float64]) -> "Derivation":
        """Return the best derivation for checked weights."""
        from hypergraph.kbest import best_of_graph

        return best_of_graph(self, weights)

    def derivations(self, weights: NDArray[np.float64]) -> "Iterator[Derivation]":
        """Yield all derivations for checked weights, best first, each when it is asked for."""
        from hypergraph.kbest import ranked_of_graph

        return ranked_of_graph(self, weights)

    def draw(self, weights: NDArray[np.float64], size: int, rng: np.random.Generator) -> "list[Derivation]":
        """Return independent exact samples of derivations for checked weights."""
        from hypergraph.sampling import draw_from_graph

        return draw_from_graph(self, weights, size, rng)

    def entropy(self, weights: NDArray[np.float64]) -> float:
        """Return the entropy, in nats, of the distribution over derivations for checked weights."""
        from hypergraph.inside_outside import InsideOutsideChart

        return InsideOutsideChart.run(self, weights).entropy

    def count(self, weights: NDArray[np.float64]) -> int:
        """Return the exact number of derivations that checked weights leave possible; 0 if there is none."""
        from hypergraph.algorithms import total
        from hypergraph.semirings import Counting

        return int(total(self, weights, Counting()))
