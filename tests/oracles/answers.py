"""All answers that an instance has, with the events of each and their log-weights, by enumeration."""

from typing import Any

import numpy as np
from attrs import field, frozen

from oracles.enumeration import canonical
from oracles.objects import enumeration
from pgm.learning import GraphInstance, Instance, StructureInstance

__all__ = ["Answers", "answers"]


@frozen(eq=False)
class Answers:
    """Answers: `events[a]` says how often answer a has each event, `log_weights[a]` is its score."""

    found: list[Any] = field()
    events: np.ndarray = field()
    log_weights: np.ndarray = field()

    @property
    def log_partition(self) -> float:
        return float(np.logaddexp.reduce(self.log_weights))

    @property
    def probabilities(self) -> np.ndarray:
        return np.exp(self.log_weights - self.log_partition)

    @property
    def beliefs(self) -> np.ndarray:
        return self.probabilities @ self.events

    def of_greatest(self, totals: np.ndarray) -> list[Any]:
        """The answers for which `totals` (answers,) is the greatest, but for rounding; impossible ones aside."""
        totals = np.where(self.log_weights > -np.inf, totals, -np.inf)
        return [self.found[a] for a in np.flatnonzero(totals > totals.max() - 1e-9)]


def answers(instance: Instance, scores: dict[Any, np.ndarray]) -> Answers:
    """Return all answers of a graph or of a structure at some scores."""
    if isinstance(instance, GraphInstance):
        graph = instance.graph
        potentials = [scores.get(family) for family in graph.families]
        states = [np.array(y) for y in np.ndindex(*graph.cardinalities)]
        events = np.zeros((len(states), int(graph.state_starts[-1])))
        for row, y in zip(events, states, strict=True):
            row[graph.state_starts[:-1] + y] = 1.0
        log_weights = np.array([graph.score(y, potentials=potentials) for y in states])
        return Answers([canonical(y) for y in states], events, log_weights)
    if isinstance(instance, StructureInstance):
        listed = enumeration(instance.structure)
        return Answers(listed.objects, listed.uses, listed.scores(scores["weights"]))
    raise NotImplementedError(f"write in tests/oracles/answers.py how to list the answers of {type(instance).__name__}")
