"""Ready structures, one a file."""

from hypergraph.structures.context_free import ContextFree
from hypergraph.structures.dependency_trees import DependencyTrees
from hypergraph.structures.grammar import Grammar
from hypergraph.structures.grand_sibling_trees import GrandSiblingTrees
from hypergraph.structures.grandparent_trees import GrandparentTrees
from hypergraph.structures.linear_chain import LinearChain
from hypergraph.structures.nonprojective_trees import NonprojectiveTrees
from hypergraph.structures.projective_trees import ProjectiveTrees
from hypergraph.structures.second_order_chain import SecondOrderChain
from hypergraph.structures.segmentation import Segmentation
from hypergraph.structures.sibling_trees import SiblingTrees

__all__ = [
    "ContextFree",
    "DependencyTrees",
    "Grammar",
    "GrandSiblingTrees",
    "GrandparentTrees",
    "LinearChain",
    "NonprojectiveTrees",
    "ProjectiveTrees",
    "SecondOrderChain",
    "Segmentation",
    "SiblingTrees",
]
