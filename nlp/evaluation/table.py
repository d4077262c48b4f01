"""An evaluation as people read it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nlp.evaluation.evaluation import Evaluation
    from nlp.evaluation.scores import ArcScore

__all__ = ["table"]

_ARCS = ("gold", "predicted", "recall", "precision", "F1")


def table(evaluation: "Evaluation") -> str:
    """Return the scores as text, in three tables, or five.

    Examples
    --------
    >>> from nlp.conll import Sentence
    >>> from nlp.evaluation import evaluate
    >>> sentence = Sentence.from_words(["Go", "home", "!"], heads=[0, 1, 1], relations=["root", "advmod", "punct"])
    >>> print(table(evaluate([sentence], [sentence.with_heads([0, 1, 2])])))
                         words     UAS     LAS
    all words                3   66.67   66.67
    without punctuation      2  100.00  100.00
    <BLANKLINE>
    sentences                     right       %
    exact match                  0 of 1    0.00
    exact match, with relations  0 of 1    0.00
    root                         1 of 1  100.00
    <BLANKLINE>
    content words  gold  predicted  recall  precision      F1
    CLAS              2          2  100.00     100.00  100.00
    <BLANKLINE>
    arc length  gold  predicted  recall  precision      F1
    to root        1          1  100.00     100.00  100.00
    1              1          2  100.00      50.00   66.67
    2              1          0    0.00          -    0.00
    3-6            0          0       -          -       -
    7 and more     0          0       -          -       -
    <BLANKLINE>
    relation  gold  predicted     UAS  recall  precision      F1
    advmod       1          1  100.00  100.00     100.00  100.00
    punct        1          1    0.00    0.00       0.00    0.00
    root         1          1  100.00  100.00     100.00  100.00
    """
    scores = [("all words", evaluation.everything), ("without punctuation", evaluation.without_punctuation)]
    parts = [_columns(["", "words", "UAS", "LAS"], [[name, s.words, s.uas, s.las] for name, s in scores])]
    sentences = evaluation.sentences
    shares = [
        ("exact match", evaluation.exact, evaluation.exact_match),
        ("exact match, with relations", evaluation.labelled_exact, evaluation.labelled_exact_match),
        ("root", evaluation.roots, evaluation.root_accuracy),
    ]
    rows = [[name, f"{right} of {sentences}", share] for name, right, share in shares if right is not None]
    parts.append(_columns(["sentences", "right", "%"], rows))
    if evaluation.content is not None:
        parts.append(_columns(["content words", *_ARCS], [["CLAS", *_arcs(evaluation.content)]]))
    lengths = [[name, *_arcs(score)] for name, score in evaluation.by_length.items()]
    parts.append(_columns(["arc length", *_ARCS], lengths))
    if evaluation.by_relation:
        relations = [[name, s.gold, s.predicted, s.uas, *_arcs(s)[2:]] for name, s in evaluation.by_relation.items()]
        parts.append(_columns(["relation", "gold", "predicted", "UAS", "recall", "precision", "F1"], relations))
    if evaluation.cyclic:
        parts.append(
            f"The predicted heads of {evaluation.cyclic} of {sentences} sentences are no tree: they have cycles."
        )
    return "\n\n".join(parts)


def _arcs(score: "ArcScore") -> list[object]:
    return [score.gold, score.predicted, score.recall, score.precision, score.f1]


def _columns(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Align the first column to the left, all others to the right."""
    cells = [list(head), *([_cell(value) for value in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in cells
    )


def _cell(value: object) -> str:
    if value is None or value != value:  # NaN: a share of nothing
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else str(value)
