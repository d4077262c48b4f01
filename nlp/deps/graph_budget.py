"""How much memory the factor graphs of training sentences may take: what is kept is not built anew each epoch."""

from attrs import define

from pgm.learning import ScoredGraph

__all__ = ["GraphBudget"]

_ARRAYS = 8  # of the size of a family's variables: places of messages and states, potentials, plans
_OBJECTS = 1 << 16


@define
class GraphBudget:
    """Counts the bytes of graphs that are kept; what it says changes the time of training, never its result.

    Attributes
    ----------
    left : bytes
    """

    left: int = 0

    def keeps(self, graph: ScoredGraph) -> bool:
        """Tell whether there is room for a graph, and take it."""
        size = _OBJECTS + _ARRAYS * sum(family.variables.nbytes for family in graph.graph.families)
        if size > self.left:
            return False
        self.left -= size
        return True
