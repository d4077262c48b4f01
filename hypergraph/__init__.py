"""Hypergraphs: one engine for everything that a dynamic program can tell.

Take a ready structure from `hypergraph.structures` or write one with `HypergraphBuilder`; then ask.
"""

from hypergraph.algorithms import (
    count,
    edge_marginals,
    entropy,
    inside,
    log_partition,
    marginals,
    node_marginals,
    outside,
    total,
    viterbi,
)
from hypergraph.builder import HypergraphBuilder
from hypergraph.derivation import Derivation
from hypergraph.errors import (
    CycleError,
    GrammarError,
    GraphError,
    HypergraphError,
    ImpossibleError,
    NoHypergraphError,
    SemiringAxiomError,
    WeightError,
)
from hypergraph.graph import UNWEIGHTED, Hypergraph
from hypergraph.kbest import iterate_best, kbest
from hypergraph.modules import InsideOutside, LogPartition, Marginals
from hypergraph.moments import covariance, expectation, expectation_with_gradient
from hypergraph.sampling import sample
from hypergraph.semirings import check_semiring
from hypergraph.structure import Chart, Structure

__all__ = [
    "UNWEIGHTED",
    "Chart",
    "CycleError",
    "Derivation",
    "GrammarError",
    "GraphError",
    "Hypergraph",
    "HypergraphBuilder",
    "HypergraphError",
    "ImpossibleError",
    "InsideOutside",
    "LogPartition",
    "Marginals",
    "NoHypergraphError",
    "SemiringAxiomError",
    "Structure",
    "WeightError",
    "check_semiring",
    "count",
    "covariance",
    "edge_marginals",
    "entropy",
    "expectation",
    "expectation_with_gradient",
    "inside",
    "iterate_best",
    "kbest",
    "log_partition",
    "marginals",
    "node_marginals",
    "outside",
    "sample",
    "total",
    "viterbi",
]
