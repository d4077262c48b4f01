"""Any hypergraph as a factor."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff import Parameter
from autodiff.array_types import Floats
from hypergraph import HypergraphBuilder
from hypergraph.structure import Structure
from pgm.errors import FactorGraphError
from pgm.factor import Factor
from pgm.factors._hypergraph_run import HypergraphPass, HypergraphRun, expand
from pgm.factors._uses import Uses, as_pairs
from pgm.potential_source import PotentialSource

__all__ = ["HypergraphFactor"]


class HypergraphFactor(Factor):
    """ψ(y) is the total weight of the derivations of a hypergraph that agree with y.

    `uses` says which weight belongs to which state of which variable.  A derivation uses at most one weight of each
    variable, and that is the variable's state; if it uses none, the variable has its default state.  So there are two
    kinds of variables: those of which every derivation uses exactly one weight (the tag of a word), which need no
    default; and those that derivations turn on (an arc, a span), whose default is to be off.  Weights may belong to no
    variable at all.

    Messages take one inside-outside pass, O(edges); nothing is lost for confident or impossible states, and a variable
    that is forced on (its default message is -inf) is exact as well.  The message to a default state of a variable that
    is almost surely on takes an inside pass of its own, unless the variable is in a group.  Max-product maximises over
    derivations: that is over assignments where each has at most one derivation, as in all the ready factors.

    Parameters
    ----------
    variables : the variables of one factor, or (factors, degree) of them for a family
    structure : a `hypergraph.Hypergraph` or any structure of `hypergraph.structures`
    uses : (weights, 2) of (position of the variable, state), (-1, -1) for a weight of no variable; or a dictionary
        {weight: (position, state)}, by the weight's name or its number
    default : the default state of all variables, or (degree,) one for each with -1 for none; None for none at all
    log_potentials : (weights,) log-weights of its own, or (factors, weights); by default 0, and then they are not
        learned.  A `Parameter` or a `PotentialSource` that gives them is
    parameters : instead of `log_potentials`, those of the weights that belong to no variable alone, in their order (see
        `free_weights`): (free weights,) or (factors, free weights), or a `Parameter` or `PotentialSource` of that
    shape, terms : if the potentials have another shape, or are shared: the shape, and (weights,) or
        (weights, T) flat indices of the potentials whose sum is the log-weight, -1 for none
    groups : (degree,) numbers; of the variables with one number, each derivation turns on exactly one (the arcs into a
        word).  -1 for none.  Only for speed, and it is not checked
    possible : (weights,) which weights may be used at all; by default all
    cardinalities : for variables given as plain numbers; by default what `uses` and `default` need
    check : whether to check that derivations give each variable one state; by default if that takes no time

    References
    ----------
    Gormley, Dredze & Eisner (2015), Approximation-aware dependency parsing by belief propagation, §5.3 and eqs 13–19;
    Smith & Eisner (2008), Dependency parsing by belief propagation, §5.

    Examples
    --------
    Either of two words is the verb, and then the other one is a noun or a name:

    >>> from pgm import FactorGraph
    >>> builder = HypergraphBuilder()
    >>> for verb, other in ((0, 1), (1, 0)):
    ...     builder.edge(("verb", verb), weight=("verb", verb))
    ...     builder.edge(("other", other), weight=("noun", other))
    ...     builder.edge(("other", other), weight=("name", other))
    ...     builder.edge("sentence", [("verb", verb), ("other", other)])
    >>> tags = FactorGraph().variables("tag", 2, ["verb", "noun", "name"])
    >>> states = {"verb": 0, "noun": 1, "name": 2}
    >>> uses = {(tag, word): (word, state) for tag, state in states.items() for word in (0, 1)}
    >>> factor = HypergraphFactor(tags, builder.build("sentence"), uses)
    >>> run = factor.run(np.zeros((1, 6)), factor.prepare(None))
    >>> np.exp(run.log_partition).round(9), np.exp(run.messages).round(9)
    (array([4.]), array([[2., 1., 1., 2., 1., 1.]]))
    """

    row_fields = ()

    def __init__(
        self,
        variables: Any,
        structure: Structure,
        uses: Mapping[Any, tuple[int, int]] | ArrayLike,
        *,
        default: ArrayLike | None = None,
        log_potentials: ArrayLike | Parameter | PotentialSource | None = None,
        parameters: ArrayLike | Parameter | PotentialSource | None = None,
        shape: tuple[int, ...] | None = None,
        terms: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        possible: ArrayLike | None = None,
        cardinalities: Sequence[int] | None = None,
        check: bool | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(variables, name=name)
        self.structure = structure
        pairs = as_pairs(structure, uses)
        if self.graph is None:
            self.cardinalities = _cardinalities(self.degree, pairs, default, cardinalities)
        self.uses = Uses.of(self.name, structure, pairs, self.cardinalities, default, groups, possible)
        if check or (check is None and self.uses.is_small):
            self.uses.check(self.name)
        if parameters is not None:
            if not (log_potentials is None and shape is None and terms is None):
                raise FactorGraphError(
                    f"{self.name}: parameters are those of the weights of no variable; give them, or log_potentials "
                    f"with shape and terms"
                )
            log_potentials, shape = parameters, (len(self.free_weights),)
            terms = np.full(structure.num_weights, -1)
            terms[self.free_weights] = np.arange(len(self.free_weights))
        shape = (structure.num_weights,) if shape is None else shape
        self.terms = _terms(self.name, structure.num_weights, int(np.prod(shape)), terms)
        if log_potentials is not None:
            self._take_potentials(log_potentials, (self.num_factors, *shape))

    @property
    def free_weights(self) -> NDArray[np.int64]:
        """The numbers of the structure's weights that belong to no variable, ascending."""
        return np.flatnonzero(self.uses.slot < 0)

    @property
    def potentials(self) -> Floats | None:
        """(F, *shape), or None."""
        return self.log_potentials

    def score(self, assignment: NDArray[np.int64]) -> Floats:
        """Return the log of the total weight of the derivations that agree with the assignment."""
        places = self.offsets[:-1] + self.states_of(assignment)
        clamped = np.full((self.num_factors, int(self.offsets[-1])), -np.inf)
        np.put_along_axis(clamped, places, 0.0, axis=1)
        return self.run(clamped, self.prepare(self.potentials)).log_partition

    def prepare(self, potentials: Floats | None) -> "tuple[Floats | None, Floats]":
        """Return the potentials, and the own log-weights (F, weights) that they make."""
        if potentials is None:
            own = np.zeros((self.num_factors, self.structure.num_weights))
        else:
            own = expand(potentials.reshape(self.num_factors, -1), self.terms)
        own[:, ~self.uses.possible] = -np.inf
        return potentials, own

    def run(self, incoming: Floats, prepared: "tuple[Floats | None, Floats]") -> HypergraphRun:
        """Run inside-outside."""
        incoming = self.check_incoming(incoming)
        potentials, own = prepared
        return HypergraphRun(incoming, potentials, own, self.uses, self.terms)

    def max_messages(self, incoming: Floats, prepared: "tuple[Floats | None, Floats]") -> Floats:
        """Run inside-outside with maxima."""
        incoming = self.check_incoming(incoming)
        return HypergraphPass(incoming, prepared[1], self.uses, maximise=True).messages

    def best(self, incoming: Floats, prepared: "tuple[Floats | None, Floats]") -> NDArray[np.int64]:
        """Return the states that the best derivation gives the variables (Viterbi)."""
        done = HypergraphPass(incoming, prepared[1], self.uses, maximise=True)
        if not done.possible.all():
            raise self.contradiction(int(np.argmin(done.possible)))
        default = np.where(self.uses.default_slot >= 0, self.uses.default_slot - self.offsets[:-1], 0)
        states = np.tile(default, (self.num_factors, 1))
        for row in range(self.num_factors):
            used = done.best_weights(row)
            used = used[self.uses.position[used] >= 0]
            position = self.uses.position[used]
            states[row, position] = self.uses.slot[used] - self.offsets[position]
        return states

    def merge_key(self) -> Hashable:
        """Factors of one hypergraph and one mapping can be stacked."""
        arrays = (self.uses.slot, self.uses.default_slot, self.uses.group, self.uses.possible, self.terms)
        shape = None if self.log_potentials is None else self.log_potentials.shape[1:]
        return (type(self), id(self.uses.graph), shape, *(array.tobytes() for array in arrays))

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable["HypergraphFactor"]:
        """Yield factors with and without default states and potentials, with weights of no variable and shared ones."""
        if cls is not HypergraphFactor:  # a ready factor without examples of its own
            return
        builder = HypergraphBuilder()
        builder.edge("left", weight="left 0")
        builder.edge("left", ["bit"], weight="left 1")
        builder.edge("left", ["bit", "bit 2"], weight="left 2")
        builder.edge("bit", weight="on")
        builder.edge("bit", weight="nothing")
        builder.edge("bit 2", weight="on 2")
        builder.edge("bit 2", weight="on 2 otherwise")
        builder.edge("end", ["left"])
        builder.edge("end", ["left", "bit 3"], weight="twice")
        builder.edge("bit 3", weight="on 3")
        graph = builder.build("end")
        uses = {"left 0": (0, 0), "left 1": (0, 1), "left 2": (0, 2), "on": (1, 1), "on 2": (2, 1)}
        uses |= {"on 2 otherwise": (2, 2), "on 3": (3, 2)}
        variables = np.arange(8).reshape(2, 4)
        for log_potentials in (None, rng.normal(size=(2, graph.num_weights))):
            yield cls(variables, graph, uses, default=[-1, 0, 0, 1], log_potentials=log_potentials)


def _cardinalities(
    degree: int, pairs: NDArray[np.int64], default: ArrayLike | None, given: Sequence[int] | None
) -> tuple[int, ...]:
    if given is not None:
        if len(given) != degree:
            raise FactorGraphError(f"cardinalities is one number for each of {degree} positions, not {list(given)}")
        return tuple(int(card) for card in given)
    largest = np.array(np.broadcast_to(-1 if default is None else np.asarray(default, dtype=np.int64), (degree,)))
    inside = (pairs[:, 0] >= 0) & (pairs[:, 0] < degree)
    np.maximum.at(largest, pairs[inside, 0], pairs[inside, 1])
    return tuple(int(state) + 1 for state in largest)


def _terms(name: str, weights: int, potentials: int, terms: ArrayLike | None) -> NDArray[np.int64]:
    if terms is None:
        return np.arange(weights)[:, None]
    array = np.array(terms, dtype=np.int64).reshape(weights, -1)
    if (array < -1).any() or (array >= potentials).any():
        raise FactorGraphError(f"{name}: terms are indices of {potentials} potentials, or -1 for none")
    return array
