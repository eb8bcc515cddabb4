"""What the benchmarks make of times: ratios, exponents, and verdicts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchmarks.measuring import Measured, Target, measured_row, ratio, slope

TIMES = st.lists(st.floats(1e-6, 100), min_size=5, max_size=9)


@given(TIMES, st.data())
def test_a_ratio_is_the_median_of_the_rounds_between_its_quartiles(times, data):
    others = data.draw(st.lists(st.floats(1e-6, 100), min_size=len(times), max_size=len(times)))
    measured, rounds = ratio({"a": times, "b": others}, "a", "b"), np.divide(times, others)
    assert measured.value == pytest.approx(np.median(rounds)) and measured.low <= measured.value <= measured.high
    assert (measured.low, measured.high) == pytest.approx(tuple(np.quantile(rounds, [0.25, 0.75])))
    assert ratio({"a": times, "b": others}, "a", "b", parts=10).value == pytest.approx(10 * np.median(rounds))


@given(st.lists(st.integers(1, 1000), min_size=4, max_size=4, unique=True))
def test_a_slope_and_its_standard_error_are_those_of_scipy(times):
    line, measured = stats.linregress(np.log([1, 2, 4, 8]), np.log(times)), slope([1, 2, 4, 8], times, "")
    assert (measured.value, measured.high - measured.value) == pytest.approx((line.slope, line.stderr), abs=1e-6)


@pytest.mark.parametrize(("sign", "met"), [(">", False), ("≥", True), ("≤", True), ("<", False)])
def test_a_target_is_met_on_its_side(sign, met):
    assert measured_row("work", Target(sign, 2), lambda: Measured(2, 2, 2)).verdict == ("met" if met else "short")
