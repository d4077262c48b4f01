"""The command `tacana infer`: inference in a model file, answered in the formats of the UAI competitions."""

import math
import time
from collections.abc import Mapping
from math import isinf
from pathlib import Path
from typing import Any

import click

from pgm.belief_propagation import BeliefPropagation
from pgm.errors import PgmError
from pgm.exact.junction_tree import JunctionTree
from pgm.graph import FactorGraph
from pgm.schedules import BY_NAME

__all__ = ["infer"]

_BP = BeliefPropagation()  # whose defaults are the shell's as well
_GIB = 2**30
_TASKS = {"bp": ("MAR", "PR"), "bp-max": ("MAP",), "junction": ("MAR", "PR", "MAP"), "brute": ("MAR", "PR", "MAP")}


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.option("--evidence", type=click.Path(path_type=Path), help="Observed states: n variable state variable state …")
@click.option("--method", type=click.Choice(list(_TASKS)), help="How; bp by default, and bp-max for MAP.")
@click.option("--task", type=click.Choice(["MAR", "PR", "MAP"]), default="MAR", show_default=True, help="What to find.")
@click.option("--iterations", type=click.IntRange(1), default=_BP.iterations, show_default=True, help="Of bp, at most.")
@click.option(
    "--tolerance",
    type=click.FloatRange(0.0),
    default=_BP.tolerance,
    show_default=True,
    help="At which bp stops.",
)
@click.option(
    "--damping",
    type=click.FloatRange(0.0, 1.0, max_open=True),
    default=_BP.damping,
    show_default=True,
    help="Of bp.",
)
@click.option(
    "--budget",
    type=click.FloatRange(0.0),
    default=JunctionTree().budget / _GIB,
    show_default=True,
    help="GiB that junction may use.",
)
@click.option(
    "--schedule",
    type=click.Choice(list(BY_NAME)),
    default=next(name for name, schedule in BY_NAME.items() if schedule == _BP.schedule),
    show_default=True,
    help="Order of the messages of bp.",
)
def infer(
    model: Path,
    evidence: Path | None,
    method: str | None,
    task: str,
    iterations: int,
    tolerance: float,
    damping: float,
    budget: float,
    schedule: str,
) -> None:
    """Find marginals (MAR), the partition function (PR) or the most probable assignment (MAP) of MODEL.

    MODEL is a .uai, .fg (libDAI) or .bif file, or the same with .gz.  The answer goes to standard output in UAI format
    (PR is a logarithm to base 10), a summary to standard error.
    """
    from pgm.files import read_evidence, read_model

    method = method or ("bp-max" if task == "MAP" else "bp")
    if task not in _TASKS[method]:
        able = ", ".join(name for name, tasks in _TASKS.items() if task in tasks)
        raise PgmError(f"--method {method} does not find {task}; use one of {able}")
    for name, value in (("--tolerance", tolerance), ("--damping", damping), ("--budget", budget)):
        if not math.isfinite(value):
            raise PgmError(f"{name} is a finite number, not {value}")
    started = time.perf_counter()
    try:
        graph = read_model(model)
        observed = read_evidence(evidence, graph) if evidence is not None else {}
        read = time.perf_counter()
        settings = {"iterations": iterations, "tolerance": tolerance, "damping": damping, "schedule": schedule}
        if method in ("bp", "bp-max"):
            text, report = _belief_propagation(graph, observed, task, settings)
        else:
            text, report = _exact(graph, observed, method, task, int(budget * _GIB))
    except MemoryError:
        raise PgmError(f"{model}: out of memory with --method {method}") from None
    click.echo(text, nl=False)
    degree = max((family.degree for family in graph.families), default=0)
    click.echo(
        f"{model.name}: {graph.num_variables} variables of up to {graph.cardinalities.max()} states, "
        f"{graph.num_factors} factors of up to {degree} variables, {len(observed)} observed; {method}: {report}; "
        f"{read - started:.2f} s to read, {time.perf_counter() - read:.2f} s to infer.",
        err=True,
    )


def _belief_propagation(
    graph: FactorGraph, observed: Mapping[int, int], task: str, settings: Mapping[str, Any]
) -> tuple[str, str]:
    """Return the answer and what the summary says of it."""
    from pgm.files import format_map, format_mar, format_pr

    result = BeliefPropagation(mode="max" if task == "MAP" else "sum", **settings).run(graph, evidence=observed)
    how = "converged" if result.converged else "NOT converged"
    report = f"{how} after {result.iterations} iterations, residual {result.residual:.2g}"
    if task == "MAR":
        return format_mar(result.beliefs), report
    if task == "PR":
        return format_pr(result.log_partition), f"{report}, Bethe log Z {result.log_partition:.10g}"
    assignment = result.assignment()
    score = graph.score(assignment)
    return format_map(assignment), f"{report}, log-potential {score:.10g}" + (" (impossible)" if isinf(score) else "")


def _exact(graph: FactorGraph, observed: Mapping[int, int], method: str, task: str, budget: int) -> tuple[str, str]:
    """Return the answer and what the summary says of it."""
    from pgm.exact import BruteForce
    from pgm.files import format_map, format_mar, format_pr

    solver = JunctionTree(budget=budget) if method == "junction" else BruteForce()
    report = "every assignment"
    if isinstance(solver, JunctionTree):
        report = str(solver.plan(graph, evidence=observed))
    if task == "MAP":
        best = solver.maximum(graph, evidence=observed)
        return format_map(best.assignment()), f"{report}, log-potential {best.score:.10g}"
    result = solver.run(graph, evidence=observed)
    text = format_mar(result.beliefs) if task == "MAR" else format_pr(result.log_partition)
    return text, f"{report}, log Z {result.log_partition:.10g}"
