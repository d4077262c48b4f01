"""The group of commands needs nothing of nlp; which errors are bad input is said by whoever has the commands."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from autodiff.errors import InputError
from pgm.shell import command
from pgm.shell.group import CommandGroup

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "tests" / "fixtures" / "gaps.fg"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=environment, cwd=ROOT)


def test_pgm_alone_has_a_working_group():
    found = run("-m", "pgm.shell", "infer", str(MODEL), "--method", "junction")
    assert found.returncode == 0, found.stderr
    assert found.stdout.startswith("MAR")
    assert "infer" in run("-m", "pgm.shell", "--help").stdout
    wrong = run("-m", "pgm.shell", "infer", "nothing.uai")
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("tacana infer: nothing.uai: No such file")
    assert wrong.stderr.count("\n") == 1


@pytest.mark.parametrize("module", ["pgm.shell.command", "nlp.command"])
def test_the_group_is_light(module):
    found = run("-c", f"import sys, {module}; print(*({{'numpy', 'numba', 'nlp.deps'}} & set(sys.modules)))")
    assert found.stdout.strip() == ""
    assert not found.stderr


def test_importing_the_shell_of_pgm_imports_no_nlp():
    code = "import sys, pgm.shell.command, pgm.shell.infer_command; print(*(m for m in sys.modules if m[:3] == 'nlp'))"
    assert run("-c", code).stdout.strip() == ""


class OwnError(InputError):
    """Bad input of a command of one's own."""


class OtherError(Exception):
    """A bug."""


@pytest.mark.parametrize("kind", [OwnError, OtherError])
def test_errors_of_input_end_in_one_line_and_others_are_bugs(kind):
    @click.group(cls=CommandGroup, elsewhere=command.COMMANDS)
    def main():
        pass

    @main.command()
    def fail():
        raise kind("two\nlines")

    result = CliRunner().invoke(main, ["fail"])
    if kind is OwnError:
        assert result.exit_code == 2
        assert result.stderr == "tacana fail: two lines\n"
    else:
        assert isinstance(result.exception, OtherError)
    assert set(main.list_commands(click.Context(main))) == {"fail", "infer"}
