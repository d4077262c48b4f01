"""The house rules that a machine can check: see docs/extending.md and the design notes in docs/mathematics.md."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ["autodiff", "hypergraph", "pgm", "nlp"]  # each may import only from those before it
FILES = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def imports(path: Path) -> list[tuple[str, list[str]]]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(alias.name, []) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import; name the package"
            found.append((node.module or "", [alias.name for alias in node.names]))
    return found


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", FILES, ids=name)
def test_imports_follow_the_house_rules(path):
    package = path.relative_to(ROOT).parts[0]
    allowed = PACKAGES[: PACKAGES.index(package) + 1]
    for module, names in imports(path):
        top = module.split(".")[0]
        assert top not in PACKAGES or top in allowed, f"{name(path)} imports {module}: only {allowed} may be imported"
        assert top != "tests", f"{name(path)} imports {module}"
        assert "*" not in names, f"{name(path)}: star import from {module}"
        assert top not in ("pickle", "cPickle", "dill", "joblib", "shelve"), f"{name(path)} imports {module}"
        if top == "numba":
            assert "kernels" in path.parts, f"{name(path)} imports numba: only files in a kernels folder may"


@pytest.mark.parametrize("path", [path for path in FILES if "kernels" in path.parts], ids=name)
def test_kernels_compile_in_one_way(path):
    text = path.read_text(encoding="utf-8")
    for forbidden in ("fastmath=True", "parallel=True", "guvectorize"):
        assert not re.search(re.escape(forbidden) + r"[,)]", text), f"{name(path)} uses {forbidden}"
    if path.name != "compiler.py":
        assert not any(module.split(".")[0] == "numba" for module, _ in imports(path)), "use autodiff.kernels.compiler"


def test_every_package_declares_its_public_names():
    for path in FILES:
        if path.name == "__init__.py" and path.parent.name != "kernels":
            names = [node.targets[0] if isinstance(node, ast.Assign) else node.target for node in ast.parse(
                path.read_text(encoding="utf-8")).body if isinstance(node, ast.Assign | ast.AnnAssign)]  # fmt: skip
            assert any(isinstance(target, ast.Name) and target.id == "__all__" for target in names), name(path)


def run(code: str, *options: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, *options, "-c", code], capture_output=True, text=True, check=True, env=environment
    )


@pytest.mark.parametrize(
    "module", [*PACKAGES, "nlp.deps", "nlp.command", "pgm.shell.command", "hypergraph.structures", "autodiff.modules"]
)
def test_importing_compiles_nothing(module):
    assert run(f"import sys, {module}; print('numba' in sys.modules)").stdout.strip() == "False"


@pytest.mark.parametrize("package", [*PACKAGES, "nlp.deps"])
def test_importing_is_quick(package):
    """By what is imported, not by the clock: besides numpy and scipy themselves, attrs and the standard library."""
    code = f"import sys, numpy, scipy; before = set(sys.modules); import {package}; print(*set(sys.modules) - before)"
    tops = {module.split(".")[0] for module in run(code).stdout.split()}
    foreign = tops - {*PACKAGES, *sys.stdlib_module_names, "attr", "attrs", "numpy"}
    assert not {module for module in foreign if not module.startswith("_")}


def test_no_file_is_too_long_to_be_one_idea():
    long = {name(path): n for path in FILES if (n := len(path.read_text(encoding="utf-8").splitlines())) > 350}
    assert not long, long
