"""Binary bracketings: the spans that are ON form a binary tree over the words."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Floats
from autodiff.conversion import as_count, as_integers
from hypergraph import Hypergraph, HypergraphBuilder
from pgm.errors import FactorGraphError
from pgm.factors.hypergraph_factor import HypergraphFactor
from pgm.variables import as_index

__all__ = ["Constituency", "all_spans"]


class Constituency(HypergraphFactor):
    """ψ(y) is 1 if the spans that are ON are those of a binary branching tree over n words, and else 0.

    Single words are always constituents and have no variables.  The span of all words is always ON.  Messages take
    O(n³) by the inside-outside algorithm, and as much again for each span that is almost surely ON.

    Parameters
    ----------
    spans : binary variables, one for each span of at least two words, in the order of `all_spans(n)` unless `starts`
        and `ends` are given; (factors, spans) for a family
    n : number of words
    starts, ends : (spans,), the words starts … ends - 1 of each span; what is not there is pruned: never ON

    References
    ----------
    Baker (1979); Naradowsky, Vieira & Smith (2012), Grammarless parsing for joint inference (the CKYTree factor).

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> spans = FactorGraph().variables("span", len(all_spans(4)))
    >>> brackets = Constituency(spans, 4)
    >>> np.exp(brackets.run(np.zeros((1, 12)), brackets.prepare(None)).log_partition).round(9)  # a Catalan number
    array([5.])
    """

    def __init__(
        self,
        spans: Any,
        n: int,
        starts: ArrayLike | None = None,
        ends: ArrayLike | None = None,
        *,
        name: str | None = None,
    ) -> None:
        if (starts is None) != (ends is None):
            raise FactorGraphError("Constituency: give both starts and ends, or neither")
        pairs = all_spans(n)
        if starts is not None and ends is not None:
            first = as_integers(starts, "Constituency: starts", FactorGraphError)
            last = as_integers(ends, "Constituency: ends", FactorGraphError)
            if first.ndim != 1 or first.shape != last.shape:
                raise FactorGraphError(
                    f"Constituency: starts and ends are (spans,) both; not of shapes {first.shape} and {last.shape}"
                )
            pairs = list(zip(first.tolist(), last.tolist(), strict=True))
        if as_index(spans).shape[1] != len(pairs):
            raise FactorGraphError(f"Constituency: {as_index(spans).shape[1]} variables for {len(pairs)} spans")
        if len(set(pairs)) != len(pairs) or not set(pairs) <= set(all_spans(n)):
            raise FactorGraphError(f"Constituency: spans are different pairs with 0 ≤ start, start + 2 ≤ end ≤ {n}")
        self.n, self.spans = n, pairs
        uses = np.stack([np.arange(len(pairs)), np.ones(len(pairs), dtype=np.int64)], axis=1)
        super().__init__(spans, _chart(n, tuple(pairs)), uses, default=0, check=False, name=name)

    def score(self, assignment: NDArray[np.int64]) -> Floats:
        """Return 0 for a binary bracketing and -inf for anything else."""
        result = np.full(self.num_factors, -np.inf)
        for row, states in enumerate(self.states_of(assignment)):
            if _is_binary({self.spans[i] for i in np.flatnonzero(states)}, self.n):
                result[row] = 0.0
        return result

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable["Constituency"]:
        """Yield all spans of two to four words, and some of five."""
        for n in (2, 3, 4):
            count = len(all_spans(n))
            yield cls(np.arange(2 * count).reshape(2, count), n)
        some = [(0, 5), (0, 2), (2, 5), (2, 4), (3, 5), (1, 4), (0, 4), (1, 5), (1, 3)]
        starts, ends = np.array(some).T
        yield cls(np.arange(len(some)), 5, starts, ends)


def all_spans(n: int) -> list[tuple[int, int]]:
    """Return the spans (start, end) of at least two of n words, by start and then end.

    Examples
    --------
    >>> all_spans(3)
    [(0, 2), (0, 3), (1, 3)]
    """
    n = as_count(n, "the number of words, n,", FactorGraphError)
    return [(i, j) for i in range(n - 1) for j in range(i + 2, n + 1)]


def _is_binary(spans: set[tuple[int, int]], n: int) -> bool:
    """Return whether n - 1 spans, the whole one among them, do not overlap: those of a binary tree."""
    if len(spans) != n - 1 or (0, n) not in spans:
        return False
    return not any(start < other < end < other_end for start, end in spans for other, other_end in spans)


def _chart(n: int, spans: tuple[tuple[int, int], ...]) -> Hypergraph:
    """Return the chart of the spans that can be derived; weight k is that of spans[k]."""
    builder = HypergraphBuilder(num_weights=len(spans))
    number = {span: k for k, span in enumerate(spans)}
    derived = {(i, i + 1) for i in range(n)}
    for i in range(n):
        builder.edge((i, i + 1))
    for i, j in sorted(spans, key=lambda span: span[1] - span[0]):
        splits = [k for k in range(i + 1, j) if (i, k) in derived and (k, j) in derived]
        for k in splits:
            builder.edge(("split", i, j), [(i, k), (k, j)])
        if splits:
            derived.add((i, j))
            builder.edge((i, j), [("split", i, j)], weight=number[i, j])
    if (0, n) not in derived:
        raise FactorGraphError(f"Constituency: the spans that are given have no binary tree over {n} words")
    return builder.build((0, n))
