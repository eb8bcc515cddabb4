"""Lengths of many rows."""

import numpy as np
import pytest

from hopattn.foundation.vectors import longest_row


@pytest.mark.parametrize("row", [0, 5000, 9999])
@pytest.mark.parametrize(("entry", "length"), [(1.2, 1.3), (3e200, 3e200), (np.nan, np.nan), (np.inf, np.nan)])
def test_the_longest_row_is_found_in_any_block(row, entry, length):
    rows = np.full((10_000, 2), 0.5)
    rows[row, 1] = entry
    np.testing.assert_allclose(longest_row(rows), length, rtol=1e-15)


def test_of_no_rows_the_longest_is_0():
    assert longest_row(np.zeros((0, 3))) == 0
