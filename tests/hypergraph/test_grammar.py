"""Grammars: reading, refusing, and the trees that they give."""

from pathlib import Path

import numpy as np
import pytest

from hypergraph import GrammarError, ImpossibleError, count, kbest, log_partition, marginals, viterbi
from hypergraph.structures import ContextFree, Grammar

GRAMMARS = Path(__file__).parents[3] / "shared" / "models" / "grammar"
needs_grammars = pytest.mark.skipif(not GRAMMARS.is_dir(), reason="the shared grammars are not on this machine")

TEXT = """\
# she eats pizza
S
S -> N V -1

V -> V N -0.5
===
N -> she -2
N -> pizza -1
V -> eats -0.25
V -> pizza -7
"""


def test_a_grammar_is_read():
    grammar = Grammar.parse(TEXT)
    assert grammar.start == ("S",)
    assert grammar.symbols == ("S", "N", "V")
    assert grammar.rules == (("S", "N", "V"), ("V", "V", "N"))
    assert grammar.rule_weights == (-1.0, -0.5)
    assert grammar.lexicon == (("N", "she"), ("N", "pizza"), ("V", "eats"), ("V", "pizza"))
    assert grammar.arrays.parent.tolist() == [0, 2]
    assert grammar.arrays.left.tolist() == [1, 2]
    assert grammar.arrays.right.tolist() == [2, 1]
    np.testing.assert_array_equal(grammar.lexical(["pizza", "she"]), [[-np.inf, -1, -7], [-np.inf, -2, -np.inf]])


def test_a_grammar_is_a_value():
    assert Grammar.parse(TEXT) == Grammar.parse(TEXT)
    assert hash(Grammar.parse(TEXT)) == hash(Grammar.parse(TEXT))
    assert Grammar.parse(TEXT) != Grammar.parse(TEXT.replace("-7", "-8"))
    assert ContextFree(Grammar.parse(TEXT), 3).graph is ContextFree(Grammar.parse(TEXT), 3).graph


def test_a_sentence():
    trees, weights = ContextFree.of_sentence(Grammar.parse(TEXT), ["she", "eats", "pizza"])
    best = viterbi(trees, weights)
    assert trees.decode(best) == ("S", ("N", 0), ("V", ("V", 1), ("N", 2)))
    assert best.score == pytest.approx(-1 - 2 - 0.5 - 0.25 - 1)
    assert count(trees, weights) == 1
    parts = trees.parts(marginals(trees, weights))
    assert parts.roots.tolist() == [1.0, 0.0, 0.0]
    assert parts.rules.tolist() == [1.0, 1.0]
    assert parts.lexical.tolist() == [[0, 1, 0], [0, 0, 1], [0, 1, 0]]


def test_roots_may_be_weighted():
    grammar = Grammar.parse(TEXT)
    trees = ContextFree(grammar, 2)
    weights = trees.weights(grammar.rule_weights, grammar.lexical(["eats", "pizza"]), roots=[0.0, 0.0, -3.0])
    assert log_partition(trees, weights) == pytest.approx(-3 - 0.5 - 0.25 - 1)
    with pytest.raises(ImpossibleError):  # it is a V, which no sentence may be
        log_partition(*ContextFree.of_sentence(grammar, ["eats", "pizza"]))


def test_an_unknown_word_is_named():
    with pytest.raises(GrammarError, match=r"no word 'tofu' \(position 2\)"):
        ContextFree.of_sentence(Grammar.parse(TEXT), ["she", "eats", "tofu"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "S\nS -> V -1\n===\n",
            r"g.gr:2: the rule S -> V is not in Chomsky normal form .*lexicon entry V -> … add one S -> …",
        ),
        ("S\nS -> A B C -1\n===\n", r"g.gr:2: the rule S -> A B C .*3 symbols.*S -> A X and X -> B C"),
        ("S\n===\nN -> ice cream -1\n", r"g.gr:3: an entry of the lexicon has one word, but N -> ice cream has 2"),
        ("S\nS -> A B x\n===\n", "g.gr:2: the log-weight at the end of the line is no number: S -> A B x"),
        ("S\nS -> A B nan\n===\n", "g.gr:2: the log-weight nan must be"),
        ("S\nS -> A B inf\n===\n", "g.gr:2: the log-weight inf must be"),
        ("S\nS = A B -1\n===\n", "g.gr:2: expected `symbol -> right-hand side log-weight`, not: S = A B -1"),
        ("S\nS -> -1\n===\n", "g.gr:2: expected"),
        ("# none\nS -> A B -1\n===\n", "g.gr:2: the first line must name the start symbols"),
        ("", "g.gr: no start symbol"),
        ("S\nS -> A B -1\n", "g.gr: no line ==="),
        ("S\nS -> A B -1\n\nS -> A B -2\n===\n", "g.gr:4: S -> A B is already in line 2"),
        ("S\n===\nN -> a -1\nN -> a -1\n", "g.gr:4: N -> a is already in line 3"),
    ],
)
def test_what_cannot_be_read_is_named(text, message):
    with pytest.raises(GrammarError, match=message):
        Grammar.parse(text, source="g.gr")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"start": ["S"], "rules": ["SAB", "SAB"]}, r"rules has \('S', 'A', 'B'\) twice"),
        ({"start": ["S"], "rules": [], "lexicon": [("S", "a"), ("S", "a")]}, r"lexicon has \('S', 'a'\) twice"),
        ({"start": ["S", "S"], "rules": ["SAB"]}, "start has 'S' twice"),
        ({"start": [], "rules": ["SAB"]}, "needs a start symbol"),
        ({"start": ["S"], "rules": ["SAB"], "symbols": ["S", "A"]}, r"\['B'\] occur in the grammar"),
        ({"start": ["S"], "rules": ["SAB"], "rule_weights": [1, 2]}, "rules has 1 entries, but there are 2 weights"),
    ],
)
def test_a_grammar_that_makes_no_sense_is_refused(arguments, message):
    with pytest.raises(GrammarError, match=message):
        Grammar(**arguments)


def test_a_deep_tree_is_decoded_without_recursion():
    grammar = Grammar(["S"], [("S", "A", "S")])
    trees = ContextFree(grammar, 120)
    best = viterbi(trees, np.zeros(trees.num_weights))
    depth, tree = 0, trees.decode(best)
    while len(tree) == 3:
        depth, tree = depth + 1, tree[2]
    assert depth == 119


@needs_grammars
def test_pizza_and_anchovies():
    grammar = Grammar.read(GRAMMARS / "pizza-anchovies.gr")
    trees, weights = ContextFree.of_sentence(grammar, ["she", "eats", "pizza", "without", "anchovies"])
    (only,) = kbest(trees, weights, k=5)
    assert only.score == pytest.approx(-9.0)  # 4 rules and 5 words
    assert trees.decode(only) == ("S", ("N", 0), ("V", ("V", 1), ("N", ("N", 2), ("P", ("PP", 3), ("N", 4)))))


@needs_grammars
def test_time_flies_has_unary_rules():
    with pytest.raises(GrammarError, match=r"time-flies.gr:4: the rule S -> VP is not in Chomsky normal form"):
        Grammar.read(GRAMMARS / "time-flies.gr")
