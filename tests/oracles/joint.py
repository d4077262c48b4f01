"""The joint distribution of a small factor graph, as one array: knows of factors only their scores."""

import itertools

import numpy as np

__all__ = ["joint_log", "marginals_of"]


def joint_log(graph, evidence=None) -> np.ndarray:
    """Return log Π ψ as an array with an axis for each variable."""
    cards = graph.cardinalities.tolist()
    joint = np.zeros(cards)
    for family in graph.families:
        assignments = list(itertools.product(*map(range, family.cardinalities)))
        for row in range(family.num_factors):
            table = np.array([_score(family, row, y) for y in assignments]).reshape(family.cardinalities)
            order = np.argsort(family.variables[row])
            shape = [1] * len(cards)
            for d in order:
                shape[family.variables[row, d]] = cards[family.variables[row, d]]
            joint = joint + table.transpose(order).reshape(shape)
    for variable, state in (evidence or {}).items():
        allowed = np.full(cards[variable], -np.inf)
        allowed[state] = 0.0
        joint = joint + allowed.reshape([-1 if v == variable else 1 for v in range(len(cards))])
    return joint


def _score(family, row, y) -> float:
    return family.score(np.tile(np.array(y), (family.num_factors, 1)))[row]


def marginals_of(joint: np.ndarray) -> tuple[float, list[np.ndarray]]:
    """Return log Z and the marginals of all variables; -inf and nothing if nothing is possible."""
    top = joint.max()
    if top == -np.inf:
        return -np.inf, []
    weights = np.exp(joint - top)
    total = weights.sum()
    axes = range(joint.ndim)
    return float(top + np.log(total)), [weights.sum(axis=tuple(a for a in axes if a != v)) / total for v in axes]
