"""Run the energy certificate in full and write its table into `docs/certificate.md`: `make certificate`.

Takes about two hours on two cores; `hopattn certify` does the same with fewer updates.
"""

import os
import re
import sys
from pathlib import Path

import numpy
import scipy

import hopattn
from hopattn.certificate import certify_all
from hopattn.terminal import CERTIFICATE, certificate_rows

PAGE = Path(__file__).resolve().parent / "certificate.md"
COUNT = 100_000


def main() -> int:
    """Write the table; 1 where a claimed update raised the energy."""
    found = list(certify_all(count=COUNT, processes=os.cpu_count() or 1))
    escaped = ([cell.replace("|", "\\|") for cell in row] for row in certificate_rows(found))
    rows = [CERTIFICATE, ["---", "---", "--:", "--:", "--:", "--:", "---"], *escaped]
    versions = f"hopattn {hopattn.__version__}, NumPy {numpy.__version__}, SciPy {scipy.__version__}"
    table = f"{COUNT:,} updates of each pair, seed 0; {versions}.\n\n" + "\n".join(
        f"| {' | '.join(row)} |" for row in rows
    )
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(
        re.sub(
            r"(<!-- certificate -->\n).*?(\n<!-- end -->)",
            lambda found: f"{found[1]}\n{table}\n{found[2]}",
            text,
            flags=re.DOTALL,
        )
    )
    return 0 if all(one.holds for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
