"""Expected loss of a decoder that is made differentiable by a temperature."""

from collections.abc import Collection, Iterable

import numpy as np
from attrs import field, frozen

from autodiff.conversion import as_number
from autodiff.validators import number, plain
from pgm.belief_propagation import BeliefPropagation
from pgm.learning._belief_losses import beliefs_of
from pgm.learning.decoder import MakeDecoder
from pgm.learning.example import Example, state_starts
from pgm.learning.objective import Evaluation, Objective, sum_product
from pgm.learning.variable_decoder import VariableDecoder

__all__ = ["AnnealedRisk", "Annealing"]


@frozen
class Annealing:
    """A temperature that falls linearly from `start` to `end` in the course of training.

    The defaults are those of Gormley et al. (2015, §7.1).

    >>> Annealing()(0.0), Annealing()(1.0)
    (0.1, 0.0001)
    """

    start: float = field(default=0.1, converter=plain, validator=number(above=0))
    end: float = field(default=0.0001, converter=plain, validator=number(above=0))

    def __call__(self, progress: float) -> float:
        """Return the temperature when so much of the training is done."""
        done = as_number(progress, "Annealing: progress, the share of training that is done,", least=0, most=1)
        return (1.0 - done) * self.start + done * self.end


def _as_annealing(temperature: float | Annealing) -> Annealing:
    if isinstance(temperature, Annealing):
        return temperature
    constant = as_number(temperature, "temperature", ValueError, above=0)
    return Annealing(constant, constant)


@frozen
class AnnealedRisk(Objective):
    """Σ_i (1 - q_i(gold_i)): the expected number of errors of a soft decoder, through every iteration of inference.

    q are the marginals of the decoder's distribution at temperature T.  As T falls, the risk approaches the true loss
    of the decoder that is used at test time; but for a constant it is the negated expected recall (Gormley et al. 2015,
    eqs 10 and 11).  Start from a model that is trained by `L2Distance`: the risk is far from convex.

    Parameters
    ----------
    inference : its number of iterations, schedule and damping count; its tolerance does not
    temperature : a number, or an `Annealing`
    decoder : makes the decoder of a graph; by default each variable is decoded for itself
    recall_of : the states that count where they are gold, such as [1] for arcs that are on; by default all

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> from pgm.factors import Table
    >>> graph = FactorGraph()
    >>> table = graph.add(Table([graph.variable("x")], np.log([0.4, 0.6])))
    >>> example = Example(graph, [1])
    >>> [round(AnnealedRisk(temperature=t).evaluate(example).loss, 4) for t in (1.0, 0.1, 0.01)]
    [0.4, 0.017, 0.0]
    """

    inference: BeliefPropagation = field(default=BeliefPropagation(iterations=10), validator=sum_product)
    temperature: Annealing = field(default=Annealing(), converter=_as_annealing, kw_only=True)
    decoder: MakeDecoder = field(default=VariableDecoder, kw_only=True)
    recall_of: Collection[int] | None = field(default=None, kw_only=True)

    def evaluate(self, example: Example, *, progress: float = 0.0) -> Evaluation:
        """Return the loss and its gradient."""
        beliefs, backward = beliefs_of(self.inference, example)
        decoder = self.decoder(example.graph, self.temperature(progress))
        marginals = decoder.forward(beliefs)
        counts = (example.gold >= 0) & (example.evidence < 0)
        if self.recall_of is not None:
            counts &= np.isin(example.gold, list(self.recall_of))
        gold = (state_starts(example.graph)[:-1] + example.gold)[counts]
        adjoint = np.zeros_like(beliefs)
        adjoint[gold] = -1.0
        return Evaluation(float((1.0 - marginals[gold]).sum()), backward(decoder.backward(adjoint)[0]))

    @classmethod
    def examples(cls) -> Iterable[Objective]:
        """Yield warm temperatures, at which finite differences can follow."""
        yield cls(BeliefPropagation(iterations=2), temperature=0.5)
        yield cls(BeliefPropagation(iterations=3, schedule="serial", damping=0.3), temperature=1.0, recall_of=[1])
