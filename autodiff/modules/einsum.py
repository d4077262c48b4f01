"""Sums of products over named axes."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats
from autodiff.errors import DomainError
from autodiff.module import Backward, Module

__all__ = ["Einsum"]


class Einsum(Module):
    """`numpy.einsum` for any number of operands, without ellipsis: `Einsum("bi,ij,bj->b")`.

    The adjoint of an operand is again an einsum, of the output's adjoint and the other operands.  A letter
    that occurs in no other operand nor in the output was summed out alone, so the adjoint is constant along
    it; a letter that occurs twice in the operand took a diagonal, so the adjoint lies on that diagonal.

    Examples
    --------
    >>> output, backward = Einsum("ij,j->i").forward([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0])
    >>> output
    array([3., 7.])
    >>> backward(np.array([1.0, 0.0]))
    (array([[1., 1.],
           [0., 0.]]), array([1., 2.]))
    """

    def __init__(self, subscripts: str) -> None:
        self.subscripts = subscripts
        left, arrow, output = subscripts.replace(" ", "").partition("->")
        if not set(left + output) <= set(_LETTERS + ","):
            raise DomainError(f"Einsum: {subscripts!r} may have letters, commas and '->' only; spell out every axis")
        if not arrow:
            output = "".join(sorted(letter for letter in set(left) - {","} if left.count(letter) == 1))
        self._operands = left.split(",")
        self._output = output

    def __repr__(self) -> str:
        return f"Einsum({self.subscripts!r})"

    def forward(self, *operands: ArrayLike) -> tuple[Array, Backward]:
        """Return the einsum of the operands."""
        arrays = tuple(as_floats(operand) for operand in operands)
        sizes = self._sizes(arrays)

        def backward(adjoint: Array) -> tuple[Array, ...]:
            """Return one einsum of the adjoint and the other operands for each operand."""
            return tuple(self._adjoint_of(k, as_floats(adjoint), arrays, sizes) for k in range(len(arrays)))

        return as_floats(np.einsum(f"{','.join(self._operands)}->{self._output}", *arrays, optimize=True)), backward

    def _adjoint_of(self, k: int, adjoint: Array, arrays: tuple[Array, ...], sizes: dict[str, int]) -> Array:
        letters = "".join(dict.fromkeys(self._operands[k]))
        others = [subscript for position, subscript in enumerate(self._operands) if position != k]
        known = set(self._output).union(*others)
        kept = "".join(letter for letter in letters if letter in known)
        rest = [array for position, array in enumerate(arrays) if position != k]
        result = np.einsum(f"{','.join([self._output, *others])}->{kept}", adjoint, *rest, optimize=True)
        stretched = np.expand_dims(result, [i for i, letter in enumerate(letters) if letter not in known])
        stretched = np.broadcast_to(stretched, [sizes[letter] for letter in letters])
        if len(letters) == len(self._operands[k]):
            return stretched.copy()
        placed = np.zeros(arrays[k].shape)
        grid = np.ix_(*(np.arange(sizes[letter]) for letter in letters))
        placed[tuple(grid[letters.index(letter)] for letter in self._operands[k])] = stretched
        return placed

    def _sizes(self, arrays: tuple[Array, ...]) -> dict[str, int]:
        shapes = [array.shape for array in arrays]
        if [len(shape) for shape in shapes] != [len(operand) for operand in self._operands]:
            raise DomainError(f"{self!r}: operands of shapes {shapes} do not have the axes that the subscripts name")
        sizes: dict[str, int] = {}
        for operand, shape in zip(self._operands, shapes, strict=True):
            for letter, size in zip(operand, shape, strict=True):
                if sizes.setdefault(letter, size) != size:
                    raise DomainError(
                        f"{self!r}: axis {letter!r} has sizes {sizes[letter]} and {size}; make them equal"
                    )
        return sizes

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield products, sums, traces, diagonals, and letters summed out alone."""
        sizes = {"i": 2, "j": 3, "k": 2, "b": 2}
        for subscripts in [
            "ij,jk->ik",
            "ij,jk",
            "bi,ij,bj->b",
            "ij,k->k",
            "ij->",
            "ii->i",
            "ii,ij->j",
            "iij,j->i",
            "i,j->ji",
            "->",
        ]:
            operands = subscripts.partition("->")[0].split(",")
            yield (
                cls(subscripts),
                tuple(rng.normal(size=[sizes[letter] for letter in name]) for name in operands),
            )


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
