"""What each objective of `pgm.learning` means: against enumeration, and against each other."""

import numpy as np
import pytest

from autodiff import Parameter
from hypergraph import HypergraphBuilder
from hypergraph.structures import ProjectiveTrees
from oracles.learning import loopy_graph
from pgm import BeliefPropagation, FactorGraph
from pgm.exact import BruteForce, JunctionTree
from pgm.factors import LogLinear, Table
from pgm.factors.hypergraph_factor import HypergraphFactor
from pgm.learning import (
    AnnealedRisk,
    ConditionalLogLikelihood,
    EachVariable,
    Example,
    GoldError,
    GraphModel,
    L2Distance,
    MarginalLogLikelihood,
    MinimumBayesRisk,
    SoftmaxMargin,
    StructuredOutput,
    TrainingProblem,
    accuracy,
    check_objective,
)

EXACT = GraphModel(JunctionTree())


def evaluate(objective, item, model=EXACT, *, progress=0.0):
    """What an objective says of an example at the scores that it has."""
    instance = model.instance(item)
    return objective.evaluate(instance, model.scorer.score(instance)[0], progress=progress)


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
    loss, gradients = TrainingProblem(EXACT, [(graph, gold)], ConditionalLogLikelihood())()
    np.testing.assert_allclose(gradients["weights"], expected / total - observed, atol=1e-12)
    np.testing.assert_allclose(loss, np.log(total) - observed @ weights.value, atol=1e-12)


def test_likelihoods_are_exact_on_a_tree_and_sum_to_one():
    rng = np.random.default_rng(6)
    graph = FactorGraph()
    x = graph.variables("x", 3, states=[2, 0, 1])  # names that are numbers, but not the numbers of the states
    graph.add(Table(x[[[0, 1], [1, 2]]], rng.normal(size=(2, 3, 3))))
    for inference in (BeliefPropagation(schedule="serial"), JunctionTree(), BruteForce()):
        model = GraphModel(inference)

        def likelihoods(objective, examples, model=model):
            return np.exp([-evaluate(objective, example, model).loss for example in examples])

        joint = likelihoods(ConditionalLogLikelihood(), [Example(graph, np.array(y)) for y in np.ndindex(3, 3, 3)])
        np.testing.assert_allclose(joint.sum(), 1.0, atol=1e-12)
        latent = likelihoods(MarginalLogLikelihood(), [Example(graph, np.array([-1, y, -1])) for y in range(3)])
        np.testing.assert_allclose(latent, BruteForce().run(graph).beliefs[1], atol=1e-12)
        given = [Example(graph, np.array([a, 2, b]), evidence=np.array([-1, 2, -1])) for a, b in np.ndindex(3, 3)]
        np.testing.assert_allclose(likelihoods(ConditionalLogLikelihood(), given).sum(), 1.0, atol=1e-12)


def test_marginal_likelihood_of_everything_is_conditional_likelihood():
    graph, gold = loopy_graph(3)
    for inference in (JunctionTree(), BeliefPropagation(iterations=300, tolerance=1e-12)):
        one, other = (
            evaluate(objective, (graph, gold), GraphModel(inference))
            for objective in (ConditionalLogLikelihood(), MarginalLogLikelihood())
        )
        np.testing.assert_allclose(one.loss, other.loss, atol=1e-9)
        assert one.adjoints.keys() == other.adjoints.keys()
        for family, adjoint in one.adjoints.items():
            np.testing.assert_allclose(adjoint, other.adjoints[family], atol=1e-8)


def test_softmax_margin_against_enumeration():
    graph, gold = loopy_graph(4)
    assignments = [np.array(y) for y in np.ndindex(*graph.cardinalities)]
    scores = np.array([graph.score(y) + 0.7 * (y != gold).sum() for y in assignments])
    expected = np.log(np.exp(scores).sum()) - graph.score(gold)
    np.testing.assert_allclose(evaluate(SoftmaxMargin(cost=0.7), (graph, gold)).loss, expected)

    def costs(instance):
        return np.where(np.arange(14) % 2 == 0, 0.3, 0.1)

    start = np.array([0, 2, 4, 6, 8, 11])
    scores = np.array([graph.score(y) + costs(None)[start + y].sum() for y in assignments])
    expected = np.log(np.exp(scores).sum()) - graph.score(gold) - costs(None)[start + gold].sum()
    np.testing.assert_allclose(evaluate(SoftmaxMargin(cost=costs), (graph, gold)).loss, expected)
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
    exact, one = GraphModel(BeliefPropagation(schedule="serial")), GraphModel(BeliefPropagation(iterations=1))
    check_objective(ConditionalLogLikelihood(), exact, (graph, [0, 1])).raise_if_failed()
    check_objective(L2Distance(), one, (graph, [0, 1])).raise_if_failed()
    losses = [evaluate(ConditionalLogLikelihood(), (graph, gold), exact).loss for gold in ([0, 0], [0, 1], [1, 1])]
    np.testing.assert_allclose(np.exp(-np.array(losses)).sum(), 1.0)
    with pytest.raises(GoldError, match="forbids the gold assignment"):
        evaluate(ConditionalLogLikelihood(), (graph, [1, 0]), exact)


# Losses of beliefs


def test_l2_is_the_sum_of_squares():
    graph, gold = loopy_graph(5)
    beliefs = BeliefPropagation(iterations=2, tolerance=0.0).run(graph).flat_beliefs
    target = np.zeros(14)
    target[np.array([0, 2, 4, 6, 8, 11]) + gold] = 1.0
    model = GraphModel(BeliefPropagation(iterations=2))
    np.testing.assert_allclose(evaluate(L2Distance(), (graph, gold), model).loss, ((beliefs - target) ** 2).sum())
    assert evaluate(L2Distance(), Example(graph, gold, targets=beliefs), model).loss == 0.0
    own = Example(graph, gold, targets=np.full(14, 0.4))
    check_objective(L2Distance(), model, own).raise_if_failed()


def test_annealed_risk_becomes_the_number_of_errors():
    graph, gold = loopy_graph(6)
    model = GraphModel(BeliefPropagation(iterations=3))
    errors = (model.decode(graph, MinimumBayesRisk()) != gold).sum()
    objective = AnnealedRisk(temperature=1.0, final_temperature=1e-4)
    found = [evaluate(objective, (graph, gold), model, progress=progress) for progress in (0.0, 0.5, 1.0)]
    assert len({evaluation.loss for evaluation in found}) == 3
    np.testing.assert_allclose(found[-1].loss, errors, atol=1e-9)
    assert accuracy(model, [(graph, gold)]) == pytest.approx(1 - errors / 6)
    assert all(np.isfinite(adjoint).all() for adjoint in found[-1].adjoints.values())
    warm = AnnealedRisk(temperature=1.0, final_temperature=None)
    assert evaluate(warm, (graph, gold), model, progress=1.0).loss == found[0].loss


def tree_graph(seed=0):
    rng = np.random.default_rng(seed)
    weights = Parameter("weights", rng.normal(size=4))
    graph = FactorGraph()
    arcs = graph.variables("arc", (4, 4))
    graph.add(LogLinear(arcs.ravel()[np.arange(16)[:, None]], rng.normal(size=(16, 2, 4)), weights))
    pairs = np.array([[1, 6], [6, 11], [11, 1], [2, 7]])
    graph.add(LogLinear(arcs.ravel()[pairs], rng.normal(size=(4, 2, 2, 4)), weights))
    return graph, arcs


def trees(graph):
    return StructuredOutput(graph, ProjectiveTrees(3), np.arange(16))


def test_risk_through_a_structured_output():
    graph, arcs = tree_graph()
    gold = np.zeros((4, 4), dtype=np.int64)
    gold[0, 1] = gold[1, 2] = gold[2, 3] = 1
    model = GraphModel(BeliefPropagation(iterations=2), space=trees)
    warm = AnnealedRisk(temperature=0.3, recall_of=[1])
    check_objective(warm, model, (graph, {arcs: gold})).raise_if_failed()
    decoded = model.decode(graph, MinimumBayesRisk()).reshape(4, 4)
    assert decoded[:, 1:].sum(axis=0).tolist() == [1, 1, 1]
    assert decoded[0].sum() >= 1
    cold = AnnealedRisk(temperature=1e-4, recall_of=[1])
    loss = evaluate(cold, (graph, {arcs: gold}), model).loss
    np.testing.assert_allclose(loss, 3 - (decoded * gold).sum(), atol=1e-6)


def test_structured_marginals_are_those_of_the_structure():
    graph = FactorGraph()
    graph.variables("arc", (3, 3))
    beliefs = np.random.default_rng(1).uniform(size=18)
    marginals, _ = StructuredOutput(graph, ProjectiveTrees(2), np.arange(9)).soften(beliefs, 1.0)
    marginals = marginals.reshape(3, 3, 2)
    np.testing.assert_allclose(marginals.sum(axis=2), 1.0)
    np.testing.assert_allclose(marginals[:, 1:, 1].sum(axis=0), 1.0)


def test_variables_at_temperature_one_have_their_beliefs():
    graph = FactorGraph()
    graph.variables("x", 2, states=3)
    beliefs = np.array([0.2, 0.3, 0.5, 0.0, 1.0, 0.0])
    np.testing.assert_allclose(EachVariable(graph).soften(beliefs, 1.0)[0], beliefs)


# What is refused


def test_gold_must_be_complete_or_latent():
    graph, gold = loopy_graph()
    gold[2] = -1
    for kind in (ConditionalLogLikelihood, SoftmaxMargin):
        with pytest.raises(GoldError, match=r"x\[2\]"):
            evaluate(kind(), (graph, gold))


def test_impossible_gold_names_the_factor():
    graph, _ = loopy_graph()
    with pytest.raises(GoldError, match="ExactlyOne"):
        evaluate(ConditionalLogLikelihood(), (graph, np.zeros(6, dtype=int)))


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
    with pytest.raises(ValueError, match="inference"):
        GraphModel(BeliefPropagation(mode="max"))


def test_surrogate_says_that_it_has_not_converged():
    example = loopy_graph()

    def converged(inference):
        return evaluate(ConditionalLogLikelihood(), example, GraphModel(inference)).converged

    assert converged(BeliefPropagation(iterations=1)) is False
    assert converged(BeliefPropagation(iterations=200)) is True
    assert converged(JunctionTree()) is True
