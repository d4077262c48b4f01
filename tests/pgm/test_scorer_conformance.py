"""Every scorer: gradients through all its parameters, which rows it reads, and what is not to be learned."""

import numpy as np
import pytest

from autodiff import Circuit, Parameter
from autodiff.errors import DomainError, ModuleError
from autodiff.modules import Gather, Split
from autodiff.optimizers import SGD
from hypergraph.structures import LinearChain
from oracles.found import concrete
from pgm.learning import (
    ConditionalLogLikelihood,
    FeatureScorer,
    ModuleScorer,
    Scorer,
    StructureModel,
    Trainer,
    check_objective,
)
from pgm.learning.gradient_sum import Chosen, GradientSum

KINDS = concrete(Scorer, "pgm")
CASES = [
    pytest.param(model, item, id=f"{kind.__name__}-{number}")
    for kind in KINDS
    for number, (model, item) in enumerate(kind.examples(np.random.default_rng(2)))
]
by_case = pytest.mark.parametrize(("model", "item"), CASES)
CLL = ConditionalLogLikelihood()


def test_all_are_here():
    assert {kind.__name__ for kind in KINDS} >= {"FamilyScorer", "FeatureScorer", "ModuleScorer"}
    assert all(list(kind.examples(np.random.default_rng(0))) for kind in KINDS)
    models = [case.values[0] for case in CASES]
    found = [p for model, case in zip(models, CASES, strict=True)
             for p in model.parameters([model.instance(case.values[1])]).values()]  # fmt: skip
    assert {parameter.hashed for parameter in found} == {True, False}
    assert any(isinstance(getattr(model.scorer, "module", None), Circuit) for model in models)


@by_case
def test_gradients_through_all_parameters(model, item):
    instance = model.instance(item)
    assert type(model.scorer) in KINDS
    for name, parameter in model.parameters([instance]).items():
        assert parameter.name == name
    check_objective(CLL, model, item).raise_if_failed()


@by_case
def test_scores_depend_on_the_rows_that_are_read(model, item):
    instance = model.instance(item)
    before, _ = model.scorer.score(instance)
    reads = model.scorer.reads(instance)
    parameters = model.parameters([instance])
    for name, rows in ({} if reads is None else reads).items():
        if rows is None:
            continue
        others = np.setdiff1d(np.arange(len(parameters[name].value)), rows)
        kept = parameters[name].value.copy()
        parameters[name].value[others] += 1e6
        parameters[name].changed()
        after, _ = model.scorer.score(instance)
        for kind, scores in before.items():
            np.testing.assert_array_equal(after[kind], scores)
        parameters[name].value[:] = kept
        parameters[name].changed()


@by_case
def test_what_is_not_learned_stays(model, item):
    instance = model.instance(item)
    parameters = model.parameters([instance])
    for chosen in parameters:
        before = {name: parameter.value.copy() for name, parameter in parameters.items()}
        Trainer(CLL, SGD(0.1), epochs=1).fit(model, [item], parameters=[parameters[chosen]])
        moved = {name for name, parameter in parameters.items() if (parameter.value != before[name]).any()}
        assert moved == {chosen}
        scores, backward = model.scorer.score(instance)
        total = GradientSum(parameters)
        backward(CLL.evaluate(instance, scores).adjoints, Chosen(total, {chosen}))
        assert total.take().keys() == {chosen}


# Each by itself


def chain_of(scorer):
    return StructureModel(lambda words: LinearChain(len(words), 2), scorer)


@pytest.mark.parametrize("features", [
    (np.array([0, 9]), np.array([0, 1, 2])), (np.array([-1]), np.array([0, 1])), (np.array([0]), np.array([0, 2])),
    (np.array([0, 1]), np.array([0, 2, 1, 2])), (np.array([0]), np.array([0, 1]), np.array([1.0, 2.0])),
])  # fmt: skip
def test_features_out_of_range_are_refused(features):
    model = chain_of(FeatureScorer(9, lambda _: features))
    with pytest.raises(DomainError, match=r"ind|offsets|values"):
        model.run(["a"])


def test_a_feature_that_is_huge_disturbs_no_other_part():
    """The sum of a part is that of its own features, not a difference of running sums."""
    scorer = FeatureScorer(3, lambda _: ([0, 1, 2], [0, 1, 3]))
    scorer.weights.value[:] = [1e17, 0.25, 0.5]
    model = chain_of(scorer)
    scores, _ = scorer.score(model.instance(["a"]))
    assert scores["weights"].tolist() == [1e17, 0.75]


def test_kinds_are_those_of_the_outputs():
    table = Parameter("table", np.zeros(4))
    circuit = Circuit("two")
    circuit.output(*circuit.add(Split((1, 3)), circuit.parameter(table)))
    with pytest.raises(ModuleError, match="2 outputs for 1 kinds"):
        chain_of(ModuleScorer(circuit, lambda _: ())).run(["a"])
    with pytest.raises(ModuleError, match="1 outputs for 2 kinds"):
        chain_of(ModuleScorer(Gather(), lambda _: (table, [0, 1]), kinds=("weights", "more"))).run(["a"])
