"""Counts of what is right, and the shares that follow from them, in per cent; NaN for a share of nothing."""

from attrs import frozen

__all__ = ["ArcScore", "RelationScore", "Score", "percent"]


@frozen
class Score:
    """Attachment over some words: how many there are, and for how many the head (and the relation) is right.

    Examples
    --------
    >>> Score(words=8, attached=6, labelled=None).uas
    75.0
    """

    words: int
    attached: int
    labelled: int | None

    @property
    def uas(self) -> float:
        """Unlabelled attachment score; NaN without words."""
        return percent(self.attached, self.words)

    @property
    def las(self) -> float | None:
        """Labelled attachment score; None without relations."""
        return None if self.labelled is None else percent(self.labelled, self.words)


@frozen
class ArcScore:
    """Arcs of some kind: how many gold has, how many were predicted, how many of them are the same.

    Examples
    --------
    >>> score = ArcScore(gold=4, predicted=2, correct=1)
    >>> score.recall, score.precision, round(score.f1, 2)
    (25.0, 50.0, 33.33)
    """

    gold: int
    predicted: int
    correct: int

    @property
    def recall(self) -> float:
        """The share of gold arcs that were predicted."""
        return percent(self.correct, self.gold)

    @property
    def precision(self) -> float:
        """The share of predicted arcs that are gold."""
        return percent(self.correct, self.predicted)

    @property
    def f1(self) -> float:
        """The harmonic mean of recall and precision."""
        return percent(2 * self.correct, self.gold + self.predicted)


@frozen
class RelationScore(ArcScore):
    """Arcs with some relation, correct where head and relation are; and gold ones of which the head is right."""

    attached: int

    @property
    def uas(self) -> float:
        """The share of gold arcs whose head is right, whatever the relation."""
        return percent(self.attached, self.gold)


def percent(part: int, whole: int) -> float:
    """Return a share in per cent.

    >>> percent(1, 4)
    25.0
    """
    return 100.0 * part / whole if whole else float("nan")
