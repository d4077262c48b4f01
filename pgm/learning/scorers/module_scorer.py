"""Scores that a module of `autodiff` computes: a table of parameters, a circuit, a neural network."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import field, frozen

from autodiff import Adjoints, Circuit, Module, Parameter
from autodiff.array_types import Floats
from autodiff.errors import ModuleError
from pgm.learning.instance import Instance, Scores
from pgm.learning.scorer import Gradients, Scorer, ScoresBackward

if TYPE_CHECKING:
    from pgm.learning.structured_model import StructuredModel

__all__ = ["ModuleScorer"]


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
        if len(given) != len(self.kinds):
            raise ModuleError(
                f"ModuleScorer: {self.module!r} has {len(given)} outputs for {len(self.kinds)} kinds of parts"
            )
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

    @classmethod
    def examples(cls, rng: np.random.Generator) -> "Iterable[tuple[StructuredModel, Any]]":
        """Yield a network whose circuit has parameters, and a module that takes them as inputs."""
        from autodiff.modules import Gather, Linear, Tanh
        from hypergraph.structures import LinearChain, ProjectiveTrees
        from pgm.learning.structure_model import StructureModel

        network = Circuit("network")
        hidden, bias = network.parameter("hidden", rng.normal(size=(2, 3))), network.parameter("bias", np.zeros(3))
        layer = network.add(Tanh(), network.add(Linear(), network.input("features"), hidden, bias))
        network.output(network.add(Linear(), layer, network.parameter("out", rng.normal(size=(3, 1)))))
        features = rng.normal(size=(9, 2))
        yield StructureModel(lambda n: ProjectiveTrees(n), cls(network, lambda _: (features,))), (2, [-1, 0, 1])
        table = Parameter("table", rng.normal(size=6))
        gather = cls(Gather(), lambda instance: (table, np.array([0, 1, 2, 0, 1, 2, 3, 4])))
        yield StructureModel(lambda words: LinearChain(len(words), 2), gather), (["a", "b"], [0, 1])
