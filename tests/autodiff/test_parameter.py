"""A parameter's version is another one once its value has changed, in whatever way."""

import copy
import pickle

import numpy as np
import pytest

from autodiff import Parameter


def fill(array):
    array[...] = 7.0


def through_a_view(array):
    array.reshape(-1)[-1:] -= 2.0


@pytest.mark.parametrize("value", [3.0, [1.0, 2.0], np.arange(6.0).reshape(2, 3).T])
@pytest.mark.parametrize("change", [fill, through_a_view])
def test_changes_in_place_are_seen(value, change):
    parameter = Parameter("p", value)
    before = parameter.version
    assert parameter.version == before
    change(parameter.value)
    after = parameter.version
    assert after != before
    assert parameter.version == after


def test_a_view_that_outlives_the_array_is_watched():
    parameter = Parameter("p", np.zeros((2, 3)))
    row = parameter.value[1]
    before = parameter.version
    row[:] = 1.0
    assert parameter.version != before
    assert parameter.value[1].tolist() == [1.0, 1.0, 1.0]
    between = parameter.version
    row[:] = 2.0
    assert parameter.version != between


def test_reading_changes_nothing():
    parameter = Parameter("p", [1.0, 2.0])
    before = parameter.version
    held = parameter.value
    assert parameter.version == before
    assert parameter.value is held
    assert parameter.read().tolist() == held.tolist()


def test_assigned_arrays_are_live_and_watched():
    parameter = Parameter("p", [1.0, 2.0])
    held = parameter.value
    other = np.array([5.0, 6.0])
    before = parameter.version
    parameter.value = other
    assert parameter.version != before
    before = parameter.version
    other[0] = 0.0
    assert parameter.version != before
    parameter.value = held  # back to the array that an optimiser may have
    held[:] = 9.0
    assert parameter.value is held
    assert parameter.read().tolist() == [9.0, 9.0]


def test_copies_are_apart():
    parameter = Parameter("p", [1.0, 2.0])
    held = parameter.value
    for other in (copy.copy(parameter), copy.deepcopy(parameter), pickle.loads(pickle.dumps(parameter))):
        other.value[:] = 4.0
        assert held.tolist() == parameter.read().tolist() == [1.0, 2.0]
        assert other.version != parameter.version


def test_nothing_is_compared_when_nobody_has_the_array():
    parameter = Parameter("p", np.zeros(3))
    parameter.value[0] = 1.0
    parameter.version  # noqa: B018 -- looks once more
    assert parameter._seen is None
