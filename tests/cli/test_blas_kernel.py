"""The kernel of BLAS is set if the processor supports it, the user has not set one, and NumPy is not imported yet."""

import subprocess
import sys

import pytest

from hopattn.cli.blas_kernel import KERNEL, NEEDED, choose_kernel

ALL = "flags\t\t: fpu sse " + " ".join(sorted(NEEDED)) + "\n"
WITHOUT = "flags\t\t: fpu sse " + " ".join(sorted(NEEDED)[1:]) + "\n"


@pytest.mark.parametrize(
    "cpuinfo, environ, expected",
    [
        ("processor: 0\n" + ALL, {}, KERNEL),
        (WITHOUT + ALL, {}, None),
        ("", {}, None),
        (ALL, {"OPENBLAS_CORETYPE": "Haswell"}, "Haswell"),
    ],
)
def test_the_kernel_is_set_only_if_the_processor_supports_it_and_the_user_has_not_set_one(
    tmp_path, monkeypatch, cpuinfo, environ, expected
):
    monkeypatch.delitem(sys.modules, "numpy")
    file = tmp_path / "cpuinfo"
    file.write_text(cpuinfo)
    choose_kernel(environ, file)
    assert environ.get("OPENBLAS_CORETYPE") == expected


def test_nothing_is_set_if_numpy_is_imported_or_the_system_has_no_cpuinfo(tmp_path, monkeypatch):
    environ = {}
    (tmp_path / "cpuinfo").write_text(ALL)
    choose_kernel(environ, tmp_path / "cpuinfo")
    monkeypatch.delitem(sys.modules, "numpy")
    choose_kernel(environ, tmp_path / "absent")
    assert environ == {}


def test_importing_the_library_leaves_the_environment_alone():
    code = "import os; before = dict(os.environ); import hopattn as ha; ha.Memory([[1.0]]); assert before == os.environ"
    subprocess.run([sys.executable, "-c", code], check=True)
