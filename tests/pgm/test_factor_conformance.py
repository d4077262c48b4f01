"""Every factor of `pgm.factors` against enumeration; a new one is found by itself, by its `examples`."""

import importlib
import inspect
import pkgutil

import numpy as np
import pytest

import pgm.factors
from pgm import Factor, FactorGraphError, FactorRun, check_factor

EXPORTED = {name: getattr(pgm.factors, name) for name in pgm.factors.__all__}
CLASSES = {name: kind for name, kind in EXPORTED.items() if inspect.isclass(kind) and issubclass(kind, Factor)}
EXAMPLES = [
    pytest.param(name, number, id=f"{name}-{number}")
    for name, kind in CLASSES.items()
    for number in range(len(list(kind.examples(np.random.default_rng(0)))))
]


def example(name: str, number: int, seed: int) -> Factor:
    return list(CLASSES[name].examples(np.random.default_rng(seed)))[number]


def messages(factor: Factor, seed: int, impossible: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(factor.num_factors, int(factor.offsets[-1])))
    values[rng.random(values.shape) < impossible] = -np.inf
    return values


def where_possible(run: FactorRun) -> tuple[np.ndarray, np.ndarray]:
    """Adjoints of messages and log-partition: 1, and 0 of what is -inf."""
    return (run.messages > -np.inf).astype(float), (run.log_partition > -np.inf).astype(float)


def test_every_factor_is_public():
    """A concrete factor in a file without a leading underscore is in `__all__`."""
    for module in pkgutil.iter_modules(pgm.factors.__path__):
        if module.name.startswith("_"):
            continue
        found = vars(importlib.import_module(f"pgm.factors.{module.name}"))
        for kind in found.values():
            if inspect.isclass(kind) and issubclass(kind, Factor) and kind.__module__ == f"pgm.factors.{module.name}":
                private = kind.__name__.startswith("_") or inspect.isabstract(kind)
                assert private or kind.__name__ in CLASSES, f"{kind.__name__} is not in pgm.factors.__all__"


@pytest.mark.parametrize("name", CLASSES)
def test_has_examples(name):
    examples = list(CLASSES[name].examples(np.random.default_rng(0)))
    assert examples, f"{name}.examples yields nothing: the conformance tests would not see it"
    assert all(type(factor) is CLASSES[name] for factor in examples)


@pytest.mark.parametrize(("name", "number"), EXAMPLES)
@pytest.mark.parametrize("impossible", [0.0, 0.15, 0.4])
def test_agrees_with_enumeration(name, number, impossible):
    seed = round(100 * impossible)
    check_factor(example(name, number, seed), impossible=impossible, seed=seed, gradients=impossible < 0.4)


@pytest.mark.parametrize(("name", "number"), EXAMPLES)
@pytest.mark.parametrize("scale", [30.0, 1e4])
def test_wide_messages(name, number, scale):
    for impossible in (0.0, 0.3):
        check_factor(example(name, number, 2), scale=scale, impossible=impossible, gradients=False, seed=3)


@pytest.mark.parametrize(("name", "number"), EXAMPLES)
def test_adjoints_of_wide_messages_are_finite(name, number):
    factor = example(name, number, 4)
    for scale in (30.0, 1e4):
        for impossible in (0.0, 0.3, 0.6):
            incoming = scale * messages(factor, 5, impossible)
            run = factor.run(incoming, factor.prepare(factor.potentials))
            adjoint, potentials = run.backward(*where_possible(run))
            assert np.isfinite(adjoint).all()
            assert (adjoint[incoming == -np.inf] == 0.0).all()
            assert potentials is None or np.isfinite(potentials).all()


@pytest.mark.parametrize(("name", "number"), EXAMPLES)
def test_contradiction_is_minus_infinity(name, number):
    """A variable that has no possible state left makes its factor impossible, without warning or NaN."""
    factor = example(name, number, 6)
    for d in range(factor.degree):
        incoming = messages(factor, 7)
        incoming[0, factor.offsets[d] : factor.offsets[d + 1]] = -np.inf
        run = factor.run(incoming, factor.prepare(factor.potentials))
        assert run.log_partition[0] == -np.inf
        assert (run.log_partition[1:] > -np.inf).all()
        assert not np.isnan(run.messages).any()
        assert not np.isnan(factor.max_messages(incoming, factor.prepare(factor.potentials))).any()
        assert np.isfinite(run.backward(*where_possible(run))[0]).all()


@pytest.mark.parametrize(("name", "number"), EXAMPLES)
def test_family_equals_its_members(name, number):
    """Taking factors out of a family, and stacking them again, changes nothing."""
    factor = example(name, number, 8)
    if factor.num_factors == 1:
        pytest.skip("a family of one")
    incoming = messages(factor, 9, 0.1)
    whole = factor.run(incoming, factor.prepare(factor.potentials))
    whole_max = factor.max_messages(incoming, factor.prepare(factor.potentials))
    singles = [factor.take(np.array([row])) for row in range(factor.num_factors)]
    for row, single in enumerate(singles):
        run = single.run(incoming[row : row + 1], single.prepare(single.potentials))
        np.testing.assert_allclose(run.log_partition, whole.log_partition[row : row + 1], rtol=1e-13, atol=1e-13)
        np.testing.assert_allclose(run.messages, whole.messages[row : row + 1], rtol=1e-13, atol=1e-13)
        single_max = single.max_messages(incoming[row : row + 1], single.prepare(single.potentials))
        np.testing.assert_allclose(single_max, whole_max[row : row + 1], rtol=1e-13, atol=1e-13)
    if factor.merge_key() is not None:
        assert all(single.merge_key() == factor.merge_key() for single in singles)
        stacked = type(factor).stack(singles)
        np.testing.assert_array_equal(stacked.variables, factor.variables)
        run = stacked.run(incoming, stacked.prepare(stacked.potentials))
        np.testing.assert_array_equal(run.messages, whole.messages)


@pytest.mark.parametrize("name", CLASSES)
def test_messages_of_another_shape_are_refused(name):
    """Before a kernel reads or writes beyond them."""
    factor = example(name, 0, 0)
    factors, width = factor.num_factors, int(factor.offsets[-1])
    prepared = factor.prepare(factor.potentials)
    for shape in ((factors, width + 1), (factors, width - 1), (factors + 1, width), (factors, 0), (factors * width,)):
        for function in (factor.run, factor.max_messages):
            with pytest.raises(FactorGraphError, match="incoming messages: an array of shape"):
                function(np.zeros(shape), prepared)
    plain = np.random.default_rng(0).normal(size=(factors, width))
    expected = factor.run(plain, prepared).messages
    np.testing.assert_array_equal(factor.run(np.asfortranarray(plain), prepared).messages, expected)


@pytest.mark.parametrize("name", CLASSES)
def test_adjoints_of_another_shape_are_refused(name):
    factor = example(name, 0, 0)
    run = factor.run(messages(factor, 1), factor.prepare(factor.potentials))
    rows, width = run.incoming.shape
    for wrong in (np.zeros((rows, width + 1)), np.zeros((rows + 1, width)), np.zeros(width + 1), np.full((1, 1, 1), 0)):
        with pytest.raises(FactorGraphError, match="adjoint of messages"):
            run.backward(messages=wrong)
        with pytest.raises(FactorGraphError, match="adjoint of log_partition"):
            run.backward(log_partition=np.concatenate([wrong.ravel(), np.zeros(rows + 1)]))
    with pytest.raises(FactorGraphError, match="beliefs"):
        run.backward(beliefs=np.zeros((rows, 99)))
    if factor.potentials is not None:
        some = np.asfortranarray(np.random.default_rng(0).normal(size=run.beliefs.shape))
        np.testing.assert_array_equal(run.backward(beliefs=some)[0], run.backward(beliefs=some.copy(order="C"))[0])
