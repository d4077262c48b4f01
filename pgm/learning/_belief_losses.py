"""What losses on the beliefs of variables share: beliefs, and the way back from them to the log-potentials."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pgm.belief_propagation import BeliefPropagation
from pgm.learning._log_partitions import by_family, soft_potentials, unrolled
from pgm.learning.example import Example

Floats = NDArray[np.float64]


def beliefs_of(
    inference: BeliefPropagation, example: Example
) -> tuple[Floats, Callable[[Floats], list[Floats | None]]]:
    """Return the beliefs of all variables in one array, and a function from their adjoint to those of the families."""
    module = unrolled(inference, example.graph, example.observed)
    (beliefs, *others), module_backward = module.forward(*soft_potentials(example.graph))

    def backward(adjoint: Floats) -> list[Floats | None]:
        return by_family(example.graph, module_backward(adjoint, *[None] * len(others)))

    return beliefs, backward
