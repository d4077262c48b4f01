"""Scores of predicted trees, and tests between two outputs."""

from nlp.evaluation.comparison import Comparison, compare
from nlp.evaluation.errors import EvaluationError
from nlp.evaluation.evaluation import Evaluation, evaluate
from nlp.evaluation.punctuation import is_punctuation
from nlp.evaluation.scores import ArcScore, RelationScore, Score

__all__ = [
    "ArcScore",
    "Comparison",
    "Evaluation",
    "EvaluationError",
    "RelationScore",
    "Score",
    "compare",
    "evaluate",
    "is_punctuation",
]
