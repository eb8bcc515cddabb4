"""Draw cases of every kind in turn, and print how many there were and which of them broke the law.

Each case that did is kept in `tests/fuzz/corpus`, and the exit code is 1. The seed is printed: with it, and with as
many cases, the run can be repeated.
"""

import argparse
import random
import sys
import time
from contextlib import ExitStack

from tests.fuzz import wrong_calls
from tests.fuzz.corpus import keep
from tests.fuzz.worker import Worker
from tools.fuzz import array_files, command_lines, environments, scenarios
from tools.fuzz.search import Search, seeds

KINDS = {
    "scenarios": scenarios.cases,
    "schemas": scenarios.drawn_cases,
    "array_files": array_files.cases,
    "command_lines": command_lines.cases,
    "environments": environments.cases,
    "wrong_calls": wrong_calls.cases,
}
"""The kinds of cases: functions that give the Hypothesis strategy of each."""
LONGEST = 10.0
"""The seconds after which another kind has its turn."""


def asked(words):
    """The options of a command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long cases are drawn (60)")
    parser.add_argument("--cases", type=int, help="draw so many of each kind, however long that takes")
    parser.add_argument("--seed", type=int, default=random.randrange(10**9), help="random seed (a fresh one)")
    parser.add_argument("--kind", choices=KINDS, action="append", help="only cases of this kind; may be given again")
    return parser.parse_args(words)


def table(searches):
    """Cases, those of them that were refused, faults, and the most that a case took, for each kind."""
    rows = [("kind", "cases", "refused", "faults", "slowest", "most memory")]
    for one in searches:
        counts = (f"{n:,}" for n in (one.cases, one.refused, len(one.found)))
        rows.append((one.name, *counts, f"{one.seconds:.1f} s", f"{one.mib:.0f} MiB"))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def main(words):
    """Search as the words of a command line ask; gives the exit code."""
    options = asked(words)
    until = float("inf") if options.cases else time.monotonic() + options.seconds
    sys.stderr.write(f"seed {options.seed}\n")
    kinds = {name: cases for name, cases in KINDS.items() if name in (options.kind or KINDS)}
    with ExitStack() as workers:
        searches = [Search(workers.enter_context(Worker()), name, cases) for name, cases in kinds.items()]
        for number in seeds(options.seed):
            unfinished = [one for one in searches if not options.cases or one.cases < options.cases]
            if not unfinished or time.monotonic() > until:
                break
            search = min(unfinished, key=lambda one: one.spent)
            search.batch(number, until if options.cases else min(until, time.monotonic() + LONGEST))
    for search in searches:
        for fault, case in search.found.values():
            sys.stdout.write(f"{search.name}: {fault}\n  kept in {keep(search.name, fault, case).name}\n")
    sys.stdout.write(f"{table(searches)}\nseed {options.seed}\n")
    return 1 if any(search.found for search in searches) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
