"""Features: templates over token attributes, hashed inside a kernel."""

from nlp.features.atoms import KINDS, Atom
from nlp.features.attributes import ATTRIBUTES, CLASSES
from nlp.features.defaults import ARC, CHILDSEQ, DEFAULTS, GRANDPARENT, NOCROSS, PRUNER, SIBLING
from nlp.features.encoded import EncodedSentence
from nlp.features.errors import FeatureError, TemplateError
from nlp.features.hasher import FeatureHasher
from nlp.features.sentence_features import SentenceFeatures
from nlp.features.templates import Template, TemplateSet, parse_templates, read_templates
from nlp.features.vocabulary import Vocabulary

__all__ = [
    "ARC",
    "ATTRIBUTES",
    "CHILDSEQ",
    "CLASSES",
    "DEFAULTS",
    "GRANDPARENT",
    "KINDS",
    "NOCROSS",
    "PRUNER",
    "SIBLING",
    "Atom",
    "EncodedSentence",
    "FeatureError",
    "FeatureHasher",
    "SentenceFeatures",
    "Template",
    "TemplateError",
    "TemplateSet",
    "Vocabulary",
    "parse_templates",
    "read_templates",
]
