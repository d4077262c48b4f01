"""Belief propagation on the real models of ../shared/models, compared with the published answers.

Not timed: `python -m tests.bench shared_models` prints the table of docs/results.md.
"""

import time
from pathlib import Path

import numpy as np

from bench.timing import Table as Columns
from pgm import BeliefPropagation
from pgm.exact import JunctionTree
from pgm.files import read_evidence, read_mar, read_model, read_pr

__all__ = ["run"]

MODELS = Path(__file__).parents[3] / "shared" / "models" / "uai2014"


def run() -> None:
    if not MODELS.is_dir():
        print("../shared/models is not there: nothing to compare with")
        return
    table = Columns("model", "treewidth", "junction tree would need", "BP", "iterations", "log10 Z, error",
                    "marginals, mean error", "marginals, worst")  # fmt: skip
    for path in sorted(MODELS.glob("*.uai")):
        graph = read_model(path)
        evidence = read_evidence(f"{path}.evid", graph)
        plan = JunctionTree().plan(graph, evidence=evidence)
        started = time.perf_counter()
        result = BeliefPropagation(iterations=1000, tolerance=1e-8, damping=0.5).run(graph, evidence=evidence)
        seconds = time.perf_counter() - started
        log_z = read_pr(f"{path}.PR")
        published = read_mar(f"{path}.MAR")
        errors = np.concatenate([np.abs(a - b) for a, b in zip(result.beliefs, published, strict=True)])
        table.add(
            path.stem, plan.treewidth, f"{plan.memory / 2**20:.1f} MiB",
            f"{'converged' if result.converged else 'did not converge'}, {seconds:.1f} s", result.iterations,
            f"{(result.log_partition - log_z) / np.log(10):+.4f}", f"{errors.mean():.4f}", f"{errors.max():.4f}",
        )  # fmt: skip
    print("UAI-2014 models: flooding with damping 0.5, at most 1,000 iterations, against the published answers")
    print(table, end="\n\n")
