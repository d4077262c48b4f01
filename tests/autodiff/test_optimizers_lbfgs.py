"""Batch L-BFGS on convex problems with known answers, and how it ends otherwise."""

import numpy as np
import pytest

from autodiff.optimizers import DivergenceError, GradientError, NonFiniteGradientError, minimize_lbfgs
from autodiff.sparse import SparseAdjoint


def logistic_regression(seed=0):
    generator = np.random.default_rng(seed)
    features = generator.normal(size=(200, 5))
    labels = np.where(features @ generator.normal(size=5) + 0.3 + generator.normal(size=200) > 0, 1.0, -1.0)

    def objective(parameters):
        margins = labels * (features @ parameters["weights"] + parameters["bias"])
        slope = -labels / (1 + np.exp(margins)) / len(labels)
        value = float(np.logaddexp(0, -margins).mean())
        return value, {"weights": features.T @ slope, "bias": np.array(slope.sum())}

    return objective, {"weights": np.zeros(5), "bias": np.zeros(())}


def test_logistic_regression_reaches_the_tolerance():
    objective, parameters = logistic_regression()
    start, arrays = objective(parameters)[0], dict(parameters)
    result = minimize_lbfgs(objective, parameters, l2=0.1, gradient_tolerance=1e-7)
    value, gradients = objective(parameters)
    norm = max(np.abs(gradients[name] + 0.1 * parameters[name]).max() for name in parameters)
    assert result.converged
    assert norm < 1e-6
    assert result.gradient_norm == pytest.approx(norm, abs=1e-12)
    penalty = 0.05 * sum(float((array**2).sum()) for array in parameters.values())
    assert result.value == pytest.approx(value + penalty, rel=1e-12)
    assert value < start
    assert all(arrays[name] is parameters[name] for name in arrays)
    assert 0 < result.iterations <= result.evaluations


def test_a_quadratic_in_several_shapes_has_its_closed_form_minimum():
    generator = np.random.default_rng(1)
    shapes = {"matrix": (3, 2), "vector": (4,), "scalar": ()}
    targets = {name: np.array(generator.normal(size=shape)) for name, shape in shapes.items()}
    parameters = {name: np.zeros(shape) for name, shape in shapes.items()}

    def objective(parameters):
        differences = {name: parameters[name] - targets[name] for name in targets}
        return sum(float((each**2).sum()) / 2 for each in differences.values()), differences

    assert minimize_lbfgs(objective, parameters, l2=1.0).converged
    for name, target in targets.items():
        np.testing.assert_allclose(parameters[name], target / 2, atol=1e-6)


def test_sparse_and_missing_gradients_are_taken():
    parameters = {"w": np.ones(4), "unused": np.ones(2)}

    def objective(parameters):
        difference = parameters["w"][2] - 3.0
        return float(difference**2), {"w": SparseAdjoint([2, 2], [difference, difference], (4,))}

    assert minimize_lbfgs(objective, parameters).converged
    np.testing.assert_allclose(parameters["w"], [1, 1, 3, 1], atol=1e-6)
    np.testing.assert_array_equal(parameters["unused"], 1.0)


def test_the_iteration_limit_is_not_called_convergence():
    def rosenbrock(parameters):
        x, y = parameters["w"]
        gradient = np.array([-400 * x * (y - x**2) - 2 * (1 - x), 200 * (y - x**2)])
        return float(100 * (y - x**2) ** 2 + (1 - x) ** 2), {"w": gradient}

    parameters = {"w": np.array([-1.2, 1.0])}
    result = minimize_lbfgs(rosenbrock, parameters, maximum_iterations=3)
    assert not result.converged
    assert result.iterations == 3
    assert "LIMIT" in result.message
    assert minimize_lbfgs(rosenbrock, parameters).converged
    np.testing.assert_allclose(parameters["w"], 1.0, atol=1e-5)


def test_a_value_that_falls_no_further_is_not_called_convergence():
    """The gradient points uphill: no step helps, though its norm is far above the tolerance."""

    def misled(parameters):
        return float((parameters["w"] ** 2).sum()), {"w": -2 * parameters["w"]}

    parameters = {"w": np.array([1.0, 2.0])}
    result = minimize_lbfgs(misled, parameters)
    assert not result.converged
    assert result.gradient_norm == 4.0
    assert result.value == 5.0
    np.testing.assert_array_equal(parameters["w"], [1.0, 2.0])
    assert minimize_lbfgs(misled, parameters, value_tolerance=1e-9).converged


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_non_finite_objective_is_an_error_and_restores_the_start(value):
    parameters, calls = {"w": np.array([1.0, 2.0])}, []

    def objective(parameters):
        calls.append(1)
        return (value if len(calls) > 1 else 1.0), {"w": parameters["w"].copy()}

    with pytest.raises(DivergenceError, match="finite"):
        minimize_lbfgs(objective, parameters)
    assert len(calls) > 1
    np.testing.assert_array_equal(parameters["w"], [1.0, 2.0])


@pytest.mark.parametrize(
    ("gradients", "error"),
    [
        ({"w": np.array([np.nan, 0.0])}, NonFiniteGradientError),
        ({"w": np.zeros(3)}, GradientError),
        ({"v": np.zeros(2)}, GradientError),
    ],
)
def test_bad_gradients_are_refused(gradients, error):
    with pytest.raises(error):
        minimize_lbfgs(lambda parameters: (0.0, gradients), {"w": np.zeros(2)})
