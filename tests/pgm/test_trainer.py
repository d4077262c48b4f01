"""The training loop: every update learns, same seed same bytes, early stopping, lazy updates, errors."""

import sys
import threading

import attrs
import numpy as np
import pytest

from autodiff import Parameter
from autodiff.optimizers import SGD, AdaGrad, Optimizer
from oracles.training_data import GRAPHS, bytes_of, graph_task, mean_loss, structure_task
from pgm import BeliefPropagation, FactorGraph
from pgm.factors import LogLinear
from pgm.learning import (
    AnnealedRisk,
    ConditionalLogLikelihood,
    Example,
    GraphModel,
    L2Distance,
    Objective,
    ObjectiveValue,
    Trainer,
    TrainingDivergedError,
    TrainingError,
    accuracy,
)

CLL = ConditionalLogLikelihood()
RATES = {"sgd": 0.2, "adam": 0.1}
SHRINKAGE = {"l2", "weight_decay"}


def updates():
    """Every kind that autodiff has, plain and shrinking."""
    for name, kind in Optimizer.kinds().items():
        if kind.__module__.startswith("autodiff."):
            fields = {each.name for each in attrs.fields(kind)}
            rate = {"learning_rate": RATES.get(name, 1.0)} if "learning_rate" in fields else {}
            yield pytest.param(kind(**rate), id=name)
            for shrinkage in sorted(fields & SHRINKAGE):
                yield pytest.param(kind(**rate, **{shrinkage: 0.01}), id=f"{name}-{shrinkage}")


UPDATES = list(updates())


@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("objective", [CLL, L2Distance(), AnnealedRisk(temperature=0.5)], ids=lambda o: o.name)
def test_learns(objective, update):
    examples, weights, _ = graph_task()
    before = accuracy(GRAPHS, examples)
    trainer = Trainer(objective, update, epochs=6, batch_size=4)
    history = trainer.fit(GRAPHS, examples)
    assert history.epochs[-1].loss < 0.9 * history.epochs[0].loss
    assert accuracy(GRAPHS, examples) > before
    assert [epoch.number for epoch in history.epochs] == [1, 2, 3, 4, 5, 6]
    assert {epoch.stage for epoch in history.epochs} == {objective.name}
    assert (history.best, history.stopped_early) == (6, False)
    first = weights.value.copy()
    weights.value[:] = 0.0
    trainer.fit(GRAPHS, examples)  # a trainer remembers nothing
    assert (weights.value != first).any()  # transitions were not put back


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("update", UPDATES)
def test_same_seed_same_bytes(update, average):
    def trained(seed, hashed):
        model, examples = structure_task(hashed=hashed)
        trainer = Trainer(CLL, update, epochs=2, batch_size=3, average=average, seed=seed)
        history = trainer.fit(model, examples)
        return model.scorer.weights.value.copy(), history

    (one, history), (same, again), (other, _) = (trained(seed, True) for seed in (1, 1, 2))
    assert one.tobytes() == same.tobytes()
    assert history == again
    assert one.tobytes() != other.tobytes()
    dense, _ = trained(1, False)
    np.testing.assert_allclose(one, dense, atol=1e-12)


def test_the_average_is_that_of_the_parameters_after_each_step():
    seen = []

    class Watching(Objective):
        def evaluate(self, instance, scores, *, progress=0.0):
            seen.append(model.scorer.weights.value.copy())
            return CLL.evaluate(instance, scores)

    model, examples = structure_task(count=6)
    Trainer(Watching(), SGD(0.3), epochs=3, batch_size=2, average_after=1).fit(model, examples)
    last, steps = model.scorer.weights.value.copy(), [*seen[2::2]]
    model.scorer.weights.value[:] = 0.0
    Trainer(CLL, SGD(0.3), epochs=3, batch_size=2, average=True).fit(model, examples)
    np.testing.assert_allclose(model.scorer.weights.value, np.mean([*steps, last], axis=0), atol=1e-14)
    model.scorer.weights.value[:] = 0.0
    Trainer(CLL, SGD(0.3), epochs=3, batch_size=2, average=True, average_after=1).fit(model, examples)
    np.testing.assert_allclose(model.scorer.weights.value, np.mean([*steps[3:], last], axis=0), atol=1e-14)


def test_lazily_made_examples_are_the_same():
    examples, weights, _ = graph_task()
    trainer = Trainer(CLL, AdaGrad(0.3, l2=0.1), epochs=2)
    trainer.fit(GRAPHS, examples)
    others, lazy, transitions = graph_task()
    made = []

    def maker(number):
        def make():
            made.append(number)
            return others[number]

        return make

    makers = [maker(number) for number in range(20)]
    trainer.fit(GRAPHS, makers, parameters=[lazy, transitions])
    np.testing.assert_array_equal(lazy.value, weights.value)
    assert sorted(made) == sorted(2 * list(range(20)))
    with pytest.raises(TrainingError, match="parameters="):
        trainer.fit(GRAPHS, makers)


def test_instances_are_taken_as_they_are():
    model, examples = structure_task()
    trainer = Trainer(CLL, AdaGrad(0.3), epochs=2)
    first = trainer.fit(model, examples)
    model.scorer.weights.value[:] = 0.0
    assert trainer.fit(model, [model.instance(example) for example in examples]) == first


def test_lazy_shrinkage_is_caught_up_with():
    """Sparse features and dense ones train to the same weights under ℓ2."""
    results = []
    for sparse in (True, False):
        examples, weights, _ = graph_task()
        weights.value[:] = np.linspace(-1, 1, 42)
        if not sparse:
            for graph, _gold in examples:
                source = graph.families[0].source
                source.reads = {}
                features = np.zeros((10, 42))
                np.add.at(features, (np.arange(20) // 2, source.module.indices), 1.0)
                graph.families[0] = LogLinear(graph.families[0].variables, features.reshape(5, 2, 42), weights)
        Trainer(CLL, AdaGrad(0.5, l2=0.3), epochs=3, batch_size=2).fit(GRAPHS, examples)
        results.append(weights.value.copy())
    np.testing.assert_allclose(results[0], results[1], atol=1e-10)
    assert abs(results[0]).max() < 0.9


def test_early_stopping_returns_the_best():
    examples, weights, _ = graph_task()
    scores = iter([0.1, 0.5, 0.4, 0.5, 0.9])
    seen = []

    def development():
        seen.append(weights.value.copy())
        return next(scores)

    history = Trainer(CLL, AdaGrad(0.3), epochs=10, patience=2).fit(GRAPHS, examples, development=development)
    assert [epoch.development for epoch in history.epochs] == [0.1, 0.5, 0.4, 0.5]
    assert (history.best, history.stopped_early) == (2, True)
    np.testing.assert_array_equal(weights.value, seen[1])
    assert (seen[3] != seen[1]).any()


def test_progress_runs_from_nought_to_one():
    seen = []

    class Watching(Objective):
        def evaluate(self, instance, scores, *, progress=0.0):
            seen.append(progress)
            return L2Distance().evaluate(instance, scores)

    Trainer(Watching(), SGD(0.1), epochs=2, batch_size=5).fit(GRAPHS, graph_task()[0])
    assert (seen[0], len(set(seen))) == (0.0, 8)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0 - 5 / 40


def test_parameters_that_are_not_listed_stay():
    examples, weights, transitions = graph_task()
    Trainer(L2Distance(), SGD(0.1), epochs=1).fit(GRAPHS, examples, parameters=[transitions])
    assert not weights.value.any()
    assert transitions.value.any()


def test_trainings_in_threads_do_not_disturb_each_other():
    trainer = Trainer(CLL, AdaGrad(0.3, l2=0.01), epochs=2, batch_size=2, average=True)
    tasks = [structure_task(seed) for seed in (0, 1, 0, 1)]
    for model, examples in tasks[:2]:
        trainer.fit(model, examples, progress=False)
    threads = [threading.Thread(target=trainer.fit, args=task, kwargs={"progress": False}) for task in tasks[2:]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone, together = ([bytes_of(model.parameters()) for model, _ in tasks[part]] for part in (np.s_[:2], np.s_[2:]))
    assert alone == together


def test_a_terminal_sees_a_bar_and_no_one_else(capsys, monkeypatch):
    examples = graph_task()[0]
    trainer = Trainer(L2Distance(), SGD(0.1), epochs=1)
    trainer.fit(GRAPHS, examples)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    trainer.fit(GRAPHS, examples)
    assert "epoch 1" in capsys.readouterr().err
    trainer.fit(GRAPHS, examples, progress=False)
    assert capsys.readouterr().err == ""


def test_reports_are_lines():
    lines = []
    Trainer(L2Distance(), SGD(0.1), epochs=2).fit(
        GRAPHS, graph_task()[0], development=lambda: 0.25, report=lines.append
    )
    assert [line[: line.index(" loss")] for line in lines] == ["epoch 1: l2", "epoch 2: l2"]
    assert all("development 0.25" in line for line in lines)


def test_unconverged_inference_is_counted():
    examples, _, _ = graph_task(count=3)
    hasty = GraphModel(BeliefPropagation(iterations=1))
    assert Trainer(CLL, SGD(0.1), epochs=2).fit(hasty, examples).epochs[1].unconverged == 3


# Errors


def test_a_nan_score_is_refused():
    model, examples = structure_task()
    with pytest.raises(TrainingError, match="epoch 1 is NaN"):
        Trainer(CLL, SGD(0.1), epochs=2).fit(model, examples, development=lambda: float("nan"))
    scores = iter([0.5, float("nan")])
    seen = []

    def development():
        seen.append(model.scorer.weights.value.copy())
        return next(scores)

    with pytest.raises(TrainingError, match="epoch 2 is NaN"):
        Trainer(CLL, SGD(0.1), epochs=2).fit(model, examples, development=development)
    np.testing.assert_array_equal(model.scorer.weights.value, seen[0])


def test_an_error_names_its_example():
    examples, _, _ = graph_task()
    bad, gold = examples[7]
    examples[7] = Example(bad, np.where(np.arange(5) == 2, -1, gold))
    with pytest.raises(TrainingError, match=r"epoch 1, example 7: GoldError: .*x\[2\]") as caught:
        Trainer(CLL, SGD(0.1), epochs=1, batch_size=4).fit(GRAPHS, examples)
    assert type(caught.value.__cause__).__name__ == "GoldError"

    def broken():
        raise KeyError("no such file")

    _, weights, _ = graph_task()
    with pytest.raises(TrainingError, match="example 0: KeyError"):
        Trainer(L2Distance(), SGD(0.1), epochs=1).fit(GRAPHS, [broken], parameters=[weights])
    with pytest.raises(TrainingError, match="example 1: GoldError: an example is"):
        Trainer(L2Distance(), SGD(0.1), epochs=1).fit(GRAPHS, [examples[0], "what"])


def test_a_right_answer_outside_the_structure_is_refused():
    from hypergraph.structures import ProjectiveTrees
    from pgm.learning import FeatureScorer, StructureModel

    model = StructureModel(ProjectiveTrees, FeatureScorer(16, lambda _: (np.arange(16), np.arange(17))))
    with pytest.raises(TrainingError, match=r"example 0: WeightError: heads .* none of the trees"):
        Trainer(CLL, SGD(0.1), epochs=1).fit(model, [(3, [-1, 3, 0, 2])])  # crosses


def test_divergence_says_what_to_do():
    model, examples = structure_task()
    with pytest.raises(TrainingDivergedError, match="lower learning rate") as caught:
        Trainer(CLL, SGD(1e308), epochs=3).fit(model, examples)
    assert isinstance(caught.value, TrainingError)

    class Broken(Objective):
        loss, adjoint = float("nan"), 0.0

        def evaluate(self, instance, scores, *, progress=0.0):
            return ObjectiveValue(self.loss, {"weights": np.full(scores["weights"].shape, self.adjoint)})

    with pytest.raises(TrainingDivergedError, match="the loss is nan"):
        Trainer(Broken(), SGD(0.1), epochs=1).fit(model, examples)
    Broken.loss, Broken.adjoint = 1.0, 1e200
    with pytest.raises(TrainingDivergedError, match=r"1e\+200"):
        Trainer(Broken(), SGD(0.1), epochs=1).fit(*structure_task())


def test_different_parameters_of_one_name_are_refused():
    with pytest.raises(TrainingError, match="two parameters named 'weights'"):
        Trainer(L2Distance(), SGD(0.1), epochs=1).fit(GRAPHS, [*graph_task()[0], *graph_task()[0]])
    one, other = Parameter("w", [0.0]), Parameter("w", [0.0])
    with pytest.raises(TrainingError, match="two parameters named 'w'"):
        Trainer(L2Distance(), SGD(0.1), epochs=1).fit(GRAPHS, graph_task()[0], parameters=[one, other])


def test_nothing_to_learn_is_an_error():
    with pytest.raises(TrainingError, match="no examples"):
        Trainer(L2Distance(), SGD(0.1), epochs=1).fit(GRAPHS, [])
    graph = FactorGraph()
    graph.variable("x")
    with pytest.raises(TrainingError, match="LogLinear"):
        Trainer(L2Distance(), SGD(0.1), epochs=1).fit(GRAPHS, [(graph, [0])])


@pytest.mark.parametrize("setting", ["epochs", "batch_size", "patience", "average_after", "seed"])
def test_settings_are_checked(setting):
    with pytest.raises(ValueError, match=setting):
        Trainer(L2Distance(), SGD(0.1), **{setting: -1})
    with pytest.raises(ValueError, match="development"):
        Trainer(L2Distance(), SGD(0.1), patience=1).fit(GRAPHS, graph_task()[0])
    for stages, update, name in (([], SGD(0.1), "objective"), ("l2", SGD(0.1), "objective"), (CLL, 0.1, "update")):
        with pytest.raises((TypeError, ValueError), match=name):
            Trainer(stages, update)


def test_what_the_data_says_is_learned():
    model, examples = structure_task(count=60)
    start = mean_loss(model, examples)
    Trainer(CLL, AdaGrad(0.5), epochs=5).fit(model, examples[:40])
    assert mean_loss(model, examples[40:]) < 0.6 * start
