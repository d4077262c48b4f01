"""Fitting the weights of a model and of its pruner."""

from collections.abc import Callable, Sequence

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from nlp.conll import Sentence
from nlp.deps.length_bounds import LengthBounds
from nlp.deps.parts import Parts
from nlp.deps.progress import Progress
from nlp.deps.pruning import Pruner, PruningSettings, first_order
from nlp.deps.scorer import Scorer
from nlp.deps.settings import ModelSettings
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
) -> Pruner:
    """Take length bounds from sentences, and train a first-order model on them by exact likelihood."""
    bounds = LengthBounds.fit(sentences) if pruning.bounds else None
    if not pruning.model:
        return Pruner(pruning, model, bounds)
    scorer = Scorer.of_pruner(vocabulary, templates, bits)
    settings = evolve(training, objective="cll", average=True, batch_size=8)
    by_bounds = Pruner(pruning, model, bounds)
    simple = first_order(model)
    examples = [Example.of(s, by_bounds.candidates(s), simple, "cll") for s in sentences]
    run = Training(scorer, simple, settings, examples, _PRUNER_RATE)
    for _ in range(pruning.epochs):
        run.run_epoch()
    return Pruner(pruning, model, bounds, scorer, run.weights().astype(np.float32))


def fit_weights(
    scorer: Scorer,
    model: ModelSettings,
    training: TrainingSettings,
    sentences: Sequence[Sentence],
    candidates: Sequence[Parts],
    dev_score: Callable[[Floats], float] | None,
    say: Callable[[str], None],
    progress: bool,
) -> tuple[Floats, list[Epoch]]:
    """Train, and return the weights of the best epoch (of the last one, without a development score)."""
    examples = [
        Example.of(sentence, parts, model, training.objective)
        for sentence, parts in zip(sentences, candidates, strict=True)
    ]
    rate = training.learning_rate
    if rate is None:
        rate = choose_rate(scorer, model, training, examples)
        say(f"learning rate: {rate:g}, chosen on a sample")
    run = Training(scorer, model, training, examples, rate)
    history: list[Epoch] = []
    best: tuple[float, Floats] | None = None
    since = 0
    elapsed = timed()
    for number in range(1, training.epochs + 1):
        objective = run.objective
        with Progress(f"epoch {number}/{training.epochs}", len(examples), shown=progress) as bar:
            loss = run.run_epoch(bar.update)
        weights = run.weights()
        score = None if dev_score is None else dev_score(weights)
        history.append(Epoch(number, objective, loss, score, elapsed()))
        told = "" if score is None else f", dev UAS {score:.2f}"
        say(f"epoch {number}: {objective} loss {loss:.4f}{told}, {elapsed():.0f} s")
        if best is None or score is None or score > best[0]:
            best, since = (score or 0.0, weights), 0
        else:
            since += 1
            if since >= training.patience and objective == run.objective:
                break
    assert best is not None
    return best[1], history
