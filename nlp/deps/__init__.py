"""The dependency parser.

`from nlp.deps import DependencyParser`; from the shell, `tacana train`, `parse`, `evaluate` and `info`.
"""

from autodiff.files import ModelFileError
from autodiff.options import OptionError
from nlp.deps.analysis import Analysis
from nlp.deps.dependency_scorer import DependencyScorer
from nlp.deps.errors import ParserError, ParserWarning
from nlp.deps.model import DependencyModel
from nlp.deps.parser import DependencyParser
from nlp.deps.templates import default_templates, template_roles

__all__ = [
    "Analysis",
    "DependencyModel",
    "DependencyParser",
    "DependencyScorer",
    "ModelFileError",
    "OptionError",
    "ParserError",
    "ParserWarning",
    "default_templates",
    "template_roles",
]
