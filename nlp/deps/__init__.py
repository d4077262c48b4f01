"""The dependency parser.

`from nlp.deps import DependencyParser`; from the shell, `tacana train`, `parse`, `evaluate` and `info`.
"""

from nlp.deps.errors import ParserError, ParserWarning
from nlp.deps.model_file import ModelFileError
from nlp.deps.parser import DependencyParser
from nlp.deps.pruning import PruningSettings

__all__ = ["DependencyParser", "ModelFileError", "ParserError", "ParserWarning", "PruningSettings"]
