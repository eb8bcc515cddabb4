"""Which kernel BLAS takes: chosen by the command line alone, before NumPy is imported.

NumPy's OpenBLAS falls back to its AVX2 kernels on a processor that it does not know, even where that has AVX-512;
matrix products then take up to twice as long. A library must not touch its user's environment: in a program of your
own, set `OPENBLAS_CORETYPE=SkylakeX` before NumPy is imported, where the processor has what `NEEDED` says.
"""

import os
import sys
from collections.abc import Iterable, MutableMapping

KERNEL = "SkylakeX"
NEEDED = frozenset({"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"})
"""The instructions that the kernel consists of, as Linux names them."""

CPUINFO = "/proc/cpuinfo"


def choose_kernel(environ: MutableMapping[str, str] = os.environ, cpuinfo: str = CPUINFO) -> None:
    """Ask OpenBLAS for its AVX-512 kernel, unless the processor lacks it, the user has chosen, or it is too late."""
    if "OPENBLAS_CORETYPE" in environ or "numpy" in sys.modules:
        return
    try:
        with open(cpuinfo, encoding="ascii", errors="replace") as lines:  # noqa: PTH123 – pathlib takes 5 ms to import
            has = _flags(lines)
    except OSError:  # a system that does not tell
        return
    if has >= NEEDED:
        environ["OPENBLAS_CORETYPE"] = KERNEL


def _flags(lines: Iterable[str]) -> frozenset[str]:
    """The instructions of the first processor."""
    return next((frozenset(line.split()) for line in lines if line.startswith("flags")), frozenset())
