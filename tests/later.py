"""Choose the tests that `make test` leaves to `.ci/run`: tests whose lines cheaper tests reach too.

`make later` runs all quick tests with coverage, for ten minutes, and writes their names into `later.txt`. Each line of
the package that a test reaches stays reached: of the tests that take a tenth of a second or more, those are kept that
reach most lines anew for their time (the greedy cover of Chvátal 1979, Mathematics of Operations Research 4, 233).
"""

import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "tests" / "later.txt"
CHEAP = 0.1
"""The seconds below which all cases of a test together are kept without a question."""


def names():
    """The tests that are left to `.ci/run`, as file::name."""
    return frozenset(FILE.read_text(encoding="utf-8").split())


def kept(seconds, lines):
    """The tests that reach every line that all of them reach.

    seconds: of each test by its name. lines: the lines that a test reaches, by its name.
    """
    chosen = {name for name, cost in seconds.items() if cost < CHEAP}
    missing = set().union(*lines.values()).difference(*(lines.get(name, ()) for name in chosen))
    while missing:
        best = max(lines.keys() - chosen, key=lambda name: (len(lines[name] & missing) / seconds[name], name))
        chosen.add(best)
        missing -= lines[best]
    reached = Counter(line for name in chosen for line in lines.get(name, ()))
    for name in sorted(
        chosen, key=lambda name: (-seconds[name], name)
    ):  # later ones have made some of the first needless
        if seconds[name] >= CHEAP and all(reached[line] > 1 for line in lines[name]):
            chosen.remove(name)
            reached.subtract(lines[name])
    return chosen


def measured():
    """The seconds of each test, and the lines that it reaches, by its name."""
    from coverage import CoverageData

    with tempfile.TemporaryDirectory() as folder:
        report, data = Path(folder, "report.xml"), Path(folder, "lines")
        command = [sys.executable, "-m", "pytest", "-n", "auto", "--dist", "worksteal", f"--junitxml={report}"]
        command += ["--cov=hopattn", "--cov-context=test", "--cov-report="]
        environment = {**os.environ, "HOPATTN_LATER": "none", "COVERAGE_FILE": str(data)}
        subprocess.run(command, cwd=ROOT, env=environment, check=True)
        seconds, lines = Counter(), defaultdict(set)
        for case in ElementTree.parse(report).iter("testcase"):
            path = case.attrib["classname"].replace(".", "/") + ".py"
            seconds[f"{path}::{case.attrib['name'].partition('[')[0]}"] += float(case.attrib["time"])
        found = CoverageData(str(data))
        found.read()
        for path in found.measured_files():
            for number, contexts in found.contexts_by_lineno(path).items():
                for context in filter(None, contexts):
                    lines[context.partition("|")[0].partition("[")[0]].add((path, number))
    return seconds, {name: reached for name, reached in lines.items() if name in seconds}


if __name__ == "__main__":
    seconds, lines = measured()
    left = seconds.keys() - kept(seconds, lines)
    FILE.write_text("".join(f"{name}\n" for name in sorted(left)), encoding="utf-8")
    share = sum(seconds[name] for name in left) / sum(seconds.values())
    sys.stdout.write(f"{len(left)} of {len(seconds)} tests, {share:.0%} of the time, are left to .ci/run\n")
