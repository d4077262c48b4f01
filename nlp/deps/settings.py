"""What a dependency model is: the choices that inference, training and the model file share."""

from typing import Any, Literal

from attrs import asdict, field, frozen
from attrs.validators import ge, lt

from autodiff.validators import one_of

__all__ = ["ModelSettings"]

Tree = Literal["projective", "nonprojective"]
Constraint = Literal["tree", "exactly_one", "at_most_one", "not_two"]


@frozen(kw_only=True)
class ModelSettings:
    """The model and its inference (Gormley et al. 2015; Smith & Eisner 2008).

    Attributes
    ----------
    order : 1 for arcs alone, 2 for pairs of arcs as well
    tree : "projective" or "nonprojective"
    roots : whether exactly "one" word depends on the root, or "any" number
    grandparents, siblings : which pairs a second-order model has
    constraint : "tree", or one of the weaker ones of Smith & Eisner's Table 3
    no_two_cycle : forbid h → m together with m → h, besides a weaker constraint
    inference : "bp", or "exact" by dynamic programming (projective models with arcs or grandparents)
    iterations, damping : of belief propagation, up and down the tree rooted at the constraint
    tree_first : whether the tree constraint speaks before the pairs of arcs do
    """

    order: int = field(default=2, validator=one_of(1, 2))
    tree: Tree = field(default="projective", validator=one_of("projective", "nonprojective"))
    roots: Literal["one", "any"] = field(default="one", validator=one_of("one", "any"))
    grandparents: bool = True
    siblings: bool = True
    constraint: Constraint = field(default="tree", validator=one_of("tree", "exactly_one", "at_most_one", "not_two"))
    no_two_cycle: bool = False
    inference: Literal["bp", "exact"] = field(default="bp", validator=one_of("bp", "exact"))
    iterations: int = field(default=4, validator=ge(1))
    damping: float = field(default=0.0, validator=[ge(0), lt(1)])
    tree_first: bool = True

    def __attrs_post_init__(self) -> None:
        if self.inference == "exact" and self.order == 2 and (self.tree != "projective" or self.siblings):
            raise ValueError(
                "exact inference of second order is for projective models with grandparents and without siblings: "
                "use tree='projective' and siblings=False, or inference='bp'"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for a file."""
        return asdict(self)
