"""The model format of the UAI inference competitions (.uai).

MARKOV or BAYES
number of variables, the number of states of each
number of factors, for each its number of variables and these (BAYES: the child last)
for each factor its number of entries and these; the last variable runs fastest
"""

import math

import numpy as np

from pgm.files.families import MAX_DEGREE, MAX_STATES, TableList, listed_tables, potentials_of
from pgm.files.tokens import AnyPath, Tokens, read_text, write_text
from pgm.graph import FactorGraph

__all__ = ["read_uai", "write_uai"]


def read_uai(path: AnyPath) -> FactorGraph:
    """Read a model; its variables are named "0", "1", ….

    The factors keep their order; neighbours of one shape are one family.  A factor of no variables, a constant, becomes
    a constant table of variable 0.

    Raises
    ------
    FileFormatError
        If the file is malformed: `file:line: what is wrong; what was expected`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "coin.uai")
    >>> _ = path.write_text("MARKOV 1 2 1  1 0  2 0.25 0.75")
    >>> graph = read_uai(path)
    >>> np.exp(graph.families[0].log_potentials)
    array([[0.25, 0.75]])
    """
    tokens = Tokens(path, read_text(path))
    kind = tokens.word("MARKOV or BAYES")
    if kind not in ("MARKOV", "BAYES"):
        tokens.fail(repr(kind[:40]), "MARKOV or BAYES")
    graph = FactorGraph()
    count = tokens.integer("the number of variables", low=1)
    cards = tokens.integers(count, "the number of states of each variable", low=1)
    if sum(cards) > MAX_STATES + tokens.left:
        tokens.fail(f"{sum(cards)} states in all", f"at most {MAX_STATES} more than there are numbers in the file")
    for i, card in enumerate(cards):
        graph.variable(str(i), card)
    scopes = []
    for i in range(tokens.integer("the number of factors", high=tokens.left)):
        degree = tokens.integer(f"the number of variables of factor {i}", high=MAX_DEGREE)
        scope = tuple(tokens.integers(degree, f"the variables of factor {i}", high=count - 1))
        if len(set(scope)) != degree:
            tokens.fail(f"factor {i} has a variable twice, {list(scope)}", "different variables")
        scopes.append(scope)
    tables = TableList()
    for i, scope in enumerate(scopes):
        shape = [cards[v] for v in scope]
        size = math.prod(shape)
        entries = tokens.integer(f"the number of entries of factor {i}")
        if entries != size:
            tokens.fail(f"factor {i} has {entries} entries", f"{size}: its variables have {shape} states")
        tables.append(scope, tokens.numbers(size, f"{size} potentials of factor {i}").reshape(shape))
    tokens.end(f"nothing after the entries of {len(scopes)} factors")
    tables.add_to(graph)
    return graph


def write_uai(graph: FactorGraph, path: AnyPath, *, kind: str = "MARKOV") -> None:
    """Write a model, gzipped if `path` ends in .gz; small factors that are no tables are written as tables.

    The names of variables and states are lost.  `kind="BAYES"` is for conditional tables whose last variable is the
    child.

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
    >>> path = pathlib.Path(tempfile.mkdtemp(), "coin.uai")
    >>> write_uai(graph, path)
    >>> path.read_text().split()
    ['MARKOV', '1', '2', '1', '1', '0', '2', '0.25', '0.75']
    """
    if kind not in ("MARKOV", "BAYES"):
        raise ValueError(f'kind={kind!r}: a UAI file is "MARKOV" or "BAYES"')
    scopes, tables = [], []
    for scope, log_potentials in listed_tables(graph):
        scopes.append(f"{len(scope)} {' '.join(map(str, scope))}")
        entries = potentials_of(scope, log_potentials).ravel().tolist()
        tables.append(f"\n{len(entries)}\n{' '.join(map(repr, entries))}")
    head = [kind, str(graph.num_variables), " ".join(map(str, np.asarray(graph.cardinalities).tolist()))]
    write_text(path, "\n".join([*head, str(len(scopes)), *scopes, *tables, ""]))
