"""Inference as a module: potentials in, beliefs and log-partition out, for circuits."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from autodiff import Module
from autodiff.array_types import Floats
from autodiff.conversion import as_floats
from autodiff.errors import DomainError
from pgm.errors import PotentialError, UnavailableError
from pgm.graph import FactorGraph
from pgm.inference import DifferentiableInference, Inference

__all__ = ["InferenceModule"]


class InferenceModule(Module):
    """log-potentials of the families → (variable beliefs, factor beliefs of each family, log-partition).

    The inputs are the potentials of the families that have some, in the order in which they were added to the graph.
    The outputs are the beliefs of all variables as one array (states,), the beliefs of each of those families in the
    shape of its potentials, and the log-partition.  `backward` is that of the result of the run: through belief
    propagation it is exact, settled or not; exact methods go back from the log-partition only.

    Parameters
    ----------
    inference : `BeliefPropagation`, `pgm.exact.JunctionTree` or another method whose results can go back
    evidence : observed states

    Raises
    ------
    UnavailableError
        If the method's results cannot go back.
    ContradictionError
        By `forward`, if nothing satisfies all factors and the evidence, as far as the method can tell.

    Examples
    --------
    >>> from autodiff import check_gradients
    >>> from pgm import BeliefPropagation
    >>> from pgm.factors import Table
    >>> graph = FactorGraph()
    >>> x = graph.variables("x", shape=(3,))
    >>> triangle = graph.add(Table(x[[[0, 1], [1, 2], [2, 0]]], np.random.default_rng(0).normal(size=(3, 2, 2))))
    >>> module = InferenceModule(graph, BeliefPropagation(iterations=3))
    >>> check_gradients(module, triangle.potentials).passed
    True
    """

    def __init__(self, graph: FactorGraph, inference: Inference, *, evidence: Any = None) -> None:
        if not isinstance(inference, DifferentiableInference):
            raise UnavailableError(
                f"no result of {inference!r} can go back to the potentials; take BeliefPropagation or JunctionTree"
            )
        self.graph, self.inference = graph, inference
        self.evidence = graph.evidence(evidence)
        self.soft = [number for number, family in enumerate(graph.families) if family.potentials is not None]
        self.output_count = 2 + len(self.soft)

    def forward(self, *potentials: Floats) -> Any:
        """Run inference; what comes back goes through all of it."""
        if len(potentials) != len(self.soft):
            raise PotentialError(f"{len(self.soft)} families have potentials, but {len(potentials)} arrays were given")
        given: list[Floats | None] = [None] * len(self.graph.families)
        for number, values in zip(self.soft, potentials, strict=True):
            given[number] = values
        result = self.inference.run(self.graph, evidence=self.evidence, potentials=given, record=True)
        families = [self.graph.families[number] for number in self.soft]
        of_factors = result.factor_beliefs
        outputs = (
            result.flat_beliefs,
            *(of_factors[family] for family in families),
            np.array(result.log_partition),
        )
        names = ["the beliefs", *(f"the beliefs of {family!r}" for family in families), "the log-partition"]

        def backward(*adjoints: Any) -> tuple[Floats, ...]:
            if len(adjoints) != len(outputs):
                raise DomainError(f"backward: {len(adjoints)} adjoints for {len(outputs)} outputs")
            beliefs, *factors, log_partition = (
                None if adjoint is None else as_floats(adjoint, f"the adjoint of {name}", shape=output.shape)
                for adjoint, name, output in zip(adjoints, names, outputs, strict=True)
            )
            found = result.backward(
                beliefs=beliefs,
                factor_beliefs={f: a for f, a in zip(families, factors, strict=True) if a is not None},
                log_partition=None if log_partition is None else float(log_partition),
            )
            return tuple(found[family] for family in families)

        return outputs, backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable[tuple[Module, tuple[Any, ...]]]:
        """Yield few iterations on a triangle."""
        from pgm.belief_propagation import BeliefPropagation
        from pgm.factors import Table

        graph = FactorGraph()
        x = graph.variables("x", shape=(3,))
        family = graph.add(Table(x[[[0, 1], [1, 2], [2, 0]]], rng.normal(size=(3, 2, 2))))
        yield cls(graph, BeliefPropagation(iterations=2, damping=0.2)), (family.potentials,)
