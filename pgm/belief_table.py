"""Probabilities with the names of what they are of."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from pgm.errors import FactorGraphError

__all__ = ["BeliefTable"]

_SHOWN = 40  # lines of a table that are printed


@frozen(eq=False, repr=False)
class BeliefTable:
    """The belief of a variable, the joint belief of several, or those of an array of variables, with labels.

    Attributes
    ----------
    names : what each axis is: the name of a variable; of an array of variables, its name and "state"
    labels : for each axis the names of its entries
    probabilities : an axis for each name

    Examples
    --------
    >>> table = BeliefTable(("rain", "wet"), (("no", "yes"), ("dry", "wet")), np.array([[0.72, 0.08], [0.04, 0.16]]))
    >>> table["yes", "wet"]
    0.16
    >>> table
    rain  wet  probability
    no    dry     0.720000
    no    wet     0.080000
    yes   dry     0.040000
    yes   wet     0.160000
    >>> table.best
    ('no', 'dry')
    """

    names: tuple[str, ...] = field()
    labels: tuple[tuple[Any, ...], ...] = field()
    probabilities: NDArray[np.float64] = field()

    def __getitem__(self, label: Any) -> float:
        """Return the probability of a label; of several axes, of a tuple of labels."""
        wanted = label if isinstance(label, tuple) and len(self.names) > 1 else (label,)
        if len(wanted) != len(self.names):
            raise FactorGraphError(f"the table has {len(self.names)} axes, {self.names}; {wanted} are {len(wanted)}")
        place = []
        for name, labels, one in zip(self.names, self.labels, wanted, strict=True):
            if one not in labels:
                raise FactorGraphError(f"{name!r} has no {one!r}; it has {labels[:20]}")
            place.append(labels.index(one))
        return float(self.probabilities[tuple(place)])

    def items(self) -> Iterator[tuple[Any, float]]:
        """Yield (label, or tuple of labels; probability)."""
        for labels, probability in zip(itertools.product(*self.labels), self.probabilities.ravel(), strict=True):
            yield labels if len(labels) > 1 else labels[0], float(probability)

    @property
    def best(self) -> Any:
        """The label (or tuple of labels) of greatest probability, the first of equals."""
        place = np.unravel_index(int(np.argmax(self.probabilities)), self.probabilities.shape)
        found = tuple(labels[at] for labels, at in zip(self.labels, place, strict=True))
        return found if len(found) > 1 else found[0]

    def __repr__(self) -> str:
        lines = [(*self.names, "probability")]
        for labels, probability in itertools.islice(
            zip(itertools.product(*self.labels), self.probabilities.ravel(), strict=True), _SHOWN
        ):
            lines.append((*map(str, labels), f"{probability:.6f}"))
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        text = [
            "  ".join([*(cell.ljust(width) for cell, width in zip(line[:-1], widths[:-1], strict=True)),
                       line[-1].rjust(widths[-1])])
            for line in lines
        ]  # fmt: skip
        if self.probabilities.size > _SHOWN:
            text.append(f"… ({self.probabilities.size} in all)")
        return "\n".join(text)
