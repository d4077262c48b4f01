"""What some factors can and others cannot is declared by `Factor`: best assignments, rows, linear constraints."""

import inspect

import numpy as np
import pytest

import pgm.factors
from pgm import (
    BeliefPropagation,
    ContradictionError,
    FactorCheckError,
    FactorGraph,
    FactorGraphError,
    check_factor,
)
from pgm.exact import BruteForce
from pgm.factors import ExactlyOne, NoCross, Or, ProjectiveTree, Table, Tree

KINDS = [kind for name in pgm.factors.__all__ if inspect.isclass(kind := getattr(pgm.factors, name))]
FACTORS = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


@FACTORS
def test_best_is_best_where_many_are_tied(kind):
    """Messages of few whole numbers, and of zeros: for all factors of a family at once."""
    rng = np.random.default_rng(5)
    for factor in kind.examples(rng):
        prepared = factor.prepare(factor.potentials)
        for most in (1, 2):
            incoming = rng.integers(most, size=(factor.num_factors, int(factor.offsets[-1]))).astype(float)
            run = factor.run(incoming, prepared)
            if (run.log_partition == -np.inf).any():
                continue
            best = factor.best(incoming, prepared)
            assert best.shape == factor.variables.shape
            places = factor.offsets[:-1] + best
            found = factor.score(best) + np.take_along_axis(incoming, places, axis=1).sum(axis=1)
            maxima = factor.max_messages(incoming.copy(), prepared) + incoming
            for d in range(factor.degree):  # no state of any variable is in a better one
                edge = maxima[:, factor.offsets[d] : factor.offsets[d + 1]]
                chosen = np.take_along_axis(edge, best[:, d : d + 1], axis=1)[:, 0]
                np.testing.assert_allclose(chosen, edge.max(axis=1), atol=1e-9)
            assert (found > -np.inf).all()


@pytest.mark.parametrize("kind", [Tree, ProjectiveTree])
def test_best_trees_keep_to_certain_arcs(kind):
    factor = kind(np.arange(12).reshape(4, 3), roots="one")
    rng = np.random.default_rng(0)
    sure = np.zeros(24)
    sure[1::2] = rng.normal(size=12)
    sure[2 * (2 * 3 + 0)] = -np.inf  # 2 → 1 must be ON
    best = factor.best(sure[None], None)[0].reshape(4, 3)
    assert best[2, 0] == 1
    assert factor.score(best.reshape(1, -1))[0] == 0.0
    sure[2 * (3 * 3 + 0)] = -np.inf  # 3 → 1 as well
    with pytest.raises(ContradictionError, match="Tree over"):
        factor.best(sure[None], None)


def test_check_factor_sees_a_best_that_is_not():
    class Second(Table):
        """Chooses what is second."""

        def best(self, incoming, prepared):
            return 1 - super().best(incoming, prepared)

    with pytest.raises(FactorCheckError, match="the score of best"):
        check_factor(Second(np.array([[0]]), [0.0, 3.0]))

    class Hopeless(ExactlyOne):
        """Finds nothing."""

        def best(self, incoming, prepared):
            raise self.contradiction(0)

    with pytest.raises(FactorCheckError, match="but there are assignments"):
        check_factor(Hopeless(np.arange(3)))

    class Deaf(ExactlyOne):
        """Always has the first."""

        def best(self, incoming, prepared):
            try:
                return super().best(incoming, prepared)
            except ContradictionError:
                return np.zeros(self.variables.shape, dtype=np.int64)

    with pytest.raises(FactorCheckError, match=r"best is .* contradict"):
        check_factor(Deaf(np.arange(3)))


class Forgetful(Or):
    """An Or that does not declare that `swapped` has a row for each factor."""

    row_fields = ()


def test_check_factor_sees_a_field_that_is_not_declared():
    with pytest.raises(FactorCheckError, match="the score of what take makes"):
        check_factor(Forgetful(np.arange(4).reshape(2, 2), negated=np.array([[True, False], [False, False]])))


class Alone(ExactlyOne):
    """Says nothing of rows."""

    row_fields = None

    def merge_key(self):
        return None


def test_a_factor_that_declares_no_rows_stays_together():
    graph = FactorGraph()
    x = graph.variables("x", 4)
    graph.add(Table(x[np.arange(4)[:, None]], np.random.default_rng(0).normal(size=(4, 2))))
    alone = graph.add(Alone(x[[[0, 1], [2, 3]]]))
    with pytest.raises(FactorGraphError, match=r"Alone does not say .* declare row_fields"):
        alone.take(np.array([1]))
    check_factor(alone)
    exact, found = BruteForce().run(graph), BeliefPropagation().run(graph)
    np.testing.assert_allclose(found.flat_beliefs, exact.flat_beliefs, atol=1e-12)


@FACTORS
def test_the_parts_of_a_family_are_of_its_class_and_leave_it_as_it_was(kind):
    for factor in kind.examples(np.random.default_rng(1)):
        before = dict(vars(factor))
        part = factor.take(np.zeros(3, dtype=int))
        assert type(part) is type(factor)
        assert part.num_factors == 3
        assert part.source is None
        for name, value in before.items():
            assert vars(factor)[name] is value


def test_a_soft_family_takes_other_potentials():
    soft = NoCross.of_arcs(np.arange(20).reshape(5, 4), np.arange(6.0))
    other = soft.with_potentials(np.ones(6))
    assert soft.potentials.tolist() == [0, 1, 2, 3, 4, 5]
    assert other.potentials.tolist() == [1.0] * 6
    with pytest.raises(ValueError, match="no log-potentials"):
        ExactlyOne(np.arange(3)).with_potentials([1.0])
