"""The channel of factors of one variable: the message is the potentials, whatever is heard."""

from typing import Any

import numpy as np

from autodiff.array_types import Floats
from pgm.channel import Channel, Proposal

__all__ = ["UnaryChannel"]


class UnaryChannel(Channel):
    """Sends its tables, `prepared.log` (F, c)."""

    def propose(self, total: Floats) -> Proposal:
        """Return the potentials."""
        return Proposal(None, np.ascontiguousarray(self.prepared.log, dtype=np.float64))

    def through(self, run: Any, computed: Floats, on_total: Floats, on_messages: Floats) -> Floats:
        """The potentials are the messages; nothing was heard."""
        return computed
