"""A sentence of 500 words: marginals in bounded memory, in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent

WORK = """
import time
import numpy as np
from hypergraph import marginals
from hypergraph.structures import ProjectiveTrees
from oracles.peak_memory import peak_megabytes

trees = ProjectiveTrees(500)
weights = trees.weights(np.random.default_rng(0).normal(size=(501, 501)))
marginals(ProjectiveTrees(3), np.zeros((4, 4)))  # compiles
started = time.perf_counter()
arcs = marginals(trees, weights)
seconds = time.perf_counter() - started
assert np.abs(arcs[:, 1:].sum(axis=0) - 1).max() < 1e-9
assert arcs.min() >= 0
print(peak_megabytes(), seconds)
"""


def test_marginals_of_500_words_need_little_memory():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")])}
    result = subprocess.run([sys.executable, "-c", WORK], capture_output=True, text=True, env=environment)
    assert result.returncode == 0, result.stderr
    megabytes, seconds = map(float, result.stdout.split())
    assert megabytes < 500, f"{megabytes:.0f} MB"
    assert seconds < 60, f"{seconds:.1f} s"  # less than one where nothing else runs; a few are expected of it
