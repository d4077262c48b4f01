"""The Python on every page of the documentation runs, from top to bottom, in one namespace per page."""

import re
import textwrap
import traceback
from pathlib import Path

import pytest
from attrs import frozen

ROOT = Path(__file__).resolve().parent.parent
OPENING = re.compile(r"^(?P<indent> *)```python(?P<flags>.*)$")


@frozen
class Block:
    """A fenced block: the line of its first statement (from 1) and its text."""

    line: int
    text: str


def python_blocks(page: Path) -> list[Block]:
    """Return the blocks between ```python and ```, but for those marked `no-run`."""
    blocks, lines = [], page.read_text(encoding="utf-8").splitlines()
    position = 0
    while position < len(lines):
        opening = OPENING.match(lines[position])
        position += 1
        if opening is None:
            continue
        start = position
        while position < len(lines) and lines[position] != opening["indent"] + "```":
            position += 1
        if position == len(lines):
            raise AssertionError(f"{page}:{start}: this block is never closed")
        if opening["flags"].strip() != "no-run":
            blocks.append(Block(start + 1, textwrap.dedent("\n".join(lines[start:position]))))
        position += 1
    return blocks


def run(page: Path) -> None:
    """Run a page; tracebacks show its name and line."""
    namespace = {"__name__": f"docs_{page.stem}"}
    for block in python_blocks(page):
        code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
        exec(code, namespace)


PAGES = [page for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))) if page.exists()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # What a page writes goes where it disturbs nobody.
    monkeypatch.chdir(tmp_path)
    run(page)


def test_failure_names_page_and_line(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Title\n\n```python\nx = 1\n```\n\nText.\n\n```python\ny = 2\nassert x == y\n```\n")
    with pytest.raises(AssertionError) as caught:
        run(page)
    last = traceback.extract_tb(caught.tb)[-1]
    assert (last.filename, last.lineno, last.line) == (str(page), 11, "assert x == y")


def test_only_marked_blocks_are_skipped(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python no-run\n1 / 0\n```\n\n```\n1 / 0\n```\n\n1. Item\n\n   ```python\n   done = 1\n   ```\n")
    assert python_blocks(page) == [Block(12, "done = 1")]
    page.write_text("```python\nx = 1\n")
    with pytest.raises(AssertionError, match="never closed"):
        python_blocks(page)
