"""Whether one output is better than another by more than chance."""

from collections.abc import Iterable
from itertools import tee
from typing import Literal

import numpy as np
from attrs import frozen
from numpy.random import Generator

from autodiff.conversion import as_count, as_generator
from nlp.conll import Sentence
from nlp.evaluation.alignment import Alignment
from nlp.evaluation.errors import EvaluationError

__all__ = ["Comparison", "compare"]

_CELLS = 1 << 22  # of signs that are drawn at once


@frozen
class Comparison:
    """Two scores in per cent, and how likely chance alone would make them differ by as much.

    Examples
    --------
    >>> print(Comparison("UAS", 90.0, 90.5, 0.03125, 9999))
    UAS 90.00 and 90.50: difference +0.50, p = 0.03125 (9999 permutations)
    """

    metric: str
    first: float
    second: float
    p_value: float
    rounds: int

    @property
    def difference(self) -> float:
        """The second score less the first."""
        return self.second - self.first

    def __str__(self) -> str:
        scores = f"{self.metric} {self.first:.2f} and {self.second:.2f}: difference {self.difference:+.2f}"
        return f"{scores}, p = {self.p_value:.4g} ({self.rounds} permutations)"


def compare(
    gold: Iterable[Sentence],
    first: Iterable[Sentence],
    second: Iterable[Sentence],
    *,
    seed: int | Generator = 0,
    rounds: int = 9999,
    metric: Literal["uas", "las"] = "uas",
    punctuation: bool = True,
    subtypes: bool = True,
) -> Comparison:
    """Compare two outputs by a paired permutation test over sentences, two-sided.

    Under the null hypothesis it is chance which of the two parsers gave which tree of a sentence.  So the p-value is
    the share of `rounds` random exchanges, and the observed one, after which the scores differ by at least as much.

    Parameters
    ----------
    gold, first, second : the same sentences with three annotations
    seed : the same seed gives the same p-value
    rounds : random exchanges
    metric : "uas", or "las" where all have relations
    punctuation : whether words that are punctuation (by the rule of CoNLL-X) count
    subtypes : whether what follows a colon in a relation counts

    Raises
    ------
    EvaluationError
        If the sentences have not the same words, a word has no head, or there are no relations for "las".

    Examples
    --------
    >>> gold = [Sentence.from_words(["Go", "home"], heads=[0, 1])] * 8
    >>> bad = [sentence.with_heads([2, 0]) for sentence in gold]
    >>> compare(gold, bad, gold).difference, compare(gold, gold, gold).p_value
    (100.0, 1.0)
    >>> compare(gold, bad, gold).p_value < 0.02  # 2 / 2⁸ if all exchanges were tried
    True
    """
    gold_of_first, gold_of_second = tee(gold)
    pairs = (gold_of_first, first), (gold_of_second, second)
    alignments = [Alignment.of(*pair, subtypes=subtypes) for pair in pairs]
    return compare_alignments(*alignments, seed=seed, rounds=rounds, metric=metric, punctuation=punctuation)


def compare_alignments(
    first: Alignment, second: Alignment, *, seed: int | Generator, rounds: int, metric: str, punctuation: bool
) -> Comparison:
    """Return the comparison of outputs that are already aligned with the same gold sentences."""
    if metric not in ("uas", "las"):
        raise ValueError(f"metric is 'uas' or 'las', not {metric!r}")
    rounds = as_count(rounds, "rounds", ValueError, least=1)
    if metric == "las" and not (first.is_labelled and second.is_labelled):
        raise EvaluationError("not all three treebanks have relations; expected some for 'las'")
    counted = np.ones_like(first.punctuation) if punctuation else ~first.punctuation
    right = [(words.labelled if metric == "las" else words.attached) & counted for words in (first, second)]
    difference = np.bincount(first.sentence, weights=right[1].astype(float) - right[0])
    difference = difference[difference != 0]
    generator = as_generator(seed, "seed", ValueError)
    observed, extreme, left = abs(difference.sum()), 0, rounds
    while left:
        count = min(left, max(1, _CELLS // (len(difference) or 1)))
        signs = generator.integers(0, 2, size=(count, len(difference)), dtype=np.int8)
        extreme += int((np.abs(2 * (signs @ difference) - difference.sum()) >= observed).sum())  # whole numbers: exact
        left -= count
    words = int(counted.sum())
    one, other = (100.0 * int(x.sum()) / words if words else float("nan") for x in right)
    name = metric.upper() + ("" if punctuation else " without punctuation")
    return Comparison(name, one, other, (1 + extreme) / (1 + rounds), rounds)
