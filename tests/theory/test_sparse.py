"""Sparse coding against published numbers, its limit, and simulations written here."""

import math

import numpy as np
import pytest
from scipy.optimize import fsolve
from scipy.stats import norm

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from tests.draws import count


def test_half_of_the_neurons_active_is_about_half_the_capacity_of_spins():
    """With the field m/2 for m and the noise √(α/2) for √α, the equations of spins hold at 2α, up to a small θ."""
    spins, found = float(ha.theory.critical_load()) / 2, float(ha.theory.sparse_load(0.5))
    assert spins < found == pytest.approx(spins, rel=2e-3)


def test_the_capacity_approaches_its_limit_from_below_and_slowly():
    """Tsodyks & Feigel'man 1988: α_c → 1/(2a |ln a|) for a → 0."""
    a = 10.0 ** -np.array([2, 4, 8, 16, 32, 64, 128, 256])
    share = ha.theory.sparse_load(a) * 2 * a * -np.log(a)
    assert np.all(np.diff(share) > 0) and share[-1] < 1
    assert share[0] == pytest.approx(0.402, abs=5e-4)
    line = np.polynomial.Polynomial.fit(np.log(-np.log(a[-3:])) / np.sqrt(-np.log(a[-3:])), share[-3:], 1)
    assert line(0) == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize(
    ("activity", "threshold", "load"), [(0.1, 0.5, 0.35), (0.05, 0.6, 0.8), (0.01, 0.68, 3.0), (0.5, 0.1, 0.04)]
)
def test_the_overlap_solves_the_equations(activity, threshold, load):
    """By SciPy's solver and its normal distribution, from m, q and C of the pattern itself."""
    a = activity

    def given(values):
        m, q, c = values
        sigma = math.sqrt(load * q) / (1 - c)
        own = load * c / (1 - c) / 2
        x = (((1 - a) * m - threshold + own) / sigma, (-a * m - threshold + own) / sigma)
        return sigma, x

    def rest(values):
        sigma, (x, y) = given(values)
        m = norm.cdf(x) - norm.cdf(y)
        q = a * norm.cdf(x) + (1 - a) * norm.cdf(y)
        return np.array([m, q, (a * norm.pdf(x) + (1 - a) * norm.pdf(y)) / sigma]) - values

    m, q, c = fsolve(rest, [0.99, a, 0.01], xtol=1e-13)
    expected = norm.cdf(given((m, q, c))[1][0]) * math.sqrt(a / q)
    assert float(ha.theory.sparse_overlap(load, a, threshold)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("activity", "reached"), [(0.3, 0.98), (0.05, 0.98), (0.001, 0.9)])
def test_the_best_threshold_retrieves_up_to_the_largest_load_and_none_beyond(activity, reached):
    most = float(ha.theory.sparse_load(activity))
    levels = np.linspace(0.25, 0.8, 111) * (1 - activity)
    kept = [ha.theory.sparse_overlap([reached * most, 1.005 * most], activity, level) for level in levels]
    assert np.max(kept, axis=0)[0] > 0.8 and np.max(kept, axis=0)[1] == 0


@pytest.mark.parametrize(("load", "threshold"), [(0.2, 0.5), (0.3, 0.45)])
def test_networks_keep_the_overlap_of_the_theory(load, threshold):
    """Networks of 1,200 neurons, a tenth active, two cues each; a finite network loses about .01 more near the end."""
    a, n, networks = 0.1, 1200, count(12, 3)
    found = []
    for seed in range(networks):
        rng = np.random.default_rng(seed)
        patterns = (rng.random((round(load * n), n)) < a) * 1.0
        couplings = (patterns - a).T @ (patterns - a) / (n * a * (1 - a))
        np.fill_diagonal(couplings, 0)
        for pattern in patterns[:2]:
            x, field = pattern.copy(), couplings @ pattern
            for _ in range(20):
                before = x.copy()
                for i in rng.permutation(n):
                    if (field[i] > threshold) != x[i]:
                        field += couplings[:, i] * (1 - 2 * x[i])
                        x[i] = 1 - x[i]
                if np.array_equal(x, before):
                    break
            found.append(x @ pattern / math.sqrt(x.sum() * pattern.sum()))
    error = np.std(found, ddof=1) / math.sqrt(len(found))
    assert abs(np.mean(found) - ha.theory.sparse_overlap(load, a, threshold)) < 4 * error + 0.012


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ha.theory.sparse_overlap(-1, 0.1, 0.5), "load: expected finite numbers of at least 0"),
        (lambda: ha.theory.sparse_overlap(0.1, 1, 0.5), "activity: expected a finite number from 1e-300 to below 1"),
        (lambda: ha.theory.sparse_overlap(0.1, 0.1, 0.95), "threshold: expected a number above -0.1 and below 0.9"),
        (lambda: ha.theory.sparse_load(0), "activity: expected finite numbers above 0"),
        (lambda: ha.theory.sparse_load([0.1, 1.5]), "activity: expected a finite number from 1e-300 to below 1"),
    ],
)
def test_numbers_outside_are_refused(make, message):
    with pytest.raises(InvalidInput, match=message):
        make()
