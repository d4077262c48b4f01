"""Non-projective dependency trees without a hypergraph: their sums, the best in order, samples and their number.

`structures.NonprojectiveTrees` asks all of it; here is what others build on.
"""

from hypergraph.nonprojective.matrix_tree import TreeSums, best_escape

__all__ = ["TreeSums", "best_escape"]
