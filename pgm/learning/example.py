"""What is learned from: a graph, and what is right in it."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from attrs import field, frozen

from autodiff.array_types import Floats, Integers
from pgm.errors import FactorGraphError
from pgm.evidence import Evidence
from pgm.graph import FactorGraph
from pgm.learning.errors import GoldError

__all__ = ["Example", "ExampleLike", "as_assignment", "as_example"]


@frozen(eq=False)
class Example:
    """A graph, the right states of its variables (or of some), and what is observed.

    Parameters
    ----------
    gold : {variable: state} by names or numbers, also of arrays of variables; or (variables,) state numbers, -1 where
        unknown: all the forms of `pgm.evidence`
    evidence : states that are given when the model is used, in the same forms; objectives condition on them
    targets : (states of all variables,) beliefs that a model should have, for `L2Distance`; by default 1 for the right
        state of each variable whose state is known, and 0 for its others

    Examples
    --------
    >>> graph = FactorGraph()
    >>> pixels, label = graph.variables("pixel", (2, 2)), graph.variable("label", ["cat", "dog"])
    >>> Example(graph, {pixels: [[0, 1], [1, 1]], label: "dog"}).gold
    array([0, 1, 1, 1, 1])
    >>> Example(graph, {label: "dog"}).gold                       # the pixels are latent
    array([-1, -1, -1, -1,  1])
    """

    graph: FactorGraph = field()
    gold: Integers = field()
    evidence: Integers = field(default=None, kw_only=True)
    targets: Floats | None = field(default=None, kw_only=True)

    def __attrs_post_init__(self) -> None:
        gold = as_assignment(self.graph, self.gold)
        evidence = as_assignment(self.graph, {} if self.evidence is None else self.evidence)
        wrong = np.flatnonzero((gold >= 0) & (evidence >= 0) & (gold != evidence))
        if len(wrong):
            variable = self.graph.variable_at(int(wrong[0]))
            raise GoldError(
                f"variable {variable.name!r} is observed in state "
                f"{variable.states[evidence[wrong[0]]]!r}, but its gold state is {variable.states[gold[wrong[0]]]!r}"
            )
        object.__setattr__(self, "gold", np.where(evidence >= 0, evidence, gold))
        object.__setattr__(self, "evidence", evidence)
        if self.targets is not None:
            targets = np.asarray(self.targets, dtype=np.float64)
            if targets.shape != (int(self.graph.cardinalities.sum()),):
                raise GoldError(
                    f"targets have shape {targets.shape}, but there are {self.graph.cardinalities.sum()} states in all"
                )
            object.__setattr__(self, "targets", targets)

    @property
    def observed(self) -> Evidence:
        """The evidence, for inference."""
        return self.graph.evidence(self.evidence)

    @property
    def clamped(self) -> Evidence:
        """Evidence and gold together, for inference."""
        return self.graph.evidence(self.gold)

    def complete(self, why: str) -> Integers:
        """Return the gold states, if all are known."""
        unknown = np.flatnonzero(self.gold < 0)
        if len(unknown):
            name = self.graph.variable_at(int(unknown[0])).name
            raise GoldError(
                f"{why} needs the gold state of every variable, but {len(unknown)} have none, such as {name!r}; "
                f"MarginalLogLikelihood sums over latent variables"
            )
        return self.gold


ExampleLike: TypeAlias = "Example | tuple[FactorGraph, Any] | Callable[[], Any]"


def as_example(item: ExampleLike) -> Example:
    """Return an example, given one, a pair (graph, gold), or a function that makes either.

    >>> graph = FactorGraph()
    >>> _ = graph.variable("x")
    >>> as_example(lambda: (graph, [1])).gold
    array([1])
    """
    if callable(item):
        item = item()
    if isinstance(item, Example):
        return item
    if isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], FactorGraph):
        return Example(*item)
    raise GoldError(f"an example is an Example or a pair (graph, gold), not {item!r}")


def as_assignment(graph: FactorGraph, states: Any) -> Integers:
    """Return (variables,): state numbers, -1 where unknown; see `pgm.evidence` for what it takes."""
    result = np.full(graph.num_variables, -1, dtype=np.int64)
    try:
        found = graph.evidence(states)
    except FactorGraphError as error:
        raise GoldError(str(error)) from error
    result[list(found)] = list(found.values())
    return result
