"""-inf is a real zero: no warning (they are errors here), no NaN, gradients of exactly 0 where it stands."""

import numpy as np
import pytest

from autodiff import Circuit, Module, check_gradients
from autodiff import modules as m

INF = np.inf


def pull(module: Module, adjoint: object, *inputs: object) -> tuple[np.ndarray, ...]:
    _, backward = module.forward(*inputs)
    return backward(adjoint)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
@pytest.mark.parametrize("module_class", [m.LogSumExp, m.Max])
def test_reductions_of_nothing_possible(module_class: type, axis: object, keepdims: bool) -> None:
    module = module_class(axis, keepdims=keepdims)
    output, backward = module.forward(np.full((2, 3), -INF))
    assert np.all(output == -INF)
    (adjoint,) = backward(np.ones_like(output))
    assert np.array_equal(adjoint, np.zeros((2, 3)))


def test_logsumexp_of_nothing_at_all() -> None:
    output, backward = m.LogSumExp(axis=1).forward(np.ones((2, 0)))
    assert np.array_equal(output, [-INF, -INF])
    assert backward(np.ones(2))[0].shape == (2, 0)


@pytest.mark.parametrize("module_class", [m.Softmax, m.LogSoftmax])
def test_normalisation_of_nothing_possible(module_class: type) -> None:
    output, backward = module_class().forward([[-INF, -INF], [0.0, -INF]])
    impossible = 0.0 if module_class is m.Softmax else -INF
    assert np.array_equal(output[0], [impossible, impossible])
    (adjoint,) = backward(np.ones((2, 2)))
    assert np.array_equal(adjoint, np.zeros((2, 2)))


def test_one_possible_among_impossible_takes_everything() -> None:
    assert float(m.LogSumExp()([-INF, 3.0, -INF])) == 3.0
    assert np.array_equal(pull(m.LogSumExp(), 1.0, [-INF, 3.0, -INF])[0], [0.0, 1.0, 0.0])


def test_logarithm_of_zero() -> None:
    assert np.array_equal(m.Log()([0.0, 1.0]), [-INF, 0.0])
    assert np.array_equal(pull(m.Log(), np.ones(2), [0.0, 2.0])[0], [0.0, 0.5])


def test_exponential_of_impossible() -> None:
    assert np.array_equal(pull(m.Exp(), np.ones(2), [-INF, 0.0])[0], [0.0, 1.0])


@pytest.mark.parametrize("module_class", [m.Multiply, m.Divide])
def test_temperature(module_class: type) -> None:
    of_weights, of_temperature = pull(module_class(), np.array([0.0, 1.0]), [-INF, 1.0], 2.0)
    assert of_weights[0] == 0.0
    assert np.isfinite(of_temperature)


def test_even_a_loss_that_is_impossible_gives_no_gradient_to_an_impossible_part() -> None:
    assert np.array_equal(pull(m.LogSoftmax(), np.ones(3), [-INF, 0.0, 0.0])[0], [0.0, 0.0, 0.0])


@pytest.mark.parametrize("seed", range(10))
def test_circuit_in_the_log_domain(seed: int) -> None:
    """One step of a hidden Markov model, then a classifier: every gradient is finite, and 0 at -inf."""
    rng = np.random.default_rng(seed)
    circuit = Circuit()
    state = circuit.input("state")
    transitions = circuit.parameter("transitions", np.where(rng.random((4, 4)) < 0.4, -INF, rng.normal(size=(4, 4))))
    temperature = circuit.parameter("temperature", 0.7)
    column = circuit.add(m.Reshape((4, 1)), state)
    joint = circuit.add(m.Add(), column, circuit.add(m.Multiply(), transitions, temperature))
    total = circuit.add(m.LogSumExp(), joint)
    normal = circuit.add(m.Subtract(), joint, total)
    probabilities = circuit.add(m.Exp(), normal)
    best = circuit.add(m.Max(), circuit.add(m.LogSumExp(axis=0), joint))
    circuit.output(circuit.add(m.Sum(axis=0), probabilities), total, best)
    start = rng.normal(size=4)
    start[0] = -INF
    check_gradients(circuit, start).raise_if_failed()
    (of_state,) = adjoints = circuit.forward(start)[1](rng.normal(size=4), 1.0, None)
    of_transitions = adjoints.gradients["transitions"]
    assert np.isfinite(of_state).all()
    assert of_state[0] == 0
    assert np.isfinite(of_transitions).all()
    assert np.all(of_transitions[np.isneginf(circuit.parameters()["transitions"])] == 0)
