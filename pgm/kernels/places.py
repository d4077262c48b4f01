"""Where the variables of factors lie among the states of a graph.

Legend: `variables` (F, D); the states of variable v are start[v]:start[v + 1]; those of position d of a factor are
offsets[d]:offsets[d + 1] of its row of messages.
"""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["by_state", "places", "range_length", "repeated"]


_FEW = 32  # variables that are quicker compared with each other than sorted


@kernel
def repeated(variables):
    """Return the first factor that has a variable twice, or -1."""
    F, D = variables.shape
    for f in range(F):
        if D <= _FEW:
            for d in range(1, D):
                for e in range(d):
                    if variables[f, d] == variables[f, e]:
                        return f
        else:
            ordered = np.sort(variables[f])
            for d in range(1, D):
                if ordered[d] == ordered[d - 1]:
                    return f
    return -1


@kernel
def places(variables, start, offsets):
    """Return (F, W) the place of each entry of a message; the places that occur, ascending; (F, W) which of them."""
    F, D = variables.shape
    index, local = np.empty((F, offsets[D]), dtype=np.int64), np.empty((F, offsets[D]), dtype=np.int64)
    number = np.full(start[-1], -1)
    for f in range(F):
        for d in range(D):
            shift = start[variables[f, d]] - offsets[d]
            for w in range(offsets[d], offsets[d + 1]):
                index[f, w] = shift + w
                number[shift + w] = 0
    states = np.empty(len(number), dtype=np.int64)
    count = 0
    for state in range(len(number)):
        if number[state] == 0:
            number[state] = count
            states[count] = state
            count += 1
    for f in range(F):
        for w in range(offsets[D]):
            local[f, w] = number[index[f, w]]
    return index, states[:count].copy(), local


@kernel
def range_length(numbers):
    """Return how many of the numbers, from the first on, are 0, 1, 2, …"""
    length = 0
    while length < len(numbers) and numbers[length] == length:
        length += 1
    return length


@kernel
def by_state(states, num_states):
    """Return where the places of each state begin, and the places of `states` (entries,) sorted by state."""
    start = np.zeros(num_states + 1, dtype=np.int64)
    for p in range(len(states)):
        start[states[p] + 1] += 1
    for state in range(num_states):
        start[state + 1] += start[state]
    filled = start[:-1].copy()
    positions = np.empty(len(states), dtype=np.int64)
    for p in range(len(states)):
        positions[filled[states[p]]] = p
        filled[states[p]] += 1
    return start, positions
