"""Names, variables, arrays, numbers and labels work everywhere; the results of all methods are asked alike."""

import numpy as np
import pytest

from oracles.joint import joint_log
from pgm import BeliefPropagation, FactorGraph, FactorGraphError, InferenceResult, TooLargeError
from pgm.exact import BruteForce, JunctionTree
from pgm.factors import ExactlyOne, Table
from pgm.learning import Example, GoldError, GraphModel, MinimumBayesRisk
from pgm.map import DeterministicAnnealing, LinearProgram
from pgm.sampling import Gibbs

METHODS = [BeliefPropagation(schedule="serial"), BruteForce(), JunctionTree(), Gibbs(sweeps=50), LinearProgram()]


def chain(length=5):
    """A chain of variables with labels, a spin and a lamp hanging on it."""
    rng = np.random.default_rng(1)
    graph = FactorGraph()
    x = graph.variables("x", length, ["low", "middle", "high"])
    spin, lamp = graph.variable("spin", [-1, 1]), graph.variable("lamp", ["off", "on"])
    graph.add(Table([x[:-1], x[1:]], rng.normal(size=(length - 1, 3, 3))))
    graph.add(Table([x[0], spin], rng.normal(size=(3, 2))))
    graph.add(Table([lamp, x[length - 1]], rng.normal(size=(2, 3)), name="lamp"))
    return graph


def joint_of(graph, variables, evidence=None):
    """Return the joint probabilities of variables, by listing everything."""
    joint = joint_log(graph, evidence)
    weights = np.exp(joint - joint.max())
    others = tuple(v for v in range(graph.num_variables) if v not in variables)
    kept = sorted(variables)
    return weights.sum(axis=others).transpose([kept.index(v) for v in variables]) / weights.sum()


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_results_are_asked_alike(method):
    graph = chain()
    x, lamp = graph["x"], graph["lamp"]
    result = method.run(graph)
    assert isinstance(result, InferenceResult)
    assert result.flat_beliefs.shape == (int(graph.cardinalities.sum()),)
    assert [len(belief) for belief in result.beliefs] == graph.cardinalities.tolist()
    np.testing.assert_array_equal(result.belief("lamp"), result.belief(lamp))
    np.testing.assert_array_equal(result.belief(lamp.index), result.belief(lamp))
    np.testing.assert_array_equal(result.belief("x"), result.belief(x))
    np.testing.assert_array_equal(result.belief("x[1]"), result.belief(x)[1])
    table = result.table("lamp")
    assert table["on"] == result.belief(lamp)[1]
    assert repr(table).splitlines()[0].split() == ["lamp", "probability"]
    assert repr(table).splitlines()[2].split() == ["on", f"{table['on']:.6f}"]
    assert table.best == ("off", "on")[int(np.argmax(result.belief(lamp)))]
    assert result.table(x)["x[1]", "high"] == result.belief(x)[1, 2]
    assert dict(result.table("spin").items())[-1] == result.belief("spin")[0]
    for nothing in ("lung", 99, -1, 1.5, None, FactorGraph().variable("lamp")):
        with pytest.raises(FactorGraphError):
            result.belief(nothing)
    with pytest.raises(FactorGraphError, match="no 'green'"):
        table["green"]


@pytest.mark.parametrize("method", METHODS[1:3], ids=lambda method: type(method).__name__)
@pytest.mark.parametrize("evidence", [{}, {"x[2]": "middle"}, {"lamp": "on", "x[0]": 2}])
def test_joint_queries(method, evidence):
    graph = chain()
    observed = graph.evidence(evidence)
    for names in (["lamp", "spin"], ["x[0]", "x[1]"], ["x[3]", "lamp", "x[0]"], ["spin"]):
        variables = [graph[name].index for name in names]
        expected = joint_of(graph, variables, observed)
        table = method.query(graph, names, evidence=evidence)
        np.testing.assert_allclose(table.probabilities, expected, atol=1e-12)
        assert table.names == tuple(names)
        np.testing.assert_allclose(method.run(graph, evidence=evidence).belief(names), expected, atol=1e-12)
    assert method.query(graph, ["spin", "lamp"], evidence=evidence)[1, "off"] >= 0.0


def test_joint_of_many_variables_is_refused_before_it_is_made():
    graph = FactorGraph()
    x = graph.variables("x", 60)
    graph.add(Table([x[:-1], x[1:]], np.eye(2)))
    assert JunctionTree().query(graph, [x[0], x[59]]).probabilities.shape == (2, 2)
    with pytest.raises(TooLargeError, match="treewidth"):
        JunctionTree().query(graph, list(x[np.arange(40)]))


def test_belief_propagation_has_the_joints_of_its_tables():
    graph = chain()
    result = BeliefPropagation(schedule="serial").run(graph)
    for names in (["x[1]", "x[2]"], ["x[2]", "x[1]"], ["lamp", "x[4]"], ["x[4]", "lamp"]):
        expected = joint_of(graph, [graph[name].index for name in names])
        np.testing.assert_allclose(result.belief(names), expected, atol=1e-12)
        assert result.table(names).names == tuple(names)
    with pytest.raises(FactorGraphError, match=r"no joint belief of \['lamp', 'spin'\]; ask JunctionTree"):
        result.belief(["lamp", "spin"])


@pytest.mark.parametrize("wrong", [[], ["lamp", "lamp"], ["x"], ["lamp", "nothing"]])
def test_joints_of_what_is_no_list_of_variables(wrong):
    for method in (BruteForce(), JunctionTree(), BeliefPropagation()):
        with pytest.raises(FactorGraphError):
            method.run(chain()).belief(wrong)
    with pytest.raises(FactorGraphError):
        JunctionTree().query(chain(), wrong)


def test_what_a_method_has_not_is_said():
    result = Gibbs(sweeps=1).run(chain())
    with pytest.raises(FactorGraphError, match="no log-partition"):
        result.log_partition  # noqa: B018
    with pytest.raises(FactorGraphError, match="no joint belief"):
        result.belief(["lamp", "spin"])
    with pytest.raises(FactorGraphError, match="no beliefs of factors"):
        result.belief(result.graph.families[0])
    with pytest.raises(FactorGraphError, match="not a factor of this graph"):
        JunctionTree().run(chain()).belief(ExactlyOne(np.arange(3)))


def forms(graph):
    """The same evidence in all its forms."""
    x = graph["x"]
    yield {"x[1]": "high", "x[3]": "low", "spin": 1, "lamp": "on"}
    yield {x[1]: 2, x[3]: 0, graph["spin"]: 1, graph["lamp"]: 1}
    yield {1: 2, np.int64(3): np.int64(0), 5: 1, 6: np.str_("on")}
    yield {x: [-1, 2, -1, 0, -1], "spin": 1, "lamp": 1}
    yield {"x": [None, "high", None, "low", None], "spin": np.int64(1), "lamp": "on"}
    yield {x[[1, 3]]: np.array(["high", "low"]), "spin": 1, "lamp": 1}
    yield np.array([-1, 2, -1, 0, -1, 1, 1])
    yield [-1, 2, -1, 0, -1, 1, 1]


def test_evidence_and_gold_take_the_same_forms():
    graph = chain()
    expected = {1: 2, 3: 0, 5: 1, 6: 1}
    answer = BruteForce().run(graph, evidence=expected | {5: 1}).log_partition
    for given in forms(graph):
        assert dict(graph.evidence(given)) == expected
        assert Example(graph, given).gold.tolist() == [-1, 2, -1, 0, -1, 1, 1]
        assert Example(graph, {}, evidence=given).evidence.tolist() == [-1, 2, -1, 0, -1, 1, 1]
        for method in (BruteForce(), JunctionTree(), BeliefPropagation(schedule="serial")):
            assert method.run(graph, evidence=given).log_partition == pytest.approx(answer, abs=1e-9)
        assert JunctionTree().query(graph, ["lamp"], evidence=given)["on"] == 1.0
        assert DeterministicAnnealing().run(graph, evidence=given).states()["x[1]"] == "high"
        assert LinearProgram().run(graph, evidence=given).state("x")[3] == "low"
        assert GraphModel().decode(Example(graph, {}, evidence=given), MinimumBayesRisk())[1] == 2


def test_one_state_for_a_whole_array_and_masks():
    graph = FactorGraph()
    pixels = graph.variables("pixel", (2, 2))
    assert graph.evidence({"pixel": 1}) == dict.fromkeys(range(4), 1)
    assert graph.evidence({pixels: np.eye(2, dtype=bool)}) == {0: 1, 1: 0, 2: 0, 3: 1}


def test_whole_numbers_are_labels_where_labels_are_whole_numbers():
    graph = FactorGraph()
    spins, years = graph.variables("spin", 3, [-1, 1]), graph.variable("year", [2, 1, 0])
    assert graph.evidence({spins: [-1, 1, -1], years: 0}) == {0: 0, 1: 1, 2: 0, 3: 2}
    assert Example(graph, {"spin": np.array([1, 1, -1])}).gold.tolist() == [1, 1, 0, -1]
    with pytest.raises(FactorGraphError, match="no state 0"):
        graph.evidence({spins: [0, 1, 1]})
    # What was found once is not taken for labels again.
    graph.add(Table([years], np.log([0.7, 0.2, 0.1])))
    graph.add(ExactlyOne(np.array([0, 1])))
    for method in (BeliefPropagation(), JunctionTree(), BruteForce()):
        found = graph.evidence({"year": 0})
        assert method.run(graph, evidence=found).belief("year").tolist() == [0.0, 0.0, 1.0]
    assert Gibbs(sweeps=2).run(graph, evidence={"year": 0}).belief("year").tolist() == [0.0, 0.0, 1.0]


MISTAKES = [
    ({7: 0}, "no variable number 7; there are 7 variables, 0 to 6"),
    ({-1: 0}, "no variable number -1"),
    ({"nothing": 0}, "no variable 'nothing'"),
    ({"x": 0, "x[1]": 1}, r"x\[1\]' is given twice"),
    ({"lamp": 0, 6: 0}, "'lamp' is given twice, the second time by 6"),
    ({"lamp": "green"}, "no state 'green'"),
    ({"lamp": 2}, "no state 2"),
    ({"lamp": -1}, "no state -1"),
    ({"lamp": 1.0}, "no state 1.0"),
    ({"lamp": [0, 1]}, "has one state"),
    ({"x": [0, 1]}, r"shape \(5,\), but its states are .* \(2,\)"),
    ({"x": [0, 1, 2, 3, 0]}, r"x\[3\]' has no state 3"),
    ({"x": [0.0, 1.0, 2.0, 0.0, 0.0]}, r"x\[0\]' has no state 0.0"),
    ({"x": ["low", "green", "low", "low", "low"]}, r"x\[1\]' has no state 'green'"),
    ({None: 0}, "expected a variable"),
    ([0, 1], r"not int64 \(2,\)"),
    ([0, 0, 0, 0, 0, 0, 2], "'lamp' has 2 states, and no number 2"),
    (np.zeros(7), "not float64"),
    ("lamp", "states are a dictionary"),
]


@pytest.mark.parametrize(("given", "message"), MISTAKES, ids=[str(given) for given, _ in MISTAKES])
def test_mistakes_are_named(given, message):
    graph = chain()
    for ask in (
        lambda: BeliefPropagation().run(graph, evidence=given),
        lambda: JunctionTree().run(graph, evidence=given),
        lambda: JunctionTree().query(graph, ["lamp"], evidence=given),
    ):
        with pytest.raises(FactorGraphError, match=message):
            ask()
    with pytest.raises(GoldError, match=message):
        Example(graph, given)
    with pytest.raises(GoldError, match=message):
        Example(graph, {}, evidence=given)


def test_evidence_of_another_graph_is_refused():
    with pytest.raises(FactorGraphError, match="another factor graph"):
        BeliefPropagation().run(chain(4), evidence=chain(5).evidence({"lamp": 0}))


def test_unknown_states_stand_among_labels():
    graph = chain()
    assert graph.evidence({"x": ["low", -1, "high", None, 1]}) == {0: 0, 2: 2, 4: 1}
    assert Example(graph, {"x": ["low", -1, "high", -1, -1]}).gold.tolist() == [0, -1, 2, -1, -1, -1, -1]


def test_labels_may_be_tuples():
    graph = FactorGraph()
    pair = graph.variable("pair", [("a", 1), ("b", 2)])
    assert graph.evidence({pair: ("b", 2)}) == {0: 1}
    with pytest.raises(FactorGraphError, match="has one state"):
        graph.evidence({pair: ("b", 3)})


@pytest.mark.parametrize("method", [BruteForce(), JunctionTree()], ids=lambda method: type(method).__name__)
def test_a_query_of_one_variable_or_of_an_array(method):
    graph = chain()
    expected = joint_of(graph, [graph["lamp"].index])
    for one in ("lamp", graph["lamp"], graph["lamp"].index):
        np.testing.assert_allclose(method.query(graph, one).probabilities, expected)
    first = method.query(graph, graph["x"][:2])
    assert first.names == ("x[0]", "x[1]")
    np.testing.assert_allclose(first.probabilities, joint_of(graph, [0, 1]))
    with pytest.raises(FactorGraphError, match="expected a variable"):
        method.query(graph, None)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_every_method_has_the_joint_belief_of_one_variable(method):
    result = method.run(chain())
    np.testing.assert_allclose(result.belief(["lamp"]), result.belief("lamp"))
    with pytest.raises(FactorGraphError, match="each once"):
        result.belief(["lamp", "lamp"])
