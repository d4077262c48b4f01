"""libDAI's own regression case: our belief propagation reaches the same fixed point as its four update rules."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from pgm import BeliefPropagation
from pgm.files import read_model

FOLDER = Path(__file__).parents[3] / "shared" / "models" / "libdai"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="../shared/models is not there")


def printed(method: str) -> tuple[list[str], np.ndarray]:
    """Return the columns of a method's line in testfast.out, and the marginals below it."""
    lines = (FOLDER / "testfast.out").read_text().splitlines()
    at = next(i for i, line in enumerate(lines) if line.split()[:1] == [method])
    rows = []
    for line in lines[at + 1 :]:
        if not line.startswith("# ({x"):
            break
        rows.append([float(number) for number in re.findall(r"\d\.\d+e[-+]\d+", line)])
    return lines[at].split(), np.array(rows)


@pytest.mark.parametrize("schedule", ["parallel", "serial", "residual"])
@pytest.mark.parametrize("method", ["BP_PARALL", "BP_SEQFIX_LOG"])
def test_the_same_beliefs_and_bethe_partition(method, schedule):
    graph = read_model(FOLDER / "testfast.fg")
    result = BeliefPropagation(schedule=schedule, tolerance=1e-9, iterations=1000).run(graph)
    columns, marginals = printed(method)
    assert result.converged
    np.testing.assert_allclose(np.array(result.beliefs), marginals, atol=6e-5)  # four digits are printed
    exact = json.loads((FOLDER / "answers.json").read_text())["testfast.fg"]["logZ"]
    assert abs((result.log_partition - exact) - float(columns[5])) < 1e-6  # the printed error of its Bethe log Z
