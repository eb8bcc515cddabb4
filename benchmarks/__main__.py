"""Measure all groups, or those that are named, each in a process of its own: `python -m benchmarks`.

Exit codes: 0 all was measured, whatever the verdicts; 1 two sides gave different numbers, or a group broke down.
"""

import argparse
import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.machine import environment, facts, lacks
from benchmarks.measuring import Options, Row
from benchmarks.results import PAGE_MARKS, has_marks, printed, written
from benchmarks.retrieval import KERNEL

GROUPS = {
    "startup": "Start",
    "retrieval": "One softmax step against PyTorch",
    "products": "One softmax step against its matrix products alone",
    "steps": "Several steps, small steps, the usual ways",
    "mapped": "Patterns in a file",
    "spins": "Neurons one at a time",
    "rules": "Learning",
    "sweeps": "Sweeps",
    "growth": "Growth",
}
"""The modules that measure, in the order of the table: each has `rows(options)`."""
KERNELS = {"retrieval": ("", KERNEL)}
"""The groups that are measured with several kernels of BLAS; the empty one is that which BLAS takes by itself."""


def main() -> int:
    """Print each row as soon as it is measured, and write the page where that is asked for."""
    asked = _arguments()
    if asked.row_lines:
        return _measure(asked.groups[0], Options(asked.quick, asked.kernel))
    for fact in (machine := facts(KERNEL)):
        print(fact)
    tables: dict[str, list[Row]] = {}
    for group in asked.groups or GROUPS:
        print(f"\n{GROUPS[group]}")
        rows = tables[GROUPS[group]] = []
        for row in _measured(group, asked.quick):
            print(printed(row), flush=True)
            rows.append(row)
    if asked.write:
        written(asked.write, machine, tables)
    return 1 if any(row.verdict in ("wrong", "broken") for rows in tables.values() for row in rows) else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="What hopattn costs, as ratios.")
    parser.add_argument("groups", nargs="*", metavar="group", help=", ".join(GROUPS))
    parser.add_argument("--quick", action="store_true", help="few rounds and a smaller file")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write the table into this page")
    parser.add_argument("--kernel", default="", help=argparse.SUPPRESS)
    parser.add_argument("--row-lines", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if unknown := [group for group in asked.groups if group not in GROUPS]:
        parser.error(f"{unknown[0]}: expected a group of {', '.join(GROUPS)}")
    if asked.write and (asked.quick or asked.groups):
        parser.error("--write: only a full run of all groups is written")
    if asked.write and not has_marks(asked.write):
        parser.error(f"--write: {asked.write} has no {PAGE_MARKS}; put both where the table belongs")
    return asked


def _measured(group: str, quick: bool) -> Iterator[Row]:
    """The rows of a group, with each kernel of BLAS that it asks for."""
    for kernel in KERNELS.get(group, ("",)):
        if kernel and (reason := lacks(kernel)):
            yield Row(f"{group} with the kernel {kernel}", "", "skipped", note=reason)
            continue
        options = ["--row-lines", *(["--quick"] if quick else []), *(["--kernel", kernel] if kernel else [])]
        command = [sys.executable, "-m", "benchmarks", group, *options]
        with subprocess.Popen(command, env=environment(kernel), stdout=subprocess.PIPE, text=True) as process:
            yield from (Row.from_json(line) for line in process.stdout or ())
        if process.returncode:
            yield Row(group, "", "broken", note=f"the measurement broke down with exit code {process.returncode}")


def _measure(group: str, options: Options) -> int:
    """In the process of a group: its rows as lines of JSON."""
    for row in importlib.import_module(f"benchmarks.{group}").rows(options):
        print(row.to_json(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
