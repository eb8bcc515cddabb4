"""Facts about the machine and the versions of libraries; `python -m benchmarks.machine` prints the BLAS kernel."""

import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

KERNEL_FLAGS = {"SkylakeX": {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"}}
"""The processor flags that each OpenBLAS kernel requires."""
PACKAGES = {"NumPy": "numpy", "SciPy": "scipy", "PyTorch": "torch", "numba": "numba", "hopattn": "hopattn"}


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def facts(kernel: str) -> list[str]:
    """Three lines: the machine; versions; BLAS with its default kernel and with the given one."""
    versions = [f"{name} {_version(package)}" for name, package in PACKAGES.items()]
    processor = _proc("cpuinfo").get("model name", platform.processor() or "unknown processor")
    return [
        f"{processor}, {cores()} cores, {_memory()} of memory",
        ", ".join([f"{platform.system()} {platform.machine()}", f"Python {platform.python_version()}", *versions]),
        _kernels(kernel),
    ]


def why_unsupported(kernel: str) -> str:
    """Why this processor cannot run an OpenBLAS kernel, or an empty string if it can."""
    missing = KERNEL_FLAGS[kernel] - set(_proc("cpuinfo").get("flags", "").split())
    return f"the processor has no {', '.join(sorted(missing))}" if missing else ""


def environment(kernel: str) -> Mapping[str, str]:
    """The environment variables with which OpenBLAS uses a kernel; unchanged for an empty name."""
    return {**os.environ, **({"OPENBLAS_CORETYPE": kernel} if kernel else {})}


def blas() -> dict[str, Any]:
    """The facts that threadpoolctl gives about NumPy's BLAS, or an empty dict if it finds none."""
    import numpy as np
    from threadpoolctl import threadpool_info

    loaded = [library for library in threadpool_info() if library["user_api"] == "blas"]
    folder = Path(np.__file__).parent.parent
    own = [library for library in loaded if Path(library["filepath"]).is_relative_to(folder / "numpy.libs")]
    return dict((own or loaded or [{}])[0])


def architecture() -> str:
    """The kernel that NumPy's BLAS uses."""
    return str(blas().get("architecture", "unknown"))


def _kernels(kernel: str) -> str:
    library, chosen = blas(), "" if why_unsupported(kernel) else _architecture_with(kernel)
    default = f"BLAS: {library.get('internal_api', 'unknown')} {library.get('version', '')}, kernel {architecture()}"
    if not chosen:
        return f"{default}; {kernel} is not available here: {why_unsupported(kernel)}"
    same = ", which is the same" if chosen == architecture() else ""
    return f"{default}; with OPENBLAS_CORETYPE={kernel} it reports {chosen}{same}"


def _architecture_with(kernel: str) -> str:
    command = [sys.executable, "-m", "benchmarks.machine"]
    return subprocess.run(command, env=environment(kernel), capture_output=True, text=True, check=True).stdout.strip()


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.1f} GiB"
    except (AttributeError, ValueError, OSError):  # the system does not give the size
        return "an unknown amount"


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _proc(name: str) -> dict[str, str]:
    """The first value of each key in a file of `/proc`; an empty dict if the file does not exist."""
    path = Path("/proc") / name
    values: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        key, _, value = line.partition(":")
        values.setdefault(key.strip(), value.strip())
    return values


if __name__ == "__main__":
    print(architecture())
