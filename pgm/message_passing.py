"""Messages between the factors and variables of a graph, forward and backward.

Only messages from factors to variables are held.  What a factor hears from a variable is the variable's `total` without the
factor's own message, so messages from variables cost time linear in the degree and need no storage, in both passes.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from pgm import kernels
from pgm.errors import ContradictionError, PotentialError
from pgm.factor import FactorRun
from pgm.layout import Block, Layout

__all__ = ["MessagePassing", "Step"]

Floats = NDArray[np.float64]


@frozen(eq=False)
class Step:
    """One update: the factors of a block send messages, to all their variables or only to some.

    Attributes
    ----------
    block : number of the block in the layout
    targets : (F, D) which messages are sent, or None for all
    """

    block: int = field()
    targets: NDArray[np.bool_] | None = field(default=None, repr=False)


@frozen(eq=False)
class _Done:
    """What a step leaves for the backward pass."""

    step: Step
    run: FactorRun
    new: Floats  # its messages after the step


class MessagePassing:
    """The state of message passing on a layout: all messages, and their sums.

    Parameters
    ----------
    potentials : of each family of the graph; by default its own
    evidence : {variable number: state number}
    mode : "sum" or "max"
    damping : the weight of the old message, in the log domain
    record : whether to keep what `backward` needs
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
    ) -> None:
        self.layout, self.mode, self.damping, self.record = layout, mode, damping, record
        families = layout.graph.families
        self.potentials = [family.potentials for family in families] if potentials is None else list(potentials)
        self.prepared = [block.factor.prepare(block.gather(self.potentials)) for block in layout.blocks]
        self.messages = [np.zeros(block.index.shape) for block in layout.blocks]
        self.contributions = np.zeros(layout.num_contributions)
        self.base = np.zeros(layout.num_states)
        for variable, state in (evidence or {}).items():
            first, last = layout.start[variable : variable + 2]
            self.base[first:last] = -np.inf
            self.base[first + state] = 0.0
        self.total = self.base.copy()
        self.tape: list[list[_Done]] = []  # the steps of each round

    # Forward

    def incoming(self, block: Block, number: int) -> Floats:
        """Return (F, W): what the factors of a block hear from their variables."""
        incoming = np.empty(block.index.shape)
        kernels.passing.cavities(self.total, block.index, self.messages[number], incoming)
        return incoming

    def send(self, steps: Sequence[Step]) -> float:
        """Carry out steps at the same time, each from the messages before all of them; return the greatest change."""
        proposals = [self._propose(step) for step in steps]
        if self.record:
            self.tape.append([])
        return max((self._absorb(*proposal) for proposal in proposals), default=0.0)

    def residual(self, step: Step) -> float:
        """Return by how much a step would change messages, without carrying it out."""
        _, _, proposed = self._propose(step)
        block = self.layout.blocks[step.block]
        unused = np.empty(len(block.states)), np.empty(block.index.shape)
        change, _ = kernels.passing.absorb(
            proposed, self.messages[step.block], block.all_targets, block.factor.offsets, self.damping, block.local,
            unused[1], unused[0],
        )  # fmt: skip
        return float(change)

    def run(self, number: int) -> FactorRun:
        """Return what a block makes of its incoming messages now (sum-product)."""
        block = self.layout.blocks[number]
        return block.factor.run(self.incoming(block, number), self.prepared[number])

    def _propose(self, step: Step) -> tuple[Step, FactorRun | None, Floats]:
        block = self.layout.blocks[step.block]
        incoming = self.incoming(block, step.block)
        if self.mode == "max":
            return step, None, block.factor.max_messages(incoming, self.prepared[step.block])
        run = block.factor.run(incoming, self.prepared[step.block])
        return step, run, run.messages

    def _absorb(self, step: Step, run: FactorRun | None, proposed: Floats) -> float:
        block, old = self.layout.blocks[step.block], self.messages[step.block]
        targets = block.all_targets if step.targets is None else step.targets
        new = np.empty_like(old)
        change, contradiction = kernels.passing.absorb(
            proposed, old, targets, block.factor.offsets, self.damping, block.local, new,
            self.contributions[block.contributions],
        )  # fmt: skip
        if contradiction >= 0:
            raise ContradictionError(
                f"{block.factor.describe(contradiction)} finds every state of one of its variables impossible: the factors "
                f"(or the evidence) contradict each other"
            )
        self.messages[step.block] = new
        kernels.passing.resum(
            block.states, *self.layout.contributors, self.contributions, self.base, self.total
        )  # fmt: skip
        if self.record and run is not None:
            self.tape[-1].append(_Done(step, run, new))
        return float(change)

    # What comes out

    def beliefs(self) -> Floats:
        """Return (states,): the belief of every variable, each normalised."""
        starts = self.layout.start[:-1]
        top = np.maximum.reduceat(self.total, starts) if len(starts) else np.zeros(0)
        impossible = np.flatnonzero(top == -np.inf)
        if len(impossible):
            name = self.layout.graph.variable_at(int(impossible[0])).name
            raise ContradictionError(
                f"every state of variable {name!r} is impossible: its factors (or the evidence) contradict each other"
            )
        weights = np.exp(self.total - top[self.layout.variable_of_state])
        return weights / np.add.reduceat(weights, starts)[self.layout.variable_of_state] if len(starts) else weights

    def log_partition(self, runs: Sequence[FactorRun]) -> float:
        """Return the Bethe log-partition of the messages: Σ_α log Z_α + Σ_i (1 - d_i) log Z_i.

        Z_α is the factor's total with what it hears, Z_i the total of the variable, d_i its number of factors; exact on a
        tree once all messages have passed.
        """
        by_variable = self._log_totals()
        return float(sum(run.log_partition.sum() for run in runs) + (1 - self.layout.degrees) @ by_variable)

    def _log_totals(self) -> Floats:
        starts = self.layout.start[:-1]
        top = np.maximum.reduceat(self.total, starts)
        weights = np.exp(self.total - top[self.layout.variable_of_state])
        return np.asarray(np.log(np.add.reduceat(weights, starts)) + top)

    # Backward

    def backward(
        self,
        runs: Sequence[FactorRun],
        beliefs: Floats | None,
        factor_beliefs: Sequence[Floats | None],
        log_partition: float | None,
    ) -> list[Floats | None]:
        """Return the adjoints of the potentials of each family, by running the recorded steps in reverse.

        `on_total` (states,) is the adjoint of a variable's total; it counts for *every* message at that state.  So where a
        message was replaced, what later steps put on the total must not reach the old one: it is taken off again.
        Normalisation needs no adjoint: a constant added to a message changes no output.

        Parameters
        ----------
        runs : of each block, with the final messages
        beliefs : (states,) adjoint of `beliefs()`
        factor_beliefs : of each block, the adjoint of its beliefs
        log_partition : its adjoint
        """
        layout = self.layout
        adjoints: list[Floats | None] = [None if p is None else np.zeros_like(p) for p in self.potentials]
        on_messages = [np.zeros(block.index.shape) for block in layout.blocks]
        on_total = self._backward_of_outputs(beliefs, log_partition)
        for number, (block, run) in enumerate(zip(layout.blocks, runs, strict=True)):
            of_total = None if log_partition is None else np.full(block.factor.num_factors, float(log_partition))
            if of_total is not None or factor_beliefs[number] is not None:
                self._through(
                    block, run, None, of_total, factor_beliefs[number], on_total, on_messages[number], adjoints
                )
        for round_ in reversed(self.tape):
            # All steps of a round were computed before any message changed, so all changes are undone first.
            sent = [self._undo(done, on_total, on_messages) for done in round_]
            for done, adjoint in zip(round_, sent, strict=True):
                number = done.step.block
                self._through(
                    layout.blocks[number], done.run, adjoint, None, None, on_total, on_messages[number], adjoints
                )
        return adjoints

    def _undo(self, done: _Done, on_total: Floats, on_messages: list[Floats]) -> Floats:
        """Return the adjoint of the messages that a step computed, and leave that of those which it replaced."""
        number = done.step.block
        block = self.layout.blocks[number]
        later = on_total[block.index]
        sent = on_messages[number] + later
        sent[done.new == -np.inf] = 0.0
        kept = -later
        if done.step.targets is not None:
            mask = np.repeat(done.step.targets, block.factor.cardinalities, axis=1)
            kept += np.where(mask, 0.0, sent)
            sent = np.where(mask, sent, 0.0)
        if self.damping > 0.0:
            kept += self.damping * sent
            sent = (1.0 - self.damping) * sent
        on_messages[number] = kept
        return sent

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

    def _through(
        self,
        block: Block,
        run: FactorRun,
        messages: Floats | None,
        log_partition: Floats | None,
        beliefs: Floats | None,
        on_total: Floats,
        on_messages: Floats,
        adjoints: list[Floats | None],
    ) -> None:
        """Go back through one run of a block: to the totals, its own old messages and its potentials."""
        on_incoming, on_potentials = run.backward(messages, log_partition, beliefs)
        on_incoming[run.incoming == -np.inf] = 0.0
        on_total += np.bincount(block.index.ravel(), on_incoming.ravel(), minlength=len(on_total))
        on_messages -= on_incoming
        if on_potentials is not None:
            block.scatter(on_potentials, adjoints)


def check_potentials(layout: Layout, potentials: Sequence[Any]) -> list[Floats | None]:
    """Return one array (or None) for each family of the graph, given those of the families that have potentials."""
    families = layout.graph.families
    soft = [family for family in families if family.potentials is not None]
    if len(potentials) != len(soft):
        raise PotentialError(f"{len(soft)} families have potentials, but {len(potentials)} arrays were given")
    given = iter(potentials)
    result: list[Floats | None] = []
    for family in families:
        if family.potentials is None:
            result.append(None)
            continue
        array = np.asarray(next(given), dtype=np.float64)
        if array.shape != family.potentials.shape:
            raise PotentialError(f"{family!r}: potentials have shape {family.potentials.shape}, not {array.shape}")
        if np.isnan(array).any() or (array == np.inf).any():
            raise PotentialError(f"{family!r}: a log-potential is NaN or +inf; they are finite, or -inf")
        result.append(array)
    return result
