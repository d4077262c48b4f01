"""A sentence of 500 words: marginals in bounded memory, in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent

WORK = """
import numpy as np
from hypergraph import marginals
from hypergraph.structures import ProjectiveTrees
from oracles.peak_memory import peak_megabytes

trees = ProjectiveTrees(500)
weights = trees.weights(np.random.default_rng(0).normal(size=(501, 501)))
arcs = marginals(trees, weights)
assert np.abs(arcs[:, 1:].sum(axis=0) - 1).max() < 1e-9
assert arcs.min() >= 0
print(peak_megabytes())
"""


def test_marginals_of_500_words_need_little_memory():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")])}
    result = subprocess.run([sys.executable, "-c", WORK], capture_output=True, text=True, env=environment)
    assert result.returncode == 0, result.stderr
    megabytes = float(result.stdout)
    assert megabytes < 500, f"{megabytes:.0f} MB"
