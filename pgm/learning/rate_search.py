"""The learning rate by trial on a sample of the training data, under the very settings that training uses."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from attrs import evolve

from autodiff import Circuit, Parameter
from autodiff.conversion import as_count
from autodiff.optimizers import search_learning_rate
from pgm.learning.errors import TrainingDivergedError, TrainingError
from pgm.learning.step import add_gradient
from pgm.learning.structured_model import StructuredModel
from pgm.learning.trainer import Trainer
from pgm.learning.training_run import TrainingRun

__all__ = ["with_tuned_rate"]


def with_tuned_rate(
    trainer: Trainer,
    model: StructuredModel,
    examples: Iterable[Any],
    *,
    parameters: Iterable[Parameter] | Mapping[str, Parameter] | Circuit | None = None,
    sample: int = 200,
    start: float = 0.1,
) -> Trainer:
    """Return the trainer with the learning rate that makes the loss on a sample smallest (Gormley et al. 2015, §7.1).

    A trial is one epoch of the trainer's first stage on the sample: with its batch size, regularisation and averaging,
    and with what its scorer leaves out at random.  ℓ2 is that of the whole data: λ / D does not change with the sample.
    The parameters are as before afterwards.

    Parameters
    ----------
    parameters : what is learned; by default all that the model has
    sample : how many examples are drawn
    start : the first rate that is tried

    Examples
    --------
    >>> from autodiff import Parameter
    >>> from autodiff.optimizers import SGD
    >>> from pgm import FactorGraph
    >>> from pgm.factors import LogLinear
    >>> from pgm.learning import ConditionalLogLikelihood, GraphModel
    >>> graph = FactorGraph()
    >>> _ = graph.add(LogLinear([graph.variable("x")], [[0.0], [1.0]], Parameter("weights", [0.0])))
    >>> trainer = Trainer(ConditionalLogLikelihood(), SGD(0.001))
    >>> with_tuned_rate(trainer, GraphModel(), [(graph, [1])] * 20).update.learning_rate.rate > 0.1
    True
    """
    items, sample = list(examples), as_count(sample, "with_tuned_rate: sample", TrainingError, least=1)
    chosen = np.random.default_rng([trainer.seed, 2]).permutation(len(items))[:sample]
    short = evolve(trainer, stages=(evolve(trainer.stages[0], epochs=1),), patience=None, average_after=0)
    instances = [model.instance(items[number]) for number in chosen.tolist()]

    objective = short.stages[0].objective

    def mean_loss() -> float:
        return float(np.mean([add_gradient(model, one, objective, None).loss for one in instances]))

    def trial(rate: float) -> float:
        run = TrainingRun(evolve(short, update=trainer.update.at_rate(rate)), model, instances, parameters)
        before = {name: parameter.read().copy() for name, parameter in run.parameters.items()}
        try:
            run.run_epoch()
            with run.store.using(run.arrays()):
                return mean_loss()
        finally:
            for name, array in before.items():
                run.parameters[name].value = array

    diverged = (TrainingDivergedError, FloatingPointError)
    choice = search_learning_rate(trial, start=start, initial_loss=mean_loss(), divergence_errors=diverged)
    return evolve(trainer, update=trainer.update.at_rate(choice.rate))
