"""The process in which doors are called: it may die or hang, which is then the answer."""

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path

__all__ = ["Fuzzer"]

_TESTS = Path(__file__).parents[1]


class Fuzzer:
    """Calls doors in a process of its own, which is started anew when it dies.

    Parameters
    ----------
    environment : further environment variables
    patience : seconds after which a single call counts as hanging
    """

    def __init__(self, *, environment: dict[str, str] | None = None, patience: float = 120.0) -> None:
        paths = [str(_TESTS.parent), str(_TESTS), os.environ.get("PYTHONPATH", "")]
        self.environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **(environment or {})}
        self.patience = patience
        self._process: subprocess.Popen[str] | None = None
        self._events: queue.Queue[list[str] | None] = queue.Queue()

    def violations(self, name: str) -> list[str]:
        """Return all that is wrong with a door."""
        process = self._running()
        assert process.stdin is not None
        process.stdin.write(name + "\n")
        process.stdin.flush()
        found, latest = [], "(none)"
        while True:
            try:
                event = self._events.get(timeout=self.patience)
            except queue.Empty:
                self.close()
                return [*found, f"{latest}: hangs (no answer for {self.patience:g} s)"]
            if event is None:
                code = process.wait()
                self._forget()
                return [*found, f"{latest}: the process died ({code})"]
            kind, text = event
            if kind == "done":
                return found
            if kind == "call":
                latest = text
            else:
                found.append(text)

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._forget()

    def _forget(self) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.wait()
        self._reader.join()  # closes standard output
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process = None

    def _running(self) -> "subprocess.Popen[str]":
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "fuzz.worker"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                text=True, env=self.environment,
            )  # fmt: skip
            self._events = queue.Queue()
            self._reader = threading.Thread(target=_read, args=(self._process, self._events), daemon=True)
            self._reader.start()
        return self._process

    def __enter__(self) -> "Fuzzer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _read(process: "subprocess.Popen[str]", events: "queue.Queue[list[str] | None]") -> None:
    assert process.stdout is not None
    with process.stdout as lines:
        for line in lines:
            events.put(json.loads(line))
    events.put(None)
