"""What `make demo` shows: a parser learns from a small treebank that ships with the package, and is tried."""

from nlp.deps.demo.garden import garden, garden_file
from nlp.deps.demo.report import report

__all__ = ["garden", "garden_file", "report"]
