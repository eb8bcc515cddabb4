"""Settings of a measurement: the processor, as it is or without AVX-512, and the kernels, NumPy's or compiled ones.

Each is a set of environment variables for a new process. A simulated processor tells each library by its own variable
not to use AVX-512: the machine is the same, and the instructions are those of another one.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

from benchmarks.machine import why_unsupported

WITHOUT_AVX512 = {
    "OPENBLAS_CORETYPE": "Haswell",
    "NUMBA_CPU_NAME": "haswell",
    "NUMBA_CPU_FEATURES": "+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,+popcnt,+sse4.2",
    "ATEN_CPU_CAPABILITY": "avx2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "MKL_ENABLE_INSTRUCTIONS": "AVX2",
}
"""The variables of OpenBLAS, numba, PyTorch and its libraries; NumPy's lists the features that it would use."""


@dataclass(frozen=True)
class Setting:
    """The environment of one measurement.

    compiled: whether large work is compiled. kernel: the BLAS kernel, or "" for its own choice. simulated: whether
    AVX-512 is left out.
    """

    name: str
    compiled: bool
    kernel: str = ""
    simulated: bool = False

    @property
    def words(self) -> str:
        """The setting in a row of the table."""
        parts = ["compiled" if self.compiled else "NumPy"]
        parts += ["AVX2 simulated"] if self.simulated else []
        return ", ".join([*parts, *([f"chosen kernel {self.kernel}"] if self.kernel else [])])

    @property
    def why_unsupported(self) -> str:
        """Why it cannot be measured here, or an empty string if it can."""
        if self.compiled and find_spec("numba") is None:
            return "numba is not installed (the extra 'fast' brings it)"
        if self.kernel:
            return why_unsupported(self.kernel)
        if self.simulated and why_unsupported("SkylakeX"):
            return "the processor has no AVX-512 that could be left out"
        return ""

    def environment(self) -> Mapping[str, str]:
        """The environment variables of its process."""
        own = {"HOPATTN_KERNELS": "compiled" if self.compiled else "numpy"}
        if self.kernel:
            own["OPENBLAS_CORETYPE"] = self.kernel
        if self.simulated:
            own |= {**WITHOUT_AVX512, "NPY_DISABLE_CPU_FEATURES": _avx512_of_numpy()}
        return {**os.environ, **own}


def _avx512_of_numpy() -> str:
    """The features with AVX-512 for which this NumPy has loops of its own and which the processor has."""
    inside = import_module("numpy._core._multiarray_umath")
    wide = [name for name in inside.__cpu_dispatch__ if name == "X86_V4" or name.startswith("AVX512")]
    return " ".join(name for name in wide if inside.__cpu_features__.get(name))


SETTINGS = {
    each.name: each
    for each in (
        Setting("numpy", False),
        Setting("compiled", True),
        Setting("chosen", True, kernel="SkylakeX"),
        Setting("avx2-numpy", False, simulated=True),
        Setting("avx2-compiled", True, simulated=True),
    )
}
"""All settings by name."""
EACH = ("numpy", "compiled", "avx2-numpy", "avx2-compiled")
"""The settings of a group that is measured with both kernels, on the processor at hand and on the simulated one."""
