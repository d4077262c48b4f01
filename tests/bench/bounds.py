"""Bounds on log Z, and marginals, where plain belief propagation is of no use: DBN_11 and Grids_11.

`python -m tests.bench bounds` prints the table of docs/pgm.md.
"""

import time

import numpy as np

from bench.shared_models import MODELS
from bench.timing import Table as Columns
from pgm import BeliefPropagation, MeanField, TreeReweighted
from pgm.files import read_evidence, read_mar, read_model, read_pr

__all__ = ["run"]

METHODS = {
    "BeliefPropagation": BeliefPropagation(iterations=1000, damping=0.5),
    "TreeReweighted": TreeReweighted(iterations=3000),
    "MeanField": MeanField(starts=20),
}


def run() -> None:
    if not MODELS.is_dir():
        print("../shared/models is not there: nothing to compare with")
        return
    table = Columns("model", "method", "converged", "log Z, error", "marginals, mean error", "worst", "seconds")
    for name in ("DBN_11", "Grids_11"):
        path = MODELS / f"{name}.uai"
        graph = read_model(path)
        evidence = read_evidence(f"{path}.evid", graph)
        log_z = read_pr(f"{path}.PR")
        published = np.concatenate(read_mar(f"{path}.MAR"))
        for method, inference in METHODS.items():
            started = time.perf_counter()
            result = inference.run(graph, evidence=evidence)
            seconds = time.perf_counter() - started
            errors = np.abs(result.flat_beliefs - published)
            table.add(
                name, method, "yes" if result.converged else "no", f"{result.log_partition - log_z:+.2f}",
                f"{errors.mean():.3f}", f"{errors.max():.3f}", f"{seconds:.1f}",
            )  # fmt: skip
    print("Bounds on log Z (natural logarithms; + is above the published answer) and marginals")
    print(table, end="\n\n")
