"""What a backward pass through a circuit returns."""

from collections.abc import Iterable

from autodiff.arrays import Adjoint

__all__ = ["Adjoints"]


class Adjoints(tuple[Adjoint | None, ...]):
    """The adjoints of a circuit's inputs, a tuple, and with them the gradients of its parameters.

    Attributes
    ----------
    gradients : the adjoint of every parameter by name, zeros where nothing flows back

    Examples
    --------
    >>> import numpy as np
    >>> adjoints = Adjoints([np.ones(2), None], {"weights": np.zeros(3)})
    >>> of_x, of_labels = adjoints
    >>> adjoints.gradients
    {'weights': array([0., 0., 0.])}
    """

    gradients: dict[str, Adjoint]

    def __new__(cls, adjoints: Iterable[Adjoint | None], gradients: dict[str, Adjoint]) -> "Adjoints":
        """Join the adjoints of the inputs, in their order, and the gradients by name."""
        made = super().__new__(cls, adjoints)
        made.gradients = gradients
        return made

    def __getnewargs__(self) -> tuple[tuple[Adjoint | None, ...], dict[str, Adjoint]]:
        return tuple(self), self.gradients  # for copies and pickles
