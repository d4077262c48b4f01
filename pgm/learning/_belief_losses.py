"""What losses on the beliefs of variables share: beliefs, and the way back from them to the log-potentials."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pgm.belief_propagation import BeliefPropagation
from pgm.learning._log_partitions import of_all, recorded
from pgm.learning.example import Example

Floats = NDArray[np.float64]


def beliefs_of(
    inference: BeliefPropagation, example: Example
) -> tuple[Floats, Callable[[Floats], list[Floats | None]]]:
    """Return the beliefs of all variables in one array, and a function from their adjoint to those of the families."""
    result = recorded(inference, example.graph, example.observed)

    def backward(adjoint: Floats) -> list[Floats | None]:
        return of_all(example.graph, result.backward(beliefs=adjoint))

    return result.flat_beliefs, backward
