"""Every objective of `pgm.learning` against finite differences on a loopy graph, and what each of them means."""

import inspect

import numpy as np
import pytest

import pgm.learning
from autodiff import Parameter, check_gradients
from hypergraph import HypergraphBuilder
from hypergraph.structures import ProjectiveTrees
from oracles.learning import loopy_graph
from pgm import BeliefPropagation, FactorGraph
from pgm.exact import BruteForce, JunctionTree
from pgm.factors import LogLinear, Table
from pgm.factors.hypergraph_factor import HypergraphFactor
from pgm.learning import (
    AnnealedRisk,
    Annealing,
    ConditionalLogLikelihood,
    Decoder,
    Example,
    GoldError,
    L2Distance,
    MarginalLogLikelihood,
    Objective,
    SoftmaxMargin,
    StructureDecoder,
    TrainingProblem,
    VariableDecoder,
    accuracy,
    check_objective,
    minimum_bayes_risk,
)

EXPORTED = [getattr(pgm.learning, name) for name in pgm.learning.__all__]
CLASSES = [kind for kind in EXPORTED if inspect.isclass(kind) and not inspect.isabstract(kind)]
OBJECTIVES = [objective for kind in CLASSES if issubclass(kind, Objective) for objective in kind.examples()]
LAST = list({type(objective): objective for objective in OBJECTIVES}.values())  # one of each kind
NEED_ALL = ConditionalLogLikelihood | SoftmaxMargin
DECODERS = [kind for kind in CLASSES if issubclass(kind, Decoder)]


@pytest.mark.parametrize("kind", [kind for kind in CLASSES if issubclass(kind, Objective)])
def test_has_examples(kind):
    assert list(kind.examples())


@pytest.mark.parametrize("objective", OBJECTIVES, ids=repr)
def test_gradients(objective):
    graph, gold = loopy_graph()
    check_objective(objective, (graph, gold)).raise_if_failed()


@pytest.mark.parametrize("objective", LAST, ids=repr)
def test_gradients_given_evidence(objective):
    graph, gold = loopy_graph(1)
    check_objective(objective, Example(graph, gold, evidence={1: 0, 5: 0})).raise_if_failed()


@pytest.mark.parametrize("objective", [o for o in LAST if not isinstance(o, NEED_ALL)], ids=repr)
def test_gradients_with_unknown_states(objective):
    graph, _ = loopy_graph(2)
    check_objective(objective, (graph, np.array([1, -1, 0, -1, 2, -1]))).raise_if_failed()


@pytest.mark.parametrize("kind", DECODERS)
def test_decoders(kind):
    for decoder, inputs in kind.examples(np.random.default_rng(0)):
        check_gradients(decoder, *inputs).raise_if_failed()


# Likelihoods


def test_gradient_is_expected_minus_observed_features():
    rng = np.random.default_rng(5)
    features = rng.normal(size=(3, 2, 2, 4))
    weights = Parameter("weights", rng.normal(size=4))
    graph = FactorGraph()
    x = graph.variables("x", 3)
    pairs = np.array([[0, 1], [1, 2], [2, 0]])
    graph.add(LogLinear(x[pairs], features, weights))
    gold = np.array([1, 0, 1])
    expected, total = np.zeros(4), 0.0
    for y in np.ndindex(2, 2, 2):
        found = sum(features[f, y[a], y[b]] for f, (a, b) in enumerate(pairs))
        weight = np.exp(found @ weights.value)
        expected, total = expected + weight * found, total + weight
    observed = sum(features[f, gold[a], gold[b]] for f, (a, b) in enumerate(pairs))
    loss, gradients = TrainingProblem([(graph, gold)], ConditionalLogLikelihood(JunctionTree()))()
    np.testing.assert_allclose(gradients["weights"], expected / total - observed, atol=1e-12)
    np.testing.assert_allclose(loss, np.log(total) - observed @ weights.value, atol=1e-12)


def test_likelihoods_are_exact_on_a_tree_and_sum_to_one():
    rng = np.random.default_rng(6)
    graph = FactorGraph()
    x = graph.variables("x", 3, states=[2, 0, 1])  # names that are numbers, but not the numbers of the states
    graph.add(Table(x[[[0, 1], [1, 2]]], rng.normal(size=(2, 3, 3))))
    for inference in (BeliefPropagation(schedule="serial"), JunctionTree(), BruteForce()):
        objective = ConditionalLogLikelihood(inference)
        losses = [objective.evaluate(Example(graph, np.array(y))).loss for y in np.ndindex(3, 3, 3)]
        np.testing.assert_allclose(np.exp(-np.array(losses)).sum(), 1.0, atol=1e-12)
        latent = MarginalLogLikelihood(inference)
        losses = [latent.evaluate(Example(graph, np.array([-1, y, -1]))).loss for y in range(3)]
        np.testing.assert_allclose(np.exp(-np.array(losses)), BruteForce().run(graph).beliefs[1], atol=1e-12)
        given = [objective.evaluate(Example(graph, np.array([a, 2, b]), evidence=np.array([-1, 2, -1]))).loss
                 for a in range(3) for b in range(3)]  # fmt: skip
        np.testing.assert_allclose(np.exp(-np.array(given)).sum(), 1.0, atol=1e-12)


def test_marginal_likelihood_of_everything_is_conditional_likelihood():
    graph, gold = loopy_graph(3)
    for inference in (JunctionTree(), BeliefPropagation(iterations=300, tolerance=1e-12)):
        one = ConditionalLogLikelihood(inference).evaluate(Example(graph, gold))
        other = MarginalLogLikelihood(inference).evaluate(Example(graph, gold))
        np.testing.assert_allclose(one.loss, other.loss, atol=1e-9)
        for first, second in zip(one.adjoints, other.adjoints, strict=True):
            assert (first is None) == (second is None)
            if first is not None:
                np.testing.assert_allclose(first, second, atol=1e-8)


def test_softmax_margin_against_enumeration():
    graph, gold = loopy_graph(4)
    assignments = [np.array(y) for y in np.ndindex(*graph.cardinalities)]
    scores = np.array([graph.score(y) + 0.7 * (y != gold).sum() for y in assignments])
    expected = np.log(np.exp(scores).sum()) - graph.score(gold)
    np.testing.assert_allclose(SoftmaxMargin(JunctionTree(), cost=0.7).evaluate(Example(graph, gold)).loss, expected)

    def costs(example):
        return np.where(np.arange(14) % 2 == 0, 0.3, 0.1)

    start = np.array([0, 2, 4, 6, 8, 11])
    scores = np.array([graph.score(y) + costs(None)[start + y].sum() for y in assignments])
    expected = np.log(np.exp(scores).sum()) - graph.score(gold) - costs(None)[start + gold].sum()
    np.testing.assert_allclose(SoftmaxMargin(JunctionTree(), cost=costs).evaluate(Example(graph, gold)).loss, expected)
    assert len(graph.families) == 6, "the graph itself is as it was"


def test_hypergraph_factor_learns():
    """A family that is no table: its gold score and gradient come from the factor itself."""
    builder = HypergraphBuilder()
    for state in range(2):
        builder.edge(("a", state), weight=("a", state))
        builder.edge(("b", state), weight=("b", state))
    for a, b in ((0, 0), (0, 1), (1, 1)):
        builder.edge("root", [("a", a), ("b", b)], weight=("ab", a, b))
    hypergraph = builder.build("root")
    uses = {("a", 0): (0, 0), ("a", 1): (0, 1), ("b", 0): (1, 0), ("b", 1): (1, 1)}
    graph = FactorGraph()
    x = graph.variables("x", 2)
    weights = Parameter("weights", np.random.default_rng(0).normal(size=hypergraph.num_weights))
    factor = graph.add(HypergraphFactor(x, hypergraph, uses, log_potentials=np.zeros(hypergraph.num_weights)))
    from pgm.factors.log_linear import DenseFeatures
    from pgm.potential_source import PotentialSource

    features = np.eye(hypergraph.num_weights)
    factor.source = PotentialSource(DenseFeatures("chain", features, len(features)), [weights])
    objective = ConditionalLogLikelihood(BeliefPropagation(schedule="serial"))
    check_objective(objective, (graph, [0, 1])).raise_if_failed()
    check_objective(L2Distance(BeliefPropagation(iterations=1)), (graph, [0, 1])).raise_if_failed()
    losses = [objective.evaluate(Example(graph, gold)).loss for gold in ([0, 0], [0, 1], [1, 1])]
    np.testing.assert_allclose(np.exp(-np.array(losses)).sum(), 1.0)
    with pytest.raises(GoldError, match="forbids the gold assignment"):
        objective.evaluate(Example(graph, [1, 0]))


# Losses of beliefs


def test_l2_is_the_sum_of_squares():
    graph, gold = loopy_graph(5)
    beliefs = BeliefPropagation(iterations=2, tolerance=0.0).run(graph).flat_beliefs
    target = np.zeros(14)
    target[np.array([0, 2, 4, 6, 8, 11]) + gold] = 1.0
    objective = L2Distance(BeliefPropagation(iterations=2))
    np.testing.assert_allclose(objective.evaluate(Example(graph, gold)).loss, ((beliefs - target) ** 2).sum())
    own = Example(graph, gold, targets=beliefs)
    assert objective.evaluate(own).loss == 0.0
    check_objective(objective, Example(graph, gold, targets=np.full(14, 0.4))).raise_if_failed()


def test_annealed_risk_becomes_the_number_of_errors():
    graph, gold = loopy_graph(6)
    inference = BeliefPropagation(iterations=3)
    for family in graph.families:
        family.refresh()
    errors = (minimum_bayes_risk(graph, inference) != gold).sum()
    objective = AnnealedRisk(inference, temperature=Annealing(1.0, 1e-4))
    losses = [objective.evaluate(Example(graph, gold), progress=p).loss for p in (0.0, 0.5, 1.0)]
    assert len(set(losses)) == 3
    np.testing.assert_allclose(losses[-1], errors, atol=1e-9)
    assert accuracy([(graph, gold)], inference) == pytest.approx(1 - errors / 6)
    end = objective.evaluate(Example(graph, gold), progress=1.0)
    assert all(adjoint is None or np.isfinite(adjoint).all() for adjoint in end.adjoints)


def tree_graph(seed=0):
    rng = np.random.default_rng(seed)
    weights = Parameter("weights", rng.normal(size=4))
    graph = FactorGraph()
    arcs = graph.variables("arc", (4, 4))
    graph.add(LogLinear(arcs.ravel()[np.arange(16)[:, None]], rng.normal(size=(16, 2, 4)), weights))
    pairs = np.array([[1, 6], [6, 11], [11, 1], [2, 7]])
    graph.add(LogLinear(arcs.ravel()[pairs], rng.normal(size=(4, 2, 2, 4)), weights))
    return graph, arcs


def tree_decoder(graph, temperature=1.0):
    return StructureDecoder(graph, ProjectiveTrees(3), np.arange(16), temperature=temperature)


def test_risk_through_a_structured_decoder():
    graph, arcs = tree_graph()
    gold = np.zeros((4, 4), dtype=np.int64)
    gold[0, 1] = gold[1, 2] = gold[2, 3] = 1
    objective = AnnealedRisk(BeliefPropagation(iterations=2), temperature=0.3, decoder=tree_decoder, recall_of=[1])
    check_objective(objective, (graph, {arcs: gold})).raise_if_failed()
    cold = AnnealedRisk(BeliefPropagation(iterations=2), temperature=1e-4, decoder=tree_decoder, recall_of=[1])
    decoded = minimum_bayes_risk(graph, BeliefPropagation(iterations=2), decoder=tree_decoder).reshape(4, 4)
    assert decoded[:, 1:].sum(axis=0).tolist() == [1, 1, 1]
    assert decoded[0].sum() >= 1
    loss = cold.evaluate(Example(graph, {arcs: gold})).loss
    np.testing.assert_allclose(loss, 3 - (decoded * gold).sum(), atol=1e-6)


def test_structured_marginals_are_those_of_the_structure():
    graph = FactorGraph()
    graph.variables("arc", (3, 3))
    beliefs = np.random.default_rng(1).uniform(size=18)
    marginals = StructureDecoder(graph, ProjectiveTrees(2), np.arange(9)).forward(beliefs).reshape(3, 3, 2)
    np.testing.assert_allclose(marginals.sum(axis=2), 1.0)
    np.testing.assert_allclose(marginals[:, 1:, 1].sum(axis=0), 1.0)


def test_variable_decoder_at_temperature_one_is_the_beliefs():
    graph = FactorGraph()
    graph.variables("x", 2, states=3)
    beliefs = np.array([0.2, 0.3, 0.5, 0.0, 1.0, 0.0])
    np.testing.assert_allclose(VariableDecoder(graph).forward(beliefs), beliefs)


# What is refused


def test_gold_must_be_complete_or_latent():
    graph, gold = loopy_graph()
    gold[2] = -1
    for kind in (ConditionalLogLikelihood, SoftmaxMargin):
        with pytest.raises(GoldError, match=r"x\[2\]"):
            kind().evaluate(Example(graph, gold))


def test_impossible_gold_names_the_factor():
    graph, _ = loopy_graph()
    with pytest.raises(GoldError, match="ExactlyOne"):
        ConditionalLogLikelihood().evaluate(Example(graph, np.zeros(6, dtype=int)))


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        ([0, 1], "whole numbers"),
        (np.zeros(6), "whole numbers"),
        ([0, 0, 0, 2, 0, 0], "has 2 states, and no number 2"),
        ([0, 0, 0, -2, 0, 0], "no number -2"),
    ],
)
def test_wrong_gold_is_refused(gold, message):
    graph, _ = loopy_graph()
    with pytest.raises(GoldError, match=message):
        Example(graph, gold)


def test_evidence_against_gold_is_refused():
    graph, gold = loopy_graph()
    with pytest.raises(GoldError, match="is observed in state"):
        Example(graph, gold, evidence={0: 0})


def test_max_product_has_no_gradient():
    with pytest.raises(ValueError, match="mode='sum'"):
        L2Distance(BeliefPropagation(mode="max"))


def test_surrogate_says_that_it_has_not_converged():
    graph, gold = loopy_graph()
    example = Example(graph, gold)
    assert ConditionalLogLikelihood(BeliefPropagation(iterations=1)).evaluate(example).converged is False
    assert ConditionalLogLikelihood(BeliefPropagation(iterations=200)).evaluate(example).converged is True
    assert ConditionalLogLikelihood(JunctionTree()).evaluate(example).converged is True
