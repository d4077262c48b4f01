"""Training as a function of the parameters: batch optimisation, and the choice of a rate."""

import numpy as np
import pytest

from autodiff.optimizers import AdaGrad, choose_learning_rate, minimize_lbfgs
from oracles.training_data import GRAPHS, bytes_of, graph_task, structure_task
from pgm.exact import JunctionTree
from pgm.learning import ConditionalLogLikelihood, GraphModel, L2Distance, TrainingError, TrainingProblem

CLL = ConditionalLogLikelihood()


def dense(gradient):
    return gradient if isinstance(gradient, np.ndarray) else gradient.dense()


@pytest.mark.parametrize("hashed", [True, False])
def test_lbfgs_on_hashed_and_dense_weights(hashed):
    model, examples = structure_task(hashed=hashed)
    problem = TrainingProblem(model, examples, CLL)
    start = problem()[0]
    result = minimize_lbfgs(problem, problem.parameters, l2=0.05)
    assert result.converged
    loss, gradients = problem()
    assert loss < 0.8 * start
    weights = model.scorer.weights
    np.testing.assert_allclose(dense(gradients["weights"]), -0.05 * weights.value, atol=1e-5)
    other, _ = structure_task(hashed=not hashed)
    minimize_lbfgs(*(lambda p: (p, p.parameters))(TrainingProblem(other, examples, CLL)), l2=0.05)
    np.testing.assert_allclose(other.scorer.weights.value, weights.value, atol=1e-6)
    # Whoever keeps what follows from the weights sees that they have changed.
    assert model.run(examples[0][0]).log_partition != other.structure(examples[0][0]).num_weights


def test_batch_optimisation_and_the_choice_of_a_rate():
    examples, weights, _ = graph_task()
    exact = TrainingProblem(GraphModel(JunctionTree()), examples, CLL)
    start = exact()[0]
    choice = choose_learning_rate(AdaGrad, exact, exact.parameters, exact.instances, sample_size=10, start=0.1)
    assert choice.loss < choice.initial_loss
    assert not weights.value.any(), "trials leave the parameters alone"
    result = minimize_lbfgs(exact, exact.parameters, l2=0.01)
    assert result.converged
    assert exact()[0] < start
    np.testing.assert_allclose(exact()[1]["weights"].dense(), -0.01 * weights.value, atol=1e-5)


@pytest.mark.parametrize("hashed", [True, False])
def test_other_values_for_a_while(hashed):
    model, examples = structure_task(hashed=hashed)
    problem = TrainingProblem(model, examples, CLL)
    before = bytes_of(model.parameters())
    there = {"weights": np.random.default_rng(0).normal(size=64)}
    loss, gradients = problem(there)
    assert bytes_of(model.parameters()) == before
    model.scorer.weights.value[:] = there["weights"]
    model.scorer.weights.changed()
    again, live = problem()
    assert again == loss
    np.testing.assert_array_equal(dense(live["weights"]), dense(gradients["weights"]))


def test_the_loss_is_the_mean_and_batches_are_parts_of_it():
    model, examples = structure_task(count=4)
    problem = TrainingProblem(model, examples, CLL)
    each = [problem(batch=[instance]) for instance in problem.instances]
    loss, gradients = problem()
    assert loss == pytest.approx(np.mean([one for one, _ in each]))
    mean = np.mean([dense(found["weights"]) for _, found in each], axis=0)
    np.testing.assert_allclose(dense(gradients["weights"]), mean, atol=1e-14)


def test_errors_name_the_example():
    examples, weights, transitions = graph_task(count=3)
    examples[1] = (examples[1][0], [0, -1, 0, 0, 0])
    with pytest.raises(TrainingError, match=r"example 1: GoldError: .*x\[1\]"):
        TrainingProblem(GRAPHS, examples, CLL)()
    loss, gradients = TrainingProblem(GRAPHS, examples, L2Distance(), [transitions])()
    assert gradients.keys() == {"transitions"}
    assert np.isfinite(loss)
    assert not weights.value.any()
