"""A package whose modules are imported when they are first used."""

import importlib
from collections.abc import Callable
from types import ModuleType

__all__ = ["lazy_modules"]


def lazy_modules(package: str, names: tuple[str, ...]) -> Callable[[str], ModuleType]:
    """Return a module-level `__getattr__` for `package` that imports its submodules `names` on first use."""

    def load(name: str) -> ModuleType:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return importlib.import_module(f"{package}.{name}")

    return load
