"""What must hold of every optimiser; new ones are found by themselves."""

import importlib
import inspect
import pkgutil

import attrs
import numpy as np
import pytest

import autodiff.optimizers
from autodiff import HashedParameter, Parameter
from autodiff.optimizers import (
    DivergenceError,
    GradientError,
    NonFiniteGradientError,
    Optimizer,
    OptimizerError,
)
from autodiff.sparse import SparseAdjoint

SHRINKAGE = {"l2", "weight_decay"}


def all_optimizers():
    for module in pkgutil.iter_modules(autodiff.optimizers.__path__, "autodiff.optimizers."):
        importlib.import_module(module.name)
    found, queue = [], [Optimizer]
    while queue:
        for subclass in queue.pop().__subclasses__():
            queue.append(subclass)
            if not inspect.isabstract(subclass) and subclass.__module__.startswith("autodiff."):
                found.append(subclass)
    return sorted(set(found), key=lambda each: each.__name__)


def variants():
    """Every optimiser plain and, where it can, shrinking."""
    for optimizer in all_optimizers():
        yield pytest.param(lambda optimizer=optimizer: optimizer(0.05), id=optimizer.__name__)
        for name in SHRINKAGE & {each.name for each in attrs.fields(optimizer)}:
            yield pytest.param(
                lambda optimizer=optimizer, name=name: optimizer(0.05, **{name: 0.1}),
                id=f"{optimizer.__name__}-{name}",
            )


every_variant = pytest.mark.parametrize("make", list(variants()))


def fresh_parameters():
    generator = np.random.default_rng(0)
    return {
        "matrix": generator.normal(size=(5, 3)),
        "deep/vector": generator.normal(size=6),
        "scalar": np.array(0.7),
    }


def gradients(step):
    generator = np.random.default_rng([1, step])
    indices = generator.integers(0, 5, size=4)
    return {
        "matrix": SparseAdjoint(indices, generator.normal(size=(4, 3)), (5, 3)),
        "deep/vector": generator.normal(size=6),
        "scalar": np.array(generator.normal()),
    }


def run(optimizer, parameters, steps):
    for step in steps:
        optimizer.step(parameters, gradients(step))
    return parameters


def bytes_of(parameters):
    return {name: array.tobytes() for name, array in parameters.items()}


def test_the_known_optimizers_are_found():
    assert {each.__name__ for each in all_optimizers()} >= {"SGD", "AdaGrad", "Adam"}


@every_variant
def test_dense_equals_sparse_with_all_rows(make):
    generator = np.random.default_rng(2)
    dense, sparse = {"w": generator.normal(size=(4, 2))}, {}
    sparse["w"] = dense["w"].copy()
    dense_optimizer, sparse_optimizer = make(), make()
    for _ in range(8):
        gradient, order = generator.normal(size=(4, 2)), generator.permutation(4)
        dense_optimizer.step(dense, {"w": gradient})
        sparse_optimizer.step(sparse, {"w": SparseAdjoint(order, gradient[order], (4, 2))})
    np.testing.assert_array_equal(dense["w"], sparse["w"])


@every_variant
def test_a_repeated_index_is_summed_first(make):
    twice, once = {"w": np.ones(3)}, {"w": np.ones(3)}
    make().step(twice, {"w": SparseAdjoint([1, 1], [2.0, -0.5], (3,))})
    make().step(once, {"w": SparseAdjoint([1], [1.5], (3,))})
    np.testing.assert_array_equal(twice["w"], once["w"])
    assert twice["w"][1] < 1.0


@every_variant
def test_a_row_that_is_not_touched_is_not_written(make):
    parameters = {"w": np.ones(4)}
    make().step(parameters, {"w": SparseAdjoint([2], [1.0], (4,))})
    np.testing.assert_array_equal(parameters["w"][[0, 1, 3]], 1.0)
    assert parameters["w"][2] != 1.0


@every_variant
def test_the_same_input_gives_the_same_bytes(make):
    assert bytes_of(run(make(), fresh_parameters(), range(10))) == bytes_of(run(make(), fresh_parameters(), range(10)))


@every_variant
@pytest.mark.parametrize("hashed", [False, True])
def test_a_store_takes_the_same_steps_averages_them_and_resumes(make, hashed):
    def fresh():
        parameter = HashedParameter("w", 6) if hashed else Parameter("w", np.zeros(6))
        parameter.value[:] = np.linspace(-1, 1, 6)
        return make().store({"w": parameter}, average=True)

    arrays, optimizer, seen, store = {"w": np.linspace(-1, 1, 6)}, make(), [], fresh()
    for step in range(20):
        gradient = gradients(step)["deep/vector"]
        sparse = SparseAdjoint([step % 3, 5], gradient[[step % 3, 5]], (6,))
        optimizer.step(arrays, {"w": sparse})
        optimizer.finish(arrays)
        seen.append(arrays["w"].copy())
        store.add("w", sparse)
        store.step()
        if step == 10:
            state, store = store.state(), fresh()
            store.restore(state)
    np.testing.assert_allclose(store.averaged()["w"], np.mean(seen, axis=0), rtol=1e-12)
    store.finish()
    np.testing.assert_allclose(store.parameters["w"].value, arrays["w"], rtol=1e-12)


@every_variant
def test_without_its_memory_the_bytes_differ(make):
    """Or else tests that restore a state could not fail."""
    if make().settings().keys() <= {"learning_rate", "l1", "l2", "momentum"}:
        pytest.skip("SGD without momentum remembers nothing but the steps that rows missed")
    through = run(make(), fresh_parameters(), range(10))
    assert bytes_of(through) != bytes_of(run(make(), run(make(), fresh_parameters(), range(5)), range(5, 10)))


@every_variant
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("sparse", [False, True])
def test_non_finite_gradients_are_refused_by_name_before_anything_changes(make, bad, sparse):
    parameters, optimizer = {"first": np.ones(2), "second": np.ones(2)}, make()
    values = np.array([0.0, bad])
    gradient = SparseAdjoint([0, 1], values, (2,)) if sparse else values
    with pytest.raises(NonFiniteGradientError, match="'second'"):
        optimizer.step(parameters, {"first": np.ones(2), "second": gradient})
    np.testing.assert_array_equal(parameters["first"], 1.0)
    np.testing.assert_array_equal(parameters["second"], 1.0)
    assert optimizer.steps == 0


@every_variant
def test_an_update_that_overflows_is_refused_before_anything_changes(make):
    parameters, optimizer = {"w": np.ones(2)}, make()
    gradient = SparseAdjoint([0, 1, 1], [1.0, 1e308, 1e308], (2,))
    with pytest.raises(DivergenceError, match="'w'"):
        optimizer.step(parameters, {"w": gradient})
    np.testing.assert_array_equal(parameters["w"], 1.0)


@every_variant
@pytest.mark.parametrize(
    ("gradient", "message"),
    [
        ({"v": np.ones(3)}, "unknown parameter 'v'"),
        ({"w": np.ones(2)}, r"shape \(2,\)"),
        ({"w": np.ones((3, 1))}, r"shape \(3, 1\)"),
        ({"w": SparseAdjoint([0], [1.0], (4,))}, r"shape \(4,\)"),
        ({"w": SparseAdjoint([3], [1.0], (3,))}, "index 3 .*out of range"),
        ({"w": SparseAdjoint([-1], [1.0], (3,))}, "index -1 .*out of range"),
        ({"w": np.ones(3, dtype=complex)}, "complex128"),
        ({"w": np.array(["a", "b", "c"])}, "real numbers"),
    ],
)
def test_gradients_that_do_not_fit_are_refused(make, gradient, message):
    parameters = {"w": np.ones(3)}
    with pytest.raises(GradientError, match=message):
        make().step(parameters, gradient)
    np.testing.assert_array_equal(parameters["w"], 1.0)


@every_variant
@pytest.mark.parametrize("parameter", [np.ones(3, dtype=np.float32), np.ones(3, dtype=int), [1.0, 2.0, 3.0]])
def test_parameters_that_are_not_float64_arrays_are_refused(make, parameter):
    with pytest.raises(OptimizerError, match="float64"):
        make().step({"w": parameter}, {"w": np.ones(3)})


@every_variant
def test_a_parameter_may_not_change_its_shape_or_be_read_only(make):
    optimizer, fixed = make(), np.ones(2)
    optimizer.step({"w": np.ones(3)}, {"w": np.ones(3)})
    with pytest.raises(OptimizerError, match=r"had \(3,\) before"):
        optimizer.step({"w": np.ones(4)}, {"w": np.ones(4)})
    fixed.flags.writeable = False
    with pytest.raises(OptimizerError, match="read-only"):
        make().step({"w": fixed}, {"w": np.ones(2)})


@every_variant
def test_a_view_is_updated_in_place(make):
    whole = np.ones((4, 4))
    make().step({"column": whole[:, 1]}, {"column": np.ones(4)})
    assert (whole[:, 1] < 1.0).all()
    np.testing.assert_array_equal(np.delete(whole, 1, axis=1), 1.0)


@every_variant
def test_empty_parameters_and_gradients_are_fine(make):
    parameters = {"empty": np.zeros((0, 3)), "w": np.ones(2)}
    optimizer = make()
    optimizer.step(parameters, {"empty": np.zeros((0, 3)), "w": SparseAdjoint([], [], (2,))})
    optimizer.finish(parameters)
    assert optimizer.steps == 1


@every_variant
def test_a_convex_quadratic_is_minimised(make):
    """f(w) = Σ c (w - target)², whose regularised minimum is near its plain one at first order."""
    parameters, curvature, target = {"w": np.zeros(3)}, np.array([1.0, 2.0, 4.0]), np.array([1.0, -2.0, 0.5])
    optimizer = type(make())(0.1)
    for _ in range(3000):
        optimizer.step(parameters, {"w": 2 * curvature * (parameters["w"] - target)})
    np.testing.assert_allclose(parameters["w"], target, atol=1e-6)


@pytest.mark.parametrize("name", ["SGD", "AdaGrad"])
def test_the_regularised_minimum_is_reached(name):
    parameters, curvature, target = {"w": np.zeros(3)}, np.array([1.0, 2.0, 4.0]), np.array([1.0, -2.0, 0.5])
    settings = {"momentum": 0.5} if name == "SGD" else {}
    for extra in ({}, settings):
        optimizer = getattr(autodiff.optimizers, name)(0.1, l2=0.5, **extra)
        for _ in range(3000):
            optimizer.step(parameters, {"w": curvature * (parameters["w"] - target)})
        np.testing.assert_allclose(parameters["w"], curvature * target / (curvature + 0.5), atol=1e-6)


@every_variant
def test_catch_up_refuses_what_it_cannot_find(make):
    optimizer, parameters = make(), {"w": np.ones(3)}
    optimizer.step(parameters, {"w": np.ones(3)})
    with pytest.raises(OptimizerError, match="no parameter 'v'"):
        optimizer.catch_up(parameters, "v")
    with pytest.raises(OptimizerError, match="no name"):
        optimizer.catch_up(parameters, indices=[0])


def test_momentum_refuses_sparse_and_missing_gradients():
    parameters, optimizer = {"w": np.ones(3)}, autodiff.optimizers.SGD(0.1, momentum=0.9)
    for gradient in ({"w": SparseAdjoint([0], [1.0], (3,))}, {}):
        with pytest.raises(GradientError, match=r"dense\(\)"):
            optimizer.step(parameters, gradient)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("SGD", {"learning_rate": -1.0}),
        ("SGD", {"learning_rate": "fast"}),
        ("SGD", {"learning_rate": 0.1, "l2": -1.0}),
        ("SGD", {"learning_rate": 0.1, "momentum": 1.0}),
        ("AdaGrad", {"learning_rate": 0.1, "delta": 0.0}),
        ("Adam", {"learning_rate": 0.1, "second_decay": 1.5}),
        ("Adam", {"learning_rate": float("nan")}),
    ],
)
def test_settings_that_cannot_work_are_refused(name, settings):
    with pytest.raises(OptimizerError, match="must be"):
        getattr(autodiff.optimizers, name)(**settings)


def test_a_step_that_shrinks_by_more_than_half_is_refused():
    with pytest.raises(OptimizerError, match=r"at most 0\.5"):
        autodiff.optimizers.SGD(1.0, l2=0.6).step({"w": np.ones(1)}, {"w": np.ones(1)})
