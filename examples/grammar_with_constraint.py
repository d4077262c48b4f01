"""A grammar in a larger graph: a PCFG as a conditional random field, with the constraint that one phrase is in focus.

In each sentence one noun phrase is said a little louder than the others: it is in focus (symbol F, else NP).  A grammar
cannot say "exactly one"; the loudness of a phrase is measured with noise, so that the grammar alone often finds none or
several.  Here every span has a variable (which symbol, or none), tied together by the grammar; a binary one says if
the span is in focus, and a factor lets exactly one of those be on.  Rules, words and loudness have weights that are
learned through belief propagation on the whole graph, in which there are loops.

    python examples/grammar_with_constraint.py            # 40 sentences
    python examples/grammar_with_constraint.py --full     # 200

With --full: 53.0 % of the trees of new sentences are right with the grammar alone, and 72.0 % have one phrase in focus;
with the constraint 67.5 % and 98.5 %.
"""

import sys

import numpy as np

from autodiff import Parameter
from autodiff.optimizers import AdaGrad
from hypergraph.structures import Grammar
from pgm import BeliefPropagation, FactorGraph
from pgm.factors import ExactlyOne, LabelledConstituency, LogLinear, Table
from pgm.learning import (
    ConditionalLogLikelihood,
    Example,
    GraphModel,
    MinimumBayesRisk,
    StructuredOutput,
    Trainer,
)

RULES = "S NP VP, S F VP, VP V NP, VP V F, VP VP PP, PP P NP, PP P F, NP NP PP, NP F PP, NP D N, F D N"
GRAMMAR = Grammar(["S"], [rule.split() for rule in RULES.split(", ")])
STATES = ["none", *GRAMMAR.symbols]
WORDS = {"D": ["the", "a"], "N": ["dog", "saw", "park"], "V": ["saw", "likes", "park"], "P": ["with", "in"]}
VOCABULARY = sorted({word for words in WORDS.values() for word in words})


def sentence(rng):
    """Return the words, how loud each of them is, and the tree."""
    words, loudness = [], []
    long = rng.random() < 0.6
    focus = rng.integers(3 if long else 2)

    def word(tag, loud=0.0):
        words.append(str(rng.choice(WORDS[tag])))
        loudness.append(loud + rng.normal())
        return tag, len(words) - 1

    def noun_phrase(number):
        loud = 1.5 * (number == focus)
        return "F" if number == focus else "NP", word("D", loud), word("N", loud)

    subject, verb, thing = noun_phrase(0), word("V"), noun_phrase(1)
    if not long:
        return words, loudness, ("S", subject, ("VP", verb, thing))
    place = ("PP", word("P"), noun_phrase(2))
    of_verb = (words[5] == "with") == (rng.random() < 0.9)  # "with" mostly belongs to the verb, "in" to the noun
    predicate = ("VP", ("VP", verb, thing), place) if of_verb else ("VP", verb, ("NP", thing, place))
    return words, loudness, ("S", subject, predicate)


def example(words, loudness, tree, parameters, constrained):
    """Return the factor graph of a sentence, with the right states of its variables."""
    rules, lexicon, focus = parameters
    graph, n = FactorGraph(), len(words)
    places = [(i, j) for i in range(n) for j in range(i + 1, n + 1)]
    spans = graph.variables("span", len(places), states=STATES)
    parse = graph.add(LabelledConstituency(spans, GRAMMAR, n, rules, name="parse"))
    gold = {spans: parse.states_of_tree(tree)}

    own = np.zeros((n, len(STATES), len(VOCABULARY), len(STATES)))  # of each word with each symbol
    own[np.arange(n), :, [VOCABULARY.index(word) for word in words], :] = np.eye(len(STATES))
    single = [places.index((i, i + 1)) for i in range(n)]
    graph.add(LogLinear([spans[single]], own.reshape(n, len(STATES), -1), lexicon))

    wide = [number for number, (i, j) in enumerate(places) if j > i + 1]
    loud = np.zeros((len(wide), len(STATES), 2))
    loud[:, STATES.index("F")] = [[1.0, np.mean(loudness[slice(*places[number])])] for number in wide]
    graph.add(LogLinear([spans[wide]], loud, focus))
    if constrained:
        in_focus = graph.variables("in focus", len(wide))
        is_focus = np.array(STATES) == "F"
        graph.add(Table([in_focus, spans[wide]], np.where([~is_focus, is_focus], 0.0, -np.inf)))
        graph.add(ExactlyOne(in_focus))
        gold[in_focus] = (gold[spans][wide] == STATES.index("F")).astype(int)
    return Example(graph, gold)


def parses(graph):
    """Return the output space of a sentence: what the grammar allows."""
    return StructuredOutput.of(graph.family("parse"))


def tree_in(graph, states):
    """Return the tree among the states of all variables."""
    return graph.family("parse").tree_of_states(states[graph["span"].index])


def main(full=False):
    """Learn without and with the constraint; return the shares of trees that are right, and those with one focus."""
    results = {}
    for constrained in (False, True):
        rng = np.random.default_rng(0)
        sizes = {"rules": len(GRAMMAR.rules), "lexicon": len(VOCABULARY) * len(STATES), "focus": 2}
        parameters = [Parameter(name, np.zeros(size)) for name, size in sizes.items()]
        train, new = (
            [example(*sentence(rng), parameters, constrained) for _ in range(count)]
            for count in (200 if full else 40, 200 if full else 50)
        )
        model = GraphModel(BeliefPropagation(iterations=5), space=parses)
        Trainer(ConditionalLogLikelihood(), AdaGrad(0.3, l2=0.001), epochs=8, batch_size=4).fit(model, train)
        trees = [
            (tree_in(each.graph, model.decode(each, MinimumBayesRisk())), tree_in(each.graph, each.gold))
            for each in new
        ]
        right = np.mean([found == gold for found, gold in trees])
        focused = np.mean([str(found).count("'F'") == 1 for found, _ in trees])
        results["constraint" if constrained else "grammar alone"] = right, focused
    for name, (right, focused) in results.items():
        print(f"{name}: {right:.1%} of the trees are right, {focused:.1%} have one phrase in focus")
    return results


if __name__ == "__main__":
    main(full="--full" in sys.argv)
