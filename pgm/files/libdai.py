"""Factor graphs of libDAI (.fg).

    number of factors; then for each
    its number of variables, their labels, their numbers of states
    the number of entries that are listed, and for each its place and its value; others are zero

The FIRST variable runs fastest in a table.  `#` begins a comment.
"""

import math

import numpy as np

from pgm.files.families import MAX_DEGREE, MAX_STATES, TableList, listed_tables, potentials_of
from pgm.files.tokens import AnyPath, Tokens, read_text, write_text
from pgm.graph import FactorGraph

__all__ = ["read_fg", "write_fg"]


def read_fg(path: AnyPath) -> FactorGraph:
    """Read a factor graph; its variables are in the order of their labels, and named by them.

    Raises
    ------
    FileFormatError
        If the file is malformed: `file:line: what is wrong; what was expected`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "pair.fg")
    >>> _ = path.write_text("1  2  4 7  2 3  2  1 0.5  4 2.0")
    >>> graph = read_fg(path)
    >>> graph["7"].cardinality, np.exp(graph.families[0].log_potentials).tolist()
    (3, [[[0.0, 0.0, 2.0], [0.5, 0.0, 0.0]]])
    """
    tokens = Tokens(path, read_text(path), comment="#")
    cards: dict[int, int] = {}
    listed = []
    dense = 0
    for i in range(tokens.integer("the number of factors", low=1, high=tokens.left)):
        degree = tokens.integer(f"the number of variables of factor {i}", high=MAX_DEGREE)
        labels = tokens.integers(degree, f"the labels of the variables of factor {i}")
        if len(set(labels)) != degree:
            tokens.fail(f"factor {i} has a variable twice, {labels}", "different variables")
        shape = tokens.integers(degree, f"the numbers of states of the variables of factor {i}", low=1)
        for label, card in zip(labels, shape, strict=True):
            if cards.setdefault(label, card) != card:
                tokens.fail(f"variable {label} has {card} states here", f"{cards[label]}, as in an earlier factor")
        size = math.prod(shape)
        dense += size
        if dense > MAX_STATES + 1000 * len(tokens.words):  # omitted entries are zero, so the file may be much smaller
            tokens.fail(f"tables of {dense} entries in all", f"at most {MAX_STATES} + 1000 for each number in the file")
        count = tokens.integer(f"the number of listed entries of factor {i}", high=size)
        pairs = tokens.numbers(2 * count, f"{count} entries of factor {i}, each with its place").reshape(count, 2)
        places = pairs[:, 0].astype(np.int64) if count == 0 or pairs[:, 0].max() < size else None
        if places is None or (places != pairs[:, 0]).any() or len(np.unique(places)) != count:
            tokens.fail(f"the places of the entries of factor {i}", f"different whole numbers from 0 to {size - 1}")
        table = np.zeros(size)
        table[places] = pairs[:, 1]
        listed.append((labels, table.reshape(shape, order="F")))
    tokens.end(f"nothing after {len(listed)} factors")
    if not cards:
        tokens.fail("no factor has a variable", "at least one variable")
    graph = FactorGraph()
    numbers = {label: graph.variable(str(label), cards[label]).index for label in sorted(cards)}
    tables = TableList()
    for labels, potentials in listed:
        tables.append(tuple(numbers[label] for label in labels), potentials)
    tables.add_to(graph)
    return graph


def write_fg(graph: FactorGraph, path: AnyPath) -> None:
    """Write a factor graph, gzipped if `path` ends in .gz; zeros are omitted, and so are variables without factors.

    Variables are labelled by their numbers; small factors that are no tables are written as tables.

    Raises
    ------
    TooLargeError
        If a factor is too large to be written as a table.
    PotentialError
        If a potential is too large or too small for a floating-point number.

    Examples
    --------
    >>> from pgm.factors import Table
    >>> import tempfile, pathlib
    >>> graph = FactorGraph()
    >>> _ = graph.add(Table([graph.variable("coin")], np.log([0.25, 0.75])))
    >>> path = pathlib.Path(tempfile.mkdtemp(), "coin.fg")
    >>> write_fg(graph, path)
    >>> path.read_text().split()
    ['1', '1', '0', '2', '2', '0', '0.25', '1', '0.75']
    """
    blocks = []
    for scope, log_potentials in listed_tables(graph):
        flat = potentials_of(scope, log_potentials).ravel(order="F")
        places = np.flatnonzero(flat)
        entries = [f"{place} {value!r}" for place, value in zip(places.tolist(), flat[places].tolist(), strict=True)]
        shape = " ".join(map(str, log_potentials.shape))
        blocks.append("\n".join([f"\n{len(scope)}", " ".join(map(str, scope)), shape, str(len(entries)), *entries]))
    write_text(path, "\n".join([str(len(blocks)), *blocks, ""]))
