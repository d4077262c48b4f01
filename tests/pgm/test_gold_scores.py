"""The parts of which likelihoods are made, and the module on which objectives are checked."""

import numpy as np
import pytest

from oracles.joint import joint_log
from oracles.learning import loopy_graph
from pgm.exact import BruteForce, JunctionTree
from pgm.learning import ConditionalLogLikelihood, GraphModel, TrainingProblem
from pgm.learning.check import _AsModule

EXACT = GraphModel(JunctionTree())


def test_the_gold_score_sums_over_families():
    graph, gold = loopy_graph()
    instance = EXACT.instance((graph, gold))
    scores, _ = EXACT.scorer.score(instance)
    value, uses = instance.gold_score(scores, "test")
    assert value == pytest.approx(graph.score(gold), abs=1e-12)
    assert len(uses) == len([family for family in graph.families if family.potentials is not None]) > 2
    for family, used in uses.items():  # each factor uses one entry, that of gold
        assert used.reshape(family.num_factors, -1).sum(axis=1).tolist() == [1.0] * family.num_factors
    joint = joint_log(graph)
    loss = ConditionalLogLikelihood().evaluate(instance, scores).loss
    assert loss == pytest.approx(BruteForce().run(graph).log_partition - joint[tuple(gold)], abs=1e-9)


def test_an_objective_is_evaluated_at_the_parameters_that_are_given():
    problem = TrainingProblem(EXACT, [loopy_graph()], ConditionalLogLikelihood())
    module = _AsModule(problem)
    arrays = [array.copy() for array in problem.parameters.values()]
    before = float(module(*arrays))
    for position, name in enumerate(problem.named):  # each under its own name
        moved = [array + (0.5 if i == position else 0.0) for i, array in enumerate(arrays)]
        expected, _ = problem({name: moved[position]})
        assert float(module(*moved)) == pytest.approx(expected, abs=1e-12)
    assert float(module(*arrays)) == before
    with pytest.raises(ValueError, match="shorter"):
        module.forward(*arrays[:-1])
    for array, live in zip(arrays, problem.parameters.values(), strict=True):
        np.testing.assert_array_equal(array, live)
