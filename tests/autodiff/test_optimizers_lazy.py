"""Lazy updates on sparse gradients equal the eager rule, written out here in full, to 1e-12."""

import numpy as np
import pytest

from autodiff.optimizers import (
    SGD,
    AdaGrad,
    Adam,
    Constant,
    ExponentialDecay,
    InverseDecay,
    InverseSquareRoot,
    StepDecay,
    WarmupDecay,
)
from autodiff.sparse import SparseAdjoint

SCHEDULES = [
    Constant(0.3),
    InverseDecay(0.5, decay=0.3),
    InverseSquareRoot(0.4),
    StepDecay(0.5, factor=0.3, every=17),
    ExponentialDecay(0.4, factor=0.98),
    ExponentialDecay(0.01, factor=1.03),
    WarmupDecay(0.5, warmup=20, total=100),
]
ROWS = 12


def stream(seed, *, steps, shape=(ROWS,)):
    """Gradients with repeated indices; rows 0 and 1 are never touched, row 2 only at first."""
    generator = np.random.default_rng(seed)
    for step in range(steps):
        count = int(generator.integers(0, 6))
        indices = generator.integers(3, shape[0], size=count)
        if count > 1:
            indices[0] = indices[1]
        if step == 0:
            indices = np.append(indices, 2)
        yield SparseAdjoint(indices, generator.normal(size=(len(indices), *shape[1:])), shape)


def dense_of(gradient):
    dense = np.zeros(gradient.shape)
    for index, value in zip(gradient.indices, gradient.values, strict=True):
        dense[index] += value
    return dense


def eager_adagrad(weights, gradients, schedule, l2, delta):
    squares = np.zeros_like(weights)
    for step, gradient in enumerate(gradients):
        rate, dense = schedule(step), dense_of(gradient)
        squares = squares + dense**2
        metric = delta + np.sqrt(squares)
        weights = (metric * weights - rate * dense) / (rate * l2 + metric)
    return weights


def eager_sgd(weights, gradients, schedule, l2):
    for step, gradient in enumerate(gradients):
        weights = weights - schedule(step) * (dense_of(gradient) + l2 * weights)
    return weights


def eager_adam(weights, gradients, schedule, weight_decay, first_decay=0.9, second_decay=0.999):
    """Each row is an Adam of its own on the steps that touch it; all rows decay in every step."""
    weights = weights.copy()
    first, second, touches = np.zeros_like(weights), np.zeros_like(weights), np.zeros(len(weights))
    for step, gradient in enumerate(gradients):
        rate, dense = schedule(step), dense_of(gradient)
        weights *= 1 - rate * weight_decay
        for row in set(gradient.indices.tolist()):
            touches[row] += 1
            first[row] = first_decay * first[row] + (1 - first_decay) * dense[row]
            second[row] = second_decay * second[row] + (1 - second_decay) * dense[row] ** 2
            first_hat = first[row] / (1 - first_decay ** touches[row])
            second_hat = second[row] / (1 - second_decay ** touches[row])
            weights[row] -= rate * first_hat / (np.sqrt(second_hat) + 1e-8)
    return weights


def run(optimizer, start, gradients):
    parameters = {"w": start.copy()}
    for gradient in gradients:
        optimizer.step(parameters, {"w": gradient})
    return parameters


def assert_equal(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
@pytest.mark.parametrize("l2", [0.0, 0.01, 1.0])
@pytest.mark.parametrize("shape", [(ROWS,), (ROWS, 3)])
def test_lazy_adagrad_is_eager_adagrad(schedule, l2, shape):
    start = np.random.default_rng(1).normal(size=shape)
    gradients = list(stream(2, steps=120, shape=shape))
    optimizer = AdaGrad(schedule, l2=l2, delta=0.5)
    parameters = run(optimizer, start, gradients)
    optimizer.finish(parameters)
    assert_equal(parameters["w"], eager_adagrad(start, gradients, schedule, l2, 0.5))


@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
@pytest.mark.parametrize("l2", [0.0, 0.05, 0.9])
@pytest.mark.parametrize("shape", [(ROWS,), (ROWS, 3)])
def test_lazy_sgd_is_eager_sgd(schedule, l2, shape):
    start = np.random.default_rng(1).normal(size=shape)
    gradients = list(stream(3, steps=120, shape=shape))
    optimizer = SGD(schedule, l2=l2)
    parameters = run(optimizer, start, gradients)
    optimizer.finish(parameters)
    assert_equal(parameters["w"], eager_sgd(start, gradients, schedule, l2))


@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
@pytest.mark.parametrize("shape", [(ROWS,), (ROWS, 3)])
def test_sparse_adam_is_one_adam_for_each_row(schedule, weight_decay, shape):
    start = np.random.default_rng(1).normal(size=shape)
    gradients = list(stream(4, steps=120, shape=shape))
    optimizer = Adam(schedule, weight_decay=weight_decay)
    parameters = run(optimizer, start, gradients)
    optimizer.finish(parameters)
    assert_equal(parameters["w"], eager_adam(start, gradients, schedule, weight_decay))


def test_dense_adam_is_the_textbook_adam():
    generator = np.random.default_rng(5)
    weights = generator.normal(size=4)
    parameters, optimizer = {"w": weights.copy()}, Adam(0.1, first_decay=0.8, second_decay=0.9)
    first = second = np.zeros(4)
    for step in range(1, 20):
        gradient = generator.normal(size=4)
        optimizer.step(parameters, {"w": gradient})
        first, second = 0.8 * first + 0.2 * gradient, 0.9 * second + 0.1 * gradient**2
        weights = weights - 0.1 * (first / (1 - 0.8**step)) / (np.sqrt(second / (1 - 0.9**step)) + 1e-8)
    assert_equal(parameters["w"], weights)


def test_sgd_with_momentum_is_the_heavy_ball():
    generator = np.random.default_rng(6)
    weights = generator.normal(size=(3, 2))
    parameters, velocity = {"w": weights.copy()}, np.zeros((3, 2))
    optimizer = SGD(0.1, momentum=0.9, l2=0.2)
    for _ in range(20):
        gradient = generator.normal(size=(3, 2))
        optimizer.step(parameters, {"w": gradient})
        velocity = 0.9 * velocity + gradient + 0.2 * weights
        weights = weights - 0.1 * velocity
    assert_equal(parameters["w"], weights)


@pytest.mark.parametrize("schedule", [SCHEDULES[0], SCHEDULES[1], SCHEDULES[4]], ids=str)
def test_thousands_of_missed_steps_are_caught_up_with_exactly(schedule):
    """A row that sleeps for 9000 steps: blocks of rates end in the middle of what it missed."""
    gradients = [SparseAdjoint([step % 2], [0.5], (4,)) for step in range(9000)]
    gradients[4000] = SparseAdjoint([2], [1.0], (4,))
    start = np.array([1.0, 1.0, 1.0, 1.0])
    optimizer = AdaGrad(schedule, l2=1e-3)
    parameters = run(optimizer, start, gradients)
    optimizer.finish(parameters)
    np.testing.assert_allclose(parameters["w"], eager_adagrad(start, gradients, schedule, 1e-3, 1.0), rtol=1e-11)


def test_a_warm_started_weight_survives_steps_that_skip_its_feature():
    parameters, optimizer = {"w": np.array([5.0, 5.0])}, AdaGrad(0.1, l2=0.01)
    for _ in range(3):
        optimizer.step(parameters, {"w": SparseAdjoint([0], [1.0], (2,))})
    optimizer.finish(parameters)
    assert_equal(parameters["w"][1], 5.0 / (1 + 0.1 * 0.01) ** 3)


def test_the_gradient_is_scaled_by_the_rate_of_its_own_step_only():
    parameters, optimizer = {"w": np.zeros(2)}, AdaGrad(StepDecay(1.0, factor=0.1, every=1), l2=0.5)
    for index in [0, 0, 0, 1]:
        optimizer.step(parameters, {"w": SparseAdjoint([index], [2.0], (2,))})
    assert_equal(parameters["w"][1], -0.001 * 2.0 / (0.001 * 0.5 + 3.0))


def test_rows_wait_until_caught_up_and_only_those_asked_for():
    parameters, optimizer = {"w": np.ones(4)}, AdaGrad(1.0, l2=1.0)
    optimizer.step(parameters, {"w": SparseAdjoint([0], [0.0], (4,))})
    np.testing.assert_array_equal(parameters["w"], [0.5, 1, 1, 1])
    optimizer.catch_up(parameters, "w", [2, 1, 2])
    assert_equal(parameters["w"], [0.5, 0.5, 0.5, 1])
    optimizer.catch_up(parameters, "w", [1])
    optimizer.catch_up(parameters, "w")
    assert_equal(parameters["w"], [0.5, 0.5, 0.5, 0.5])
    optimizer.finish(parameters)
    assert_equal(parameters["w"], [0.5, 0.5, 0.5, 0.5])


def test_a_weight_set_after_finish_does_not_shrink_for_the_steps_before():
    parameters, optimizer = {"w": np.zeros(2)}, AdaGrad(1.0, l2=1.0)
    for _ in range(3):
        optimizer.step(parameters, {"w": SparseAdjoint([0], [0.0], (2,))})
    optimizer.finish(parameters)
    parameters["w"][1] = 1.0
    optimizer.finish(parameters)
    assert parameters["w"][1] == 1.0
    optimizer.step(parameters, {"w": SparseAdjoint([0], [0.0], (2,))})
    optimizer.finish(parameters)
    assert_equal(parameters["w"][1], 0.5)


def test_catching_up_between_steps_changes_no_result():
    start = np.random.default_rng(7).normal(size=ROWS)
    gradients = list(stream(8, steps=60))
    optimizer, parameters = AdaGrad(InverseDecay(0.5, decay=0.2), l2=0.1), {"w": start.copy()}
    for gradient in gradients:
        optimizer.catch_up(parameters, "w", gradient.indices)
        optimizer.step(parameters, {"w": gradient})
    optimizer.finish(parameters)
    assert_equal(parameters["w"], eager_adagrad(start, gradients, InverseDecay(0.5, decay=0.2), 0.1, 1.0))


def test_a_missing_gradient_touches_no_row_but_the_shrinkage_remains():
    parameters = {"w": np.ones(1), "other": np.ones(2)}
    optimizer = AdaGrad(1.0, l2=1.0)
    optimizer.step(parameters, {"w": np.zeros(1)})
    optimizer.step(parameters, {"w": np.zeros(1), "other": None})
    np.testing.assert_array_equal(parameters["other"], [1.0, 1.0])
    optimizer.finish(parameters)
    assert_equal(parameters["other"], [0.25, 0.25])


def test_a_parameter_does_not_shrink_for_steps_before_it_was_first_seen():
    early, late, optimizer = np.ones(1), np.ones(1), AdaGrad(1.0, l2=1.0)
    optimizer.step({"early": early}, {"early": np.zeros(1)})
    optimizer.step({"early": early, "late": late}, {"early": np.zeros(1), "late": np.zeros(1)})
    assert_equal([early[0], late[0]], [0.25, 0.5])


def test_long_gradients_are_worked_on_in_parts_without_a_seam():
    generator = np.random.default_rng(9)
    start, gradients = generator.normal(size=(30_000,)), []
    for _ in range(3):
        indices = generator.integers(0, 30_000, size=40_000)
        gradients.append(SparseAdjoint(indices, generator.normal(size=40_000), (30_000,)))
    optimizer = AdaGrad(0.3, l2=0.1)
    parameters = run(optimizer, start, gradients)
    optimizer.finish(parameters)
    assert_equal(parameters["w"], eager_adagrad(start, gradients, Constant(0.3), 0.1, 1.0))


def test_huge_indices_are_summed_too():
    """Where index and position do not fit into one integer, the sort takes another way."""
    from autodiff.optimizers.gradients import coalesce

    far = 1 << 61
    coalesced = coalesce(np.array([far, 5, far, 0]), np.array([1.0, 2.0, 4.0, 8.0]))
    np.testing.assert_array_equal(coalesced.rows, [0, 5, far])
    np.testing.assert_array_equal(coalesced.values, [8.0, 2.0, 5.0])
