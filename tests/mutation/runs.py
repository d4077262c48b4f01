"""Running the tests against mutants, in a copy of the project: the project itself is never changed."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from attrs import field, frozen

from tests.mutation.mutants import Mutant

__all__ = ["Copy", "copied"]

ROOT = Path(__file__).resolve().parents[2]
_LEFT_OUT = shutil.ignore_patterns(".git", ".venv*", "site", ".mypy_cache", ".ruff_cache", ".hypothesis", "*.egg-info")


@frozen
class Copy:
    """A copy of the project, with what its unchanged tests do.

    Attributes
    ----------
    seen : by test, its seconds and the functions that it calls
    """

    root: Path
    targets: tuple[str, ...]
    limit: float
    seen: dict[str, dict] = field(repr=False, factory=dict)

    def observe(self, record: Path | None) -> None:
        """Run the tests unchanged, or read what an observation of the same tests left in `record`."""
        if record is None or not record.exists():
            made = self.root / "observed.json"
            if self._pytest({"OBSERVE": str(made)}, None, "-q") != 0:
                raise SystemExit("the tests do not pass without mutants; mend them first")
            text = made.read_text()
            if record is not None:
                record.write_text(text)
        else:
            text = record.read_text()
        self.seen.update(json.loads(text))

    def tests_of(self, mutant: Mutant) -> list[str]:
        """Return the tests that call the mutated function, fast ones first; for kernels and imports, all tests."""
        anywhere = mutant.function == 0 or "kernels" in mutant.path.parts
        name = f"{mutant.path}:{mutant.function}"
        chosen = [
            test
            for test, about in self.seen.items()
            if about["seconds"] <= self.limit and (anywhere or name in about["functions"])
        ]
        return sorted(chosen, key=lambda test: self.seen[test]["seconds"])

    def survives(self, mutant: Mutant) -> bool:
        """Whether all those tests pass with the mutant in its place; one that runs far too long does not."""
        tests = self.tests_of(mutant)
        if not tests:
            return True
        path = self.root / mutant.path
        source, times = path.read_bytes(), os.stat(path)
        chosen = self.root / "chosen.json"
        chosen.write_text(json.dumps(tests))
        kernel = "kernels" in mutant.path.parts
        try:
            path.write_bytes(mutant.apply(source))
            if kernel:
                self._forget_kernels(mutant)
            most = 60 + 10 * sum(self.seen[test]["seconds"] for test in tests) + (600 if kernel else 0)
            return self._pytest({"CHOSEN": str(chosen)}, most, "-qx", files_of(tests)) == 0
        finally:
            path.write_bytes(source)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
            if kernel:
                self._forget_kernels(mutant)

    def _forget_kernels(self, mutant: Mutant) -> None:
        """Delete compiled kernels, which do not know that a kernel which they call has changed."""
        for pattern in ("*.nbi", "*.nbc"):
            for file in (self.root / mutant.path.parts[0]).rglob(pattern):
                file.unlink()

    def _pytest(self, environment: dict[str, str], seconds: float | None, options: str, files=()) -> int:
        """Return the exit code; an impossible one if it took longer than `seconds`."""
        command = [sys.executable, "-m", "pytest", options, "-p", "no:cacheprovider", "-p", "tests.mutation.observer"]
        process = subprocess.Popen(
            [*command, *(files or self.targets)],
            cwd=self.root,
            env={**os.environ, **environment, "PYTHONPATH": str(self.root), "PYTHONDONTWRITEBYTECODE": "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return -1
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def files_of(tests: list[str]) -> list[str]:
    """Return the files of tests, each once."""
    return list(dict.fromkeys(test.split("::")[0] for test in tests))


@contextmanager
def copied(targets: tuple[str, ...], *, limit: float):
    """Give a copy of the project that is deleted in the end; times of files, and so compiled kernels, stay valid."""
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        root = Path(folder) / "project"
        shutil.copytree(ROOT, root, ignore=_LEFT_OUT, symlinks=True)
        yield Copy(root, targets, limit)
