"""Run the energy certificate in full and write its table into `docs/certificate.md`: `make certificate`.

Takes about an hour on two cores. Each pair is tried in parts, each with a seed of its own; a finished part is kept
in `docs/certificate.jsonl` until all are done, so that the same command goes on where it was interrupted.
`hopattn certify` does the same work with fewer updates.
"""

import json
import os
import re
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from functools import reduce
from multiprocessing import get_context
from operator import add
from pathlib import Path

import numpy
import scipy

import hopattn
from hopattn.dynamics.updates import updates
from hopattn.experiments.certificate import Certificate, certify
from hopattn.memories.models import named_memories
from hopattn.views.tables import CERTIFICATE, certificate_rows

PAGE = Path(__file__).resolve().parent / "certificate.md"
FINISHED = PAGE.with_suffix(".jsonl")
COUNT, PARTS = 100_000, 10


def main() -> int:
    """Write the table; 1 where a claimed update raised the energy."""
    pairs = [(name, update) for name in named_memories for update in updates]
    parts = [(*pair, seed) for pair in pairs for seed in range(PARTS)]
    found = _kept()
    with (
        ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool,
        FINISHED.open("a", encoding="utf-8") as finished,
    ):
        left = sorted((part for part in parts if part not in found), key=lambda part: part[1] != "graded")
        works = {pool.submit(certify, name, update, COUNT // PARTS, seed): seed for name, update, seed in left}
        for work in as_completed(works):
            one, seed = work.result(), works[work]
            found[one.memory, one.update, seed] = one
            print(json.dumps({"seed": seed, **asdict(one)}, ensure_ascii=False), file=finished, flush=True)
    table = [reduce(add, (found[*pair, seed] for seed in range(PARTS))) for pair in pairs]
    _write(table)
    FINISHED.unlink()
    return 0 if all(one.holds for one in table) else 1


def _kept() -> dict[tuple[str, str, int], Certificate]:
    if not FINISHED.exists():
        return {}
    lines = [json.loads(line) for line in FINISHED.read_text(encoding="utf-8").splitlines()]
    return {(line["memory"], line["update"], line.pop("seed")): Certificate(**line) for line in lines}


def _write(found: list[Certificate]) -> None:
    """The table between the page's marks."""
    escaped = ([cell.replace("|", "\\|") for cell in row] for row in certificate_rows(found))
    rows = [CERTIFICATE, ["---", "---", "--:", "--:", "--:", "--:", "---"], *escaped]
    versions = f"hopattn {hopattn.__version__}, NumPy {numpy.__version__}, SciPy {scipy.__version__}"
    counted = f"{COUNT:,} updates of each pair, seeds 0 to {PARTS - 1}; {versions}."
    table = "\n".join([counted, "", *(f"| {' | '.join(row)} |" for row in rows)])
    text = PAGE.read_text(encoding="utf-8")
    marked = re.compile(r"(<!-- certificate -->\n).*?(<!-- end -->)", re.DOTALL)
    PAGE.write_text(marked.sub(lambda marks: f"{marks[1]}\n{table}\n\n{marks[2]}", text), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
