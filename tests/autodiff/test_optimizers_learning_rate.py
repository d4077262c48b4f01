"""The learning-rate search looks up as well as down and leaves the caller's weights alone."""

import numpy as np
import pytest

from autodiff.optimizers import (
    SGD,
    AdaGrad,
    DivergenceError,
    LearningRateWarning,
    OptimizerError,
    choose_learning_rate,
    search_learning_rate,
)
from autodiff.sparse import SparseAdjoint


def quadratic(curvature):
    """SGD with rate η multiplies the distance to the minimum by |1 - 2 c η|: the best rate is 1 / (2 c)."""

    def objective(parameters, batch):
        difference = parameters["w"] - np.mean(batch)
        return float(curvature * difference**2), {"w": 2 * curvature * difference}

    return objective


def search(objective, *, parameters=None, make=SGD, examples=(3.0,) * 20, **settings):
    parameters = {"w": np.array(0.0)} if parameters is None else parameters
    return choose_learning_rate(make, objective, parameters, list(examples), sample_size=3, **settings)


@pytest.mark.parametrize("start", [1e-4, 0.01, 0.5, 3.0, 500.0])
def test_the_best_rate_is_found_from_below_and_from_above(start):
    choice = search(quadratic(1.0), start=start, maximum_trials=40)
    assert 0.5 / 2 < choice.rate < 0.5 * 2
    rates = [trial.rate for trial in choice.trials]
    assert rates == sorted(rates)
    assert min(rates) < start < max(rates)
    assert choice.loss == min(trial.loss for trial in choice.trials) < choice.initial_loss
    assert choice.loss in {trial.loss for trial in choice.trials if trial.rate == choice.rate}


def test_rates_that_diverge_count_as_bad_and_are_reported():
    choice = search(quadratic(1e80), start=5e-81, factor=1e20, reach=3)
    failed = [trial for trial in choice.trials if trial.failure]
    assert failed
    assert all(trial.rate > choice.rate and trial.loss == np.inf for trial in failed)
    assert np.isfinite(choice.loss)


def test_it_goes_down_while_all_rates_diverge():
    choice = search(quadratic(1.0), start=1e280, factor=1e10, maximum_trials=60, reach=1)
    assert choice.rate < 1.0


def test_a_rate_that_the_optimizer_itself_refuses_counts_as_too_high():
    choice = search(quadratic(1.0), make=lambda rate: SGD(rate, l2=0.1), start=8.0)
    assert "at most 0.5" in choice.trials[-1].failure
    assert choice.rate < 1.0


def test_the_callers_parameters_are_never_touched():
    parameters = {"w": np.array([1.0, 2.0]), "untouched": np.ones(3)}
    before = {name: array.copy() for name, array in parameters.items()}
    for array in parameters.values():
        array.flags.writeable = False

    def objective(parameters, batch):
        return float((parameters["w"] ** 2).sum()), {"w": 2 * parameters["w"]}

    search(objective, parameters=parameters, make=lambda rate: AdaGrad(rate, l2=0.1), maximum_trials=40)
    for name, array in before.items():
        np.testing.assert_array_equal(parameters[name], array)


def test_the_same_seed_gives_the_same_choice_and_another_seed_another_sample():
    examples = np.random.default_rng(0).normal(size=100)
    seen = []

    def objective(parameters, batch):
        seen.append(tuple(batch))
        return quadratic(1.0)(parameters, batch)

    def sample_of(seed):
        seen.clear()
        choice = search(objective, examples=examples, seed=seed, maximum_trials=60)
        return choice, set(seen)

    first, again, other = sample_of(1), sample_of(1), sample_of(2)
    assert first == again
    assert first[1] != other[1]
    assert sample_of(np.random.default_rng(1)) == first


def test_every_trial_sees_the_same_batches_of_the_sample():
    batches = []

    def objective(parameters, batch):
        batches.append(tuple(batch))
        return quadratic(1.0)(parameters, batch)

    choice = choose_learning_rate(
        SGD, objective, {"w": np.array(0.0)}, list(range(50)), sample_size=7, batch_size=3, epochs=2, seed=4
    )
    assert len(set(batches)) == 3
    assert sorted(len(batch) for batch in set(batches)) == [1, 3, 3]
    # the initial loss, and for each trial two epochs and the final loss, over three batches
    assert len(batches) == 3 * (1 + 3 * len(choice.trials))


def test_an_error_if_every_rate_diverges():
    def objective(parameters, batch):
        return 1.0, {"w": np.full((), np.nan) if parameters["w"] == 0 else np.ones(())}

    with pytest.raises(DivergenceError, match="all of 8 rates"):
        search(objective, maximum_trials=8)


def test_an_error_if_the_loss_is_not_finite_to_begin_with():
    with pytest.raises(DivergenceError, match="before any training"):
        search(lambda parameters, batch: (np.nan, {}))


def test_a_warning_if_no_rate_helps():
    def uphill(parameters, batch):
        loss, gradients = quadratic(1.0)(parameters, batch)
        return loss, {"w": -gradients["w"]}

    with pytest.warns(LearningRateWarning, match="none of"):
        search(uphill)


def test_a_warning_if_the_best_is_still_at_the_edge():
    with pytest.warns(LearningRateWarning, match="highest"):
        search(quadratic(1.0), start=1e-9, maximum_trials=6)


def test_other_exceptions_are_passed_on_unless_they_mean_divergence():
    class TooLargeError(Exception):
        pass

    def objective(parameters, batch):
        if abs(parameters["w"]) > 100:
            raise TooLargeError("weights too large")
        return quadratic(1.0)(parameters, batch)

    with pytest.raises(TooLargeError):
        search(objective, start=1000.0)
    choice = search(objective, start=1000.0, divergence_errors=(TooLargeError,), maximum_trials=40)
    assert choice.rate < 1.0
    assert any("TooLargeError" in (trial.failure or "") for trial in choice.trials)


def test_only_the_rows_that_are_read_need_catching_up():
    """Rows are caught up before the objective reads them: all of them, or those it names."""
    examples = [index % 5 for index in range(40)]

    def objective(parameters, batch):
        indices = np.array(batch)
        difference = parameters["w"][indices] - 1.0
        return float((difference**2).sum()), {"w": SparseAdjoint(indices, 2 * difference, (5,))}

    settings = dict(sample_size=20, batch_size=2, maximum_trials=60)
    arguments = (lambda rate: AdaGrad(rate, l2=0.3), objective, {"w": np.full(5, 2.0)}, examples)
    everything = choose_learning_rate(*arguments, **settings)
    named = choose_learning_rate(*arguments, reads=lambda batch: {"w": batch}, **settings)
    nothing = choose_learning_rate(*arguments, reads=lambda batch: {}, **settings)
    losses = [[trial.loss for trial in choice.trials] for choice in (everything, named, nothing)]
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-10)
    assert losses[0][0] != pytest.approx(losses[2][0], rel=1e-10)


@pytest.mark.parametrize(
    "settings",
    [
        {"start": 0.0},
        {"factor": 1.0},
        {"reach": 0},
        {"maximum_trials": 2},
        {"batch_size": 0},
        {"epochs": 0},
        {"examples": ()},
    ],
)
def test_settings_that_cannot_work_are_refused(settings):
    with pytest.raises(OptimizerError, match="choose_learning_rate"):
        search(quadratic(1.0), **settings)


def test_a_search_asks_for_trials_alone():
    """A trainer's own loop is one trial: with its batches, its ℓ2, its average."""
    tried = []

    def trial(rate):
        tried.append(rate)
        if rate > 4:
            raise DivergenceError("too far")
        return np.inf if rate > 2 else abs(np.log(rate / 0.4))

    choice = search_learning_rate(trial, start=0.05, factor=2.0)
    assert choice.rate == 0.4
    assert choice.initial_loss is None
    assert sorted(tried) == [each.rate for each in choice.trials]
    assert len(tried) == len(set(tried))
    high = search_learning_rate(trial, start=8.0, reach=1, maximum_trials=10)
    assert high.rate == 0.5
    assert {each.failure for each in high.trials if each.rate > 2} == {"the loss is inf", "DivergenceError: too far"}


def test_a_search_warns_and_fails_as_the_choice_does():
    with pytest.warns(LearningRateWarning, match="none of"):
        search_learning_rate(lambda rate: 1.0 + abs(rate - 0.1), initial_loss=0.5)
    with pytest.warns(LearningRateWarning, match="lowest") as caught:
        search_learning_rate(lambda rate: rate, maximum_trials=5)
    assert caught[0].filename == __file__
    with pytest.raises(DivergenceError, match="all of 5 rates"):
        search_learning_rate(lambda rate: np.nan, maximum_trials=5)
    with pytest.raises(DivergenceError, match="before any training"):
        search_learning_rate(lambda rate: rate, initial_loss=np.nan)
    with pytest.raises(ZeroDivisionError):
        search_learning_rate(lambda rate: rate / 0)
    with pytest.raises(OptimizerError, match="search_learning_rate: reach"):
        search_learning_rate(lambda rate: rate, reach=0)
    with pytest.raises(OptimizerError, match="search_learning_rate: initial_loss"):
        search_learning_rate(lambda rate: rate, initial_loss="low")
    steep = search_learning_rate(lambda rate: -min(rate, 1e300), factor=1e300, reach=1, maximum_trials=6)
    assert steep.trials[-1].failure == "a rate of inf is no rate"
