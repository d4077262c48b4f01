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
    beliefs = module.forward(*soft_potentials(example.graph))[0]

    def backward(adjoint: Floats) -> list[Floats | None]:
        others = [None] * (module.output_count - 1)
        return by_family(example.graph, module.backward(adjoint, *others))

    return beliefs, backward
