"""ℓ1 by proximal steps: lazy rows end where eager ones do, zeros are exact, the minimum is the objective's."""

import numpy as np
import pytest

from autodiff import Parameter, SparseAdjoint
from autodiff.optimizers import SGD, AdaGrad, Adam, Constant, InverseSquareRoot, StepDecay

SCHEDULES = [Constant(0.05), InverseSquareRoot(0.1, scale=3.0), StepDecay(0.2, factor=0.5, every=7)]
KINDS = {
    "SGD": lambda rate, l2: SGD(rate, l1=0.02, l2=l2),
    "AdaGrad": lambda rate, l2: AdaGrad(rate, l1=0.02, l2=l2, delta=0.5),
    "Adam": lambda rate, l2: Adam(rate, l1=0.02, weight_decay=l2),
}


def eager(kind: str, rate: float, l2: float, weights: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """One step without a gradient, as the definition has it."""
    if kind == "AdaGrad":
        metric = 0.5 + np.sqrt(squares)
        return np.sign(weights) * np.maximum(np.abs(metric * weights) - rate * 0.02, 0.0) / (metric + rate * l2)
    return np.sign(weights) * np.maximum(np.abs((1 - rate * l2) * weights) - rate * 0.02, 0.0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("l2", [0.0, 1e-9, 0.1])
@pytest.mark.parametrize("schedule", SCHEDULES, ids=lambda each: type(each).__name__)
def test_untouched_rows_catch_up_to_the_eager_steps(kind, l2, schedule):
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(40, 2)) * np.geomspace(1e-3, 1.0, 40)[:, None]
    parameters, optimizer = {"w": weights.copy()}, KINDS[kind](schedule, l2)
    gradient = rng.normal(size=(40, 2))
    optimizer.step(parameters, {"w": gradient})  # every row has its own metric
    expected = parameters["w"].copy()
    for step in range(1, 30):
        if step == 11:
            optimizer.catch_up(parameters, "w", np.arange(0, 40, 3))
        optimizer.step(parameters, {"w": SparseAdjoint([0], rng.normal(size=(1, 2)), (40, 2))})
        expected = eager(kind, schedule(step), l2, expected, gradient**2)
    optimizer.finish(parameters)
    np.testing.assert_allclose(parameters["w"][1:], expected[1:], rtol=1e-10, atol=1e-13)
    zeros = parameters["w"][1:] == 0
    assert zeros.any()
    assert not zeros.all()
    np.testing.assert_array_equal(zeros, expected[1:] == 0)


@pytest.mark.parametrize("kind", ["SGD", "AdaGrad"])
def test_the_minimum_is_that_of_the_lasso(kind):
    target, l1, l2 = np.array([2.0, 0.3, -0.1, -1.5]), 0.5, 0.25
    make = {"SGD": SGD, "AdaGrad": AdaGrad}[kind]
    parameters, optimizer = {"w": np.ones(4)}, make(0.3, l1=l1, l2=l2)
    for _ in range(2000):
        optimizer.step(parameters, {"w": parameters["w"] - target})
    minimum = np.sign(target) * np.maximum(np.abs(target) - l1, 0.0) / (1 + l2)
    np.testing.assert_allclose(parameters["w"], minimum, atol=1e-9)
    assert parameters["w"][1] == 0 == parameters["w"][2]


def test_momentum_takes_the_threshold_too():
    parameters, optimizer = {"w": np.ones(3)}, SGD(0.1, l1=1.0, momentum=0.5)
    for _ in range(300):
        optimizer.step(parameters, {"w": parameters["w"] - np.array([3.0, 0.5, -2.0])})
    np.testing.assert_allclose(parameters["w"], [2.0, 0.0, -1.0], atol=1e-9)


def test_without_l1_nothing_changes_and_old_states_restore():
    store = AdaGrad(0.1, l2=0.1).store({"w": Parameter("w", np.ones(3))})
    store.add("w", np.ones(3))
    store.step()
    state = store.state()
    description = bytes(state["description"]).decode().replace('"l1": 0.0, ', "")
    assert "l1" not in description
    store.restore({**state, "description": np.frombuffer(description.encode(), dtype=np.uint8)})


def test_a_resumed_run_misses_the_same_steps():
    runs = []
    for resumed in (False, True):
        store = SGD(InverseSquareRoot(0.1), l1=0.3).store({"w": Parameter("w", np.linspace(-1, 1, 8))})
        for step in range(12):
            if resumed and step == 6:
                state = store.state()
                store = SGD(InverseSquareRoot(0.1), l1=0.3).store({"w": Parameter("w", np.zeros(8))})
                store.restore(state)
            store.add("w", SparseAdjoint([step % 3], [0.1], (8,)))
            store.step()
        store.finish()
        runs.append(store.parameters["w"].value)
    np.testing.assert_array_equal(*runs)
