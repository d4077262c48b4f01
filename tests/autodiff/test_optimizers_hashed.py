"""Compiled AdaGrad on hashed weights against the eager rule, and against the steps on arrays."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodiff import HashedParameter, Parameter, SparseAdjoint
from autodiff.optimizers import AdaGrad, GradientBuffer, GradientError, OptimizerError
from autodiff.optimizers.schedules import Constant, InverseDecay, RateSchedule, StepDecay

SLOTS = 12
SCHEDULES = [Constant(0.3), StepDecay(0.5, factor=0.5, every=7), InverseDecay(0.4, decay=0.01)]


def hashed(start, optimizer, *, average=True):
    parameter = HashedParameter("w", len(start))
    parameter.value = np.array(start, dtype=np.float64)
    return optimizer.store({"w": parameter}, average=average)


def add(store, indices, values):
    store.add("w", SparseAdjoint(indices, values, store.parameters["w"].read().shape))


def weights_of(store):
    return store.parameters["w"].read()


def gradients(steps: int, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return sparse gradients with repeated indices; slot 0 is touched once, slot 1 never."""
    result = []
    for step in range(steps):
        indices = rng.integers(2, SLOTS, size=rng.integers(0, 5))
        if step == 3:
            indices = np.append(indices, 0)
        result.append((indices, rng.normal(size=len(indices))))
    return result


def eager(start: np.ndarray, given_gradients, schedule: RateSchedule, l2: float, delta: float, scale: float = 1.0):
    """Return the weights after the last step, and the mean of those after each."""
    weights, squares, total = start.copy(), np.zeros(len(start)), np.zeros(len(start))
    for step, (indices, values) in enumerate(given_gradients):
        gradient = np.zeros(len(start))
        np.add.at(gradient, indices, values * scale)
        squares += gradient**2
        metric = delta + np.sqrt(squares)
        rate = schedule(step)
        weights = (metric * weights - rate * gradient) / (metric + rate * l2)
        total += weights
    return weights, total / max(len(given_gradients), 1)


@pytest.mark.parametrize("schedule", SCHEDULES, ids=lambda schedule: type(schedule).__name__)
@pytest.mark.parametrize("l2", [0.0, 0.1, 1e-6])
@pytest.mark.parametrize("steps", [0, 1, 5, 300, 2500])
def test_lazy_is_eager(schedule, l2, steps):
    rng = np.random.default_rng(steps)
    start = rng.normal(size=SLOTS)  # a warm start
    store = hashed(start, AdaGrad(schedule, l2=l2, delta=0.7))
    pieces = gradients(steps, rng)
    for indices, values in pieces:
        add(store, indices, values)
        store.step(0.25)
    expected, mean = eager(start, pieces, schedule, l2, 0.7, 0.25)
    if steps:
        np.testing.assert_allclose(store.averaged()["w"], mean, rtol=1e-12, atol=1e-15)
    store.finish()
    np.testing.assert_allclose(weights_of(store), expected, rtol=1e-12, atol=1e-15)
    if steps:
        np.testing.assert_allclose(store.averaged()["w"], mean, rtol=1e-12, atol=1e-15)


def test_agrees_with_the_steps_on_arrays():
    rng = np.random.default_rng(5)
    start, optimizer = rng.normal(size=SLOTS), AdaGrad(0.2, l2=0.05)
    parameters, store = {"w": start.copy()}, hashed(start, optimizer)
    for indices, values in gradients(100, rng):
        dense = np.zeros(SLOTS)
        np.add.at(dense, indices, values)
        optimizer.step(parameters, {"w": dense})
        add(store, indices, values)
        store.step()
    store.finish()
    np.testing.assert_allclose(weights_of(store), parameters["w"], rtol=1e-12)


def test_its_state_is_that_of_the_steps_on_arrays():
    stores = [hashed(np.ones(SLOTS), AdaGrad(0.2, l2=0.05))]
    stores.append(stores[0].optimizer.store({"w": Parameter("w", np.ones(SLOTS))}, average=True))
    for store in stores:
        for indices, values in gradients(30, np.random.default_rng(5)):
            add(store, indices, values)
            store.step()
    one, other = (store.state() for store in stores)
    assert one.keys() == other.keys()
    for name, array in one.items():
        np.testing.assert_allclose(array, other[name], rtol=1e-12, err_msg=name)
    stores[1].restore(one)
    assert stores[1].specs() == stores[0].specs()
    for name, array in stores[1].state().items():
        assert array.tobytes() == one[name].tobytes()


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from([-1.0, 0.0, 1.0, 2.0])), max_size=40), st.integers(0, 2**32)
)
def test_gradients_that_cancel_out(additions, seed):
    """+1 and -1 on a slot leave it untouched, however often that happens."""
    rng = np.random.default_rng(seed)
    store = hashed(np.ones(4), AdaGrad(0.5, l2=0.1))
    pieces = []
    for _ in range(3):
        order = rng.permutation(len(additions))
        indices = np.array([additions[k][0] for k in order], dtype=np.int64)
        values = np.array([additions[k][1] for k in order], dtype=np.float64)
        for k in range(len(order)):
            add(store, indices[k : k + 1], values[k : k + 1])
        store.step()
        pieces.append((indices, values))
    store.finish()
    np.testing.assert_allclose(weights_of(store), eager(np.ones(4), pieces, Constant(0.5), 0.1, 1.0)[0], rtol=1e-12)
    assert not store.buffer("w").memory[:, 0].any()


def test_cancelling_over_and_over_does_not_fill_the_list():
    buffer = GradientBuffer(2)
    for _ in range(3000):
        buffer.add([0, 0, 1, 1], [1.0, -1.0, 2.0, -2.0])
    assert len(buffer.touched) <= 1 << 13
    buffer.add([1], [3.0])
    assert [array.tolist() for array in buffer.take()] == [[1], [3.0]]


def test_what_cannot_be_added_is_refused_and_changes_nothing():
    buffer = GradientBuffer(4)
    for indices, values in [([4], [1.0]), ([-1], [1.0]), ([0], [np.nan]), ([0], [np.inf]), ([0, 1], [1.0])]:
        with pytest.raises(GradientError):
            buffer.add(indices, values)
    assert not buffer.memory.any()
    assert buffer.used == 0
    buffer.add([3, 1], [1.0, 2.0])
    buffer.clear()
    assert not buffer.memory.any()
    assert [len(array) for array in buffer.take()] == [0, 0]


def test_values_that_no_vector_of_slots_can_have_are_refused():
    for wrong in (np.zeros(5), np.zeros((4, 1)), np.zeros(4, dtype=np.int64)):
        with pytest.raises(ValueError, match="vector of 4 slots"):
            HashedParameter("w", 4).value = wrong
    for slots in (0, -1, 2.5, "4"):
        with pytest.raises(ValueError, match="slots"):
            HashedParameter("w", slots)
    single = HashedParameter("w", 4)
    single.value = np.zeros(4, dtype=np.float32)
    with pytest.raises(OptimizerError, match="float64"):
        AdaGrad(0.1).store({"w": single})


def test_the_settings_of_a_state_are_in_one_order():
    """The same run gives the same bytes, whatever the order in which settings are listed."""
    text = bytes(hashed(np.zeros(4), AdaGrad(0.1, l2=0.5)).state()["description"]).decode()
    assert text == (
        '{"class": "AdaGrad", "settings": {"average": true, "delta": 1.0, "l1": 0.0, "l2": 0.5, '
        '"learning_rate": {"class": "Constant", "rate": 0.1}}}'
    )
