"""Scores from the families of a graph themselves: their log-potentials, and the parameters behind those."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from autodiff import HashedParameter, Parameter
from autodiff.array_types import Floats
from pgm.belief_propagation import BeliefPropagation
from pgm.graph import FactorGraph
from pgm.learning.errors import TrainingError
from pgm.learning.instance import Instance, Scores
from pgm.learning.scorer import Gradients, Rows, Scorer, ScoresBackward

if TYPE_CHECKING:
    from pgm.learning.graph_model import GraphInstance
    from pgm.learning.structured_model import StructuredModel

__all__ = ["FamilyScorer"]


@frozen
class FamilyScorer(Scorer):
    """The scores of a graph's parts are the log-potentials of its families, by their sources."""

    def parameters(self, instances: Iterable[Instance]) -> dict[str, Parameter]:
        """Return the parameters of all families."""
        found: dict[str, Parameter] = {}
        for number, instance in enumerate(instances):
            for family in _graph(instance).families:
                for name, parameter in family.source.named_parameters().items() if family.source is not None else ():
                    if found.setdefault(name, parameter) is not parameter:
                        raise TrainingError(f"example {number}: there are two parameters named {name!r}; rename one")
        return found

    def score(self, instance: Instance, *, rng: np.random.Generator | None = None) -> tuple[Scores, ScoresBackward]:
        """Return the log-potentials of the families that have some."""
        families = _graph(instance).families
        scores: Scores = {family: family.potentials for family in families if family.potentials is not None}

        def backward(adjoints: Mapping[Any, Floats], gradients: Gradients) -> None:
            for family in families:
                if family.source is not None and family in adjoints:
                    for name, gradient in family.gradients(adjoints[family]).items():
                        gradients.add(name, gradient)

        return scores, backward

    def reads(self, instance: Instance) -> Rows | None:
        """Return the rows that the features of the families look at."""
        found: dict[str, list[NDArray[np.int64]] | None] = {}
        for family in _graph(instance).families:
            for name in () if family.source is None else family.source.named_parameters():
                rows = family.source.reads.get(name)  # type: ignore[union-attr]
                so_far = found.setdefault(name, [])
                if rows is None or so_far is None:
                    found[name] = None
                else:
                    so_far.append(rows)
        return {name: None if rows is None else np.concatenate(rows) for name, rows in found.items()}

    @classmethod
    def examples(cls, rng: np.random.Generator) -> "Iterable[tuple[StructuredModel, Any]]":
        """Yield dense and sparse features, and a table of its own parameters."""
        from pgm.factors.log_linear import LogLinear
        from pgm.factors.table import Table
        from pgm.learning.graph_model import GraphModel

        graph = FactorGraph()
        x = graph.variables("x", 3)
        dense, hashed = Parameter("dense", rng.normal(size=3)), HashedParameter("hashed", 6)
        hashed.value[:] = rng.normal(size=6)
        graph.add(LogLinear(x[[[0, 1], [1, 2]]], rng.normal(size=(2, 2, 2, 3)), dense))
        graph.add(LogLinear(x[[[0], [1]]], ([0, 3, 3, 5, 0], [0, 1, 3, 4, 5]), hashed))
        graph.add(Table([x[2]], Parameter("table", rng.normal(size=(1, 2)))))
        yield GraphModel(BeliefPropagation(schedule="serial", iterations=2)), (graph, [1, 0, 1])


def _graph(instance: Instance) -> FactorGraph:
    return cast("GraphInstance", instance).graph
