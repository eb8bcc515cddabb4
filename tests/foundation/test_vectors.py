"""Lengths of many rows, and large products."""

import numpy as np
import pytest

from hopattn.foundation import vectors
from hopattn.foundation.threads import thread_limit
from hopattn.foundation.vectors import linear, longest_row
from tests.each import each


@each("row", [0, 5000, 9999])
@each(("entry", "length"), [(1.2, 1.3), (3e200, 3e200), (np.nan, np.nan), (np.inf, np.nan)])
def test_the_longest_row_is_found_in_any_block(row, entry, length):
    rows = np.full((10_000, 2), 0.5)
    rows[row, 1] = entry
    np.testing.assert_allclose(longest_row(rows), length, rtol=1e-15)


def test_of_no_rows_the_longest_is_0():
    assert longest_row(np.zeros((0, 3))) == 0


@pytest.mark.parametrize("shape", [(700, 130, 1000), (1, 3000, 3000), (257, 200, 513)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_product_in_tiles_is_the_product(shape, dtype, monkeypatch):
    n, dim, out = shape
    rng = np.random.default_rng(0)
    x, matrix = (rng.random(size, dtype) - 0.5 for size in ((2, n, dim), (out, dim)))
    assert n * dim * out >= vectors.LARGE_PRODUCT
    with thread_limit(1):
        one = linear(x, matrix)
    with thread_limit(3):
        assert np.array_equal(linear(x, matrix), one)
    assert (one.dtype, one.shape) == (dtype, (2, n, out))
    bound = 4 * dim * np.finfo(dtype).eps * float(np.abs(x).max() * np.abs(matrix).max())
    np.testing.assert_allclose(one, x.astype(float) @ matrix.astype(float).T, rtol=0, atol=bound)
    turned = np.asfortranarray(x[0])  # rows that are not side by side
    np.testing.assert_allclose(linear(turned, matrix[:, ::-1][:, ::-1]), one[0], rtol=0, atol=bound)
