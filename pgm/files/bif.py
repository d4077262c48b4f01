"""Bayesian networks in the Bayesian Interchange Format (.bif), as the bnlearn repository has them.

Rows of a conditional table are given one by one, `(parents' states) numbers;`, by `default numbers;` for those that are
not, or all at once by `table numbers;`, where the child runs slowest and the last parent fastest.
"""

import itertools
import math

import numpy as np

from autodiff.array_types import Floats
from pgm.files.bif_tokens import END, BifTokens
from pgm.files.families import MAX_DEGREE, TableList
from pgm.files.tokens import AnyPath, read_text
from pgm.graph import FactorGraph
from pgm.variables import Variable

__all__ = ["read_bif"]

_ROUNDING = 0.01  # by which the rows of real files miss 1: their numbers are rounded


def read_bif(path: AnyPath) -> FactorGraph:
    """Read a network; the table of each variable has its parents' axes first, in their order, and its own last.

    Raises
    ------
    FileFormatError
        If the file is malformed: `file:line: what is wrong; what was expected`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "rain.bif")
    >>> _ = path.write_text('''
    ... network rain { }
    ... variable rain { type discrete [ 2 ] { no, yes }; }
    ... variable wet { type discrete [ 2 ] { no, yes }; }
    ... probability ( rain ) { table 0.8, 0.2; }
    ... probability ( wet | rain ) { (no) 0.9, 0.1; (yes) 0.2, 0.8; }
    ... ''')
    >>> graph = read_bif(path)
    >>> round(float(np.exp(graph.score([1, 1]))), 3)
    0.16
    """
    tokens = BifTokens(path, read_text(path))
    graph, tables = FactorGraph(), TableList()
    known: dict[str, Variable] = {}
    children: set[str] = set()
    if tokens.peek() == "network":
        tokens.next("network")
        while tokens.next("a name and { … }") != "{":
            pass
        _skip_to_brace(tokens)
    while (word := tokens.next("variable or probability", or_end=True)) != END:
        if word == "variable":
            name, states = _variable(tokens)
            if name in known:
                tokens.fail(f"variable {name!r} for the second time", "a new name")
            known[name] = graph.variable(name, states)
        elif word == "probability":
            scope = _scope(tokens, known)
            child = scope[-1].name
            if child in children:
                tokens.fail(f"variable {child!r} has two probability blocks", "one")
            children.add(child)
            tables.append(tuple(variable.index for variable in scope), _table(tokens, scope))
        else:
            tokens.fail(repr(word[:40]), "variable or probability")
    missing = [name for name in known if name not in children]
    if missing or not known:
        tokens.fail(f"no probability block for {missing[:5] or 'anything'}", "one for each variable")
    tables.add_to(graph)
    return graph


def _skip_to_brace(tokens: BifTokens) -> None:
    while tokens.next("}") != "}":
        pass


def _skip_property(tokens: BifTokens) -> None:
    while tokens.next("; after a property") != ";":
        pass


def _variable(tokens: BifTokens) -> tuple[str, list[str]]:
    """Read `name { type discrete [ 2 ] { no, yes }; }`."""
    name = tokens.name("the name of a variable")
    states: list[str] = []
    tokens.literal("{")
    while (word := tokens.next("type, property or }")) != "}":
        if word == "property":
            _skip_property(tokens)
            continue
        if word != "type" or states:
            tokens.fail(repr(word[:40]), "one line `type discrete [ n ] { states };`")
        tokens.literal("discrete")
        tokens.literal("[")
        count = tokens.name("the number of states")
        tokens.literal("]")
        tokens.literal("{")
        states = tokens.names("}", "the name of a state")
        if str(len(states)) != count or len(set(states)) != len(states) or not states:
            tokens.fail(f"variable {name!r} has the states {states[:10]}", f"{count[:20]} different states")
        tokens.literal(";")
    if not states:
        tokens.fail(f"variable {name!r} has no states", "`type discrete [ n ] { states };`")
    return name, states


def _scope(tokens: BifTokens, known: dict[str, Variable]) -> list[Variable]:
    """Read `( child | parents )`, and return the parents and the child."""
    tokens.literal("(")
    scope = []
    for name in tokens.names(")", "the name of a variable", bar=True):
        if name not in known:
            tokens.fail(f"variable {name[:40]!r}", "a variable that was declared before")
        scope.append(known[name])
    if not scope or len({variable.index for variable in scope}) != len(scope) or len(scope) > MAX_DEGREE:
        names = [variable.name for variable in scope]
        tokens.fail(f"variables {names[:10]}", f"a child and its parents, all different, at most {MAX_DEGREE}")
    return [*scope[1:], scope[0]]


def _table(tokens: BifTokens, scope: list[Variable]) -> Floats:
    """Read the rows of a conditional table."""
    *parents, child = scope
    shape = [variable.cardinality for variable in scope]
    rows: dict[tuple[int, ...], Floats] = {}
    default: Floats | None = None
    whole: Floats | None = None
    tokens.literal("{")
    while (word := tokens.next("(states), table, default, property or }")) != "}":
        if word == "property":
            _skip_property(tokens)
        elif word == "(":
            states = tokens.names(")", "the name of a parent's state")
            if len(states) != len(parents) or any(s not in p.states for s, p in zip(states, parents, strict=False)):
                expected = "; ".join(f"{p.name}: {', '.join(p.states)}" for p in parents)
                tokens.fail(f"the states {states[:10]}", f"one state of each parent ({expected})")
            row = tuple(parent.states.index(state) for parent, state in zip(parents, states, strict=True))
            if row in rows:
                tokens.fail(f"the row {tuple(states)} for the second time", "each row once")
            rows[row] = _distribution(tokens, child)
        elif word == "table":
            axes = [*range(1, len(scope)), 0]
            whole = tokens.numbers(math.prod(shape)).reshape(shape[-1:] + shape[:-1]).transpose(axes)
            _check_sums(tokens, child, whole.sum(axis=-1))
        elif word == "default":
            default = _distribution(tokens, child)
        else:
            tokens.fail(repr(word[:40]), "(states), table, default, property or }")
    if whole is not None and not rows:
        return np.ascontiguousarray(whole)
    missing = math.prod(shape[:-1]) - len(rows)
    if missing and default is None:
        tokens.fail(f"the table of {child.name!r} lacks {missing} of its rows", "every row, or a default")
    if missing > 1_000_000:
        tokens.fail(f"{missing} default rows", "at most a million")
    table = np.empty(shape)
    for row in itertools.product(*map(range, shape[:-1])):
        table[row] = rows.get(row, default)
    return table


def _distribution(tokens: BifTokens, child: Variable) -> Floats:
    """Read the probabilities of a row."""
    row = tokens.numbers(child.cardinality)
    _check_sums(tokens, child, row.sum())
    return row


def _check_sums(tokens: BifTokens, child: Variable, sums: Floats) -> None:
    wrong = np.abs(sums - 1.0) > _ROUNDING
    if wrong.any():
        worst = float(np.ravel(sums)[int(np.argmax(np.abs(np.ravel(sums) - 1.0)))])
        tokens.fail(f"a row of {child.name!r} that sums to {worst:.6g}", "probabilities that sum to 1")
