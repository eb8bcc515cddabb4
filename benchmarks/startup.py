"""How long the command line takes to start, and what it imports for that."""

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.measuring import Measured, Options, Row, Target, attempted, interleaved, ratio

HOPATTN = str(Path(sys.executable).with_name("hopattn"))
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "python -c 'import numpy'": [sys.executable, "-c", "import numpy"],
    "hopattn --help": [HOPATTN, "--help"],
    "hopattn run bank": [HOPATTN, "run", "bank"],
}
TARGETS = {"hopattn --help": ("python -c pass", 6.0), "hopattn run bank": ("python -c 'import numpy'", 5.0)}
HEAVY = ("numpy", "scipy", "matplotlib", "networkx", "pydantic", "torch", "jax")
"""What the help does without."""


def rows(options: Options) -> Iterator[Row]:
    """The help over bare Python, a run over the import of NumPy, and how many heavy packages the help imports."""
    times = interleaved({name: partial(_run, command) for name, command in COMMANDS.items()}, options)
    for name, (reference, most) in TARGETS.items():
        yield attempted(f"{name} / {reference}", Target("≤", most), partial(ratio, times, name, reference))
    yield attempted("heavy packages that hopattn --help imports", Target("≤", 0), _imported)


def _run(command: list[str]) -> None:
    """Run it as a user's second run would be: with its modules compiled by the first, and as Python is by itself."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=environ)


def _imported() -> Measured:
    command = [sys.executable, "-X", "importtime", *COMMANDS["hopattn --help"]]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    modules = {line.rpartition("|")[2].strip() for line in told.splitlines() if line.startswith("import time:")}
    found = [name for name in HEAVY if name in modules]
    return Measured(len(found), len(found), len(found), ", ".join(found) or f"none of {', '.join(HEAVY)}")
