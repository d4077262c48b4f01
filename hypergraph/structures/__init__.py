"""Ready structures, one a file."""

from hypergraph.structures.projective_trees import ProjectiveTrees

__all__ = ["ProjectiveTrees"]
