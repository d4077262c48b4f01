"""Messages of a hypergraph factor and their adjoints.

Legend: F factors, D variables, K weights of the hypergraph.  Relative to all variables in their default states, weight
k of state s of variable d has the log-weight x_k = own_k + incoming(d, s) - incoming(d, default).  With the log-slopes
S_k = log ∂Z/∂w_k,

    message to (d, s)       = log Σ_{k of (d, s)} exp(S_k + own_k)
    message to (d, default) = log Z_off(d), the total of all derivations without a weight of d

up to one constant for each variable.  Z_off(d) = Z - Σ_{k of d} exp(S_k + x_k) loses digits where d is almost surely
on.  There it is a sum over the others of the variable's group, if it has one, and else an inside pass without the
weights of d.
"""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from autodiff.array_types import Floats, Integers
from pgm import kernels
from pgm.factor_run import FactorRun
from pgm.factors._uses import Uses

__all__ = ["HypergraphPass", "HypergraphRun", "expand"]


LARGEST_SUBTRACTED = 0.9
"""Up to this probability p of being on, log(1 - p) is computed as such: at most one digit is lost."""


class HypergraphPass:
    """Inside-outside with incoming messages (F, width) and own log-weights (F, K), in sum-product or max-product."""

    def __init__(self, incoming: Floats, own: Floats, uses: Uses, *, maximise: bool) -> None:
        self.incoming, self.own, self.uses, self.maximise = incoming, own, uses, maximise
        graph = uses.graph
        factors, nodes, edges, weights = len(incoming), graph.num_nodes, graph.num_edges, graph.num_weights
        padded = np.concatenate([incoming, np.zeros((factors, 1))], axis=1)  # slot -1 is a message of 0
        self.default_incoming = padded[:, uses.default_slot]
        self.must = self.default_incoming == -np.inf
        base = padded[:, uses.default_of_weight]
        forced = base == -np.inf
        base[forced] = 0.0
        self.forced = forced.astype(np.int64)
        self.log_weights = own + padded[:, uses.slot] - base
        self.beta, self.degree = np.empty((factors, nodes)), np.empty((factors, nodes), dtype=np.int64)
        self.alpha, self.alpha_degree = np.empty_like(self.beta), np.empty_like(self.degree)
        self.slope, self.slope_degree = np.empty((factors, weights)), np.empty((factors, weights), dtype=np.int64)
        self.conditional = np.empty((factors, edges))
        kernels.derivations.run(
            *graph.arrays, graph.root, self.log_weights, self.forced, maximise, self.beta, self.degree,
            self.conditional, self.alpha, self.alpha_degree, self.slope, self.slope_degree,
        )  # fmt: skip
        self.needed = self.must.sum(axis=1)
        complete = self.degree[:, graph.root] == self.needed
        self.log_total = np.where(complete, self.beta[:, graph.root], -np.inf)
        self.possible = self.log_total > -np.inf

    @cached_property
    def log_uses(self) -> Floats:
        """(F, K): the log of the total of the derivations that use each weight."""
        valid = self.slope_degree + self.forced == self.needed[:, None]
        return np.where(valid, self.slope, -np.inf) + self.log_weights

    @cached_property
    def state_terms(self) -> Floats:
        """(F, K): what each weight adds to the message to its state."""
        valid = self.slope_degree + self.forced == self.needed[:, None]
        return np.where(valid, self.slope, -np.inf) + self.own

    @cached_property
    def variable_terms(self) -> Floats:
        """(F, K): as `log_uses`; but beside a member of its group that must be on, without that one."""
        degrees = self.slope_degree + self.forced
        beside = self._beside_forced[:, self.uses.position] & (self.uses.position >= 0)
        valid = degrees == self.needed[:, None] - beside
        return np.where(valid, self.slope, -np.inf) + self.log_weights

    @cached_property
    def _beside_forced(self) -> NDArray[np.bool_]:
        uses = self.uses
        counts = np.zeros((len(self.must), len(uses.member_start)))
        kernels.derivations.add_by(self.must.astype(np.float64), uses.group, counts)
        return (counts[:, uses.group] > 0) & ~self.must & (uses.group >= 0)

    @cached_property
    def on_totals(self) -> Floats:
        """(F, D): the log of the total of the derivations that use a weight of each variable."""
        totals = np.empty_like(self.default_incoming)
        kernels.derivations.sum_by(self.variable_terms, self.uses.position, self.maximise, totals)
        return totals

    @cached_property
    def messages(self) -> Floats:
        """(F, width)."""
        result = np.empty_like(self.incoming)
        kernels.derivations.sum_by(self.state_terms, self.uses.slot, self.maximise, result)
        has_default = self.uses.default_slot >= 0
        result[:, self.uses.default_slot[has_default]] = self.default_messages[:, has_default]
        result[~self.possible] = -np.inf  # a contradiction, on every edge
        return result

    @cached_property
    def default_messages(self) -> Floats:
        """(F, D): log Z_off of each variable that has a default state."""
        uses = self.uses
        result = np.full_like(self.default_incoming, -np.inf)
        if len(uses.members):
            kernels.derivations.others_in_group(
                self.on_totals, self.must, uses.group, uses.members, uses.member_start, self.maximise, result
            )  # fmt: skip
        if self.maximise:
            total = np.where(self.possible, self.log_total, 0.0)[:, None]
            result = np.where(self.subtracted, total, result)  # the best derivation is one without the variable
        else:
            rest = np.log1p(-np.where(self.subtracted, self.on_probabilities, 0.0))
            result = np.where(self.subtracted, self.log_total[:, None] + rest, result)
        for f, d in zip(*np.nonzero(self.apart), strict=True):
            result[f, d] = self.without(int(f), int(d))[0]
        return result

    @cached_property
    def on_probabilities(self) -> Floats:
        """(F, D): how likely each variable is not in its default state."""
        total = np.where(self.possible, self.log_total, np.inf)
        return np.exp(np.minimum(self.on_totals - total[:, None], 0.0))

    @cached_property
    def subtracted(self) -> NDArray[np.bool_]:
        """(F, D): whose Z_off is Z - Z_on (of maxima: Z)."""
        alone = (self.uses.group < 0) & (self.uses.default_slot >= 0) & ~self.must & self.possible[:, None]
        if self.maximise:
            total = np.where(self.possible, self.log_total, 0.0)[:, None]
            return alone & (self.on_totals < total - 1e-6 * np.maximum(1.0, np.abs(total)))
        return alone & (self.on_probabilities <= LARGEST_SUBTRACTED)

    @cached_property
    def apart(self) -> NDArray[np.bool_]:
        """(F, D): whose Z_off takes an inside pass of its own."""
        alone = (self.uses.group < 0) & (self.uses.default_slot >= 0) & self.possible[:, None]
        return alone & ~self.subtracted

    def best_weights(self, f: int) -> Integers:
        """Return the weights of a best derivation (of maxima): from the root down by the best edge of each node."""
        graph = self.uses.graph
        used, waiting = [], [int(graph.root)]
        while waiting:
            node = waiting.pop()
            first, last = graph.edge_start[node], graph.edge_start[node + 1]
            edge = int(first + np.argmax(self.conditional[f, first:last]))
            used.append(int(graph.weight[edge]))
            waiting += graph.tails[graph.tail_start[edge] : graph.tail_start[edge + 1]].tolist()
        return np.array([weight for weight in used if weight >= 0], dtype=np.int64)

    def without(self, f: int, d: int) -> tuple[float, Floats]:
        """Return the total of the derivations without a weight of variable d, and each edge's chance given its head."""
        graph = self.uses.graph
        beta, degree = np.empty(graph.num_nodes), np.empty(graph.num_nodes, dtype=np.int64)
        conditional = np.empty(graph.num_edges)
        masked = np.where(self.uses.position == d, -np.inf, self.log_weights[f])
        kernels.derivations.inside(
            *graph.arrays, masked, self.forced[f], self.maximise, beta, degree, conditional
        )  # fmt: skip
        complete = degree[graph.root] == self.needed[f] - self.must[f, d]
        return float(beta[graph.root]) if complete else -np.inf, conditional


class HypergraphRun(FactorRun):
    """One run of a family of hypergraph factors; `terms` (K, T) says which potentials make up each log-weight."""

    def __init__(self, incoming: Floats, potentials: Floats | None, own: Floats, uses: Uses, terms: Integers) -> None:
        super().__init__(incoming, potentials)
        self.terms = terms
        self.uses = uses
        self.done = HypergraphPass(incoming, own, uses, maximise=False)

    @property
    def messages(self) -> Floats:
        """(F, width)."""
        return self.done.messages

    @cached_property
    def log_partition(self) -> Floats:
        """(F,)."""
        return self.done.log_total + np.where(self.done.must, 0.0, self.done.default_incoming).sum(axis=1)

    @cached_property
    def weight_marginals(self) -> Floats:
        """(F, K): the expected uses of each weight of the hypergraph."""
        total = np.where(self.done.possible, self.done.log_total, np.inf)
        return np.exp(self.done.log_uses - total[:, None])

    @cached_property
    def beliefs(self) -> Floats | None:
        """In the shape of the potentials: the expected uses of each."""
        return None if self.potentials is None else self._to_potentials(self.weight_marginals)

    def _backward(
        self, messages: Floats | None = None, log_partition: Floats | None = None, beliefs: Floats | None = None
    ) -> tuple[Floats, Floats | None]:
        """Return the adjoints of incoming messages and potentials, by shares of sums: nothing is divided by p."""
        done, uses = self.done, self.uses
        d_incoming = np.zeros((len(self.incoming), self.incoming.shape[1] + 1))  # the last column is for slot -1
        d_slope, d_weight = np.zeros_like(done.log_weights), np.zeros_like(done.log_weights)
        d_own = np.zeros_like(d_weight)
        d_total = np.zeros(len(self.incoming))
        if log_partition is not None:
            given = np.where(done.possible, log_partition, 0.0)
            d_total += given
            has_default = uses.default_slot >= 0
            d_incoming[:, uses.default_slot[has_default]] += given[:, None]
        if beliefs is not None and self.potentials is not None:
            flow = expand(np.asarray(beliefs).reshape(len(self.incoming), -1), self.terms) * self.weight_marginals
            d_slope += flow
            d_weight += flow
            d_total -= flow.sum(axis=1)
        if messages is not None:
            given = np.where(done.possible[:, None], messages, 0.0)
            flow = _along(given, uses.slot) * _share(done.state_terms, self.messages, uses.slot)
            d_slope += flow
            d_own += flow
            flow = self._default_backward(_along(given, uses.default_slot), d_total, d_weight)
            flow = _along(flow, uses.position) * _share(done.variable_terms, done.on_totals, uses.position)
            d_slope += flow
            d_weight += flow
        d_weight += d_total[:, None] * self.weight_marginals
        graph = uses.graph
        kernels.derivations.run_backward(
            *graph.arrays, done.log_weights, done.forced, done.beta, done.degree, done.conditional,
            done.alpha, done.alpha_degree, done.slope, done.slope_degree, d_slope, d_weight,
        )  # fmt: skip
        kernels.derivations.add_by(d_weight, uses.slot, d_incoming)
        kernels.derivations.add_by(np.where(done.forced, 0.0, -d_weight), uses.default_of_weight, d_incoming)
        d_incoming = d_incoming[:, :-1]
        d_incoming[self.incoming == -np.inf] = 0.0
        if self.potentials is None:
            return d_incoming, None
        d_potentials = self._to_potentials(d_own + d_weight)
        d_potentials[self.potentials == -np.inf] = 0.0
        return d_incoming, d_potentials

    def _default_backward(self, adjoint: Floats, d_total: Floats, d_weight: Floats) -> Floats:
        """Return the adjoint of `on_totals`, given that of `default_messages`; add to those of total and weights."""
        done, uses = self.done, self.uses
        d_on = np.zeros_like(adjoint)
        if len(uses.members):
            kernels.derivations.others_in_group_backward(
                done.on_totals, done.must, uses.group, uses.members, uses.member_start, done.default_messages,
                adjoint, d_on,
            )  # fmt: skip
        on = np.where(done.subtracted, done.on_probabilities, 0.0)
        scaled = np.where(done.subtracted, adjoint, 0.0) / (1.0 - on)
        d_total += scaled.sum(axis=1)
        d_on -= scaled * on
        graph = uses.graph
        for f, d in zip(*np.nonzero(done.apart & (adjoint != 0.0)), strict=True):
            total, conditional = done.without(int(f), int(d))
            if total > -np.inf:
                kernels.derivations.posteriors(*graph.arrays, graph.root, conditional, adjoint[f, d], d_weight[f])
        return d_on

    def _to_potentials(self, by_weight: Floats) -> Floats:
        assert self.potentials is not None
        flat = np.zeros((len(by_weight), int(np.prod(self.potentials.shape[1:]))))
        for column in self.terms.T:
            kernels.derivations.add_by(by_weight, np.ascontiguousarray(column), flat)
        return flat.reshape(self.potentials.shape)


def expand(potentials: Floats, terms: Integers) -> Floats:
    """Return (F, K): for each weight the sum of its potentials (F, P); a term of -1 is 0."""
    padded = np.concatenate([potentials, np.zeros((len(potentials), 1))], axis=1)
    return padded[:, terms].sum(axis=2)


def _along(values: Floats, index: Integers) -> Floats:
    """Return values[:, index], with 0 where the index is -1."""
    return np.where(index >= 0, values[:, index], 0.0)


def _share(terms: Floats, totals: Floats, index: Integers) -> Floats:
    """Return each term's share of the total that it is part of."""
    total = totals[:, index]
    counted = (index >= 0) & (total > -np.inf) & (terms > -np.inf)
    share = np.where(counted, terms, 0.0) - np.where(counted, total, 0.0)
    return np.exp(np.minimum(share, 0.0)) * counted  # above 0 only where a contradiction has no messages
