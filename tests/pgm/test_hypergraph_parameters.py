"""Hypergraph factors whose own weights are learned, and grammars with their lexicons."""

import numpy as np
import pytest

from autodiff import Parameter
from autodiff.optimizers import AdaGrad
from hypergraph import HypergraphBuilder
from hypergraph.errors import GrammarError
from hypergraph.structures import Grammar
from pgm import BeliefPropagation, FactorGraph, FactorGraphError, PotentialError, check_factor
from pgm.exact import BruteForce
from pgm.factors import HypergraphFactor, LabelledConstituency, LinearChainFactor, Table
from pgm.factors.log_linear import DenseFeatures
from pgm.learning import ConditionalLogLikelihood, GraphModel, L2Distance, Trainer, check_objective
from pgm.potential_source import PotentialSource

EXACT = BeliefPropagation(schedule="serial", iterations=2)
MODEL = GraphModel(EXACT)
CLL = ConditionalLogLikelihood()


def two_ways():
    """One of two words is the verb; which one is it has a weight, and so has each way, which no variable sees."""
    builder = HypergraphBuilder()
    for verb, other in ((0, 1), (1, 0)):
        builder.edge(("verb", verb), weight=("verb", verb))
        builder.edge(("other", other), weight=("noun", other))
        builder.edge("sentence", [("verb", verb), ("other", other)], weight=("way", verb))
    uses = {("verb", word): (word, 0) for word in (0, 1)} | {("noun", word): (word, 1) for word in (0, 1)}
    return builder.build("sentence"), uses


def model(parameters, **options):
    structure, uses = two_ways()
    graph = FactorGraph()
    tags = graph.variables("tag", 2, ["verb", "noun"])
    factor = graph.add(HypergraphFactor(tags, structure, uses, parameters=parameters, **options))
    return graph, factor


@pytest.mark.parametrize("as_source", [False, True])
def test_weights_of_no_variable_are_learned(as_source):
    ways = Parameter("ways", [0.2, -0.1])
    given = PotentialSource(DenseFeatures("ways", np.eye(2), 2), [ways]) if as_source else ways
    graph, factor = model(given)
    assert factor.potentials.shape == (1, 2)
    assert [factor.structure.weight_names[k] for k in factor.free_weights] == [("way", 0), ("way", 1)]
    example = (graph, {"tag": ["noun", "verb"]})
    check_objective(CLL, MODEL, example).raise_if_failed()
    check_objective(L2Distance(), MODEL, example).raise_if_failed()
    before = EXACT.run(graph).belief("tag")[1, 0]
    assert before == pytest.approx(1.0 / (1.0 + np.exp(0.3)))
    Trainer(CLL, AdaGrad(0.5), epochs=20).fit(MODEL, [example])
    assert ways.value[1] > ways.value[0] + 1.0
    assert EXACT.run(graph).belief("tag")[1, 0] > 0.8 > before
    assert BruteForce().run(graph).belief("tag")[1, 0] == pytest.approx(EXACT.run(graph).belief("tag")[1, 0])


def test_fixed_numbers_and_all_weights():
    graph, factor = model([0.0, np.log(3.0)])
    assert EXACT.run(graph).belief("tag")[0].tolist() == pytest.approx([0.25, 0.75])
    check_factor(factor)
    structure, uses = two_ways()
    scores = Parameter("scores", np.zeros(structure.num_weights))
    every = HypergraphFactor(FactorGraph().variables("tag", 2), structure, uses, log_potentials=scores)
    assert every.source.named_parameters() == {"scores": scores}
    assert every.potentials.shape == (1, structure.num_weights)


def test_mistakes():
    with pytest.raises(PotentialError, match=r"shape \(3,\) do not fit \(1, 2\)"):
        model(Parameter("ways", np.zeros(3)))
    with pytest.raises(FactorGraphError, match="parameters are those of the weights of no variable"):
        model(Parameter("ways", np.zeros(2)), log_potentials=np.zeros(6))


def test_a_chain_with_a_parameter():
    transitions = Parameter("transitions", np.zeros((2, 2)))
    graph = FactorGraph()
    tags = graph.variables("tag", 4)
    graph.add(LinearChainFactor(tags, transitions, shared=True))
    check_objective(CLL, MODEL, (graph, [0, 1, 0, 1])).raise_if_failed()
    Trainer(CLL, AdaGrad(0.5), epochs=5).fit(MODEL, [(graph, [0, 1, 0, 1])])
    assert transitions.value[0, 1] > 0.5 > transitions.value[0, 0]


def test_parameters_of_a_table():
    scores = Parameter("scores", [0.0, 0.0])
    graph = FactorGraph()
    graph.add(Table([graph.variables("x", 3)], scores))
    Trainer(CLL, AdaGrad(0.5), epochs=50).fit(GraphModel(), [(graph, [1, 1, 0])])
    assert scores.value[1] - scores.value[0] == pytest.approx(np.log(2.0), abs=0.05)


GRAMMAR = Grammar.parse(
    """
S
S -> N V -1
S -> V N -2
N -> N N -0.5
===
N -> time -1
V -> time -3
N -> flies -2
V -> flies -0.7
V -> like -0.2
N -> arrows -1.3
"""
)


def test_a_grammar_with_its_lexicon():
    words = ["time", "flies", "like"]
    graph = FactorGraph()
    spans = graph.variables("span", 6, ["none", *GRAMMAR.symbols])
    factor = graph.add(LabelledConstituency.of_sentence(spans, GRAMMAR, words))
    # time:N flies:N (N N) like:V is the only parse but V N, for which there is none here
    states = dict(zip([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], ["N", "N", "S", "N", "none", "V"], strict=True))
    gold = graph.evidence({spans: list(states.values())})
    expected = -1.0 - 0.5 - 1.0 - 2.0 - 0.2
    assert graph.score(np.array(list(gold.values()))) == pytest.approx(expected)
    result = BeliefPropagation(schedule="serial").run(graph)
    total = np.logaddexp(expected, -np.inf)
    assert result.log_partition == pytest.approx(total, abs=1e-9)
    assert result.table(spans[2])["S"] == pytest.approx(1.0)
    rules, lexical = factor.parts(result.belief(factor)[0])
    assert rules.tolist() == pytest.approx([1.0, 0.0, 1.0])
    assert lexical.shape == (3, len(GRAMMAR.symbols))
    assert lexical.sum() == pytest.approx(3.0)


def test_the_lexicon_agrees_with_lexical_messages():
    words = ["time", "flies"]
    graphs = [FactorGraph(), FactorGraph()]
    spans = [graph.variables("span", 3, ["none", *GRAMMAR.symbols]) for graph in graphs]
    graphs[0].add(LabelledConstituency.of_sentence(spans[0], GRAMMAR, words))
    graphs[1].add(LabelledConstituency(spans[1], GRAMMAR, 2, GRAMMAR.rule_weights))
    scores = np.concatenate([np.zeros((2, 1)), GRAMMAR.lexical(words)], axis=1)
    graphs[1].add(Table([spans[1][[0, 2]]], scores))
    first, second = (BeliefPropagation(schedule="serial").run(graph) for graph in graphs)
    assert first.log_partition == pytest.approx(second.log_partition, abs=1e-10)
    np.testing.assert_allclose(first.flat_beliefs, second.flat_beliefs, atol=1e-10)


def test_words_without_entries_and_learned_rules():
    spans = FactorGraph().variables("span", 3, ["none", *GRAMMAR.symbols])
    with pytest.raises(GrammarError, match="no word 'banana'"):
        LabelledConstituency.of_sentence(spans, GRAMMAR, ["time", "banana"])
    rules = Parameter("rules", GRAMMAR.rule_weights)
    assert LabelledConstituency(spans, GRAMMAR, 2, rules).source is not None
    with pytest.raises(FactorGraphError, match="as a Table"):
        LabelledConstituency(spans, GRAMMAR, 2, rules, lexical=GRAMMAR.lexical(["time", "flies"]))
