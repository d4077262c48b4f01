"""A name means one thing: no class name twice in the project, no type of arrays defined anew."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("autodiff", "hypergraph", "pgm", "nlp")
FILES = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
ALLOWED = {"Array", "Heads", "States"}  # they say more than what is in them


def test_no_public_class_name_is_there_twice():
    found = defaultdict(list)
    for path in FILES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(str(path.relative_to(ROOT)))
    assert not {name: paths for name, paths in found.items() if len(paths) > 1}


def test_types_of_arrays_are_defined_once():
    kinds = {"NDArray[np.float64]", "NDArray[np.int64]", "NDArray[np.bool_]"}
    for path in FILES:
        if path.name == "array_types.py":
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            if value is not None and ast.unparse(value) in kinds:
                name = ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)
                assert name in ALLOWED, f"{path.relative_to(ROOT)}: {name}; take that of autodiff.array_types"
