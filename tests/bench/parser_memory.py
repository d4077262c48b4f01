"""The most memory that training and parsing take: `tacana train` and `tacana parse` on the whole of EWT."""

import subprocess
import sys
import tempfile
from pathlib import Path

from bench.parser import treebank
from bench.timing import Table

__all__ = ["measure", "run"]


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
            megabytes, seconds = measure([str(argument) for argument in arguments])
            table.add(name, f"{megabytes:,.0f} MB", f"{seconds:.0f} s")
    print("Memory of the parser (EWT, resident set of the whole process)")
    print(table, end="\n\n")


_COMMAND = """
import sys, time
sys.path[:0] = [".", "tests"]
from nlp.command import main
from oracles.peak_memory import peak_megabytes
main(sys.argv[1:], standalone_mode=False)
print(peak_megabytes(), time.process_time())
"""


def measure(arguments: list[str]) -> tuple[float, float]:
    """Run a command in a process; return the greatest resident set in MB, and the CPU time."""
    ran = subprocess.run([sys.executable, "-c", _COMMAND, *arguments], capture_output=True, text=True, check=True)
    megabytes, seconds = map(float, ran.stdout.split())
    return megabytes, seconds
