"""Choose the tests that `make test` leaves to `.ci/run`: tests that reach few lines which cheaper tests do not reach.

`make later` runs all quick tests with coverage, for a quarter of an hour, and writes their names into `later.txt`.
Cheap cases are kept, and those that find faults which no others find. Of the rest, those are kept that reach most
lines of the package anew for their time (the greedy cover of Chvátal 1979, Mathematics of Operations Research 4, 233),
as long as these are `WORTH` lines in a second: many cheap tests find more faults than a dear one for its last lines.
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
CHEAP = 0.2
"""The seconds below which a case is kept without a question."""
WORTH = 5
"""The lines in a second that another case must reach anew."""
ALWAYS = (
    "tests/figures/test_gallery.py::test_the_gallery_equals_the_figures_drawn_now",
    "tests/figures/test_kept_sweeps.py::test_the_gallery_equals_what_is_drawn_now",
    "tests/theory/",
)
"""How the names of cases begin that no others replace: each number of a committed figure, formulas beside integrals."""


def names():
    """The tests that are left to `.ci/run`: file::name for all cases of a test, file::name[case] for one of them."""
    return frozenset(FILE.read_text(encoding="utf-8").splitlines())


def without_case(case):
    """The test of a case."""
    return case.partition("[")[0]


def kept(seconds, lines):
    """The cases that reach nearly every line that all of them reach.

    seconds: of each case by its name. lines: the lines that a case reaches, by its name.
    """
    sure = {name for name, cost in seconds.items() if cost < CHEAP or name.startswith(ALWAYS)}
    chosen = set(sure)
    missing = set().union(*lines.values()).difference(*(lines.get(name, ()) for name in chosen))
    while missing:
        best = max(lines.keys() - chosen, key=lambda name: (len(lines[name] & missing) / seconds[name], name))
        if len(lines[best] & missing) < WORTH * seconds[best]:
            break
        chosen.add(best)
        missing -= lines[best]
    reached = Counter(line for name in chosen for line in lines.get(name, ()))
    for name in sorted(chosen - sure, key=lambda name: (-seconds[name], name)):  # a later one may have made it needless
        if all(reached[line] > 1 for line in lines[name]):
            chosen.remove(name)
            reached.subtract(lines[name])
    return chosen


def short(left, every):
    """The names of the cases that are left, with one name for a test of which all are."""
    there, gone = (Counter(map(without_case, cases)) for cases in (every, left))
    whole = {test for test in gone if gone[test] == there[test]}
    return sorted({without_case(case) if without_case(case) in whole else case for case in left})


def measured():
    """The seconds of each case of a test, and the lines that it reaches, by its name."""
    from coverage import CoverageData

    with tempfile.TemporaryDirectory() as folder:
        report, data = Path(folder, "report.xml"), Path(folder, "lines")
        command = [sys.executable, "-m", "pytest", "-n", "auto", "--dist", "worksteal", f"--junitxml={report}"]
        command += ["--cov=hopattn", "--cov-context=test", "--cov-report="]
        environment = {**os.environ, "HOPATTN_LATER": "run", "COVERAGE_FILE": str(data)}
        subprocess.run(command, cwd=ROOT, env=environment, check=True)
        seconds, lines = {}, defaultdict(set)
        for case in ElementTree.parse(report).iter("testcase"):
            path = case.attrib["classname"].replace(".", "/") + ".py"
            if path.startswith("tests/"):  # examples are cheap
                seconds[f"{path}::{case.attrib['name']}"] = float(case.attrib["time"])
        found = CoverageData(str(data))
        found.read()
        for path in found.measured_files():
            for number, contexts in found.contexts_by_lineno(path).items():
                for context in filter(None, contexts):
                    lines[context.rpartition("|")[0]].add((path, number))
    return seconds, {name: reached for name, reached in lines.items() if name in seconds}


if __name__ == "__main__":
    seconds, lines = measured()
    left = seconds.keys() - kept(seconds, lines)
    FILE.write_text("".join(f"{name}\n" for name in short(left, seconds)), encoding="utf-8")
    share = sum(seconds[name] for name in left) / sum(seconds.values())
    sys.stdout.write(f"{len(left)} of {len(seconds)} cases, {share:.0%} of the time, are left to .ci/run\n")
