"""What a training loop asks of a store, of every optimiser, on dense, sparse and hashed parameters."""

import numpy as np
import pytest
from attrs import define, field

from autodiff import HashedParameter, Parameter, SparseAdjoint
from autodiff.optimizers import (
    SGD,
    AdaGrad,
    Adam,
    Constant,
    DivergenceError,
    GradientError,
    InverseSquareRoot,
    NonFiniteGradientError,
    Optimizer,
    OptimizerError,
    StepDecay,
)

SCHEDULES = [Constant(0.05), InverseSquareRoot(0.1, scale=3.0), StepDecay(0.2, factor=0.5, every=7)]
KINDS = {
    "SGD": lambda rate: SGD(rate),
    "SGD-l2": lambda rate: SGD(rate, l2=0.2),
    "SGD-l1": lambda rate: SGD(rate, l1=0.03),
    "SGD-both": lambda rate: SGD(rate, l1=0.02, l2=1e-5),
    "AdaGrad": lambda rate: AdaGrad(rate),
    "AdaGrad-l2": lambda rate: AdaGrad(rate, l2=0.2, delta=0.5),
    "AdaGrad-l1": lambda rate: AdaGrad(rate, l1=0.03),
    "AdaGrad-both": lambda rate: AdaGrad(rate, l1=0.02, l2=0.1),
    "Adam": lambda rate: Adam(rate),
    "Adam-decay": lambda rate: Adam(rate, weight_decay=0.2),
    "Adam-both": lambda rate: Adam(rate, weight_decay=1e-5, l1=0.02),
}
ROWS = 12
every_kind = pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
every_schedule = pytest.mark.parametrize("schedule", SCHEDULES, ids=lambda each: type(each).__name__)


def fresh_arrays():
    rng = np.random.default_rng(0)
    return {"vector": rng.normal(size=ROWS), "deep/matrix": rng.normal(size=(ROWS, 3)), "scalar": np.array(0.7)}


def fresh_parameters():
    arrays = fresh_arrays()
    parameters = {name: Parameter(name, array) for name, array in arrays.items()}
    parameters["hashed"] = HashedParameter("hashed", ROWS)
    parameters["hashed"].value = arrays["vector"].copy()
    return parameters


def gradients(step):
    """Repeated indices; row 0 is never touched, row 1 in step 3 alone, the scalar in every third step."""
    rng = np.random.default_rng([1, step])
    indices = np.append(rng.integers(2, ROWS, size=rng.integers(0, 5)), [1] * (step == 3)).astype(np.int64)
    values = rng.normal(size=len(indices))
    vector = SparseAdjoint(indices, values, (ROWS,))
    found = {
        "vector": vector,
        "hashed": vector,
        "deep/matrix": SparseAdjoint(indices, values[:, None] * [1.0, -2.0, 0.5], (ROWS, 3)),
    }
    return {**found, "scalar": np.array(rng.normal()) if step % 3 == 0 else None}


def run(store, steps):
    for step in steps:
        store.add_all(gradients(step))
        store.step()
    return store


def values(store):
    return {name: parameter.read().copy() for name, parameter in store.parameters.items()}


def bytes_of(arrays):
    return {name: array.tobytes() for name, array in arrays.items()}


def assert_close(found, expected):
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        np.testing.assert_allclose(found[name], array, rtol=1e-12, atol=1e-14, err_msg=name)


def naive(optimizer, steps):
    """Yield the weights after each step, no row of which waits for anything."""
    arrays = {**fresh_arrays(), "hashed": fresh_arrays()["vector"]}
    for step in steps:
        optimizer.step(arrays, gradients(step))
        optimizer.finish(arrays)
        yield {name: array.copy() for name, array in arrays.items()}


def mean_of(weights):
    return {name: np.mean([each[name] for each in weights], axis=0) for name in weights[0]}


@every_kind
@every_schedule
def test_a_store_does_what_the_optimizer_does(make, schedule):
    *_, expected = naive(make(schedule), range(40))
    for average in (False, True):
        store = run(make(schedule).store(fresh_parameters(), average=average), range(40))
        store.finish()
        assert_close(values(store), expected)
        assert store.steps == 40


@every_kind
@every_schedule
def test_the_average_is_that_of_the_weights_after_each_step(make, schedule):
    expected = list(naive(make(schedule), range(60)))
    store = make(schedule).store(fresh_parameters(), average=True)
    assert_close(store.averaged(), values(store))
    for step in range(60):
        if step == 25:
            store.restart_average()
            assert_close(store.averaged(), values(store))
        if step == 40:
            store.catch_up({"vector": [3, 0, 3], "deep/matrix": None, "hashed": [0, 5]})
        run(store, [step])
        if step in (0, 20, 26, 59):
            before = bytes_of(store.state())
            assert_close(store.averaged(), mean_of(expected[25 if step >= 25 else 0 : step + 1]))
            assert bytes_of(store.state()) == before
    store.finish()
    assert_close(store.averaged(), mean_of(expected[25:]))


@pytest.mark.parametrize("optimizer", [
    AdaGrad(0.1, l2=1e-4), AdaGrad(0.1, l1=1e-5, l2=1e-4), AdaGrad(0.1, l1=1e-3), SGD(0.01, l2=1e-3),
    SGD(0.01, l1=1e-4, l2=1e-9), SGD(StepDecay(0.02, factor=0.5, every=700), l1=1e-3, l2=1e-3),
], ids=repr)  # fmt: skip
def test_thousands_of_missed_steps_are_in_the_average(optimizer):
    arrays, total = {"w": np.linspace(-1.0, 1.0, 6)}, np.zeros(6)
    store = optimizer.store({"w": Parameter("w", arrays["w"])}, average=True)
    for step in range(3000):
        gradient = SparseAdjoint([step % 2], [0.1], (6,))
        optimizer.step(arrays, {"w": gradient})
        optimizer.finish(arrays)
        total += arrays["w"]
        store.add("w", gradient)
        store.step()
    np.testing.assert_allclose(store.averaged()["w"], total / 3000, rtol=1e-11, atol=1e-14)
    store.finish()
    np.testing.assert_allclose(store.parameters["w"].value, arrays["w"], rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(store.averaged()["w"], total / 3000, rtol=1e-11, atol=1e-14)


def test_momentum_is_averaged_too():
    expected, arrays, optimizer = [], {"w": np.ones(3)}, SGD(0.1, momentum=0.5, l2=0.1)
    store = optimizer.store({"w": Parameter("w", np.ones(3))}, average=True)
    for step in range(20):
        gradient = np.random.default_rng(step).normal(size=3)
        optimizer.step(arrays, {"w": gradient})
        expected.append(arrays["w"].copy())
        store.add("w", gradient)
        store.step()
    np.testing.assert_allclose(store.averaged()["w"], np.mean(expected, axis=0), rtol=1e-13)
    with pytest.raises(GradientError, match=r"dense\(\)"):
        store.step()
    assert store.steps == 20


@every_kind
@pytest.mark.parametrize("average", [False, True])
def test_a_restored_state_goes_on_to_the_same_bytes(make, average):
    through = run(make(0.1).store(fresh_parameters(), average=average), range(20))
    first = run(make(0.1).store(fresh_parameters(), average=average), range(10))
    state = first.state()
    run(first, range(10, 12))  # must not reach into the state that was taken
    second = make(0.1).store(fresh_parameters(), average=average)
    run(second, range(3))
    second.add("vector", np.ones(ROWS))  # forgotten
    second.add("hashed", np.ones(ROWS))
    second.restore(state)
    assert bytes_of(second.state()) == bytes_of(state)
    run(second, range(10, 20))
    assert bytes_of(second.state()) == bytes_of(through.state())
    if average:
        assert bytes_of(second.averaged()) == bytes_of(through.averaged())
    for store in (through, second):
        store.finish()
    assert bytes_of(values(second)) == bytes_of(values(through))


@every_kind
def test_the_specs_are_those_of_the_state(make):
    for average in (False, True):
        store = run(make(0.1).store(fresh_parameters(), average=average), range(3))
        state, specs = store.state(), store.specs()
        assert state.keys() == specs.keys()
        assert all(specs[name].fits(str(array.dtype), array.shape) for name, array in state.items())


@every_kind
def test_what_is_added_is_summed_and_scaled(make):
    rng = np.random.default_rng(2)
    pieces = [rng.normal(size=ROWS) for _ in range(4)]
    sparse = SparseAdjoint([3, 3, 5], [1.0, 2.0, -1.0], (ROWS,))
    orders = [
        [sparse, *pieces],
        [*pieces[:2], sparse, *pieces[2:]],
        [sum(pieces), sparse],
        [sum(pieces) + sparse.dense()],
    ]
    found = []
    for order in orders:
        store = make(0.1).store(fresh_parameters())
        for name in ("vector", "hashed"):
            for piece in order:
                store.add(name, piece)
        store.step(0.5)
        found.append(values(store))
    for each in found[1:]:
        assert_close(each, found[0])
    once = make(0.1).store(fresh_parameters())
    once.add("vector", 0.5 * (sum(pieces) + sparse.dense()))
    once.step()
    np.testing.assert_allclose(once.parameters["vector"].value, found[0]["vector"], rtol=1e-13)


def test_adding_neither_keeps_nor_changes_what_was_given():
    store, array, index, value = SGD(1.0).store(fresh_parameters()), np.ones(ROWS), np.array([3]), np.array([1.0])
    store.add("hashed", SparseAdjoint(index, value, (ROWS,)))
    store.add("vector", SparseAdjoint(index, value, (ROWS,)))
    index[0], value[0] = 4, 100.0
    store.add("vector", array)
    store.add("vector", array)
    array[:] = 100.0
    store.step()
    moved = {name: fresh_arrays()["vector"] - store.parameters[name].value for name in ("vector", "hashed")}
    np.testing.assert_allclose(moved["vector"], 2.0 + np.eye(ROWS)[3])
    np.testing.assert_allclose(moved["hashed"], np.eye(ROWS)[3])


@pytest.mark.parametrize("kind", [Parameter, HashedParameter])
def test_steps_of_the_mean_are_those_of_the_sum_with_a_smaller_delta(kind):
    """AdaGrad of the mean of 8, with δ / 8 and λ / 8, is that of the sum to the bit, as 8 is a power of two."""
    stores = []
    for scale in (1.0, 1 / 8):
        parameter = kind("w", 64 if kind is HashedParameter else np.zeros(64))
        optimizer = AdaGrad(StepDecay(0.3, factor=0.5, every=20), l2=0.01 * scale, delta=scale)
        store, rng = optimizer.store({"w": parameter}, average=True), np.random.default_rng(3)
        for _ in range(60):
            for _ in range(8):
                store.add("w", SparseAdjoint(rng.integers(0, 60, size=5), rng.normal(size=5), (64,)))
            store.step(scale)
        stores.append(store)
    assert bytes_of(stores[0].averaged()) == bytes_of(stores[1].averaged())
    for store in stores:
        store.finish()
    assert bytes_of(values(stores[0])) == bytes_of(values(stores[1]))
    assert values(stores[0])["w"].any()


def test_only_the_rows_asked_for_are_caught_up():
    store = AdaGrad(1.0, l2=1.0).store({"w": Parameter("w", np.ones(4)), "h": HashedParameter("h", 4)})
    store.parameters["h"].value[:] = 1.0
    store.step()
    store.catch_up({"w": [2, 1, 2]})
    np.testing.assert_array_equal(store.parameters["w"].value, [1, 0.5, 0.5, 1])
    np.testing.assert_array_equal(store.parameters["h"].value, 1.0)
    store.catch_up({"h": np.array([3], dtype=np.int32)})
    np.testing.assert_array_equal(store.parameters["h"].value, [1, 1, 1, 0.5])
    store.catch_up({"w": None, "h": []})
    np.testing.assert_array_equal(store.parameters["w"].value, 0.5)
    store.catch_up()
    np.testing.assert_array_equal(store.parameters["h"].value, 0.5)
    assert store.shrinks
    assert not AdaGrad(1.0).store({}).shrinks
    for wrong in ({"v": None}, {"w": [4]}, {"h": [-1]}, {"h": [0.5]}):
        with pytest.raises(GradientError):
            store.catch_up(wrong)


@pytest.mark.parametrize("make", [AdaGrad, SGD])
def test_compiled_loops_add_to_the_buffer(make):
    store, other = make(0.5).store(fresh_parameters()), make(0.5).store(fresh_parameters())
    buffer = store.buffer("hashed")
    for step in range(5):
        gradient = gradients(step)["hashed"]
        buffer.add(gradient.indices, gradient.values)
        assert store.buffer("hashed") is buffer
        other.add("hashed", gradient)
        store.step()
        other.step()
    assert bytes_of(values(store)) == bytes_of(values(other))
    with pytest.raises(OptimizerError, match="'vector' is not hashed"):
        store.buffer("vector")


def test_stores_of_one_optimizer_know_nothing_of_each_other():
    optimizer = Adam(0.1, weight_decay=0.1)
    alone = run(Adam(0.1, weight_decay=0.1).store(fresh_parameters()), range(6))
    one, other = optimizer.store(fresh_parameters()), optimizer.store(fresh_parameters())
    for step in range(6):
        run(one, [step])
        run(other, [step + 50, step + 70])
        optimizer.step({"vector": np.ones(2)}, {"vector": np.ones(2)})
    assert bytes_of(one.state()) == bytes_of(alone.state())
    assert optimizer.steps == one.steps == 6


@every_kind
def test_other_values_are_in_use_for_a_while(make):
    store = run(make(0.1).store(fresh_parameters(), average=True), range(10))
    before, state, averaged = values(store), bytes_of(store.state()), store.averaged()
    versions = {name: parameter.version for name, parameter in store.parameters.items()}
    for error in (None, ValueError, KeyboardInterrupt):
        try:
            with store.using(averaged):
                assert bytes_of(values(store)) == bytes_of(averaged)
                for name, parameter in store.parameters.items():
                    assert parameter.version != versions[name]
                for forbidden in (store.step, store.averaged, store.state, store.restart_average):
                    with pytest.raises(OptimizerError, match="inside `using`"):
                        forbidden()
                with pytest.raises(OptimizerError, match="inside `using`"), store.using(averaged):
                    pass
                if error is not None:
                    raise error
        except (ValueError, KeyboardInterrupt):
            assert error is not None
        assert bytes_of(values(store)) == bytes_of(before)
        assert bytes_of(store.state()) == state
    with store.using({"hashed": np.ones(ROWS, dtype=np.float32)}):
        assert (store.parameters["hashed"].value == 1.0).all()
    for wrong in ({"v": 1.0}, {"vector": np.ones(3)}, {"vector": ["a"] * ROWS}):
        with pytest.raises((OptimizerError, GradientError)), store.using({"scalar": 2.0, **wrong}):
            pass
        assert bytes_of(values(store)) == bytes_of(before)


def test_an_interrupt_while_values_are_put_back_changes_nothing(monkeypatch):
    store = SGD(0.1).store(fresh_parameters())
    before, put, calls = bytes_of(values(store)), type(store)._put, []

    def interrupted(self, arrays):
        calls.append(arrays)
        if len(calls) == 2:
            put(self, dict(list(arrays.items())[:1]))
            raise KeyboardInterrupt
        put(self, arrays)

    monkeypatch.setattr(type(store), "_put", interrupted)
    with pytest.raises(KeyboardInterrupt), store.using({"vector": np.ones(ROWS), "scalar": 2.0}):
        pass
    assert bytes_of(values(store)) == before


@every_kind
def test_versions_follow_the_steps(make):
    store = make(0.1).store(fresh_parameters())
    for change in (lambda: run(store, [3]), lambda: store.restore(store.state())):
        before = {name: parameter.version for name, parameter in store.parameters.items()}
        assert before == {name: parameter.version for name, parameter in store.parameters.items()}
        change()
        assert not before.items() & {name: parameter.version for name, parameter in store.parameters.items()}.items()


def test_no_vector_is_copied_to_see_whether_it_has_changed():
    store = run(AdaGrad(0.1).store(fresh_parameters()), range(2))
    for parameter in store.parameters.values():
        assert parameter.version == parameter.version
        assert parameter._seen is None


@define(eq=False, slots=False)
class PassiveAggressive(Optimizer):
    """PA-I (Crammer et al. 2006): the least step that takes the loss to 0, of at most C."""

    aggressiveness: float = field(default=1.0)

    def rate(self, step):
        if step.loss is None:
            raise OptimizerError("tell the step its loss")
        return min(self.aggressiveness, step.loss / step.squared_norm) if step.loss > 0 else 0.0

    def update(self, weights, gradient, memory, rate):
        return weights - rate * gradient, {}


@pytest.mark.parametrize("scale", [1.0, 0.25])
def test_a_rule_may_ask_for_the_loss_and_the_norm_of_the_whole_gradient(scale):
    store = PassiveAggressive(10.0).store(fresh_parameters(), average=True)
    before = {name: np.array(value) for name, value in values(store).items()}
    pieces = {
        "vector": np.arange(12.0),
        "hashed": SparseAdjoint([2, 2, 5], [1.0, 1.0, 3.0], (ROWS,)),
        "scalar": np.array(2.0),
    }
    store.add_all(pieces)
    squares = (np.sum(np.arange(12.0) ** 2) + 4.0 + 9.0 + 4.0) * scale**2
    store.step(scale, loss=0.5)
    for name, piece in pieces.items():
        dense = piece.dense() if isinstance(piece, SparseAdjoint) else piece
        np.testing.assert_allclose(values(store)[name], before[name] - 0.5 / squares * scale * dense, rtol=1e-12)
    with pytest.raises(OptimizerError, match="its loss"):
        store.step()
    with pytest.raises(OptimizerError, match="loss"):
        store.step(loss=np.nan)
    arrays = {"w": np.zeros(2)}
    PassiveAggressive(10.0).step(arrays, {"w": np.array([3.0, 4.0])}, loss=5.0)
    np.testing.assert_allclose(arrays["w"], [-0.6, -0.8])


def test_a_step_that_fails_changes_nothing_and_can_be_taken_again():
    store = SGD(0.1).store(fresh_parameters())
    before = bytes_of(values(store))
    store.add("vector", np.ones(ROWS))
    for wrong in (
        np.full(ROWS, np.nan),
        np.ones(3),
        SparseAdjoint([0], [np.inf], (ROWS,)),
        np.ones(ROWS, dtype=complex),
    ):
        for name in ("vector", "hashed"):
            with pytest.raises(GradientError):
                store.add(name, wrong)
    with pytest.raises(NonFiniteGradientError):
        store.add("hashed", np.full(ROWS, 1e200))
    with pytest.raises(GradientError, match="no parameter 'v'"):
        store.add("v", np.ones(3))
    for scale in (np.nan, np.inf, "1", None):
        with pytest.raises(OptimizerError, match="scale"):
            store.step(scale)
    store.add("deep/matrix", np.full((ROWS, 3), 1e300))
    with pytest.raises(DivergenceError, match="'deep/matrix'"):
        store.step(1e300)
    with pytest.raises(OptimizerError, match="take the step first"):
        store.state()
    assert bytes_of(values(store)) == before
    assert store.steps == 0
    store.clear()
    store.add("vector", np.ones(ROWS))
    store.step()
    np.testing.assert_allclose(store.parameters["vector"].value, fresh_arrays()["vector"] - 0.1)


def test_parameters_that_cannot_be_learnt_are_refused():
    single = Parameter("w", np.zeros(3, dtype=np.float32))
    assert single.value.dtype == np.float32
    with pytest.raises(OptimizerError, match="float64"):
        SGD(0.1).store({"w": single})
    with pytest.raises(OptimizerError, match="must be a Parameter"):
        SGD(0.1).store({"w": np.zeros(3)})
    twice = Parameter("w", np.zeros(3))
    with pytest.raises(OptimizerError, match="two are the same"):
        SGD(0.1).store({"v": twice, "w": twice})
    hashed = HashedParameter("h", 4)
    hashed.value = np.zeros(8)[::2]
    with pytest.raises(OptimizerError, match="contiguous"):
        AdaGrad(0.1).store({"h": hashed})
    hashed.value = np.full(4, np.nan)
    with pytest.raises(OptimizerError, match="NaN"):
        AdaGrad(0.1).store({"h": hashed})
    store = SGD(0.1).store({"w": twice})
    with pytest.raises(OptimizerError, match="average=True"):
        store.averaged()
    twice.value = np.zeros(5)
    with pytest.raises(OptimizerError, match=r"had \(3,\) before"):
        store.step()
