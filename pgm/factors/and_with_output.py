"""AND-WITH-OUTPUT: the last says whether all of the others are true."""

import numpy as np

from autodiff.array_types import Booleans
from pgm.factors.or_with_output import OrWithOutput

__all__ = ["AndWithOutput"]


class AndWithOutput(OrWithOutput):
    """The output (the last variable) is true if and only if all inputs (the others) are.

    An OrWithOutput of opposites.  O(degree).

    References
    ----------
    Martins et al. 2010, Table 1: OR-WITH-OUTPUT with everything negated.

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> graph = FactorGraph()
    >>> parts, whole = graph.variables("part", shape=(2,)), graph.variable("whole")
    >>> factor = graph.add(AndWithOutput([parts[0], parts[1], whole]))
    >>> factor.score(np.array([[1, 1, 1]])), factor.score(np.array([[1, 0, 1]]))
    (array([0.]), array([-inf]))
    """

    def _own_negation(self) -> Booleans:
        return np.ones(self.degree, dtype=np.bool_)
