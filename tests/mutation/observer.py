"""A pytest plugin for the mutation runs.

With OBSERVE=FILE it writes to FILE, for each test, how long it takes and which functions of the packages it calls; with
CHOSEN=FILE it runs the tests listed there alone, in that order.
"""

import json
import os
import sys
import threading
import time
from pathlib import Path

import pytest

__all__: list[str] = []

ROOT = str(Path(__file__).resolve().parents[2]) + os.sep
_seen: dict[str, dict] = {}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    if chosen := os.environ.get("CHOSEN"):
        rank = {name: number for number, name in enumerate(json.loads(Path(chosen).read_text()))}
        items[:] = sorted((item for item in items if item.nodeid in rank), key=lambda item: rank[item.nodeid])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    if "OBSERVE" not in os.environ:
        return (yield)
    called = set()

    def profile(frame, event, _):
        if event == "call":
            called.add(frame.f_code)

    started = time.perf_counter()
    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        return (yield)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        functions = sorted(
            {
                f"{code.co_filename.removeprefix(ROOT)}:{code.co_firstlineno}"
                for code in called
                if code.co_filename.startswith(ROOT)
            }
        )
        _seen[item.nodeid] = {"seconds": time.perf_counter() - started, "functions": functions}


def pytest_sessionfinish(session):
    if target := os.environ.get("OBSERVE"):
        Path(target).write_text(json.dumps(_seen))
