"""Parses of a context-free grammar: a variable for each span says which symbol it is, or none."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff import Parameter
from autodiff.array_types import Floats
from autodiff.conversion import as_count, as_integers
from hypergraph import Hypergraph, HypergraphBuilder
from hypergraph.errors import WeightError
from hypergraph.structures import ContextFree, Grammar
from pgm.errors import FactorGraphError
from pgm.factors.hypergraph_factor import HypergraphFactor
from pgm.log_potentials import check_log_potentials
from pgm.potential_source import PotentialSource
from pgm.variables import as_index

__all__ = ["LabelledConstituency"]


class LabelledConstituency(HypergraphFactor):
    """The spans that are constituents, with their symbols, form a parse; log ψ is the sum of the scores of its rules.

    The variable of a span is 0 if it is no constituent, and else 1 + the number of its symbol in `grammar.symbols`.
    Messages take O(n³ rules), and as much again for each span that is almost surely a constituent.

    Parameters
    ----------
    spans : one variable for each span (i, j), 0 ≤ i < j ≤ n, by i and then j, with 1 + symbols states; (factors, spans)
        for a family.  Single words are spans too: their messages are lexical scores as well
    grammar : binary rules and start symbols; its own weights and its lexicon are used by `of_sentence` only
    n : number of words
    rules : (rules,) log-potentials in the order of `grammar.rules`, or (factors, rules); by default 0.  A `Parameter`
        is learned
    lexical : (n, symbols), or (factors, n, symbols): log-potentials of the symbol of each word.  The potentials are
        then [rules (rules,), lexical (n, symbols)] in one vector, which `parts` takes apart

    References
    ----------
    Baker (1979); Smith & Eisner (2008), §5.3 (factors that run a dynamic program).

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> grammar = Grammar(["S"], [("S", "N", "V"), ("N", "N", "N")])
    >>> spans = FactorGraph().variables("span", 6, ["none", *grammar.symbols])
    >>> parse = LabelledConstituency(spans, grammar, 3)
    >>> run = parse.run(np.zeros((1, 24)), parse.prepare(parse.potentials))
    >>> run.log_partition.round(9), run.beliefs  # one parse, which uses both rules
    (array([0.]), array([[1., 1.]]))

    With a lexicon:

    >>> grammar = Grammar.parse("S\\nS -> N V -1\\n===\\nN -> time -1\\nV -> time -3\\nV -> flies -2")
    >>> spans = FactorGraph().variables("span", 3, ["none", *grammar.symbols])
    >>> LabelledConstituency.of_sentence(spans, grammar, ["time", "flies"]).score(np.array([[2, 1, 3]]))
    array([-4.])
    """

    def __init__(
        self,
        spans: Any,
        grammar: Grammar,
        n: int,
        rules: ArrayLike | Parameter | PotentialSource | None = None,
        *,
        lexical: ArrayLike | None = None,
        name: str | None = None,
    ) -> None:
        name = name or type(self).__name__
        n = as_count(n, f"{name}: n", FactorGraphError, least=1)
        self.grammar, self.n = grammar, n
        self.places = [(i, j) for i in range(n) for j in range(i + 1, n + 1)]
        factors, given = as_index(spans).shape
        count, symbols = len(self.places), len(grammar.symbols)
        if given != count:
            raise FactorGraphError(f"{name}: {given} variables; {n} words have {count} spans")
        labels = np.stack(np.divmod(np.arange(count * symbols), symbols), axis=1) + np.array([0, 1])
        rule_count = len(grammar.rules)
        potentials = np.zeros(rule_count) if rules is None else rules
        terms = np.full((count, symbols), -1)
        size = rule_count
        if lexical is not None:
            if PotentialSource.of(potentials) is not None:
                raise FactorGraphError(
                    f"{name}: rules come from parameters, so give lexical scores as a Table over the words' spans"
                )
            words = [self.places.index((i, i + 1)) for i in range(n)]
            terms[words] = rule_count + np.arange(n * symbols).reshape(n, symbols)
            size += n * symbols
            parts = [
                check_log_potentials(name, potentials, (factors, rule_count)),  # type: ignore[arg-type]
                check_log_potentials(name, lexical, (factors, n, symbols)).reshape(factors, -1),
            ]
            potentials = np.concatenate(parts, axis=1)
        super().__init__(
            spans, _chart(grammar, n), np.concatenate([labels, np.full((rule_count, 2), -1)]), default=0,
            log_potentials=potentials, shape=(size,), terms=np.concatenate([terms.ravel(), np.arange(rule_count)]),
            cardinalities=(symbols + 1,) * count, check=False, name=name,
        )  # fmt: skip
        if set(self.cardinalities) != {symbols + 1}:
            raise FactorGraphError(f"{self.name}: spans have {symbols + 1} states, none and each of {grammar.symbols}")

    @classmethod
    def of_sentence(
        cls, spans: Any, grammar: Grammar, words: Sequence[str], *, name: str | None = None
    ) -> "LabelledConstituency":
        """Return the parses of a sentence, scored by the grammar's own rule weights and its lexicon.

        A symbol that the lexicon does not have for a word is impossible there.

        Raises
        ------
        hypergraph.errors.GrammarError
            If a word is not in the lexicon.
        """
        return cls(spans, grammar, len(words), grammar.rule_weights, lexical=grammar.lexical(words), name=name)

    def parts(self, values: ArrayLike) -> tuple[Floats, Floats | None]:
        """Return rules (…, rules) and lexical (…, n, symbols), None without, of potentials, beliefs or gradients."""
        array = np.asarray(values, dtype=np.float64)
        rules, words = np.split(array, [len(self.grammar.rules)], axis=-1)
        if not words.shape[-1]:
            return rules, None
        return rules, words.reshape(*array.shape[:-1], self.n, len(self.grammar.symbols))

    def states_of_tree(self, tree: Any) -> NDArray[np.int64]:
        """Return (spans,): the states of the spans of a tree, nested tuples as `ContextFree.decode` gives them.

        Examples
        --------
        >>> from pgm import FactorGraph
        >>> grammar = Grammar(["S"], [("S", "N", "V"), ("N", "N", "N")])
        >>> spans = FactorGraph().variables("span", 6, ["none", *grammar.symbols])
        >>> parse = LabelledConstituency(spans, grammar, 3)
        >>> tree = ("S", ("N", ("N", 0), ("N", 1)), ("V", 2))
        >>> parse.states_of_tree(tree)                         # of the spans 0–1, 0–2, 0–3, 1–2, 1–3, 2–3
        array([2, 2, 1, 2, 0, 3])
        >>> parse.tree_of_states([2, 2, 1, 2, 0, 3]) == tree
        True

        Raises
        ------
        hypergraph.errors.WeightError
            If it is no parse.
        """
        self._check_tree(tree)
        states = np.zeros(len(self.places), dtype=np.int64)

        def place(node: Any, start: int) -> int:
            symbol, *below = node
            end = start + 1 if len(below) == 1 else place(below[1], place(below[0], start))
            states[self.places.index((start, end))] = 1 + self.grammar.number[symbol]
            return end

        place(tree, 0)
        return states

    def _check_tree(self, tree: Any) -> None:
        ContextFree(self.grammar, self.n).weights_of(tree)
        if tree[0] not in self.grammar.start:
            raise WeightError(f"{self.name}: a parse has a root among {self.grammar.start}, not {tree[0]!r}")

    def tree_of_states(self, states: ArrayLike) -> Any:
        """Return the tree, as nested tuples, of the states (spans,) of a parse: what `states_of_tree` undoes.

        Raises
        ------
        FactorGraphError
            If they are those of no parse.
        """
        chosen = as_integers(states, f"{self.name}: states", FactorGraphError)
        if chosen.shape != (len(self.places),):
            raise FactorGraphError(f"{self.name}: {len(self.places)} spans have a state, not {chosen.shape}")
        symbols = (None, *self.grammar.symbols)
        on = {span: symbols[s] for span, s in zip(self.places, chosen.tolist(), strict=True) if 0 < s < len(symbols)}

        def grow(i: int, j: int) -> Any:
            if j == i + 1:
                return on[i, j], i
            k = next((k for k in range(j - 1, i, -1) if (i, k) in on and (k, j) in on), i)
            return on[i, j], grow(i, k), grow(k, j)

        try:
            tree = grow(0, self.n)
            self._check_tree(tree)
        except (KeyError, RecursionError, WeightError):
            raise FactorGraphError(f"{self.name}: the states {chosen.tolist()} are those of no parse") from None
        if len(on) != 2 * self.n - 1:
            raise FactorGraphError(f"{self.name}: {len(on)} spans are on; a parse has {2 * self.n - 1}")
        return tree

    def score(self, assignment: NDArray[np.int64]) -> Floats:
        """Return the sum of the rules (and words) of a parse, and -inf for what is none."""
        assert self.log_potentials is not None
        pairs = zip(self.states_of(assignment), self.log_potentials, strict=True)
        return np.array([self._score(states, *self.parts(own)) for states, own in pairs])

    def _score(self, states: NDArray[np.int64], rules: Floats, lexical: Floats | None) -> float:
        symbols = self.grammar.symbols
        tree = {span: symbols[s - 1] for span, s in zip(self.places, states.tolist(), strict=True) if s > 0}
        if len(tree) != 2 * self.n - 1 or tree.get((0, self.n)) not in self.grammar.start:
            return -np.inf
        number = {tuple(rule): k for k, rule in enumerate(self.grammar.rules)}
        total = 0.0
        for (i, j), symbol in tree.items():
            if j > i + 1:
                halves = [(tree[i, k], tree[k, j]) for k in range(i + 1, j) if (i, k) in tree and (k, j) in tree]
                if len(halves) != 1 or (symbol, *halves[0]) not in number:
                    return -np.inf
                total += rules[number[(symbol, *halves[0])]]
            elif lexical is not None:
                total += lexical[i, self.grammar.number[symbol]]
        return float(total)

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable["LabelledConstituency"]:
        """Yield a grammar of one symbol on three words, and one of two symbols on two, without and with words."""
        one = Grammar(["X"], [("X", "X", "X")])
        two = Grammar(["A"], [("A", "A", "B"), ("A", "B", "B"), ("B", "A", "A"), ("B", "B", "A")])
        for grammar, n in ((one, 1), (one, 3), (two, 2)):
            count = n * (n + 1) // 2
            yield cls(np.arange(2 * count).reshape(2, count), grammar, n, rng.normal(size=(2, len(grammar.rules))))
        yield cls(np.arange(6), two, 3, [-np.inf, 0.3, -0.4, 1.0])
        lexical = rng.normal(size=(2, 2, 2))
        lexical[0, 1, 0] = -np.inf
        yield cls(np.arange(6).reshape(2, 3), two, 2, rng.normal(size=4), lexical=lexical)


@lru_cache(maxsize=32)
def _chart(grammar: Grammar, n: int) -> Hypergraph:
    """Return the chart; its weights are the symbols of spans (spans, symbols), flat, and then the rules."""
    symbols = grammar.symbols
    spans = {(i, j): number for number, (i, j) in enumerate((i, j) for i in range(n) for j in range(i + 1, n + 1))}
    first_rule = len(spans) * len(symbols)
    builder = HypergraphBuilder(num_weights=first_rule + len(grammar.rules))
    derived: set[tuple[str, int, int]] = set()
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            j = i + width
            for number, (parent, left, right) in enumerate(grammar.rules):
                for k in range(i + 1, j):
                    if (left, i, k) in derived and (right, k, j) in derived:
                        tails = [(left, i, k), (right, k, j)]
                        builder.edge(("made", parent, i, j), tails, weight=first_rule + number)
                        derived.add((parent, i, j))
            for number, symbol in enumerate(symbols):
                if width == 1:
                    derived.add((symbol, i, j))
                if (symbol, i, j) in derived:
                    made = [("made", symbol, i, j)] if width > 1 else []
                    builder.edge((symbol, i, j), made, weight=spans[i, j] * len(symbols) + number)
    roots = [symbol for symbol in symbols if symbol in grammar.start and (symbol, 0, n) in derived]
    if not roots:
        raise FactorGraphError(f"LabelledConstituency: the grammar's start symbols derive no {n} words")
    for symbol in roots:
        builder.edge("parse", [(symbol, 0, n)])
    return builder.build("parse")
