"""Circuits compute and differentiate what their wiring says."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from autodiff import Adjoints, Circuit, Module, Parameter, SparseAdjoint, check_gradients
from autodiff import modules as m

RNG = np.random.default_rng(11)
X, LABELS = RNG.normal(size=(6, 3)), RNG.integers(4, size=6)


class Counting(m.Exp):
    """Counts its passes."""

    def __init__(self) -> None:
        self.forwards = 0
        self.backwards = 0

    def forward(self, x: Any) -> Any:
        self.forwards += 1
        output, exp_backward = super().forward(x)

        def backward(adjoint: Any) -> Any:
            self.backwards += 1
            return exp_backward(adjoint)

        return output, backward


def classifier(seed: int = 0) -> Circuit:
    rng = np.random.default_rng(seed)
    circuit = Circuit("classifier")
    x, labels = circuit.input("x"), circuit.input("labels")
    weights, bias = circuit.parameter("weights", rng.normal(size=(3, 5))), circuit.parameter("bias", np.zeros(5))
    output = circuit.parameter("output", rng.normal(size=(5, 4)))
    hidden = circuit.add(m.Tanh(), circuit.add(m.Linear(), x, weights, bias), name="hidden")
    scores = circuit.add(m.LogSoftmax(), circuit.add(m.Linear(), hidden, output))
    loss = circuit.add(m.NegativeLogLikelihood(), scores, labels)
    circuit.output(loss, scores)
    return circuit


def test_classifier() -> None:
    circuit = classifier()
    parameters = circuit.parameters()
    (loss, scores), backward = circuit.forward(X, LABELS)
    raw = np.tanh(X @ parameters["weights"] + parameters["bias"]) @ parameters["output"]
    expected = raw - np.log(np.exp(raw).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(scores, expected, rtol=1e-13)
    assert float(loss) == pytest.approx(-expected[np.arange(6), LABELS].mean())
    of_x, of_labels = adjoints = backward(1.0, None)
    assert of_x.shape == X.shape
    assert of_labels is None
    assert list(adjoints.gradients) == ["weights", "bias", "output"]
    check_gradients(circuit, X, LABELS).raise_if_failed()


def test_diamond_adds_the_adjoints_of_shared_values() -> None:
    circuit = Circuit()
    x = circuit.input("x")
    square = circuit.add(m.Multiply(), x, x)
    left, right = circuit.add(m.Exp(), square), circuit.add(m.Negate(), square)
    circuit.output(circuit.add(m.Add(), circuit.add(m.Multiply(), left, right), x))
    value, backward = circuit.forward(0.5)
    assert float(value) == pytest.approx(-0.25 * np.exp(0.25) + 0.5)
    (adjoint,) = backward(1.0)
    assert float(adjoint) == pytest.approx(-np.exp(0.25) * (1 + 0.25) * 2 * 0.5 + 1)
    check_gradients(circuit, RNG.normal(size=(2, 2))).raise_if_failed()


def test_adjoints_that_someone_holds_are_not_changed() -> None:
    """Add passes one array on to both its inputs; adding to it in place would change what the caller gave."""
    circuit = Circuit()
    x, y = circuit.input("x"), circuit.input("y")
    first = circuit.add(m.Add(), x, y)
    circuit.output(circuit.add(m.Add(), first, x))
    _, backward = circuit.forward(np.ones(2), np.ones(2))
    given = np.array([1.0, 2.0])
    of_x, of_y = backward(given)
    assert np.array_equal(given, [1.0, 2.0])
    assert np.array_equal(of_x, [2.0, 4.0])
    assert np.array_equal(of_y, [1.0, 2.0])


def test_gradients_of_parameters_share_no_memory() -> None:
    circuit = Circuit()
    a, b = circuit.parameter("a", np.ones(2)), circuit.parameter("b", np.ones(2))
    circuit.output(circuit.add(m.Add(), a, b))
    _, backward = circuit.forward()
    given = np.ones(2)
    gradients = backward(given).gradients
    gradients["a"] *= 5
    assert np.array_equal(gradients["b"], [1.0, 1.0])
    assert np.array_equal(given, [1.0, 1.0])


def in_bytes(adjoints: Adjoints) -> list[bytes]:
    return [each.tobytes() for each in (*adjoints, *adjoints.gradients.values()) if isinstance(each, np.ndarray)]


def test_passes_know_nothing_of_each_other() -> None:
    circuit, fresh = classifier(), classifier()
    other = RNG.normal(size=(2, 3))
    _, first = circuit.forward(X, LABELS)
    before = in_bytes(first(1.0, np.ones((6, 4))))
    _, second = circuit.forward(other, LABELS[:2])
    assert in_bytes(second(3.0, None)) == in_bytes(fresh.forward(other, LABELS[:2])[1](3.0, None))
    assert in_bytes(first(1.0, np.ones((6, 4)))) == before


def test_a_pass_belongs_to_the_circuit_as_it_was() -> None:
    circuit = Circuit()
    x = circuit.input("x")
    circuit.output(circuit.add(m.Exp(), x))
    _, backward = circuit.forward(0.0)
    circuit.output(circuit.add(m.Multiply(), circuit.input("y"), circuit.parameter("w", 3.0)))
    adjoints = backward(2.0)
    assert [float(adjoint) for adjoint in adjoints] == [2.0]
    assert adjoints.gradients == {}
    assert [float(adjoint) for adjoint in circuit.forward(0.0, 5.0)[1](1.0, 1.0)] == [1.0, 3.0]


@pytest.mark.parametrize("module", [m.Tanh(), m.Exp()], ids=repr)
def test_one_instance_in_two_places(module: Module) -> None:
    twice, apart = Circuit("twice"), Circuit("apart")
    for circuit, second in ((twice, module), (apart, type(module)())):
        x, w = circuit.input("x"), circuit.parameter("w", [0.5, -1.0])
        circuit.output(circuit.add(second, circuit.add(m.Multiply(), w, circuit.add(module, x))))
    adjoint = np.array([1.0, 2.0])
    assert in_bytes(twice.forward(X[0, :2])[1](adjoint)) == in_bytes(apart.forward(X[0, :2])[1](adjoint))
    check_gradients(twice, X[0, :2]).raise_if_failed()


def test_two_circuits_share_an_instance() -> None:
    tanh = m.Tanh()
    circuits = [Circuit("first"), Circuit("second")]
    for circuit in circuits:
        circuit.output(circuit.add(tanh, circuit.input("x")))
    passes = [circuit.forward(point)[1] for circuit, point in zip(circuits, (0.3, -2.0), strict=True)]
    for backward, point in zip(passes, (0.3, -2.0), strict=True):
        assert float(backward(1.0)[0]) == pytest.approx(1 - np.tanh(point) ** 2)


def test_threads_do_not_disturb_each_other() -> None:
    circuit = classifier()
    points = [np.random.default_rng(seed).normal(size=(6, 3)) for seed in range(8)]

    def both_ways(x: Any) -> list[bytes]:
        (loss, scores), backward = circuit.forward(x, LABELS)
        return [loss.tobytes(), scores.tobytes(), *in_bytes(backward(1.0, scores))]

    alone = [both_ways(x) for x in points]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(both_ways, points * 25)) == alone * 25


def test_adjoints_are_copied_and_pickled_with_their_gradients() -> None:
    adjoints = classifier().forward(X, LABELS)[1](1.0, None)
    for other in (copy.copy(adjoints), copy.deepcopy(adjoints), pickle.loads(pickle.dumps(adjoints))):
        assert isinstance(other, Adjoints)
        assert in_bytes(other) == in_bytes(adjoints)


def test_repetition_is_identical_to_the_bit_and_does_not_accumulate() -> None:
    circuit = classifier()
    results = []
    for _ in range(2):
        (loss, scores), backward = circuit.forward(X, LABELS)
        results += [[loss.tobytes(), scores.tobytes(), *in_bytes(backward(1.0, None))] for _ in range(2)]
    assert all(result == results[0] for result in results)


def test_parameters_are_live() -> None:
    circuit = classifier()
    (before, _), backward = circuit.forward(X, LABELS)
    for name, gradient in backward(1.0, None).gradients.items():
        circuit.parameters()[name][...] -= 0.1 * gradient
    after, _ = circuit(X, LABELS)
    assert after < before


def test_parameter_copies_the_first_value() -> None:
    array = np.ones(2)
    circuit = Circuit()
    circuit.parameter("a", array)
    circuit.parameter("b", array)
    circuit.parameters()["a"][0] = 5.0
    assert array[0] == circuit.parameters()["b"][0] == 1.0


def test_only_what_outputs_depend_on_runs() -> None:
    circuit = Circuit()
    x = circuit.input("x")
    circuit.parameter("unused", np.ones(3))
    dead, dead_end = Counting(), circuit.add(m.Negate(), x)
    circuit.add(dead, dead_end)
    circuit.output(circuit.add(m.Exp(), x))
    _, backward = circuit.forward(1.0)
    adjoints = backward(1.0)
    assert (dead.forwards, dead.backwards) == (0, 0)
    assert np.array_equal(adjoints.gradients["unused"], np.zeros(3))


def test_no_adjoint_for_constants_nor_for_outputs_left_out() -> None:
    circuit = Circuit()
    x = circuit.input("x")
    of_constant, of_left_out = Counting(), Counting()
    fixed = circuit.add(of_constant, circuit.constant(np.zeros(2)))
    circuit.output(circuit.add(m.Add(), x, fixed), circuit.add(of_left_out, x), fixed)
    _, backward = circuit.forward(np.ones(2))
    (adjoint,) = backward(np.ones(2), None, np.ones(2))
    assert np.array_equal(adjoint, np.ones(2))
    assert (of_constant.forwards, of_constant.backwards) == (1, 0)
    assert (of_left_out.forwards, of_left_out.backwards) == (1, 0)


def test_all_adjoints_none() -> None:
    circuit = classifier()
    adjoints = circuit.forward(X, LABELS)[1](None, None)
    assert adjoints == (None, None)
    assert not any(np.any(gradient) for gradient in adjoints.gradients.values())


def test_several_outputs_of_a_module() -> None:
    circuit = Circuit()
    x = circuit.input("x")
    first, second, _ = circuit.add(m.Split((1, 2, 1)), x)
    circuit.output(circuit.add(m.Multiply(), first, second))
    assert np.array_equal(circuit([2.0, 3.0, 4.0, 5.0]), [6.0, 8.0])
    check_gradients(circuit, RNG.normal(size=4)).raise_if_failed()


def test_one_wire_as_two_outputs() -> None:
    circuit = Circuit()
    x = circuit.input("x")
    circuit.output(x, x, circuit.add(m.Exp(), x))
    _, backward = circuit.forward(0.0)
    assert float(backward(1.0, 2.0, 4.0)[0]) == 7.0


def test_sparse_adjoints_stay_sparse_add_and_mix_with_dense_ones() -> None:
    def embedding(uses: int, dense: bool) -> Circuit:
        circuit = Circuit()
        table = circuit.parameter("table", RNG.normal(size=(50, 2)))
        indices = [circuit.input(f"indices {k}") for k in range(uses)]
        total = circuit.add(m.Sum(), circuit.add(m.Gather(), table, indices[0]))
        for wire in indices[1:]:
            total = circuit.add(m.Add(), total, circuit.add(m.Sum(), circuit.add(m.Gather(), table, wire)))
        if dense:
            total = circuit.add(m.Add(), total, circuit.add(m.Sum(), circuit.add(m.Exp(), table)))
        circuit.output(total)
        return circuit

    sparse, mixed = embedding(2, dense=False), embedding(2, dense=True)
    gradient, dense = (each.forward([1, 1, 3], [3])[1](1.0).gradients["table"] for each in (sparse, mixed))
    assert isinstance(gradient, SparseAdjoint)
    assert np.array_equal(gradient.coalesced().indices, [1, 3])
    assert np.array_equal(gradient.coalesced().values, [[2.0, 2.0], [2.0, 2.0]])
    expected = np.exp(mixed.parameters()["table"]) + gradient.dense()
    np.testing.assert_allclose(dense, expected, rtol=1e-15)
    check_gradients(mixed, np.array([1, 1, 3]), np.array([3])).raise_if_failed()


def test_sparse_adjoint_of_a_computed_table() -> None:
    """A module between the table and its look-up is given a dense adjoint."""
    circuit = Circuit()
    table, indices = circuit.input("table"), circuit.input("indices")
    circuit.output(circuit.add(m.Gather(), circuit.add(m.Tanh(), table), indices))
    check_gradients(circuit, RNG.normal(size=(4, 2)), np.array([1, 3, 1])).raise_if_failed()


def test_shared_parameter_declared_twice_is_one_wire() -> None:
    shared = Parameter("shared", 3.0)
    circuit = Circuit()
    circuit.output(circuit.add(m.Multiply(), circuit.parameter(shared), circuit.parameter(shared)))
    output, backward = circuit.forward()
    assert float(output) == 9.0
    assert float(backward(1.0).gradients["shared"]) == 6.0
    assert list(circuit.parameters()) == ["shared"]


@pytest.mark.parametrize("seed", range(10))
def test_random_circuits(seed: int) -> None:
    """Any acyclic shape: each module reads any earlier wires, the same one twice or not at all."""
    rng = np.random.default_rng(seed)
    circuit = Circuit()
    wires = [circuit.input("x"), circuit.input("y"), circuit.parameter("p", rng.normal(size=3))]
    wires += [circuit.constant(rng.normal(size=3))]
    unary: list[type[Module]] = [m.Tanh, m.Sigmoid, m.Negate, m.Softmax]
    binary: list[type[Module]] = [m.Add, m.Subtract, m.Multiply]
    for _ in range(12):
        kinds, arity = (unary, 1) if rng.random() < 0.4 else (binary, 2)
        module = kinds[rng.integers(len(kinds))]()
        wires.append(circuit.add(module, *(wires[rng.integers(len(wires))] for _ in range(arity))))
    circuit.output(wires[-1], wires[rng.integers(len(wires))])
    check_gradients(circuit, 0.5 * rng.normal(size=3), 0.5 * rng.normal(size=3)).raise_if_failed()
