"""NAND: not all are true."""

import numpy as np

from autodiff.array_types import Booleans
from pgm.factors.logical_or import Or

__all__ = ["Nand"]


class Nand(Or):
    """The variables are not all true; two of them exclude each other.

    An Or of opposites.  O(degree).

    References
    ----------
    Smith & Eisner 2008, §3.3 (NAND); Martins et al. 2010, Table 1.

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> graph = FactorGraph()
    >>> words = graph.variables("word", shape=(4,))
    >>> graph.add(Nand([words[:-1], words[1:]]))  # no two neighbours
    <Nand: 3 factors over 2 variables>
    """

    def _own_negation(self) -> Booleans:
        return np.ones(self.degree, dtype=np.bool_)
