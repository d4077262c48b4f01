"""Settings for all tests: none depends on how fast the machine is, or on what else it does."""

from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest

from autodiff import named

# A first example compiles kernels, and a busy machine is slow at any time: no deadline for an example.
hypothesis.settings.register_profile("tacana", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("tacana")


# Kinds that one test file defines are none of another's.
PACKAGES = {"autodiff", "hypergraph", "pgm", "nlp"}
_every_kind = named._below
_running = ""


def _kinds_below(kind: type[Any]) -> Iterator[type[Any]]:
    own = kind.__module__.split(".")[0] not in PACKAGES  # a contract of the test file itself
    return (
        each
        for each in _every_kind(kind)
        if own
        or each.__module__.split(".")[0] in PACKAGES
        or each.__module__ in (_running, "__main__")
        or (_running.endswith("test_docs") and each.__module__.startswith("docs_"))
    )


named._below = _kinds_below


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Note whose kinds are to be found."""
    global _running
    module = getattr(item, "module", None)
    _running = "" if module is None else module.__name__


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the fuzz tests come last: they use every kernel, and by then the others have compiled them."""
    items.sort(key=lambda item: "fuzz" in item.path.parts)
