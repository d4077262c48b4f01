"""Context-free grammars in Chomsky normal form, and the file format that they are read from.

# a comment
S                   the start symbols
S -> NP VP -1.5     a rule and its log-weight
===
N -> time -1        the lexicon: a symbol, one of its words and the log-weight
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from autodiff.conversion import as_floats
from hypergraph.errors import GrammarError

__all__ = ["Grammar", "RuleArrays"]


class RuleArrays(NamedTuple):
    """The binary rules as arrays of symbol numbers, (rules,) int32 each."""

    parent: NDArray[np.int32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]


def _floats(values: Iterable[float]) -> tuple[float, ...]:
    array = as_floats(values if isinstance(values, np.ndarray | np.generic) else list(values), "weights", GrammarError)
    if array.ndim != 1:
        raise GrammarError(f"weights of rules and of the lexicon are one for each, not of shape {array.shape}")
    return tuple(array.tolist())


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(names)


def _rules(rules: Iterable[Iterable[str]]) -> tuple[tuple[str, str, str], ...]:
    return tuple((parent, left, right) for parent, left, right in rules)


def _entries(entries: Iterable[Iterable[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((symbol, word) for symbol, word in entries)


@frozen(cache_hash=True)
class Grammar:
    """A grammar in Chomsky normal form: A → B C, A → word.

    Parameters
    ----------
    start : the symbols that a whole sentence may have
    rules : triples (A, B, C), all different
    rule_weights : their log-weights, by default 0
    lexicon : pairs (A, word), all different; may stay empty where lexical weights come from elsewhere
    lexicon_weights : their log-weights, by default 0
    symbols : by default in the order in which they are first mentioned

    Raises
    ------
    GrammarError
        If a rule or entry is there twice, a symbol is unknown or the numbers of weights do not fit.

    Examples
    --------
    >>> grammar = Grammar(start=["S"], rules=[("S", "N", "V"), ("N", "N", "N")])
    >>> grammar.symbols
    ('S', 'N', 'V')
    >>> grammar.arrays.left
    array([1, 1], dtype=int32)
    """

    start: tuple[str, ...] = field(converter=_names)
    rules: tuple[tuple[str, str, str], ...] = field(converter=_rules)
    rule_weights: tuple[float, ...] = field(converter=_floats)
    lexicon: tuple[tuple[str, str], ...] = field(default=(), converter=_entries)
    lexicon_weights: tuple[float, ...] = field(converter=_floats)
    symbols: tuple[str, ...] = field(converter=_names)

    @rule_weights.default
    def _no_rule_weights(self) -> tuple[float, ...]:
        return (0.0,) * len(self.rules)

    @lexicon_weights.default
    def _no_lexicon_weights(self) -> tuple[float, ...]:
        return (0.0,) * len(self.lexicon)

    @symbols.default
    def _mentioned(self) -> tuple[str, ...]:
        in_rules = (symbol for rule in self.rules for symbol in rule)
        return tuple(dict.fromkeys((*self.start, *in_rules, *(symbol for symbol, _ in self.lexicon))))

    def __attrs_post_init__(self) -> None:
        _refuse_repeated("start", self.start)
        _refuse_repeated("symbols", self.symbols)
        _refuse_repeated("rules", self.rules)
        _refuse_repeated("lexicon", self.lexicon)
        unknown = set(self._mentioned()) - set(self.symbols)
        if unknown:
            raise GrammarError(f"{sorted(unknown)} occur in the grammar, but are not among its symbols {self.symbols}")
        if not self.start:
            raise GrammarError("a grammar needs a start symbol")
        for name, items, weights in (
            ("rules", self.rules, self.rule_weights),
            ("lexicon", self.lexicon, self.lexicon_weights),
        ):
            if len(items) != len(weights):
                raise GrammarError(f"{name} has {len(items)} entries, but there are {len(weights)} weights for them")

    @classmethod
    def read(cls, path: str | PathLike[str]) -> "Grammar":
        """Read a grammar from a file."""
        return cls.parse(Path(path).read_text(encoding="utf-8"), source=str(path))

    @classmethod
    def parse(cls, text: str, *, source: str = "<text>") -> "Grammar":
        """Read a grammar from text; errors say `source:line`.

        Raises
        ------
        GrammarError
            If a line cannot be read, or its rule is not in Chomsky normal form.

        Examples
        --------
        >>> grammar = Grammar.parse("S\\nS -> N V -1\\n===\\nN -> she -1\\nV -> eats -2\\n")
        >>> grammar.lexicon
        (('N', 'she'), ('V', 'eats'))
        >>> Grammar.parse("S\\nS -> V -1\\n===\\n")
        Traceback (most recent call last):
        hypergraph.errors.GrammarError: <text>:2: the rule S -> V is not in Chomsky normal form ...
        """
        from hypergraph.structures._grammar_file import parse_grammar

        return cls(**parse_grammar(text, source))

    @cached_property
    def number(self) -> dict[str, int]:
        """The number of each symbol."""
        return {symbol: index for index, symbol in enumerate(self.symbols)}

    @cached_property
    def arrays(self) -> RuleArrays:
        """The rules as arrays of symbol numbers."""
        numbers = np.array([[self.number[symbol] for symbol in rule] for rule in self.rules], dtype=np.int32)
        columns = np.ascontiguousarray(numbers.reshape(-1, 3).T)
        columns.flags.writeable = False
        return RuleArrays(*columns)

    @cached_property
    def _words(self) -> dict[str, list[tuple[int, float]]]:
        words: dict[str, list[tuple[int, float]]] = {}
        for (symbol, word), weight in zip(self.lexicon, self.lexicon_weights, strict=True):
            words.setdefault(word, []).append((self.number[symbol], weight))
        return words

    def lexical(self, words: Sequence[str]) -> NDArray[np.float64]:
        """Return (words, symbols): the log-weights of the lexicon for a sentence, -inf where there is no entry.

        Raises
        ------
        GrammarError
            If a word is not in the lexicon.
        """
        weights = np.full((len(words), len(self.symbols)), -np.inf)
        for position, word in enumerate(words):
            if word not in self._words:
                raise GrammarError(
                    f"the lexicon has no word {word!r} (position {position}): "
                    "add an entry, or give lexical weights directly"
                )
            for symbol, weight in self._words[word]:
                weights[position, symbol] = weight
        return weights


def _refuse_repeated(name: str, items: tuple[object, ...]) -> None:
    if len(set(items)) < len(items):
        seen: set[object] = set()
        repeated = next(item for item in items if item in seen or seen.add(item))  # type: ignore[func-returns-value]
        raise GrammarError(f"{name} has {repeated!r} twice: every tree would be counted twice; keep one")
