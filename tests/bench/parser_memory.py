"""The most memory that training and parsing take: `tacana train` and `tacana parse` on the whole of EWT."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.parser import treebank
from bench.timing import Table

__all__ = ["run"]


def run() -> None:
    if not treebank("train").exists():
        print(f"parser_memory: there is no {treebank('train')}; set TACANA_DATA to the folder of treebanks\n")
        return
    with tempfile.TemporaryDirectory() as folder:
        model, parsed = Path(folder) / "en.tacana", Path(folder) / "parsed.conllu"
        train = ["train", "--train", treebank("train"), "--dev", treebank("dev"), "--epochs", "2", "--model", model]
        parse = ["parse", "--model", model, treebank("dev"), "--output", parsed]
        table = Table("command", "most memory", "CPU time")
        for name, arguments in {"train, second order, 2 epochs": train, "parse dev, second order": parse}.items():
            megabytes, seconds = _measure([str(argument) for argument in arguments])
            table.add(name, f"{megabytes:,.0f} MB", f"{seconds:.0f} s")
    print("Memory of the parser (EWT, resident set of the whole process)")
    print(table, end="\n\n")


def _measure(arguments: list[str]) -> tuple[float, float]:
    """Run a command; return the greatest resident set in MB, and the CPU time."""
    process = subprocess.Popen([sys.executable, "-m", "nlp.deps", *arguments], stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"tacana {' '.join(arguments)}: exit code {process.returncode}")
    return usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime
