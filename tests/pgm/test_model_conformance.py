"""Every structured model against the list of all its answers: runs, costs, what is known, and the way back."""

import numpy as np
import pytest

from autodiff import Module, check_gradients
from oracles.answers import answers
from oracles.enumeration import canonical
from oracles.found import concrete
from pgm import PgmError
from pgm.exact import JunctionTree
from pgm.learning import StructuredModel

KINDS = concrete(StructuredModel, "pgm")
CASES = [
    pytest.param(model, item, id=f"{kind.__name__}-{number}")
    for kind in KINDS
    for number, (model, item) in enumerate(kind.examples(np.random.default_rng(1)))
]
by_case = pytest.mark.parametrize(("model", "item"), CASES)
EXACT = [case for case in CASES if getattr(case.values[0], "inference", JunctionTree()) == JunctionTree()]
by_exact_case = pytest.mark.parametrize(("model", "item"), EXACT)


def ready(model, item):
    instance = model.instance(item)
    return instance, model.scorer.score(instance)[0]


def if_it_can(run, ask):
    """The answer, or None where the run says that it has none, and who."""
    try:
        return ask()
    except PgmError as error:
        if type(run).__name__ not in str(error):
            raise
        return None


class Scored(Module):
    """scores by kind → beliefs, log-partition; through all of inference."""

    output_count = 2

    def __init__(self, instance, scores, **options):
        self.instance, self.shapes, self.options = instance, {kind: s.shape for kind, s in scores.items()}, options

    def forward(self, *arrays):
        scores = dict(zip(self.shapes, arrays, strict=True))
        run = self.instance.run(scores, record=True, **self.options)

        def backward(beliefs, log_partition):
            found = run.backward(beliefs=beliefs, log_partition=None if log_partition is None else float(log_partition))
            return tuple(found[kind] for kind in self.shapes)

        return (run.beliefs, np.array(run.log_partition)), backward


def test_all_are_here():
    assert {kind.__name__ for kind in KINDS} >= {"GraphModel", "StructureModel"}
    assert all(list(kind.examples(np.random.default_rng(0))) for kind in KINDS)


@by_exact_case
def test_sums(model, item):
    instance, scores = ready(model, item)
    listed, run = answers(instance, scores), model.run(instance)
    assert run.log_partition == pytest.approx(listed.log_partition, abs=1e-9)
    np.testing.assert_allclose(run.beliefs, listed.beliefs, atol=1e-9)
    assert run.converged is True
    through = instance.run(scores, record=True).backward(log_partition=1.0)
    assert run.part_beliefs.keys() == through.keys() == scores.keys()
    for kind, beliefs in run.part_beliefs.items():
        assert beliefs.shape == scores[kind].shape
        np.testing.assert_allclose(beliefs, through[kind], atol=1e-9)


@by_exact_case
def test_costs_are_added_to_the_score_of_an_answer(model, item):
    instance, scores = ready(model, item)
    listed = answers(instance, scores)
    costs = np.random.default_rng(2).normal(size=len(instance.targets))
    run = instance.run(scores, costs=costs)
    total = listed.log_weights + listed.events @ costs
    assert run.log_partition == pytest.approx(np.logaddexp.reduce(total), abs=1e-9)
    probabilities = np.exp(total - np.logaddexp.reduce(total))
    np.testing.assert_allclose(run.beliefs, probabilities @ listed.events, atol=1e-9)
    assert run.part_beliefs.keys() == scores.keys()
    assert canonical(run.best()) in listed.of_greatest(total)


@by_exact_case
def test_what_is_right(model, item):
    instance, scores = ready(model, item)
    listed = answers(instance, scores)
    place = listed.found.index(canonical(item[1]))
    np.testing.assert_array_equal(instance.right, listed.events[place])
    once = listed.events.max(axis=0) <= 1  # of others there is no belief
    np.testing.assert_array_equal(instance.targets, np.where(once, listed.events[place], np.nan))
    np.testing.assert_array_equal(instance.recalled(), np.where(once, instance.right, 0.0))
    np.testing.assert_array_equal(instance.hamming(0.5), np.where(once & (instance.right == 0), 0.5, 0.0))
    value, uses = instance.gold_score(scores, "test")
    assert value == pytest.approx(listed.log_weights[place], abs=1e-9)
    finite = {kind: np.where(array > -np.inf, array, 0.0) for kind, array in scores.items()}
    assert sum(float(finite[kind].ravel() @ used.ravel()) for kind, used in uses.items()) == pytest.approx(value)
    known = instance.run(scores, clamped=True)
    assert known.log_partition == pytest.approx(value, abs=1e-9)
    np.testing.assert_allclose(known.beliefs, listed.events[place], atol=1e-9)


@by_exact_case
def test_searches(model, item):
    """The best answer; the k best and samples, or an error that says who cannot."""
    instance, scores = ready(model, item)
    listed, run = answers(instance, scores), model.run(instance)
    assert canonical(run.best()) in listed.of_greatest(listed.log_weights)
    ranked = if_it_can(run, lambda: run.kbest(len(listed.found) + 1))
    if ranked is not None:
        possible = np.sort(listed.log_weights[listed.log_weights > -np.inf])[::-1]
        np.testing.assert_allclose([score for score, _ in ranked], possible, atol=1e-9)
        assert {canonical(answer) for _, answer in ranked} <= set(listed.found)
    drawn = if_it_can(run, lambda: run.sample(4000, np.random.default_rng(3)))
    if drawn is not None:
        counts = np.bincount([listed.found.index(canonical(answer)) for answer in drawn], minlength=len(listed.found))
        np.testing.assert_allclose(counts / len(drawn), listed.probabilities, atol=0.04)


@by_case
def test_gradients_of_beliefs_and_log_partition(model, item):
    instance, scores = ready(model, item)
    module = Scored(instance, scores)
    if getattr(model, "inference", None) == JunctionTree():
        with pytest.raises(PgmError, match="ask"):
            instance.run(scores, record=True).backward(beliefs=np.ones(len(instance.targets)))
        return
    check_gradients(module, *scores.values()).raise_if_failed()


@by_case
def test_runs_do_not_disturb_each_other(model, item):
    instance, scores = ready(model, item)
    before = {kind: array.copy() for kind, array in scores.items()}
    run = instance.run(scores, record=True)
    expected, partition = run.beliefs.copy(), run.log_partition
    other = instance.run({kind: 2 * array for kind, array in scores.items()}, costs=np.ones(len(expected)), record=True)
    instance.run(scores, clamped=True)
    assert other.log_partition != partition
    other.backward(log_partition=1.0)
    np.testing.assert_array_equal(run.beliefs, expected)
    again = instance.run(scores, record=True)
    np.testing.assert_array_equal(again.beliefs, expected)
    assert again.log_partition == partition
    for kind, array in scores.items():
        np.testing.assert_array_equal(array, before[kind])
