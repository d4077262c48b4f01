"""XOR-WITH-OUTPUT: the last says whether one of the others is true."""

import numpy as np

from autodiff.array_types import Booleans
from pgm.factors.exactly_one import ExactlyOne

__all__ = ["XorWithOutput"]


class XorWithOutput(ExactlyOne):
    """At most one of the inputs is true, and the output (the last variable) says whether one is.

    That is ExactlyOne of the inputs and the opposite of the output (it is not the parity of the inputs).  O(degree).

    References
    ----------
    Martins et al. 2010, Table 1 (XOR-WITH-OUTPUT).

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> graph = FactorGraph()
    >>> flows, path = graph.variables("flow", shape=(3,)), graph.variable("path")
    >>> factor = graph.add(XorWithOutput([*(flows[i] for i in range(3)), path]))
    >>> factor.score(np.array([[0, 1, 0, 1]])), factor.score(np.array([[1, 1, 0, 1]]))
    (array([0.]), array([-inf]))
    """

    def _own_negation(self) -> Booleans:
        return np.arange(self.degree) == self.degree - 1
