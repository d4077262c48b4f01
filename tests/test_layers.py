"""Within a package, too, imports go one way: a file may import from its own layer and from those before it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# Files and folders from the bottom up.  "…" stands for all that are not named: kinds of contracts, one a file.
LAYERS = {
    "autodiff": [
        "errors array_types kernels conversion validators settings sparse arrays",
        "module parameter hashed_parameter adjoints named options",
        "modules wiring trace plan circuit",
        "files",
        "optimizers",
        "finite_differences gradient_report gradient_subject gradient_comparison gradient_check click_options",
    ],
    "hypergraph": [
        "errors roots heads kernels arrays",
        "structure graph semirings nonprojective",
        "builder derivation engine inside_outside",
        "algorithms kbest sampling moments modules drawing",
        "batched",
        "structures",
    ],
    "pgm": [
        "errors _warning kernels belief_table variables evidence potential_source",
        "factor factor_run completions log_potentials check graph",
        "layout channel pair_channel unary_channel both_on_channel",
        "factors",
        "inference inference_result inference_module drawing",
        "message_passing schedules backpointers assignments result",
        "belief_propagation exact fractional tree_reweighted mean_field sampling map",
        "files",
        "learning",
        "shell",
    ],
    "pgm.learning": [
        "errors output_space instance example history progress",
        "scorer decoder objective structured_model scored_graph gradient_sum loss_bounds",
        "…",
        "step problem accuracy check stage",
        "training_run",
        "checkpoint",
        "trainer",
        "rate_search",
    ],
    "nlp": [
        "limit_option",
        "conll",
        "features evaluation",
        "deps",
        "evaluate_command",
        "command",
    ],
    "nlp.deps": [
        "errors kernels analysis settings parts relations relation_sums length_bounds sentences refusal text_tree "
        "templated graph_budget",
        "kinds pruner_features templates tree_space pruning learning",
        "runs joint_run instance inference",
        "dependency_scorer hashed_scorer decoders",
        "model options",
        "parser_file workers training",
        "parser",
        "parse_command train_command demo",
    ],
}

# What a function imports when it is called: a base class answers by what is built on it.
LATE = {
    ("hypergraph.structure", "inside_outside"), ("hypergraph.structure", "algorithms"),
    ("hypergraph.structure", "kbest"), ("hypergraph.structure", "sampling"), ("hypergraph.graph", "drawing"),
    ("hypergraph.semirings", "engine"), ("pgm.factor", "channel"), ("pgm.graph", "drawing"),
    ("pgm.inference_module", "belief_propagation"),
}  # fmt: skip


def layer_of(package: str) -> dict[str, int]:
    """Return the number of the layer of each file and folder in a package."""
    folder = ROOT / package.replace(".", "/")
    there = {path.stem for path in folder.glob("*.py")} | {path.parent.name for path in folder.glob("*/__init__.py")}
    there -= {"__init__", "__main__"}
    found = {name: number for number, names in enumerate(LAYERS[package]) for name in names.split() if name != "…"}
    gone = sorted(set(found) - there)
    assert not gone, f"{package}: there is no {', '.join(gone)} any more; take it out of LAYERS"
    others = there - set(found)
    if "…" in LAYERS[package]:
        return found | dict.fromkeys(others, LAYERS[package].index("…"))
    assert not others, f"{package}: say in LAYERS where {', '.join(sorted(others))} belongs"
    return found


def imported(path: Path, package: str) -> Iterator[tuple[str, bool]]:
    """Yield what a file imports of a package (a file or folder in it), and whether only when a function is called."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing = {id(child) for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(
        node.test) for child in ast.walk(node)}  # fmt: skip
    late = {id(child) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) for child in ast.walk(node)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or id(node) in typing or node.module is None:
            continue
        if node.module == package:
            yield from ((alias.name, id(node) in late) for alias in node.names)
        elif node.module.startswith(package + "."):
            yield node.module.removeprefix(package + ".").split(".")[0], id(node) in late


@pytest.mark.parametrize("package", LAYERS)
def test_imports_within_a_package_go_down(package):
    layers, folder = layer_of(package), ROOT / package.replace(".", "/")
    for path in sorted(folder.rglob("*.py")):
        unit = path.relative_to(folder).with_suffix("").parts[0]
        if path.name == "__main__.py" or unit not in layers:
            continue  # the doors of the package
        for other, is_late in imported(path, package):
            if other == unit or (is_late and (f"{package}.{unit}", other) in LATE):
                continue
            assert other in layers, f"{path.relative_to(ROOT)} imports {other} from the package; name the file"
            assert layers[other] <= layers[unit], (
                f"{path.relative_to(ROOT)} imports {package}.{other}, which is in the layer above: "
                f"{LAYERS[package][layers[other]]}"
            )


def test_no_exception_is_left_over():
    used = set()
    for package in LAYERS:
        folder = ROOT / package.replace(".", "/")
        for path in folder.rglob("*.py"):
            unit = path.relative_to(folder).with_suffix("").parts[0]
            used |= {(f"{package}.{unit}", other) for other, is_late in imported(path, package) if is_late}
    assert used >= LATE


@pytest.mark.parametrize(
    "page", ["docs/architecture.md", "docs/draw_architecture.py", "pgm/README.md", "nlp/deps/README.md"]
)
def test_files_that_the_architecture_names_are_there(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = {name for name in re.findall(r"`([\w./]+)`", text) if "/" in name or name.endswith(".py")}
    assert len(named) > 10
    folders = [
        ROOT,
        ROOT / page.rpartition("/")[0],
        *(ROOT / package for package in ("autodiff", "hypergraph", "pgm", "nlp", "pgm/learning")),
    ]
    for name in named:
        assert any((folder / name).exists() for folder in folders), f"{page}: {name}"
