"""What the tests compare with: answers found by listing everything, slowly and without cleverness."""

from oracles.derivations import all_derivations
from oracles.draws import random_weights
from oracles.enumeration import Enumeration, canonical
from oracles.found import small_instances, structure_classes
from oracles.objects import all_objects, enumeration, parts_lists
from oracles.random_graphs import random_hypergraph, random_hypergraphs

__all__ = [
    "Enumeration",
    "all_derivations",
    "all_objects",
    "canonical",
    "enumeration",
    "parts_lists",
    "random_hypergraph",
    "random_hypergraphs",
    "random_weights",
    "small_instances",
    "structure_classes",
]
