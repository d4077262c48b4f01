"""The messages of one block of factors to its variables, as message passing sees them.

`Channel` serves every factor.  A family that can do better with another representation of its messages has a channel of
its own (`pgm.pair_channel`); what the others see of it is only the sum of its messages at each state.
"""

from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from autodiff.array_types import Floats
from pgm import kernels
from pgm.errors import ContradictionError
from pgm.factor_run import FactorRun
from pgm.layout import FactorBlock

__all__ = ["Channel", "Proposal"]

Targets = NDArray[np.bool_] | None


@frozen(eq=False)
class Proposal:
    """Messages that were computed, but not yet sent; `run` is what the backward pass needs of them."""

    run: Any = field()
    messages: Floats = field()


@frozen(eq=False)
class Sent:
    """A step that was carried out, for the backward pass."""

    run: Any = field()
    new: Floats = field()
    targets: Targets = field()


class Channel:
    """Messages (F, W) in the log domain, with a maximum of 0 on each edge; uniform at first.

    Attributes
    ----------
    counting : (F,) the counting number of each factor, by which its messages are weighted in the sums at the variables
    """

    def __init__(self, block: FactorBlock, prepared: Any, *, mode: str, damping: float) -> None:
        self.block, self.prepared, self.mode, self.damping = block, prepared, mode, damping
        self.counting = block.ones
        self.messages = self.uniform()

    def uniform(self) -> Floats:
        """Return messages that say nothing."""
        return np.zeros(self.block.index.shape)

    # Forward

    def incoming(self, total: Floats) -> Floats:
        """Return (F, W): what the factors hear from their variables, all messages but their own."""
        incoming = np.empty(self.block.index.shape)
        kernels.passing.cavities(total, self.block.index, self.messages, incoming)
        return incoming

    def run(self, total: Floats) -> FactorRun:
        """Return what the factors make of what they hear now (sum-product)."""
        return self.block.factor.run(self.incoming(total), self.prepared)

    def contradiction(self, row: int) -> ContradictionError:
        """Return the error for a factor that leaves no state, or hears of none."""
        return self.block.factor.contradiction(row)

    def propose(self, total: Floats) -> Proposal:
        """Compute new messages."""
        incoming = self.incoming(total)
        if self.mode == "max":
            return Proposal(None, self.block.factor.max_messages(incoming, self.prepared))
        run = self.block.factor.run(incoming, self.prepared)
        return Proposal(run, run.messages)

    def absorb(
        self, proposal: Proposal, targets: Targets, contribution: Floats, *, keep: bool = True, track: bool = True
    ) -> tuple[float, int]:
        """Normalise, damp and send messages; write their sums at the block's states.

        Returns the greatest change, and the row of a factor that found a contradiction, or -1.  With `keep` False
        nothing is sent: the change is what would be.  Without `track` the change may be left out, as 0, where that
        saves time.
        """
        new = np.empty_like(self.messages)
        change, contradiction = kernels.passing.absorb(
            proposal.messages,
            self.messages,
            self.block.all_targets if targets is None else targets,
            self.block.factor.offsets,
            self.damping,
            self.block.local,
            self.counting,
            new,
            contribution,
        )
        if keep:
            self.messages = new
        return float(change), int(contradiction)

    # Backward

    def undo(self, sent: Sent, on_total: Floats, on_messages: Floats) -> tuple[Floats, Floats]:
        """Return the adjoints of the messages that a step computed, and of those which it replaced.

        `on_total` counts for every message at a state.  What later steps put on it belongs to the new messages alone,
        so it is taken off the old ones.  The adjoint of normalisation takes off what an edge's adjoints sum to.
        """
        computed, replaced = np.empty_like(on_messages), np.empty_like(on_messages)
        targets = self.block.all_targets if sent.targets is None else sent.targets
        kernels.passing.undo(
            on_total, self.block.index, on_messages, sent.new, self.block.factor.offsets, targets, self.damping,
            computed, replaced,
        )  # fmt: skip
        return computed, replaced

    def through(self, run: Any, computed: Floats, on_total: Floats, on_messages: Floats) -> Floats | None:
        """Go back through a step's computation: add to both adjoints, and return that of the potentials."""
        return self._back(run.backward(messages=computed), run, on_total, on_messages)

    def through_outputs(
        self,
        run: FactorRun,
        log_partition: Floats | None,
        beliefs: Floats | None,
        on_total: Floats,
        on_messages: Floats,
    ) -> Floats | None:
        """Go back through the final run of the factors, which gave their log-partitions and beliefs."""
        back = run.backward(log_partition=log_partition, beliefs=beliefs)
        return self._back(back, run, on_total, on_messages)

    def _back(
        self, back: tuple[Floats, Floats | None], run: FactorRun, on_total: Floats, on_messages: Floats
    ) -> Floats | None:
        on_incoming, on_potentials = back
        kernels.passing.heard(run.incoming, self.block.index, on_incoming, on_total)
        on_messages -= self.as_messages(on_incoming)
        return on_potentials

    def as_messages(self, on_incoming: Floats) -> Floats:
        """Return an adjoint (F, W) in the representation of the messages."""
        return on_incoming
