"""What models of structures, and structures in graphs, tell and refuse."""

import itertools

import numpy as np
import pytest

from autodiff import HashedParameter, Parameter
from autodiff.modules import Reshape
from autodiff.optimizers import SGD
from hypergraph import count
from hypergraph.structures import Grammar, LinearChain
from pgm import FactorGraph, FactorGraphError
from pgm.factors import AtMostOne, HypergraphFactor, LabelledConstituency, LogLinear
from pgm.learning import (
    AnnealedRisk,
    ConditionalLogLikelihood,
    FeatureScorer,
    GoldError,
    GraphModel,
    L2Distance,
    MinimumBayesRisk,
    ModuleScorer,
    StructuredOutput,
    StructureExample,
    StructureModel,
    Trainer,
    TrainingError,
    check_objective,
    feature_rows,
)

GRAMMAR = Grammar(["S"], [("S", "N", "V"), ("N", "N", "N"), ("S", "S", "V")])


def chain_model(weights, shared=True):
    table = Parameter("table", weights)
    structure = lambda words: LinearChain(len(words), 2, shared_transitions=shared)  # noqa: E731
    return StructureModel(structure, ModuleScorer(Reshape(np.shape(weights)), lambda _: (table,)))


def test_a_pair_is_an_input_where_nothing_is_right_and_an_example_where_something_is():
    model = chain_model(np.zeros(8))
    pair = ("word", "another")
    assert model.input_instance(pair).input == pair
    assert model.instance((pair, [0, 1])).input == pair
    assert model.run(pair).log_partition == pytest.approx(np.log(4))
    assert model.decode(StructureExample(pair), MinimumBayesRisk()).shape == (2,)


def test_the_number_of_scores_is_checked():
    model = chain_model(np.zeros(7))
    with pytest.raises(GoldError, match=r"7 scores for the 8 weights of LinearChain"):
        model.run("ab")
    with pytest.raises(TrainingError, match=r"7 scores for the 8 weights"):
        Trainer(ConditionalLogLikelihood(), SGD(0.1)).fit(model, [("ab", [0, 1])])


def test_shared_weights_are_no_events():
    """The expected number of uses of a shared transition says nothing of any one position."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        unary, pairs = rng.normal(size=(6, 2)), 2 * rng.normal(size=(2, 2))
        model = chain_model(np.concatenate([unary.ravel(), pairs.ravel()]))
        beliefs = model.run("abcdef").beliefs[:12].reshape(6, 2)
        np.testing.assert_array_equal(model.decode("abcdef", MinimumBayesRisk()), beliefs.argmax(axis=1))
        targets = model.instance(("abcdef", [0, 1, 0, 0, 1, 1])).targets
        assert np.isnan(targets[12:]).all()
        assert targets[:12].sum() == 6


@pytest.mark.parametrize("objective", [L2Distance(), AnnealedRisk(temperature=0.3, final_temperature=0.3)])
def test_objectives_of_beliefs_go_back_through_shared_weights(objective):
    model = chain_model(np.random.default_rng(1).normal(size=12))
    check_objective(objective, model, ("abcd", [0, 1, 1, 0])).raise_if_failed()


def test_weights_in_single_precision_go_on_learning():
    weights = HashedParameter("weights", 16)
    weights.value = np.zeros(16, dtype=np.float32)
    rows = feature_rows([[0], [1], [2], [3]], [[4], [5], [6], [7]])
    model = StructureModel(lambda words: LinearChain(len(words), 2), FeatureScorer(weights, lambda _: rows))
    Trainer(ConditionalLogLikelihood(), SGD(0.5), epochs=3).fit(model, [("ab", [0, 1])])
    assert weights.value.dtype == np.float64
    assert model.decode("ab", MinimumBayesRisk()).tolist() == [0, 1]


def test_feature_rows_of_blocks_and_of_nothing():
    indices, offsets = feature_rows(np.arange(12).reshape(2, 2, 3), np.zeros((2, 0), dtype=int), [[20]])
    assert indices.tolist() == [*range(12), 20]
    assert offsets.tolist() == [0, 3, 6, 9, 12, 12, 12, 13]
    assert [part.tolist() for part in feature_rows()] == [[], [0]]
    with pytest.raises(TrainingError, match="block 0 is one number"):
        feature_rows(3)


def test_slots_of_names_are_those_of_other_processes():
    weights = HashedParameter("weights", 1 << 20)
    assert weights.slots_of("dog").tolist() == 0x812C397D % (1 << 20)  # its CRC-32
    assert weights.slots_of([]).shape == (0,)
    for wrong in ([1, 2], [None], [["a", 3]]):
        with pytest.raises(ValueError, match="strings"):
            weights.slots_of(wrong if wrong != [["a", 3]] else np.array(wrong, dtype=object))


# Structures in graphs


def parse_of(n):
    graph = FactorGraph()
    spans = graph.variables("span", n * (n + 1) // 2, ["none", *GRAMMAR.symbols])
    return graph.add(LabelledConstituency(spans, GRAMMAR, n, name="parse"))


@pytest.mark.parametrize("n", [2, 3, 4])
def test_trees_and_states_of_spans_are_the_same(n):
    parse = parse_of(n)
    trees = 0
    for states in itertools.product(range(4), repeat=len(parse.places)) if n < 4 else ():
        possible = parse.score(np.array([states]))[0] > -np.inf
        if possible:
            trees += 1
            np.testing.assert_array_equal(parse.states_of_tree(parse.tree_of_states(states)), states)
        else:
            with pytest.raises(FactorGraphError, match=r"no parse|spans are on"):
                parse.tree_of_states(states)
    assert n == 4 or trees == count(parse.structure)
    with pytest.raises(ValueError, match=r"a tree has the words|no tree"):
        parse.states_of_tree(("V", 0))
    with pytest.raises(ValueError, match="a root among"):
        parse_of(2).states_of_tree(("N", ("N", 0), ("N", 1)))


def test_an_output_space_of_a_factor_gives_what_the_factor_allows():
    rng = np.random.default_rng(0)
    parse = parse_of(4)
    space = StructuredOutput.of(parse)
    for _ in range(20):
        states = space.search(rng.uniform(size=len(space.covered)))
        parse.tree_of_states(states)  # it is one
    with pytest.raises(GoldError, match="no graph"):
        StructuredOutput.of(LabelledConstituency(np.arange(3), GRAMMAR, 2))


def test_a_factor_with_different_default_states_has_no_output_space():
    graph = FactorGraph()
    x = graph.variables("x", 2, 3)
    chain = LinearChain(2, 2)
    uses = np.array([(0, 0), (0, 1), (1, 1), (1, 2), *[(-1, -1)] * 4])
    factor = graph.add(HypergraphFactor(x, chain, uses, default=[2, 0]))
    with pytest.raises(GoldError, match="different default states"):
        StructuredOutput.of(factor)


def test_families_go_by_name():
    graph = FactorGraph()
    x = graph.variables("x", 3)
    one = graph.add(AtMostOne(x, name="one"))
    for _ in range(2):
        graph.add(LogLinear([x], np.zeros((2, 1)), Parameter("w", [0.0]), name="twin"))
    assert graph.family("one") is one
    for name, number in (("twin", 2), ("none", 0)):
        with pytest.raises(FactorGraphError, match=f"{number} families of factors are named '{name}'"):
            graph.family(name)


def test_decoding_to_a_parse_in_a_larger_graph():
    parse = parse_of(3)
    model = GraphModel(space=lambda graph: StructuredOutput.of(graph.family("parse")))
    parse.tree_of_states(model.decode(parse.graph, MinimumBayesRisk()))
