"""How widely weight is spread: against SciPy, against all subsets, and at the bounds of the classes."""

from itertools import combinations

import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import hopattn as ha
from hopattn.retrieval.weight_spread import OperatingClass, entropy, least_number

parts = st.integers(0, 40).map(float)
rows = hnp.arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 7)), elements=parts)


def fewest(row, mass):
    """By trying every set of weights, in whole numbers where nothing is rounded: mass in hundredths."""
    whole = [int(w) for w in row]
    if not any(whole):
        return 0
    sizes = range(1, len(whole) + 1)
    return next(k for k in sizes if any(100 * sum(some) >= mass * sum(whole) for some in combinations(whole, k)))


@given(weights=rows, mass=st.sampled_from([1, 50, 90, 100]))
def test_the_least_number_is_that_of_all_sets(weights, mass):
    assert least_number(weights, mass / 100).tolist() == [fewest(row, mass) for row in weights]


@given(weights=rows)
def test_the_entropy_is_scipys(weights):
    found = entropy(weights)
    for row, value in zip(weights, found, strict=True):
        assert value == pytest.approx(scipy.special.entr(row / row.sum()).sum() if row.any() else 0.0, abs=1e-12)


@given(weights=rows, scale=st.sampled_from([1e-300, 0.1, 7.0, 1e300]), turn=st.integers(0, 6))
def test_neither_the_size_nor_the_order_of_the_weights_counts(weights, scale, turn):
    turned = np.roll(weights * scale, turn, axis=-1)
    assert least_number(turned).tolist() == least_number(weights).tolist() == least_number(weights, 0.9).tolist()
    np.testing.assert_allclose(entropy(turned), entropy(weights), atol=1e-12)


def even(k, n):
    """A row of n weights of which k are alike and nine tenths of the whole is held by exactly those."""
    row = np.full(n, 0.1 / (n - k) if n > k else 0.0)
    row[:k] = (0.9 if n > k else 1.0) / k
    return row


@pytest.mark.parametrize(
    ("k", "expected"),
    [(512, "I"), (257, "I"), (256, "II"), (65, "II"), (64, "III"), (17, "III"), (16, "IV"), (1, "IV")],
)
def test_the_bounds_of_the_classes_are_those_of_the_paper_for_512_keys(k, expected):
    # Ramsauer et al. (2021): k > N/2 = 256, N/8 = 64, N/32 = 16.
    assert ha.retrieval.operating_class(even(k, 512)[None]) == expected
    assert OperatingClass(expected).meaning


def test_the_median_decides_and_not_the_mean():
    one, all_alike = np.eye(32)[0], np.full(32, 1 / 32)
    assert ha.retrieval.operating_class([one, one, one, all_alike, all_alike]) == "IV"
    assert ha.retrieval.operating_class([one, one, all_alike, all_alike, all_alike]) == "I"


def test_a_masked_row_is_judged_by_the_keys_that_it_may_see_and_an_empty_one_not_at_all():
    weights = np.tril(np.ones((40, 40)), -1)
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1)
    assert ha.retrieval.operating_class(weights, ha.strict.array(40)) == "I"
    assert ha.retrieval.operating_class(np.eye(64), ha.causal.array(64)) == "IV"  # k = 1 of 32 keys or more
    assert ha.retrieval.operating_class(np.eye(32)) == "IV"  # 32 keys are the fewest that have a class
