"""`python -m tests.mutation PACKAGE`: which small changes of the code do the tests let pass?

Draws mutants of a package's files at random (the same for the same seed), runs for each the tests that call the changed
function, fast ones first, in a copy of the project, and lists those that no test notices.
"""

import argparse
import random
import time
from pathlib import Path

from tests.mutation.mutants import mutants_of
from tests.mutation.runs import ROOT, copied


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("package", help="autodiff, hypergraph, pgm or nlp")
    parser.add_argument("--count", type=int, default=50, help="how many mutants (50)")
    parser.add_argument("--seed", type=int, default=0, help="of their choice (0)")
    parser.add_argument("--files", default="**/*.py", help="of which files, from the package on ('**/*.py')")
    parser.add_argument("--lines", type=int, nargs="*", help="only changes in these lines")
    parser.add_argument("--kernels", action="store_true", help="also of kernels, which compile anew for each")
    parser.add_argument("--slowest", type=float, default=30.0, help="leave out tests that take more seconds (30)")
    parser.add_argument("--tests", nargs="*", help="which tests (those of the package, with its doctests)")
    parser.add_argument("--record", type=Path, help="file in which to keep what tests call, for the next time")
    given = parser.parse_args()
    paths = sorted(path.relative_to(ROOT) for path in (ROOT / given.package).glob(given.files))
    mutants = [
        mutant
        for path in paths
        if "__pycache__" not in path.parts and (given.kernels or "kernels" not in path.parts)
        for mutant in mutants_of(ROOT, path)
        if not given.lines or mutant.line in given.lines
    ]
    chosen = random.Random(given.seed).sample(mutants, min(given.count, len(mutants)))
    print(f"{len(chosen)} of {len(mutants)} mutants", flush=True)
    survivors = []
    with copied(tuple(given.tests or (f"tests/{given.package}", given.package)), limit=given.slowest) as copy:
        copy.observe(given.record)
        for number, mutant in enumerate(chosen, start=1):
            started = time.monotonic()
            alive = copy.survives(mutant)
            survivors += [mutant] * alive
            word = "SURVIVES" if alive else "caught"
            print(f"{number:4d} {word:8s} {time.monotonic() - started:5.0f} s  {mutant}", flush=True)
    caught = len(chosen) - len(survivors)
    print(f"{given.package}: {caught} of {len(chosen)} caught ({100 * caught / max(len(chosen), 1):.0f} %)")
    for mutant in survivors:
        print(f"  {mutant}")


if __name__ == "__main__":
    main()
