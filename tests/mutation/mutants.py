"""Mutants of a source file: one small change each, of a kind that a programmer's slip could make.

Comparisons, arithmetic, constants, boolean operators and conditions, and returned values change; docstrings,
annotations, decorators, `__all__`, messages of errors and type-checking blocks do not.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

__all__ = ["Mutant", "mutants_of"]

_SWAPS: dict[type[ast.AST], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==", ast.Is: "is not",
    ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in", ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*",
    ast.FloorDiv: "*", ast.Mod: "*", ast.Pow: "*", ast.BitAnd: "|", ast.BitOr: "&", ast.LShift: ">>", ast.RShift: "<<",
    ast.MatMult: "*", ast.BitXor: "&", ast.And: "or", ast.Or: "and",
}  # fmt: skip


@frozen
class Mutant:
    """The bytes first:last of a file, replaced.

    Attributes
    ----------
    path : of the file, from the root of the project
    line : of the change, from 1
    function : first line (with decorators) of the innermost function around it, or 0 for code that runs on import
    """

    path: Path
    line: int
    function: int
    first: int
    last: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.old!r} → {self.new!r}"

    def apply(self, source: bytes) -> bytes:
        """Return the file with the change."""
        return source[: self.first] + self.new.encode() + source[self.last :]


def mutants_of(root: Path, path: Path) -> list[Mutant]:
    """Return every mutant of a file (`path` from `root`), in the order of its text."""
    source = (root / path).read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def at(line: int, column: int) -> int:
        return starts[line - 1] + column

    found = []
    for function, first, last, new in _changes(ast.parse(source), 0, at, source):
        old = source[first:last].decode()
        if old != new:
            found.append(Mutant(path, source.count(b"\n", 0, first) + 1, function, first, last, old, new))
    return sorted(set(found), key=lambda mutant: (mutant.first, mutant.last, mutant.new))


def _changes(node: ast.AST, function: int, at, source: bytes) -> Iterator[tuple[int, int, int, str]]:
    for child in _children(node):
        inner = function
        if isinstance(child, ast.FunctionDef):
            inner = min(part.lineno for part in (child, *child.decorator_list))
        for first, last, new in _own_changes(child, at, source):
            yield inner, first, last, new
        yield from _changes(child, inner, at, source)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes beneath one that are worth changing."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_comment"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_passed_over(child):
                yield child


def _is_passed_over(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Raise() | ast.Import() | ast.ImportFrom() | ast.JoinedStr():
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]) | ast.AnnAssign(target=ast.Name(id="__all__")):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.Assert():
            return True
        case ast.Assign(value=ast.Subscript(value=ast.Name(id="NDArray" | "Literal" | "dict" | "tuple" | "list"))):
            return True  # the name of a type
    return False


def _own_changes(node: ast.AST, at, source: bytes) -> Iterator[tuple[int, int, str]]:
    def span(part: ast.expr | ast.stmt) -> tuple[int, int]:
        assert part.end_lineno is not None
        assert part.end_col_offset is not None
        return at(part.lineno, part.col_offset), at(part.end_lineno, part.end_col_offset)

    def between(left: ast.expr, right: ast.expr, operator: ast.AST) -> Iterator[tuple[int, int, str]]:
        first, last = span(left)[1], span(right)[0]
        gap = source[first:last].decode()
        token = gap.strip(" ()\n\\")
        if type(operator) in _SWAPS and token and "#" not in gap:
            begin = first + len(gap[: gap.index(token)].encode())
            yield begin, begin + len(token.encode()), _SWAPS[type(operator)]

    match node:
        case ast.Compare():
            for left, operator, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
                yield from between(left, right, operator)
        case ast.BinOp():
            yield from between(node.left, node.right, node.op)
        case ast.BoolOp():
            for left, right in zip(node.values, node.values[1:], strict=False):
                yield from between(left, right, node.op)
        case ast.AugAssign():
            first, last = span(node.target)[1], span(node.value)[0]
            gap = source[first:last].decode()
            if type(node.op) in _SWAPS:
                begin = first + gap.index(gap.strip())
                yield begin, begin + len(gap.strip().split()[0]), _SWAPS[type(node.op)] + "="
        case ast.UnaryOp(op=ast.USub() | ast.Not() | ast.Invert()):
            first = span(node)[0]
            yield first, first + (3 if isinstance(node.op, ast.Not) else 1), ""
        case ast.Constant(value=bool(value)):
            yield *span(node), str(not value)
        case ast.Constant(value=int(value)):
            yield *span(node), str(value + 1)
        case ast.Constant(value=float(value)):
            yield *span(node), str(value + 1.0 if value in (0.0, 1.0) else value * 2)
        case ast.If() | ast.While() | ast.IfExp():
            test = source[slice(*span(node.test))].decode()
            yield *span(node.test), f"(not ({test}))"
        case ast.Return(value=value) if value is not None and not isinstance(value, ast.Constant):
            yield *span(value), "None"
