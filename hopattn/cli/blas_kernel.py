"""The kernel of BLAS, chosen by the command line before NumPy is imported.

NumPy's OpenBLAS uses its AVX2 kernels on a processor that it does not know, even on one with AVX-512; matrix products
then take up to twice as long. A library must not change its user's environment, so only the command line does this. In
your own program, set `OPENBLAS_CORETYPE=SkylakeX` before NumPy is imported, if the processor has the instructions
`NEEDED`.
"""

import os
import sys
from collections.abc import MutableMapping

KERNEL = "SkylakeX"
NEEDED = frozenset({"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"})
"""The instructions that the kernel uses, by their names in Linux."""

CPUINFO = "/proc/cpuinfo"


def choose_kernel(environ: MutableMapping[str, str] = os.environ, cpuinfo: str = CPUINFO) -> None:
    """Make OpenBLAS use its AVX-512 kernel, by a variable in the environment.

    It changes nothing if the variable is set already, if NumPy is imported already, or if the processor lacks the
    instructions.
    """
    if "OPENBLAS_CORETYPE" in environ or "numpy" in sys.modules:
        return
    try:
        with open(cpuinfo, encoding="ascii", errors="replace") as lines:  # noqa: PTH123 – pathlib takes 5 ms to import
            available = next((line.split() for line in lines if line.startswith("flags")), [])  # of the first processor
    except OSError:  # a system without such a file
        return
    if NEEDED.issubset(available):
        environ["OPENBLAS_CORETYPE"] = KERNEL
