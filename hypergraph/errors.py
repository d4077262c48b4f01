"""What can go wrong in `hypergraph`, each named by its meaning."""

__all__ = [
    "CycleError",
    "GrammarError",
    "GraphError",
    "HypergraphError",
    "ImpossibleError",
    "NoHypergraphError",
    "SemiringAxiomError",
    "WeightError",
]


class HypergraphError(Exception):
    """Base of every error that this package raises on purpose."""


class GraphError(HypergraphError, ValueError):
    """A hypergraph is not well formed; the message names the node or edge."""


class CycleError(GraphError):
    """A node takes part in its own derivation; the message names the nodes of the cycle."""


class GrammarError(HypergraphError, ValueError):
    """A grammar is not well formed; the message names the rule, and the line of the file that it was read from."""


class WeightError(HypergraphError, ValueError):
    """Weights of the wrong number, or with a value that is no log-weight (NaN or +inf)."""


class ImpossibleError(HypergraphError, ValueError):
    """Every derivation has weight zero, so there is nothing to normalise, decode or sample."""


class NoHypergraphError(HypergraphError, TypeError):
    """A structure without a hypergraph is asked for what only edges and nodes can tell."""


class SemiringAxiomError(HypergraphError, AssertionError):
    """A semiring breaks one of its laws; the message names the law and the values that break it."""
