"""The kernel cache: the second process compiles nothing, and a machine where nothing can be written still works."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

WORK = """
import numpy as np
from autodiff.kernels import compiler
from hypergraph import log_partition, marginals, viterbi
from hypergraph.structures import ProjectiveTrees
trees = ProjectiveTrees(3)
assert abs(np.exp(log_partition(trees, np.zeros((4, 4)))) - 12) < 1e-9
best = viterbi(trees, np.zeros((4, 4)))
from hypergraph.kernels import eisner_real, engine_max
used = [eisner_real.inside, engine_max.inside]
print(sum(sum(kernel.stats.cache_misses.values()) for kernel in used),
      sum(sum(kernel.stats.cache_hits.values()) for kernel in used))
"""


@pytest.fixture
def installed(tmp_path):
    """A copy of the packages without any cache."""
    for package in ("autodiff", "hypergraph"):
        ignore = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc")
        shutil.copytree(ROOT / package, tmp_path / "site" / package, ignore=ignore)
    return tmp_path / "site"


def compiled_and_loaded(site: Path, home: Path) -> tuple[int, int]:
    """Run some kernels in a new process: how many were compiled, and how many came from the cache."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA", "XDG"))}
    environment |= {"PYTHONPATH": str(site), "HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", WORK], capture_output=True, text=True, env=environment, cwd=site
    )
    assert result.returncode == 0, result.stderr
    compiled, loaded = map(int, result.stdout.split())
    return compiled, loaded


def block_in_tree_cache(site: Path) -> None:
    """Make it impossible to write beside the kernels, for root too: a file where the cache directory would be."""
    for folder in site.rglob("kernels"):
        shutil.rmtree(folder / "__pycache__", ignore_errors=True)
        (folder / "__pycache__").write_text("not a directory")


def test_second_process_compiles_nothing(installed, tmp_path):
    compiled, _ = compiled_and_loaded(installed, tmp_path / "home")
    assert compiled > 0
    assert compiled_and_loaded(installed, tmp_path / "home") == (0, compiled)


def test_read_only_package_falls_back_to_the_users_cache(installed, tmp_path):
    block_in_tree_cache(installed)
    home = tmp_path / "home"
    home.mkdir()
    compiled, _ = compiled_and_loaded(installed, home)
    assert compiled > 0
    assert list(home.rglob("*.nbi")), "nothing was cached in the user's directory"
    assert compiled_and_loaded(installed, home) == (0, compiled)


def test_nowhere_to_write_is_no_error(installed, tmp_path):
    block_in_tree_cache(installed)
    nowhere = tmp_path / "nowhere"
    nowhere.write_text("a file, so that no directory can be made in it")
    for _ in range(2):
        compiled, loaded = compiled_and_loaded(installed, nowhere)
        assert compiled > 0
        assert loaded == 0
    assert not list(tmp_path.rglob("*.nbi"))


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_a_damaged_cache_is_made_anew(installed, tmp_path, ending):
    compiled, _ = compiled_and_loaded(installed, tmp_path / "home")
    files = sorted(installed.rglob(f"*.{ending}"))
    for number, file in enumerate(files):
        data = bytearray(file.read_bytes())
        match number % 3:
            case 0:
                data[len(data) // 2] ^= 1
            case 1:
                del data[len(data) // 3 :]
            case _:
                data[:] = b"rubbish"
        file.write_bytes(bytes(data))
    assert len(files) > 1
    assert compiled_and_loaded(installed, tmp_path / "home") == (compiled, 0)
    assert compiled_and_loaded(installed, tmp_path / "home") == (0, compiled)
