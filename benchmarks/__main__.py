"""Measure all groups or the named ones, each in its own process: `python -m benchmarks`.

Exit codes: 0 if everything was measured, whether or not targets are met; 1 if the two sides of a row gave different
numbers, or a group failed.
"""

import argparse
import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.machine import facts
from benchmarks.measuring import Options, Row
from benchmarks.results import PAGE_MARKS, has_marks, terminal_line, write_page
from benchmarks.settings import EACH, SETTINGS

GROUPS = {
    "startup": "Start",
    "retrieval": "One softmax step against PyTorch",
    "devices": "PyTorch arrays",
    "layers": "Layers of PyTorch",
    "products": "One softmax step against its matrix products alone",
    "steps": "Several steps, small steps, the usual ways",
    "small": "Small calls against the formulas by hand",
    "transformer": "Heads, layers and the cache",
    "census": "The census of all heads of a model",
    "mapped": "Patterns in a file",
    "spins": "Neurons one at a time",
    "landscapes": "All states of a small network",
    "thresholds": "Sparse weights",
    "rules": "Learning",
    "sweeps": "Sweeps",
    "growth": "Growth",
    "explorer": "The page to play with",
}
"""The title of each group, by its module, in the order of the table; each module has `rows(options)`."""
BY_SETTING = {
    "retrieval": ("numpy", "compiled", "chosen", *EACH[2:]),
    "products": EACH,
    "spins": EACH,
    "thresholds": EACH,
}
"""The groups that are measured in several settings, by the settings' names; the others are measured compiled."""


def main() -> int:
    """Print each row as soon as it is measured; with --write, write the page at the end."""
    arguments = _arguments()
    if arguments.row_lines:
        return _print_rows(arguments.groups[0], Options(arguments.quick, SETTINGS[arguments.setting]))
    for fact in (machine := facts("SkylakeX")):
        print(fact)
    tables: dict[str, list[Row]] = {}
    for group in arguments.groups or GROUPS:
        print(f"\n{GROUPS[group]}")
        rows = tables[GROUPS[group]] = []
        for row in _rows_of(group, arguments.quick):
            print(terminal_line(row), flush=True)
            rows.append(row)
    if arguments.write:
        write_page(arguments.write, machine, tables)
    return 1 if any(row.verdict in ("wrong", "broken") for rows in tables.values() for row in rows) else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="What hopattn costs, as ratios.")
    parser.add_argument("groups", nargs="*", metavar="group", help=", ".join(GROUPS))
    parser.add_argument("--quick", action="store_true", help="few rounds and a smaller file")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write the table into this page")
    parser.add_argument("--setting", default="compiled", help=argparse.SUPPRESS)
    parser.add_argument("--row-lines", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if unknown := [group for group in arguments.groups if group not in GROUPS]:
        parser.error(f"{unknown[0]}: expected a group of {', '.join(GROUPS)}")
    if arguments.write and (arguments.quick or arguments.groups):
        parser.error("--write: only a full run of all groups is written")
    if arguments.write and not has_marks(arguments.write):
        parser.error(f"--write: {arguments.write} has no {PAGE_MARKS}; put both where the table belongs")
    return arguments


def _rows_of(group: str, quick: bool) -> Iterator[Row]:
    """The rows of a group, for each of its settings, measured in a new process."""
    for name in BY_SETTING.get(group, ("",)):
        setting = SETTINGS.get(name)
        if setting and (reason := setting.why_unsupported):
            yield Row(f"{group}, {setting.words}", "", "skipped", note=reason)
            continue
        options = ["--row-lines", *(["--quick"] if quick else []), *(["--setting", name] if name else [])]
        command = [sys.executable, "-m", "benchmarks", group, *options]
        environ = setting.environment() if setting else os.environ
        with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) as process:
            yield from (Row.from_json(line) for line in process.stdout or ())
        if process.returncode:
            yield Row(group, "", "broken", note=f"the measurement broke down with exit code {process.returncode}")


def _print_rows(group: str, options: Options) -> int:
    """Print the rows of a group as lines of JSON; runs in the group's own process."""
    for row in importlib.import_module(f"benchmarks.{group}").rows(options):
        print(row.to_json(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
