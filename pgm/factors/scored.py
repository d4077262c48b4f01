"""Tables whose log-potentials come from a module."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff import Module, Parameter
from autodiff.modules import Linear
from pgm.factors.table import Table
from pgm.potential_source import PotentialSource

__all__ = ["Scored"]


class Scored(Table):
    """A table whose log-potentials are the output of any module: a neural scorer, or one linear layer.

    The potentials are computed here, and again whenever they are asked for after a parameter has changed.  For
    inference it is a table like any other.

    Parameters
    ----------
    variables : as for `Table`
    module : its output is (factors, c_1, …, c_D), or broadcasts to that
    inputs : of the module; those that are an `autodiff.Parameter` are learned, as are the parameters of a `Circuit`
    possible : where False, the log-potential is -inf; broadcasts like the potentials

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> tags = FactorGraph().variables("tag", 2, ["noun", "verb"])
    >>> weights, bias = Parameter("weights", np.eye(2)), Parameter("bias", [0.0, 0.5])
    >>> table = Scored(tags[[[0], [1]]], Linear(), [[1.0, 0.0], [2.0, 2.0]], weights, bias)
    >>> table.log_potentials
    array([[1. , 0.5],
           [2. , 2.5]])
    >>> bias.value[:] = 0.0
    >>> table.log_potentials
    array([[1., 0.],
           [2., 2.]])
    """

    source: PotentialSource | None

    def __init__(
        self,
        variables: Any,
        module: Module,
        *inputs: Any,
        possible: ArrayLike | None = None,
        name: str | None = None,
    ) -> None:
        self._compute(variables, PotentialSource(module, inputs, possible=possible), name)

    def _compute(self, variables: Any, source: PotentialSource, name: str | None) -> None:
        super().__init__(variables, source, name=name)

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable["Table"]:
        """Yield linear scorers of single variables and, all factors alike, of pairs."""
        weights, bias = Parameter("weights", rng.normal(size=(4, 3))), Parameter("bias", rng.normal(size=3))
        yield cls(np.array([[0], [1]]), Linear(), rng.normal(size=(2, 4)), weights, bias)
        possible = [[True, True, False], [True, True, True]]
        yield cls(np.arange(4).reshape(2, 2), Linear(), rng.normal(size=(2, 4)), weights, bias, possible=possible)
