"""Training: mini-batches of sentences, AdaGrad on hashed weights, early stopping on the development score."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from attrs import asdict, field, frozen
from attrs.validators import instance_of
from numpy.typing import NDArray

from autodiff import HashedParameter, SparseAdjoint
from autodiff.optimizers import AdaGrad, GradientBuffer, choose_learning_rate
from autodiff.validators import number, one_of, plain, whole
from hypergraph.errors import HypergraphError
from nlp.conll import Sentence
from nlp.deps.decoding import best_tree
from nlp.deps.errors import ParserError
from nlp.deps.objectives import OBJECTIVES, loss_and_adjoints
from nlp.deps.parts import Parts
from nlp.deps.scorer import Scorer
from nlp.deps.settings import ModelSettings
from nlp.features import EncodedSentence
from pgm.errors import PgmError

__all__ = ["Epoch", "Example", "Training", "TrainingSettings"]

Floats = NDArray[np.float64]


def _as_rate(given: Any) -> float | None:
    return None if given == "auto" else given


def _known_objective(settings: Any, attribute: Any, given: str) -> None:
    one_of(*OBJECTIVES, "l2+risk")(settings, attribute, given)


@frozen(kw_only=True)
class TrainingSettings:
    """How a model is trained.

    Attributes
    ----------
    objective : "cll", "l2", "risk", or "l2+risk" (half the epochs each; Gormley et al. 2015, layer-wise)
    epochs : at most so many; the weights of the one with the best development score are kept
    patience : stop after so many epochs without a better one
    batch_size : sentences in a step
    learning_rate : "auto" or None to choose it on a sample of the training data, by the loss there
    l2 : the coefficient of ℓ2 regularisation, of the sum of the losses of all sentences (eq. 8, λ)
    forgetting : in training, a word that occurs c times in it is taken for an unknown one with probability
        forgetting / (forgetting + c), anew each time, so that the features of tags learn to do without it; 0 for never
    delta : AdaGrad's δ; weights whose gradients so far are small beside it take steps as small as these
    average : whether the mean of the weights of many steps is used, instead of the last ones
    average_after : the mean begins anew after so many epochs, since the first weights are no good
    hot, cold : temperatures between which the risk objective is annealed
    seed : of the order of sentences
    """

    objective: str = field(default="l2", validator=_known_objective)
    epochs: int = field(default=10, converter=plain, validator=whole(1))
    patience: int = field(default=3, converter=plain, validator=whole(1))
    batch_size: int = field(default=8, converter=plain, validator=whole(1))
    # The more features a part has, the further a step takes its score: with the default templates 0.02 is too much.
    learning_rate: float | None = field(default=0.01, converter=_as_rate)
    l2: float = field(default=0.1, converter=plain, validator=number(least=0))
    forgetting: float = field(default=1.0, converter=plain, validator=number(least=0))
    # With δ = 0.1 first-order EWT ends half a point lower; with 0.001 "risk" fits training data better, not new data.
    delta: float = field(default=1.0, converter=plain, validator=number(above=0))
    average: bool = field(default=True, validator=instance_of(bool))
    average_after: int = field(default=2, converter=plain, validator=whole(0))
    hot: float = field(default=0.1, converter=plain, validator=number(above=0))
    cold: float = field(default=0.0001, converter=plain, validator=number(above=0))
    seed: int = field(default=0, converter=plain, validator=whole(0))

    @learning_rate.validator
    def _check_rate(self, _: Any, rate: float | None) -> None:
        if rate is not None and not (isinstance(rate, int | float) and 0 < rate < np.inf):
            raise ValueError(f'the learning rate is a number above 0, or "auto" to choose one; not {rate!r}')

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for a file."""
        return asdict(self)


@frozen(eq=False)
class Example:
    """A training sentence: its features, candidate arcs, and the gold tree as far as the candidates go."""

    sentence: Sentence = field(repr=False)
    parts: Parts = field()
    gold: NDArray[np.int64] = field(repr=False)

    @classmethod
    def of(cls, sentence: Sentence, parts: Parts, settings: ModelSettings, objective: str) -> "Example":
        """Take the gold heads; for likelihood, the tree of candidate arcs (of the model's kind) nearest to them."""
        gold = np.concatenate([[-1], np.asarray(sentence.heads, dtype=np.int64)])
        if objective == "cll":
            gold = best_tree(parts, settings, parts.indicator(gold))
        return cls(sentence, parts, gold)


@frozen
class Epoch:
    """What an epoch came to."""

    number: int
    objective: str
    loss: float
    dev_score: float | None
    seconds: float = 0.0


class Training:
    """The state of a training run, one epoch at a time.

    Parameters
    ----------
    scorer, model, settings : what is trained, and how
    examples : of all training sentences
    """

    def __init__(
        self, scorer: Scorer, model: ModelSettings, settings: TrainingSettings, examples: Sequence[Example], rate: float
    ) -> None:
        self.scorer, self.model, self.settings, self.examples = scorer, model, settings, examples
        per_step = settings.l2 * settings.batch_size / max(len(examples), 1)
        if not per_step < np.inf:
            raise ParserError(f"l2 is {settings.l2:g}: too large for weights to be anything but 0; use a smaller one")
        self.parameter = HashedParameter("weights", scorer.slots)
        optimizer = AdaGrad(rate, l2=per_step, delta=settings.delta)
        self.store = optimizer.store({"weights": self.parameter}, average=settings.average)
        self.epoch = 0

    @property
    def objective(self) -> str:
        """The objective of the epoch that comes next."""
        if self.settings.objective == "l2+risk":
            return "l2" if 2 * self.epoch < self.settings.epochs else "risk"
        return self.settings.objective

    def run_epoch(self, progress: Callable[[int, str], None] | None = None) -> float:
        """Go through all examples in a new order; return the mean loss of a sentence.

        `progress` is told of each batch: how many sentences, and the loss so far.
        """
        objective, total, done = self.objective, 0.0, 0
        buffer = self.store.buffer("weights")
        rng = np.random.default_rng([self.settings.seed, self.epoch, 1])
        if self.settings.average and self.epoch == self.settings.average_after:
            self.store.restart_average()
        for batch in self._batches():
            for position in batch:
                temperature = self._temperature(done / len(self.examples))
                example = self.examples[position]
                encoded = self.scorer.encode(example.sentence, forgetting=self.settings.forgetting, rng=rng)
                loss = _add_gradient(
                    example, self.scorer, self.model, objective, temperature, self.parameter.read(), buffer,
                    encoded=encoded,
                )  # fmt: skip
                total += loss
                done += 1
            self.store.step()
            if progress is not None:
                progress(len(batch), f"loss {total / done:.3f}")
        self.epoch += 1
        return total / max(done, 1)

    def weights(self) -> Floats:
        """Return the weights to parse with now."""
        if self.settings.average:
            weights = self.store.averaged()["weights"]
        else:
            self.store.finish()
            weights = self.parameter.read().copy()
        largest = max(weights.max(initial=0.0), -weights.min(initial=0.0))
        if not largest <= _LARGEST_WEIGHT:  # NaN is not
            raise _diverged(f"a weight is {largest:g}")
        return weights

    def _batches(self) -> Iterator[NDArray[np.int64]]:
        order = np.random.default_rng([self.settings.seed, self.epoch]).permutation(len(self.examples))
        for first in range(0, len(order), self.settings.batch_size):
            yield order[first : first + self.settings.batch_size]

    def _temperature(self, share: float) -> float:
        risk_epochs = self.settings.epochs if self.settings.objective == "risk" else (self.settings.epochs + 1) // 2
        before = self.settings.epochs - risk_epochs
        done = min(max((self.epoch - before + share) / max(risk_epochs, 1), 0.0), 1.0)
        return self.settings.hot + done * (self.settings.cold - self.settings.hot)


def _add_gradient(
    example: Example,
    scorer: Scorer,
    model: ModelSettings,
    objective: str,
    temperature: float,
    weights: Floats,
    buffer: GradientBuffer,
    *,
    encoded: EncodedSentence | None = None,
) -> float:
    prepared = scorer.prepare(encoded or example.sentence)
    scores = scorer.scores(prepared, example.parts, weights)
    try:
        loss, adjoints = loss_and_adjoints(
            objective, example.parts, model, scores, example.gold, temperature=temperature
        )
    except (PgmError, HypergraphError):  # inference takes neither NaN nor huge scores: say where they come from
        for kind, values in scores.items():
            wrong = values[~(np.abs(values) < _LARGEST_SCORE)]
            if wrong.size:
                raise _diverged(f"a score of kind {kind!r} is {wrong[0]:g}") from None
        raise
    if not np.isfinite(loss):
        raise _diverged(f"the loss of a sentence is {loss:g}")
    scorer.accumulate(prepared, example.parts, adjoints, buffer, smallest=_NEGLIGIBLE)
    return loss


def _diverged(what: str) -> ParserError:
    return ParserError(f"training diverges: {what}; use a lower learning rate, smaller batches or a larger delta")


_LARGEST_SCORE = 1e100
"""Inference takes no larger ones."""

_LARGEST_WEIGHT = float(np.finfo(np.float32).max)
"""Weights are saved in single precision."""

_NEGLIGIBLE = 1e-7
"""Parts whose adjoint is smaller leave no trace in the weights, and most parts of a trained model are such."""


def choose_rate(
    scorer: Scorer, model: ModelSettings, settings: TrainingSettings, examples: Sequence[Example], *, sample: int = 200
) -> float:
    """Return the learning rate with the least loss on a sample of the training data (Gormley et al. 2015, §7.1)."""
    objective: str = "l2" if settings.objective == "l2+risk" else settings.objective
    buffer = GradientBuffer(scorer.slots)

    def loss(parameters: Any, batch: Any) -> tuple[float, dict[str, SparseAdjoint]]:
        total = sum(
            _add_gradient(example, scorer, model, objective, settings.hot, parameters["weights"], buffer)
            for example in batch
        )
        indices, values = buffer.take()
        return total, {"weights": SparseAdjoint(indices, values, (scorer.slots,))}

    choice = choose_learning_rate(
        lambda rate: AdaGrad(rate, delta=settings.delta),
        loss,
        {"weights": np.zeros(scorer.slots)},
        list(examples),
        start=0.1,
        sample_size=min(sample, len(examples)),
        seed=settings.seed,
    )
    return float(choice.rate)


def timed() -> Callable[[], float]:
    """Return a function that says how many seconds have passed."""
    started = time.perf_counter()
    return lambda: time.perf_counter() - started
