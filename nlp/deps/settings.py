"""What a dependency model is: the choices that inference, training, commands and the model file share."""

from typing import Literal

from attrs import frozen
from attrs.validators import instance_of, optional

from autodiff.named import setting
from autodiff.validators import number, one_of, plain, whole
from hypergraph.structures import DependencyTrees, NonprojectiveTrees, ProjectiveTrees

__all__ = ["ConstraintSettings", "PartSettings", "ScorerSettings", "TreeSettings"]

TreeKind = Literal["projective", "nonprojective"]
Roots = Literal["one", "any"]
Constraint = Literal["global", "exactly_one", "at_most_one", "not_two"]

_STRUCTURES = {"projective": ProjectiveTrees, "nonprojective": NonprojectiveTrees}


@frozen(kw_only=True)
class TreeSettings:
    """Which trees there are.

    Attributes
    ----------
    tree : "projective" or "nonprojective"
    roots : whether exactly "one" word depends on the root, or "any" number; None: "one" if all training trees have one
    """

    tree: TreeKind = setting(
        default="projective", validator=one_of("projective", "nonprojective"), help="What trees may be."
    )
    roots: Roots | None = setting(
        default=None, validator=optional(one_of("one", "any")), help="Words under the root; by default as in the data."
    )

    def structure(self, n: int) -> DependencyTrees:
        """Return the trees over n words: where the two kinds part."""
        return _STRUCTURES[self.tree](n, self.roots or "one")


@frozen(kw_only=True)
class ConstraintSettings:
    """What makes arcs a tree in inference; decoders always return trees.

    Attributes
    ----------
    constraint : "global" for one factor that knows all trees (TREE or PTREE), or a weaker one of Smith & Eisner (2008),
        Table 3: each word has exactly one head, at most one, or not two (by pairs)
    no_two_cycle : forbid h → m together with m → h, besides a weaker constraint
    """

    constraint: Constraint = setting(
        default="global",
        validator=one_of("global", "exactly_one", "at_most_one", "not_two"),
        help="What makes arcs a tree, in inference.",
    )
    no_two_cycle: bool = setting(
        default=False, validator=instance_of(bool), help="With a weaker constraint: forbid h → m with m → h."
    )


@frozen(kw_only=True)
class PartSettings:
    """Which parts are scored; the kinds of second-order parts have switches of their own (`nlp.deps.kinds`).

    Attributes
    ----------
    order : 1 for arcs alone, 2 for the other kinds that are switched on as well
    labels : whether arcs have relations: summed out where arcs are scored, as variables with factors of their own, or
        none at all; None: summed out if the training trees have more than one relation
    """

    order: int = setting(default=2, converter=plain, validator=one_of(1, 2), help="1: arcs alone; 2: pairs as well.")
    labels: Literal["sum", "joint", "none"] | None = setting(
        default=None,
        validator=optional(one_of("sum", "joint", "none")),
        help="Relations: summed out, variables, or none; by default as in the data.",
    )


@frozen(kw_only=True)
class ScorerSettings:
    """How parts are scored.

    Attributes
    ----------
    bits : 2^bits hashed weights
    word_dropout : in training, a word that occurs c times in it is taken for an unknown one with probability
        word_dropout / (word_dropout + c), anew each time, so that the features of tags learn to do without it
    """

    bits: int = setting(default=22, converter=plain, validator=[whole(1), number(most=28)], help="2^bits weights.")
    word_dropout: float = setting(
        default=1.0,
        converter=plain,
        validator=number(least=0),
        help="Take rare words for unknown ones at times, in training.",
    )
