"""Whatever is handed to a public function or class, it answers well or says what is wrong."""

from collections.abc import Iterator

import pytest

from fuzz import recipe
from fuzz.discovery import PACKAGES, doors
from fuzz.pool import Fuzzer

ALL = [name for package in PACKAGES for name in doors(package)]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_door_has_a_recipe(package):
    recipe.load(package)
    found = set(doors(package))
    missing = sorted(found - recipe.recipes.keys() - recipe.exemptions.keys())
    assert not missing, f"add a recipe to tests/fuzz/recipes_{package}.py for {missing}"
    mine = {name for name in [*recipe.recipes, *recipe.exemptions] if name.split(".")[0] == package}
    assert not mine - found, f"tests/fuzz/recipes_{package}.py has recipes for what is not public"


@pytest.fixture(scope="module")
def fuzzer() -> Iterator[Fuzzer]:
    with Fuzzer() as running:
        yield running


def _recipes() -> list[str]:
    """One door for each recipe: several may share one, which uses them all."""
    for package in PACKAGES:
        recipe.load(package)
    return list({recipe.recipes[name]: name for name in reversed(ALL) if name in recipe.recipes}.values())[::-1]


@pytest.mark.parametrize("name", _recipes())
def test_door(fuzzer, name):
    found = fuzzer.violations(name)
    assert not found, f"{len(found)} wrong answers of {name}:\n" + "\n".join(found)


@pytest.mark.slow
def test_no_kernel_reads_outside_its_arrays(tmp_path):
    checks = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    with Fuzzer(environment=checks, patience=600.0) as running:
        found = {name: running.violations(name) for name in _recipes()}
    assert not {name: wrong for name, wrong in found.items() if wrong}
