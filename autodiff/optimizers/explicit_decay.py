"""Shrinkage of all rows by (1 - η λ) a step: ℓ2 in SGD, decoupled weight decay in Adam."""

from autodiff.optimizers.errors import DivergenceError

__all__ = ["check_explicit_decay"]


def check_explicit_decay(owner: str, setting: str, rate: float, decay: float) -> None:
    """Refuse a step that would take away more than half of every weight.

    >>> check_explicit_decay("SGD", "l2", 0.1, 1.0)
    """
    if rate * decay > 0.5:
        raise DivergenceError(
            f"{owner}: learning rate × {setting} is {rate:g} × {decay:g} = {rate * decay:g}, but must be at most 0.5, "
            "or a step takes away more than half of every weight: lower one of them"
        )
