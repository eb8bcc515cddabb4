"""The kernel of BLAS is chosen where the processor has it, the user has not chosen, and NumPy is not there yet."""

import subprocess
import sys

import pytest

from hopattn.cli.blas_kernel import KERNEL, NEEDED, choose_kernel

ALL = "flags\t\t: fpu sse " + " ".join(sorted(NEEDED)) + "\n"
WITHOUT = "flags\t\t: fpu sse " + " ".join(sorted(NEEDED)[1:]) + "\n"


@pytest.mark.parametrize(
    "cpuinfo, environ, chosen",
    [
        ("processor: 0\n" + ALL, {}, KERNEL),
        (WITHOUT + ALL, {}, None),
        ("", {}, None),
        (ALL, {"OPENBLAS_CORETYPE": "Haswell"}, "Haswell"),
    ],
)
def test_the_kernel_is_chosen_only_where_it_can_be(tmp_path, monkeypatch, cpuinfo, environ, chosen):
    monkeypatch.delitem(sys.modules, "numpy")
    file = tmp_path / "cpuinfo"
    file.write_text(cpuinfo)
    choose_kernel(environ, file)
    assert environ.get("OPENBLAS_CORETYPE") == chosen


def test_where_numpy_is_loaded_or_the_system_does_not_tell_nothing_is_chosen(tmp_path, monkeypatch):
    environ = {}
    (tmp_path / "cpuinfo").write_text(ALL)
    choose_kernel(environ, tmp_path / "cpuinfo")
    monkeypatch.delitem(sys.modules, "numpy")
    choose_kernel(environ, tmp_path / "absent")
    assert environ == {}


def test_importing_the_library_leaves_the_environment_alone():
    code = "import os; before = dict(os.environ); import hopattn as ha; ha.Memory([[1.0]]); assert before == os.environ"
    subprocess.run([sys.executable, "-c", code], check=True)
