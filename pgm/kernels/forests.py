"""Random forests in a factor graph: sets of factors that close no cycle.

Legend: the variables of factor f are variables[edge_start[f]:edge_start[f + 1]]; `parent` (variables,) the union-find
forest of what is joined.
"""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["grow"]


@kernel
def grow(edge_start, variables, order, num_variables, chosen):
    """Go through factors in an order, and write which ones are chosen: those whose variables are not joined yet."""
    parent = np.arange(num_variables)
    chosen[:] = False
    for o in range(len(order)):
        f = order[o]
        first, last = edge_start[f], edge_start[f + 1]
        closes = False
        for e in range(first + 1, last):
            root = _root(parent, variables[e])
            for other in range(first, e):
                if _root(parent, variables[other]) == root:
                    closes = True
                    break
            if closes:
                break
        if not closes:
            chosen[f] = True
            for e in range(first + 1, last):
                parent[_root(parent, variables[e])] = _root(parent, variables[first])


@kernel
def _root(parent, variable):
    while parent[variable] != variable:
        parent[variable] = parent[parent[variable]]
        variable = parent[variable]
    return variable
