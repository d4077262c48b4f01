"""Evidence files of the UAI competitions (.evid): `n v x v x …`, or the older form with several samples."""

from typing import Any

from pgm.errors import FactorGraphError
from pgm.evidence import Evidence
from pgm.files.tokens import AnyPath, Tokens, read_text, write_text
from pgm.graph import FactorGraph
from pgm.variables import Variable

__all__ = ["read_evidence", "write_evidence"]


def read_evidence(path: AnyPath, graph: FactorGraph, *, sample: int | None = None) -> Evidence:
    """Read evidence on a graph as {variable number: state number}.

    The file says `n` and then n times a variable and its state.  Variables are known by their names, which for UAI and
    libDAI models are their numbers, or by their numbers; states by their numbers or names.  In the older form of the
    competitions the number of samples comes first, and then each sample in that form: `sample` says which one is meant
    if there are several.  An empty file is no evidence.

    Raises
    ------
    FileFormatError
        If the file is malformed, or names a variable or state that the graph has not.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> graph = FactorGraph()
    >>> x, y = graph.variable("x"), graph.variable("y", ["no", "yes"])
    >>> path = pathlib.Path(tempfile.mkdtemp(), "model.evid")
    >>> _ = path.write_text("2  0 1  y yes")
    >>> read_evidence(path, graph)
    {0: 1, 1: 1}
    """
    tokens = Tokens(path, read_text(path))
    if not tokens.left:
        return Evidence(graph, {})
    count = tokens.integer("the number of observed variables")
    if tokens.left == 2 * count:
        return _observed(tokens, graph, count)
    samples = []
    for number in range(count):
        if not tokens.left and number == 0:
            tokens.fail("the file ends here", f"{count} observed variables, each with its state")
        observed = tokens.integer(f"the number of observed variables of sample {number}")
        if 2 * observed > tokens.left:
            tokens.fail(
                f"{tokens.left} tokens after this",
                f"n observed variables with their states, or {count} samples of that",
            )
        samples.append(_observed(tokens, graph, observed))
    tokens.end(f"`n variable state …` and nothing after, or {count} samples of that")
    if sample is None and len(samples) > 1:
        tokens.fail(f"the file holds {len(samples)} samples", "one sample (say which: sample=0)", at=0)
    if not 0 <= (sample or 0) < len(samples):
        tokens.fail(f"the file holds {len(samples)} samples", f"a sample {sample}", at=0)
    return samples[sample or 0]


def write_evidence(evidence: Any, path: AnyPath, graph: FactorGraph) -> None:
    """Write evidence, given as to `BeliefPropagation.run`, by the numbers of variables and states.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> graph = FactorGraph()
    >>> x, y = graph.variable("x"), graph.variable("y", ["no", "yes"])
    >>> path = pathlib.Path(tempfile.mkdtemp(), "model.evid")
    >>> write_evidence({y: "yes"}, path, graph)
    >>> path.read_text()
    '1 1 1\\n'
    """
    observed = graph.evidence(evidence)
    write_text(path, " ".join([str(len(observed)), *(f"{v} {x}" for v, x in observed.items())]) + "\n")


def _observed(tokens: Tokens, graph: FactorGraph, count: int) -> Evidence:
    found: dict[int, int] = {}
    for _ in range(count):
        variable = _variable(tokens, graph)
        word = tokens.word("a state")
        number = int(word) if word.isascii() and word.isdigit() and len(word) < 19 else word
        try:
            state = variable.states.index(word) if word in variable.states else variable.state(number)
        except FactorGraphError:
            tokens.fail(f"state {word[:40]!r}", f"one of variable {variable.name!r}, 0 to {variable.cardinality - 1}")
        if found.setdefault(variable.index, state) != state:
            tokens.fail(f"variable {variable.name!r} is observed in two states", "one state a variable")
    return Evidence(graph, found)


def _variable(tokens: Tokens, graph: FactorGraph) -> Variable:
    word = tokens.word("a variable")
    try:
        found = graph[word]
        if isinstance(found, Variable):
            return found
    except FactorGraphError:
        pass
    if not (word.isascii() and word.isdigit() and len(word) < 19 and int(word) < graph.num_variables):
        tokens.fail(f"variable {word[:40]!r}", f"a variable of the model, 0 to {graph.num_variables - 1}")
    return graph.variable_at(int(word))
