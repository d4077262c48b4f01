"""The compiled, lazy AdaGrad against the eager rule, and against `autodiff.optimizers.AdaGrad`."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodiff.optimizers import AdaGrad, OptimizerError, StateMismatchError
from autodiff.optimizers.schedules import Constant, InverseDecay, Schedule, StepDecay
from nlp.conll import Sentence
from nlp.features import FeatureError, FeatureHasher, GradientBuffer, HashedAdaGrad, Vocabulary, parse_templates

SLOTS = 12
SCHEDULES = [Constant(0.3), StepDecay(0.5, factor=0.5, every=7), InverseDecay(0.4, decay=0.01)]


def gradients(steps: int, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return sparse gradients with repeated indices; slot 0 is touched once, slot 1 never."""
    result = []
    for step in range(steps):
        indices = rng.integers(2, SLOTS, size=rng.integers(0, 5))
        if step == 3:
            indices = np.append(indices, 0)
        result.append((indices, rng.normal(size=len(indices))))
    return result


def eager(start: np.ndarray, given_gradients, schedule: Schedule, l2: float, delta: float, scale: float = 1.0):
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
    optimizer = HashedAdaGrad(start.copy(), schedule, l2=l2, delta=0.7)
    pieces = gradients(steps, rng)
    for indices, values in pieces:
        optimizer.add(indices, values)
        optimizer.step(0.25)
    expected, mean = eager(start, pieces, schedule, l2, 0.7, 0.25)
    if steps:
        np.testing.assert_allclose(optimizer.averaged(), mean, rtol=1e-12, atol=1e-15)
    optimizer.finish()
    np.testing.assert_allclose(optimizer.weights, expected, rtol=1e-12, atol=1e-15)
    if steps:
        np.testing.assert_allclose(optimizer.averaged(), mean, rtol=1e-12, atol=1e-15)


def test_agrees_with_the_optimiser_of_autodiff():
    rng = np.random.default_rng(5)
    parameters, reference = {"w": rng.normal(size=SLOTS)}, AdaGrad(0.2, l2=0.05)
    optimizer = HashedAdaGrad(parameters["w"].copy(), 0.2, l2=0.05)
    for indices, values in gradients(100, rng):
        dense = np.zeros(SLOTS)
        np.add.at(dense, indices, values)
        reference.step(parameters, {"w": dense})
        optimizer.add(indices, values)
        optimizer.step()
    optimizer.finish()
    np.testing.assert_allclose(optimizer.weights, parameters["w"], rtol=1e-12)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from([-1.0, 0.0, 1.0, 2.0])), max_size=40), st.integers(0, 2**32)
)
def test_gradients_that_cancel_out(additions, seed):
    """+1 and -1 on a slot leave it untouched, however often that happens."""
    rng = np.random.default_rng(seed)
    optimizer = HashedAdaGrad(np.ones(4), 0.5, l2=0.1)
    pieces = []
    for _ in range(3):
        order = rng.permutation(len(additions))
        indices = np.array([additions[k][0] for k in order], dtype=np.int64)
        values = np.array([additions[k][1] for k in order], dtype=np.float64)
        for k in range(len(order)):
            optimizer.add(indices[k : k + 1], values[k : k + 1])
        optimizer.step()
        pieces.append((indices, values))
    optimizer.finish()
    np.testing.assert_allclose(optimizer.weights, eager(np.ones(4), pieces, Constant(0.5), 0.1, 1.0)[0], rtol=1e-12)
    assert not optimizer.memory[:, 0].any()


def test_cancelling_over_and_over_does_not_fill_the_list():
    buffer = GradientBuffer(2)
    for _ in range(3000):
        buffer.add([0, 0, 1, 1], [1.0, -1.0, 2.0, -2.0])
    assert len(buffer.touched) <= 1 << 13
    buffer.add([1], [3.0])
    assert [array.tolist() for array in buffer.take()] == [[1], [3.0]]


def test_restored_state_continues_to_the_same_bytes():
    rng = np.random.default_rng(7)
    pieces = gradients(40, rng)
    schedule = StepDecay(0.5, factor=0.5, every=7)
    straight, resumed = (HashedAdaGrad(np.ones(SLOTS), schedule, l2=0.01) for _ in range(2))
    for indices, values in pieces:
        straight.add(indices, values)
        straight.step()
    first = HashedAdaGrad(np.ones(SLOTS), schedule, l2=0.01)
    for indices, values in pieces[:20]:
        first.add(indices, values)
        first.step()
    half = len(pieces[20][0]) // 2
    first.add(pieces[20][0][:half], pieces[20][1][:half])  # in the middle of a mini-batch
    resumed.restore(first.state())
    resumed.add(pieces[20][0][half:], pieces[20][1][half:])
    resumed.step()
    for indices, values in pieces[21:]:
        resumed.add(indices, values)
        resumed.step()
    for optimizer in (straight, resumed):
        optimizer.finish()
    assert resumed.weights.tobytes() == straight.weights.tobytes()
    assert resumed.averaged().tobytes() == straight.averaged().tobytes()


def test_states_of_others_are_refused():
    state = HashedAdaGrad(4, 0.5, l2=0.1).state()
    with pytest.raises(StateMismatchError, match="settings"):
        HashedAdaGrad(4, 0.5, l2=0.2).restore(state)
    with pytest.raises(StateMismatchError, match="4 slots, and this 8"):
        HashedAdaGrad(8, 0.5, l2=0.1).restore(state)
    with pytest.raises(StateMismatchError, match="lacks"):
        HashedAdaGrad(4, 0.5, l2=0.1).restore({"weights": np.zeros(4)})


def test_what_cannot_work_is_refused_and_changes_nothing():
    with pytest.raises(OptimizerError, match="l2"):
        HashedAdaGrad(4, 0.5, l2=-1.0)
    with pytest.raises(OptimizerError, match="float64 vector"):
        HashedAdaGrad(np.zeros(4, dtype=np.float32), 0.5)
    optimizer = HashedAdaGrad(4, 0.5)
    for indices, values in [([4], [1.0]), ([-1], [1.0]), ([0], [np.nan]), ([0], [np.inf]), ([0, 1], [1.0])]:
        with pytest.raises(FeatureError):
            optimizer.add(indices, values)
    with pytest.raises(OptimizerError, match="scale"):
        optimizer.step(np.nan)
    assert optimizer.steps == 0
    assert not optimizer.memory.any()


def test_settled_features_are_read_as_the_eager_rule_has_them():
    """Train on two sentences in turn, by scores that are read through `settle`: equal to dense, eager training."""
    trees = [Sentence.from_words(["a", "b"], tags=["X", "Y"]), Sentence.from_words(["b", "c"], tags=["Y", "Z"])]
    vocabulary = Vocabulary.fit(trees, minimum_count=1)
    hasher = FeatureHasher(parse_templates("h.form m.form\nh.tag dir\nm.tag dist")["arc"], bits=6)
    prepared = [hasher.prepare(vocabulary.encode(tree)) for tree in trees]
    heads, modifiers = [0, 0, 1, 2], [1, 2, 2, 1]
    optimizer = HashedAdaGrad(hasher.slots, 0.5, l2=0.3)
    weights, squares = np.zeros(hasher.slots), np.zeros(hasher.slots)
    for step in range(30):
        features = prepared[step % 5 % 2]
        features.settle(optimizer, heads, modifiers)
        scores = features.score(optimizer.weights, heads, modifiers)
        np.testing.assert_allclose(scores, features.score(weights, heads, modifiers), rtol=1e-12, atol=1e-14)
        adjoint = scores - np.array([1.0, -1.0, 2.0, 0.5])
        features.accumulate(adjoint, optimizer, heads, modifiers)
        buffer = GradientBuffer(hasher.slots)
        features.accumulate(adjoint, buffer, heads, modifiers)
        indices, values = buffer.take()
        gradient = np.zeros(hasher.slots)
        gradient[indices] = values
        optimizer.step()
        squares += gradient**2
        weights = ((1 + np.sqrt(squares)) * weights - 0.5 * gradient) / (1 + np.sqrt(squares) + 0.5 * 0.3)


@pytest.mark.parametrize("l2", [0.0, 0.1])
def test_the_average_can_begin_anew(l2):
    rng = np.random.default_rng(0)
    optimizer = HashedAdaGrad(SLOTS, 0.3, l2=l2)
    means = []
    for step, (indices, values) in enumerate(gradients(40, rng)):
        if step == 25:
            optimizer.restart_average()
            np.testing.assert_array_equal(optimizer.averaged(), optimizer.weights)
        optimizer.add(indices, values)
        optimizer.step()
        copy = HashedAdaGrad(SLOTS, 0.3, l2=l2)
        copy.restore(optimizer.state())
        copy.finish()
        means.append(copy.weights)
    np.testing.assert_allclose(optimizer.averaged(), np.mean(means[25:], axis=0), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(copy.averaged(), optimizer.averaged(), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("weights", [
    np.zeros(4, dtype=np.float32), np.zeros((4, 1)), np.zeros(8)[::2], np.zeros((2, 2), dtype=np.int64),
], ids=["float32", "matrix", "strided", "integers"])  # fmt: skip
def test_weights_that_kernels_cannot_take_are_refused(weights):
    with pytest.raises(OptimizerError, match="contiguous, writeable float64 vector"):
        HashedAdaGrad(weights, 0.1)


@pytest.mark.parametrize("wrong", [{"l2": -0.1}, {"l2": np.inf}, {"delta": 0.0}, {"delta": np.inf}, {"l2": np.nan}])
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(OptimizerError, match="must be"):
        HashedAdaGrad(4, 0.1, **wrong)


def test_the_settings_of_a_state_are_in_one_order():
    """The same run gives the same bytes, whatever the order in which settings are listed."""
    text = bytes(HashedAdaGrad(4, 0.1, l2=0.5).state()["settings"]).decode()
    assert text == '{"delta": 1.0, "l2": 0.5, "learning_rate": {"class": "Constant", "rate": 0.1}}'


def test_nothing_is_extracted_to_settle_what_owes_nothing(monkeypatch):
    from nlp.features import SentenceFeatures

    sentence = Sentence.from_words(["a", "b"], tags=["N", "V"], heads=[2, 0])
    vocabulary = Vocabulary.fit([sentence], minimum_count=1)
    features = FeatureHasher(parse_templates("h.tag m.tag")["arc"], 6).prepare(vocabulary.encode(sentence))
    calls, extract = [], SentenceFeatures.extract
    monkeypatch.setattr(SentenceFeatures, "extract", lambda *given: calls.append(given) or extract(*given))
    for l2, expected in ((0.0, 0), (0.1, 1)):
        features.settle(HashedAdaGrad(64, 0.1, l2=l2), [0], [1])
        assert len(calls) == expected
