"""What can go wrong in an evaluation."""

__all__ = ["EvaluationError"]


class EvaluationError(ValueError):
    """Two treebanks cannot be compared; the message says where they differ, as `file:line: what; expected what`."""
