"""NOT2 and NO2CYCLE: pairs of dependency arcs that exclude each other.

Legend: n words; arc h → m, from head h in 0 … n (0 is the root) to modifier m in 1 … n, is the variable arcs[h, m - 1].
"""

from typing import Any

import numpy as np

from pgm.errors import FactorGraphError
from pgm.factors.nand import Nand

__all__ = ["no_two_cycle", "not_two"]


def not_two(arcs: Any) -> Nand:
    """Return the family of Nand i → m, k → m: no word has two heads.

    Together they say what AtMostOne says for each modifier, with n² (n - 1) / 2 smaller factors (Smith & Eisner
    2008, §3.3, NOT2).  A word is no candidate head of itself.

    Parameters
    ----------
    arcs : variables (n + 1, n), n ≥ 2

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> graph = FactorGraph()
    >>> arcs = graph.variables("arc", shape=(4, 3))
    >>> graph.add(not_two(arcs))
    <NOT2: 9 factors over 2 variables>
    """
    words = arc_words(arcs)
    first, second = np.triu_indices(words, k=1)  # of the n candidate heads of a word
    heads = np.stack([first, second], axis=1)
    modifiers = np.repeat(np.arange(1, words + 1), len(heads))[:, None]
    heads = np.tile(heads, (words, 1))
    heads = heads + (heads >= modifiers)
    return Nand(arcs[heads, np.broadcast_to(modifiers - 1, heads.shape)], name="NOT2")


def no_two_cycle(arcs: Any) -> Nand:
    """Return the family of Nand i → j, j → i: no two words are each other's head.

    n (n - 1) / 2 factors (Smith & Eisner 2008, §3.3, NO2CYCLE).

    Parameters
    ----------
    arcs : variables (n + 1, n), n ≥ 2

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> graph = FactorGraph()
    >>> arcs = graph.variables("arc", shape=(4, 3))
    >>> graph.add(no_two_cycle(arcs)).describe(0)
    'factor 0 of NO2CYCLE over (arc[1, 1], arc[2, 0])'
    """
    first, second = np.triu_indices(arc_words(arcs), k=1)
    heads = np.stack([first, second], axis=1) + 1
    return Nand(arcs[heads, heads[:, ::-1] - 1], name="NO2CYCLE")


def arc_words(arcs: Any) -> int:
    """Return n, or say what is wrong with an array of arcs that should have pairs."""
    shape = tuple(arcs.shape)
    if len(shape) != 2 or shape[0] != shape[1] + 1 or shape[1] < 2:
        raise FactorGraphError(
            f"pairs of arcs need arc variables of shape (n + 1, n) with n ≥ 2, where arcs[h, m - 1] is the arc from "
            f"head h to modifier m; not of shape {shape}"
        )
    return int(shape[1])
