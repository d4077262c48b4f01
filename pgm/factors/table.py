"""Explicit tables of log-potentials."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff import Parameter
from autodiff.array_types import Floats
from pgm import kernels
from pgm.channel import Channel
from pgm.factor import Factor
from pgm.factor_run import FactorRun
from pgm.layout import FactorBlock
from pgm.pair_channel import PairChannel
from pgm.potential_source import PotentialSource
from pgm.unary_channel import UnaryChannel

__all__ = ["Table"]


class Table(Factor):
    """ψ(y) is looked up in a table: any number of variables, any (mixed) numbers of states, -inf allowed.

    Parameters
    ----------
    variables : a list of variables for one factor; for a family a list of arrays of variables, one for each position,
        or an array (factors, degree) of them
    log_potentials : (c_1, …, c_D) for one factor, or shared by a family; (factors, c_1, …, c_D) for a family.  A
        `Parameter` of such a shape is learned

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> graph = FactorGraph()
    >>> pixels = graph.variables("pixel", shape=(4,))
    >>> agree = Table([pixels[:-1], pixels[1:]], [[0.5, 0.0], [0.0, 0.5]])  # each with the next
    >>> agree
    <Table: 3 factors over 2 variables>
    """

    row_fields = ()

    def __init__(
        self, variables: Any, log_potentials: ArrayLike | Parameter | PotentialSource, *, name: str | None = None
    ) -> None:
        super().__init__(variables, name=name)
        if self.graph is None:  # plain numbers: the table says how many states
            source = PotentialSource.of(log_potentials)
            given = np.shape(log_potentials if source is None else source.forward()[0])  # type: ignore[arg-type]
            if len(given) >= self.degree:
                self.cardinalities = given[-self.degree :]
        self._take_potentials(log_potentials, (self.num_factors, *self.cardinalities))

    @property
    def potentials(self) -> Floats:
        """(F, c_1, …, c_D)."""
        return self.log_potentials

    def score(self, assignment: NDArray[np.int64]) -> Floats:
        """Return the table's entries."""
        return self.log_potentials[(np.arange(self.num_factors), *self.states_of(assignment).T)]

    def prepare(self, potentials: Floats | None) -> "Prepared":
        """Keep the tables, to be scaled for the probability domain if need be."""
        return Prepared(self.log_potentials if potentials is None else potentials)

    def run(self, incoming: Floats, prepared: "Prepared") -> "TableRun":
        """Sum in the probability domain where that is safe, and in the log domain elsewhere."""
        incoming = self.check_incoming(incoming)
        return TableRun(incoming, prepared, self)

    def max_messages(self, incoming: Floats, prepared: "Prepared") -> Floats:
        """Maximise in the log domain."""
        incoming = self.check_incoming(incoming)
        outgoing = np.empty_like(incoming)
        for d in range(self.degree):
            scores = _sum_of_others(prepared.log, incoming, self.offsets, d)
            axes = tuple(axis + 1 for axis in range(self.degree) if axis != d)
            outgoing[:, self.offsets[d] : self.offsets[d + 1]] = scores.max(axis=axes)
        return outgoing

    def best(self, incoming: Floats, prepared: "Prepared") -> NDArray[np.int64]:
        """Return the places of the greatest entries, incoming messages added."""
        scores = _sum_of_others(prepared.log, incoming, self.offsets, 0) + _along(
            incoming, self.offsets, 0, self.degree
        )
        flat = scores.reshape(len(scores), -1)
        places = flat.argmax(axis=1)
        impossible = flat[np.arange(len(flat)), places] == -np.inf
        if impossible.any():
            raise self.contradiction(int(np.argmax(impossible)))
        return np.stack(np.unravel_index(places, self.cardinalities), axis=1)

    def channel(self, block: FactorBlock, prepared: "Prepared", *, mode: str, damping: float) -> Channel:
        """Tables over one variable, and over two binary ones without zeros, have channels of their own."""
        if self.degree == 1:
            return UnaryChannel(block, prepared, mode=mode, damping=damping)
        if mode == "sum" and self.cardinalities == (2, 2) and prepared.suits_odds:
            return PairChannel(block, prepared, prepared.weights, damping=damping)
        return super().channel(block, prepared, mode=mode, damping=damping)

    def merge_key(self) -> tuple[str, tuple[int, ...]]:
        """Tables of one shape can be stacked."""
        return "Table", self.cardinalities

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable["Table"]:
        """Yield tables of one to four positions, some with impossible entries, some with wide ranges."""
        for shape in ((3,), (2, 2), (2, 3), (3, 2, 2), (2, 1, 3, 2)):
            for scale in (1.0, 400.0):
                values = scale * rng.normal(size=(2, *shape))
                values[rng.random(values.shape) < 0.2] = -np.inf
                values.reshape(2, -1)[:, -1] = 0.0
                yield cls(np.arange(2 * len(shape)).reshape(2, len(shape)), values)


class Prepared:
    """Log-potentials (F, …) and, made when first asked for, the same scaled for the probability domain.

    Attributes
    ----------
    log : the log-potentials
    weights : (F, S) the same as weights, scaled to a maximum of 1
    scale : (F,) by what, as a logarithm
    safe : (F,) whether the finite entries span so little that products do not underflow
    """

    def __init__(self, log_potentials: Floats) -> None:
        self.log = log_potentials

    @property
    def weights(self) -> Floats:
        """(F, S)."""
        return self._scaled[0]

    @property
    def scale(self) -> Floats:
        """(F,)."""
        return self._scaled[1]

    @property
    def safe(self) -> NDArray[np.bool_]:
        """(F,)."""
        return self._scaled[2]

    @property
    def suits_odds(self) -> bool:
        """Whether all entries are possible, and of one range: then messages are finite."""
        least = self._scaled[3]
        return least > 0.0 and bool(np.log(least) >= -kernels.pairs.SAFE_RANGE)

    @cached_property
    def _scaled(self) -> tuple[Floats, Floats, NDArray[np.bool_], float]:
        flat = np.require(self.log, np.float64, ["C", "W"]).reshape(len(self.log), -1)
        weights, scale, safe = np.empty_like(flat), np.empty(len(flat)), np.empty(len(flat), dtype=np.bool_)
        least = kernels.table.prepare(flat, weights, scale, safe)
        return weights, scale, safe, float(least)


class TableRun(FactorRun):
    """Messages of tables; see `pgm.kernels.table` for when the probability domain is used."""

    def __init__(self, incoming: Floats, prepared: Prepared, table: Table) -> None:
        super().__init__(incoming, prepared.log)
        self.prepared = prepared
        self.cards = np.array(table.cardinalities, dtype=np.int64)
        self.offsets = table.offsets
        self.scaled = np.zeros_like(incoming)
        self.shift = np.empty(len(incoming))
        unsafe = np.empty(len(incoming), dtype=np.bool_)
        kernels.table.scale_messages(incoming, self.offsets, prepared.safe, self.scaled, self.shift, unsafe)
        self.outgoing = np.zeros_like(incoming)
        self.total = np.empty(len(incoming))
        kernels.table.forward(prepared.weights, self.cards, self.offsets, self.scaled, self.outgoing, self.total)
        rows = np.flatnonzero(unsafe)
        self.unsafe = rows
        self.in_logs = LogTables(incoming[rows], prepared.log[rows], self.offsets) if len(rows) else None
        self.total[rows] = 0.0

    @cached_property
    def messages(self) -> Floats:
        """(F, W), with each edge shifted by what its factor's other messages were scaled by."""
        with np.errstate(divide="ignore"):
            result = np.log(self.outgoing)
        if self.in_logs is not None:
            result[self.unsafe] = self.in_logs.messages
        return result

    @cached_property
    def log_partition(self) -> Floats:
        """(F,)."""
        with np.errstate(divide="ignore"):
            result = np.log(self.total) + self.shift + self.prepared.scale
        if self.in_logs is not None:
            result[self.unsafe] = self.in_logs.log_partition
        return result

    @cached_property
    def beliefs(self) -> Floats:
        """(F, c_1, …, c_D): the joint distribution of each factor's variables."""
        shape = self.prepared.log.shape
        joint = self.prepared.weights.reshape(shape)
        for d in range(len(self.cards)):
            joint = joint * _along(self.scaled, self.offsets, d, len(self.cards))
        safe_total = np.where(self.total > 0.0, self.total, 1.0)
        joint = joint / safe_total.reshape(-1, *[1] * len(self.cards))
        if self.in_logs is not None:
            joint[self.unsafe] = self.in_logs.beliefs
        return joint

    def _backward(
        self, messages: Floats | None = None, log_partition: Floats | None = None, beliefs: Floats | None = None
    ) -> tuple[Floats, Floats]:
        """Return the adjoints of incoming messages and log-potentials."""
        d_incoming = np.zeros_like(self.incoming)
        d_weights = np.zeros_like(self.prepared.weights)
        d_messages = np.zeros_like(self.incoming) if messages is None else np.require(messages, np.float64, ["C", "W"])
        d_joint = np.zeros_like(self.prepared.weights)
        if log_partition is not None:
            d_joint += np.asarray(log_partition)[:, None]
        if beliefs is not None:
            flat = np.asarray(beliefs, dtype=np.float64).reshape(d_joint.shape)
            mean = (flat * self.beliefs.reshape(d_joint.shape)).sum(axis=1, keepdims=True)
            d_joint += flat - mean
        kernels.table.backward(
            self.prepared.weights, self.cards, self.offsets, self.scaled, self.outgoing, self.total,
            d_messages, d_joint, d_incoming, d_weights,
        )  # fmt: skip
        if self.in_logs is not None:
            rows = self.unsafe
            d_incoming[rows], redone = self.in_logs.backward(d_messages[rows], d_joint[rows])
            d_weights[rows] = redone.reshape(len(rows), -1)
        return d_incoming, d_weights.reshape(self.prepared.log.shape)


class LogTables:
    """The same in the log domain and plain NumPy: the reference, and the fallback for wide ranges."""

    def __init__(self, incoming: Floats, log_potentials: Floats, offsets: NDArray[np.int64]) -> None:
        self.incoming, self.log_potentials, self.offsets = incoming, log_potentials, offsets
        self.degree = len(offsets) - 1
        self.terms = [_sum_of_others(log_potentials, incoming, offsets, d) for d in range(self.degree)]
        self.joint = self.terms[0] + _along(incoming, offsets, 0, self.degree)

    @cached_property
    def messages(self) -> Floats:
        """(F, W)."""
        columns = []
        for d, terms in enumerate(self.terms):
            columns.append(_log_sum(terms, tuple(axis + 1 for axis in range(self.degree) if axis != d)))
        return np.concatenate(columns, axis=1)

    @cached_property
    def log_partition(self) -> Floats:
        """(F,)."""
        return _log_sum(self.joint, tuple(range(1, self.degree + 1)))

    @cached_property
    def beliefs(self) -> Floats:
        """(F, c_1, …, c_D)."""
        total = np.where(self.log_partition == -np.inf, 0.0, self.log_partition)
        return np.exp(self.joint - total.reshape(-1, *[1] * self.degree))

    def backward(self, d_messages: Floats, d_joint: Floats) -> tuple[Floats, Floats]:
        """Return the adjoints of incoming messages and log-potentials."""
        whole = self.beliefs * d_joint.reshape(self.beliefs.shape)
        parts = []
        for d, terms in enumerate(self.terms):
            sent = _along(self.messages, self.offsets, d, self.degree)
            share = np.exp(terms - np.where(sent == -np.inf, 0.0, sent))
            parts.append(share * _along(d_messages, self.offsets, d, self.degree))
        every = whole + sum(parts)
        d_incoming = np.empty_like(self.incoming)
        for d, part in enumerate(parts):
            others = tuple(axis + 1 for axis in range(self.degree) if axis != d)
            d_incoming[:, self.offsets[d] : self.offsets[d + 1]] = (every - part).sum(axis=others)
        d_incoming[self.incoming == -np.inf] = 0.0
        return d_incoming, every


def _along(messages: Floats, offsets: NDArray[np.int64], position: int, degree: int) -> Floats:
    """Return the messages of one position with the axes of a table: (F, 1, …, c, …, 1)."""
    shape = [len(messages), *[1] * degree]
    shape[position + 1] = int(offsets[position + 1] - offsets[position])
    return messages[:, offsets[position] : offsets[position + 1]].reshape(shape)


def _sum_of_others(log_potentials: Floats, incoming: Floats, offsets: NDArray[np.int64], position: int) -> Floats:
    terms = log_potentials
    degree = len(offsets) - 1
    for d in range(degree):
        if d != position:
            terms = terms + _along(incoming, offsets, d, degree)
    return terms


def _log_sum(terms: Floats, axes: tuple[int, ...]) -> Floats:
    if not axes:
        return terms.copy()
    top = terms.max(axis=axes, keepdims=True)
    top[top == -np.inf] = 0.0
    with np.errstate(divide="ignore"):
        return np.log(np.exp(terms - top).sum(axis=axes)) + top.squeeze(axes)
