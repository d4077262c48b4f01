"""The learning rate is chosen under the very settings with which training will use it."""

import numpy as np
import pytest
from attrs import evolve, field, frozen

import pgm.learning.rate_search as rate_search
from autodiff import HashedParameter, Parameter
from autodiff.optimizers import SGD, AdaGrad, Adam, LearningRateWarning
from hypergraph.structures import LinearChain
from oracles.training_data import bytes_of, mean_loss, structure_task
from pgm.learning import (
    AnnealedRisk,
    ConditionalLogLikelihood,
    FeatureScorer,
    L2Distance,
    Stage,
    StructureModel,
    Trainer,
    with_tuned_rate,
)

CLL = ConditionalLogLikelihood()


@frozen(eq=False)
class Dropping(FeatureScorer):
    """Leaves parts out at random, where training gives it randomness."""

    seen: list = field(factory=list)

    def score(self, instance, *, rng=None):
        scores, backward = super().score(instance)
        if rng is None:
            return scores, backward
        self.seen.append(rng.random())
        kept = rng.random(scores["weights"].shape) < 0.7
        return {"weights": scores["weights"] * kept}, lambda adjoints, gradients: backward(
            {"weights": adjoints["weights"] * kept}, gradients
        )


def task():
    model, examples = structure_task(count=24)
    weights = HashedParameter("weights", 64)
    weights.value[:] = np.random.default_rng(0).normal(size=64)
    return StructureModel(model.structure, Dropping(weights, model.scorer.features)), examples


def captured(monkeypatch, trainer, model, examples, **options):
    """The trial of a search, as it is called, and the trainer that comes out."""
    found = []
    search = rate_search.search_learning_rate

    def spy(trial, **settings):
        found.append(trial)
        return search(trial, **settings)

    monkeypatch.setattr(rate_search, "search_learning_rate", spy)
    return found, with_tuned_rate(trainer, model, examples, **options)


TRAINERS = [
    Trainer(CLL, AdaGrad(0.1), epochs=5, batch_size=7, seed=3),
    Trainer(CLL, AdaGrad(0.1, l2=0.3), epochs=5, batch_size=2),
    Trainer(CLL, SGD(0.1, l2=0.1), average=True, batch_size=3),
    Trainer([Stage(CLL, epochs=4), Stage(L2Distance())], Adam(0.1, weight_decay=0.2), average=True, average_after=2),
]


@pytest.mark.parametrize("trainer", TRAINERS, ids=str)
@pytest.mark.parametrize("rate", [0.05, 0.8])
def test_a_trial_is_an_epoch_of_the_training(trainer, rate, monkeypatch):
    model, examples = task()
    (trial,), _ = captured(monkeypatch, trainer, model, examples, sample=24)
    model.scorer.seen.clear()
    before = bytes_of(model.parameters())
    loss = trial(rate)
    drawn = list(model.scorer.seen)
    assert bytes_of(model.parameters()) == before
    assert trial(rate) == loss
    one = evolve(trainer, stages=CLL, epochs=1, average_after=0, update=trainer.update.at_rate(rate))
    model.scorer.seen.clear()
    # The same examples in the order of the sample.
    order = np.random.default_rng([trainer.seed, 2]).permutation(24)
    one.fit(model, [examples[number] for number in order])
    assert model.scorer.seen == drawn
    assert len(drawn) == 24
    assert loss == pytest.approx(mean_loss(model, examples), abs=1e-12)


def test_every_setting_matters(monkeypatch):
    """Batch size, ℓ2, averaging and what is left out each change what a trial says."""
    base = Trainer(CLL, AdaGrad(0.1, l2=0.01), batch_size=2)
    losses = []
    for trainer in (
        base, evolve(base, batch_size=12), evolve(base, update=AdaGrad(0.1, l2=0.5)), evolve(base, average=True),
        evolve(base, seed=1),
    ):  # fmt: skip
        model, examples = task()
        (trial,), _ = captured(monkeypatch, trainer, model, examples)
        losses.append(trial(0.5))
    model, examples = task()
    plain = StructureModel(model.structure, FeatureScorer(model.scorer.weights, model.scorer.features))
    (trial,), _ = captured(monkeypatch, base, plain, examples)
    losses.append(trial(0.5))
    assert len({round(loss, 9) for loss in losses}) == 6


def test_the_rate_is_used_and_nothing_else_changes():
    model, examples = task()
    before = bytes_of(model.parameters())
    trainer = Trainer([L2Distance(), AnnealedRisk()], AdaGrad(1e-6, l2=0.01, delta=0.5), epochs=3, patience=2)
    tuned = with_tuned_rate(trainer, model, examples, sample=12)
    assert bytes_of(model.parameters()) == before
    rate = tuned.update.learning_rate.rate
    assert rate > 0.01
    assert (tuned.update.l2, tuned.update.delta, tuned.stages, tuned.patience) == (0.01, 0.5, trainer.stages, 2)
    same = with_tuned_rate(trainer, model, examples, sample=12)
    assert same.update.learning_rate.rate == rate


def test_only_what_is_learned_moves():
    model, examples = structure_task(count=10)
    other = Parameter("other", [1.0])
    with pytest.warns(LearningRateWarning):  # no rate helps
        with_tuned_rate(Trainer(CLL, SGD(0.1)), model, examples, parameters=[other])
    assert not model.scorer.weights.value.any()
    assert other.value.tolist() == [1.0]


def test_rates_that_diverge_are_passed_over():
    model, examples = structure_task(count=10)
    with pytest.warns(LearningRateWarning):  # all are far too high
        tuned = with_tuned_rate(Trainer(CLL, SGD(1.0)), model, examples, start=1e42)
    assert 0 < tuned.update.learning_rate.rate < 1e40
    assert not model.scorer.weights.value.any()


def test_functions_that_make_examples():
    model, examples = structure_task(count=10)
    made = [lambda item=item: item for item in examples]
    chosen = [with_tuned_rate(Trainer(CLL, AdaGrad(0.1)), model, given) for given in (examples, made)]
    assert chosen[0].update.learning_rate == chosen[1].update.learning_rate
    assert isinstance(model.structure([0, 1]), LinearChain)
