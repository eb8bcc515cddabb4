"""Boltzmann averages agree with closed forms, with sums written out, and with Glauber's update within its errors."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import gamma, gammaln, logsumexp

import hopattn as ha
from tests.draws import count

TEMPERATURES = [0.4, 1.0, 2.5]


def ring(n, coupling=1.0):
    couplings = np.zeros((n, n))
    for i in range(n):
        couplings[i, (i + 1) % n] = couplings[(i + 1) % n, i] = coupling
    return couplings


@pytest.mark.parametrize("n", [3, 6, 10])
@pytest.mark.parametrize("coupling", [1.0, -0.7])
def test_a_ring_has_the_partition_function_of_its_transfer_matrix(n, coupling):
    """Z = λ₊ⁿ + λ₋ⁿ, λ± = e^(J/T) ± e^(−J/T); ⟨x_0 x_r⟩ = (t^r + t^(n−r)) / (1 + tⁿ), t = tanh(J/T) (Ising 1925)."""
    exact = ha.networks.boltzmann(ha.Hopfield(ring(n, coupling)), TEMPERATURES)
    for i, temperature in enumerate(TEMPERATURES):
        k = coupling / temperature
        partition = (2 * np.cosh(k)) ** n + (2 * np.sinh(k)) ** n
        t, r = np.tanh(k), np.arange(n)
        assert exact.log_partition[i] == pytest.approx(np.log(partition), rel=1e-12)
        assert exact.free_energy[i] == pytest.approx(-temperature * np.log(partition), rel=1e-12)
        np.testing.assert_allclose(exact.correlations[i, 0], (t**r + t ** (n - r)) / (1 + t**n), atol=1e-13)
        np.testing.assert_allclose(exact.magnetisation[i], 0, atol=1e-13)
        assert exact.energy[i] == pytest.approx(-coupling * n * (t + t ** (n - 1)) / (1 + t**n), rel=1e-12)


def test_a_spin_in_a_field_has_the_mean_tanh():
    """One spin with bias b: ⟨x⟩ = tanh(b/T), C = (b/T)² / cosh²(b/T), S = log(2 cosh(b/T)) − (b/T) tanh(b/T)."""
    exact = ha.networks.boltzmann(ha.Hopfield([[0.0]], bias=0.8), 0.5)
    ratio = 0.8 / 0.5
    assert exact.magnetisation[0] == pytest.approx(np.tanh(ratio))
    assert exact.heat_capacity == pytest.approx((ratio / np.cosh(ratio)) ** 2)
    assert exact.entropy == pytest.approx(np.log(2 * np.cosh(ratio)) - ratio * np.tanh(ratio))


SPINS = np.random.default_rng(0).choice([-1.0, 1.0], size=(3, 6))
MEMORIES = {
    "hopfield": (ha.memories.hopfield(SPINS), lambda x: -0.5 * (np.sum((SPINS @ x) ** 2) - 18) / 6),
    "dense": (ha.memories.dense(SPINS, n=3), lambda x: -np.sum(np.maximum(SPINS @ x, 0) ** 3) / 3),
    "exponential": (ha.memories.exponential(SPINS), lambda x: -np.log(np.sum(np.exp(SPINS @ x)))),
}


@pytest.mark.parametrize("name", MEMORIES)
def test_averages_of_any_memory_of_spins_are_sums_over_its_states(name):
    memory, energy = MEMORIES[name]
    states = np.array(list(itertools.product([-1, 1], repeat=6)))
    energies = np.array([energy(x) for x in states])
    for temperature in (0.3, 3.0):
        p = np.exp(-energies / temperature - logsumexp(-energies / temperature))
        exact = ha.networks.boltzmann(memory, temperature)
        assert exact.log_partition == pytest.approx(logsumexp(-energies / temperature), rel=1e-12)
        assert exact.energy == pytest.approx(p @ energies, rel=1e-12)
        np.testing.assert_allclose(exact.overlaps, p @ np.abs(states @ SPINS.T) / 6, rtol=1e-10)
        np.testing.assert_allclose(exact.magnetisation, p @ states, atol=1e-12)
        np.testing.assert_allclose(exact.correlations, np.einsum("s,si,sj->ij", p, states, states), atol=1e-12)
        assert exact.entropy == pytest.approx(-np.sum(p * np.log(np.maximum(p, 1e-300))), rel=1e-9, abs=1e-12)


@settings(max_examples=count(60, 10), deadline=None)
@given(st.integers(0, 10**6), st.floats(0.2, 5))
def test_the_heat_capacity_is_the_derivative_of_the_energy(seed, temperature):
    couplings = np.random.default_rng(seed).normal(size=(5, 5))
    network = ha.Hopfield(couplings + couplings.T)
    step = 1e-4 * temperature
    low, middle, high = (ha.networks.boltzmann(network, temperature + d) for d in (-step, 0, step))
    assert (high.energy - low.energy) / (2 * step) == pytest.approx(middle.heat_capacity, rel=1e-4, abs=1e-6)
    assert -(high.free_energy - low.free_energy) / (2 * step) == pytest.approx(middle.entropy, rel=1e-5, abs=1e-6)


def test_very_low_and_very_high_temperatures_stay_finite():
    exact = ha.networks.boltzmann(ha.memories.hopfield(np.ones((1, 4)), self_coupling=True), [1e-6, 1e9])
    np.testing.assert_allclose(exact.energy, [-2, -0.5], rtol=1e-8)  # two states of E = −N/2; the mean of −½ N m²
    np.testing.assert_allclose(exact.entropy, [np.log(2), 4 * np.log(2)], rtol=1e-8)
    np.testing.assert_allclose(exact.overlaps[:, 0], [1, 6 / 16], rtol=1e-8)  # Σ C(4, k) |2k/4 − 1| / 16


@pytest.mark.parametrize(
    ("name", "temperature"),
    [("hopfield", 0.8), ("hopfield", 2.0), ("dense", 20.0), ("dense", 60.0), ("exponential", 3.0)],
)
def test_glauber_draws_from_the_same_distribution(name, temperature):
    """200 chains (quick: 100) from states at random, so independent; each gives one mean over 60 sweeps after 20."""
    memory, _ = MEMORIES[name]
    rng = np.random.default_rng(1)
    start = rng.choice([-1.0, 1.0], size=(count(200, 100), 6))
    recall = memory.recall(start, update=ha.Glauber(temperature), max_steps=80, rng=rng, keep=("overlaps",))
    exact = ha.networks.boltzmann(memory, temperature)
    for values, expected in (
        (recall.energies[21:].mean(axis=0), exact.energy),
        *zip(np.abs(recall.overlaps[21:]).mean(axis=0).T, exact.overlaps, strict=True),
    ):
        error = values.std(ddof=1) / np.sqrt(len(values))
        assert abs(values.mean() - expected) < 4 * error


@pytest.mark.parametrize("n", [1, 2, 7, 12])
def test_the_magnet_is_hopfields_network_with_one_pattern(n):
    pattern = np.random.default_rng(n).choice([-1.0, 1.0], size=(1, n))
    whole = ha.networks.boltzmann(ha.memories.hopfield(pattern, self_coupling=True), TEMPERATURES)
    magnet = ha.networks.curie_weiss(n, TEMPERATURES)
    np.testing.assert_allclose(magnet.size_of_m, whole.overlaps[:, 0], rtol=1e-12)
    for name in ("log_partition", "free_energy", "energy", "heat_capacity", "entropy"):
        np.testing.assert_allclose(getattr(magnet, name), getattr(whole, name), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(magnet.energy, -0.5 * n * magnet.square_of_m, rtol=1e-12)


def test_the_partition_function_of_the_magnet_is_an_integral():
    """Z = √(NT/2π) ∫ exp(N (log 2 cosh(y) − ½ T y²)) dy, by Gauss' trick (Hubbard 1959; Stratonovich 1957)."""
    n, t = 400, 0.8

    def exponent(y):
        return n * (np.logaddexp(y, -y) - 0.5 * t * y**2)

    peak = exponent(np.linspace(0, 3, 20_001)).max()
    area = 2 * quad(lambda y: np.exp(exponent(y) - peak), 0, 3, limit=400, epsabs=1e-13)[0]
    expected = 0.5 * np.log(n * t / (2 * np.pi)) + peak + np.log(area)
    assert ha.networks.curie_weiss(n, t).log_partition == pytest.approx(expected, rel=1e-10)


def test_the_magnet_tends_to_the_mean_field_off_the_critical_point():
    for temperature in (0.3, 0.6, 0.85):
        m = brentq(lambda m, t=temperature: m - np.tanh(m / t), 1e-3, 1)
        assert ha.networks.mean_field(temperature) == pytest.approx(m, rel=1e-10)
        gaps = [abs(ha.networks.curie_weiss(n, temperature).size_of_m - m) for n in (1000, 4000)]
        assert gaps[1] == pytest.approx(gaps[0] / 4, rel=0.2)  # of order 1/N
    for temperature in (1.5, 3.0):  # m is Gaussian of variance T / (N(T − 1)): ⟨|m|⟩ = √(2T / (πN(T − 1)))
        expected = np.sqrt(2 * temperature / (np.pi * 4000 * (temperature - 1)))
        assert ha.networks.curie_weiss(4000, temperature).size_of_m == pytest.approx(expected, rel=0.01)


def test_at_the_critical_point_the_magnetisation_falls_as_the_fourth_root():
    """p(m) ~ exp(−N m⁴/12), so ⟨|m|⟩ N^¼ = 12^¼ Γ(½)/Γ(¼) (Ellis & Newman 1978)."""
    found = ha.networks.curie_weiss(1_000_000, 1.0).size_of_m * 1000**0.5
    assert found == pytest.approx(12**0.25 * gamma(0.5) / gamma(0.25), rel=0.002)


def test_the_mean_field_is_the_largest_root():
    temperatures = np.linspace(0.02, 1.6, 80)
    m = ha.networks.mean_field(temperatures)
    np.testing.assert_allclose(np.tanh(m / temperatures), m, atol=1e-12)
    for temperature, own in zip(temperatures, m, strict=True):
        above = np.linspace(own + 1e-4, 1.1, 2000)
        assert np.all(np.tanh(above / temperature) < above)
        assert own > 0 or temperature >= 1
    near = 1 - np.array([1e-3, 1e-5, 1e-7, 1e-9, 1e-15])
    np.testing.assert_allclose(ha.networks.mean_field(near), np.sqrt(3 * (1 - near)), rtol=1e-3)


def test_the_mean_field_is_smooth_where_the_series_takes_over():
    """u = m/T solves T = tanh(u)/u; the series in u is written out here to u⁸."""
    below = np.array([3e-5, 1.01e-5, 0.99e-5, 1e-6])
    t = 1 - below
    u = ha.networks.mean_field(t) / t
    np.testing.assert_allclose(u**2 / 3 - 2 * u**4 / 15 + 17 * u**6 / 315, 1 - t, rtol=1e-9)


@pytest.mark.parametrize("temperature", [1e-290, 1e300])
def test_far_temperatures_have_the_limits_of_two_spins(temperature):
    """Ground states ++ and −− alone, or all four alike; the heat capacity is 0 at both ends."""
    states = 2 if temperature < 1 else 4
    magnet, pair = (
        ha.networks.curie_weiss(2, temperature),
        ha.networks.boltzmann(ha.Hopfield([[0, 1], [1, 0]]), temperature),
    )
    for found in (magnet, pair):
        assert found.heat_capacity == 0
        assert found.entropy == pytest.approx(np.log(states))
        assert found.free_energy == pytest.approx(found.energy - temperature * np.log(states))


def test_logarithms_of_binomials_agree_with_scipy():
    n, k = 5000, np.arange(5001)
    logs = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    m = 2 * k / n - 1
    assert ha.networks.curie_weiss(n, 1.1).log_partition == pytest.approx(
        logsumexp(logs + 0.5 * n * m**2 / 1.1), rel=1e-12
    )
