"""Dynamic programs for batches: with kernels of their own, where no hypergraph is built, and for any hypergraph."""

from hypergraph.batched.binary_rules import BinaryRules
from hypergraph.batched.chains import ChainChart, best_chains
from hypergraph.batched.chart import BatchChart, BatchMarginals
from hypergraph.batched.context_free import ContextFreeChart, best_parses
from hypergraph.batched.hypergraphs import HypergraphChart, best_derivations
from hypergraph.batched.nonprojective_trees import NonprojectiveTreeChart, best_nonprojective_trees
from hypergraph.batched.trees import TreeChart, best_trees

__all__ = [
    "BatchChart",
    "BatchMarginals",
    "BinaryRules",
    "ChainChart",
    "ContextFreeChart",
    "HypergraphChart",
    "NonprojectiveTreeChart",
    "TreeChart",
    "best_chains",
    "best_derivations",
    "best_nonprojective_trees",
    "best_parses",
    "best_trees",
]
