"""A process that fuzzes one door after another: names come on standard input, a line of JSON goes out an event."""

import faulthandler
import json
import os
import sys
import traceback

from fuzz.recipe import cases_of
from fuzz.rule import violations


def main() -> None:
    """Answer names with events: a call that is about to be made, a violation, or that the door is done."""
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a door prints is not an event
    faulthandler.enable()

    def tell(kind: str, text: str = "") -> None:
        channel.write(json.dumps([kind, text]) + "\n")
        channel.flush()

    for line in sys.stdin:
        try:
            for number, case in enumerate(cases_of(line.strip())):
                for violation in violations(case, lambda label, number=number: tell("call", f"case {number}: {label}")):
                    tell("violation", f"case {number}: {violation}")
        except Exception:
            tell("violation", f"the recipe itself: {traceback.format_exc()}")
        tell("done")


if __name__ == "__main__":
    main()
