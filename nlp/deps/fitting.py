"""Fitting the weights of a model and of its pruner."""

from collections.abc import Callable, Sequence

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from nlp.conll import Sentence
from nlp.deps.checkpoint import Checkpoint
from nlp.deps.errors import ParserError
from nlp.deps.length_bounds import LengthBounds
from nlp.deps.parts import Parts
from nlp.deps.progress import Progress
from nlp.deps.pruning import Pruner, PruningSettings
from nlp.deps.scorer import Scorer
from nlp.deps.settings import ModelSettings, first_order
from nlp.deps.training import Epoch, Example, Training, TrainingSettings, choose_rate, timed
from nlp.features import TemplateSet, Vocabulary

__all__ = ["fit_pruner", "fit_weights"]

Floats = NDArray[np.float64]

_PRUNER_RATE = 0.3


def fit_pruner(
    vocabulary: Vocabulary,
    templates: dict[str, TemplateSet],
    bits: int,
    pruning: PruningSettings,
    model: ModelSettings,
    training: TrainingSettings,
    sentences: Sequence[Sentence],
    progress: Callable[[int, str], None] | None = None,
) -> Pruner:
    """Take length bounds from sentences, and train a first-order model on them by exact likelihood."""
    bounds = LengthBounds.fit(sentences) if pruning.bounds else None
    if not pruning.model:
        return Pruner(pruning, model, bounds)
    scorer = Scorer.of_pruner(vocabulary, templates, bits)
    settings = evolve(
        training, objective="cll", average=True, average_after=0, batch_size=8, forgetting=0.0, delta=1.0
    )  # fmt: skip
    by_bounds = Pruner(pruning, model, bounds)
    simple = first_order(model)
    examples = [Example.of(s, by_bounds.candidates(s), simple, "cll") for s in sentences]
    run = Training(scorer, simple, settings, examples, _PRUNER_RATE)
    for _ in range(pruning.epochs):
        run.run_epoch(progress)
    return Pruner(pruning, model, bounds, scorer, run.weights().astype(np.float32))


def fit_weights(
    scorer: Scorer,
    model: ModelSettings,
    training: TrainingSettings,
    sentences: Sequence[Sentence],
    candidates: Sequence[Parts],
    *,
    dev_score: Callable[[Floats], float] | None,
    say: Callable[[str], None],
    progress: bool = False,
    checkpoint: Checkpoint | None = None,
    resume: bool = False,
    keep: Callable[[Floats, list[Epoch]], None] | None = None,
) -> tuple[Floats, list[Epoch]]:
    """Train, and return the weights of the best epoch (of the last one, without a development score).

    `keep` is called with the weights and the history whenever there are better ones; `checkpoint` is written after
    each epoch, and read first if `resume` is set and it is there.
    """
    examples = [
        Example.of(sentence, parts, model, training.objective)
        for sentence, parts in zip(sentences, candidates, strict=True)
    ]
    rate = training.learning_rate
    if rate is None:
        rate = choose_rate(scorer, model, training, examples)
        say(f"learning rate: {rate:g}, chosen on a sample of the training data")
    run = Training(scorer, model, training, examples, rate)
    history: list[Epoch] = []
    best: tuple[float, Floats] | None = None
    since, told_of_losses = 0, False
    if checkpoint is not None and resume and checkpoint.exists:
        best, since, history = checkpoint.restore(run)
        say(f"resumed after epoch {run.epoch}")
    elif resume:
        say("there is no checkpoint to resume from: starting anew")
    elapsed = timed()
    before = history[-1].seconds if history else 0.0
    while run.epoch < training.epochs and since < training.patience:
        objective = run.objective
        told = f"dev UAS {best[0]:.2f}" if best is not None and dev_score is not None else ""
        with Progress(f"epoch {run.epoch + 1}/{training.epochs}", len(examples), shown=progress, note=told) as bar:
            loss = run.run_epoch(bar.advance)
        if run.below and not told_of_losses:
            told_of_losses = True
            say(
                f"warning: the losses of {run.below} of {len(examples)} sentences are below 0, the smallest "
                f"{run.smallest:.4g}: the log-partition of loopy belief propagation is too small there, and training "
                f"may run off; use more iterations, a lower learning rate, or the objective l2"
            )
        weights = run.weights()
        score = None if dev_score is None else dev_score(weights)
        history.append(Epoch(run.epoch, objective, loss, score, before + elapsed()))
        told = "" if score is None else f", dev UAS {score:.2f}"
        if best is None or score is None or score > best[0] or objective != history[-2].objective:
            best, since = (score or 0.0, weights), 0
        else:
            since += 1
        # The checkpoint first: a run that is killed between the two has lost nothing, since it keeps the best weights
        # again at its end; a model without a checkpoint would be taken for the end of training.
        if checkpoint is not None:
            checkpoint.write(run, best, since, history)
        if since == 0 and keep is not None:
            keep(weights, history)
        say(f"epoch {run.epoch}: {objective} loss {loss:.4f}{told}, {before + elapsed():.0f} s")
    if best is None:
        raise ParserError("training for no epoch at all gives no weights")
    if not best[1].astype(np.float32).any():  # as they are saved
        say(f"warning: all weights are 0, and the model has learnt nothing; use a smaller l2 than {training.l2:g}")
    return best[1], history
