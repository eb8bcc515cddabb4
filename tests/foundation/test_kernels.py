"""Compiled loops: when they are used, their last digits, and the threads of the package."""

from importlib import metadata
from threading import Event, Thread

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import hopattn as ha
from hopattn.foundation.threads import hold_new_blas, single_threaded, workers
from tests.processes import forked


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("scale", [0.1, 300.0])
def test_weights_of_large_work_are_right_to_their_last_digits(loops, dtype, scale):
    """Σ p v with v = 1 is 1, and the potential is that of the scores in the longest type, at any size of the scores."""
    rng = np.random.default_rng(0)
    cues, keys = (scale * rng.normal(size=(2100, 2))).astype(dtype), rng.normal(size=(2100, 2)).astype(dtype)
    cues[7] = np.nan
    memory = ha.Memory(keys, np.hstack([keys, np.ones((2100, 1), dtype)]))
    state, free = memory.step(cues), ha.Memory(keys).energy(cues[8:60])
    eps = float(np.finfo(dtype).eps)
    assert np.isnan(state[7]).all() and np.isfinite(np.delete(state, 7, axis=0)).all()
    np.testing.assert_allclose(np.delete(state[:, 2], 7), 1, rtol=2100 * eps)
    scores = cues[8:60].astype(np.longdouble) @ keys.astype(np.longdouble).T
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(state[8:60, :2], p @ keys, rtol=0, atol=40 * scale * eps + 100 * eps)
    potential = np.log(np.exp(scores - scores.max(axis=1, keepdims=True)).sum(axis=1)) + scores.max(axis=1)
    energy = 0.5 * (cues[8:60].astype(np.longdouble) ** 2).sum(axis=1) - potential
    np.testing.assert_allclose(free, energy.astype(float), rtol=100 * eps, atol=100 * eps * (1 + scale**2))


@pytest.mark.parametrize(
    ("installed", "words"),
    [
        *((old, f"NumPy (numba {old} is too old; the loops need 0.62 or newer)") for old in ("0.9.1", "0.61.2")),
        *((new, "compiled by numba for large work") for new in ("0.62.0rc1", "1.0")),
        (None, "NumPy (numba is not installed; the extra 'fast' brings it)"),
    ],
)
def test_the_version_of_numba_decides_and_is_reported(monkeypatch, hopattn, installed, words):
    def version(name):
        if installed is None:
            raise metadata.PackageNotFoundError(name)
        return installed

    monkeypatch.delenv("HOPATTN_KERNELS", raising=False)
    monkeypatch.setattr(metadata, "version", version)
    assert hopattn("--version")[1].strip().endswith(f"kernels: {words}")
    monkeypatch.setenv("HOPATTN_KERNELS", "numpy")
    assert hopattn("--version")[1].strip().endswith("kernels: NumPy (HOPATTN_KERNELS=numpy)")


IMPORTED = """
import warnings; warnings.simplefilter("error")
import os, sys, numpy as np, hopattn as ha
os.environ.pop("HOPATTN_KERNELS", None)
import numba.core.caching, numba.extending
keys = np.random.default_rng(0).normal(size=(2100, 4))
ha.Memory(keys[:1000]).step(keys[:1000])
assert not any("hopattn.foundation.compiled" in name for name in sys.modules)
"""
STEP = """
{first}
ha.Memory(keys).step(keys)
print(any("hopattn.foundation.compiled." in name for name in sys.modules))
"""
CHANGES = {
    "as it is": "",
    "not wanted": 'os.environ["HOPATTN_KERNELS"] = "numpy"',
    "not there": 'sys.modules["numba"] = None',
    "too old": "numba.__version__ = '0.61.2'",
    "without a place for its cache": "numba.core.caching.CacheImpl._locator_classes = []",
    "with other insides": "del numba.extending.intrinsic",
}


def test_the_first_large_step_imports_the_loops_and_numpy_does_the_work_silently_where_numba_cannot(loops, tmp_path):
    scripts = [STEP.format(first=change) for change in CHANGES.values()]
    ends = dict(zip(CHANGES, forked(tmp_path, IMPORTED, scripts), strict=True))
    assert {name: (code, errors) for name, (code, _, errors) in ends.items()} == dict.fromkeys(CHANGES, (0, ""))
    assert ends["as it is"][1] == "True\n" and ends["not wanted"][1] == "False\n"


def threads():
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


def test_the_last_user_restores_the_threads_of_blas():
    begun, done = Event(), Event()

    def other():
        with single_threaded():
            begun.set()
            done.wait(10)

    with threadpool_limits(2, user_api="blas"):
        with workers(2):
            thread = Thread(target=other)
            thread.start()
            assert begun.wait(10)
        assert threads() == {1}
        done.set()
        thread.join()
        assert threads() == {2}


def test_a_blas_that_is_held_twice_is_restored():
    with threadpool_limits(2, user_api="blas"):
        with workers(2) as share:
            hold_new_blas()
            assert share(lambda i: (i, *threads()), [(i,) for i in range(3)]) == [(0, 1), (1, 1), (2, 1)]
        assert threads() == {2}
