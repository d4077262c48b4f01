"""Schedules against their formulas, and the history of rates against plain sums."""

import math

import numpy as np
import pytest

from autodiff.optimizers import (
    Constant,
    ExponentialDecay,
    InverseDecay,
    InverseSquareRoot,
    OptimizerError,
    StepDecay,
    WarmupDecay,
)
from autodiff.optimizers.rate_history import RateHistory


@pytest.mark.parametrize("step", [0, 1, 7, 100])
def test_formulas(step):
    assert Constant(0.3)(step) == 0.3
    assert InverseDecay(0.3, decay=0.2)(step) == pytest.approx(0.3 / (1 + 0.3 * 0.2 * step))
    assert InverseSquareRoot(0.3, scale=5)(step) == pytest.approx(0.3 / math.sqrt(1 + step / 5))
    assert ExponentialDecay(0.3, factor=0.9, every=2)(step) == pytest.approx(0.3 * 0.9 ** (step / 2))
    assert StepDecay(0.3, factor=0.9, every=2)(step) == pytest.approx(0.3 * 0.9 ** (step // 2))


def test_warmup_goes_up_and_then_down_to_the_final_rate():
    rates = [WarmupDecay(0.8, warmup=4, total=10, final=0.2)(step) for step in range(15)]
    assert rates[:5] == pytest.approx([0.2, 0.4, 0.6, 0.8, 0.8])
    assert rates[4:11] == pytest.approx(np.linspace(0.8, 0.2, 7))
    assert rates[10:] == pytest.approx([0.2] * 5)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Constant(0.0),
        lambda: InverseDecay(0.1, decay=-1.0),
        lambda: StepDecay(0.1, factor=0.5, every=0),
        lambda: ExponentialDecay(float("inf"), factor=0.5),
        lambda: WarmupDecay(0.1, warmup=5, total=5),
    ],
)
def test_settings_that_cannot_work_are_refused(make):
    with pytest.raises(OptimizerError, match="must be"):
        make()


def random_rates(seed):
    """Constant stretches, slow drifts, jumps and zeros."""
    generator, rates, rate = np.random.default_rng(seed), [], 0.1
    while len(rates) < 300:
        kind = generator.integers(0, 4)
        length = int(generator.integers(1, 40))
        if kind == 0:
            rates += [rate] * length
        elif kind == 1:
            rates += list(rate * np.linspace(1.0, generator.uniform(0.5, 2.0), length))
        elif kind == 2:
            rate = float(generator.uniform(0.001, 0.5))
        else:
            rates += [0.0]
    return [float(each) for each in rates]


@pytest.mark.parametrize("seed", range(20))
def test_history_sums_like_a_plain_loop(seed):
    rates, history = random_rates(seed), RateHistory()
    for rate in rates:
        history.append(rate)
    generator = np.random.default_rng(seed)
    since = generator.integers(0, len(rates) + 1, size=50)
    for scale in (10.0 ** generator.uniform(-6, 4, size=(50, 2)), np.full((50, 1), -0.5)):
        expected = [
            [math.fsum(math.log1p(rate * x) for rate in rates[first:]) for x in row]
            for first, row in zip(since, scale, strict=True)
        ]
        np.testing.assert_allclose(history.sum_log1p(scale, since), expected, rtol=1e-12, atol=1e-13)


def test_history_goes_through_arrays_unchanged():
    history = RateHistory()
    for rate in random_rates(3):
        history.append(rate)
    again = RateHistory.from_arrays(**history.arrays())
    scale, since = np.linspace(0.1, 2.0, 40), np.arange(40)
    assert again.steps == history.steps
    assert again.sum_log1p(scale, since).tobytes() == history.sum_log1p(scale, since).tobytes()


def test_a_long_schedule_needs_few_blocks():
    history = RateHistory()
    for step in range(20_000):
        history.append(InverseDecay(0.1, decay=0.01)(step))
    assert len(history._blocks) < 60
    constant = RateHistory()
    for _ in range(20_000):
        constant.append(0.1)
    assert len(constant._blocks) == 1
    assert constant.arrays()["rates"].shape == (1,)
