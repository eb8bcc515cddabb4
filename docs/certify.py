"""Run the energy certificate in full and write its table into `docs/certificate.md`: `make certificate`.

Takes about an hour on two cores. Each finished pair is kept in `docs/certificate.jsonl` until all are done, so that the
same command goes on where it was interrupted; `hopattn certify` does the same work with fewer updates.
"""

import json
import os
import re
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path

import numpy
import scipy

import hopattn
from hopattn.certificate import Certificate, certify
from hopattn.memories import named_memories
from hopattn.terminal import CERTIFICATE, certificate_rows
from hopattn.updates import updates

PAGE = Path(__file__).resolve().parent / "certificate.md"
FINISHED = PAGE.with_suffix(".jsonl")
COUNT = 100_000


def main() -> int:
    """Write the table; 1 where a claimed update raised the energy."""
    wanted = [(name, update) for name in named_memories for update in updates]
    found = {(one.memory, one.update): one for one in _kept()}
    with (
        ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool,
        FINISHED.open("a", encoding="utf-8") as finished,
    ):
        left = sorted((pair for pair in wanted if pair not in found), key=lambda pair: pair[1] != "graded")
        for work in as_completed([pool.submit(certify, *pair, COUNT) for pair in left]):
            one = work.result()
            found[one.memory, one.update] = one
            print(json.dumps(asdict(one), ensure_ascii=False), file=finished, flush=True)
    _write([found[pair] for pair in wanted])
    FINISHED.unlink()
    return 0 if all(one.holds for one in found.values()) else 1


def _kept() -> list[Certificate]:
    if not FINISHED.exists():
        return []
    return [Certificate(**json.loads(line)) for line in FINISHED.read_text(encoding="utf-8").splitlines()]


def _write(found: list[Certificate]) -> None:
    """The table between the page's marks."""
    escaped = ([cell.replace("|", "\\|") for cell in row] for row in certificate_rows(found))
    rows = [CERTIFICATE, ["---", "---", "--:", "--:", "--:", "--:", "---"], *escaped]
    versions = f"hopattn {hopattn.__version__}, NumPy {numpy.__version__}, SciPy {scipy.__version__}"
    lines = [f"{COUNT:,} updates of each pair, seed 0; {versions}.", "", *(f"| {' | '.join(row)} |" for row in rows)]
    table = "\n".join(lines)
    text = PAGE.read_text(encoding="utf-8")
    marked = re.compile(r"(<!-- certificate -->\n).*?(<!-- end -->)", re.DOTALL)
    PAGE.write_text(marked.sub(lambda marks: f"{marks[1]}\n{table}\n\n{marks[2]}", text), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
