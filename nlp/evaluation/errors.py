"""What can go wrong in an evaluation."""

from autodiff.errors import InputError

__all__ = ["EvaluationError"]


class EvaluationError(InputError, ValueError):
    """Two treebanks cannot be compared; the message says where they differ, as `file:line: what; expected what`."""
