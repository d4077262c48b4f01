"""Factors, one family a file."""

from pgm.factors.and_with_output import AndWithOutput
from pgm.factors.arc_pairs import no_two_cycle, not_two
from pgm.factors.at_most_one import AtMostOne
from pgm.factors.both_on import BothOn
from pgm.factors.budget import Budget
from pgm.factors.child_sequence import ChildSequence
from pgm.factors.constituency import Constituency, all_spans
from pgm.factors.exact_dependency import ExactDependency
from pgm.factors.exactly_one import ExactlyOne
from pgm.factors.hypergraph_factor import HypergraphFactor
from pgm.factors.imply import Imply
from pgm.factors.labelled_constituency import LabelledConstituency
from pgm.factors.linear_chain import LinearChainFactor
from pgm.factors.log_linear import LogLinear
from pgm.factors.logical_or import Or
from pgm.factors.nand import Nand
from pgm.factors.no_cross import NoCross
from pgm.factors.or_with_output import OrWithOutput
from pgm.factors.parity import Parity
from pgm.factors.projective_tree import ProjectiveTree
from pgm.factors.scored import Scored
from pgm.factors.segmentation import SegmentationFactor
from pgm.factors.table import Table
from pgm.factors.tree import Tree
from pgm.factors.trigram import Trigram
from pgm.factors.xor_with_output import XorWithOutput

__all__ = [
    "AndWithOutput",
    "AtMostOne",
    "BothOn",
    "Budget",
    "ChildSequence",
    "Constituency",
    "ExactDependency",
    "ExactlyOne",
    "HypergraphFactor",
    "Imply",
    "LabelledConstituency",
    "LinearChainFactor",
    "LogLinear",
    "Nand",
    "NoCross",
    "Or",
    "OrWithOutput",
    "Parity",
    "ProjectiveTree",
    "Scored",
    "SegmentationFactor",
    "Table",
    "Tree",
    "Trigram",
    "XorWithOutput",
    "all_spans",
    "no_two_cycle",
    "not_two",
]
