"""What first-order dependency trees share, projective or not: a weight for each arc, and a head for each word."""

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from attrs import field, frozen
from attrs.validators import ge
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Floats
from autodiff.conversion import as_floats, as_integers
from autodiff.validators import one_of
from hypergraph.batched.chart import BatchChart, ChartOfOne
from hypergraph.errors import ImpossibleError, WeightError
from hypergraph.heads import has_crossing, is_tree
from hypergraph.roots import Roots, has_one_root
from hypergraph.structure import Structure, as_size

if TYPE_CHECKING:
    from typing import Self

    from hypergraph.derivation import Derivation

__all__ = ["DependencyTrees"]


@frozen
class DependencyTrees(Structure):
    """Trees on words 1 … n under the artificial root 0; a tree weighs Π_{arcs h → m} w(h, m).

    Weights are (n + 1, n + 1), of the arc h → m at [h, m]; those of the diagonal and of the first column mean nothing.

    Parameters
    ----------
    n : number of words, without the root
    roots : "any" number of words may depend on the root 0, or exactly "one"
    """

    projective: ClassVar[bool]
    """Whether the arcs of a tree never cross."""

    n: int = field(converter=as_size, validator=ge(1))
    roots: Roots = field(default="any", validator=one_of("any", "one"))

    @abstractmethod
    def run_batch(self, scores: Floats) -> BatchChart:
        """Return the sums over trees for scores (batch, n + 1, n + 1)."""

    @abstractmethod
    def best_batch(self, scores: Floats) -> tuple[Floats, NDArray[np.int64]]:
        """Return the scores (batch,) and the heads (batch, n + 1) of the best trees."""

    @classmethod
    def examples(cls) -> "list[Self]":
        """Return both kinds for up to 4 words."""
        every_roots: tuple[Roots, ...] = ("any", "one")
        return [cls(n, roots) for n in (1, 2, 3, 4) for roots in every_roots]

    @property
    def num_weights(self) -> int:
        """The number of entries of the weights, arcs and others."""
        return (self.n + 1) ** 2

    def weights(self, arc_scores: ArrayLike) -> Floats:
        """Return the log-weights for scores `(n + 1, n + 1)`: what is no arc (into 0, or h → h) becomes -inf."""
        scores = np.array(as_floats(arc_scores, "arc_scores", WeightError))
        if scores.shape != (self.n + 1, self.n + 1):
            raise WeightError(f"arc scores for n = {self.n} have shape {(self.n + 1,) * 2}, not {scores.shape}")
        scores[:, 0] = -np.inf
        np.fill_diagonal(scores, -np.inf)
        return self.check_weights(scores)

    def weight_name(self, index: int) -> str:
        """Return "arc h → m"."""
        head, modifier = divmod(index, self.n + 1)
        return f"arc {head} → {modifier}"

    def decode(self, derivation: "Derivation") -> NDArray[np.int64]:
        """Return (n + 1,): the head of each word, and -1 for the root itself."""
        heads = np.full(self.n + 1, -1)
        arc_heads, modifiers = np.divmod(derivation.weights, self.n + 1)
        heads[modifiers] = arc_heads
        return heads

    def weights_of(self, decoded: ArrayLike) -> NDArray[np.int64]:
        """Return (n,): the indices of the weights that a tree uses, given its heads (n + 1,).

        >>> from hypergraph.structures import ProjectiveTrees
        >>> ProjectiveTrees(2).weights_of([-1, 2, 0])
        array([7, 2])
        """
        heads = as_integers(decoded, "heads", WeightError)
        if heads.shape != (self.n + 1,) or (heads[1:] < 0).any() or (heads[1:] > self.n).any():
            raise WeightError(f"heads for n = {self.n} are {self.n + 1} positions up to {self.n}, not {heads}")
        if not self.contains(heads):
            raise WeightError(f"heads {heads} are none of the trees of {self.brief}")
        return np.asarray(heads[1:] * (self.n + 1) + np.arange(1, self.n + 1))

    def contains(self, heads: ArrayLike) -> bool:
        """Return whether heads (n + 1,), of which the first is not read, are one of the trees.

        Examples
        --------
        >>> from hypergraph.structures import NonprojectiveTrees, ProjectiveTrees
        >>> [trees.contains([-1, 3, 0, 2]) for trees in (ProjectiveTrees(3), NonprojectiveTrees(3))]
        [False, True]
        """
        array = as_integers(heads, "heads", WeightError)
        if array.shape != (self.n + 1,):
            raise WeightError(f"heads for n = {self.n} have shape {(self.n + 1,)}, not {array.shape}")
        return is_tree(array, one_root=has_one_root(self.roots)) and not (self.projective and has_crossing(array))

    def run(self, weights: Floats) -> ChartOfOne:
        """Sum over trees, without a hypergraph."""
        shape = (1, self.n + 1, self.n + 1)
        try:
            chart = self.run_batch(weights.reshape(shape))
        except ImpossibleError:
            raise self.impossible() from None
        return ChartOfOne(chart, lambda arrays: arrays[0].reshape(-1), lambda flat: (flat.reshape(shape),))

    def best(self, weights: ArrayLike) -> tuple[float, Any]:
        """Return the score of the best tree, and its heads (n + 1,) as `decode` gives them."""
        scores = self.check_weights(weights).reshape(1, self.n + 1, self.n + 1)
        try:
            best, heads = self.best_batch(scores)
        except ImpossibleError:
            raise self.impossible() from None
        return float(best[0]), heads[0]
