"""What the projective trees of higher order share: one weight for each dependency *in its context*.

Legend: a dependency h → m with g, the head of h, and s, the next-inner sibling of m: the nearest child of h between h
and m.  Where h = 0 (the root), g = 0; where m is the innermost child on its side, s = h.
"""

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from attrs import field, frozen
from attrs.validators import ge
from numpy.typing import ArrayLike, NDArray

from autodiff.conversion import as_floats, as_integers
from autodiff.validators import one_of
from hypergraph.arrays import as_flat_adjoint
from hypergraph.errors import WeightError
from hypergraph.roots import Roots
from hypergraph.structure import Structure, as_size
from hypergraph.structures.projective_trees import ProjectiveTrees

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hypergraph.derivation import Derivation

__all__ = ["HigherOrderTrees", "Node", "grandparent_parts", "half", "sibling_parts", "spans"]

Node = tuple[str | int, ...]


@frozen
class HigherOrderTrees(Structure):
    """Projective trees over `n` words with weights (n + 1, …, n + 1), indexed by the letters of `axes`."""

    axes: ClassVar[str]
    """What indexes the weights: "hms", "ghm" or "ghms"."""

    n: int = field(converter=as_size, validator=ge(1))
    roots: Roots = field(default="any", validator=one_of("any", "one"))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the weights."""
        return (self.n + 1,) * len(self.axes)

    @property
    def num_weights(self) -> int:
        """The number of entries of the weights, parts and others."""
        return (self.n + 1) ** len(self.axes)

    @property
    @abstractmethod
    def parts(self) -> NDArray[np.bool_]:
        """Which entries of the weights are parts of some tree; in the shape of the weights."""

    def arc_marginals(self, marginals: ArrayLike) -> NDArray[np.float64]:
        """Return (n + 1, n + 1): the probability of each arc h → m, from the marginals of the weights."""
        context = tuple(axis for axis, letter in enumerate(self.axes) if letter not in "hm")
        return as_flat_adjoint(marginals, self.num_weights, "marginals").reshape(self.shape).sum(axis=context)

    def weight_name(self, index: int) -> str:
        """Return "arc h → m" and its context."""
        at = dict(zip(self.axes, (int(i) for i in np.unravel_index(index, self.shape)), strict=True))
        name = f"arc {at['h']} → {at['m']}"
        if "g" in at:
            name += f", grandparent {at['g']}"
        if "s" in at:
            name += f", inner sibling {at['s'] if at['s'] != at['h'] else 'none'}"
        return name

    def decode(self, derivation: "Derivation") -> NDArray[np.int64]:
        """Return (n + 1,): the head of each word, and -1 for the root itself."""
        heads = np.full(self.n + 1, -1)
        at = dict(zip(self.axes, np.unravel_index(derivation.weights, self.shape), strict=True))
        heads[at["m"]] = at["h"]
        return heads

    def weights_of(self, decoded: ArrayLike) -> NDArray[np.int64]:
        """Return (n,): the indices of the weights that a tree uses, given its heads (n + 1,).

        >>> from hypergraph.structures import SiblingTrees
        >>> SiblingTrees(2).weights_of([-1, 0, 0])  # the root has word 1, and then word 2 with the sibling 1
        array([3, 7])
        """
        heads = as_integers(decoded, "heads", WeightError)
        if not ProjectiveTrees(self.n, self.roots).contains(heads):
            raise WeightError(f"heads {heads} are none of the trees of {self.brief}")
        found = []
        for m, h in enumerate(heads.tolist()[1:], start=1):
            nearer = [s for s in range(min(h, m) + 1, max(h, m)) if heads[s] == h]
            s = h if not nearer else nearer[-1 if h < m else 0]
            found.append(self._at(g=max(int(heads[h]), 0) if h else 0, h=h, m=m, s=s))
        return np.array(found, dtype=np.int64)

    def _sum_of(self, **terms: tuple[str, ArrayLike | None]) -> NDArray[np.float64]:
        """Return log-weights, the sum of arrays by name, each over some of the axes; -inf for what is no part."""
        total = np.zeros(self.shape)
        with np.errstate(invalid="ignore"):  # -inf + inf is a NaN, which check_weights names
            for name, (axes, values) in terms.items():
                if values is None:
                    continue
                array = as_floats(values, name, WeightError)
                if array.shape != (self.n + 1,) * len(axes):
                    shape = (self.n + 1,) * len(axes)
                    raise WeightError(f"{name} for n = {self.n} have shape {shape}, not {array.shape}")
                total += np.expand_dims(array, [a for a, letter in enumerate(self.axes) if letter not in axes])
        total[~self.parts] = -np.inf
        return self.check_weights(total)

    def _at(self, **position: int) -> int:
        """Return the flat index of the weight at [g, h, m, s], whichever of them are axes."""
        index = 0
        for letter in self.axes:
            index = index * (self.n + 1) + position[letter]
        return index


def half(*node: int) -> list[Node]:
    """Return the tails for one side of a word h up to e, (…, h, e): none if that side is empty."""
    return [("complete", *node)] if node[-1] != node[-2] else []


def spans(first: int, last: int) -> "Iterator[tuple[int, int]]":
    """Yield i < j in first … last, narrow before wide, so that what is built comes after what it is built from."""
    for width in range(1, last - first + 1):
        for i in range(first, last - width + 1):
            yield i, i + width


def sibling_parts(n: int, roots: str) -> NDArray[np.bool_]:
    """Return (h, m, s): where s lies between h and m (or is h, for none), for as many roots as allowed."""
    h, m, s = np.ogrid[: n + 1, : n + 1, : n + 1]
    between = (np.minimum(h, m) < s) & (s < np.maximum(h, m))
    allowed = (m > 0) & (m != h) & ((s == h) | between)
    return allowed if roots == "any" else allowed & ((h > 0) | (s == 0))


def grandparent_parts(n: int) -> NDArray[np.bool_]:
    """Return (g, h, m): where g lies outside of h … m, and is the root only above a word or the root itself."""
    g, h, m = np.ogrid[: n + 1, : n + 1, : n + 1]
    outside = (g < np.minimum(h, m)) | (g > np.maximum(h, m))
    return (m > 0) & (m != h) & np.where(h == 0, g == 0, outside)
