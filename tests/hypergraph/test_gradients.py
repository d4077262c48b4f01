"""The modules of this package against finite differences, on every structure."""

import numpy as np
import pytest

from autodiff import check_gradients
from hypergraph import InsideOutside, LogPartition, Marginals
from oracles import enumeration, random_hypergraphs, random_weights, small_instances

INSTANCES = small_instances()
MODULES = [LogPartition, Marginals, InsideOutside]
CASES = [(s, module) for s in INSTANCES for module in MODULES if s.has_graph or module is not InsideOutside]


def some_weights(structure, listed, impossible):
    """Return random weights; one object at random stays possible."""
    rng = np.random.default_rng(11)
    weights = random_weights(rng, structure.num_weights, impossible=impossible, spread=1.0)
    kept = list(listed.parts[rng.integers(len(listed))])
    weights[kept] = rng.normal(size=len(kept))
    return weights


@pytest.mark.parametrize("impossible", [0.0, 0.3], ids=["finite", "with zeros"])
@pytest.mark.parametrize(
    ("structure", "module"), CASES, ids=[f"{type(s).__name__}-{INSTANCES.index(s)}-{m.__name__}" for s, m in CASES]
)
def test_gradients(structure, module, impossible):
    weights = some_weights(structure, enumeration(structure), impossible)
    check_gradients(module(structure), weights, tolerance=1e-6).raise_if_failed()


@pytest.mark.parametrize("module", MODULES)
def test_gradients_on_random_hypergraphs(module):
    for graph in random_hypergraphs(20, seed=5):
        weights = random_weights(np.random.default_rng(2), graph.num_weights, spread=1.0)
        check_gradients(module(graph), weights, tolerance=1e-6).raise_if_failed()


@pytest.mark.parametrize("structure", [s for s in INSTANCES if s.has_graph and len(enumeration(s)) > 20][:4], ids=repr)
def test_adjoints_of_some_outputs_only(structure):
    """An output whose adjoint is None counts as one whose adjoint is zero."""
    weights = some_weights(structure, enumeration(structure), 0.3)
    rng = np.random.default_rng(1)
    outputs, backward = InsideOutside(structure).forward(weights)
    adjoints = [rng.normal(size=output.shape) for output in outputs]
    together = backward(*adjoints)[0]
    apart = [backward(*(adjoint if i == only else None for i, adjoint in enumerate(adjoints)))[0] for only in range(3)]
    np.testing.assert_allclose(sum(apart), together, atol=1e-12)
    covariance = enumeration(structure).covariance(weights)
    np.testing.assert_allclose(apart[1], covariance @ adjoints[1], atol=1e-11)


def test_the_shape_of_the_weights_comes_back():
    structure = next(s for s in INSTANCES if s.has_graph and s.num_weights == 16)
    weights = np.zeros((2, 8))
    for kind in MODULES:
        outputs, backward = kind(structure).forward(weights)
        ones = [np.ones_like(output) for output in (outputs if isinstance(outputs, tuple) else (outputs,))]
        assert backward(*ones)[0].shape == (2, 8)
