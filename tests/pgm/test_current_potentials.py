"""Whoever asks a graph sees its parameters as they are now, though the graph was made before they changed."""

import numpy as np
import pytest

from autodiff import Parameter
from autodiff.modules import Linear
from autodiff.optimizers import AdaGrad, minimize_lbfgs
from pgm import BeliefPropagation, FactorGraph, InferenceModule
from pgm.exact import BruteForce, JunctionTree
from pgm.factors import LinearChainFactor, LogLinear, Scored
from pgm.files import read_uai, write_uai
from pgm.learning import ConditionalLogLikelihood, GraphModel, Trainer, TrainingProblem, accuracy, check_objective
from pgm.map import DeterministicAnnealing, LinearProgram
from pgm.potential_source import PotentialSource
from pgm.sampling import Gibbs


def model(weights):
    """Two variables that like to be equal by one weight, and to be 1 by the other; built anew each time."""
    graph = FactorGraph()
    x = graph.variables("x", 2)
    graph.add(LogLinear([x[0], x[1]], np.eye(2)[:, :, None] * [1.0, 0.0], weights))
    graph.add(LogLinear(x[[[0], [1]]], [[0.0, 0.0], [0.0, 1.0]], weights))
    return graph


def unrolled(graph):
    module = InferenceModule(graph, BeliefPropagation(iterations=3))
    return module(*[family.potentials for family in graph.families])[0]


def written(graph, folder):
    write_uai(graph, folder / "model.uai")
    return read_uai(folder / "model.uai").families[0].log_potentials


def problem_of(graph):
    return TrainingProblem(GraphModel(), [(graph, [1, 0])], ConditionalLogLikelihood())


QUESTIONS = {
    "belief propagation": lambda graph, _: BeliefPropagation().run(graph).flat_beliefs,
    "serial": lambda graph, _: BeliefPropagation(schedule="serial").run(graph).flat_beliefs,
    "residual": lambda graph, _: BeliefPropagation(schedule="residual").run(graph).log_partition,
    "max-product": lambda graph, _: BeliefPropagation(mode="max").run(graph).assignment(),
    "unrolled": lambda graph, _: unrolled(graph),
    "junction tree": lambda graph, _: JunctionTree().run(graph).log_partition,
    "junction tree, maximum": lambda graph, _: JunctionTree().maximum(graph).score,
    "brute force": lambda graph, _: BruteForce().run(graph).flat_beliefs,
    "score": lambda graph, _: graph.score(np.array([1, 1])),
    "linear program": lambda graph, _: LinearProgram().run(graph).bound,
    "annealing": lambda graph, _: DeterministicAnnealing().run(graph).score,
    "gibbs": lambda graph, _: Gibbs(sweeps=20, seed=1).run(graph).flat_beliefs,
    "objective": lambda graph, _: problem_of(graph)()[0],
    "accuracy": lambda graph, _: accuracy(GraphModel(), [(graph, [1, 1])]),
    "writer": written,
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_graph_follows_its_parameters(question, tmp_path):
    ask = QUESTIONS[question]
    weights = Parameter("weights", [0.5, -1.0])
    graph = model(weights)
    before = ask(graph, tmp_path)
    held = weights.value
    for change in ([1.5, 2.0], [-1.0, 0.3]):
        held[:] = change
        np.testing.assert_array_equal(ask(graph, tmp_path), ask(model(Parameter("weights", change)), tmp_path))
    weights.value = [0.5, -1.0]
    np.testing.assert_array_equal(ask(graph, tmp_path), before)


def test_after_training_the_graph_answers_with_the_new_weights():
    weights = Parameter("weights", [0.0, 0.0])
    graph = model(weights)
    assert BeliefPropagation().run(graph).belief("x[0]")[1] == 0.5
    Trainer(ConditionalLogLikelihood(), AdaGrad(0.5), epochs=5).fit(GraphModel(), [(graph, [1, 1])])
    fresh = BeliefPropagation().run(model(weights)).flat_beliefs
    np.testing.assert_array_equal(BeliefPropagation().run(graph).flat_beliefs, fresh)
    problem = TrainingProblem(GraphModel(), [(graph, [1, 1])], ConditionalLogLikelihood())
    minimize_lbfgs(problem, problem.parameters, l2=0.1)
    np.testing.assert_array_equal(
        JunctionTree().run(graph).log_partition, JunctionTree().run(model(weights)).log_partition
    )
    assert weights.value[1] > 0.5


def test_accuracy_and_checks_leave_the_next_answer_alone():
    weights = Parameter("weights", [0.4, 0.2])
    graph = model(weights)
    before = BeliefPropagation().run(graph).flat_beliefs
    accuracy(GraphModel(), [(graph, [1, 1])])
    check_objective(ConditionalLogLikelihood(), GraphModel(), (graph, [1, 1])).raise_if_failed()
    np.testing.assert_array_equal(BeliefPropagation().run(graph).flat_beliefs, before)


def test_nothing_is_computed_while_nothing_changes(monkeypatch):
    weights = Parameter("weights", [0.4, 0.2])
    graph = model(weights)
    calls = []
    compute = PotentialSource.forward
    monkeypatch.setattr(PotentialSource, "forward", lambda self: calls.append(1) or compute(self))
    for _ in range(3):
        BeliefPropagation().run(graph)
        graph.score(np.array([0, 0]))
    assert not calls
    weights.value[0] = 1.0
    BeliefPropagation().run(graph)
    graph.score(np.array([0, 0]))
    assert len(calls) == len(graph.families)


def test_stacked_and_chosen_families_have_no_source():
    weights, bias = Parameter("weights", np.ones((1, 4))), Parameter("bias", np.zeros(4))
    x = FactorGraph().variables("x", 6)
    chains = [LinearChainFactor(x[[3 * i, 3 * i + 1, 3 * i + 2]], np.eye(2), shared=True) for i in range(2)]
    for chain in chains:
        chain.source = PotentialSource(_Square(), [[[1.0]], weights, bias])
    bias.value[:] = 2.0
    assert chains[0].log_potentials.tolist() == [[[3.0, 3.0], [3.0, 3.0]]]
    both = LinearChainFactor.stack(chains)
    one = both.take(np.array([1]))
    assert both.source is None
    assert one.source is None
    assert both.log_potentials.shape == (2, 2, 2)
    assert chains[0].source is not None


class _Square(Linear):
    def forward(self, *inputs):
        output, backward = super().forward(*inputs)
        return output.reshape(1, 2, 2), lambda adjoint: backward(adjoint.reshape(output.shape))


def test_potentials_that_are_given_come_from_no_source():
    weights, bias = Parameter("weights", np.eye(2)), Parameter("bias", [0.0, 0.5])
    table = Scored(FactorGraph().variables("x", 1), Linear(), [[1.0, 0.0]], weights, bias)
    table.log_potentials = np.zeros((1, 2))
    bias.value[:] = 9.0
    assert table.source is None
    assert not table.log_potentials.any()
