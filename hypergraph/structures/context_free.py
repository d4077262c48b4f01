"""Trees of a context-free grammar in Chomsky normal form (Cocke, Kasami, Younger).

Sums over the trees that the grammar gives to n words: binary trees with a symbol at each node, whose inner nodes use
the grammar's rules; a tree weighs r(symbol of the whole) · Π_{A → B C} w(A, B, C) · Π_{leaves} u(position, symbol).

Legend: n words, i < k < j boundaries between words, A → B C a rule.  Nodes of the hypergraph: (A, i, j), the trees with
symbol A over the words i … j - 1.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from attrs import field, frozen
from attrs.validators import ge, instance_of
from numpy.typing import ArrayLike, NDArray

from autodiff.conversion import as_floats
from hypergraph.batched.binary_rules import BinaryRules
from hypergraph.batched.chart import ChartOfOne
from hypergraph.batched.context_free import ContextFreeChart, best_parses
from hypergraph.builder import HypergraphBuilder
from hypergraph.errors import ImpossibleError, WeightError
from hypergraph.graph import Hypergraph
from hypergraph.structure import Structure, as_size, shorten
from hypergraph.structures.grammar import Grammar

if TYPE_CHECKING:
    from hypergraph.derivation import Derivation

__all__ = ["ContextFree", "ContextFreeParts"]


class ContextFreeParts(NamedTuple):
    """The parts of a vector of weights or marginals of `ContextFree`."""

    roots: NDArray[np.float64]
    """(symbols,), of the symbol of the whole tree"""
    rules: NDArray[np.float64]
    """(rules,), shared by all spans"""
    lexical: NDArray[np.float64]
    """(n, symbols), of the symbol above each word"""


@frozen
class ContextFree(Structure):
    """Trees of a grammar over `n` words.  Weights: a vector, [roots (symbols,), rules (rules,), lexical (n, symbols)].

    Parameters
    ----------
    grammar : the rules; its own weights are used only by `of_sentence`
    n : number of words

    Examples
    --------
    >>> from hypergraph import count, viterbi
    >>> grammar = Grammar.parse('''
    ... S
    ... S -> N V -1
    ... N -> N N -1
    ... ===
    ... N -> time -1
    ... N -> fruit -1
    ... V -> flies -1
    ... ''')
    >>> trees, weights = ContextFree.of_sentence(grammar, ["fruit", "time", "flies"])
    >>> best = viterbi(trees, weights)
    >>> best.score, trees.decode(best)
    (-5.0, ('S', ('N', ('N', 0), ('N', 1)), ('V', 2)))
    """

    grammar: Grammar = field(validator=instance_of(Grammar))
    n: int = field(converter=as_size, validator=ge(1))

    @classmethod
    def examples(cls) -> "list[ContextFree]":
        """Return grammars of one symbol, of two with all rules, and a sparse one."""
        one = Grammar(["X"], [("X", "X", "X")])
        two = Grammar(["A"], [(a, b, c) for a in "AB" for b in "AB" for c in "AB"])
        sparse = Grammar(["S"], [("S", "N", "V"), ("V", "V", "N"), ("N", "N", "P"), ("P", "Q", "N"), ("V", "S", "S")])
        return [cls(one, 1), cls(one, 4), cls(two, 1), cls(two, 2), cls(two, 3), cls(sparse, 3), cls(sparse, 4)]

    @classmethod
    def of_sentence(cls, grammar: Grammar, words: Sequence[str]) -> "tuple[ContextFree, NDArray[np.float64]]":
        """Return the trees over a sentence, and the log-weights that the grammar itself gives them.

        Raises
        ------
        GrammarError
            If a word is not in the lexicon.
        """
        trees = cls(grammar, len(words))
        return trees, trees.weights(grammar.rule_weights, grammar.lexical(words))

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shapes of the three parts."""
        symbols = len(self.grammar.symbols)
        return (symbols,), (len(self.grammar.rules),), (self.n, symbols)

    @property
    def num_weights(self) -> int:
        """The length of the vector of weights."""
        return len(self.grammar.symbols) * (1 + self.n) + len(self.grammar.rules)

    def weights(self, rules: ArrayLike, lexical: ArrayLike, roots: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return the vector of log-weights.

        Parameters
        ----------
        rules : (rules,), in the order of `grammar.rules`
        lexical : (n, symbols), of the symbol above each word, in the order of `grammar.symbols`
        roots : (symbols,), of the symbol of the whole; by default 0 for the start symbols and -inf for others
        """
        if roots is None:
            roots = [0.0 if symbol in self.grammar.start else -np.inf for symbol in self.grammar.symbols]
        flat = []
        for name, values, shape in zip(
            ("roots", "rules", "lexical"), (roots, rules, lexical), self.shapes, strict=True
        ):
            array = as_floats(values, name, WeightError)
            if array.shape != shape:
                raise WeightError(f"the weights of {name} for {self._brief} have shape {shape}, not {array.shape}")
            flat.append(array.ravel())
        return self.check_weights(np.concatenate(flat))

    def parts(self, vector: ArrayLike) -> ContextFreeParts:
        """Return the parts of a vector of weights or marginals, as views of it."""
        flat = as_floats(vector, "vector", WeightError)
        if flat.shape != (self.num_weights,):
            raise WeightError(f"the vector for {self._brief} has shape {(self.num_weights,)}, not {flat.shape}")
        symbols = len(self.grammar.symbols)
        roots, rules, lexical = np.split(flat, [symbols, symbols + len(self.grammar.rules)])
        return ContextFreeParts(roots, rules, lexical.reshape(self.n, symbols))

    @property
    def shared(self) -> NDArray[np.bool_]:
        """(weights,): the rules."""
        past = np.arange(self.num_weights) - len(self.grammar.symbols)
        return (past >= 0) & (past < len(self.grammar.rules))

    def weight_name(self, index: int) -> str:
        """Return "root A", "rule A → B C" or "A over word i"."""
        symbols, rules = self.grammar.symbols, self.grammar.rules
        if index < len(symbols):
            return f"root {symbols[index]}"
        index -= len(symbols)
        if index < len(rules):
            return "rule {} → {} {}".format(*rules[index])
        position, symbol = divmod(index - len(rules), len(symbols))
        return f"{symbols[symbol]} over word {position}"

    @property
    def graph(self) -> Hypergraph:
        """The chart, of O(n² symbols) nodes and O(n³ rules) edges; built once for each grammar and n.

        Raises
        ------
        ImpossibleError
            If the rules give no tree to n words, whatever the weights.
        """
        return _build(self)

    def decode(self, derivation: "Derivation") -> Any:
        """Return the tree as nested tuples: (symbol, left, right), or (symbol, position) above a word."""
        names = derivation.graph.node_names
        assert names is not None
        # without the root of the hypergraph
        return _nest(names[node] for node in derivation.nodes[:0:-1].tolist())

    def weights_of(self, decoded: Any) -> NDArray[np.int64]:
        """Return the indices of the weights that a tree uses: the root, then rules and words from left to right.

        >>> trees = ContextFree(Grammar(["S"], [("S", "N", "V"), ("N", "N", "N")]), 3)
        >>> [trees.weight_name(k) for k in trees.weights_of(("S", ("N", ("N", 0), ("N", 1)), ("V", 2))).tolist()]
        ['root S', 'rule S → N V', 'rule N → N N', 'N over word 0', 'N over word 1', 'V over word 2']
        """
        number, symbols = self.grammar.number, len(self.grammar.symbols)
        rules = {rule: index for index, rule in enumerate(self.grammar.rules)}
        try:
            found, waiting, words = [number[decoded[0]]], [decoded], []
            while waiting:
                symbol, *below = waiting.pop()
                if len(below) == 1:
                    (position,) = below
                    words.append(position)
                    found.append(symbols + len(rules) + position * symbols + number[symbol])
                else:
                    left, right = below
                    found.append(symbols + rules[symbol, left[0], right[0]])
                    waiting += [right, left]
        except (KeyError, ValueError, TypeError, IndexError):
            raise WeightError(f"{self.brief}: {shorten(repr(decoded))} is no tree of its rules") from None
        if words != list(range(self.n)):
            raise WeightError(f"{self.brief}: a tree has the words 0 … {self.n - 1} in order, not {words}")
        return np.array(found, dtype=np.int64)

    def run(self, weights: NDArray[np.float64]) -> ChartOfOne:
        """Run the inside algorithm, which needs no hypergraph."""
        try:
            chart = ContextFreeChart.run(_binary_rules(self.grammar), *self._batch_of_one(weights.reshape(-1)))
        except ImpossibleError:
            raise self.impossible() from None
        return ChartOfOne(chart, lambda arrays: np.concatenate([a.reshape(-1) for a in arrays]), self._batch_of_one)

    def best(self, weights: ArrayLike) -> tuple[float, Any]:
        """Return the score of the best tree, and the tree as `decode` gives it."""
        potentials = self._batch_of_one(self.check_weights(weights).reshape(-1))
        try:
            best, nodes = best_parses(_binary_rules(self.grammar), *potentials)
        except ImpossibleError:
            raise self.impossible() from None
        symbols = self.grammar.symbols
        return float(best[0]), _nest((symbols[symbol], i, j) for symbol, i, j in nodes[0, ::-1].tolist())

    def _batch_of_one(self, vector: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        roots, rules, lexical = self.parts(vector)
        return roots, rules, lexical[np.newaxis]

    @property
    def brief(self) -> str:
        """The numbers of symbols, rules and words: a grammar is too long for a message."""
        return f"ContextFree with {self._brief}"

    @property
    def _brief(self) -> str:
        return f"{len(self.grammar.symbols)} symbols, {len(self.grammar.rules)} rules and {self.n} words"


def _nest(nodes: Iterable[tuple[str, int, int]]) -> Any:
    """Return nested tuples, from nodes (symbol, start, end) in reverse preorder."""
    trees: list[Any] = []
    for symbol, i, j in nodes:
        trees.append((symbol, i) if j == i + 1 else (symbol, trees.pop(), trees.pop()))
    return trees[0]


@lru_cache(maxsize=32)
def _binary_rules(grammar: Grammar) -> BinaryRules:
    return BinaryRules(len(grammar.symbols), *grammar.arrays)


@lru_cache(maxsize=32)
def _build(trees: ContextFree) -> Hypergraph:
    n, symbols = trees.n, trees.grammar.symbols
    first_rule, first_lexical = len(symbols), len(symbols) + len(trees.grammar.rules)
    builder = HypergraphBuilder(num_weights=trees.num_weights)
    for i in range(n):
        for number, symbol in enumerate(symbols):
            builder.edge((symbol, i, i + 1), weight=first_lexical + i * len(symbols) + number)
    derivable = {1: set(symbols)}  # which symbols derive so many words at all
    for width in range(2, n + 1):
        fitting = [
            (first_rule + number, rule, half)
            for number, rule in enumerate(trees.grammar.rules)
            for half in range(1, width)
            if rule[1] in derivable[half] and rule[2] in derivable[width - half]
        ]
        derivable[width] = {parent for _, (parent, _, _), _ in fitting}
        for i in range(n - width + 1):
            for weight, (parent, left, right), half in fitting:
                builder.edge((parent, i, i + width), [(left, i, i + half), (right, i + half, i + width)], weight=weight)
    if not derivable[n]:
        raise ImpossibleError(f"no tree: of the {len(trees.grammar.rules)} rules none can be used for {n} words")
    for number, symbol in enumerate(symbols):
        if symbol in derivable[n]:
            builder.edge("tree", [(symbol, 0, n)], weight=number)
    return builder.build(root="tree")
