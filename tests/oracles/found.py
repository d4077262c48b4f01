"""The structures, and the kinds of other contracts, that there are: found rather than listed."""

import importlib
import inspect
import pkgutil

import hypergraph.structures
from hypergraph import Structure

__all__ = ["concrete", "small_instances", "structure_classes"]


def concrete(contract: type, *packages: str) -> list[type]:
    """Return every subclass of a contract that a module of these packages defines, abstract and private ones aside."""
    found = set()
    for package in packages:
        path = importlib.import_module(package).__path__
        for module in pkgutil.walk_packages(path, f"{package}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    waiting = [contract]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            waiting.append(kind)
            inside = kind.__module__.startswith(tuple(f"{package}." for package in packages))
            if inside and not inspect.isabstract(kind) and not kind.__name__.startswith("_"):
                found.add(kind)
    return sorted(found, key=lambda kind: kind.__name__)


def structure_classes() -> list[type[Structure]]:
    """Return every structure that a file of hypergraph.structures defines, abstract ones aside."""
    found = set()
    for module in pkgutil.iter_modules(hypergraph.structures.__path__, "hypergraph.structures."):
        for _, value in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if issubclass(value, Structure) and value.__module__ == module.name and not inspect.isabstract(value):
                found.add(value)
    return sorted(found, key=lambda kind: kind.__name__)


def small_instances() -> list[Structure]:
    """Return the examples of all structures."""
    return [instance for kind in structure_classes() for instance in kind.examples()]
