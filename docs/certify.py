"""Run the full energy certificate and write its table into `docs/ideas/certificate.md`: `make certificate`.

It takes about two hours on two cores. The work for each pair of memory and update, in float64 and in float32, is
divided into parts, each with its own seed. Finished parts are kept in `docs/ideas/certificate.jsonl` until all are
done, so an interrupted run continues with the same command.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import reduce
from operator import add
from pathlib import Path

import numpy
import scipy

from hopattn import __version__
from hopattn.dynamics.updates import updates
from hopattn.experiments.certificate import DTYPES, Certificate, certify
from hopattn.experiments.processes import results_of
from hopattn.experiments.sweeps.checkpoint import open_checkpoint
from hopattn.experiments.sweeps.plan import key_of
from hopattn.memories.models import named_memories
from hopattn.views.tables import CERTIFICATE, certificate_rows
from tests.networks.random_networks import RANDOM

PAGE = Path(__file__).resolve().parent / "ideas" / "certificate.md"
CHECKPOINT = PAGE.with_suffix(".jsonl")
COUNT, PARTS = 100_000, 10
"""The number of updates of each pair, and the number of parts into which they are divided."""
OWN = "default_update"
"""The word for the own update of a memory."""
VERSIONS = {"hopattn": __version__, "NumPy": numpy.__version__, "SciPy": scipy.__version__}


def main() -> int:
    """Write the table. Exit code 1 if an update that is claimed to lower the energy raised it, 0 otherwise."""
    every = [(name, update) for name in [*named_memories, *RANDOM] for update in updates]
    every.append(("energy_transformer", OWN))  # its own update has no name
    pairs = [f"{name} {update} {dtype}" for dtype in DTYPES for name, update in every]
    parts = [f"{pair} {seed}" for pair in pairs for seed in range(PARTS)]
    parts.sort(key=lambda part: " graded " not in part)  # it takes the longest, so it starts first
    with open_checkpoint(CHECKPOINT, {"about": "energy certificate", "count": COUNT, "versions": VERSIONS}) as kept:
        left = [part for part in parts if key_of({"part": part}) not in kept.finished]
        for part, certificate in results_of(_certified, left):
            kept.add({"part": part}, asdict(certificate))
        found = {part: Certificate(**kept.finished[key_of({"part": part})]) for part in parts}
    certificates = [reduce(add, (found[f"{pair} {seed}"] for seed in range(PARTS))) for pair in pairs]
    _write(certificates)
    CHECKPOINT.unlink()
    return 0 if all(certificate.holds for certificate in certificates) else 1


def _certified(part: str) -> tuple[str, Certificate]:
    """The certificate of a part, which is a memory, an update, a dtype and a seed; with the part."""
    memory, update, dtype, seed = part.split()
    own, rule = RANDOM.get(memory, memory), None if update == OWN else update
    certificate = certify(own, rule, count=COUNT // PARTS, rng=int(seed), dtype=dtype)
    return part, replace(certificate, memory=memory)


def _rows(certificates: list[Certificate]) -> Iterator[list[str]]:
    """One row for each pair in float64, with the largest rise in float32 after the largest rise in float64."""
    single = {(pair.memory, pair.update): pair for pair in certificates if pair.dtype == "float32"}
    for row in certificate_rows(pair for pair in certificates if pair.dtype == "float64"):
        pair = single[row[0], row[1]]
        yield [*row[:4], f"{pair.largest:.1e}" if pair.claimed else "–", *row[4:]]


def _write(certificates: list[Certificate]) -> None:
    """Write the table between the marks of the page."""
    escaped = ([cell.replace("|", "\\|") for cell in row] for row in _rows(certificates))
    headings = [*CERTIFICATE[:4], "in float32", *CERTIFICATE[4:]]
    rows = [headings, ["---", "---", "--:", "--:", "--:", "--:", "--:", "---"], *escaped]
    versions = ", ".join(f"{name} {version}" for name, version in VERSIONS.items())
    counted = f"{COUNT:,} updates of each pair and dtype, seeds 0 to {PARTS - 1}; {versions}."
    table = "\n".join([counted, "", *(f"| {' | '.join(row)} |" for row in rows)])
    text = PAGE.read_text(encoding="utf-8")
    marked = re.compile(r"(<!-- certificate -->\n).*?(<!-- end -->)", re.DOTALL)
    PAGE.write_text(marked.sub(lambda marks: f"{marks[1]}\n{table}\n\n{marks[2]}", text), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
