"""Messages of NoCross and their adjoints.

Legend as in `no_cross`: modifiers j and l, with arcs i → j and k → l; x the log-odds of arcs; w the log-potential of
crossing; P places in the sentence.
"""

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from autodiff.array_types import Floats
from pgm import kernels
from pgm.factor_run import FactorRun
from pgm.factors._leave_one_out import LeaveOneOutLogSum
from pgm.factors._log_odds import log_odds, log_odds_messages, reference
from pgm.factors._softplus import sigmoid

if TYPE_CHECKING:
    from pgm.factors.no_cross import NoCross

__all__ = ["Inward", "NoCrossRun", "difference"]


class Inward:
    """What one word's arc may expect of the other's, both ways round (2 F, P): first modifiers, then second ones."""

    def __init__(self, factor: "NoCross", x: Floats, w: Floats, *, maximum: bool = False) -> None:
        self.x = factor.scatter(x, -np.inf)
        certain = (self.x == np.inf).sum(axis=1, keepdims=True)
        alone = np.where((self.x == np.inf) & (certain == 1), 0.0, -np.inf)
        self.weights = np.where(certain == 0, self.x, alone)  # of one head, relative to `reference`
        self.word = np.concatenate([factor.modifiers[:, 0], factor.modifiers[:, 1]])
        self.other_word = _other(self.word)
        self.other_weights = _other(self.weights)
        self.w = np.concatenate([w, w])[:, None]
        self.cross, self.free = np.empty_like(self.x), np.empty_like(self.x)
        kernels.no_cross.forward(self.other_weights, self.word, self.other_word, maximum, self.cross, self.free)
        join = np.maximum if maximum else np.logaddexp
        self.given: Floats = join(self.cross + self.w, self.free)  # log-weight of the other word's arcs, given this one
        self.belief = np.where(self.given == -np.inf, -np.inf, self.x + _finite(self.given))

    @property
    def contradicted(self) -> NDArray[np.bool_]:
        """(F,): whether no two arcs are possible."""
        first = slice(0, len(self.x) // 2)
        return np.asarray(((self.weights[first] == -np.inf) | (self.given[first] == -np.inf)).all(axis=1))

    def backward(self, d_cross: Floats, d_free: Floats) -> Floats:
        """Return the adjoint of x."""
        d_weights = np.zeros_like(self.x)
        kernels.no_cross.backward(
            self.other_weights, self.word, self.other_word, self.cross, self.free, d_cross, d_free, d_weights
        )
        return _other(d_weights)


class NoCrossRun(FactorRun):
    """Messages of a family of NoCross."""

    def __init__(self, incoming: Floats, w: Floats, factor: "NoCross") -> None:
        super().__init__(incoming, None if factor.potentials is None else w)
        self.factor, self.w = factor, w
        self.pairs = incoming.reshape(factor.num_factors, factor.degree, 2)
        self.x = log_odds(self.pairs)
        self.inward = Inward(factor, self.x, w)
        self.others = LeaveOneOutLogSum(self.inward.belief)
        self.outgoing = difference(self.inward.given, self.others.log_sums)

    @cached_property
    def messages(self) -> Floats:
        """(F, W): 0 for false and the log-odds for true."""
        sent = log_odds_messages(self.factor.gather(self.outgoing), self.pairs)
        sent[self.inward.contradicted] = -np.inf
        return sent.reshape(self.incoming.shape)

    @cached_property
    def _relative(self) -> Floats:
        """(F,): the log-partition, relative to `reference`."""
        first = slice(0, self.factor.num_factors)
        return _log_sum(self.inward.weights[first] + self.inward.given[first])

    @cached_property
    def log_partition(self) -> Floats:
        """(F,)."""
        return reference(self.pairs) + self._relative

    @cached_property
    def crossing(self) -> Floats:
        """(F,): the probability that the arcs cross."""
        first = slice(0, self.factor.num_factors)
        log_weight = self.w + _log_sum(self.inward.weights[first] + self.inward.cross[first])
        return np.exp(log_weight - _finite(self._relative))

    @property
    def beliefs(self) -> Floats | None:
        """(F,): the probability that the arcs cross; None for a hard constraint."""
        return None if self.potentials is None else self.crossing

    def _backward(
        self, messages: Floats | None = None, log_partition: Floats | None = None, beliefs: Floats | None = None
    ) -> tuple[Floats, Floats | None]:
        """Return the adjoints of incoming messages and of w."""
        factor, inward = self.factor, self.inward
        count = factor.num_factors
        possible = self.log_partition > -np.inf
        d_given, d_x = np.zeros_like(inward.x), np.zeros_like(inward.x)
        d_w, d_relative = np.zeros(count), np.zeros(count)
        if messages is not None:
            sent = factor.scatter(messages.reshape(self.pairs.shape)[..., 1], 0.0)
            sent = np.where(np.isfinite(self.outgoing) & np.tile(possible, 2)[:, None], sent, 0.0)
            d_x = self.others.backward(-sent)
            d_given = sent + d_x
        d_cross = d_given * _ratio(inward.cross + inward.w, inward.given)
        d_free = d_given * _ratio(inward.free, inward.given)
        d_w += d_cross.sum(axis=1).reshape(2, count).sum(axis=0)
        if beliefs is not None:  # of log crossing = w + log Σ e^{weights + cross} - relative
            slope = np.where(possible, np.asarray(beliefs) * self.crossing, 0.0)
            d_w += slope
            d_relative -= slope
            terms = inward.weights[:count] + inward.cross[:count]
            share = slope[:, None] * _ratio(terms, _log_sum(terms)[:, None])
            d_cross[:count] += share
            d_x[:count] += share
        d_x = d_x + inward.backward(d_cross, d_free)
        d_arcs = np.where(np.isfinite(self.x), factor.gather(d_x), 0.0)
        belief = np.where(possible[:, None], self.x, 0.0) + np.where(
            possible[:, None], factor.gather(self.outgoing), 0.0
        )
        d_arcs += d_relative[:, None] * sigmoid(belief) * np.isfinite(self.x)
        result = np.stack([-d_arcs, d_arcs], axis=2)
        if log_partition is not None:
            share = np.where(possible, np.asarray(log_partition), 0.0)
            d_relative += share
            result += share[:, None, None] * np.stack([sigmoid(-belief), sigmoid(belief)], axis=2)
        result[self.pairs == -np.inf] = 0.0
        d_w = np.where(self.w == -np.inf, 0.0, d_w + d_relative * self.crossing)
        return result.reshape(self.incoming.shape), None if self.potentials is None else d_w


def _other(values: Any) -> Any:
    """Swap first and second modifiers."""
    half = len(values) // 2
    return np.concatenate([values[half:], values[:half]])


def difference(given: Floats, others: Floats) -> Floats:
    """Return given - others, and -inf where nothing is given."""
    return np.where(given == -np.inf, -np.inf, _finite(given) - others)


def _ratio(part: Floats, whole: Floats) -> Floats:
    return np.where(part == -np.inf, 0.0, np.exp(part - _finite(whole)))


def _log_sum(values: Floats) -> Floats:
    return np.asarray(np.logaddexp.reduce(values, axis=1))


def _finite(values: Floats) -> Floats:
    return np.where(values == -np.inf, 0.0, values)
