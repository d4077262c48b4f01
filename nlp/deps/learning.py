"""How a dependency model is trained: settings, and the trainer that they make."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import frozen
from attrs.validators import instance_of

from autodiff.named import setting
from autodiff.optimizers import AdaGrad, Optimizer
from autodiff.validators import number, plain, whole
from nlp.deps.errors import ParserError
from pgm.learning import ConditionalLogLikelihood, Objective, Stage, Trainer

__all__ = ["LearningSettings"]

_PRUNER_RATE = 0.3


def _as_rate(given: Any) -> Any:
    if given == "auto":
        return None
    try:
        return float(given) if isinstance(given, str) else plain(given)
    except ValueError:
        return given


@frozen(kw_only=True)
class LearningSettings:
    """How a model is trained.

    Attributes
    ----------
    epochs : at most this many, shared evenly by the stages; the weights with the best development score are kept
    patience : a stage ends after this many epochs without a better score
    batch_size : sentences in a step
    learning_rate : "auto" or None to choose it on a sample of the training data, by the loss there
    regularization : λ, the coefficient of ℓ2 regularisation of the sum of the losses of all sentences (Gormley et al.
        2015, eq. 8)
    average : whether the mean of the weights of many steps is used, instead of the last ones
    average_after : the mean begins anew after this many epochs, since the first weights are no good
    graph_memory : megabytes of factor graphs of sentences that are kept from one epoch to the next; the others are
        built anew each time, which changes nothing else
    seed : of the order of sentences
    """

    epochs: int = setting(default=10, converter=plain, validator=whole(1), help="At most this many.")
    patience: int = setting(default=3, converter=plain, validator=whole(1), help="Epochs without a better score.")
    batch_size: int = setting(default=8, converter=plain, validator=whole(1), help="Sentences in a step.")
    # The more features a part has, the further a step takes its score: with the default templates 0.02 is too much.
    learning_rate: float | None = setting(
        default=0.01, converter=_as_rate, help='A number, or "auto": chosen on a sample of the training data.'
    )
    regularization: float = setting(
        default=0.1, converter=plain, validator=number(least=0), help="Coefficient λ of ℓ2 regularisation."
    )
    average: bool = setting(
        default=True, validator=instance_of(bool), help="Parse with the mean of the weights of many steps."
    )
    average_after: int = setting(
        default=2, converter=plain, validator=whole(0), help="Begin the mean anew after this many epochs."
    )
    graph_memory: float = setting(
        default=1000.0,
        converter=plain,
        validator=number(least=0),
        help="Megabytes of factor graphs to keep from one epoch to the next.",
    )
    seed: int = setting(default=0, converter=plain, validator=whole(0), help="Of the order of sentences.")

    @learning_rate.validator
    def _check_rate(self, _: Any, rate: Any) -> None:
        if rate is not None and not (isinstance(rate, int | float) and 0 < rate < np.inf):
            raise ValueError(f'learning_rate is a number above 0, or "auto" to choose one; not {rate!r}')

    def trainer(self, objectives: Sequence[Objective], update: Optimizer, examples: int) -> Trainer:
        """Return what trains a model on this many examples."""
        share = -(-self.epochs // len(objectives))
        return Trainer(
            [Stage(objective, epochs=share) for objective in objectives],
            update.regularized(self._per_step(examples)).at_rate(self.learning_rate or 0.1),
            epochs=share, batch_size=self.batch_size, patience=self.patience, average=self.average,
            average_after=self.average_after, seed=self.seed,
        )  # fmt: skip

    def pruner_trainer(self, epochs: int, examples: int) -> Trainer:
        """Return what trains the pruning model: by exact likelihood."""
        update = AdaGrad(_PRUNER_RATE, l2=self._per_step(examples), delta=0.125)
        return Trainer(
            ConditionalLogLikelihood(), update, epochs=epochs, batch_size=8, average=True, seed=self.seed
        )  # fmt: skip

    def _per_step(self, examples: int) -> float:
        per_step = self.regularization / max(examples, 1)
        if not per_step < 1e300:
            raise ParserError(
                f"regularization is {self.regularization:g}: too large for weights to be anything but 0; "
                f"use a smaller one"
            )
        return per_step
