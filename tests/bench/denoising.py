"""The denoising experiment of docs/learning.md for more numbers of iterations and more seeds: a table and a plot.

    python tests/bench/denoising.py [picture.svg]

The code of the experiment is that of the page.  About two minutes on one core.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from pgm import BeliefPropagation  # noqa: E402
from pgm.learning import ConditionalLogLikelihood, GraphModel, L2Distance  # noqa: E402
from test_docs import python_blocks  # noqa: E402  # found by the line above

ITERATIONS = (1, 2, 3, 4, 6, 8, 12)
SEEDS = range(100, 105)
FIFTY = GraphModel(BeliefPropagation(iterations=50))
# An objective, and the model in which it is used, given the model that is used in the end.
WAYS = {
    "likelihood, as many iterations": lambda model: (ConditionalLogLikelihood(), model),
    "likelihood, trained to convergence": lambda model: (ConditionalLogLikelihood(), FIFTY),
    "L2 through the iterations": lambda model: (L2Distance(), model),
}


def experiment() -> Any:
    """Return the page's function `trained`."""
    namespace: dict[str, Any] = {"__name__": "experiment"}
    for block in python_blocks(ROOT / "docs" / "learning.md"):
        exec(compile(block.text, "docs/learning.md", "exec"), namespace)
        if "trained" in namespace:
            return namespace["trained"]
    raise LookupError("docs/learning.md defines no function `trained`")


def main() -> None:
    """Run it."""
    trained = experiment()
    errors = np.zeros((len(WAYS), len(ITERATIONS), len(SEEDS)))
    print("wrong pixels in % (mean ± standard deviation over seeds)")
    for column, iterations in enumerate(ITERATIONS):
        model = GraphModel(BeliefPropagation(iterations=iterations))
        for row, make in enumerate(WAYS.values()):
            errors[row, column] = [100 * trained(*make(model), model, seed)[0] for seed in SEEDS]
        cells = [f"{cell.mean():5.2f} ± {cell.std(ddof=1):.2f}" for cell in errors[:, column]]
        print(f"{iterations:3} iterations: " + "   ".join(map("{}: {}".format, WAYS, cells)), flush=True)
    if len(sys.argv) > 1:
        draw(errors, sys.argv[1])


def draw(errors: np.ndarray, path: str) -> None:
    """Draw the means, with a bar of one standard deviation."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "denoising"  # the same file every time
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6.0, 3.6), layout="constrained")
    for label, style, row in zip(WAYS, ("o--", "s:", "D-"), errors, strict=True):
        axes.errorbar(ITERATIONS, row.mean(axis=1), row.std(axis=1, ddof=1), fmt=style, label=label, capsize=3)
    axes.set_xticks(ITERATIONS)
    axes.set_xlabel("iterations of belief propagation")
    axes.set_ylabel("wrong pixels, %")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main()
