"""Belief propagation as a module: a fixed number of iterations, differentiated exactly."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autodiff import Backward, Module
from autodiff.conversion import as_floats
from autodiff.errors import DomainError
from pgm.belief_propagation import BeliefPropagation, as_schedule, warn_of_no_iterations
from pgm.graph import FactorGraph
from pgm.message_passing import MessagePassing, check_potentials
from pgm.schedules import Plan, Schedule

__all__ = ["UnrolledBeliefPropagation"]

Floats = NDArray[np.float64]


class UnrolledBeliefPropagation(Module):
    """log-potentials of the families → (variable beliefs, factor beliefs of each family, Bethe log-partition).

    The inputs are the potentials of the families that have some, in the order in which they were added to the graph.
    The outputs are the beliefs of all variables as one array (states,), the beliefs of each of those families in the
    shape of its potentials, and the Bethe log-partition.  `backward` runs the same steps in reverse, exactly: through
    damping and every factor, for whatever the messages were after so many iterations, converged or not.

    Parameters
    ----------
    iterations : so many, always; not negative
    schedule, damping : as for `BeliefPropagation`
    evidence : observed states
    variables_only : give the beliefs of the variables alone, which is less work

    Raises
    ------
    ValueError
        If an option is out of range, as for `BeliefPropagation`.
    ContradictionError
        By `forward`, if nothing satisfies all factors and the evidence, as far as messages tell.

    Examples
    --------
    >>> from autodiff import check_gradients
    >>> from pgm.factors import Table
    >>> graph = FactorGraph()
    >>> x = graph.variables("x", shape=(3,))
    >>> triangle = graph.add(Table(x[[[0, 1], [1, 2], [2, 0]]], np.random.default_rng(0).normal(size=(3, 2, 2))))
    >>> module = UnrolledBeliefPropagation(graph, iterations=3)
    >>> check_gradients(module, triangle.potentials).passed
    True
    """

    def __init__(
        self,
        graph: FactorGraph,
        *,
        iterations: int,
        schedule: Schedule | str = "parallel",
        damping: float = 0.0,
        evidence: Any = None,
        variables_only: bool = False,
    ) -> None:
        settings = BeliefPropagation(iterations=iterations, damping=damping, schedule=as_schedule(schedule))
        warn_of_no_iterations(iterations)
        self.graph, self.iterations, self.damping = graph, iterations, damping
        chosen = settings.schedule
        self.plan: Plan = graph.derived(chosen, lambda: chosen.plan(graph))
        self.evidence = graph.evidence(evidence)
        self.soft = [number for number, family in enumerate(graph.families) if family.potentials is not None]
        self.variables_only = variables_only
        self.output_count = 1 if variables_only else 2 + len(self.soft)

    def forward(self, *potentials: Floats) -> tuple[Any, Backward]:
        """Run the iterations."""
        passing = MessagePassing(
            self.plan.layout,
            potentials=check_potentials(self.plan.layout, potentials),
            evidence=self.evidence,
            damping=self.damping,
            record=True,
        )
        self.plan.start(passing)
        for _ in range(self.iterations):
            self.plan.iterate(passing)
        runs = () if self.variables_only else passing.runs()

        def backward(*adjoints: Any) -> tuple[Floats | None, ...]:
            """Return the adjoints of the potentials."""
            beliefs, *of_factors = self._checked(passing, adjoints)
            of_blocks, log_partition = ([], None) if self.variables_only else self._of_blocks(passing, of_factors)
            found = passing.backward(runs, beliefs, of_blocks, log_partition)
            return tuple(found[number] for number in self.soft)

        if self.variables_only:
            return passing.beliefs(), backward
        by_family: list[Floats | None] = [None if p is None else np.zeros_like(p) for p in passing.potentials]
        for block, run in zip(self.plan.layout.blocks, runs, strict=True):
            if run.beliefs is not None:
                block.scatter(run.beliefs, by_family)
        factor_beliefs = [belief for belief in by_family if belief is not None]
        return (passing.beliefs(), *factor_beliefs, np.array(passing.log_partition(runs))), backward

    def _checked(self, passing: MessagePassing, adjoints: Sequence[Any]) -> list[Floats | None]:
        """Return the adjoints of the outputs as arrays of their shapes; None stays."""
        outputs: list[tuple[str, tuple[int, ...]]] = [("the beliefs", (passing.layout.num_states,))]
        if not self.variables_only:
            soft = [
                (family, p) for family, p in zip(self.graph.families, passing.potentials, strict=True) if p is not None
            ]
            outputs += [(f"the beliefs of {family!r}", potentials.shape) for family, potentials in soft]
            outputs.append(("the log-partition", ()))
        if len(adjoints) != len(outputs):
            raise DomainError(f"backward: {len(adjoints)} adjoints for {len(outputs)} outputs")
        return [
            None if adjoint is None else as_floats(adjoint, f"the adjoint of {of_what}", shape=shape)
            for adjoint, (of_what, shape) in zip(adjoints, outputs, strict=True)
        ]

    def _of_blocks(self, passing: MessagePassing, of_factors: list[Any]) -> tuple[list[Floats | None], Any]:
        """Return the adjoints of the blocks' beliefs, given those of the families', and that of the log-partition."""
        *of_soft, log_partition = of_factors
        of_family: list[Any] = [None] * len(self.graph.families)
        for number, adjoint in zip(self.soft, of_soft, strict=True):
            of_family[number] = adjoint
        of_blocks = [
            None
            if block.factor.potentials is None or all(of_family[family] is None for family, _ in block.parts)
            else block.gather([np.zeros_like(p) if a is None and p is not None else a
                               for a, p in zip(of_family, passing.potentials, strict=True)])
            for block in self.plan.layout.blocks
        ]  # fmt: skip
        return of_blocks, log_partition
