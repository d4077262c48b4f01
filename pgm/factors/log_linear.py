"""Tables whose log-potentials are features times weights."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff import Backward, Module, Parameter, SparseAdjoint
from autodiff.array_types import Floats
from autodiff.conversion import as_floats
from autodiff.modules import SparseDot
from pgm.errors import PotentialError
from pgm.factors.scored import Scored
from pgm.factors.table import Table
from pgm.potential_source import PotentialSource
from pgm.variables import as_index, owner

__all__ = ["LogLinear"]


class LogLinear(Scored):
    """log ψ(y) = Σ_k f_k(y) θ_k, where any number of families in any number of graphs share the weights θ.

    Parameters
    ----------
    variables : as for `Table`
    features : dense, (factors, c_1, …, c_D, K), or without the first axis if all factors have the same.  Or sparse,
        with one row for each entry of the table in C order (factor, y_1, …, y_D), or for each (y_1, …, y_D) if all
        factors have the same: a tuple (indices, offsets) or (indices, offsets, values) as `autodiff.modules.SparseDot`
        takes it, or a sparse matrix of scipy.  An index may occur twice in a row, as hashed features do
    weights : (K,) the parameter.  Its gradient is a `SparseAdjoint` if the features are sparse
    possible : where False, the log-potential is -inf; broadcasts like the potentials

    Examples
    --------
    Two factors over one variable of two states; feature 0 is a bias for state 1, feature 1 a measurement:

    >>> from pgm import FactorGraph
    >>> weights = Parameter("weights", [0.5, 2.0])
    >>> pixels = FactorGraph().variables("pixel", 2)
    >>> table = LogLinear(pixels[[[0], [1]]], [[[0, 0], [1, 0.3]], [[0, 0], [1, -0.3]]], weights)
    >>> table.log_potentials
    array([[ 0. ,  1.1],
           [ 0. , -0.1]])
    >>> table.gradients(np.array([[0.0, 1.0], [0.0, 1.0]]))
    {'weights': array([2., 0.])}

    The same with sparse features, in a table of a million weights:

    >>> hashed = Parameter("hashed", np.zeros(1_000_000))
    >>> indices, offsets, values = [7, 123_456, 7, 123_456], [0, 0, 2, 2, 4], [1, 0.3, 1, -0.3]
    >>> table = LogLinear(pixels[[[0], [1]]], (indices, offsets, values), hashed)
    >>> gradient = table.gradients(np.array([[0.0, 1.0], [0.0, 1.0]]))["hashed"].coalesced()
    >>> gradient.indices, gradient.values
    (array([     7, 123456]), array([2., 0.]))
    """

    def __init__(
        self,
        variables: Any,
        features: Any,
        weights: Parameter,
        *,
        possible: ArrayLike | None = None,
        name: str | None = None,
    ) -> None:
        name = name or type(self).__name__
        if not isinstance(weights, Parameter) or weights.value.ndim != 1:
            raise PotentialError(f"{name}: weights is an autodiff.Parameter with a vector for its value")
        reads = {}
        module: Module
        if not isinstance(features, tuple | list | np.ndarray):
            from scipy.sparse import issparse

            if issparse(features):
                rows = features.tocsr()
                features = (rows.indices, rows.indptr, rows.data)
        if isinstance(features, tuple):
            module = SparseFeatures(name, variables, *(np.asarray(part) for part in features))
            reads = {weights.name: module.indices}
        else:
            module = DenseFeatures(name, features, len(weights.value))
        self._compute(variables, PotentialSource(module, [weights], possible=possible, reads=reads), name)

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable["Table"]:
        """Yield dense and sparse features, of each factor and shared."""
        weights = Parameter("weights", rng.normal(size=5))
        pairs = np.arange(4).reshape(2, 2)
        yield cls(pairs, rng.normal(size=(2, 3, 2, 5)), weights)
        yield cls(pairs, rng.normal(size=(2, 2, 5)), weights, possible=[[True, False], [True, True]])
        indices, offsets = rng.integers(5, size=12), np.array([0, 2, 4, 4, 5, 8, 9, 11, 12])
        yield cls(pairs, (indices, offsets, rng.normal(size=12)), weights)
        yield cls(pairs, (indices[:4], offsets[:5].clip(max=4)), weights)


class DenseFeatures(Module):
    """weights (K,) → features (…, K) · weights."""

    def __init__(self, name: str, features: Any, length: int) -> None:
        self.features = as_floats(features, f"{name}: features", PotentialError)
        if self.features.shape[-1:] != (length,):
            raise PotentialError(
                f"{name}: the last axis of the features, of shape {self.features.shape}, is one for "
                f"each of the {length} weights"
            )

    def forward(self, weights: Floats) -> tuple[Floats, Backward]:
        """Return the scores."""

        def backward(adjoint: Floats) -> tuple[Floats]:
            """Return Σ adjoint · features: expected counts, if the adjoint is probabilities."""
            return (np.asarray(adjoint).ravel() @ self.features.reshape(-1, self.features.shape[-1]),)

        return np.asarray(self.features @ weights), backward


class SparseFeatures(Module):
    """weights (K,) → scores (factors, c_1, …, c_D) or (c_1, …, c_D), from a sparse row for each."""

    def __init__(self, name: str, variables: Any, indices: Any, offsets: Any, values: Any = None) -> None:
        self.indices, self.offsets, self.values = indices, offsets, values
        if np.ndim(offsets) != 1:
            raise PotentialError(f"{name}: offsets are (rows + 1,), not of shape {np.shape(offsets)}")
        index, graph = as_index(variables), owner(variables)
        states = (2,) * index.shape[1] if graph is None else tuple(graph.cardinalities[index[0]].tolist())
        rows = len(offsets) - 1
        shapes = ((len(index), *states), states)
        self.shape = next((shape for shape in shapes if np.prod(shape) == rows), ())
        if not self.shape:
            raise PotentialError(
                f"{name}: {rows} rows of features, but the table has {np.prod(shapes[0])} entries "
                f"(or {np.prod(states)} if all {len(index)} factors share their features)"
            )

    def forward(self, weights: Floats) -> tuple[Floats, Backward]:
        """Return the scores."""
        extra = () if self.values is None else (self.values,)
        scores, dot_backward = SparseDot().forward(weights, self.indices, self.offsets, *extra)

        def backward(adjoint: Floats) -> tuple[SparseAdjoint]:
            """Return the sparse adjoint of the weights."""
            of_weights, *_ = dot_backward(np.asarray(adjoint).ravel())
            return (of_weights,)

        return scores.reshape(self.shape), backward
