"""Depths of the nodes of a factor graph in breadth-first spanning trees."""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["depths", "factors_at", "variables_at"]


@kernel
def depths(edge_start, variables, roots, of_factor, of_variable):
    """Write the depth of every factor (even) and variable (odd); both hold -1 at first.

    The variables of factor f are variables[edge_start[f]:edge_start[f + 1]]; `roots` lists the factors in the order in
    which they may become roots: the first that is not yet reached does.
    """
    count = np.zeros(len(of_variable) + 1, dtype=np.int64)
    for edge in range(len(variables)):
        count[variables[edge] + 1] += 1
    start = np.cumsum(count)
    filled = start[:-1].copy()
    factors = np.empty(len(variables), dtype=np.int64)
    for factor in range(len(of_factor)):
        for edge in range(edge_start[factor], edge_start[factor + 1]):
            variable = variables[edge]
            factors[filled[variable]] = factor
            filled[variable] += 1
    queue = np.empty(len(of_factor), dtype=np.int64)
    for root in roots:
        if of_factor[root] >= 0:
            continue
        of_factor[root] = 0
        queue[0] = root
        first, last = 0, 1
        while first < last:
            factor = queue[first]
            first += 1
            for edge in range(edge_start[factor], edge_start[factor + 1]):
                variable = variables[edge]
                if of_variable[variable] >= 0:
                    continue
                of_variable[variable] = of_factor[factor] + 1
                for place in range(start[variable], start[variable + 1]):
                    other = factors[place]
                    if of_factor[other] < 0:
                        of_factor[other] = of_factor[factor] + 2
                        queue[last] = other
                        last += 1


@kernel
def factors_at(of_factor, depth):
    """Return the factors of a depth."""
    found = np.empty(len(of_factor), dtype=np.int64)
    count = 0
    for factor in range(len(of_factor)):
        if of_factor[factor] == depth:
            found[count] = factor
            count += 1
    return found[:count]


@kernel
def variables_at(of_variable, variables, depth):
    """Return which of the variables (F, D) of factors are of a depth, and how many."""
    found = np.empty(variables.shape, dtype=np.bool_)
    count = 0
    for f in range(variables.shape[0]):
        for d in range(variables.shape[1]):
            found[f, d] = of_variable[variables[f, d]] == depth
            count += found[f, d]
    return found, count
