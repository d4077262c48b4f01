"""Messages between the factors and variables of a graph, forward and backward.

Only messages from factors to variables are held.  What a factor hears from a variable is the variable's `total` without
the factor's own message, so messages from variables cost time linear in the degree and need no storage, in both passes.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from autodiff.array_types import Floats
from pgm import kernels
from pgm.channel import Channel, Proposal, Sent
from pgm.errors import ContradictionError, FactorGraphError
from pgm.factor_run import FactorRun
from pgm.layout import FactorBlock, Layout

__all__ = ["MessagePassing", "MessageStep"]


@frozen(eq=False)
class MessageStep:
    """One update: the factors of a block send messages, to all their variables or only to some.

    Attributes
    ----------
    block : number of the block in the layout
    targets : (F, D) which messages are sent, or None for all
    """

    block: int = field()
    targets: NDArray[np.bool_] | None = field(default=None, repr=False)


@frozen(eq=False)
class Snapshot:
    """The state of message passing at one time, and how many rounds were recorded until then."""

    base: Floats = field()
    contributions: Floats = field()
    total: Floats = field()
    messages: list[Floats] = field()
    recorded: int = field()


class MessagePassing:
    """The state of message passing on a layout: the messages of all blocks, and their sums.

    Parameters
    ----------
    potentials : of each family of the graph; by default its own
    evidence : {variable number: state number}
    mode : "sum" or "max"
    damping : the weight of the old message, in the log domain
    record : whether to keep what `backward` needs
    plain : whether all messages are in the log domain, as `heat` needs, though a family might know better
    counting : (F,) for each family of the graph, the counting numbers of its factors; None for 1.  The potentials that
        are given count whole: a factor works with ψ^(1/c).  Implies `plain`; there is no backward pass
    """

    def __init__(
        self,
        layout: Layout,
        *,
        potentials: Sequence[Floats | None] | None = None,
        evidence: Mapping[int, int] | None = None,
        mode: str = "sum",
        damping: float = 0.0,
        record: bool = False,
        plain: bool = False,
        counting: Sequence[Floats] | None = None,
    ) -> None:
        if counting is not None and record:
            raise FactorGraphError("counting numbers have no backward pass: take record=False")
        self.layout, self.mode, self.record, self.counting = layout, mode, record, counting
        families = layout.graph.families
        self.given = potentials
        self.potentials = [family.potentials for family in families] if potentials is None else list(potentials)
        make = Channel if plain or counting is not None else None
        self.channels = [
            (make or block.factor.channel)(
                block,
                block.factor.prepare(self._effective(block)),
                mode=mode,
                damping=damping if block.factor.degree > 1 else 0.0,  # constant messages are sent once, and whole
            )
            for block in layout.blocks
        ]
        for channel in self.channels if counting is not None else ():
            channel.counting = self._counting_of(channel.block)
        self.contributions = np.zeros(layout.num_contributions)
        self._contributors = layout.contributors
        self.base = np.zeros(layout.num_states)
        for variable, state in (evidence or {}).items():
            first, last = layout.start[variable : variable + 2]
            self.base[first:last] = -np.inf
            self.base[first + state] = 0.0
        self.total = self.base.copy()
        self.track = True  # whether `send` has to say by how much messages change
        self.tape: list[list[tuple[int, Sent]]] = []  # the steps of each round

    def _counting_of(self, block: FactorBlock) -> Floats:
        """Return (F,): the counting numbers of a block's factors."""
        if self.counting is None:
            return block.ones
        return np.concatenate([self.counting[family][rows] for family, rows in block.parts])

    def _effective(self, block: FactorBlock) -> Floats | None:
        """Return the block's log-potentials, over its counting numbers."""
        whole = block.gather(self.potentials)
        if whole is None or self.counting is None:
            return whole
        return whole / self._counting_of(block).reshape(-1, *[1] * (whole.ndim - 1))

    @cached_property
    def counting_of_variables(self) -> Floats:
        """(variables,): 1 - Σ_α c_α over the factors at each variable; 1 minus its degree in belief propagation."""
        if self.counting is None:
            return np.asarray(1 - self.layout.degrees, dtype=np.float64)
        result = np.ones(self.layout.graph.num_variables)
        for channel in self.channels:
            variables = channel.block.factor.variables
            np.subtract.at(result, variables, np.broadcast_to(channel.counting[:, None], variables.shape))
        return result

    # Forward

    def heat(self, temperature: float) -> None:
        """Replace every potential ψ by ψ^(1/T), and keep the messages."""
        scaled = [None if p is None else p / temperature for p in self.potentials]
        for channel in self.channels:
            channel.prepared = channel.block.factor.prepare(channel.block.gather(scaled))

    def clamp(self, variable: int, state: int) -> None:
        """Make every other state of a variable impossible."""
        first, last = self.layout.start[variable : variable + 2]
        kept = self.base[first + state]
        self.base[first:last] = -np.inf
        self.base[first + state] = kept
        kernels.passing.resum(
            np.arange(first, last), *self.layout.contributors, self.contributions, self.base, self.total
        )

    def snapshot(self) -> "Snapshot":
        """Return what `go_back` needs to undo all that comes after."""
        messages = [channel.messages for channel in self.channels]
        return Snapshot(self.base.copy(), self.contributions.copy(), self.total.copy(), messages, len(self.tape))

    def go_back(self, saved: "Snapshot") -> None:
        """Return to a snapshot."""
        self.base, self.contributions, self.total = saved.base.copy(), saved.contributions.copy(), saved.total.copy()
        for channel, messages in zip(self.channels, saved.messages, strict=True):
            channel.messages = messages
        del self.tape[saved.recorded :]

    def send(self, steps: Sequence[MessageStep]) -> float:
        """Carry out steps at the same time, each from the messages before all of them.

        Returns the greatest change of a message; without `track` it may be left out, as 0.
        """
        if self.record:
            self.tape.append([])
        if len(steps) == 1:  # the most frequent case, and the quickest
            (step,) = steps
            return self._absorb(step, self.channels[step.block].propose(self.total))
        proposals = [self.channels[step.block].propose(self.total) for step in steps]
        return max((self._absorb(step, made) for step, made in zip(steps, proposals, strict=True)), default=0.0)

    def residual(self, step: MessageStep) -> float:
        """Return by how much a step would change messages, without carrying it out."""
        channel = self.channels[step.block]
        unused = np.zeros(len(channel.block.states))
        change, contradiction = channel.absorb(channel.propose(self.total), step.targets, unused, keep=False)
        if contradiction >= 0:
            raise channel.contradiction(contradiction)
        return change

    def runs(self) -> list[FactorRun]:
        """Return what each block makes of what it hears now (sum-product)."""
        return [channel.run(self.total) for channel in self.channels]

    def _absorb(self, step: MessageStep, proposal: Proposal) -> float:
        channel = self.channels[step.block]
        block = channel.block
        change, contradiction = channel.absorb(
            proposal, step.targets, self.contributions[block.contributions], track=self.track
        )
        if contradiction >= 0:
            raise channel.contradiction(contradiction)
        kernels.passing.resum(block.states, *self._contributors, self.contributions, self.base, self.total)
        if self.record:
            self.tape[-1].append((step.block, Sent(proposal.run, channel.messages, step.targets)))
        return change

    # What comes out

    def beliefs(self) -> Floats:
        """Return (states,): the belief of every variable, each normalised."""
        result = np.zeros(self.layout.num_states)
        nothing = kernels.passing.beliefs(self.total, self.layout.start, result)
        if nothing >= 0:
            name = self.layout.graph.variable_at(int(nothing)).name
            raise ContradictionError(
                f"every state of variable {name!r} is impossible: its factors (or the evidence) contradict each other"
            )
        return result

    def log_partition(self, runs: Sequence[FactorRun]) -> float:
        """Return the Bethe log-partition of the messages: Σ_α log Z_α + Σ_i (1 - d_i) log Z_i.

        Z_α is the factor's total with what it hears, Z_i the total of the variable, d_i its number of factors; exact on
        a tree once all messages have passed.  With counting numbers Σ_α c_α log Z_α + Σ_i (1 - Σ_α c_α) log Z_i.

        Raises
        ------
        ContradictionError
            If what a factor hears contradicts it, though its variables do not know yet.
        """
        for channel, run in zip(self.channels, runs, strict=True):
            impossible = run.log_partition == -np.inf
            if impossible.any():
                raise channel.contradiction(int(np.argmax(impossible)))
        top, _, totals = self._normalisers()
        of_variables = self.counting_of_variables @ (np.log(totals) + top)
        of_factors = (channel.counting @ run.log_partition for channel, run in zip(self.channels, runs, strict=True))
        return float(sum(of_factors) + of_variables)

    def _normalisers(self) -> tuple[Floats, Floats, Floats]:
        """Return the maximum of each variable's total, exp(total - maximum), and the sums of that."""
        starts = self.layout.start[:-1]
        top = np.maximum.reduceat(self.total, starts)
        finite = np.where(top == -np.inf, 0.0, top)
        weights = np.exp(self.total - finite[self.layout.variable_of_state])
        return top, weights, np.add.reduceat(weights, starts)

    # Backward

    def backward(
        self,
        runs: Sequence[FactorRun],
        beliefs: Floats | None,
        factor_beliefs: Sequence[Floats | None],
        log_partition: float | None,
    ) -> list[Floats | None]:
        """Return the adjoints of the potentials of each family, by running the recorded steps in reverse.

        Parameters
        ----------
        runs : of each block, with the final messages; none if only the beliefs of variables have an adjoint
        beliefs : (states,) adjoint of `beliefs()`
        factor_beliefs : of each block, the adjoint of its beliefs
        log_partition : its adjoint
        """
        adjoints: list[Floats | None] = [None if p is None else np.zeros_like(p) for p in self.potentials]
        on_messages = [np.zeros_like(channel.messages) for channel in self.channels]
        on_total = self._backward_of_outputs(beliefs, log_partition)
        for number, channel in enumerate(self.channels if runs else ()):
            of_total = (
                None if log_partition is None else np.full(channel.block.factor.num_factors, float(log_partition))
            )
            if of_total is not None or factor_beliefs[number] is not None:
                back = channel.through_outputs(
                    runs[number], of_total, factor_beliefs[number], on_total, on_messages[number]
                )
                self._to_potentials(number, back, adjoints)
        for round_ in reversed(self.tape):
            # All steps of a round were computed before any message changed, so all changes are undone first.
            computed = []
            for number, sent in round_:
                adjoint, on_messages[number] = self.channels[number].undo(sent, on_total, on_messages[number])
                computed.append(adjoint)
            for (number, sent), adjoint in zip(round_, computed, strict=True):
                back = self.channels[number].through(sent.run, adjoint, on_total, on_messages[number])
                self._to_potentials(number, back, adjoints)
        return adjoints

    def _to_potentials(self, number: int, adjoint: Floats | None, adjoints: list[Floats | None]) -> None:
        if adjoint is not None:
            self.layout.blocks[number].scatter(adjoint, adjoints)

    def _backward_of_outputs(self, beliefs: Floats | None, log_partition: float | None) -> Floats:
        on_total = np.zeros(self.layout.num_states)
        if beliefs is None and log_partition is None:
            return on_total
        probability = self.beliefs()
        of_state = self.layout.variable_of_state
        if beliefs is not None:
            flat = np.asarray(beliefs, dtype=np.float64)
            mean = np.add.reduceat(flat * probability, self.layout.start[:-1])
            on_total += probability * (flat - mean[of_state])
        if log_partition is not None:
            on_total += float(log_partition) * (1 - self.layout.degrees)[of_state] * probability
        return on_total
