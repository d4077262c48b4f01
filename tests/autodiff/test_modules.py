"""Every module in `autodiff.modules`, found by itself, keeps the contract on the examples that it offers."""

import importlib
import inspect
import pkgutil

import numpy as np
import pytest

import autodiff.modules
from autodiff import Module, check_gradients

DRAWS = 5


def find_modules() -> list[type[Module]]:
    found = []
    for entry in pkgutil.iter_modules(autodiff.modules.__path__):
        file = importlib.import_module(f"autodiff.modules.{entry.name}")
        for _, value in inspect.getmembers(file, inspect.isclass):
            defined_here = value.__module__ == file.__name__
            if defined_here and issubclass(value, Module) and not inspect.isabstract(value):
                found.append(value)
    return found


MODULES = find_modules()
each_module = pytest.mark.parametrize("module_class", MODULES, ids=lambda module_class: module_class.__name__)


def test_modules_are_found_and_public() -> None:
    assert len(MODULES) >= 30
    assert {module_class.__name__ for module_class in MODULES} == set(autodiff.modules.__all__)


@each_module
def test_module_offers_examples(module_class: type[Module]) -> None:
    examples = list(module_class.examples(np.random.default_rng(0)))
    assert len(examples) >= 2
    assert all(type(module) is module_class for module, _ in examples)


@each_module
@pytest.mark.parametrize("seed", range(DRAWS))
def test_gradients(module_class: type[Module], seed: int) -> None:
    for module, inputs in module_class.examples(np.random.default_rng(seed)):
        check_gradients(module, *inputs, tolerance=1e-8, seed=seed).raise_if_failed()


@each_module
def test_gradients_in_random_directions(module_class: type[Module]) -> None:
    for module, inputs in module_class.examples(np.random.default_rng(DRAWS)):
        check_gradients(module, *inputs, max_full=0).raise_if_failed()


@each_module
def test_outputs_are_floats(module_class: type[Module]) -> None:
    for module, inputs in module_class.examples(np.random.default_rng(0)):
        returned = module(*inputs)
        outputs = returned if isinstance(returned, tuple) else (returned,)
        assert len(outputs) == module.output_count
        assert all(np.asarray(output).dtype == np.float64 for output in outputs)


@each_module
def test_float32_become_float64(module_class: type[Module]) -> None:
    for module, inputs in module_class.examples(np.random.default_rng(0)):
        narrow = [
            value.astype(np.float32) if isinstance(value, np.ndarray) and value.dtype == np.float64 else value
            for value in inputs
        ]
        returned = module(*narrow)
        outputs = returned if isinstance(returned, tuple) else (returned,)
        assert all(np.asarray(output).dtype == np.float64 for output in outputs)
