"""Dynamic programs with kernels of their own, for padded batches: no hypergraph is built."""

from hypergraph.batched.binary_rules import BinaryRules
from hypergraph.batched.chains import ChainChart, best_chains
from hypergraph.batched.chart import BatchChart, BatchMarginals
from hypergraph.batched.context_free import ContextFreeChart, best_parses
from hypergraph.batched.trees import TreeChart, best_trees

__all__ = [
    "BatchChart",
    "BatchMarginals",
    "BinaryRules",
    "ChainChart",
    "ContextFreeChart",
    "TreeChart",
    "best_chains",
    "best_parses",
    "best_trees",
]
