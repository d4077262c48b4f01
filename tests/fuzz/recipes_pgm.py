"""Good calls of the public names of `pgm`."""

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from autodiff import Circuit, Parameter
from autodiff.modules import Linear
from autodiff.optimizers import SGD
from fuzz.recipe import Case, exempt, recipe
from hypergraph.structures import Grammar, ProjectiveTrees
from pgm import (
    BeliefPropagation,
    FactorGraph,
    UnrolledBeliefPropagation,
    arborescence,
    check_factor,
    drawing,
    exact,
    factors,
    files,
    learning,
    map,
    matrix_tree,
    sampling,
    schedules,
)

exempt(
    "a record of what happened, made by the package",
    "pgm.BeliefResult",
    "pgm.exact.ExactResult",
    "pgm.exact.MapResult",
    "pgm.exact.Plan",
    "pgm.learning.Epoch",
    "pgm.learning.Evaluation",
    "pgm.learning.Training",
    "pgm.map.AnnealingResult",
    "pgm.map.LinearProgramResult",
    "pgm.sampling.GibbsResult",
    "pgm.schedules.FixedPlan",
)
exempt("made and used by the recipe of FactorGraph", "pgm.Variable", "pgm.VariableArray")


def _draws(*shape: int) -> Any:
    return np.random.default_rng(0).normal(size=shape)


def _answers(graph: FactorGraph, **options: Any) -> Any:
    result = BeliefPropagation(**{"iterations": 5, **options}).run(graph)
    summary = result.log_partition if options.get("mode", "sum") == "sum" else result.assignment
    return result.beliefs, summary, graph.score(np.zeros(graph.num_variables, dtype=np.int64))


def _pair(potentials: Any = None) -> FactorGraph:
    graph = FactorGraph()
    x, y = graph.variable("x", 3), graph.variable("y")
    graph.add(factors.Table([x, y], _draws(3, 2) if potentials is None else potentials))
    return graph


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
        build, shape=3, states=2, potentials=_draws(2, 2, 2), assignment=np.array([0, 1, 1]), evidence=1,
        _words={"evidence": ("state",)},
    )  # fmt: skip


@recipe("pgm.check_factor")
def check() -> Iterable[Case]:
    def use(potentials: Any, seed: int, tolerance: float) -> Any:
        check_factor(factors.Table(np.array([[0, 1]]), potentials), seed=seed, tolerance=tolerance)

    yield Case(use, potentials=_draws(1, 2, 2), seed=0, tolerance=1e-6)


@recipe("pgm.BeliefPropagation", "pgm.schedules.Parallel", "pgm.schedules.Residual", "pgm.schedules.SpanningTree")
def belief_propagation() -> Iterable[Case]:
    for schedule in (schedules.Parallel(), schedules.SpanningTree(), schedules.Residual()):

        def use(potentials: Any, iterations: int, tolerance: float, damping: float, schedule: Any = schedule) -> Any:
            options = {"iterations": iterations, "tolerance": tolerance, "damping": damping, "schedule": schedule}
            return [_answers(_pair(potentials), **options, mode=mode)[:2] for mode in ("sum", "max")]

        yield Case(use, potentials=_draws(3, 2), iterations=3, tolerance=1e-6, damping=0.1)


@recipe("pgm.UnrolledBeliefPropagation")
def unrolled() -> Iterable[Case]:
    def use(potentials: Any, of_beliefs: Any, of_log_partition: Any, iterations: int, damping: float) -> Any:
        module = UnrolledBeliefPropagation(_pair(), iterations=iterations, damping=damping)
        return module.forward(potentials), module.backward(of_beliefs, None, of_log_partition)

    yield Case(
        use, potentials=_draws(1, 3, 2), of_beliefs=_draws(5), of_log_partition=np.array(1.0), iterations=3, damping=0.1
    )


for _kind in (exact.BruteForce, exact.JunctionTree):

    def _exact(kind: Any = _kind) -> Iterable[Case]:
        def use(potentials: Any, evidence: Any) -> Any:
            graph = _pair(potentials)
            result, best = kind().run(graph, evidence={"y": evidence}), kind().maximum(graph)
            return result.log_partition, result.beliefs, best.assignment, best.score

        yield Case(use, potentials=_draws(3, 2), evidence=1, _words={"evidence": ("state",)})

    recipe(f"pgm.exact.{_kind.__name__}")(_exact)


@recipe("pgm.map.LinearProgram")
def linear_program() -> Iterable[Case]:
    def use(potentials: Any) -> Any:
        result = map.LinearProgram().run(_pair(potentials))
        return result.bound, result.beliefs

    yield Case(use, potentials=_draws(3, 2))


@recipe("pgm.map.DeterministicAnnealing")
def annealing() -> Iterable[Case]:
    yield Case(
        lambda potentials: map.DeterministicAnnealing().run(_pair(potentials)).assignment, potentials=_draws(3, 2)
    )


@recipe("pgm.sampling.Gibbs")
def gibbs() -> Iterable[Case]:
    def use(potentials: Any, seed: int, burn_in: int, chains: int) -> Any:
        return sampling.Gibbs(sweeps=5, burn_in=burn_in, chains=chains, seed=seed).run(_pair(potentials)).beliefs

    yield Case(use, potentials=_draws(3, 2), seed=0, burn_in=2, chains=2)


@recipe("pgm.drawing.draw")
def draw() -> Iterable[Case]:
    def use() -> Any:
        import matplotlib

        matplotlib.use("Agg")
        axes = drawing.draw(_pair())
        matplotlib.pyplot.close("all")
        return len(axes.texts)

    yield Case(use)


@recipe("pgm.drawing.to_networkx")
def to_networkx() -> Iterable[Case]:
    yield Case(lambda: drawing.to_networkx(_pair()).number_of_nodes())


# Trees


@recipe("pgm.arborescence.maximum_arborescence")
def maximum_arborescence() -> Iterable[Case]:
    for roots in ("any", "one"):
        yield Case(arborescence.maximum_arborescence, scores=_draws(4, 4), roots=roots)


@recipe("pgm.matrix_tree.tree_log_partition", "pgm.matrix_tree.tree_marginals", "pgm.matrix_tree.check_scores")
def tree_sums_of_one() -> Iterable[Case]:
    for roots in ("any", "one"):

        def use(scores: Any, roots: Any = roots) -> Any:
            sums = matrix_tree.tree_log_partition(scores, roots=roots), matrix_tree.tree_marginals(scores, roots=roots)
            return sums, matrix_tree.check_scores(scores)

        yield Case(use, scores=_draws(4, 4))


@recipe("pgm.matrix_tree.TreeSums", "pgm.matrix_tree.best_escape")
def tree_sums() -> Iterable[Case]:
    for roots in ("any", "one"):
        for exactly in (False, True):

            def use(scores: Any, adjoint: Any, roots: Any = roots, exactly: bool = exactly) -> Any:
                sums = matrix_tree.TreeSums(scores, roots, exact=exactly)
                best = matrix_tree.best_escape(scores, roots)
                return sums.log_partition, sums.log_escape, sums.backward(adjoint), best

            yield Case(use, scores=_draws(2, 4, 4), adjoint=_draws(2, 4, 4))


@recipe("pgm.matrix_tree.check_roots")
def check_roots() -> Iterable[Case]:
    yield Case(matrix_tree.check_roots, roots="one")


# Factors


def _binary(make: Callable[..., Any], count: int = 3, **arguments: Any) -> Case:
    """A factor over binary variables with a table of one for each of them."""

    def use(biases: Any, **arguments: Any) -> Any:
        graph = FactorGraph()
        x = graph.variables("x", count)
        graph.add(factors.Table(x[np.arange(count)[:, None]], biases))
        graph.add(make(x, **arguments))
        return _answers(graph), _answers(graph, mode="max")[0]

    return Case(use, biases=_draws(count, 2), **arguments)


for _constraint, _count in (
    (factors.AndWithOutput, 3), (factors.AtMostOne, 3), (factors.ExactlyOne, 3), (factors.Imply, 2), (factors.Nand, 3),
    (factors.Or, 3), (factors.OrWithOutput, 3), (factors.XorWithOutput, 3),
):  # fmt: skip
    recipe(f"pgm.factors.{_constraint.__name__}")(
        lambda kind=_constraint, count=_count: [_binary(kind, count, negated=np.zeros(count, dtype=bool))]
    )


@recipe("pgm.factors.Budget")
def budget() -> Iterable[Case]:
    yield _binary(factors.Budget, limit=2, negated=np.zeros(3, dtype=bool))


@recipe("pgm.factors.BothOn")
def both_on() -> Iterable[Case]:
    yield _binary(
        lambda x, log_potentials: factors.BothOn(x[[[0, 1], [1, 2]]], log_potentials), log_potentials=_draws(2)
    )


@recipe("pgm.factors.ChildSequence")
def child_sequence() -> Iterable[Case]:
    yield _binary(factors.ChildSequence, log_potentials=_draws(1, 4, 4))


@recipe("pgm.factors.Constituency", "pgm.factors.all_spans")
def constituency() -> Iterable[Case]:
    spans = factors.all_spans(3)

    def make(x: Any, n: Any, starts: Any, ends: Any) -> Any:
        factors.all_spans(n)
        return factors.Constituency(x, n, starts, ends)

    pairs = np.array([tuple(pair) for pair in spans])
    yield _binary(make, len(pairs), n=3, starts=pairs[:, 0].copy(), ends=pairs[:, 1].copy())


@recipe("pgm.factors.LabelledConstituency")
def labelled_constituency() -> Iterable[Case]:
    grammar = Grammar(["S"], [("S", "N", "S"), ("N", "N", "N")])

    def use(rules: Any, n: int) -> Any:
        graph = FactorGraph()
        spans = graph.variables("span", 3, states=3)
        graph.add(factors.LabelledConstituency(spans, grammar, n, rules))
        return _answers(graph)[:2]

    yield Case(use, rules=_draws(2), n=2)


def _arcs(make: Callable[..., Any], **arguments: Any) -> Case:
    def use(biases: Any, **arguments: Any) -> Any:
        graph = FactorGraph()
        arcs = graph.variables("arc", (4, 3))
        graph.add(factors.Table(arcs.ravel()[np.arange(12)[:, None]], biases))
        graph.add(make(arcs, **arguments))
        return _answers(graph), _answers(graph, mode="max")[0]

    return Case(use, biases=_draws(12, 2), **arguments)


for _tree in (factors.Tree, factors.ProjectiveTree):
    recipe(f"pgm.factors.{_tree.__name__}")(lambda kind=_tree: [_arcs(kind, roots="one"), _arcs(kind, roots="any")])
for _pairs in (factors.not_two, factors.no_two_cycle):
    recipe(f"pgm.factors.{_pairs.__name__}")(lambda make=_pairs: [_arcs(make)])


@recipe("pgm.factors.ExactDependency")
def exact_dependency() -> Iterable[Case]:
    yield _arcs(factors.ExactDependency, grandparents=_draws(4, 4, 4), siblings=_draws(4, 4, 4))


@recipe("pgm.factors.NoCross")
def no_cross() -> Iterable[Case]:
    yield _binary(
        lambda x, **given: factors.NoCross(x[[[0, 1, 2, 3]]], **given), 4,
        heads=np.array([[0, 3, 0, 1]]), modifiers=np.array([[2, 2, 4, 4]]), log_potentials=_draws(1),
    )  # fmt: skip


def _states(make: Callable[..., Any], **arguments: Any) -> Case:
    def use(biases: Any, **arguments: Any) -> Any:
        graph = FactorGraph()
        x = graph.variables("x", 4, states=3)
        graph.add(factors.Table(x[np.arange(4)[:, None]], biases))
        graph.add(make(x, **arguments))
        return _answers(graph), _answers(graph, mode="max")[0]

    return Case(use, biases=_draws(4, 3), **arguments)


@recipe("pgm.factors.LinearChain")
def linear_chain() -> Iterable[Case]:
    yield _states(factors.LinearChain, transitions=_draws(3, 3, 3))


@recipe("pgm.factors.Trigram")
def trigram() -> Iterable[Case]:
    yield _states(factors.Trigram, transitions=_draws(2, 3, 3, 3))


@recipe("pgm.factors.Segmentation")
def segmentation() -> Iterable[Case]:
    case = next(iter(factors.Segmentation.examples(np.random.default_rng(0))))
    yield _messages(lambda: case)


@recipe("pgm.factors.HypergraphFactor")
def hypergraph_factor() -> Iterable[Case]:
    case = next(iter(factors.HypergraphFactor.examples(np.random.default_rng(0))))
    yield _messages(lambda: case)


def _messages(make: Callable[[], Any]) -> Case:
    """A family over plain numbers: its assignments are what enters."""
    family = make()

    def use(assignment: Any) -> Any:
        return family.score(assignment)

    return Case(use, assignment=np.zeros((family.num_factors, family.degree), dtype=np.int64))


@recipe("pgm.factors.Table")
def table() -> Iterable[Case]:
    yield _states(
        lambda x, log_potentials: factors.Table(x[[[0, 1], [1, 2]]], log_potentials), log_potentials=_draws(2, 3, 3)
    )


@recipe("pgm.factors.LogLinear")
def log_linear() -> Iterable[Case]:
    def make(x: Any, features: Any, weights: Any, **sparse: Any) -> Any:
        given = (sparse["indices"], sparse["offsets"]) if sparse else features
        return factors.LogLinear(x[[[0, 1], [1, 2]]], given, Parameter("weights", weights))

    yield _states(make, features=_draws(2, 3, 3, 4), weights=_draws(4))
    yield _states(make, features=None, weights=_draws(4), indices=np.arange(18) % 4, offsets=np.arange(19))


@recipe("pgm.factors.Scored")
def scored() -> Iterable[Case]:
    def make(x: Any, inputs: Any) -> Any:
        circuit = Circuit("scorer")
        circuit.output(circuit.add(Linear(), circuit.input("x"), circuit.parameter("w", _draws(2, 3))))
        return factors.Scored(x[[[0], [1]]], circuit, inputs)

    yield _states(make, inputs=_draws(2, 2))


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
        files.write_evidence({"x": evidence}, path, _pair())
        return files.read_evidence(path, _pair())

    yield _in_folder(use, evidence=1)


@recipe("pgm.files.write_uai", "pgm.files.read_uai", "pgm.files.write_fg", "pgm.files.read_fg", "pgm.files.read_model")
def models() -> Iterable[Case]:
    def use(path: Path, potentials: Any) -> Any:
        graph = _pair(potentials)
        files.write_uai(graph, path.with_suffix(".uai"))
        files.write_fg(graph, path.with_suffix(".fg"))
        read = [files.read_uai(path.with_suffix(".uai")), files.read_fg(path.with_suffix(".fg"))]
        read.append(files.read_model(path.with_suffix(".uai")))
        return [graph.families[0].log_potentials for graph in read]

    yield _in_folder(use, potentials=_draws(3, 2))


@recipe("pgm.files.read_bif")
def bif() -> Iterable[Case]:
    def use(path: Path, probability: Any) -> Any:
        path.write_text(
            "network n { } variable x { type discrete [ 2 ] { a, b }; } "
            f"probability ( x ) {{ table {probability}, {1 - probability}; }}"
        )
        return files.read_bif(path).families[0].log_potentials

    yield _in_folder(use, probability=0.25)


# Learning


def _example(gold: Any, weights: Any = None) -> learning.Example:
    graph = FactorGraph()
    x = graph.variables("x", 2)
    parameter = Parameter("weights", _draws(3) if weights is None else weights)
    graph.add(factors.LogLinear(x[[[0], [1]]], _draws(2, 2, 3), parameter))
    return learning.Example(graph, gold)


def _objective(make: Callable[..., Any], **settings: Any) -> Case:
    def use(gold: Any, weights: Any, progress: float, **settings: Any) -> Any:
        evaluation = make(**settings).evaluate(_example(gold, weights), progress=progress)
        return evaluation.loss, evaluation.adjoints

    return Case(use, gold=np.array([1, 0]), weights=_draws(3), progress=0.5, **settings)


for _kind in (learning.ConditionalLogLikelihood, learning.L2Distance, learning.MarginalLogLikelihood):
    recipe(f"pgm.learning.{_kind.__name__}")(lambda kind=_kind: [_objective(kind)])


@recipe("pgm.learning.AnnealedRisk")
def annealed_risk() -> Iterable[Case]:
    yield _objective(learning.AnnealedRisk, temperature=0.5)


@recipe("pgm.learning.SoftmaxMargin")
def softmax_margin() -> Iterable[Case]:
    yield _objective(learning.SoftmaxMargin, cost=1.5)


@recipe("pgm.learning.Annealing")
def annealing_schedule() -> Iterable[Case]:
    yield Case(lambda progress: learning.Annealing()(progress), progress=0.5)


@recipe("pgm.learning.Example")
def example() -> Iterable[Case]:
    yield Case(lambda gold: _example(gold).gold, gold=np.array([1, 0]))


@recipe("pgm.learning.StructureDecoder")
def structure_decoder() -> Iterable[Case]:
    def use(beliefs: Any, variables: Any, adjoint: Any) -> Any:
        graph = FactorGraph()
        graph.variables("arc", (3, 3))
        decoder = learning.StructureDecoder(graph, ProjectiveTrees(2), variables)
        return decoder.forward(beliefs), decoder.backward(adjoint), decoder.decode(beliefs)

    yield Case(use, beliefs=np.full(18, 0.5), variables=np.arange(9), adjoint=_draws(18))


@recipe("pgm.learning.VariableDecoder")
def variable_decoder() -> Iterable[Case]:
    def use(beliefs: Any, temperature: float, adjoint: Any) -> Any:
        graph = FactorGraph()
        graph.variables("x", 2)
        decoder = learning.VariableDecoder(graph, temperature)
        return decoder.forward(beliefs), decoder.backward(adjoint), decoder.decode(beliefs)

    yield Case(use, beliefs=np.array([0.2, 0.8, 0.6, 0.4]), temperature=0.5, adjoint=_draws(4))


@recipe("pgm.learning.TrainingProblem", "pgm.learning.check_objective", "pgm.learning.accuracy")
def training_problem() -> Iterable[Case]:
    def use(gold: Any, weights: Any) -> Any:
        item = _example(gold, weights)
        problem = learning.TrainingProblem([item], learning.ConditionalLogLikelihood())
        loss, gradients = problem(problem.parameters)
        checked = learning.check_objective(learning.ConditionalLogLikelihood(), item).passed
        return loss, gradients, checked, learning.accuracy([item])

    yield Case(use, gold=np.array([1, 0]), weights=_draws(3))


@recipe("pgm.learning.minimum_bayes_risk")
def minimum_bayes_risk() -> Iterable[Case]:
    yield Case(lambda potentials: learning.minimum_bayes_risk(_pair(potentials)), potentials=_draws(3, 2))


@recipe("pgm.learning.fit")
def fit() -> Iterable[Case]:
    def use(gold: Any, weights: Any, epochs: int, batch_size: int, seed: int) -> Any:
        items = [_example(gold, weights)]
        options = {"epochs": epochs, "batch_size": batch_size, "seed": seed}
        return learning.fit(items, learning.L2Distance(), SGD(0.1), **options).epochs[-1].loss

    yield Case(use, gold=np.array([1, 0]), weights=_draws(3), epochs=2, batch_size=1, seed=0)
