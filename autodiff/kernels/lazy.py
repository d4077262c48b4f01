"""A package whose modules are imported when they are first used."""

import importlib
import importlib.util
from collections.abc import Callable
from types import ModuleType

__all__ = ["lazy_modules"]


def lazy_modules(package: str) -> Callable[[str], ModuleType]:
    """Return a module-level `__getattr__` for `package` that imports a submodule when it is first asked for."""

    def load(name: str) -> ModuleType:
        if name.startswith("__") or importlib.util.find_spec(f"{package}.{name}") is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return importlib.import_module(f"{package}.{name}")

    return load
