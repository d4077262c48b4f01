"""Scores of predicted trees, and tests between two outputs."""

from nlp.evaluation.comparison import Comparison, compare
from nlp.evaluation.errors import EvaluationError
from nlp.evaluation.evaluation import Evaluation, LengthScore, RelationScore, Score, evaluate
from nlp.evaluation.punctuation import is_punctuation

__all__ = [
    "Comparison",
    "Evaluation",
    "EvaluationError",
    "LengthScore",
    "RelationScore",
    "Score",
    "compare",
    "evaluate",
    "is_punctuation",
]
