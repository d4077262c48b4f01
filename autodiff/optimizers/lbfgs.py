"""Batch optimisation by L-BFGS, through scipy."""

from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any

import numpy as np
from attrs import define, frozen
from numpy.typing import NDArray

from autodiff.conversion import as_count
from autodiff.optimizers.errors import DivergenceError, OptimizerError
from autodiff.optimizers.gradients import Gradient, check_gradients_known, check_parameters, row_gradient

__all__ = ["LBFGSResult", "minimize_lbfgs"]

Parameters = dict[str, NDArray[np.float64]]
Objective = Callable[[Parameters], tuple[float, Mapping[str, Gradient]]]


@frozen
class LBFGSResult:
    """How a run of L-BFGS ended.

    `value` is that of the objective, regulariser included, at the parameters as they are left.
    `converged` is true only if the gradient (or the decrease, where `value_tolerance` is above 0) met its
    tolerance; `message` is the reason in scipy's words; `gradient_norm` is the largest |partial derivative|
    at the end.
    """

    converged: bool
    value: float
    gradient_norm: float
    iterations: int
    evaluations: int
    message: str


def minimize_lbfgs(
    objective: Objective,
    parameters: Parameters,
    *,
    l2: float = 0.0,
    maximum_iterations: int = 500,
    gradient_tolerance: float = 1e-6,
    value_tolerance: float = 0.0,
    corrections: int = 10,
) -> LBFGSResult:
    """Minimise objective(parameters) + l2/2 ‖parameters‖² over the whole training set, updating the arrays in
    place.

    Parameters
    ----------
    objective : called with `parameters`, whose arrays it must not change; returns the value and a gradient by
        name, dense or sparse; a missing gradient is zero
    parameters : float64 arrays by name: the starting point, and afterwards the best point
    l2 : coefficient of the regulariser
    maximum_iterations : an honest end: `converged` is then False
    gradient_tolerance : stop when no partial derivative is larger
    value_tolerance : also stop when an iteration lowers the value by a smaller fraction; 0 switches it off
    corrections : pairs of vectors that approximate the Hessian

    Returns
    -------
    LBFGSResult

    Raises
    ------
    DivergenceError
        If the objective is not finite.  The parameters are then as they were before the call, as after any
        other error.

    Examples
    --------
    >>> import numpy as np
    >>> parameters = {"w": np.zeros(2)}
    >>> def objective(parameters):
    ...     difference = parameters["w"] - [1.0, 2.0]
    ...     return float(difference @ difference), {"w": 2 * difference}
    >>> result = minimize_lbfgs(objective, parameters)
    >>> result.converged, parameters["w"].round(6)
    (True, array([1., 2.]))
    """
    from scipy.optimize import minimize  # slow to import, and only needed here

    check_parameters(parameters)
    if not parameters or not any(array.size for array in parameters.values()):
        raise OptimizerError("there is nothing to minimise: parameters is empty")
    as_count(maximum_iterations, "minimize_lbfgs: maximum_iterations", OptimizerError)
    as_count(corrections, "minimize_lbfgs: corrections", OptimizerError, least=1)
    l2 = _check_number("l2", l2)
    gradient_tolerance = _check_number("gradient_tolerance", gradient_tolerance)
    value_tolerance = _check_number("value_tolerance", value_tolerance)
    start = _pack(parameters)
    if not np.isfinite(start).all():
        raise OptimizerError("minimize_lbfgs: the starting point holds NaN or an infinity; start from finite numbers")
    best = _Best(np.inf, start, start)

    def flat_objective(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        _unpack(point, parameters)
        value, gradients = objective(parameters)
        if (not isinstance(value, Real) and np.shape(value) != ()) or isinstance(value, str):
            raise OptimizerError(f"the objective returned {value!r} for its value, but it must be a number")
        value = float(value)
        if not np.isfinite(value):
            raise DivergenceError(
                f"the objective is {value} at a point with largest |parameter| {np.abs(point).max():g}: "
                "L-BFGS needs "
                "finite values; check the loss, the starting point or the scale of the data"
            )
        check_gradients_known(parameters, gradients)
        flat = _pack_gradients(parameters, gradients)
        regularised = float(value + 0.5 * l2 * float(point @ point)), flat + l2 * point
        if not np.isfinite(regularised[0]):
            raise DivergenceError(f"the objective with its regulariser (l2 = {l2:g}) is {regularised[0]}; lower l2")
        if regularised[0] < best.value:
            best.value, best.point, best.gradient = regularised[0], point.copy(), regularised[1]
        return regularised

    try:
        found: Any = minimize(
            flat_objective,
            start,
            jac=True,
            method="L-BFGS-B",
            options={
                "maxiter": maximum_iterations,
                "maxfun": 20 * maximum_iterations + 100,
                "gtol": gradient_tolerance,
                "ftol": value_tolerance,
                "maxcor": corrections,
            },
        )
    except BaseException:
        _unpack(start, parameters)
        raise
    if found.success:
        best.value, best.point, best.gradient = float(found.fun), found.x, found.jac
    # Otherwise (a failed line search, an end by iterations) scipy's value need not be that of its point.
    _unpack(best.point, parameters)
    gradient_norm = float(np.abs(best.gradient).max(initial=0.0))
    return LBFGSResult(
        converged=bool(found.success) or gradient_norm <= gradient_tolerance,
        value=best.value,
        gradient_norm=gradient_norm,
        iterations=int(found.nit),
        evaluations=int(found.nfev),
        message=str(found.message),
    )


@define(eq=False)
class _Best:
    """The lowest value so far, its point and its gradient."""

    value: float
    point: NDArray[np.float64]
    gradient: NDArray[np.float64]


def _check_number(name: str, value: Any) -> float:
    if not isinstance(value, Real) or not 0 <= float(value) < np.inf:
        raise OptimizerError(f"minimize_lbfgs: {name} is {value!r}, but must be a finite number, 0 or above")
    return float(value)


def _pack(arrays: Parameters) -> NDArray[np.float64]:
    return np.concatenate([array.ravel() for array in arrays.values()])


def _unpack(flat: NDArray[np.float64], parameters: Parameters) -> None:
    offset = 0
    for array in parameters.values():
        array[...] = flat[offset : offset + array.size].reshape(array.shape)
        offset += array.size


def _pack_gradients(parameters: Parameters, gradients: Mapping[str, Gradient]) -> NDArray[np.float64]:
    dense: Parameters = {}
    for name, parameter in parameters.items():
        gradient = row_gradient(name, parameter.shape, gradients.get(name))
        dense[name] = np.zeros(parameter.shape)
        dense[name].reshape(-1, *parameter.shape[1:])[gradient.rows] = gradient.values
    return _pack(dense)
