"""Validators of the settings of optimisers, for attrs fields."""

from autodiff.optimizers.errors import OptimizerError
from autodiff.validators import number, whole

__all__ = ["count", "fraction", "non_negative", "positive"]

positive = number(above=0, error=OptimizerError)
non_negative = number(least=0, error=OptimizerError)
fraction = number(least=0, below=1, error=OptimizerError)
count = whole(1, error=OptimizerError)
