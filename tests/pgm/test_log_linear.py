"""Tables whose potentials are computed from parameters."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from autodiff import Parameter, SparseAdjoint
from autodiff.modules import Linear
from oracles.learning import loopy_graph, scorer
from pgm import BeliefPropagation, FactorGraph, PotentialError
from pgm.factors import ExactlyOne, LogLinear, Scored, Table


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def test_dense_and_sparse_features_are_the_same(rng):
    features = rng.normal(size=(3, 2, 2, 7)) * (rng.random((3, 2, 2, 7)) < 0.4)
    weights = Parameter("weights", rng.normal(size=7))
    x = FactorGraph().variables("x", 4)
    pairs = x[[[0, 1], [1, 2], [2, 3]]]
    dense = LogLinear(pairs, features, weights)
    rows = csr_array(features.reshape(-1, 7))
    adjoint = rng.normal(size=(3, 2, 2))
    expected = np.einsum("fabk,fab->k", features, adjoint)
    for sparse in (LogLinear(pairs, rows, weights), LogLinear(pairs, (rows.indices, rows.indptr, rows.data), weights)):
        np.testing.assert_allclose(sparse.log_potentials, dense.log_potentials, atol=1e-14)
        gradient = sparse.gradients(adjoint)["weights"]
        assert isinstance(gradient, SparseAdjoint)
        np.testing.assert_allclose(gradient.dense(), expected, atol=1e-14)
    np.testing.assert_allclose(dense.gradients(adjoint)["weights"], expected, atol=1e-14)


def test_shared_features_sum_over_factors(rng):
    weights = Parameter("weights", rng.normal(size=3))
    x = FactorGraph().variables("x", 4)
    features = rng.normal(size=(2, 2, 3))
    table = LogLinear(x[[[0, 1], [1, 2], [2, 3]]], features, weights)
    assert table.log_potentials.shape == (3, 2, 2)
    adjoint = rng.normal(size=(3, 2, 2))
    expected = np.einsum("abk,fab->k", features, adjoint)
    np.testing.assert_allclose(table.gradients(adjoint)["weights"], expected)


def test_refresh_follows_the_weights():
    graph, _ = loopy_graph()
    before = [family.potentials.copy() for family in graph.families if family.potentials is not None]
    table = graph.families[0]
    table.source.named_parameters()["shared"].value[:] *= 2.0
    for family in graph.families:
        family.refresh()
    np.testing.assert_allclose(table.log_potentials, 2 * before[0])
    np.testing.assert_array_equal(graph.families[3].log_potentials, before[3])


def test_impossible_entries_stay_impossible_and_have_no_gradient():
    graph, _ = loopy_graph()
    table = graph.families[2]
    assert table.log_potentials[0, 0, 2] == -np.inf
    adjoint = np.zeros((1, 2, 3))
    adjoint[0, 0, 2] = 1.0
    assert not table.gradients(adjoint)["hashed"].dense().any()


def test_a_shared_module_serves_many_families(rng):
    network = scorer(rng, 2, 3)
    x = FactorGraph().variables("x", 2, states=3)
    first = Scored([x[0]], network, np.array([[1.0, 2.0]]))
    second = Scored([x[1]], network, np.array([[-1.0, 0.5]]))
    alone = Scored([x[0]], scorer(np.random.default_rng(3), 2, 3), np.array([[1.0, 2.0]]))
    adjoint = np.array([[1.0, -0.5, 0.2]])
    for name, gradient in alone.gradients(adjoint).items():
        np.testing.assert_array_equal(first.gradients(adjoint)[name], gradient)
    assert (second.gradients(adjoint)["hidden"] != alone.gradients(adjoint)["hidden"]).any()


def test_inference_sees_a_table():
    """A graph with computed tables gives the same beliefs as one with their values, stacked with others or not."""
    graph, _ = loopy_graph()
    plain = FactorGraph()
    plain.variables("x", 4)
    plain.variables("y", 2, states=3)
    for family in graph.families:
        values = family.potentials
        plain.add(ExactlyOne(family.variables) if values is None else Table(family.variables, values))
    for schedule in ("parallel", "serial", "residual"):
        inference = BeliefPropagation(iterations=3, schedule=schedule)
        np.testing.assert_allclose(inference.run(graph).flat_beliefs, inference.run(plain).flat_beliefs, atol=1e-13)


def test_stacked_and_taken_families_have_no_source(rng):
    weights = Parameter("weights", rng.normal(size=2))
    table = LogLinear(np.arange(6).reshape(3, 2), rng.normal(size=(3, 2, 2, 2)), weights)
    for made in (LogLinear.stack([table, table]), table.take(np.array([0, 2]))):
        assert made.source is None


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (np.zeros((2, 2, 3)), "one for each of the 4"),
        (([0], [0, 1, 1]), "2 rows of features, but the table has 4 entries"),
        (np.zeros((3, 2, 4)), "do not fit"),
    ],
)
def test_wrong_features_are_refused(features, message):
    x = FactorGraph().variables("x", 2)
    with pytest.raises(PotentialError, match=message):
        LogLinear(x, features, Parameter("weights", np.zeros(4)))


def test_weights_are_a_parameter():
    x = FactorGraph().variable("x")
    with pytest.raises(PotentialError, match="Parameter"):
        LogLinear([x], np.zeros((2, 1)), np.zeros(1))


def test_two_parameters_of_one_name_are_refused():
    x = FactorGraph().variable("x")
    same = Parameter("w", np.zeros((1, 2))), Parameter("w", np.zeros(2))
    with pytest.raises(PotentialError, match="two parameters"):
        Scored([x], Linear(), np.zeros((1, 1)), *same)


def test_a_nan_from_a_scorer_is_refused():
    x = FactorGraph().variable("x")
    weights = Parameter("w", [0.0, 1.0])
    table = LogLinear([x], np.eye(2), weights, name="unary")
    weights.value[1] = np.nan
    with pytest.raises(PotentialError, match="unary"):
        table.refresh()
