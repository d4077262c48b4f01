"""First-order projective marginals: the kernel, the generic engine, plain NumPy and other libraries."""

import numpy as np

from bench.numpy_eisner import diagonal_marginals, per_edge_marginals
from bench.timing import Table, milliseconds, race
from hypergraph.batched import TreeChart
from hypergraph.inside_outside import InsideOutsideChart
from hypergraph.structures import ProjectiveTrees

__all__ = ["run"]


def run() -> None:
    table = Table("n", "kernel", "kernel, batch of 32", "generic engine", "NumPy diagonals", "NumPy per edge",
                  "torch-struct", "generic/kernel", "generic/batch", "per edge/generic", "torch-struct/kernel",
                  "batch (n) / batch (n/2)")  # fmt: skip
    backward = Table("n", "engine", "forward", "backward", "backward/forward")
    previous = None
    for n in (10, 20, 40, 80):
        rng = np.random.default_rng(n)
        trees = ProjectiveTrees(n)
        weights = trees.weights(rng.normal(size=(n + 1, n + 1)))
        direction = rng.normal(size=weights.shape)
        batch, batch_direction = weights[None].copy(), direction[None].copy()
        many = np.tile(weights, (32, 1, 1))
        trees.graph  # noqa: B018 - built outside the clock, as in use
        _check_agreement(trees, weights)
        candidates = {
            "kernel": lambda batch=batch: TreeChart.run(batch).marginals,
            "batch": lambda many=many: TreeChart.run(many).marginals,
            "generic": lambda t=trees, w=weights: InsideOutsideChart.run(t, w).weight_marginals,
            "diagonals": lambda w=weights: diagonal_marginals(w),
        }
        if n <= 40:
            candidates["edges"] = lambda t=trees, w=weights: per_edge_marginals(t.graph, w)
        other = _torch_struct(weights)
        if other:
            candidates["torch-struct"] = other
        best = race(candidates)
        kernel, each, generic, edges = best["kernel"], best["batch"] / 32, best["generic"], best.get("edges")
        table.add(
            n, milliseconds(kernel), milliseconds(each), milliseconds(generic), milliseconds(best["diagonals"]),
            milliseconds(edges) if edges else "-", milliseconds(best["torch-struct"]) if other else "not installed",
            f"{generic / kernel:.1f}", f"{generic / each:.1f}", f"{edges / generic:.0f}" if edges else "-",
            f"{best['torch-struct'] / kernel:.0f}" if other else "-", f"{each / previous:.1f}" if previous else "-",
        )  # fmt: skip
        previous = each
        chart, generic_chart = TreeChart.run(batch), InsideOutsideChart.run(trees, weights)
        flat = direction.reshape(-1)
        times = race(
            {
                "kernel forward": candidates["kernel"],
                "kernel backward": lambda c=chart, d=batch_direction: c.backward(d),
                "generic forward": candidates["generic"],
                "generic backward": lambda c=generic_chart, d=flat: c.backward(d),
            }
        )
        for engine in ("kernel", "generic"):
            ahead, back = times[f"{engine} forward"], times[f"{engine} backward"]
            backward.add(n, engine, milliseconds(ahead), milliseconds(back), f"{back / ahead:.2f}")
    print("First-order projective marginals (log-partition and all arcs), a sentence, any number of roots")
    print(table, end="\n\n")
    print("Backward pass of the marginals (the forward pass has been run)")
    print(backward, end="\n\n")


def _check_agreement(trees: ProjectiveTrees, weights: np.ndarray) -> None:
    expected = InsideOutsideChart.run(trees, weights).weight_marginals.reshape(weights.shape)
    np.testing.assert_allclose(TreeChart.run(weights[None]).marginals[0][0], expected, atol=1e-10)
    np.testing.assert_allclose(diagonal_marginals(weights)[1], expected, atol=1e-10)


def _torch_struct(weights: np.ndarray):
    try:
        import torch
        import torch_struct
    except ImportError:
        return None
    torch.set_num_threads(1)
    # torch-struct keeps root scores on the diagonal, heads in rows.
    scores = torch.tensor(weights[1:, 1:].copy())
    scores[torch.arange(len(scores)), torch.arange(len(scores))] = torch.tensor(weights[0, 1:])
    leaf = scores[None].requires_grad_()

    def run():
        # Not the leaf itself: torch-struct writes into its potentials, which PyTorch forbids for a leaf.
        return torch_struct.DependencyCRF(leaf * 1.0, multiroot=True).marginals

    return run
