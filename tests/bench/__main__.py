"""`make bench`: one table a subject, ratios within one run, on one core; `python -m tests.bench NAME …` for some."""

import importlib
import os
import sys
from pathlib import Path

# Before NumPy is imported: one thread, whatever the environment says.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
sys.path.insert(0, str(Path(__file__).parent.parent))

SUBJECTS = ["trees", "chains", "context_free", "factor_graphs", "parsing_graph", "features", "parser", "parser_memory"]

if __name__ == "__main__":
    for subject in sys.argv[1:] or SUBJECTS:
        importlib.import_module(f"bench.{subject}").run()
