"""Treebanks in CoNLL-X, CoNLL-2009 and CoNLL-U: read, written back byte for byte, made projective."""

from nlp.conll.errors import ConllError, ConllWarning
from nlp.conll.formats import CONLL_2009, CONLL_U, CONLL_X, Format
from nlp.conll.limits import Limits
from nlp.conll.projectivity import is_projective, nonprojective_arcs, projectivise, projectivise_all
from nlp.conll.reader import read_all, read_sentences
from nlp.conll.sentence import Sentence
from nlp.conll.writer import write_sentences

__all__ = [
    "CONLL_2009",
    "CONLL_U",
    "CONLL_X",
    "ConllError",
    "ConllWarning",
    "Format",
    "Limits",
    "Sentence",
    "is_projective",
    "nonprojective_arcs",
    "projectivise",
    "projectivise_all",
    "read_all",
    "read_sentences",
    "write_sentences",
]
