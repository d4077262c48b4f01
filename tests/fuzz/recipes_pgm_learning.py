"""Good calls of `pgm.learning`."""

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from autodiff import HashedParameter, Parameter
from autodiff.modules import Gather
from autodiff.optimizers import SGD, AdaGrad
from fuzz.pgm_graphs import draws, pair
from fuzz.recipe import Case, exempt, recipe
from hypergraph.structures import LinearChain, ProjectiveTrees
from pgm import BeliefPropagation, FactorGraph, factors, learning

exempt("made by the recipes of the models", "pgm.learning.GraphInstance", "pgm.learning.StructureInstance")

MODEL = learning.GraphModel(BeliefPropagation(iterations=3))
CLL = learning.ConditionalLogLikelihood()


def _example(gold: Any, weights: Any = None) -> learning.Example:
    graph = FactorGraph()
    x = graph.variables("x", 2)
    parameter = Parameter("weights", draws(3) if weights is None else weights)
    graph.add(factors.LogLinear(x[[[0], [1]]], draws(2, 2, 3), parameter))
    return learning.Example(graph, gold)


# Objectives and decoders


def _objective(make: Callable[..., Any], **settings: Any) -> Case:
    """An objective; `progress` among the settings is that of the training."""

    def use(gold: Any, weights: Any, progress: float = 0.5, **settings: Any) -> Any:
        instance = MODEL.instance(_example(gold, weights))
        scores, _ = MODEL.scorer.score(instance)
        evaluation = make(**settings).evaluate(instance, scores, progress=progress)
        return evaluation.loss, list(evaluation.adjoints.values())

    return Case(use, gold=np.array([1, 0]), weights=draws(3), **settings)


for _kind in (learning.ConditionalLogLikelihood, learning.L2Distance, learning.MarginalLogLikelihood):
    recipe(f"pgm.learning.{_kind.__name__}")(lambda kind=_kind: [_objective(kind)])


@recipe("pgm.learning.AnnealedRisk")
def annealed_risk() -> Iterable[Case]:
    yield _objective(learning.AnnealedRisk, temperature=0.5, final_temperature=0.1)
    yield _objective(learning.AnnealedRisk, progress=0.5)


@recipe("pgm.learning.SoftmaxMargin")
def softmax_margin() -> Iterable[Case]:
    yield _objective(learning.SoftmaxMargin, cost=1.5)


def _decoder(kind: type[learning.Decoder]) -> list[Case]:
    return [Case(lambda potentials: MODEL.decode(pair(potentials), kind()), potentials=draws(3, 2))]


for _decoder_kind in (learning.LogOdds, learning.MaximumScore, learning.MinimumBayesRisk):
    recipe(f"pgm.learning.{_decoder_kind.__name__}")(lambda kind=_decoder_kind: _decoder(kind))


@recipe("pgm.learning.StructuredOutput")
def structured_output() -> Iterable[Case]:
    def use(beliefs: Any, variables: Any, states: Any, temperature: float, adjoint: Any) -> Any:
        graph = FactorGraph()
        graph.variables("arc", (3, 3))
        space = learning.StructuredOutput(graph, ProjectiveTrees(2), variables, states)
        marginals, backward = space.soften(beliefs, temperature)
        return marginals, backward(adjoint), space.search(beliefs)

    yield Case(
        use, beliefs=np.full(18, 0.5), variables=np.arange(9), states=np.ones(9, dtype=np.int64), temperature=0.5,
        adjoint=draws(18),
    )  # fmt: skip


@recipe("pgm.learning.EachVariable")
def each_variable() -> Iterable[Case]:
    def use(beliefs: Any, temperature: float, adjoint: Any) -> Any:
        graph = FactorGraph()
        graph.variables("x", 2)
        space = learning.EachVariable(graph)
        marginals, backward = space.soften(beliefs, temperature)
        return marginals, backward(adjoint), space.search(beliefs)

    yield Case(use, beliefs=np.array([0.2, 0.8, 0.6, 0.4]), temperature=0.5, adjoint=draws(4))


# Models and scorers


@recipe("pgm.learning.Example", "pgm.learning.GraphModel", "pgm.learning.FamilyScorer")
def graph_model() -> Iterable[Case]:
    def use(gold: Any, weights: Any, costs: Any, adjoint: Any) -> Any:
        instance = MODEL.instance(_example(gold, weights))
        scores, backward = MODEL.scorer.score(instance)
        run = instance.run(scores, costs=costs, record=True)
        adjoints = run.backward(beliefs=adjoint)
        store = SGD(0.1).store(MODEL.parameters([instance]))
        backward(adjoints, store)
        store.step()
        weights = store.parameters["weights"].value
        return instance.example.gold, instance.targets, run.beliefs, list(adjoints.values()), weights

    yield Case(use, gold=np.array([1, 0]), weights=draws(3), costs=draws(4), adjoint=draws(4))


def _chain(scorer: learning.Scorer) -> learning.StructureModel:
    return learning.StructureModel(lambda words: LinearChain(len(words), 2), scorer)


def _learned(model: learning.StructureModel, gold: Any, allowed: Any) -> Any:
    """What two kinds of likelihood say of a chain of two words, and the weights after a step."""
    found = []
    for objective, known in ((CLL, {"gold": gold}), (learning.MarginalLogLikelihood(), {"allowed": allowed})):
        instance = model.instance(learning.StructureExample("ab", **known))
        scores, backward = model.scorer.score(instance)
        evaluation = objective.evaluate(instance, scores)
        store = SGD(0.1).store(model.parameters([instance]))
        backward(evaluation.adjoints, store)
        store.step()
        found.append((evaluation.loss, instance.targets, [p.value for p in store.parameters.values()]))
    return found


def one_each(_: Any) -> Any:
    return learning.feature_rows(np.arange(8)[:, None])


ALLOWED = np.arange(8) != 1


@recipe("pgm.learning.FeatureScorer", "pgm.learning.StructureExample", "pgm.learning.StructureModel")
def feature_scorer() -> Iterable[Case]:
    for hashed in (True, False):

        def use(indices: Any, offsets: Any, values: Any, gold: Any, hashed: bool = hashed) -> Any:
            weights = HashedParameter("weights", 6) if hashed else Parameter("weights", np.zeros(6))
            weights.value[:] = draws(6)
            return _learned(
                _chain(learning.FeatureScorer(weights, lambda _: (indices, offsets, values))), gold, ALLOWED
            )

        yield Case(
            use, indices=np.arange(10) % 6, offsets=np.array([0, 2, 3, 4, 4, 6, 7, 9, 10]), values=draws(10),
            gold=np.array([0, 1]), _words={"gold": ("states",)},
        )  # fmt: skip

    def parts(costs: Any, beliefs: Any, gold: Any) -> Any:
        model = _chain(learning.FeatureScorer(8, one_each))
        instance = model.instance(("ab", gold))
        scores, _ = model.scorer.score(instance)
        run = instance.run(scores, costs=costs)
        answers = run.best(), run.kbest(2), instance.targets
        return run.log_partition, run.beliefs, run.backward(beliefs=beliefs)["weights"], answers

    yield Case(parts, costs=draws(8), beliefs=draws(8), gold=np.array([0, 1]), _words={"gold": ("states",)})
    yield Case(
        lambda allowed: _learned(_chain(learning.FeatureScorer(8, one_each)), [0, 1], allowed),
        allowed=ALLOWED,
    )  # fmt: skip


@recipe("pgm.learning.feature_rows")
def feature_rows() -> Iterable[Case]:
    yield Case(
        lambda first, second: learning.feature_rows(first, second), first=np.arange(8).reshape(2, 2, 2),
        second=np.arange(3)[:, None], _words={"first": ("block 0",), "second": ("block 1",)},
    )  # fmt: skip


@recipe("pgm.learning.ModuleScorer")
def module_scorer() -> Iterable[Case]:
    def use(weights: Any, places: Any) -> Any:
        table = Parameter("weights", weights)
        return _learned(_chain(learning.ModuleScorer(Gather(), lambda _: (table, places))), [0, 1], ALLOWED)

    yield Case(use, weights=draws(5), places=np.arange(8) % 5, _words={"places": ("indices", "weights")})


@recipe("pgm.learning.ScoredGraph", "pgm.learning.Placed")
def scored_graph() -> Iterable[Case]:
    def use(on: Any, both: Any) -> Any:
        graph = FactorGraph()
        x = graph.variables("x", 3)
        unary = graph.add(factors.Table([x], np.zeros((3, 2))))
        pairs = graph.add(factors.BothOn(x[[[0, 1], [1, 2]]], np.zeros(2)))
        every = slice(None)
        placed = [
            ("on", learning.Placed(unary, every, (every, 1))),
            ("both", learning.Placed(pairs, np.array([0, 0]), every)),
        ]
        scored = learning.ScoredGraph(graph, placed, {"on": 3, "both": 1})
        result = BeliefPropagation(iterations=3).run(graph, potentials=scored.potentials({"on": on, "both": both}))
        return scored.by_kind(result.factor_beliefs)

    yield Case(use, on=draws(3), both=draws(1))


# Training


@recipe("pgm.learning.TrainingProblem", "pgm.learning.check_objective", "pgm.learning.accuracy")
def training_problem() -> Iterable[Case]:
    def use(gold: Any, weights: Any) -> Any:
        item = _example(gold, weights)
        problem = learning.TrainingProblem(MODEL, [item], CLL)
        loss, gradients = problem(problem.parameters)
        checked = learning.check_objective(CLL, MODEL, item).passed
        return loss, gradients, checked, learning.accuracy(MODEL, [item])

    yield Case(use, gold=np.array([1, 0]), weights=draws(3))


@recipe("pgm.learning.Trainer", "pgm.learning.Stage")
def trainer() -> Iterable[Case]:
    def use(gold: Any, weights: Any, first: int, **settings: Any) -> Any:
        item = _example(gold, weights)
        stages = [learning.Stage(learning.L2Distance(), epochs=first), CLL]
        history = learning.Trainer(stages, AdaGrad(0.1, l2=0.1), average=True, **settings).fit(
            MODEL, [item, item], development=lambda: 0.0
        )
        return history.best, [epoch.loss for epoch in history.epochs], item.graph.families[0].log_potentials

    yield Case(
        use, gold=np.array([1, 0]), weights=draws(3), first=1, epochs=2, batch_size=1, patience=2, average_after=1,
        seed=0, _words={"first": ("epochs",)},
    )  # fmt: skip


@recipe("pgm.learning.with_tuned_rate")
def with_tuned_rate() -> Iterable[Case]:
    def use(gold: Any, weights: Any, sample: int, start: float) -> Any:
        examples = [_example(gold, weights)] * 2
        tuned = learning.with_tuned_rate(learning.Trainer(CLL, SGD(0.1)), MODEL, examples, sample=sample, start=start)
        return tuned.update.learning_rate

    yield Case(use, gold=np.array([1, 0]), weights=draws(3), sample=1, start=0.1)


@recipe("pgm.learning.Checkpoint")
def checkpoint() -> Iterable[Case]:
    def use(gold: Any, weights: Any, number: int, share: float) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            file = learning.Checkpoint(Path(folder) / "x", {"number": number, "share": share})
            trainer = learning.Trainer(CLL, SGD(0.1), epochs=2)
            for resume in (False, True):
                item = _example(gold, weights)

                def score(resume: bool = resume) -> float:
                    if not resume and file.exists:
                        raise InterruptedError
                    return 0.0

                try:
                    history = trainer.fit(MODEL, [item], development=score, checkpoint=file, resume=resume)
                except InterruptedError:
                    continue
            return [epoch.loss for epoch in history.epochs], item.graph.families[0].log_potentials

    yield Case(
        use,
        gold=np.array([1, 0]),
        weights=draws(3),
        number=3,
        share=0.5,
        _keep=("number", "share"),
    )
