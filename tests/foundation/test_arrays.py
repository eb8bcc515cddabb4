"""Unit vectors, large products, memory: what arrays of any library become."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.foundation.arrays import require_finite
from hopattn.foundation.threads import thread_limit
from hopattn.foundation.vectors import linear
from tests.draws import arrays, sizes


@given(data=st.data(), n=sizes, m=sizes)
def test_unit_has_length_one_and_the_same_direction(data, n, m):
    x = data.draw(arrays((n, m))) + 9.0
    u = ha.unit(x)
    np.testing.assert_allclose(np.linalg.norm(u, axis=-1), 1, rtol=1e-14)
    np.testing.assert_allclose(u * np.linalg.norm(x, axis=-1, keepdims=True), x, rtol=1e-12)
    np.testing.assert_allclose(ha.unit(1e300 * x), u, rtol=1e-12)


def test_unit_on_every_library(library):
    found = ha.unit(library.array(np.array([[3.0, 4.0], [0.0, -2.0]])))
    np.testing.assert_allclose(library.numpy(found), [[0.6, 0.8], [0, -1]], rtol=1e-15)


def test_whole_numbers_become_floats_of_their_library_and_a_float32_stays(library):
    cue = library.module.asarray([1, 2])
    state = ha.Memory(library.array(np.eye(2))).step(cue)
    assert type(state) is type(cue) and library.numpy(state).dtype.kind == "f"
    assert ha.unit([3, 4]).dtype == np.float64
    assert ha.unit(np.array([3, 4], np.float32)).dtype == np.float32
    found = ha.unit(np.eye(2).view(np.matrix))  # a matrix becomes an array with the rules of arrays
    assert type(found) is np.ndarray and found[0].shape == (2,)


def test_whole_numbers_and_booleans_take_the_dtype_of_the_memory(torch):
    for dtype in (torch.float32, torch.float64):
        memory = ha.Memory(torch.eye(3, dtype=dtype))
        expected = memory.step(torch.tensor([1, 0, 1], dtype=dtype))
        for kind in (torch.int32, torch.int64, torch.bool):
            assert torch.equal(memory.step(torch.tensor([1, 0, 1], dtype=kind)), expected)


def test_a_list_of_arrays_of_a_library_is_stacked(torch, jax):
    for make in (torch.tensor, jax.numpy.asarray):
        rows = [make([1.0, 2.0]), make([3.0, 4.0])]
        assert np.array_equal(np.asarray(ha.Memory(rows).keys), [[1, 2], [3, 4]])
        with pytest.raises(ha.InvalidInput, match=r"^keys: rows of unequal length"):
            ha.Memory([make([1.0, 2.0]), make([3.0])])


def test_what_a_memory_holds_does_not_change_with_the_callers_array():
    keys = np.eye(2)
    memory = ha.Memory(keys)
    keys[:] = 7
    assert memory.keys.tolist() == [[1, 0], [0, 1]] and not memory.keys.flags.writeable


LIMITED = """
import resource, pathlib, hopattn as ha
ha.unit([1, 2])
used = int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**29, used + 2**29))
try:
    ha.causal.array(27000)
except ha.InvalidInput as error:
    print(error)
"""


def test_an_array_beyond_the_memory_that_a_process_may_have_is_refused():
    pytest.importorskip("resource", reason="this system has no limits of processes")
    run = subprocess.run([sys.executable, "-c", LIMITED], capture_output=True, text=True, check=True)
    assert run.stdout.startswith(
        "mask: 27,000 queries and 27,000 keys would take 0.7 GiB; this process may still have 0."
    )


@pytest.mark.parametrize("shape", [(700, 130, 1000), (1, 3000, 3000), (257, 200, 513)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_large_product_is_the_product_whatever_the_threads(shape, dtype):
    n, dim, out = shape
    rng = np.random.default_rng(0)
    x, matrix = (rng.random(size, dtype) - 0.5 for size in ((2, n, dim), (out, dim)))
    with thread_limit(1):
        one = linear(x, matrix)
    with thread_limit(3):
        assert np.array_equal(linear(x, matrix), one)
    assert (one.dtype, one.shape) == (dtype, (2, n, out))
    bound = 4 * dim * np.finfo(dtype).eps * float(np.abs(x).max() * np.abs(matrix).max())
    np.testing.assert_allclose(one, x.astype(float) @ matrix.astype(float).T, rtol=0, atol=bound)
    turned = np.asfortranarray(x[0])  # rows that are not side by side
    np.testing.assert_allclose(linear(turned, matrix[:, ::-1][:, ::-1]), one[0], rtol=0, atol=bound)


@pytest.mark.parametrize(
    ("numbers", "most", "message"),
    [
        (np.where(np.arange(9000)[:, None] == 5000, np.nan, np.ones((9000, 2))), np.inf, "row 5000 holds a NaN"),
        (np.where(np.arange(24).reshape(2, 3, 4) == 17, 1e9, 1.0), 100.0, r"row 1, 1 holds a number of size 1e\+09"),
        (np.array([1.0, np.inf]), np.inf, "x: holds a NaN or an infinity"),
        (np.array(np.nan), np.inf, "x: holds a NaN or an infinity"),
    ],
)
def test_the_first_row_with_a_bad_number_is_named_in_every_library(library, numbers, most, message):
    with pytest.raises(ha.InvalidInput, match=message):
        require_finite(library.array(numbers), "x", most)
    for good in (np.ones((9000, 2)), np.zeros((0, 2)), np.array(1.0)):
        require_finite(library.array(good), "x", most)
