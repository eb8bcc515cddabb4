"""How long the command line takes to start, as ratios taken side by side in one run.

The medians of interleaved runs of: bare Python, Python importing NumPy, `hopattn --help`, `hopattn run bank`.
The targets: --help at most 6 times bare Python, a warm run at most 5 times the import of NumPy.
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path

ROUNDS = 15
HOPATTN = str(Path(sys.executable).with_name("hopattn"))
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "python -c 'import numpy'": [sys.executable, "-c", "import numpy"],
    "hopattn --help": [HOPATTN, "--help"],
    "hopattn run bank": [HOPATTN, "run", "bank"],
}
TARGETS = {"hopattn --help": ("python -c pass", 6.0), "hopattn run bank": ("python -c 'import numpy'", 5.0)}


def seconds(command: list[str]) -> float:
    """How long one run of a command takes."""
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main() -> None:
    """Measure, and print the medians and the ratios with their spread."""
    for command in COMMANDS.values():
        seconds(command)  # warm: compiled files and disk
    rounds = [{name: seconds(command) for name, command in COMMANDS.items()} for _ in range(ROUNDS)]
    for name in COMMANDS:
        median = statistics.median(times[name] for times in rounds)
        print(f"{name:28} {1000 * median:7.1f} ms")
    for name, (reference, target) in TARGETS.items():
        ratios = sorted(times[name] / times[reference] for times in rounds)
        low, middle, high = ratios[len(ratios) // 4], statistics.median(ratios), ratios[3 * len(ratios) // 4]
        print(f"{name} / {reference}: {middle:.2f} (quartiles {low:.2f} to {high:.2f}; target at most {target:g})")


if __name__ == "__main__":
    main()
