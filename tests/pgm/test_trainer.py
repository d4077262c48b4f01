"""The training loop: same seed same bytes, early stopping, lazy optimisers, errors."""

import copy
import sys

import numpy as np
import pytest

from autodiff import Parameter
from autodiff.optimizers import SGD, AdaGrad, Adam, choose_learning_rate, minimize_lbfgs
from pgm import BeliefPropagation, FactorGraph
from pgm.exact import JunctionTree
from pgm.factors import LogLinear
from pgm.learning import (
    AnnealedRisk,
    ConditionalLogLikelihood,
    Evaluation,
    Example,
    L2Distance,
    Objective,
    TrainingError,
    TrainingProblem,
    accuracy,
    fit,
)

TREE = BeliefPropagation(iterations=1, schedule="serial")


def chain(rng, weights, transitions, length=5):
    """A chain whose gold states follow noisy measurements; hashed features, two of forty an entry."""
    gold = np.cumsum(rng.random(length) < 0.3) % 2
    measured = gold + 0.5 * rng.normal(size=length)
    graph = FactorGraph()
    x = graph.variables("x", length)
    bins = np.clip((4 * measured).astype(int), -8, 11) + 8
    indices = np.stack([np.zeros(length, dtype=int), 1 + bins], axis=1).repeat(2, axis=0)
    indices[1::2] += 20  # for state 1
    graph.add(
        LogLinear(x.ravel()[np.arange(length)[:, None]], (indices.ravel(), np.arange(0, 4 * length + 1, 2)), weights)
    )
    pairs = np.stack([np.arange(length - 1), np.arange(1, length)], axis=1)
    graph.add(LogLinear(x[pairs], np.eye(4).reshape(2, 2, 4), transitions))
    return graph, gold


def problem(seed=0, count=20):
    rng = np.random.default_rng(seed)
    weights, transitions = Parameter("weights", np.zeros(42)), Parameter("transitions", np.zeros(4))
    return [chain(rng, weights, transitions) for _ in range(count)], weights, transitions


@pytest.mark.parametrize(
    "optimizer", [SGD(0.2, l2=0.01), AdaGrad(1.0, l2=0.01), Adam(0.1, weight_decay=0.01)], ids=repr
)
@pytest.mark.parametrize(
    "objective", [ConditionalLogLikelihood(TREE), L2Distance(TREE), AnnealedRisk(TREE, temperature=0.5)]
)
def test_learns(objective, optimizer):
    examples, weights, _ = problem()
    fresh = copy.deepcopy(optimizer)  # it remembers its steps
    before = accuracy(examples, TREE)
    training = fit(examples, objective, fresh, epochs=6, batch_size=4)
    assert training.epochs[-1].loss < 0.9 * training.epochs[0].loss
    assert accuracy(examples, TREE) > before
    assert [epoch.number for epoch in training.epochs] == [1, 2, 3, 4, 5, 6]
    assert not training.stopped_early
    assert weights.value.any()


def test_same_seed_same_bytes():
    def trained(seed):
        examples, weights, transitions = problem()
        training = fit(examples, ConditionalLogLikelihood(TREE), AdaGrad(0.3), epochs=2, batch_size=3, seed=seed)
        return weights.value.tobytes() + transitions.value.tobytes(), training

    assert trained(1) == trained(1)
    assert trained(1)[0] != trained(2)[0]


def test_lazily_made_examples_are_the_same():
    examples, weights, _ = problem()
    fit(examples, ConditionalLogLikelihood(TREE), AdaGrad(0.3, l2=0.1), epochs=2)
    others, lazy, transitions = problem()
    made = []

    def maker(number):
        def make():
            made.append(number)
            return others[number]

        return make

    makers = [maker(number) for number in range(20)]
    fit(makers, ConditionalLogLikelihood(TREE), AdaGrad(0.3, l2=0.1), epochs=2, parameters=[lazy, transitions])
    np.testing.assert_array_equal(lazy.value, weights.value)
    assert sorted(made) == sorted(2 * list(range(20)))
    with pytest.raises(TrainingError, match="parameters="):
        fit(makers, ConditionalLogLikelihood(TREE), AdaGrad(0.3), epochs=1)


def test_lazy_shrinkage_is_paid():
    """Sparse features and dense ones train to the same weights under ℓ2."""
    results = []
    for sparse in (True, False):
        examples, weights, _ = problem()
        weights.value[:] = np.linspace(-1, 1, 42)
        if not sparse:
            for graph, _gold in examples:
                source = graph.families[0].source
                source.reads = {}
                features = np.zeros((10, 42))
                np.add.at(features, (np.arange(20) // 2, source.module.indices), 1.0)
                graph.families[0] = LogLinear(graph.families[0].variables, features.reshape(5, 2, 42), weights)
        fit(examples, ConditionalLogLikelihood(TREE), AdaGrad(0.5, l2=0.3), epochs=3, batch_size=2)
        results.append(weights.value.copy())
    np.testing.assert_allclose(results[0], results[1], atol=1e-10)
    assert abs(results[0]).max() < 0.9


def test_early_stopping_returns_the_best():
    examples, weights, _ = problem()
    scores = iter([0.1, 0.5, 0.4, 0.5, 0.9])
    seen = []

    def development():
        seen.append(weights.value.copy())
        return next(scores)

    training = fit(
        examples, ConditionalLogLikelihood(TREE), AdaGrad(0.3), epochs=10, development=development, patience=2
    )
    assert [epoch.development for epoch in training.epochs] == [0.1, 0.5, 0.4, 0.5]
    assert (training.best, training.stopped_early) == (2, True)
    np.testing.assert_array_equal(weights.value, seen[1])
    assert (seen[3] != seen[1]).any()


def test_a_nan_score_is_refused():
    examples, _, _ = problem()
    with pytest.raises(TrainingError, match="epoch 1 is NaN"):
        fit(examples, L2Distance(TREE), SGD(0.1), epochs=2, development=lambda: float("nan"))


def test_an_error_names_its_example():
    examples, _, _ = problem()
    bad, gold = examples[7]
    bad.families[0].source.inputs[0].value[:] = 0.0
    examples[7] = Example(bad, np.where(np.arange(5) == 2, -1, gold))
    with pytest.raises(TrainingError, match=r"epoch 1, example 7: GoldError: .*x\[2\]") as caught:
        fit(examples, ConditionalLogLikelihood(TREE), SGD(0.1), epochs=1, batch_size=4)
    assert type(caught.value.__cause__).__name__ == "GoldError"

    def broken():
        raise KeyError("no such file")

    _, weights, _ = problem()
    with pytest.raises(TrainingError, match="example 0: KeyError"):
        fit([broken], L2Distance(TREE), SGD(0.1), epochs=1, parameters=[weights])


def test_a_loss_that_is_not_finite_names_its_example():
    class Broken(Objective):
        def evaluate(self, example, *, progress=0.0):
            return Evaluation(float("nan"), [None, None])

    with pytest.raises(TrainingError, match=r"example \d+: .*loss is nan"):
        fit(problem()[0], Broken(), SGD(0.1), epochs=1)


def test_progress_runs_from_nought_to_one():
    seen = []

    class Watching(Objective):
        def evaluate(self, example, *, progress=0.0):
            seen.append(progress)
            return L2Distance(TREE).evaluate(example)

    fit(problem()[0], Watching(), SGD(0.1), epochs=2, batch_size=5)
    assert (seen[0], seen[-1]) == (0.0, 1.0)
    assert len(set(seen)) == 8
    assert seen == sorted(seen)


def test_parameters_that_are_not_listed_stay():
    examples, weights, transitions = problem()
    fit(examples, L2Distance(TREE), SGD(0.1), epochs=1, parameters=[transitions])
    assert not weights.value.any()
    assert transitions.value.any()


def test_different_parameters_of_one_name_are_refused():
    with pytest.raises(TrainingError, match="two parameters named 'weights'"):
        fit([*problem()[0], *problem()[0]], L2Distance(TREE), SGD(0.1), epochs=1)


def test_unconverged_inference_is_reported():
    examples, _, _ = problem(count=3)
    hasty = ConditionalLogLikelihood(BeliefPropagation(iterations=1))
    assert fit(examples, hasty, SGD(0.1), epochs=2).epochs[1].unconverged == 3


def test_nothing_to_learn_is_an_error():
    with pytest.raises(TrainingError, match="no examples"):
        fit([], L2Distance(TREE), SGD(0.1), epochs=1)
    graph = FactorGraph()
    graph.variable("x")
    with pytest.raises(TrainingError, match="LogLinear"):
        fit([(graph, [0])], L2Distance(TREE), SGD(0.1), epochs=1)


@pytest.mark.parametrize("setting", ["epochs", "batch_size", "patience"])
def test_settings_are_checked(setting):
    with pytest.raises(ValueError, match=setting):
        fit(problem()[0], L2Distance(TREE), SGD(0.1), **{"epochs": 1, "development": lambda: 0.0} | {setting: 0})
    with pytest.raises(ValueError, match="development"):
        fit(problem()[0], L2Distance(TREE), SGD(0.1), epochs=1, patience=1)


def test_progress_bar_only_on_a_terminal(capsys, monkeypatch):
    fit(problem()[0], L2Distance(TREE), SGD(0.1), epochs=1)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    fit(problem()[0], L2Distance(TREE), SGD(0.1), epochs=1)
    assert "training" in capsys.readouterr().err
    fit(problem()[0], L2Distance(TREE), SGD(0.1), epochs=1, progress=False)
    assert capsys.readouterr().err == ""


def test_batch_optimisation_and_the_choice_of_a_rate():
    examples, weights, _ = problem()
    exact = TrainingProblem(examples, ConditionalLogLikelihood(JunctionTree()))
    start = exact()[0]
    choice = choose_learning_rate(AdaGrad, exact, exact.parameters, exact.examples, sample_size=10, start=0.1)
    assert choice.loss < choice.initial_loss
    assert not weights.value.any(), "trials leave the parameters alone"
    result = minimize_lbfgs(exact, exact.parameters, l2=0.01)
    assert result.converged
    assert exact()[0] < start
    penalty = 0.01 * weights.value
    np.testing.assert_allclose(exact()[1]["weights"].dense(), -penalty, atol=1e-5)
