"""Dynamic programs with kernels of their own, for padded batches: no hypergraph is built."""

from hypergraph.batched.chart import BatchChart, BatchMarginals
from hypergraph.batched.trees import TreeChart, best_trees

__all__ = ["BatchChart", "BatchMarginals", "TreeChart", "best_trees"]
