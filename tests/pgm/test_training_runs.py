"""Training runs that end otherwise than planned, or in several stages: what is kept, and how they go on."""

import numpy as np
import pytest

from autodiff.optimizers import SGD, AdaGrad, Adam
from oracles.training_data import bytes_of, mean_loss, structure_task
from pgm.learning import (
    AnnealedRisk,
    Checkpoint,
    ConditionalLogLikelihood,
    L2Distance,
    Objective,
    Stage,
    Trainer,
    TrainingError,
)

CLL = ConditionalLogLikelihood()
TWO = [Stage(L2Distance(), epochs=3), Stage(AnnealedRisk(temperature=0.5), epochs=2)]


class Scripted:
    """A development score that was written down before, and the weights that it was asked for."""

    def __init__(self, model, scores):
        self.weights, self.scores, self.seen = model.scorer.weights, iter(scores), []

    def __call__(self):
        self.seen.append(self.weights.value.copy())
        score = next(self.scores)
        if isinstance(score, BaseException):
            raise score
        return score


class Watching(Objective):
    """Likelihood, which notes the weights that it sees."""

    def __init__(self, model):
        object.__setattr__(self, "model", model)
        object.__setattr__(self, "seen", [])

    def evaluate(self, instance, scores, *, progress=0.0):
        self.seen.append(self.model.scorer.weights.value.copy())
        return CLL.evaluate(instance, scores)


# Stages


@pytest.mark.parametrize(
    ("scores", "patience", "stages", "best"),
    [
        ([50, 90, 60, 85, 80], None, ["l2"] * 3 + ["risk"] * 2, 2),  # 90 is kept, though the second stage is worse
        ([50, 60, 90, 85, 95], None, ["l2"] * 3 + ["risk"] * 2, 5),
        ([90, 50, 40, 85], 1, ["l2"] * 2 + ["risk"], 1),  # the second always runs
        ([90, 50, 91, 92], 1, ["l2"] * 2 + ["risk"] * 2, 4),
        ([90, 90, 90, 90, 90], 2, ["l2"] * 3 + ["risk"] * 2, 1),  # the first of equals
    ],
)
@pytest.mark.parametrize("average", [False, True])
def test_the_best_of_all_stages_is_kept(scores, patience, stages, best, average):
    model, examples = structure_task()
    development = Scripted(model, scores)
    trainer = Trainer(TWO, AdaGrad(0.5), patience=patience, average=average)
    history = trainer.fit(model, examples, development=development)
    assert [epoch.stage for epoch in history.epochs] == stages
    assert history.best == best
    assert history.stopped_early == (len(stages) < 5)
    np.testing.assert_array_equal(model.scorer.weights.value, development.seen[best - 1])


def test_a_stage_starts_from_the_best_with_a_fresh_memory():
    model, examples = structure_task()
    first, second = Watching(model), Watching(model)
    development = Scripted(model, [90, 80, 70, 60])
    stages = [Stage(first, epochs=3, name="one"), Stage(second, epochs=1, name="two")]
    Trainer(stages, Adam(0.1), seed=3).fit(model, examples, development=development)
    np.testing.assert_array_equal(second.seen[0], development.seen[0])
    assert (first.seen[-1] != development.seen[0]).any()
    # One step of Adam from there is as long as its very first: nothing is remembered.
    assert abs(second.seen[1] - second.seen[0]).max() == pytest.approx(0.1, rel=1e-3)


def test_progress_is_that_of_the_stage():
    seen = {"one": [], "two": []}

    def stage(name, epochs):
        class Noting(Objective):
            def evaluate(self, instance, scores, *, progress=0.0):
                seen[name].append(progress)
                return CLL.evaluate(instance, scores)

        return Stage(Noting(), epochs=epochs, name=name)

    model, examples = structure_task(count=4)
    Trainer([stage("one", None), stage("two", 1)], SGD(0.1), epochs=2, batch_size=2).fit(model, examples)
    assert seen == {"one": [0, 0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75], "two": [0, 0, 0.5, 0.5]}


# Interrupts and errors


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError("no development data")])
def test_an_interrupt_in_development_leaves_the_best(error, average):
    model, examples = structure_task()
    development = Scripted(model, [0.5, 0.9, 0.2, error])
    with pytest.raises(type(error)):
        Trainer(CLL, AdaGrad(0.5, l2=0.01), epochs=5, average=average).fit(model, examples, development=development)
    np.testing.assert_array_equal(model.scorer.weights.value, development.seen[1])
    model, examples = structure_task()
    development = Scripted(model, [error])  # in the first epoch there is but one set of parameters
    with pytest.raises(type(error)):
        Trainer(CLL, AdaGrad(0.5, l2=0.01), average=average).fit(model, examples, development=development)
    np.testing.assert_array_equal(model.scorer.weights.value, development.seen[0])


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_error_in_an_example_leaves_the_best(error):
    class Failing(Objective):
        count = 0

        def evaluate(self, instance, scores, *, progress=0.0):
            Failing.count += 1
            if Failing.count == 2 * 20 + 7:
                raise error("now")
            return CLL.evaluate(instance, scores)

    model, examples = structure_task()
    development = Scripted(model, [0.9, 0.5])
    with pytest.raises(KeyboardInterrupt if error is KeyboardInterrupt else TrainingError, match="now"):
        Trainer(Failing(), AdaGrad(0.5), epochs=3, average=True).fit(model, examples, development=development)
    np.testing.assert_array_equal(model.scorer.weights.value, development.seen[0])


def test_an_error_while_keeping_leaves_the_best():
    model, examples = structure_task()
    kept = []

    def keep(history):
        kept.append((history.best, model.scorer.weights.value.copy()))
        if len(kept) == 2:
            raise OSError("the disk is full")

    development = Scripted(model, [0.1, 0.2, 0.3])
    with pytest.raises(OSError, match="disk"):
        Trainer(CLL, AdaGrad(0.5), epochs=3).fit(model, examples, development=development, keep=keep)
    assert [best for best, _ in kept] == [1, 2]
    for number, (_, weights) in enumerate(kept):
        np.testing.assert_array_equal(weights, development.seen[number])
    np.testing.assert_array_equal(model.scorer.weights.value, kept[1][1])


# Checkpoints


def dev(model):
    held_out = structure_task(7, 10)[1]
    return lambda: -mean_loss(model, held_out)


class Stopped(Exception):
    """What a test stops a run with."""


TRAINERS = {
    "stages": Trainer(TWO, AdaGrad(0.5, l2=0.01), batch_size=3),
    "average": Trainer(CLL, AdaGrad(0.5, l2=0.01), epochs=5, average=True, average_after=2),
    "stages, average": Trainer(TWO, SGD(0.5, l2=0.01), average=True, average_after=1, seed=4),
    "patience": Trainer([Stage(CLL, epochs=6), Stage(L2Distance(), epochs=2)], AdaGrad(30.0), patience=1),
    "adam": Trainer([CLL, L2Distance()], Adam(0.1, weight_decay=0.01), epochs=2),
}


@pytest.mark.parametrize("hashed", [True, False])
@pytest.mark.parametrize("name", TRAINERS)
def test_resuming_makes_the_same_bytes(name, hashed, tmp_path):
    trainer = TRAINERS[name]
    model, examples = structure_task(hashed=hashed)
    expected = trainer.fit(model, examples, development=dev(model))
    weights = bytes_of(model.parameters())
    for stop in range(1, len(expected.epochs)):  # also just before and just after a stage ends
        checkpoint = Checkpoint(tmp_path / f"{stop}.checkpoint", {"run": name})
        model, examples = structure_task(hashed=hashed)
        score, calls = dev(model), []

        def development(score=score, calls=calls, stop=stop):
            if len(calls) == stop:
                raise Stopped
            calls.append(1)
            return score()

        with pytest.raises(Stopped):
            trainer.fit(model, examples, development=development, checkpoint=checkpoint)
        assert checkpoint.exists
        model, examples = structure_task(hashed=hashed)  # another process
        lines = []
        history = trainer.fit(
            model, examples, development=dev(model), checkpoint=checkpoint, resume=True, report=lines.append
        )
        assert lines[0] == f"resumed after epoch {stop}"
        assert history == expected
        assert bytes_of(model.parameters()) == weights
        assert not checkpoint.exists


def test_resuming_with_the_same_model_and_several_times(tmp_path):
    """The object that was stopped goes on as well as a fresh one."""
    trainer = TRAINERS["stages, average"]
    model, examples = structure_task()
    expected = trainer.fit(model, examples, development=dev(model))
    weights = bytes_of(model.parameters())
    model, examples = structure_task()
    score, calls = dev(model), []

    def development():
        calls.append(1)
        if len(calls) % 2 == 0:
            raise KeyboardInterrupt
        return score()

    checkpoint = Checkpoint(tmp_path / "checkpoint")
    history = None
    while history is None:
        try:
            history = trainer.fit(model, examples, development=development, checkpoint=checkpoint, resume=True)
        except KeyboardInterrupt:
            continue
    assert len(calls) > len(expected.epochs)
    assert history == expected
    assert bytes_of(model.parameters()) == weights


def test_a_run_that_was_killed_at_its_very_end_keeps_what_it_has(tmp_path):
    model, examples = structure_task()
    checkpoint, kept = Checkpoint(tmp_path / "checkpoint"), []

    def keep(history):
        if history.epochs[-1].number == 2:
            raise Stopped
        kept.append(history)

    trainer = Trainer(CLL, AdaGrad(0.5), epochs=2)
    with pytest.raises(Stopped):
        trainer.fit(model, examples, development=dev(model), checkpoint=checkpoint, keep=keep)
    weights = bytes_of(model.parameters())
    model, examples = structure_task()
    history = trainer.fit(model, examples, development=dev(model), checkpoint=checkpoint, resume=True, keep=kept.append)
    assert len(history.epochs) == 2
    assert kept[-1] == history
    assert bytes_of(model.parameters()) == weights
    assert not checkpoint.exists


def written(path, description=None, **changes):
    model, examples = structure_task()
    checkpoint = Checkpoint(path, description or {})
    trainer = Trainer(TWO, AdaGrad(0.5), **changes)
    with pytest.raises(StopIteration):
        trainer.fit(model, examples, development=Scripted(model, [1.0, 2.0]), checkpoint=checkpoint)
    return checkpoint


def test_another_run_is_refused(tmp_path):
    path = tmp_path / "checkpoint"
    written(path, {"seed": 1})
    for description in ({"seed": 2}, {"seed": True}, {}):
        model, examples = structure_task()
        with pytest.raises(TrainingError, match=r"checkpoint: written by a run with other options.* --resume"):
            Trainer(TWO, AdaGrad(0.5)).fit(model, examples, checkpoint=Checkpoint(path, description), resume=True)
    others = [Trainer(TWO, AdaGrad(0.4)), Trainer(TWO, Adam(0.5)), Trainer(TWO, AdaGrad(0.5, l2=0.1))]
    others += [Trainer(TWO, AdaGrad(0.5), **{name: 3}) for name in ("batch_size", "seed", "average_after")]
    others += [Trainer(TWO[:1], AdaGrad(0.5)), Trainer([L2Distance(), AnnealedRisk(temperature=0.5)], AdaGrad(0.5))]
    others += [Trainer([TWO[0], Stage(AnnealedRisk(temperature=0.4), epochs=2)], AdaGrad(0.5))]
    for trainer, count in [(trainer, 20) for trainer in others] + [(Trainer(TWO, AdaGrad(0.5)), 19)]:
        model, examples = structure_task(count=count)
        with pytest.raises(TrainingError, match="other options or data") as caught:
            trainer.fit(model, examples, checkpoint=Checkpoint(path, {"seed": 1}), resume=True)
        assert "\n" not in str(caught.value)
        assert not model.scorer.weights.value.any()
    model, examples = structure_task()
    Trainer(TWO, AdaGrad(0.5)).fit(model, examples, checkpoint=Checkpoint(path, {"seed": 1}), resume=True)


def test_a_checkpoint_that_is_not_there(tmp_path):
    checkpoint, lines = Checkpoint(tmp_path / "checkpoint"), []
    model, examples = structure_task()
    Trainer(CLL, SGD(0.1), epochs=1).fit(model, examples, checkpoint=checkpoint, resume=True, report=lines.append)
    assert "no checkpoint" in lines[0]
    checkpoint.check(tmp_path / "model")
    (tmp_path / "model").write_text("a model")
    with pytest.raises(TrainingError, match=r"model: is there, without a checkpoint"):
        checkpoint.check(tmp_path / "model")


def test_damage_is_one_line_that_names_the_file(tmp_path):
    path = tmp_path / "checkpoint"
    checkpoint = written(path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    damaged = [whole[:-1], whole[: len(whole) // 2], whole[:8], b"", whole + b"\0"]
    for place in rng.integers(len(whole), size=150).tolist():
        damaged.append(whole[:place] + bytes([whole[place] ^ (1 << int(rng.integers(8)))]) + whole[place + 1 :])
    for content in damaged:
        path.write_bytes(content)
        model, examples = structure_task(count=2)
        with pytest.raises(TrainingError) as caught:
            Trainer(TWO, AdaGrad(0.5)).fit(model, examples, checkpoint=checkpoint, resume=True)
        assert str(caught.value).startswith(str(path))
        assert "\n" not in str(caught.value)
        assert not model.scorer.weights.value.any()
