"""Dense and spherical memories: capacity and retrieval against sums, integrals and published numbers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.special import gammaln, ive

import hopattn as ha


def test_the_capacity_of_order_2_is_that_of_krotov_and_hopfield():
    """Krotov & Hopfield 2016, section 2: about .14 N for n = 2 and errors of half a percent, without rectification."""
    assert float(ha.theory.dense_capacity(1000, 2, rectified=False)) == pytest.approx(150, abs=2)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_the_capacity_grows_as_the_power_n_less_1(n):
    few, many = ha.theory.dense_capacity([10, 100], n)
    assert math.log10(many / few) == pytest.approx(n - 1)


def test_the_stated_share_of_neurons_turns_if_that_lowers_the_energy():
    """Spins turn if that lowers −Σ [ξ·x]₊³, the energy of the memory of order 3: 25 patterns of 128 neurons."""
    neurons, wrong, turned = 128, 0.05, []
    count = round(float(ha.theory.dense_capacity(neurons, 3, wrong=wrong)))
    for seed in range(2):
        patterns = np.random.default_rng(seed).choice([-1.0, 1.0], size=(count, neurons))
        for state in patterns[:25]:
            scores = patterns @ state
            before, after = (np.maximum(s, 0) for s in (scores[:, None], scores[:, None] - 2 * patterns * state))
            turned.append(after * after * after - before * before * before)
    share = np.mean([part.sum(axis=0) > 0 for part in turned])
    assert share == pytest.approx(wrong, abs=0.015)


def test_all_neurons_at_once_turn_less_because_each_score_has_the_own_part_of_a_neuron():
    """At the capacity of 64 neurons, 412 patterns, .005 are promised: so many turn one by one, and 4e-5 at once."""
    patterns = np.random.default_rng(0).choice([-1.0, 1.0], size=(412, 64))
    memory = ha.memories.dense(patterns, n=3)
    first = memory.recall(patterns, update=ha.Asynchronous("sequence"), max_steps=1).state
    assert 0.003 < np.mean(first != patterns) < 0.012
    assert np.mean(memory.step(patterns) != patterns) < 1e-3


def test_a_capacity_beyond_the_numbers_is_infinite():
    assert ha.theory.dense_capacity(1e300, 3) == np.inf


def test_other_numbers_are_refused():
    for neurons, n, options in (
        (0, 3, {}), (10, 1, {}), (10, 1001, {}), (10, 3, {"wrong": 0.5}), ("x", 3, {}), (10, 3, {"rectified": 2}),
    ):  # fmt: skip
        with pytest.raises(ha.InvalidInput):
            ha.theory.dense_capacity(neurons, n, **options)


def test_the_capacity_of_a_large_order_is_finite_where_the_power_is_not():
    """log P from the gamma function: (2n − 3)!! = 2^(n−1) Γ(n − ½) / √π."""
    order, neurons = 200, 400
    factorial = (order - 1) * math.log(2) + math.lgamma(order - 0.5) - math.log(math.pi) / 2
    small = float(ha.theory.dense_capacity(neurons, 3)) / (neurons**2 / 3)  # 2 / Φ⁻¹(wrong)²
    expected = (order - 1) * math.log(neurons) - factorial + math.log(small)
    assert math.log(float(ha.theory.dense_capacity(neurons, order))) == pytest.approx(expected)


T = ha.theory


def test_the_loads_are_the_published_ones_and_lie_above_ramsauers_bound():
    """Lucibello & Mézard 2024, their formula by another program; the bound by a search in another one."""
    beta = [0.25, 0.5, 1, 2, 10]
    np.testing.assert_allclose(T.sphere_load(beta), [0.219654, 0.387006, 0.622572, 0.908754, 1.663790], atol=5e-7)
    np.testing.assert_allclose(T.sphere_bound(beta), [0.130270, 0.208201, 0.315747, 0.454544, 0.887231], atol=5e-7)
    np.testing.assert_allclose(T.sphere_load(1, [0.1, 0.2, 0.3]), [0.57382, 0.52756, 0.48376], atol=5e-6)
    assert T.gaussian_load([0.5, 1, 4]).tolist() == [0.375, 0.5, 0.5]


@given(beta=st.floats(0.01, 50), neurons=st.integers(2, 400))
def test_the_mean_at_finite_size_is_bessels_and_goes_to_its_limit(beta, neurons):
    """ln E exp(βNφ) = ln Γ(N/2) + (N/2 − 1) ln(2/βN) + ln I_{N/2−1}(βN)."""
    order, x = neurons / 2 - 1, beta * neurons
    bessel = ive(order, x)
    if bessel > 1e-280:
        exact = (gammaln(neurons / 2) - order * math.log(x / 2) + math.log(bessel) + x) / neurons
        assert float(T.sphere_noise(beta, neurons)) == pytest.approx(exact, rel=1e-9, abs=1e-11)
        mean = ive(order + 1, x) / bessel
        assert float(T.sphere_overlap(1 / beta, neurons)) == pytest.approx(mean, rel=1e-9)
    assert float(T.sphere_noise(beta, 10**6)) == pytest.approx(float(T.sphere_noise(beta)), rel=1e-4)


@given(beta=st.floats(0.05, 20), temperature=st.floats(0, 3))
def test_up_to_the_spinodal_the_valley_of_a_pattern_is_deeper_than_the_noise(beta, temperature):
    """By a search over φ: φ_eq maximises φ/T + ½ ln(1 − φ²), φ* maximises βφ + ½ ln(1 − φ²)."""

    def largest(tilt):
        found = minimize_scalar(
            lambda p: -(tilt * p + 0.5 * math.log1p(-p * p)), bounds=(0, 1), options={"xatol": 1e-14}
        )
        return found.x, -found.fun

    load = float(T.sphere_load(beta, temperature))
    phi, g = largest(beta)
    state = 1.0 if temperature < 1e-9 else largest(1 / temperature)[0]
    sharp = -0.5 * math.log1p(-phi * phi)
    noise = load + g if load >= sharp else beta * math.sqrt(-math.expm1(-2 * load))
    assert noise == pytest.approx(beta * state, rel=2e-6)
    again = float(T.sphere_temperature(load, beta))
    assert again == pytest.approx(temperature, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(("load", "neurons"), [(0.3, 16), (0.62, 16), (0.8, 8)])
def test_the_weight_of_the_first_step_is_the_simulated_one(load, neurons):
    """300 draws of the overlaps of all other patterns with a stored one; four standard errors."""
    count, rng = round(math.exp(load * neurons)), np.random.default_rng(1)
    others = rng.beta((neurons - 1) / 2, (neurons - 1) / 2, size=(300, count - 1)) * 2 - 1
    weights = 1 / (1 + np.exp(neurons * (others - 1)).sum(axis=1))
    own = float(T.sphere_weight(math.log(count) / neurons, 1, neurons))
    assert abs(weights.mean() - own) <= 4 * weights.std(ddof=1) / 300**0.5


def test_the_weight_goes_from_one_to_nothing_at_the_load():
    edge = float(T.sphere_load(1))
    below, above = (T.sphere_weight(edge + step, 1, np.int64(300)) for step in (-0.05, 0.05))
    assert below > 0.99 and above < 0.01


@pytest.mark.parametrize("beta", [1.5, 4.0, 30.0])
def test_patterns_beyond_the_load_of_relu_are_near_each_other(beta):
    """P times the share of the sphere within φ > 1 − 1/β is 1 at the load, in the exponent: N = 4,000."""
    neurons, edge = 4000, 1 - 1 / beta
    log_share = (neurons - 1) / 2 * math.log(1 - edge**2)
    assert float(T.relu_load(beta)) == pytest.approx(-log_share / neurons, abs=2e-3)
    assert float(T.relu_load(1)) == 0


@pytest.mark.parametrize("held", [0.5, 0.9])
def test_the_keys_that_hold_the_weight_are_counted(held):
    """10⁶ Gaussian scores of spread 1.5, sorted."""
    scores = np.sort(np.random.default_rng(0).normal(size=10**6))[::-1]
    weights = np.exp(1.5 * scores)
    share = (1 + np.searchsorted(np.cumsum(weights) / weights.sum(), held)) / 10**6
    assert float(T.held_share(1.5, held)) == pytest.approx(share, abs=3e-3)


def test_one_pattern_at_a_temperature_has_the_overlap_of_its_density():
    density = lambda p: math.exp(12 * (p - 1) / 0.4) * (1 - p * p) ** 4.5  # noqa: E731
    mean = quad(lambda p: p * density(p), -1, 1)[0] / quad(density, -1, 1)[0]
    assert float(T.sphere_overlap(0.4, 12)) == pytest.approx(mean, rel=1e-8)
    assert float(T.sphere_overlap(0.4)) == pytest.approx((math.sqrt(4.16) - 0.4) / 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: T.sphere_load(0), "beta: expected finite numbers above 0"),
        (lambda: T.sphere_temperature([0.1, 0.2], [1, 2, 3]), "do not fit each other"),
        (lambda: T.sphere_weight(0.1, 1e9, 100), "minutes"),
        (lambda: T.held_share(1, 1.0), "held"),
    ],
)
def test_what_a_formula_does_not_cover_is_refused(call, message):
    with pytest.raises(ha.InvalidInput, match=message):
        call()
    assert np.isnan(T.sphere_temperature(0.7, 1))


@pytest.mark.parametrize(("neurons", "beta"), [(16, 4), (16, 8), (16, 11.31), (16, 20), (40, 15), (40, 60)])
def test_the_load_at_finite_size_is_where_the_state_near_a_pattern_is_lost(neurons, beta):
    """By iteration with Bessel's functions: m ← w + (1 − w)φ from m = 1; beta: of unit length."""

    def weight(others):
        m, w = 1.0, 1.0
        for _ in range(20_000):
            order, x = neurons / 2 - 1, beta * m
            bessel = ive(order, x)
            log_mean = gammaln(neurons / 2) - order * math.log(x / 2) + math.log(bessel)  # of exp(x(φ − 1))
            w, before = 1 / (1 + others * math.exp(log_mean)), m
            m = w + (1 - w) * ive(order + 1, x) / bessel
            if abs(m - before) < 1e-13:
                break
        return w

    patterns = math.exp(neurons * float(T.sphere_load(beta / neurons, neurons=neurons)))
    assert weight((patterns - 1) * 0.999) > 0.5 > weight((patterns - 1) * 1.001)


def test_the_load_at_finite_size_goes_to_its_limit_and_is_that_of_a_map():
    np.testing.assert_allclose(T.sphere_load([0.1, 1, 10], neurons=10**6), T.sphere_load([0.1, 1, 10]), rtol=2e-4)
    with pytest.raises(ha.InvalidInput, match="neurons: is for a temperature of 0"):
        T.sphere_load(1, 0.1, neurons=16)
    with pytest.raises(ha.InvalidInput, match="minutes"):
        T.sphere_load(np.ones(10**5), neurons=10**6)
