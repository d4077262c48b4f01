"""`make bench`: one table a subject, ratios within one run, on one core."""

import os
import sys
from pathlib import Path

# Before NumPy is imported: one thread, whatever the environment says.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
sys.path.insert(0, str(Path(__file__).parent.parent))

from bench import chains, context_free, factor_graphs, features, parsing_graph, trees

if __name__ == "__main__":
    for subject in (trees, chains, context_free, factor_graphs, parsing_graph, features):
        subject.run()
