"""Marginals of a linear chain with shared transitions: the kernel, the generic engine and hmmlearn."""

import numpy as np

from bench.timing import Table, milliseconds, race
from hypergraph.inside_outside import InsideOutsideChart
from hypergraph.structures import LinearChain

__all__ = ["run"]


def run(length: int = 100, states: int = 50) -> None:
    rng = np.random.default_rng(0)
    transitions = rng.dirichlet(np.ones(states), size=states)
    initial = rng.dirichlet(np.ones(states))
    emission = rng.random((length, states))
    chain = LinearChain(length, states, shared_transitions=True)
    weights = chain.weights(np.log(emission), np.log(transitions), initial=np.log(initial))
    chain.graph  # noqa: B018 - built outside the clock
    np.testing.assert_allclose(
        chain.run(weights).weight_marginals, InsideOutsideChart.run(chain, weights).weight_marginals, atol=1e-10
    )
    candidates = {
        "kernel, unary and transition marginals": lambda: chain.run(weights).weight_marginals,
        "generic engine": lambda: InsideOutsideChart.run(chain, weights).weight_marginals,
    }
    other = _hmmlearn(initial, transitions, emission)
    if other:
        candidates["hmmlearn, scaling, state posteriors only"] = other
    best = race(candidates)
    table = Table("what", "time", "over the kernel")
    for name, seconds in best.items():
        table.add(name, milliseconds(seconds), f"{seconds / next(iter(best.values())):.2f}")
    print(f"Chain marginals, T = {length}, K = {states}{'' if other else ' (hmmlearn is not installed)'}")
    print(table, end="\n\n")


def _hmmlearn(initial: np.ndarray, transitions: np.ndarray, emission: np.ndarray):
    try:
        from hmmlearn import _hmmc
    except ImportError:
        return None

    def run():
        _, forward, scaling = _hmmc.forward_scaling(initial, transitions, emission)
        backward = _hmmc.backward_scaling(initial, transitions, emission, scaling)
        posteriors = forward * backward
        return posteriors / posteriors.sum(axis=1, keepdims=True)

    return run
