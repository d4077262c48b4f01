"""The same input gives the same bytes."""

import numpy as np
import pytest

from hypergraph import InsideOutside, Marginals, kbest, marginals, sample, viterbi
from hypergraph.derivation import EdgeDerivation
from oracles import enumeration, random_weights, structure_classes

LARGEST = [max(kind.examples(), key=lambda s: len(enumeration(s))) for kind in structure_classes()]
by_structure = pytest.mark.parametrize("structure", LARGEST, ids=lambda s: type(s).__name__)


def place(derivation):
    """Return what tells a derivation from others."""
    return (derivation.edges if isinstance(derivation, EdgeDerivation) else derivation.weights).tobytes()


@by_structure
def test_samples_depend_on_the_seed_alone(structure):
    weights = random_weights(np.random.default_rng(0), structure.num_weights)

    def drawn(seed):
        return [place(derivation) for derivation in sample(structure, weights, 20, seed=seed)]

    assert drawn(7) == drawn(7)
    assert drawn(7) == drawn(np.random.default_rng(7))
    assert drawn(7) != drawn(8)
    rng = np.random.default_rng(7)
    assert drawn(rng) != drawn(rng)  # a generator goes on where it was


@by_structure
def test_the_same_weights_give_identical_bits(structure):
    weights = random_weights(np.random.default_rng(0), structure.num_weights, impossible=0.05)
    kept = weights.copy()
    first = marginals(structure, weights)
    assert first.tobytes() == marginals(structure, weights.copy()).tobytes()
    assert place(viterbi(structure, weights)) == place(viterbi(structure, weights))
    twice = [[place(d) for d in kbest(structure, weights, 5)] for _ in range(2)]
    assert twice[0] == twice[1]
    assert weights.tobytes() == kept.tobytes()  # and the input stays as it was


MODULES = [(s, kind) for s in LARGEST for kind in (Marginals, InsideOutside) if s.has_graph or kind is Marginals]


@pytest.mark.parametrize(("structure", "kind"), MODULES, ids=[f"{type(s).__name__}-{k.__name__}" for s, k in MODULES])
def test_backward_changes_nothing_that_was_returned(structure, kind):
    weights = random_weights(np.random.default_rng(0), structure.num_weights)
    module = kind(structure)
    outputs, backward = module.forward(weights)
    kept = [output.tobytes() for output in outputs]
    ones = [np.ones_like(output) for output in outputs]
    first = backward(*ones)[0].tobytes()
    outputs[1][:] = 5.0  # what the caller does with the output must not matter either
    assert backward(*ones)[0].tobytes() == first
    assert [output.tobytes() for output in module(weights)] == kept
