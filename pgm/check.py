"""A factor compared with enumeration: for the factors here, and for your own."""

import itertools
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autodiff import Backward, Module, check_gradients
from autodiff.array_types import Floats
from autodiff.conversion import as_generator, as_number
from pgm.errors import ContradictionError, PgmError
from pgm.factor import Factor
from pgm.factor_run import FactorRun

__all__ = ["FactorCheckError", "check_factor", "entropies"]


LARGEST = 100_000
"""Joint assignments of a factor that are still enumerated."""

LARGEST_FAMILY = 1_000_000
"""The same of all factors of a family together, which are held at once."""

SOME = 50
"""Of how many assignments the scores are compared after factors were taken apart or stacked."""

CONTRADICTIONS = 24
"""How often messages that leave few states are tried, beside those that leave none to a variable."""


class FactorCheckError(PgmError, AssertionError):
    """A factor does not do what its scores say; the message says what differs, where and by how much."""


def check_factor(
    factor: Factor,
    *,
    tolerance: float = 1e-10,
    gradient_tolerance: float = 1e-6,
    impossible: float = 0.0,
    scale: float = 1.0,
    gradients: bool = True,
    seed: int | np.random.Generator = 0,
) -> None:
    """Compare messages, log-partition, beliefs, entropy and adjoints of a small factor with enumeration of its scores.

    So is its best assignment; and if it declares `row_fields`, its factors are taken apart and stacked.

    Incoming messages that contradict the factor are tried as well: the log-partition is then -inf, and there is an edge
    each of whose states is impossible in what came in or in what goes out.

    Parameters
    ----------
    factor : a family whose factors have at most 100,000 joint assignments each, and 1,000,000 together
    tolerance : greatest difference, absolute or relative
    impossible : the share of entries of incoming messages that are made -inf
    scale : incoming messages are drawn from a normal distribution of this standard deviation
    gradients : whether to check adjoints as well, against central differences
    seed : of the incoming messages

    Raises
    ------
    FactorCheckError
        If something differs.

    Examples
    --------
    >>> from pgm.factors import Table
    >>> check_factor(Table(np.array([[0, 1]]), [[0.5, -1.0], [-np.inf, 2.0]]))
    """
    rng = as_generator(seed, "check_factor: seed")
    tolerance = as_number(tolerance, "check_factor: tolerance", least=0)
    joint, marks, states = _enumerate(factor)
    incoming = scale * rng.normal(size=(factor.num_factors, int(factor.offsets[-1])))
    incoming[rng.random(incoming.shape) < impossible] = -np.inf
    prepared = factor.prepare(factor.potentials)
    run = factor.run(incoming.copy(), prepared)
    weights = joint + incoming[:, states].sum(axis=2)
    _compare(factor, "log_partition", run.log_partition, _log_sum(weights, axis=1), tolerance)
    expected_sum, expected_max = _expected_messages(factor, joint, incoming, marks, states)
    possible = run.log_partition > -np.inf
    _compare_messages(factor, "messages", run.messages, expected_sum, possible, tolerance)
    found_max = factor.max_messages(incoming.copy(), prepared)
    _compare_messages(factor, "max_messages", found_max, expected_max, possible, tolerance)
    _check_best(factor, prepared, incoming, weights.max(axis=1), tolerance)
    _check_rows(factor, joint, marks)
    probabilities = np.exp(weights - np.where(possible, run.log_partition, 0.0)[:, None])
    expected_entropy = -np.sum(
        probabilities * np.where(probabilities > 0, np.log(np.where(probabilities > 0, probabilities, 1.0)), 0.0),
        axis=1,
    )
    if possible.all():
        _compare(factor, "entropy", entropies(factor, run), expected_entropy, 10 * tolerance)
        if factor.potentials is not None:
            _, slope = run.backward(log_partition=np.ones(factor.num_factors))
            _compare(factor, "beliefs (as the gradient of the log-partition)", run.beliefs, slope, tolerance)
    if gradients and possible.all():
        inputs = (incoming,) if factor.potentials is None else (incoming, factor.potentials)
        report = check_gradients(_AsModule(factor), *inputs, tolerance=gradient_tolerance)
        if not report.passed:
            raise FactorCheckError(f"{factor!r}: adjoints: {report}")
    _check_contradictions(factor, prepared, joint, marks, states, rng, tolerance)


def _check_best(factor: Factor, prepared: Any, incoming: Floats, expected: Floats, tolerance: float) -> None:
    """Compare the score of the best assignments with the greatest of all; a factor without one is an error."""
    impossible = expected == -np.inf
    try:
        best = factor.best(incoming.copy(), prepared)
    except ContradictionError:
        if not impossible.any():
            raise FactorCheckError(f"{factor!r}: best raises ContradictionError, but there are assignments") from None
        return
    if impossible.any():
        row = int(np.argmax(impossible))
        raise FactorCheckError(
            f"{factor.describe(row)}: best is {best[row]}, though the incoming messages {incoming[row]} contradict the "
            f"factor; it raises ContradictionError, as Factor.contradiction gives it"
        )
    received = np.take_along_axis(incoming, factor.offsets[:-1] + factor.states_of(best), axis=1).sum(axis=1)
    _compare(factor, "the score of best", factor.score(best) + received, expected, tolerance)


def _check_rows(factor: Factor, joint: Floats, assignments: NDArray[np.int64]) -> None:
    """Take the factors apart, and stack them, where the family says that this can be done."""
    if factor.row_fields is None:
        return
    some = np.linspace(0, len(assignments) - 1, min(len(assignments), SOME)).astype(np.int64)
    backwards = np.arange(factor.num_factors)[::-1]
    parts = {"take": (factor.take(backwards), joint[backwards])}
    if factor.merge_key() is not None:
        parts["stack"] = type(factor).stack([factor, factor]), np.concatenate([joint, joint])
    for what, (family, expected) in parts.items():
        scores = [family.score(np.broadcast_to(y, (family.num_factors, family.degree))) for y in assignments[some]]
        _compare(factor, f"the score of what {what} makes", np.stack(scores, axis=1), expected[:, some], 1e-12)


def _check_contradictions(
    factor: Factor,
    prepared: Any,
    joint: Floats,
    assignments: NDArray[np.int64],
    states: NDArray[np.int64],
    rng: np.random.Generator,
    tolerance: float,
) -> None:
    """Try incoming messages that leave few states, or none of a variable, to each factor."""
    shape = (factor.num_factors, int(factor.offsets[-1]))
    rows = np.arange(factor.num_factors)
    for trial in range(factor.degree + CONTRADICTIONS):
        incoming = rng.normal(size=shape)
        if trial < factor.degree:  # no state of one variable
            incoming[:, factor.offsets[trial] : factor.offsets[trial + 1]] = -np.inf
        else:  # an assignment that each factor forbids, if there is one; and by and by some states beside it
            forbidden = np.array([rng.choice(np.flatnonzero(row == row.min())) for row in joint])
            kept = rng.random(shape) < rng.choice([0.0, 0.15, 0.4])
            kept[rows[:, None], states[forbidden]] = True
            incoming[~kept] = -np.inf
        greatest = (joint + incoming[:, states].sum(axis=2)).max(axis=1)
        impossible = greatest == -np.inf
        if not impossible.any():
            continue
        run = factor.run(incoming.copy(), prepared)
        expected = np.where(impossible, -np.inf, run.log_partition)
        _compare(factor, "log_partition of messages that contradict it", run.log_partition, expected, 0.0)
        found = {"messages": run.messages, "max_messages": factor.max_messages(incoming.copy(), prepared)}
        for what, outgoing in found.items():
            dead = (outgoing == -np.inf) | (incoming == -np.inf)
            unseen = impossible & ~np.logical_and.reduceat(dead, factor.offsets[:-1], axis=1).any(axis=1)
            if unseen.any():
                row = int(np.argmax(unseen))
                raise FactorCheckError(
                    f"{factor.describe(row)}: {what} are {outgoing[row]}, though the incoming messages {incoming[row]} "
                    f"contradict the factor: all states of some edge must be -inf, in what comes in or in what goes "
                    f"out, or message passing does not notice"
                )
        _check_best(factor, prepared, incoming, greatest, tolerance)


def entropies(factor: Factor, run: FactorRun) -> Floats:
    """Return (F,): the entropy of each factor's belief, log Z - E[log ψ] - Σ_d E[incoming]."""
    expected = np.zeros(factor.num_factors)
    if run.beliefs is not None and run.potentials is not None:
        expected += (run.beliefs * _finite(run.potentials)).reshape(factor.num_factors, -1).sum(axis=1)
    marginals = edge_marginals(factor, run)
    expected += (marginals * _finite(run.incoming)).sum(axis=1)
    return np.asarray(run.log_partition - expected)


def edge_marginals(factor: Factor, run: FactorRun) -> Floats:
    """Return (F, W): the belief of each factor, marginalised to each of its variables."""
    product = run.incoming + run.messages
    result = np.empty_like(product)
    for d in range(factor.degree):
        part = product[:, factor.offsets[d] : factor.offsets[d + 1]]
        top = part.max(axis=1, keepdims=True)
        weights = np.exp(part - np.where(top == -np.inf, 0.0, top))
        total = weights.sum(axis=1, keepdims=True)
        result[:, factor.offsets[d] : factor.offsets[d + 1]] = weights / np.where(total > 0, total, 1.0)
    return result


def _finite(values: Floats) -> Floats:
    return np.where(values == -np.inf, 0.0, values)


class _AsModule(Module):
    """incoming (and potentials) → messages with each edge's mean taken off, log-partition, beliefs."""

    def __init__(self, factor: Factor) -> None:
        self.factor = factor
        self.output_count = 2 if factor.potentials is None else 3

    def forward(self, incoming: Floats, potentials: Floats | None = None) -> tuple[tuple[Floats, ...], Backward]:
        run = self.factor.run(np.array(incoming), self.factor.prepare(potentials))
        beliefs = () if potentials is None else (run.beliefs.copy(),)  # type: ignore[union-attr]

        def backward(messages: Floats | None, *others: Floats | None) -> tuple[Floats, ...]:
            if messages is not None:
                messages = self._centred(messages, run.messages)
            of_incoming, of_potentials = run.backward(messages, *others)
            return (of_incoming,) if of_potentials is None else (of_incoming, of_potentials)

        return (self._centred(run.messages, run.messages), run.log_partition.copy(), *beliefs), backward

    def _centred(self, values: Floats, messages: Floats) -> Floats:
        """Take the mean over an edge's possible states off: a factor may choose the constant.  Its own adjoint."""
        result = np.array(values)
        for d in range(self.factor.degree):
            edge = slice(self.factor.offsets[d], self.factor.offsets[d + 1])
            possible = messages[:, edge] > -np.inf
            count = np.maximum(possible.sum(axis=1, keepdims=True), 1)
            mean = np.where(possible, values[:, edge], 0.0).sum(axis=1, keepdims=True) / count
            result[:, edge] -= np.where(possible, mean, 0.0)
        return result


def _enumerate(factor: Factor) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """Return log ψ (F, Y), the assignments (Y, D), and the places in a message of their states (Y, D)."""
    count = prod(factor.cardinalities)
    if not count:
        raise FactorCheckError(f"{factor!r} has a variable without states, so nothing can be checked")
    if count > LARGEST:
        raise FactorCheckError(f"{factor!r} has {count} joint assignments; {LARGEST} are the most: check a smaller one")
    if count * factor.num_factors > LARGEST_FAMILY:
        raise FactorCheckError(
            f"{factor!r} has {count * factor.num_factors} joint assignments in all; {LARGEST_FAMILY} are the most: "
            f"check some of its factors, as take gives them"
        )
    assignments = np.array(list(itertools.product(*map(range, factor.cardinalities))), dtype=np.int64)
    joint = np.stack(
        [factor.score(np.broadcast_to(y, (factor.num_factors, factor.degree))) for y in assignments], axis=1
    )
    return joint, assignments, factor.offsets[:-1] + assignments


def _expected_messages(
    factor: Factor, joint: Floats, incoming: Floats, assignments: NDArray[np.int64], states: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    sums, maxima = np.empty_like(incoming), np.empty_like(incoming)
    for d in range(factor.degree):
        others = joint + incoming[:, np.delete(states, d, axis=1)].sum(axis=2)
        for s in range(factor.cardinalities[d]):
            chosen = others[:, assignments[:, d] == s]
            sums[:, factor.offsets[d] + s] = _log_sum(chosen, axis=1)
            maxima[:, factor.offsets[d] + s] = chosen.max(axis=1)
    return sums, maxima


def _log_sum(values: Floats, axis: int) -> Floats:
    top = values.max(axis=axis, keepdims=True)
    top[top == -np.inf] = 0.0
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(values - top).sum(axis=axis)) + top.squeeze(axis))


def _compare_messages(
    factor: Factor, what: str, found: Floats, expected: Floats, possible: NDArray[np.bool_], tolerance: float
) -> None:
    """Compare messages with each edge's greatest taken off, where anything is possible."""

    def normalised(values: Floats) -> Floats:
        parts = []
        for d in range(factor.degree):
            part = values[possible, factor.offsets[d] : factor.offsets[d + 1]]
            top = part.max(axis=1, keepdims=True)
            parts.append(part - np.where(top == -np.inf, 0.0, top))
        return np.concatenate(parts, axis=1)

    _compare(factor, what, normalised(found), normalised(expected), tolerance)


def _compare(factor: Factor, what: str, found: Any, expected: Any, tolerance: float) -> None:
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape:
        raise FactorCheckError(f"{factor!r}: {what} has shape {found.shape}, but {expected.shape} was expected")
    with np.errstate(invalid="ignore"):
        error = np.where(found == expected, 0.0, np.abs(found - expected) / np.maximum(1.0, np.abs(expected)))
    if np.isnan(error).any() or (error > tolerance).any():
        where = np.unravel_index(int(np.nanargmax(np.where(np.isnan(error), np.inf, error))), error.shape)
        raise FactorCheckError(
            f"{factor!r}: {what} at {[int(i) for i in where]} is {found[where]!r}, "
            f"but enumeration gives {expected[where]!r}"
        )
