"""The structures that there are, found rather than listed."""

import importlib
import inspect
import pkgutil

import hypergraph.structures
from hypergraph import Structure

__all__ = ["small_instances", "structure_classes"]


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
