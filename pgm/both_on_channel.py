"""Channels of rewards for pairs: messages as plain odds, with one exponential and one logarithm for each variable."""

from typing import Any

import numpy as np

from autodiff.array_types import Floats
from pgm import kernels
from pgm.channel import Channel, Proposal, Sent, Targets
from pgm.layout import FactorBlock
from pgm.pair_channel import PairChannel

__all__ = ["BothOnChannel", "BothOnLogChannel", "suits_plain_odds"]


# The messages to a variable, multiplied, stay within e^±_RANGE.  What a variable hears in all is cut off at e^±_LIMIT:
# a factor then hears at least e^270 from the others, against which a term of at most e^210 has no weight left; and no
# product in the kernel leaves the range of a float, e^±708.
_RANGE = 210.0
_LIMIT = 480.0


def suits_plain_odds(block: FactorBlock, log_potentials: Floats) -> bool:
    """Say whether the messages to each variable, multiplied, stay in range: their logs lie within the potentials."""
    first, second, _, ones = block.pairs
    values = np.ascontiguousarray(log_potentials, dtype=np.float64)
    return bool(kernels.both_on.reach(values, first, second, len(ones)) <= _RANGE)


class BothOnLogChannel(PairChannel):
    """The same with messages as log-odds: for damping, and where plain odds might leave their range."""

    def __init__(self, block: FactorBlock, log_potentials: Floats, *, damping: float) -> None:
        log_weights = np.zeros((len(log_potentials), 4))
        log_weights[:, 3] = log_potentials
        weights = np.exp(log_weights - np.maximum(log_potentials, 0.0)[:, None])
        super().__init__(block, log_potentials, weights, damping=damping)

    def through(self, run: Any, computed: Floats, on_total: Floats, on_messages: Floats) -> Floats:
        """Go back through a step; of the table only the entry for both has a potential."""
        return np.ascontiguousarray(super().through(run, computed, on_total, on_messages)[:, 1, 1])


class BothOnChannel(Channel):
    """Messages (F, 2): the odds of state 1 against state 0, to the first and to the second variable.

    In adjoints, the messages are their logarithms.
    """

    def __init__(self, block: FactorBlock, log_potentials: Floats) -> None:
        super().__init__(block, log_potentials, mode="sum", damping=0.0)
        self.reward = np.exp(log_potentials)
        self.first, self.second, self.zeros, self.ones = block.pairs

    def uniform(self) -> Floats:
        """Return odds of 1."""
        return np.ones((self.block.factor.num_factors, 2))

    def incoming(self, total: Floats) -> Floats:
        """Return (F, 4): what the factors hear, as every factor takes it."""
        result = total[self.block.index]
        result[:, [1, 3]] -= np.log(self.messages)
        return result

    def propose(self, total: Floats) -> Proposal:
        """Compute new odds; the run is what was heard and the old odds, the messages come with their products."""
        heard, product = np.empty(len(self.ones)), np.empty(len(self.ones))
        new = np.empty_like(self.messages)
        nothing = kernels.both_on.send(
            total,
            self.zeros,
            self.ones,
            _LIMIT,
            self.reward,
            self.first,
            self.second,
            heard,
            self.messages,
            new,
            product,
        )
        if nothing >= 0:
            raise self.contradiction(int(np.argmax((self.first == nothing) | (self.second == nothing))))
        return Proposal((heard, self.messages, product), new)

    def absorb(
        self, proposal: Proposal, targets: Targets, contribution: Floats, *, keep: bool = True, track: bool = True
    ) -> tuple[float, int]:
        """Send the odds."""
        _, _, product = proposal.run
        new = proposal.messages
        change = kernels.both_on.change(self.messages, new) if track else 0.0
        if targets is not None:
            new = np.where(targets, new, self.messages)
            product = np.ones_like(product)
            np.multiply.at(product, self.first, new[:, 0])
            np.multiply.at(product, self.second, new[:, 1])
        np.log(product, out=contribution[1::2])  # at states 0 it stays 0
        if keep:
            self.messages = new
        return float(change), -1

    def undo(self, sent: Sent, on_total: Floats, on_messages: Floats) -> tuple[Floats, Floats]:
        """Return the adjoints of the log-odds that a step computed, and of those which it replaced."""
        computed, replaced = np.empty_like(on_messages), np.empty_like(on_messages)
        kernels.both_on.undo(on_total, self.ones, self.first, self.second, on_messages, computed, replaced)
        if sent.targets is not None:
            replaced += np.where(sent.targets, 0.0, computed)
            computed = np.where(sent.targets, computed, 0.0)
        return computed, replaced

    def through(self, run: Any, computed: Floats, on_total: Floats, on_messages: Floats) -> Floats:
        """Go back through a step."""
        heard, odds, _ = run
        on_reward = np.empty(len(self.reward))
        kernels.both_on.adjoints(
            self.reward, self.first, self.second, self.zeros, self.ones, heard, odds, computed,
            on_total, on_messages, on_reward,
        )  # fmt: skip
        return on_reward

    def as_messages(self, on_incoming: Floats) -> Floats:
        """Return an adjoint (F, 4) for the log-odds: that of states 1."""
        return on_incoming[:, [1, 3]]
