"""The intervals of shares and means beside SciPy's, and how often they hold the truth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from hopattn.foundation.intervals import mean_interval, share_interval, wilson

OUTCOMES = st.lists(st.booleans(), min_size=2, max_size=40)
NUMBERS = st.lists(st.integers(-1000, 1000).map(lambda n: n / 8), min_size=2, max_size=12)


def by_scipy(successes, trials, level=0.95):
    return [*stats.binomtest(successes, trials).proportion_ci(level, method="wilson")]


@given(st.integers(1, 10**6), st.floats(0, 1), st.sampled_from([0.8, 0.95, 0.999]))
def test_wilsons_interval_is_scipys(trials, share, level):
    successes = round(share * trials)
    assert wilson(successes / trials, trials, level) == pytest.approx(by_scipy(successes, trials, level), abs=1e-12)


@given(NUMBERS)
def test_the_interval_of_a_mean_is_students(numbers):
    mean, ends = mean_interval(numbers)
    assert mean == pytest.approx(np.mean(numbers), abs=1e-9)
    if np.ptp(numbers) == 0:
        assert np.isnan(ends).all()
    else:
        expected = stats.t.interval(0.95, len(numbers) - 1, np.mean(numbers), stats.sem(numbers))
        assert ends == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(OUTCOMES)
def test_outcomes_have_wilsons_interval_of_their_number(outcomes):
    share, ends = share_interval(np.array(outcomes, float))
    assert share == pytest.approx(np.mean(outcomes))
    assert ends == pytest.approx(by_scipy(sum(outcomes), len(outcomes)), abs=1e-12)


@given(st.integers(2, 30), st.floats(0, 1))
def test_shares_that_agree_leave_room_for_others(n, share):
    mean, (low, high) = share_interval(np.full(n, share))
    assert low < high and low <= mean <= high and mean == pytest.approx(share)
    assert [low, high] == pytest.approx(wilson(share, n), abs=1e-9)


@given(st.lists(st.integers(0, 8).map(lambda n: n / 8), min_size=2, max_size=12), st.randoms())
def test_an_interval_of_shares_holds_its_mean_within_0_and_1_and_the_order_does_not_matter(shares, random):
    mean, (low, high) = share_interval(shares)
    assert 0 <= low <= mean <= high <= 1 and low < high
    for again in (random.sample(shares, len(shares)), [*shares, np.nan]):  # a trial that is NaN is none
        assert share_interval(again)[1] == pytest.approx(np.array([low, high]), abs=1e-12)
    assert [1 - high, 1 - low] == pytest.approx(share_interval(1 - np.array(shares))[1], abs=1e-9)


def test_below_two_trials_there_is_no_interval():
    for interval in (mean_interval, share_interval):
        mean, ends = interval([[0.5, np.nan], [np.nan, np.nan]])
        assert mean[0] == 0.5 and np.isnan(mean[1]) and np.isnan(ends).all() and ends.shape == (2, 2)


@pytest.mark.parametrize(("cues", "share"), [(1, 0.5), (1, 0.9), (20, 0.5), (20, 0.9), (200, 0.7)])
def test_intervals_of_shares_hold_the_truth_as_often_as_they_say(cues, share):
    """4,000 sets of 10 draws, where the chance of a cue varies between draws (beta, s.d. about .15); s.e. .4 %.

    Of outcomes the part that holds p is enumerated: 98 % for p = .5 and 93 % for .9. Near 1, where shares are skewed,
    Student's interval holds it in 90 % and less.
    """
    rng = np.random.default_rng(0)
    chances = rng.beta(8 * share, 8 * (1 - share), (4000, 10))
    shares = rng.binomial(cues, chances) / cues
    low, high = share_interval(shares)[1].T
    held = np.mean((low <= share) & (share <= high))
    if cues == 1:
        k = np.arange(11)
        ends = np.array([by_scipy(int(n), 10) for n in k])
        exact = stats.binom.pmf(k, 10, share)[(ends[:, 0] <= share) & (share <= ends[:, 1])].sum()
        assert abs(held - exact) < 4 * np.sqrt(exact * (1 - exact) / 4000)
    else:
        low, high = mean_interval(shares)[1].T
        assert held > 0.93 and held >= np.mean((low <= share) & (share <= high))
