"""The machine and the versions that numbers were measured with: `python -m benchmarks.machine` prints BLAS's kernel."""

import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.measuring import cores

NEEDS = {"SkylakeX": {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"}}
"""What a processor must have for a kernel of OpenBLAS."""
PACKAGES = {"NumPy": "numpy", "SciPy": "scipy", "PyTorch": "torch", "hopattn": "hopattn"}


def facts(kernel: str) -> list[str]:
    """Machine, versions, and BLAS with its kernel, by itself and where another one is asked for; a line each."""
    versions = [f"{name} {_version(package)}" for name, package in PACKAGES.items()]
    processor = _proc("cpuinfo").get("model name", platform.processor() or "unknown processor")
    return [
        f"{processor}, {cores()} cores, {_memory()} of memory",
        ", ".join([f"{platform.system()} {platform.machine()}", f"Python {platform.python_version()}", *versions]),
        _kernels(kernel),
    ]


def lacks(kernel: str) -> str:
    """Why this processor cannot run a kernel of OpenBLAS, or an empty string where it can."""
    missing = NEEDS[kernel] - set(_proc("cpuinfo").get("flags", "").split())
    return f"the processor has no {', '.join(sorted(missing))}" if missing else ""


def environment(kernel: str) -> Mapping[str, str]:
    """The environment in which OpenBLAS takes a kernel; as it is where none is asked for."""
    return {**os.environ, **({"OPENBLAS_CORETYPE": kernel} if kernel else {})}


def blas() -> dict[str, Any]:
    """What threadpoolctl says of the BLAS that NumPy has loaded."""
    import numpy as np
    from threadpoolctl import threadpool_info

    found = [library for library in threadpool_info() if library["user_api"] == "blas"]
    folder = Path(np.__file__).parent.parent
    own = [library for library in found if Path(library["filepath"]).is_relative_to(folder / "numpy.libs")]
    return dict((own or found or [{}])[0])


def architecture() -> str:
    """The kernel that NumPy's BLAS runs with."""
    return str(blas().get("architecture", "unknown"))


def _kernels(kernel: str) -> str:
    library, asked = blas(), "" if lacks(kernel) else _architecture_with(kernel)
    by_itself = f"BLAS: {library.get('internal_api', 'unknown')} {library.get('version', '')}, kernel {architecture()}"
    if not asked:
        return f"{by_itself}; {kernel} is not to be had here: {lacks(kernel)}"
    same = ", which is the same" if asked == architecture() else ""
    return f"{by_itself}; with OPENBLAS_CORETYPE={kernel} it reports {asked}{same}"


def _architecture_with(kernel: str) -> str:
    command = [sys.executable, "-m", "benchmarks.machine"]
    return subprocess.run(command, env=environment(kernel), capture_output=True, text=True, check=True).stdout.strip()


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.1f} GiB"
    except (AttributeError, ValueError, OSError):  # a system that does not tell
        return "an unknown amount"


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _proc(name: str) -> dict[str, str]:
    """The first value of each key in a file of `/proc`; nothing where there is none."""
    path = Path("/proc") / name
    found: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        key, _, value = line.partition(":")
        found.setdefault(key.strip(), value.strip())
    return found


if __name__ == "__main__":
    print(architecture())
