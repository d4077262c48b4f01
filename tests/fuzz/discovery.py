"""The public names of the four packages: what is in the `__all__` of a package, or of a module that is a door."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["PACKAGES", "doors", "public_modules"]

PACKAGES = ("autodiff", "hypergraph", "pgm", "nlp")

# Modules that users import from directly: no package's `__all__` repeats their names.
MODULES = (
    "autodiff.arrays",
    "autodiff.click_options",
    "autodiff.named",
    "autodiff.options",
    "autodiff.settings",
    "autodiff.sparse",
    "hypergraph.drawing",
    "pgm.drawing",
)


def public_modules(package: str) -> Iterator[str]:
    """Yield the name of every public package at or below `package`, and of its modules that are doors."""
    yield package
    root = importlib.import_module(package)
    for found in pkgutil.walk_packages(root.__path__, f"{package}."):
        private = any(part.startswith("_") or part == "kernels" for part in found.name.split("."))
        if not private and (found.ispkg or found.name in MODULES):
            yield found.name


def doors(package: str) -> dict[str, Callable[..., Any]]:
    """Return every public function and concrete class of a package, by its full name.

    Errors, warnings, protocols, abstract classes, type aliases and constants are no doors: nothing is handed to them.
    A name that several packages export is listed where it is found first.
    """
    found: dict[str, Callable[..., Any]] = {}
    for module_name in public_modules(package):
        module = importlib.import_module(module_name)
        for name in vars(module).get("__all__", ()):
            value = getattr(module, name)
            if _is_door(value) and not any(value is other for other in found.values()):
                found[f"{module_name}.{name}"] = value
    return found


def _is_door(value: Any) -> bool:
    if inspect.isclass(value):
        is_error = issubclass(value, BaseException)
        return not (is_error or inspect.isabstract(value) or vars(value).get("_is_protocol", False))
    return inspect.isroutine(value)
