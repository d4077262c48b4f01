"""The gradient check that is shipped for users' own modules."""

from numbers import Real
from typing import Any

import numpy as np

from autodiff.arrays import Array
from autodiff.conversion import as_count, as_generator
from autodiff.errors import DomainError, GradientCheckError
from autodiff.finite_differences import Direction, difference, element_directions, random_direction
from autodiff.gradient_comparison import DerivativeComparison, Probe
from autodiff.gradient_report import GradientReport, Place, subscript
from autodiff.gradient_subject import Pass, Subject, same_bits
from autodiff.module import Module

__all__ = ["check_gradients"]

# Random output adjoints and random directions drawn where there are too many elements to try each.
_DRAWS = 4
# How far, relatively, the second point of the check lies from the first: a stale cache then shows well above
# 1e-6.
_DISTANCE = 1e-3


def check_gradients(
    module: Module,
    *inputs: Any,
    tolerance: float = 1e-6,
    step: float = 1e-4,
    seed: int | np.random.Generator = 0,
    max_full: int = 100,
) -> GradientReport:
    """Compare a module's backward pass with finite differences of its forward pass, in float64.

    Every float input is differentiated by, and every parameter if the module is a circuit.  Inputs of up to
    `max_full` elements are tried element by element, larger ones in random directions; likewise outputs (all
    outputs together) have each element's derivatives checked, or random combinations of elements.  An error
    found in a random direction is traced to the element at fault.

    The difference quotient is central and of fourth order: with `h = step * sqrt(max(1, |x|))`,
    `(8 (f(x + h) - f(x - h)) - (f(x + 2h) - f(x - 2h))) / 12h`.  The error of a derivative is
    `|analytic - numeric| / max(1, |analytic|, |numeric|)`.

    An input element that is -inf is not moved, and its adjoint must be exactly 0; an output that is -inf is
    given adjoint 0.  The check also finds a module that keeps state from one pass to another, changes what it
    was given or has returned, gives different answers to the same question, returns None where the
    derivative is not zero, or adjoints of the wrong number or shape.

    Parameters
    ----------
    module : the module to check
    inputs : arguments of its `forward`; integers, and what is no array, are passed on untouched
    tolerance : largest error that passes
    step : relative size of the step; choose a smaller one near a kink or the border of the domain
    seed : seed or generator of the random directions
    max_full : largest number of elements of which each is tried

    Returns
    -------
    GradientReport
        Its `passed` is the verdict, its text says where the worst error is; see also `raise_if_failed`.

    Examples
    --------
    >>> from autodiff.modules import Tanh
    >>> report = check_gradients(Tanh(), np.array([0.5, -1.0]))
    >>> report.passed, report.comparisons
    (True, 10)
    """
    for name, value in {"tolerance": tolerance, "step": step}.items():
        if not isinstance(value, Real) or not 0 < value < np.inf:
            raise DomainError(f"check_gradients: {name} is {value!r}, but must be a finite number above 0")
    as_count(max_full, "check_gradients: max_full")
    subject = Subject(module, inputs)
    check = _Check(subject, float(step), as_generator(seed, "check_gradients: seed"), max_full)
    try:
        combination, gradients = check.at(subject.start)
        # A cache filled at the first point is wrong at a second one.
        check.at([check.elsewhere(values) for values in subject.start], full=False)
        # Now, because the next pass would write into a buffer that is used again what stood there at first.
        subject.review()
        if not same_bits(gradients, subject.run(subject.start).backward(combination.adjoints)):
            subject.complain("the same inputs give other adjoints after a pass on different inputs (stale state?)")
        check.locate(tolerance)
    except GradientCheckError as breach:
        subject.complain(str(breach))
    finally:
        subject.restore()
    return check.report(repr(module), tolerance)


class _Check:
    """The comparisons made so far, of which the worst is kept."""

    def __init__(self, subject: Subject, step: float, rng: np.random.Generator, max_full: int) -> None:
        self.subject = subject
        self.step = step
        self.rng = rng
        self.max_full = max_full
        self.count = 0
        self.worst: DerivativeComparison | None = None

    def at(self, point: list[Array], *, full: bool = True) -> tuple[Probe, list[Array]]:
        """Compare derivatives at a point; return a random combination of the outputs and its gradients."""
        run = self.subject.run(point)
        if not point or not run.outputs:
            raise GradientCheckError("nothing to compare: no input (or no output) is a float or an array of floats")
        combination = self._combination(run.outputs)
        probes = [combination, *(self._more_probes(run) if full else ())]
        gradients = [run.backward(probe.adjoints) for probe in probes]
        self._repeat(point, combination, run, gradients[0])
        for gradient in gradients:
            self._check_impossible(point, gradient)
        for which, values in enumerate(point):
            for direction in self._directions(values, full):
                slopes = difference(self.subject.forward, point, which, direction)
                for probe, gradient in zip(probes, gradients, strict=True):
                    comparison = self._compare(point, which, direction, probe, gradient[which], slopes)
                    self.count += 1
                    if self.worst is None or comparison.error > self.worst.error:
                        self.worst = comparison
        if not same_bits(gradients[0], run.backward(combination.adjoints)):
            self.subject.complain("after later forward passes, backward gives other adjoints (state on the module?)")
        return combination, gradients[0]

    def elsewhere(self, values: Array) -> Array:
        """Return a point close by, with -inf where it was."""
        return random_direction(values, _DISTANCE, self.rng).move(values, self.rng.uniform(0.5, 1.0))

    def locate(self, tolerance: float) -> None:
        """Halve the random direction of the worst error until one element is left."""
        while self.worst is not None and self.worst.error > tolerance and self.worst.direction.index is None:
            worst = self.worst
            halves = []
            for direction in worst.direction.halves():
                slopes = difference(self.subject.forward, worst.point, worst.which, direction)
                halves.append(self._compare(worst.point, worst.which, direction, worst.probe, worst.gradient, slopes))
            self.worst = max(halves, key=lambda half: half.error)
            if self.worst.error <= tolerance:
                # Small errors that only add up to a large one: there is no element to blame.
                self.worst = worst
                return

    def report(self, module: str, tolerance: float) -> GradientReport:
        """Return what was found."""
        problems = tuple(self.subject.problems)
        if self.worst is None:
            return GradientReport(module, tolerance, comparisons=self.count, problems=problems)
        worst = self.worst
        place = Place(self.subject.names[worst.which], worst.direction.index, worst.probe.label)
        return GradientReport(
            module,
            tolerance,
            worst.error,
            place,
            worst.analytic,
            worst.numeric,
            comparisons=self.count,
            problems=problems,
        )

    def _combination(self, outputs: list[Array]) -> Probe:
        adjoints = [np.where(np.isfinite(output), self.rng.normal(size=output.shape), 0.0) for output in outputs]
        return Probe("a random combination of the outputs", list(adjoints))

    def _more_probes(self, run: Pass) -> list[Probe]:
        outputs = run.outputs
        if sum(output.size for output in outputs) > self.max_full:
            return [self._combination(outputs) for _ in range(_DRAWS)]
        probes = []
        for which, output in enumerate(outputs):
            for direction in element_directions(output, self.step):
                adjoints: list[Array | None] = [None] * len(outputs)
                adjoints[which] = direction.vector
                probes.append(Probe(f"{run.output_names[which]}{subscript(direction.index)}", adjoints))
        return probes

    @staticmethod
    def _compare(
        point: list[Array],
        which: int,
        direction: Direction,
        probe: Probe,
        gradient: Array,
        slopes: list[Array],
    ) -> DerivativeComparison:
        moving = direction.vector != 0
        analytic = float(np.sum(gradient[moving] * direction.vector[moving]))
        return DerivativeComparison(point, which, direction, probe, gradient, analytic, probe.along(slopes))

    def _directions(self, values: Array, full: bool) -> list[Direction]:
        if full and values.size <= self.max_full:
            return list(element_directions(values, self.step))
        if not np.isfinite(values).any():
            return []
        return [random_direction(values, self.step, self.rng) for _ in range(_DRAWS)]

    def _repeat(self, point: list[Array], probe: Probe, run: Pass, gradients: list[Array]) -> None:
        if not same_bits(gradients, run.backward(probe.adjoints)):
            self.subject.complain("a second backward pass after the same forward pass gives other adjoints")
        again = self.subject.run(point)
        if not same_bits(run.outputs, again.outputs):
            self.subject.complain("the same inputs give other outputs the second time")
        if not same_bits(gradients, again.backward(probe.adjoints)):
            self.subject.complain("the same inputs give other adjoints the second time")

    def _check_impossible(self, point: list[Array], gradients: list[Array]) -> None:
        for name, values, gradient in zip(self.subject.names, point, gradients, strict=True):
            wrong = np.argwhere(~np.isfinite(values) & (gradient != 0))
            if len(wrong):
                index = tuple(int(i) for i in wrong[0])
                self.subject.complain(
                    f"{name}{subscript(index)} is {values[index]}; its adjoint is {gradient[index]}, not 0"
                )
