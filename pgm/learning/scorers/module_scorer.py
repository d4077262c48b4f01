"""Scores that a module of `autodiff` computes: a table of parameters, a circuit, a neural network."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from autodiff import Adjoints, Circuit, Module, Parameter
from pgm.learning.instance import Instance, Scores
from pgm.learning.scorer import Gradients, Scorer, ScoresBackward

__all__ = ["ModuleScorer"]

Floats = NDArray[np.float64]


@frozen(eq=False)
class ModuleScorer(Scorer):
    """Runs a module on what belongs to an instance.

    Parameters
    ----------
    module : its outputs are the scores, one for each of `kinds`; a circuit's parameters are learned
    inputs : returns the arguments of the module for an instance; those that are `Parameter`s are learned
    kinds : the names of the parts that are scored

    Examples
    --------
    >>> from autodiff.modules import Gather
    >>> from hypergraph.structures import LinearChain
    >>> from pgm.learning import StructureModel
    >>> weights = Parameter("weights", np.zeros(3 * 2 + 2 * 2))          # three words, two states
    >>> def used(instance):
    ...     words = np.asarray(instance.input)
    ...     return weights, np.concatenate([(words[:, None] * 2 + [0, 1]).ravel(), 6 + np.arange(4)])
    >>> def chain(words):
    ...     return LinearChain(len(words), 2, shared_transitions=True)
    >>> model = StructureModel(chain, ModuleScorer(Gather(), used))
    >>> round(float(np.exp(model.run([0, 2, 1]).log_partition)))
    8
    """

    module: Module = field()
    inputs: Callable[[Any], tuple[Any, ...]] = field()
    kinds: tuple[str, ...] = field(default=("weights",), converter=tuple, kw_only=True)

    def parameters(self, instances: Iterable[Instance]) -> dict[str, Parameter]:
        """Return those of the module, and those among its inputs for the first of the instances."""
        found = self.module.named_parameters() if isinstance(self.module, Circuit) else {}
        for instance in instances:
            given = (value for value in self.inputs(instance) if isinstance(value, Parameter))
            return found | {parameter.name: parameter for parameter in given}
        return found

    def score(self, instance: Instance, *, rng: np.random.Generator | None = None) -> tuple[Scores, ScoresBackward]:
        """Run the module forward."""
        inputs = self.inputs(instance)
        outputs, module_backward = self.module.forward(*(v.read() if isinstance(v, Parameter) else v for v in inputs))
        given = outputs if isinstance(outputs, tuple) else (outputs,)
        scores: Scores = dict(zip(self.kinds, given, strict=True))

        def backward(adjoints: Mapping[Any, Floats], gradients: Gradients) -> None:
            shaped = [np.reshape(adjoints[kind], np.shape(scores[kind])) for kind in self.kinds]
            found = module_backward(*shaped)
            if isinstance(found, Adjoints):
                for name, gradient in found.gradients.items():
                    gradients.add(name, gradient)
            for value, gradient in zip(inputs, found, strict=True):
                if isinstance(value, Parameter) and gradient is not None:
                    gradients.add(value.name, gradient)

        return scores, backward
