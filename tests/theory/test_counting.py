"""Capacities by counting and by signal and noise: against enumeration, linear programming, integrals and simulation."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import linprog
from scipy.stats import norm

import hopattn as ha
from hopattn.papers import trials

T = ha.theory


@pytest.mark.parametrize(
    ("neurons", "patterns", "self_coupling"), [(3, 2, False), (4, 3, False), (3, 4, True), (2, 5, False)]
)
def test_the_error_of_a_step_is_that_of_all_sets_of_patterns(neurons, patterns, self_coupling):
    """A step turns a neuron where its field is against its state; all 2^(NP) sets of patterns are equally likely."""
    every = np.array([*product([-1.0, 1.0], repeat=neurons * patterns)]).reshape(-1, patterns, neurons)
    couplings = every.mT @ every * (1 - (not self_coupling) * np.eye(neurons))
    share = np.mean((every @ couplings) * every < 0)
    assert float(T.bit_error(patterns / neurons, neurons, self_coupling=self_coupling)) == pytest.approx(
        share, abs=1e-12
    )


@given(load=st.floats(0.02, 5))
def test_many_neurons_have_the_error_of_infinitely_many_and_the_load_is_its_inverse(load):
    limit = float(T.bit_error(load))
    assert limit == pytest.approx(norm.sf(1 / np.sqrt(load)), rel=1e-12)
    assert float(T.bit_error(load, neurons=10**7)) == pytest.approx(limit, rel=1e-3, abs=1e-9)
    assert float(T.load_at_error(limit)) == pytest.approx(load, rel=1e-9)


@given(points=st.integers(1, 5), dim=st.integers(1, 5), seed=st.integers(0, 99))
def test_the_ways_to_part_points_are_those_that_linear_programming_finds(points, dim, seed):
    rows = np.random.default_rng(seed).normal(size=(points, dim))
    asked = (rows * np.array(signs)[:, None] for signs in product([-1, 1], repeat=points))
    found = sum(linprog(np.zeros(dim), -one, -np.ones(points), bounds=(None, None)).status == 0 for one in asked)
    assert T.dichotomies(points, dim) == found
    assert T.separable_share(points, dim) == pytest.approx(found / 2**points, rel=1e-12)


@pytest.mark.parametrize("margin", [0.0, 0.3, 1.0, 4.0])
def test_gardners_load_is_her_integral(margin):
    integral = quad(lambda t: norm.pdf(t) * (t + margin) ** 2, -margin, 40, epsabs=1e-13)[0]
    assert float(T.gardner_load(margin)) == pytest.approx(1 / integral, rel=1e-9)


# Simulated, with the standard error over sets of patterns: another program's loop over flips by energy difference.
@pytest.mark.parametrize(
    ("patterns", "neurons", "n", "rectified", "share"), [(412, 64, 3, True, 0.0059), (15, 100, 2, False, 0.0043)]
)
def test_the_error_of_dense_memories_is_the_simulated_one(patterns, neurons, n, rectified, share):
    assert float(T.dense_error(patterns, neurons, n, rectified=rectified)) == pytest.approx(share, abs=5e-4)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_at_the_capacity_of_many_neurons_the_error_is_the_promised_one(n):
    """N → ∞: both are the same signal and noise."""
    capacity = float(T.dense_capacity(10**5, n, wrong=0.01))
    assert float(T.dense_error(capacity, 10**5, n)) == pytest.approx(0.01, rel=1e-3)


@pytest.mark.parametrize(("n", "patterns"), [(1, 15), (2, 60), ("exponential", 200)])
def test_the_error_of_a_sequence_is_the_simulated_one(n, patterns):
    """20 sets of patterns of 30 neurons; four standard errors over them, .004 for sums that are not quite normal."""
    neurons, found = 30 if n != "exponential" else 12, []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        if n != "exponential":
            found.append(trials.sequence_errors(rng, neurons, patterns, n))
            continue
        stored = rng.choice([-1.0, 1.0], (patterns, neurons))
        own = stored[:, None, :] * stored
        m, after = (own.sum(axis=2, keepdims=True) - own) / (neurons - 1), np.roll(stored, -1, axis=0)
        found.append(np.mean(np.sum(np.exp((neurons - 1) * (m - 1)) * after, axis=1) * after < 0))
    within = 4 * np.std(found, ddof=1) / 20**0.5 + 0.004
    assert np.mean(found) == pytest.approx(T.sequence_error(patterns, neurons, n), abs=within)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_rectified_sequence_has_half_of_the_crosstalk(n):
    """m is as often below 0 as above, so that half of the mean square is left: as of half as many patterns."""
    assert T.sequence_error(81, 20, n, rectified=True) == pytest.approx(T.sequence_error(41, 20, n))


@pytest.mark.parametrize(("neurons", "patterns", "beta"), [(8, 60, 1.0), (10, 300, 1.0), (8, 40, 0.3)])
def test_the_error_of_the_exponential_memory_is_the_simulated_one(neurons, patterns, beta):
    """Energies of both sides of every neuron, in 300 sets of patterns; four standard errors over them, and .006."""
    found = []
    for seed in range(300):
        stored = np.random.default_rng(seed).choice([-1.0, 1.0], (patterns, neurons))
        turned = stored[0] * (1 - 2 * np.eye(neurons))
        here, there = (np.exp(beta * (states @ stored.T - neurons)).sum(axis=-1) for states in (stored[0], turned))
        found.append(np.mean((there > here * (1 + 1e-12)) + 0.5 * np.isclose(there, here, rtol=1e-12)))
    within = 4 * np.std(found, ddof=1) / 300**0.5 + 0.006
    assert np.mean(found) == pytest.approx(float(T.exponential_error(patterns, neurons, beta=beta)), abs=within)


def test_the_exponential_memory_ends_where_other_patterns_equal_its_own():
    """2^N patterns: at β → ∞ only equal ones count, K = 0 and −1 of Poisson numbers of mean 1, or fewer."""
    from scipy.stats import skellam

    expected = skellam.cdf(-2, 1, 1) + skellam.pmf(-1, 1, 1) / 2
    assert float(T.exponential_error(2**20 + 1, 20, beta=50.0)) == pytest.approx(expected)
    few, many = T.exponential_error(np.exp(np.array([0.6, 0.8]) * 400), 400, beta=50.0)
    assert few == pytest.approx(0, abs=1e-9) and many == pytest.approx(0.5, abs=1e-3)


def test_rules_keep_patterns_without_an_error_up_to_their_absolute_capacities():
    hebb, storkey, inverse = (T.faultless_patterns(1000, rule=rule) for rule in ("hebb", "storkey", "pseudo_inverse"))
    logarithm = 2 * np.log(1000)
    assert [hebb, storkey, inverse] == pytest.approx([1000 / logarithm, 1000 / logarithm**0.5, 1000])


def test_the_length_of_a_sequence_grows_as_the_paper_says():
    """N/(2 ln N) and N/(4 ln N); each further order has N/(2n − 1) more; b = e²/cosh 2 for each neuron."""
    assert T.sequence_capacity(300) == pytest.approx(300 / (2 * np.log(300)))
    assert T.sequence_capacity(300, every=True) == pytest.approx(300 / (4 * np.log(300)))
    assert T.sequence_capacity(300, 3) / T.sequence_capacity(300, 2) == pytest.approx(300 / 5)
    step = (
        T.sequence_capacity(41, "exponential", every=True)
        * 41
        / (T.sequence_capacity(40, "exponential", every=True) * 40)
    )
    assert step == pytest.approx(np.exp(2) / np.cosh(2))
    assert T.sequence_capacity(2000, "exponential") == np.inf


def test_shared_locations_are_counted_over_all_addresses():
    every = np.array([*product([0, 1], repeat=8)])
    for radius, distance in product(range(9), range(9)):
        point = np.arange(8) < distance
        near = (every.sum(axis=1) <= radius) & ((every != point).sum(axis=1) <= radius)
        assert T.shared_share(8, radius, distance) == pytest.approx(near.mean(), abs=1e-12)
    assert T.active_share(8, 3) == pytest.approx(np.mean(every.sum(axis=1) <= 3))


@pytest.mark.parametrize("own", [True, False])
def test_a_reading_of_a_sparse_distributed_memory_errs_as_often_as_simulated(own):
    """60 memories of 64 bits, 2,000 locations and 60 words; 4 standard errors, and .01 for a sum that is not normal."""
    bits, radius, distance, found = 64, 24, 10, []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        locations, words = (rng.choice([-1.0, 1.0], (many, bits)) for many in (2000, 60))
        data = words if own else rng.choice([-1.0, 1.0], words.shape)
        cue = words[0] * np.where(np.arange(bits) < distance, -1, 1)
        near_cue, near_words = (1.0 * (locations @ each.T >= bits - 2 * radius) for each in (cue, words))
        read = near_cue @ near_words @ data
        found.append(np.mean(read * data[0] < 0) + np.mean(read == 0) / 2)
    within = 4 * np.std(found, ddof=1) / 60**0.5 + 0.01
    assert np.mean(found) == pytest.approx(
        T.sdm_error(bits, radius, locations=2000, words=60, distance=distance, own=own), abs=within
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: T.load_at_error(0.5), "error: expected shares below 0.5"),
        (lambda: T.sequence_capacity(10, "cubic"), "n: got 'cubic'; expected a whole number or 'exponential'"),
        (lambda: T.shared_share(8, 3, 9), "distance: got 9; expected at most 8"),
        (lambda: T.faultless_patterns(1), "neurons: expected numbers above 1"),
    ],
)
def test_what_a_formula_does_not_cover_is_refused(call, message):
    with pytest.raises(ha.InvalidInput, match=message):
        call()


@given(load=st.floats(0.01, 2))
def test_the_margin_of_a_load_has_that_load(load):
    assert float(T.gardner_load(T.gardner_margin(load))) == pytest.approx(load, rel=1e-9)


def test_beyond_two_patterns_a_coupling_there_is_no_margin():
    with pytest.raises(ha.InvalidInput, match="above 2"):
        T.gardner_margin(2.01)
