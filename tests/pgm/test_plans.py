"""Planning a junction tree stops where the budget is far passed, and says by how much."""

import numpy as np
import pytest

from pgm import FactorGraph, TooLargeError
from pgm.exact import BruteForce, JunctionTree, elimination, named_arrays
from pgm.exact.plan import human_bytes, more_bytes
from pgm.factors import Table
from pgm.map import LinearProgram


def grid(size):
    graph = FactorGraph()
    x = graph.variables("x", (size, size))
    graph.add(Table([x[:-1], x[1:]], np.eye(2)))
    graph.add(Table([x[:, :-1], x[:, 1:]], np.eye(2)))
    return graph


def test_planning_stops_beyond_the_budget(monkeypatch):
    looked = []
    eliminate = elimination._eliminate

    def counted(*args, **options):
        steps = eliminate(*args, **options)
        looked.append(max(len(gone) + len(near) for gone, near in steps))
        return steps

    monkeypatch.setattr(elimination, "_eliminate", counted)
    plan = JunctionTree(budget=1 << 16).plan(grid(60))
    assert plan.abandoned
    assert len(looked) == 1, "one quick order is enough to see that it is hopeless"
    assert max(looked) < 40, "and it is not followed to its end"
    with pytest.raises(TooLargeError, match=r"needs more than .*, but the budget is 64.0 KiB \(treewidth \d+ and more"):
        JunctionTree(budget=1 << 16).run(grid(60))


def test_a_plan_near_the_budget_is_still_looked_for():
    graph = grid(12)
    whole = JunctionTree().plan(graph)
    assert not whole.abandoned
    tight = JunctionTree(budget=whole.memory)
    assert tight.plan(graph).memory <= whole.memory
    near = JunctionTree(budget=whole.memory // 2).plan(graph)
    assert not near.abandoned
    assert near.memory == whole.memory


def test_numbers_differ_where_they_are_said_to():
    assert more_bytes(2 * 1024**3 + 1, 2 * 1024**3) == "2.0 GiB and 1 bytes"
    graph = grid(8)
    need = JunctionTree().plan(graph).memory
    with pytest.raises(TooLargeError, match=rf"needs {human_bytes(need)} and 1 bytes, but the budget") as caught:
        JunctionTree(budget=need - 1).run(graph)
    needs, budget = str(caught.value).split(", but the budget is ")
    assert needs.split("needs ")[1] != budget.split(" (")[0]


@pytest.mark.parametrize("wrong", [-1, 2.5, "2 GiB", None])
def test_limits_are_whole_numbers(wrong):
    for make in (
        lambda: JunctionTree(budget=wrong),
        lambda: BruteForce(limit=wrong),
        lambda: LinearProgram(limit=wrong),
    ):
        with pytest.raises(ValueError, match="must be a whole number"):
            make()


def test_arrays_that_bring_no_new_axes_are_multiplied_at_once(monkeypatch):
    looked = []
    monkeypatch.setattr(named_arrays.math, "prod", lambda sizes: looked.append(1) or np.prod(list(sizes)))
    rng = np.random.default_rng(0)
    arrays = [named_arrays.NamedArray((0, 1), rng.normal(size=(2, 3))) for _ in range(50)]
    product = named_arrays.multiply([*arrays, named_arrays.NamedArray((1, 2), np.ones((3, 4)))])
    np.testing.assert_allclose(product.aligned((0, 1, 2))[..., 0], sum(array.values for array in arrays) + 1.0)
    assert len(looked) == 1, "the size of a product is asked of those only that enlarge it"
