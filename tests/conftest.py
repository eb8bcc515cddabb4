"""What all tests share: the array libraries, how hypothesis draws, the command line."""

import gc
import importlib
import importlib.util
import logging
import multiprocessing
import os
import subprocess
import sys
from contextlib import suppress
from multiprocessing import forkserver
from pathlib import Path

import numpy as np
import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from threadpoolctl import threadpool_info

from hopattn.cli.main import main
from hopattn.foundation import kernels
from hopattn.foundation.threads import thread_limit
from tests.counts import FULL, VARIANTS, count, evenly
from tests.each import MANY, Stride, many
from tests.later import names, without_case
from tests.on_workers import serve

try:
    import fcntl
except ImportError:  # Windows has none: two processes may compile the same loops there
    fcntl = None

settings.register_profile(
    "house",
    deadline=None,
    max_examples=count(60, 5),
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("house")
if not FULL:  # Hypothesis would read the constants of all modules that are loaded, for seconds, and draw some of them
    providers._get_local_constants = lambda: providers._local_constants

gc.disable()  # what is imported and collected lives to the end
os.environ.pop("COLUMNS", None)  # pages and tests are as wide as a pipe, whatever the terminal of this process is

ROOT = Path(__file__).resolve().parent.parent
AVX512 = ("SkylakeX", "Cooperlake", "SapphireRapids")
"""OpenBLAS's names of its kernels for AVX-512."""
LIBRARIES = ("numpy", "array_api_strict", "torch", "jax")
beside_numpy = pytest.mark.parametrize("library", LIBRARIES[1:], indirect=True)
"""For a test that holds the numbers of `library` against those of NumPy."""


class Library:
    """An array library as the tests see it: arrays in float64 on a device, and back to NumPy."""

    def __init__(self, name, device=None):
        self.name, self.device = name, device
        if name == "jax":
            import jax

            jax.config.update("jax_enable_x64", True)
        if name == "torch":
            import torch as module
        elif name == "jax":
            import jax.numpy as module
        elif name == "array_api_strict":
            import array_api_strict as module
        else:
            module = np
        self.module = module

    def array(self, values):
        given = np.asarray(values)
        return self.module.asarray(given.tolist(), dtype=self._dtype(given), device=self.device)

    def _dtype(self, values):
        return self.module.float64 if values.dtype.kind == "f" else self.module.bool

    def numpy(self, array):
        return np.asarray(array if self.device is None else array.cpu())


def made(name):
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} is not installed (the extra of that name brings it)")
    return Library(name)


@pytest.fixture(params=LIBRARIES, scope="session")
def library(request):
    return made(request.param)


@pytest.fixture(scope="session")
def gpu():
    """PyTorch with its arrays on a GPU, for tests with the mark `gpu`."""
    if not made("torch").module.cuda.is_available():
        pytest.skip("PyTorch has no GPU here: torch.cuda.is_available() is False")
    return Library("torch", "cuda")


@pytest.fixture(scope="session")
def torch():
    """PyTorch as a referee."""
    return made("torch").module


@pytest.fixture
def traced(torch):
    """Compile a function by PyTorch: as one graph from 2.12 on; an earlier one cannot follow array-api-compat there."""
    torch._dynamo.reset()
    whole = tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 12)
    return lambda function: torch.compile(function, backend="eager", fullgraph=whole)


@pytest.fixture(scope="session")
def entmax():
    """The entmax package as a referee for sparse separations."""
    if importlib.util.find_spec("entmax") is None:
        pytest.skip("entmax is not installed (pip install entmax, which needs torch)")
    import entmax

    return entmax


@pytest.fixture(scope="session")
def jax():
    """JAX as a referee, in float64."""
    made("jax")
    import jax

    return jax


@pytest.fixture(scope="session")
def results():
    """The result of each shipped scenario by its name."""
    from tests.runs import Results

    return Results()


@pytest.fixture(scope="session")
def dask():
    """Dask. Each worker process imports what it needs in a full run; in a quick one it is forked from one that has."""
    distributed = pytest.importorskip(
        "distributed", reason="distributed is not installed (the extra 'cluster' brings it)"
    )
    import dask

    if not FULL:
        forkserver.set_forkserver_preload(["distributed", "hopattn.cluster.shard", "hopattn.memories.memory"])
        forkserver.ensure_running()
    method = {"distributed.worker.multiprocessing-method": count("spawn", "forkserver")}
    with dask.config.set({**method, "distributed.scheduler.worker-ttl": "1s"}):  # a stopped worker costs seconds
        yield distributed


@pytest.fixture
def two_workers(dask):
    """A cluster of two worker processes with one thread each, for one test, which may stop them for ever."""
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
    with dask.LocalCluster(**options) as cluster:
        yield cluster


@pytest.fixture
def served(dask):
    """A cluster of one worker with one thread, in a process of its own: the address and the number of the process."""
    context = multiprocessing.get_context(count("spawn", "forkserver"))
    here, there = context.Pipe()
    process = context.Process(target=serve, args=(there,), daemon=True)
    process.start()
    there.close()
    yield here.recv(), process.pid
    process.kill()
    process.join()
    here.close()


@pytest.fixture
def told_by_dask(dask):
    """The warnings and errors that Dask and its event loop write to their loggers during a test."""
    message = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: message.append(record.getMessage())
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client", "tornado", "asyncio")]
    for logger in loggers:
        logger.addHandler(handler)
    yield message
    for logger in loggers:
        logger.removeHandler(handler)


BOTH_KERNELS = {
    *("retrieval/test_blockwise.py", "retrieval/test_separation.py", "retrieval/test_sink.py"),
    *("cluster/test_sharded_memory.py", "transformer/test_sinks.py"),
    *("memories/test_memory.py", "memories/test_models.py", "transformer/test_heads.py"),
    *("transformer/test_multi_head.py", "dynamics/test_single_neuron.py", "dynamics/test_updates.py"),
}
"""The files whose tests run with NumPy alone and with compiled loops for work of any size."""
WANTED = os.environ.get(kernels.VARIABLE, "") != "numpy"
SECOND = MANY
"""In a quick run, one in so many tests of a file runs with compiled loops too, and one in so many of many cases."""
BY_JAX = 5
"""Where variants are left out, one in so many of many cases runs with JAX, which compiles each for seconds."""


SKIPPED = "hopattn/skipped"
"""Where the cache of pytest holds the names of the tests that the last run skipped."""
REST = os.environ.get("HOPATTN_REST") == "1"
"""Whether only these run, and those of `later.txt`: with more packages installed, what the last run did not show."""
LATER = frozenset() if VARIANTS or os.environ.get("HOPATTN_LATER") == "run" else names()
"""The tests that a run of the whole suite leaves out, and with HOPATTN_LATER=leave any run."""


SHARING = {"figures", "scenario", "test_pages.py", "cli"}
"""Folders and files whose tests share results and drawings. They come first in a quick run, in one process of two."""


def pytest_generate_tests(metafunc):
    path = metafunc.definition.path
    its_own = any(name.startswith("loops") for name in metafunc.fixturenames)
    if f"{path.parent.name}/{path.name}" in BOTH_KERNELS and not its_own:
        metafunc.parametrize("_kernels", ["numpy", "compiled"] if WANTED else ["numpy"], indirect=True)


@pytest.fixture(autouse=True)
def _kernels(request, monkeypatch):
    """The kernels of a test that runs with both."""
    chosen = getattr(request, "param", None)
    if chosen == "compiled":
        for subject in kernels.LARGE:
            _loops(subject)
        monkeypatch.setattr(kernels, "LARGE", dict.fromkeys(kernels.LARGE, 0))
        if not FULL and many(request.function):
            monkeypatch.setattr(Stride, "now", SECOND)
    if chosen is not None:
        monkeypatch.setenv(kernels.VARIABLE, chosen)


@pytest.fixture(autouse=True)
def _fewer_by_jax(request, monkeypatch, _kernels):
    """Leave out cases of a test that has many, and for which JAX compiles."""
    own = getattr(request.node, "callspec", None)
    by_jax = "jax" in request.fixturenames or (own and own.params.get("library") == "jax")
    if by_jax and not VARIANTS and many(request.function):
        monkeypatch.setattr(Stride, "now", max(Stride.now, BY_JAX))


def _loops(subject):
    if importlib.util.find_spec("numba") is None:
        pytest.skip("numba is not installed (the extra 'fast' brings it)")
    with Path(kernels.__file__).open() as file:  # the first process compiles, the others wait for its cache
        if fcntl:
            fcntl.flock(file, fcntl.LOCK_EX)
        found = kernels._imported(subject)
    assert found is not None, "numba is installed, but its loops cannot be imported"
    return found


@pytest.fixture(scope="session")
def loops():
    """The compiled loops of the online softmax."""
    return _loops("softmax")


@pytest.fixture(scope="session")
def loops_of_spins():
    return _loops("spins")


@pytest.fixture(scope="session")
def loops_of_thresholds():
    return _loops("thresholds")


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


def pytest_report_header():
    more = " and all variants" if VARIANTS else "; HOPATTN_VARIANTS=1 adds the variants"
    return "counts: full" if FULL else f"counts: quick{more}; HOPATTN_FULL=1, as in make test-all, is everything"


@pytest.fixture(scope="session", autouse=True)
def _threads_of_the_package():
    """The package's own threads are as many as the cores, although BLAS has one."""
    with thread_limit(os.cpu_count()):
        yield


def pytest_configure(config):
    """Look for examples only in those files of the package that have some, and leave out a false warning.

    OpenBLAS 0.3.31 (NumPy 2.4) raises the flag of an invalid number where there is none. Its product of a float32
    matrix of five columns with a vector, on AVX-512, also multiplies numbers that nobody wrote and then leaves them out
    of the sum. The result is right; an invalid number in it fails the test that asks for it.
    """
    files = (ROOT / "hopattn").rglob("*.py")
    config.option.ignore += [path for path in files if ">>>" not in path.read_text(encoding="utf-8")]
    with_avx512 = [one for one in threadpool_info() if one.get("architecture") in AVX512]
    if any(str(one["version"]).startswith("0.3.31") for one in with_avx512):
        config.addinivalue_line("filterwarnings", "ignore:invalid value encountered in (matmul|dot):RuntimeWarning")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """The tests have no examples: only the package is searched for them."""
    found = yield
    return [one for one in found if not isinstance(one, DoctestModule)]


def pytest_sessionstart(session):
    """The second process reads the test files from the last to the first: pytest compiles each for one process only.

    A file that cannot be imported is left to the collection, which says why.
    """
    if os.environ.get("PYTEST_XDIST_WORKER") == "gw1" and whole_suite(session.config):
        with suppress(Exception):
            for path in sorted((ROOT / "tests").rglob("test_*.py"), reverse=True):
                importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))


def whole_suite(config):
    """Whether all tests are collected, and not some that are named."""
    return {Path(arg).name for arg in config.args} == {*config.getini("testpaths")}


def pytest_collection_finish():
    """The tests live to the end: the garbage collector leaves them alone, and passes over what is new less often."""
    gc.freeze()
    gc.set_threshold(50_000, 20)
    gc.enable()


def pytest_terminal_summary(terminalreporter, config):
    if hasattr(config, "cache"):  # pytest runs without it where `-p no:cacheprovider` says so
        config.cache.set(SKIPPED, [report.nodeid for report in terminalreporter.stats.get("skipped", [])])


def pytest_sessionfinish():
    """The remaining objects live to the end too: pytest and Python look through them twice more otherwise."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(config, items):
    second, left_out = {}, set()
    for item in items:
        if not WANTED and any(name.startswith("loops") for name in item.fixturenames):
            left_out.add(item)
        chosen = getattr(item, "callspec", None) and item.callspec.params.get("_kernels")
        if chosen == "compiled" and not many(item.function):
            second.setdefault(item.path, []).append(item)
    if not FULL:
        left_out |= {item for own in second.values() for i, item in enumerate(own) if i % SECOND}
        left_out |= {item for item in items if item.get_closest_marker("full")}
    if REST:
        left_out.update(shown_before(items, config.cache))
    else:
        if whole_suite(config) or os.environ.get("HOPATTN_LATER") == "leave":
            left_out.update(item for item in items if is_later(item))
    if not VARIANTS and not any("::" in arg for arg in config.args):  # a test that is named runs with all its cases
        left_out.update(left_to_ci(items))
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]
    if not VARIANTS:
        items.sort(key=lambda item: SHARING.isdisjoint(item.path.parts))
    for item in items:
        assert item.get_closest_marker("skip") is None, "skip by a fixture that says what is missing"


def is_later(item):
    """Whether `.ci/run` shows a test that `make test` leaves out."""
    return not LATER.isdisjoint([item.nodeid, without_case(item.nodeid)])


def shown_before(items, cache):
    """The tests that the last run showed; a name that it kept and that no test has now is an error."""
    skipped, named = cache.get(SKIPPED, None), {item.nodeid for item in items}
    if skipped is None:
        raise pytest.UsageError("HOPATTN_REST=1: no tests have run before, so none are known to have skipped")
    if WANTED and not named.issuperset(skipped):
        raise pytest.UsageError(f"HOPATTN_REST=1: no test here: {', '.join(sorted({*skipped} - named))}")
    return [item for item in items if item.nodeid not in skipped and not is_later(item)]


def left_to_ci(items):
    """The cases beyond the n of each test that is marked `quick(n)`."""
    cases = {}
    for item in items:
        if mark := item.get_closest_marker("quick"):
            cases.setdefault((item.path, item.originalname, *mark.args), []).append(item)
    for (*_, n), own in cases.items():
        own.sort(key=lambda item: [*item.callspec.indices.values()] if hasattr(item, "callspec") else [])
        kept = evenly(own, n)
        yield from (item for item in own if item not in kept)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """With HOPATTN_NO_SKIP=1, as on the build machine, a skipped test is a failed one, unless it needs a GPU."""
    outcome = yield
    report, of_gpu = outcome.get_result(), item.get_closest_marker("gpu")
    wanted = os.environ.get("HOPATTN_NO_SKIP") == "1" and not of_gpu
    if report.skipped and wanted and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, where nothing may be: {report.longrepr}"


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
