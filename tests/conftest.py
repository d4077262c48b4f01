"""Settings for all tests: none depends on how fast the machine is, or on what else it does."""

import hypothesis
import pytest

# A first example compiles kernels, and a busy machine is slow at any time: no deadline for an example.
hypothesis.settings.register_profile("tacana", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("tacana")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the fuzz tests come last: they use every kernel, and by then the others have compiled them."""
    items.sort(key=lambda item: "fuzz" in item.path.parts)
