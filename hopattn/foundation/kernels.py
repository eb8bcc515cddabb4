"""The choice between NumPy and loops that numba compiles, made when work is done; this file imports nothing heavy.

Compiled loops are imported at the first large work of their subject, which takes about a second, and half a minute at
most on the first use of an installation. NumPy does smaller work, and all work where numba, of the extra `fast`, cannot
be imported, where its cache cannot be written, and where the environment says `HOPATTN_KERNELS=numpy`.
"""

import importlib
import os
import re
from functools import cache
from typing import Any

from hopattn.foundation.errors import InvalidInput, unknown

LEAST_NUMBA = "0.62"
"""The first numba whose LLVM has `maximum` for vectors; an earlier one ends the process when it compiles them."""
VARIABLE = "HOPATTN_KERNELS"
CHOICES = ("compiled", "numpy")
LEAST_WORK = {"softmax": 2**22, "spins": 2**27, "thresholds": 2**17}
"""The least work of each subject that is compiled: scores, couplings times cues, scores."""


def compiled_loops(subject: str, work: int) -> Any | None:
    """The module of compiled loops of a subject for work of this size; None where NumPy does it; raises as `wanted`."""
    return _imported(subject) if work >= LEAST_WORK[subject] and wanted() else None


def wanted() -> bool:
    """Whether the environment allows compiled loops; raises `InvalidInput` for kernels that do not exist."""
    kernels = os.environ.get(VARIABLE) or "compiled"
    if kernels not in CHOICES:
        raise InvalidInput(f"{VARIABLE}: {unknown(kernels, CHOICES)}")
    return kernels == "compiled"


def in_words() -> str:
    """The kernels of this process in a few words, without importing them; raises as `wanted` does."""
    if not wanted():
        return f"NumPy ({VARIABLE}=numpy)"
    from importlib import metadata  # only `--version` asks for it

    try:
        version = metadata.version("numba")
    except metadata.PackageNotFoundError:
        return "NumPy (numba is not installed; the extra 'fast' brings it)"
    if not fits(version):
        return f"NumPy (numba {version} is too old; the loops need {LEAST_NUMBA} or newer)"
    return "compiled by numba for large work"


def fits(numba: str) -> bool:
    """Whether a version of numba, such as `0.62.1`, compiles the loops."""
    release, least = ([int(number) for number in re.findall(r"\d+", version)[:2]] for version in (numba, LEAST_NUMBA))
    return release >= least


@cache
def _imported(subject: str) -> Any | None:
    try:
        return importlib.import_module(f"hopattn.foundation.compiled.{subject}")
    except Exception:  # numba is missing, does not fit its neighbours, or has no place for its cache
        return None
