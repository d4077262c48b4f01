"""The channel of soft tables over two binary variables: messages as log-odds, half the numbers and a division each."""

from typing import Any

import numpy as np

from autodiff.array_types import Floats
from pgm import kernels
from pgm.channel import Channel, Proposal, Sent, Targets
from pgm.factor_run import FactorRun
from pgm.layout import FactorBlock

__all__ = ["PairChannel"]


class PairChannel(Channel):
    """Messages (F, 2): the log-odds of state 1 against state 0, to the first and to the second variable.

    Parameters
    ----------
    weights : (F, 4) the tables, scaled to a maximum of 1, all positive and within SAFE_RANGE
    """

    def __init__(self, block: FactorBlock, prepared: Any, weights: Floats, *, damping: float) -> None:
        super().__init__(block, prepared, mode="sum", damping=damping)
        self.weights = weights
        self.zero = np.ascontiguousarray(block.index[:, [0, 2]])
        self.local_ones = np.ascontiguousarray(block.local[:, [1, 3]])

    def uniform(self) -> Floats:
        """Return log-odds of 0."""
        return np.zeros((self.block.factor.num_factors, 2))

    def incoming(self, total: Floats) -> Floats:
        """Return (F, 4): what the factors hear, as every factor takes it."""
        result = total[self.block.index]
        result[:, [1, 3]] -= self.messages
        return result

    def run(self, total: Floats) -> FactorRun:
        """Return the run of the tables."""
        return self.block.factor.run(self.incoming(total), self.prepared)

    def propose(self, total: Floats) -> Proposal:
        """Compute new log-odds."""
        heard = np.empty_like(self.messages)
        nothing = kernels.pairs.hear(total, self.zero, self.messages, heard)
        if nothing >= 0:
            raise self.contradiction(nothing)
        odds = np.exp(heard, out=heard)
        ratios = np.empty_like(odds)
        kernels.pairs.ratios(self.weights, odds, ratios)
        return Proposal(odds, np.log(ratios, out=ratios))

    def absorb(
        self, proposal: Proposal, targets: Targets, contribution: Floats, *, keep: bool = True, track: bool = True
    ) -> tuple[float, int]:
        """Damp and send messages; a soft table finds no contradiction."""
        new = np.empty_like(self.messages)
        everyone = targets is None
        change = kernels.pairs.absorb(
            proposal.messages, self.messages, self.block.all_targets if everyone else targets, everyone, self.damping,
            self.local_ones, new, contribution,
        )  # fmt: skip
        if keep:
            self.messages = new
        return float(change), -1

    def undo(self, sent: Sent, on_total: Floats, on_messages: Floats) -> tuple[Floats, Floats]:
        """Return the adjoints of the log-odds that a step computed, and of those which it replaced."""
        later = on_total[self.zero + 1]
        computed = on_messages + later
        replaced = -later
        if sent.targets is not None:
            replaced += np.where(sent.targets, 0.0, computed)
            computed = np.where(sent.targets, computed, 0.0)
        if self.damping > 0.0:
            replaced += self.damping * computed
            computed = (1.0 - self.damping) * computed
        return computed, replaced

    def through(self, run: Any, computed: Floats, on_total: Floats, on_messages: Floats) -> Floats:
        """Go back through a step; `run` is the odds that were heard."""
        on_weights = np.empty_like(self.weights)
        kernels.pairs.adjoints(self.weights, run, computed, self.zero, on_total, on_messages, on_weights)
        return on_weights.reshape(-1, 2, 2)

    def as_messages(self, on_incoming: Floats) -> Floats:
        """Return an adjoint (F, 4) for the log-odds: that of states 1."""
        return on_incoming[:, [1, 3]]
