"""The gradient of every objective by the scores of parts, on graphs and structures known in whole or in part."""

import numpy as np
import pytest

from autodiff import HashedParameter, Module, check_gradients
from hypergraph.structures import LinearChain, NonprojectiveTrees, ProjectiveTrees
from oracles.found import concrete
from oracles.learning import loopy_graph
from pgm import BeliefPropagation, UnavailableError
from pgm.exact import JunctionTree
from pgm.learning import (
    Example,
    FeatureScorer,
    GoldError,
    GraphModel,
    MarginalLogLikelihood,
    Objective,
    StructureExample,
    StructureModel,
)

KINDS = [kind for kind in Objective.kinds().values() if kind.__module__.startswith("pgm.")]
OBJECTIVES = [objective for kind in KINDS for objective in kind.examples()]
by_objective = pytest.mark.parametrize("objective", OBJECTIVES, ids=repr)
FEW, SETTLED, EXACT = (
    GraphModel(inference)
    for inference in (
        BeliefPropagation(iterations=2),
        BeliefPropagation(iterations=300, tolerance=1e-13),
        JunctionTree(),
    )
)
FEW_DAMPED = GraphModel(BeliefPropagation(iterations=3, damping=0.3, schedule="serial"))


class ByScores(Module):
    """scores by kind → the loss."""

    def __init__(self, objective, instance, kinds, progress=0.0):
        self.objective, self.instance, self.kinds, self.progress = objective, instance, kinds, progress

    def forward(self, *arrays):
        scores = dict(zip(self.kinds, arrays, strict=True))
        evaluation = self.objective.evaluate(self.instance, scores, progress=self.progress)

        def backward(adjoint):
            zero = {kind: np.zeros(np.shape(array)) for kind, array in scores.items()}
            return tuple(adjoint * (zero | evaluation.adjoints)[kind] for kind in self.kinds)

        return np.array(evaluation.loss), backward


class Watched:
    """An instance that notes whether a run is to go back through the steps of inference."""

    def __init__(self, instance):
        self.instance, self.recorded, self.runs = instance, [], []

    def __getattr__(self, name):
        return getattr(self.instance, name)

    def run(self, scores, **options):
        self.recorded.append(options.get("record", False))
        self.runs.append(WatchedRun(self.instance.run(scores, **options)))
        return self.runs[-1]


class WatchedRun:
    """A run that notes from what it goes back."""

    def __init__(self, run):
        self.run, self.asked = run, set()

    def __getattr__(self, name):
        return getattr(self.run, name)

    def backward(self, **adjoints):
        self.asked |= adjoints.keys()
        return self.run.backward(**adjoints)


def watched(objective):
    instance, scores = scored(FEW, loopy_graph())
    found = Watched(instance)
    objective.evaluate(found, scores)
    return found


def scored(model, item):
    instance = model.instance(item)
    return instance, model.scorer.score(instance)[0]


def check(objective, model, item, progress=0.0):
    instance, scores = scored(model, item)
    check_gradients(ByScores(objective, instance, list(scores), progress), *scores.values()).raise_if_failed()


def goes_back(objective):
    recorded = set(watched(objective).recorded)
    assert len(recorded) == 1
    return recorded.pop()


def of_beliefs(objective):
    return any("beliefs" in run.asked for run in watched(objective).runs)


def structure_models():
    """Chains that share transitions and trees of both kinds, a right answer of each, and what leaves several."""
    rng = np.random.default_rng(3)
    cases = {
        "chain": (lambda n: LinearChain(n, 2, shared_transitions=True), 4, [0, 1, 1, 1]),
        "trees": (ProjectiveTrees, 3, [-1, 2, 0, 2]),
        "nonprojective": (lambda n: NonprojectiveTrees(n, roots="one"), 3, [-1, 3, 0, 2]),
    }
    for name, (make, size, gold) in cases.items():
        structure = make(size)
        count = structure.num_weights
        weights = HashedParameter("weights", count)
        weights.value[:] = rng.normal(size=count)
        allowed = np.ones(count, dtype=bool)
        allowed[np.setdiff1d(np.arange(count), structure.weights_of(gold))[:4]] = False
        features = (np.arange(count), np.arange(count + 1))  # one for each weight
        model = StructureModel(make, FeatureScorer(weights, lambda _, features=features: features))
        yield name, model, size, gold, allowed


STRUCTURES = list(structure_models())
by_structure = pytest.mark.parametrize(
    ("model", "size", "gold", "allowed"), [case[1:] for case in STRUCTURES], ids=[case[0] for case in STRUCTURES]
)


def test_every_objective_of_the_package_has_a_name_and_examples():
    assert set(KINDS) == set(concrete(Objective, "pgm"))
    assert all(list(kind.examples()) for kind in KINDS)
    assert len(KINDS) >= 5


@by_objective
def test_after_few_iterations(objective):
    """Those that go back through the iterations are exact, settled or not."""
    if goes_back(objective):
        for model in (FEW, FEW_DAMPED):
            check(objective, model, loopy_graph())


@by_objective
def test_where_inference_is_exact_or_settled(objective):
    graph, gold = loopy_graph(1)
    given = Example(graph, gold, evidence={1: int(gold[1])})
    if not goes_back(objective):
        check(objective, SETTLED, given)
        check(objective, EXACT, given)
        return
    check(objective, FEW, given)
    if of_beliefs(objective):  # exact methods go back from the log-partition alone
        with pytest.raises(UnavailableError, match="BeliefPropagation"):
            check(objective, EXACT, given)
    else:
        check(objective, EXACT, given)


@by_objective
def test_in_the_course_of_training(objective):
    model = next(case[1] for case in STRUCTURES if case[0] == "trees")
    for progress in (0.1, 0.5):
        check(objective, model, (3, [-1, 2, 0, 2]), progress)


@by_objective
@by_structure
def test_on_structures(objective, model, size, gold, allowed):
    check(objective, model, (size, gold))


@by_objective
@by_structure
def test_on_structures_of_which_a_part_is_known(objective, model, size, gold, allowed):
    item = StructureExample(size, allowed=allowed)
    if needs_all(objective):
        with pytest.raises(GoldError, match="needs"):
            check(objective, model, item)
    else:
        check(objective, model, item)


@by_objective
def test_on_graphs_of_which_a_part_is_known(objective):
    graph, gold = loopy_graph(2)
    item = (graph, np.where([True, False, True, False, True, False], gold, -1))
    model = FEW if goes_back(objective) else EXACT
    if needs_all(objective):
        with pytest.raises(GoldError, match="MarginalLogLikelihood"):
            check(objective, model, item)
    else:
        check(objective, model, item)


def needs_all(objective):
    """Whether it needs the whole right answer; that of latent variables must not."""
    graph, gold = loopy_graph(2)
    instance, scores = scored(EXACT if not goes_back(objective) else FEW, (graph, np.where(np.arange(6) < 3, gold, -1)))
    try:
        objective.evaluate(instance, scores)
    except GoldError:
        assert not isinstance(objective, MarginalLogLikelihood)
        return True
    return False


@by_objective
def test_a_loss_that_is_at_its_least(objective):
    """No loss of an exact model is below what the objective says it can be."""
    for model, size, gold in (case[1:4] for case in STRUCTURES):
        instance, scores = scored(model, (size, gold))
        sure = {"weights": np.where(instance.right > 0, 40.0, -40.0)}
        for chosen in (scores, sure):
            assert objective.evaluate(instance, chosen).loss >= objective.least_loss - 1e-9
