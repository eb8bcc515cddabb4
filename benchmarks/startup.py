"""The start of the command line: its time, and the packages that it imports."""

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.measuring import Measured, Options, Row, Target, interleaved, measured_row, ratio

HOPATTN = str(Path(sys.executable).with_name("hopattn"))
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "python -c 'import numpy'": [sys.executable, "-c", "import numpy"],
    "hopattn --help": [HOPATTN, "--help"],
    "hopattn run bank": [HOPATTN, "run", "bank"],
}
TARGETS = {"hopattn --help": ("python -c pass", 6.0), "hopattn run bank": ("python -c 'import numpy'", 5.0)}
HEAVY = ("numpy", "scipy", "matplotlib", "networkx", "pydantic", "torch", "jax")
"""Packages that the help must not import."""


def rows(options: Options) -> Iterator[Row]:
    """The ratios help / bare Python and run / import of NumPy, and the number of heavy packages the help imports."""
    times = interleaved({name: partial(_run, command) for name, command in COMMANDS.items()}, options)
    for name, (reference, most) in TARGETS.items():
        yield measured_row(f"{name} / {reference}", Target("≤", most), partial(ratio, times, name, reference))
    yield measured_row("heavy packages that hopattn --help imports", Target("≤", 0), _imported)


def _run(command: list[str]) -> None:
    """Run a command without Python's environment variables, as a user would; earlier runs have compiled its modules."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=environ)


def _imported() -> Measured:
    command = [sys.executable, "-X", "importtime", *COMMANDS["hopattn --help"]]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    modules = {line.rpartition("|")[2].strip() for line in output.splitlines() if line.startswith("import time:")}
    heavy = [name for name in HEAVY if name in modules]
    return Measured(len(heavy), len(heavy), len(heavy), ", ".join(heavy) or f"none of {', '.join(HEAVY)}")
