"""What a dependency model is: the choices that inference, training and the model file share."""

from functools import lru_cache
from typing import Any, Literal

from attrs import asdict, evolve, field, frozen
from attrs.validators import instance_of

from autodiff.validators import number, one_of, plain, whole
from hypergraph.roots import Roots
from hypergraph.structures import DependencyTrees, NonprojectiveTrees, ProjectiveTrees

__all__ = ["ModelSettings", "first_order"]

Tree = Literal["projective", "nonprojective"]
Schedule = Literal["tree", "parallel"]
Constraint = Literal["tree", "exactly_one", "at_most_one", "not_two"]


@frozen(kw_only=True)
class ModelSettings:
    """The model and its inference (Gormley et al. 2015; Smith & Eisner 2008).

    Attributes
    ----------
    order : 1 for arcs alone, 2 for pairs of arcs as well
    tree : "projective" or "nonprojective"
    roots : whether exactly "one" word depends on the root, or "any" number
    grandparents, siblings : which pairs of arcs a second-order model has; siblings are any two children of a head
    childseq : whether it has the sequences of a head's children, too: each child with the one before it (CHILDSEQ)
    nocross : whether it has penalties for two words whose arcs cross (NOCROSS), in nonprojective models
    constraint : "tree", or one of the weaker ones of Smith & Eisner's Table 3
    no_two_cycle : forbid h → m together with m → h, besides a weaker constraint
    inference : "bp", or "exact" by dynamic programming (projective models with arcs, grandparents and childseq)
    iterations, damping : of belief propagation
    schedule : "tree" (up and down the tree rooted at the constraint) or "parallel"
    tree_first : whether the tree constraint speaks before all others do, in the schedule "tree"
    """

    order: int = field(default=2, validator=one_of(1, 2))
    tree: Tree = field(default="projective", validator=one_of("projective", "nonprojective"))
    roots: Roots = field(default="one", validator=one_of("one", "any"))
    grandparents: bool = field(default=True, validator=instance_of(bool))
    siblings: bool = field(default=True, validator=instance_of(bool))
    childseq: bool = field(default=False, validator=instance_of(bool))
    nocross: bool = field(default=False, validator=instance_of(bool))
    constraint: Constraint = field(default="tree", validator=one_of("tree", "exactly_one", "at_most_one", "not_two"))
    no_two_cycle: bool = field(default=False, validator=instance_of(bool))
    inference: Literal["bp", "exact"] = field(default="bp", validator=one_of("bp", "exact"))
    iterations: int = field(default=4, converter=plain, validator=whole(1))
    damping: float = field(default=0.0, converter=plain, validator=number(least=0, below=1))
    schedule: Schedule = field(default="tree", validator=one_of("tree", "parallel"))
    tree_first: bool = field(default=True, validator=instance_of(bool))

    def __attrs_post_init__(self) -> None:
        if self.order == 1 and (self.childseq or self.nocross):
            raise ValueError(
                "childseq and nocross are parts of second-order models: use order=2 "
                "(grandparents and siblings can be left out)"
            )
        if self.nocross and self.tree == "projective":
            raise ValueError("nocross is for nonprojective models: in a projective tree no arcs cross")
        if self.inference == "exact" and self.constraint != "tree":
            raise ValueError(f"exact inference is for constraint='tree', not {self.constraint!r}; use inference='bp'")
        if self.inference == "exact" and self.order == 2 and (self.tree != "projective" or self.siblings):
            raise ValueError(
                "exact inference of second order is for projective models with grandparents or childseq and without "
                "siblings: use tree='projective' and siblings=False, or inference='bp'"
            )

    def trees(self, n: int) -> DependencyTrees:
        """Return what the model's trees over n words are."""
        return _trees(self.tree, self.roots, n)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for a file."""
        return asdict(self)


@lru_cache(maxsize=64)
def first_order(settings: ModelSettings) -> ModelSettings:
    """Return the first-order model that goes with a model: the same trees, arcs alone."""
    return evolve(settings, order=1, constraint="tree", childseq=False, nocross=False)


@lru_cache(maxsize=1024)
def _trees(tree: Tree, roots: Roots, n: int) -> DependencyTrees:
    return (ProjectiveTrees if tree == "projective" else NonprojectiveTrees)(n, roots)
