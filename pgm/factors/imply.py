"""IMPLY: premises and a conclusion."""

import numpy as np

from autodiff.array_types import Booleans
from pgm.factors.logical_or import Or

__all__ = ["Imply"]


class Imply(Or):
    """If all variables but the last are true, so is the last; with two variables, the first implies the second.

    An Or of the opposites of the premises and the conclusion.  O(degree).

    References
    ----------
    Martins et al. 2010, Table 1 (IMPLY).

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> graph = FactorGraph()
    >>> rain, wet = graph.variable("rain"), graph.variable("wet")
    >>> factor = graph.add(Imply([rain, wet]))
    >>> factor.score(np.array([[1, 0]])), factor.score(np.array([[0, 1]]))
    (array([-inf]), array([0.]))
    """

    def _own_negation(self) -> Booleans:
        return np.arange(self.degree) < self.degree - 1
