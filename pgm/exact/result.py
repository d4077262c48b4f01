"""What exact inference answers."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from attrs import field, frozen
from numpy.typing import ArrayLike

from autodiff.array_types import Floats, Integers
from autodiff.conversion import as_floats
from pgm.errors import UnavailableError
from pgm.factor import Factor
from pgm.graph import FactorGraph
from pgm.inference_result import InferenceResult

__all__ = ["ExactResult", "MapResult"]


@frozen(eq=False, kw_only=True)
class ExactResult(InferenceResult):
    """Exact marginals and the log-partition; the most probable assignment when it is asked for.

    Attributes
    ----------
    log_partition : log Σ_y Π_α ψ_α(y), over the y that agree with the evidence
    flat_beliefs : (states,) for each variable the probabilities of its states (those of an observed one are 0 and 1)
    potentials : those that the run was given in place of the families' own
    """

    graph: FactorGraph = field(repr=False)
    potentials: Sequence[Floats | None] | None = field(repr=False)
    log_partition: float = field()
    flat_beliefs: Floats = field(repr=False)
    _make_family_beliefs: Callable[[], list[Floats]] = field(repr=False)
    _make_joint_belief: Callable[[list[int]], Floats] = field(repr=False)
    _make_assignment: Callable[[], Integers] = field(repr=False)

    @property
    def converged(self) -> bool:
        """True: nothing is left to do."""
        return True

    @property
    def factor_beliefs(self) -> dict[Factor, Floats]:
        """For each family with log-potentials, in their shape, the belief of each entry.

        Raises
        ------
        UnavailableError
            If the log-potentials of a family are no table over its variables.
        """
        found = {}
        for family, joint in zip(self.graph.families, self._joint_marginals, strict=False):
            if family.potentials is None:
                continue
            if family.potentials.shape != joint.shape:
                raise UnavailableError(
                    f"{family!r} has potentials of shape {family.potentials.shape}, which are no table: exact "
                    f"inference gives no beliefs for them; ask BeliefPropagation, which is exact on a tree of factors"
                )
            found[family] = joint
        return found

    def assignment(self) -> Integers:
        """Return (variables,): a most probable assignment."""
        return self._assignment

    def backward(
        self,
        *,
        beliefs: ArrayLike | None = None,
        factor_beliefs: Mapping[Factor, ArrayLike] | None = None,
        log_partition: float | None = None,
    ) -> dict[Factor, Floats]:
        """Return the adjoints of the log-potentials, given that of the log-partition: its gradient is the beliefs.

        Raises
        ------
        UnavailableError
            If an adjoint of beliefs is given: their derivatives are those that belief propagation has.
        """
        if beliefs is not None or factor_beliefs:
            raise UnavailableError(
                "exact inference goes back from the log-partition only, not from beliefs; "
                "ask BeliefPropagation(…).run(graph, record=True), which is exact on a tree of factors"
            )
        adjoint = 0.0 if log_partition is None else as_floats(log_partition, "the adjoint of log_partition", shape=())
        return {family: adjoint * belief for family, belief in self.factor_beliefs.items()}

    @cached_property
    def _joint_marginals(self) -> list[Floats]:
        """For each family (F, c_1, …, c_D): joint marginals of each factor's variables."""
        return self._make_family_beliefs()

    @cached_property
    def _assignment(self) -> Integers:
        return self._make_assignment()

    def _factor_belief(self, factor: Factor) -> Floats:
        return self._joint_marginals[self._number_of(factor)]

    def _joint_belief(self, variables: list[int]) -> Floats:
        return self._make_joint_belief(variables)


@frozen(eq=False)
class MapResult(InferenceResult):
    """The most probable assignment, and nothing else.

    Attributes
    ----------
    score : its log-potential Σ_α log ψ_α(y)
    """

    graph: FactorGraph = field(repr=False)
    _assignment: Integers = field(repr=False)
    score: float = field()

    def assignment(self) -> Integers:
        """Return (variables,) state numbers."""
        return self._assignment
