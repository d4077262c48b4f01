"""Good calls of the public names of `pgm`."""

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

import fuzz.recipes_pgm_factors
import fuzz.recipes_pgm_learning  # noqa: F401 - they register theirs
from fuzz.pgm_graphs import answers, draws, pair
from fuzz.recipe import Case, exempt, recipe
from pgm import (
    BeliefPropagation,
    FactorGraph,
    FractionalBeliefPropagation,
    InferenceModule,
    MeanField,
    TreeReweighted,
    appearance_probabilities,
    check_factor,
    drawing,
    exact,
    factors,
    files,
    map,
    sampling,
    schedules,
)

exempt(
    "a record of what happened, made by the package",
    "pgm.BeliefResult",
    "pgm.MeanFieldResult",
    "pgm.exact.ExactResult",
    "pgm.exact.MapResult",
    "pgm.exact.JunctionTreePlan",
    "pgm.learning.Epoch",
    "pgm.learning.ObjectiveValue",
    "pgm.learning.History",
    "pgm.map.AnnealingResult",
    "pgm.map.LinearProgramResult",
    "pgm.sampling.GibbsResult",
    "pgm.schedules.FixedPlan",
)
exempt("made and used by the recipe of FactorGraph", "pgm.Variable", "pgm.VariableArray")


# Graphs


@recipe("pgm.FactorGraph")
def factor_graph() -> Iterable[Case]:
    def build(shape: Any, states: Any, potentials: Any, assignment: Any, evidence: Any) -> Any:
        graph = FactorGraph()
        x = graph.variables("x", shape, states)
        graph.add(factors.Table(x[[[0, 1], [1, 2]]], potentials))
        assert graph.num_variables < 1000
        beliefs = BeliefPropagation(iterations=3).run(graph, evidence={x[2]: evidence}).beliefs
        return graph.score(assignment), beliefs, x[0].state(1)

    yield Case(
        build, shape=3, states=2, potentials=draws(2, 2, 2), assignment=np.array([0, 1, 1]), evidence=1,
        _words={"evidence": ("state",)},
    )  # fmt: skip


@recipe("pgm.check_factor")
def check() -> Iterable[Case]:
    def use(potentials: Any, seed: int, tolerance: float) -> Any:
        check_factor(factors.Table(np.array([[0, 1]]), potentials), seed=seed, tolerance=tolerance)

    yield Case(use, potentials=draws(1, 2, 2), seed=0, tolerance=1e-6)


@recipe("pgm.BeliefPropagation", "pgm.schedules.Parallel", "pgm.schedules.Residual", "pgm.schedules.Serial")
def belief_propagation() -> Iterable[Case]:
    for schedule in (schedules.Parallel(), schedules.Serial(), schedules.Residual()):

        def use(potentials: Any, iterations: int, tolerance: float, damping: float, schedule: Any = schedule) -> Any:
            options = {"iterations": iterations, "tolerance": tolerance, "damping": damping, "schedule": schedule}
            return [answers(pair(potentials), **options, mode=mode)[:2] for mode in ("sum", "max")]

        yield Case(use, potentials=draws(3, 2), iterations=3, tolerance=1e-6, damping=0.1)

    def recorded(potentials: Any, of_beliefs: Any, of_entries: Any, of_log_partition: Any) -> Any:
        graph = pair()
        (family,) = graph.families
        result = BeliefPropagation(iterations=3).run(graph, potentials=[potentials], record=True)
        adjoints = {"beliefs": of_beliefs, "factor_beliefs": {family: of_entries}, "log_partition": of_log_partition}
        exactly = exact.JunctionTree().run(graph, potentials=[potentials])
        return result.backward(**adjoints)[family], exactly.backward(log_partition=of_log_partition)[family]

    yield Case(
        recorded,
        potentials=draws(1, 3, 2),
        of_beliefs=draws(5),
        of_entries=draws(1, 3, 2),
        of_log_partition=np.array(1.0),
    )


@recipe("pgm.InferenceModule")
def inference_module() -> Iterable[Case]:
    def use(potentials: Any, of_beliefs: Any, of_log_partition: Any, iterations: int, damping: float) -> Any:
        module = InferenceModule(pair(), BeliefPropagation(iterations=iterations, damping=damping))
        outputs, backward = module.forward(potentials)
        return outputs, backward(of_beliefs, None, of_log_partition)

    yield Case(
        use, potentials=draws(1, 3, 2), of_beliefs=draws(5), of_log_partition=np.array(1.0), iterations=3, damping=0.1
    )


@recipe("pgm.FractionalBeliefPropagation")
def fractional() -> Iterable[Case]:
    def use(potentials: Any, counting: Any, **options: Any) -> Any:
        graph = pair(potentials)
        result = FractionalBeliefPropagation(counting={graph.families[0]: counting}, **options).run(graph)
        return result.beliefs, result.log_partition

    yield Case(use, potentials=draws(3, 2), counting=np.array([0.7]), iterations=3, tolerance=1e-6, damping=0.1)


@recipe("pgm.TreeReweighted", "pgm.appearance_probabilities")
def tree_reweighted() -> Iterable[Case]:
    def use(potentials: Any, forests: int, seed: int, **options: Any) -> Any:
        graph = pair(potentials)
        shares = appearance_probabilities(graph, forests=forests, seed=seed)
        result = TreeReweighted(forests=forests, seed=seed, **options).run(graph)
        return list(shares.values()), result.beliefs, result.log_partition

    yield Case(use, potentials=draws(3, 2), forests=3, seed=0, iterations=3, tolerance=1e-6, damping=0.1)


@recipe("pgm.MeanField")
def mean_field() -> Iterable[Case]:
    def use(potentials: Any, **options: Any) -> Any:
        result = MeanField(**options).run(pair(potentials))
        return result.beliefs, result.log_partition

    yield Case(use, potentials=draws(3, 2), iterations=5, tolerance=1e-6, starts=2, seed=0)


for _kind in (exact.BruteForce, exact.JunctionTree):

    def _exact(kind: Any = _kind) -> Iterable[Case]:
        def use(potentials: Any, evidence: Any) -> Any:
            graph = pair(potentials)
            result, best = kind().run(graph, evidence={"y": evidence}), kind().maximum(graph)
            return result.log_partition, result.beliefs, best.assignment(), best.score

        yield Case(use, potentials=draws(3, 2), evidence=1, _words={"evidence": ("state",)})

    recipe(f"pgm.exact.{_kind.__name__}")(_exact)


@recipe("pgm.map.LinearProgram")
def linear_program() -> Iterable[Case]:
    def use(potentials: Any) -> Any:
        result = map.LinearProgram().run(pair(potentials))
        return result.bound, result.beliefs

    yield Case(use, potentials=draws(3, 2))


@recipe("pgm.map.DeterministicAnnealing")
def annealing() -> Iterable[Case]:
    yield Case(
        lambda potentials: map.DeterministicAnnealing().run(pair(potentials)).assignment(), potentials=draws(3, 2)
    )


@recipe("pgm.sampling.Gibbs")
def gibbs() -> Iterable[Case]:
    def use(potentials: Any, seed: int, burn_in: int, chains: int) -> Any:
        return sampling.Gibbs(sweeps=5, burn_in=burn_in, chains=chains, seed=seed).run(pair(potentials)).beliefs

    yield Case(use, potentials=draws(3, 2), seed=0, burn_in=2, chains=2)


@recipe("pgm.drawing.draw")
def draw() -> Iterable[Case]:
    def use() -> Any:
        import matplotlib

        matplotlib.use("Agg")
        axes = drawing.draw(pair())
        matplotlib.pyplot.close("all")
        return len(axes.texts)

    yield Case(use)


@recipe("pgm.drawing.to_networkx")
def to_networkx() -> Iterable[Case]:
    yield Case(lambda: drawing.to_networkx(pair()).number_of_nodes())


# Files


def _in_folder(use: Callable[..., Any], **arguments: Any) -> Case:
    def run(**arguments: Any) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            return use(Path(folder) / "file", **arguments)

    return Case(run, **arguments)


@recipe("pgm.files.format_map", "pgm.files.write_map", "pgm.files.read_map")
def maps() -> Iterable[Case]:
    def use(path: Path, assignment: Any) -> Any:
        files.write_map(assignment, path)
        return files.format_map(assignment), files.read_map(path)

    yield _in_folder(use, assignment=np.array([0, 2, 1]))


@recipe("pgm.files.format_mar", "pgm.files.write_mar", "pgm.files.read_mar")
def marginals() -> Iterable[Case]:
    def use(path: Path, beliefs: Any) -> Any:
        files.write_mar(beliefs, path)
        return files.format_mar(beliefs), files.read_mar(path)

    yield _in_folder(use, beliefs=[np.array([0.25, 0.75]), np.array([1.0])])


@recipe("pgm.files.format_pr", "pgm.files.write_pr", "pgm.files.read_pr")
def partitions() -> Iterable[Case]:
    def use(path: Path, log_partition: Any) -> Any:
        files.write_pr(log_partition, path)
        return files.format_pr(log_partition), files.read_pr(path)

    yield _in_folder(use, log_partition=2.5)


@recipe("pgm.files.write_evidence", "pgm.files.read_evidence")
def evidence() -> Iterable[Case]:
    def use(path: Path, evidence: Any) -> Any:
        files.write_evidence({"x": evidence}, path, pair())
        return files.read_evidence(path, pair())

    yield _in_folder(use, evidence=1)


@recipe("pgm.files.write_uai", "pgm.files.read_uai", "pgm.files.write_fg", "pgm.files.read_fg", "pgm.files.read_model")
def models() -> Iterable[Case]:
    def use(path: Path, potentials: Any) -> Any:
        graph = pair(potentials)
        files.write_uai(graph, path.with_suffix(".uai"))
        files.write_fg(graph, path.with_suffix(".fg"))
        read = [files.read_uai(path.with_suffix(".uai")), files.read_fg(path.with_suffix(".fg"))]
        read.append(files.read_model(path.with_suffix(".uai")))
        return [graph.families[0].log_potentials for graph in read]

    yield _in_folder(use, potentials=draws(3, 2))


@recipe("pgm.files.read_bif")
def bif() -> Iterable[Case]:
    def use(path: Path, probability: Any) -> Any:
        path.write_text(
            "network n { } variable x { type discrete [ 2 ] { a, b }; } "
            f"probability ( x ) {{ table {probability}, 0.75; }}"
        )
        return files.read_bif(path).families[0].log_potentials

    yield _in_folder(use, probability=0.25)
