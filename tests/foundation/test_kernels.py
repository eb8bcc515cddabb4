"""The choice between NumPy and compiled loops, and powers of two as the loops compute them."""

from importlib import metadata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import hopattn as ha
from hopattn.foundation import kernels
from hopattn.retrieval.blockwise import Blocks, stream
from hopattn.retrieval.similarity import Dot
from tests.processes import forked

NOTHING = np.zeros((0, 0), bool)
DTYPES = ["float32", "float64"]


def weighed(loops, scores, unshifted, where=NOTHING, scale=1.0):
    """Scores turned into weights, with the largest score and the sum of each row."""
    weights, dtype = scores.copy(), scores.dtype
    sums = np.full((len(scores), 1), 0 if unshifted else np.finfo(dtype).min, dtype), np.zeros((len(scores), 1), dtype)
    field = np.zeros((len(scores), 0), dtype)
    loops.weigh(weights, where, (dtype.type(scale), unshifted), (*sums, field))
    return weights, *sums


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("unshifted", [True, False])
@given(data=st.data())
def test_a_power_of_two_is_right_to_its_last_digit(loops, dtype, unshifted, data):
    span = (-100.0, 100.0) if unshifted else (-120.0, 0.0)
    scores = data.draw(hnp.arrays(np.float64, (3, 37), elements=st.floats(*span))).astype(dtype)
    if not unshifted:
        scores[:, 0] = 0
    weights, largest, total = weighed(loops, scores, unshifted)
    exact = np.exp2(scores.astype(np.longdouble))
    assert np.all(np.abs(weights - exact) <= 1.05 * np.finfo(dtype).eps * exact)
    most = 1.05 + (scores.shape[1] - 1) / 2  # of the powers themselves, and half a last digit for each addition
    np.testing.assert_allclose(total, exact.sum(axis=1, keepdims=True), rtol=most * np.finfo(dtype).eps)
    assert np.all(largest == 0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_powers_at_the_ends_of_the_numbers_are_those_of_numpy(loops, dtype):
    info = np.finfo(dtype)
    low = np.log2(float(info.smallest_normal))
    scores = np.array([[0, low, low - 3.3, low - 20.5, 1.01 * low - 25, 3 * low, -1e30, -np.inf]], dtype)
    weights, _, _ = weighed(loops, scores, False)
    with np.errstate(under="ignore"):
        np.testing.assert_allclose(weights, np.exp2(scores), rtol=info.eps, atol=info.smallest_subnormal)
    assert weights[0, 0] == 1 and weights[0, 3] > 0 and weights[0, -1] == 0


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_nan_stays_a_nan_and_spoils_its_own_row_alone(loops, dtype, bad):
    scores = np.zeros((3, 40), dtype)
    scores[1, 17] = bad
    weights, _, total = weighed(loops, scores, False)
    assert np.isnan(weights[1, 17]) and np.isnan(total[1])
    assert np.all(weights[::2] == 1) and np.all(total[::2] == 40)


@pytest.mark.parametrize("unshifted", [True, False])
def test_what_is_masked_has_no_weight_and_is_not_the_largest(loops, unshifted):
    scores, where = np.array([[9.0, 1.0, 3.0], [1.0, 2.0, 3.0]]), np.array([[False, True, True], [False] * 3])
    weights, largest, total = weighed(loops, scores, unshifted, where)
    shift = 0 if unshifted else 3
    assert np.array_equal(weights, [[0, 2.0 ** (1 - shift), 2.0 ** (3 - shift)], [0, 0, 0]])
    assert total[:, 0].tolist() == [weights[0].sum(), 0]
    assert largest[0, 0] == shift


@pytest.mark.parametrize("size", [0.1, 30.0])
@pytest.mark.parametrize("mask", [None, "causal"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_number_of_threads_changes_no_bit(loops, dtype, mask, size, monkeypatch):
    monkeypatch.setattr(kernels, "LARGE", dict.fromkeys(kernels.LARGE, 0))
    rng = np.random.default_rng(2)
    cues, keys = (size * rng.normal(size=(700, 12))).astype(dtype), rng.normal(size=(900, 12)).astype(dtype)
    one, two, three = (
        stream(Dot(), ha.separations["softmax"](), cues, keys, keys, mask, potential=True, sizes=Blocks(256, 128, n))
        for n in (1, 2, 3)
    )
    assert np.array_equal(one.field, two.field) and np.array_equal(one.field, three.field)
    assert np.array_equal(one.potential, two.potential) and np.array_equal(one.potential, three.potential)


def test_rows_with_gaps_and_rows_that_may_not_be_written_are_read(loops, monkeypatch):
    rng = np.random.default_rng(3)
    cues, keys = rng.normal(size=(70, 6)), rng.normal(size=(80, 12))[:, ::2]
    keys.flags.writeable = False
    wanted = ha.Memory(np.ascontiguousarray(keys)).step(cues)
    monkeypatch.setattr(kernels, "LARGE", dict.fromkeys(kernels.LARGE, 0))
    for each in (keys, np.asfortranarray(keys), keys.astype(np.float32)):
        found = stream(Dot(), ha.separations["softmax"](), cues, each, each)
        np.testing.assert_allclose(found.field, wanted, atol=1e-12 if each.itemsize == 8 else 1e-5)


def test_small_work_is_numpys_and_large_work_compiled(loops, monkeypatch):
    monkeypatch.delenv(kernels.VARIABLE, raising=False)
    assert kernels.compiled_loops("softmax", kernels.LARGE["softmax"] - 1) is None
    assert kernels.compiled_loops("softmax", kernels.LARGE["softmax"]) is loops
    monkeypatch.setenv(kernels.VARIABLE, "numpy")
    assert kernels.compiled_loops("softmax", kernels.LARGE["softmax"]) is None
    assert "HOPATTN_KERNELS=numpy" in kernels.in_words()


@pytest.mark.parametrize(
    ("installed", "words"),
    [
        ("0.9.1", "NumPy (numba 0.9.1 is too old; the loops need 0.62 or newer)"),
        ("0.61.2", "NumPy (numba 0.61.2 is too old; the loops need 0.62 or newer)"),
        ("0.62.0rc1", "compiled by numba for large work"),
        ("1.0", "compiled by numba for large work"),
        (None, "NumPy (numba is not installed; the extra 'fast' brings it)"),
    ],
)
def test_the_version_of_numba_decides_and_is_reported(monkeypatch, installed, words):
    def version(name):
        if installed is None:
            raise metadata.PackageNotFoundError(name)
        return installed

    monkeypatch.delenv(kernels.VARIABLE, raising=False)
    monkeypatch.setattr(metadata, "version", version)
    assert kernels.in_words() == words


def test_unknown_kernels_are_refused(monkeypatch, hopattn):
    monkeypatch.setenv(kernels.VARIABLE, "nunpy")
    with pytest.raises(ha.InvalidInput, match="HOPATTN_KERNELS: 'nunpy' is unknown; did you mean 'numpy'"):
        kernels.compiled_loops("softmax", kernels.LARGE["softmax"])
    code, out, err = hopattn("list")
    assert (code, out) == (2, "") and err.startswith("HOPATTN_KERNELS: 'nunpy'")


IMPORTED = """
import warnings; warnings.simplefilter("error")
import sys, numpy as np, hopattn as ha
import numba.core.caching, numba.extending
from hopattn.foundation import kernels
kernels.LARGE["softmax"] = 2**20
keys = np.random.default_rng(0).normal(size=(2048, 4))
ha.Memory(keys[:64]).step(keys)
assert "hopattn.foundation.compiled.jit" not in sys.modules
"""
STEP = """
{first}
ha.Memory(keys).step(keys)
print(kernels._imported("softmax") is not None)
"""
CHANGES = {
    "as it is": "",
    "not there": 'sys.modules["numba"] = None',
    "too old": "numba.__version__ = '0.61.2'",
    "without a place for its cache": "numba.core.caching.CacheImpl._locator_classes = []",
    "with other insides": "del numba.extending.intrinsic",
}


@pytest.mark.quick(0)
def test_the_first_large_step_imports_the_loops_and_numpy_does_the_work_silently_where_numba_cannot(loops, tmp_path):
    scripts = [STEP.format(first=change) for change in CHANGES.values()]
    ends = dict(zip(CHANGES, forked(tmp_path, IMPORTED, scripts), strict=True))
    assert ends == {name: [0, f"{name == 'as it is'}\n", ""] for name in CHANGES}
