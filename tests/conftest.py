"""What all tests share: how Hypothesis draws, the array libraries, their referees, the command line, two kernels."""

import gc
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from threadpoolctl import threadpool_info

from hopattn.cli.main import main
from hopattn.foundation import kernels
from hopattn.foundation.threads import thread_limit
from tests.clusters import dask, served, told_by_dask, two_workers  # noqa: F401
from tests.draws import count
from tests.libraries import beside_numpy, entmax, gpu, jax, library, torch, traced  # noqa: F401

try:
    import fcntl
except ImportError:  # Windows has none: two processes may compile the same loops there
    fcntl = None

ANY_SPEED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow], "derandomize": False}
settings.register_profile("quick", max_examples=5, **ANY_SPEED)
settings.register_profile("full", max_examples=60, **ANY_SPEED)
settings.load_profile("quick")
gc.set_threshold(100_000)  # the libraries stay: searching them for garbage takes a seventh of the time of the tests
os.environ.pop("COLUMNS", None)  # pages and tests are as wide as a pipe, whatever the terminal of this process is

ROOT = Path(__file__).resolve().parent.parent
AVX512 = ("SkylakeX", "Cooperlake", "SapphireRapids")
"""OpenBLAS's names of its kernels for AVX-512."""


@pytest.fixture(scope="session")
def results():
    """The result of each shipped scenario by its name."""
    from tests.runs import Results

    return Results()


@pytest.fixture(params=["numpy", "compiled"])
def both_kernels(request, monkeypatch):
    """A test runs with NumPy alone, and with compiled loops for work of any size."""
    monkeypatch.setenv(kernels.VARIABLE, request.param)
    if request.param == "compiled":
        for subject in kernels.LEAST_WORK:
            compiled(subject)
        monkeypatch.setattr(kernels, "LEAST_WORK", dict.fromkeys(kernels.LEAST_WORK, 0))


def compiled(subject):
    if importlib.util.find_spec("numba") is None:
        pytest.skip("numba is not installed (the extra 'fast' brings it)")
    with Path(kernels.__file__).open() as file:  # the first process compiles, the others wait for its cache
        if fcntl:
            fcntl.flock(file, fcntl.LOCK_EX)
        loops = kernels.compiled_loops(subject, kernels.LEAST_WORK[subject])
    assert loops is not None, "numba is installed, but its loops cannot be imported"
    return loops


@pytest.fixture(scope="session")
def loops():
    """The compiled loops of the online softmax."""
    return compiled("softmax")


@pytest.fixture(scope="session")
def loops_of_spins():
    return compiled("spins")


@pytest.fixture(scope="session")
def site(testrun_uid):
    """The folder of the built site. One worker builds it, every warning an error, and the others wait for it."""
    pytest.importorskip("sphinx", reason="the site needs the extra docs")
    folder = ROOT / "docs" / "_build"
    folder.mkdir(exist_ok=True)
    with (folder / "tested").open("a+") as last:
        if fcntl:
            fcntl.flock(last, fcntl.LOCK_EX)
        last.seek(0)
        if last.read() != testrun_uid:
            command = [sys.executable, "-m", "docs.builder", *count([], ["--undrawn"])]
            environment = {**os.environ, "PYTHONPATH": str(ROOT)}
            built = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
            assert built.returncode == 0, built.stderr
            last.truncate(0)
            last.write(testrun_uid)
    return folder / "html"


@pytest.fixture(scope="session", autouse=True)
def _threads_of_the_package():
    """The package's own threads are as many as the cores, although BLAS has one."""
    with thread_limit(os.cpu_count()):
        yield


@pytest.fixture
def hopattn(capsys, monkeypatch, tmp_path):
    """Run a command; give its exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        printed = capsys.readouterr()
        return ended.value.code, printed.out, printed.err

    return run


def pytest_addoption(parser):
    parser.addoption("--no-skip", action="store_true", help="a test that skips has failed, unless it needs a GPU")


class WithExamples:
    """Of the package, the modules with an example: importing and searching the others takes long.

    Those of `hopattn.torch` and `hopattn.jax` need the extra of this name.
    """

    @staticmethod
    def pytest_ignore_collect(collection_path):
        of_package = collection_path.suffix == ".py" and ROOT / "hopattn" in collection_path.parents
        extra = collection_path.parent.name
        if of_package and extra in ("torch", "jax") and importlib.util.find_spec(extra) is None:
            return True
        return True if of_package and ">>>" not in collection_path.read_text(encoding="utf-8") else None


def pytest_configure(config):
    """Look for examples only in those files of the package that have some, and leave out a false warning.

    OpenBLAS 0.3.31 (NumPy 2.4) raises the flag of an invalid number where there is none. Its product of a float32
    matrix of five columns with a vector, on AVX-512, also multiplies numbers that nobody wrote and then leaves them out
    of the sum. The result is right; an invalid number in it fails the test that asks for it.
    """
    config.pluginmanager.register(WithExamples())
    with_avx512 = [one for one in threadpool_info() if one.get("architecture") in AVX512]
    if any(str(one["version"]).startswith("0.3.31") for one in with_avx512):
        config.addinivalue_line("filterwarnings", "ignore:invalid value encountered in (matmul|dot):RuntimeWarning")


def pytest_make_parametrize_id(val):
    """A long case is named by its first words: a process cannot start where the name of a test has no end."""
    if isinstance(val, int) and val.bit_length() > 200:
        return f"{val.bit_length()} bits"
    if isinstance(val, bytes) and len(val) > 20:  # an archive holds the time at which it was made
        return f"{len(val)} bytes"
    return f"{' '.join(val.split())[:40]}…" if isinstance(val, str) and len(val) > 60 else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    needed = item.config.getoption("no_skip") and not item.get_closest_marker("gpu")
    if report.skipped and needed and not hasattr(report, "wasxfail"):
        report.outcome, report.longrepr = "failed", f"skipped, where nothing may be: {report.longrepr}"
    return report
