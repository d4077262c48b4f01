"""Features: templates over token attributes, hashed inside a kernel."""

from nlp.features.atoms import Atom
from nlp.features.attributes import ATTRIBUTES, CLASSES
from nlp.features.encoded import EncodedSentence
from nlp.features.errors import FeatureError, TemplateError
from nlp.features.hasher import FeatureHasher
from nlp.features.label_features import LabelFeatures
from nlp.features.label_hasher import LabelHasher
from nlp.features.sentence_features import SentenceFeatures
from nlp.features.templates import Template, TemplateSet, parse_templates, read_templates
from nlp.features.vocabulary import Vocabulary

__all__ = [
    "ATTRIBUTES",
    "CLASSES",
    "Atom",
    "EncodedSentence",
    "FeatureError",
    "FeatureHasher",
    "LabelFeatures",
    "LabelHasher",
    "SentenceFeatures",
    "Template",
    "TemplateError",
    "TemplateSet",
    "Vocabulary",
    "parse_templates",
    "read_templates",
]
