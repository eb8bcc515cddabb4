"""The checks before a release that are open-ended or long: run each, and print one table of how they ended.

`make release-checks` runs all of them, for some hours; `make release-checks CHECKS="fuzz faults"` these. A check that
fails ends none of the others; the exit code is 1 if one has failed. Put the table into the notes of the release.
"""

import subprocess
import sys
import time

CHECKS = {
    "tests": "make test-all PYTEST_ARGS=--no-skip",
    "fuzz": "make fuzz FUZZ_SECONDS=600",
    "faults": "make faults",
    "seeded": "{python} -m tools.seeded 100 --least 75 80",  # of all: one in ten changes nothing
    "versions": ".ci/other-versions",
    "benchmarks": "make bench",
    "certificate": "make certificate",
}
"""The command of each check, by its name."""


def table(rows):
    """Columns as wide as their longest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def main(names):
    if unknown := [name for name in names if name not in CHECKS]:
        sys.stderr.write(f"{unknown[0]!r} is not a check; expected some of: {', '.join(CHECKS)}\n")
        return 2
    subprocess.run([".ci/every-extra"], check=True)
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=True
    ).stdout
    rows, failed = [("check", "ended", "minutes")], False
    for name in names or CHECKS:
        start = time.monotonic()
        code = subprocess.run(CHECKS[name].format(python=sys.executable), shell=True).returncode
        failed |= code != 0
        rows.append((name, "FAILED" if code else "passed", f"{(time.monotonic() - start) / 60:.1f}"))
        sys.stdout.write(f"\n{table(rows)}\n")
    sys.stdout.write(f"commit {commit}")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
