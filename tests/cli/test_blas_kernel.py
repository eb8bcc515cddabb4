"""The kernel of BLAS is set if the processor supports it, the user has not set one, and NumPy is not imported yet."""

import subprocess
import sys

import pytest

from hopattn.cli.blas_kernel import KERNEL, NEEDED, choose_kernel

ALL = "processor: 0\nflags\t\t: fpu sse " + " ".join(sorted(NEEDED)) + "\n"
WITHOUT = "flags\t\t: fpu sse " + " ".join(sorted(NEEDED)[1:]) + "\n"


@pytest.mark.parametrize("numpy_is_imported", [False, True])
@pytest.mark.parametrize(
    ("cpuinfo", "given", "chosen"),
    [
        (ALL, None, KERNEL),
        (WITHOUT + ALL, None, None),
        ("", None, None),
        (None, None, None),
        (ALL, "Haswell", "Haswell"),
    ],
)
def test_the_kernel_is_set_only_where_it_may_be(tmp_path, monkeypatch, numpy_is_imported, cpuinfo, given, chosen):
    environ, file = {} if given is None else {"OPENBLAS_CORETYPE": given}, tmp_path / "cpuinfo"
    if not numpy_is_imported:
        monkeypatch.delitem(sys.modules, "numpy")
    if cpuinfo is not None:
        file.write_text(cpuinfo)
    choose_kernel(environ, file)
    assert environ.get("OPENBLAS_CORETYPE") == (given if numpy_is_imported else chosen)


def test_importing_the_library_leaves_the_environment_alone():
    code = "import os; before = dict(os.environ); import hopattn as ha; ha.Memory([[1.0]]); assert before == os.environ"
    subprocess.run([sys.executable, "-c", code], check=True)
