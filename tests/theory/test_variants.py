"""Variants of Hebb's rule and states of a spin glass, against published numbers and other forms of the equations."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from tests.draws import count


def overlap_by_rounds(noise_of, weight):
    """m of the equations, followed from the pattern itself; noise_of: σ² of C."""
    m, c = 1.0, 0.0
    for _ in range(400):
        sigma = math.sqrt(noise_of(c))
        m = math.erf(weight * m / (math.sqrt(2) * sigma))
        c = min(0.99, math.sqrt(2 / math.pi) / sigma * math.exp(-((weight * m / sigma) ** 2) / 2))
    return m


def test_without_noise_the_load_is_that_of_hebbs_rule_and_clipping_costs_a_quarter():
    """Sompolinsky 1986: .102 for clipped synapses."""
    assert ha.theory.noisy_load() == pytest.approx(float(ha.theory.critical_load()), abs=1e-9)
    assert ha.theory.noisy_load(math.pi / 2 - 1) == pytest.approx(0.102, abs=5e-4)


@pytest.mark.parametrize("noise", [0.0, math.pi / 2 - 1, 3.0])
def test_a_pattern_is_kept_just_below_the_load_and_lost_just_above(noise):
    load = float(ha.theory.noisy_load(noise))
    below, above = (
        overlap_by_rounds(lambda c, a=a: a * (1 / (1 - c) ** 2 + noise), 1) for a in (0.98 * load, 1.02 * load)
    )
    assert below > 0.8 and above < 0.6


@pytest.mark.parametrize("rate", [3.0, 4.108, 6.0])
def test_the_youngest_patterns_are_kept_and_older_ones_lost(rate):
    """The integral over the ages by SciPy, where the function has a formula."""
    oldest = ha.theory.forgetting_load(rate)

    def weight(age):
        return rate * math.exp(-(rate**2) * age / 2)

    def noise_of(c):
        c = min(c, 0.99 / rate)
        return quad(lambda age: (weight(age) / (1 - c * weight(age))) ** 2, 0, 12 / rate**2 * 2)[0]

    kept, lost = (overlap_by_rounds(noise_of, weight(share * oldest)) for share in (0.97, 1.03))
    assert kept > 0.8 and lost < 0.6


def test_the_best_rate_of_forgetting_is_the_published_one():
    """Mézard, Nadal & Toulouse 1986: ε = 4.108, .049 patterns a neuron."""
    rates = np.linspace(4.0, 4.2, 201)
    loads = [ha.theory.forgetting_load(rate) for rate in rates]
    assert rates[np.argmax(loads)] == pytest.approx(4.108, abs=1e-3) and max(loads) == pytest.approx(0.049, abs=5e-4)


@pytest.mark.parametrize("temperature", [0.0, 1e-6, 0.3, 0.9])
def test_the_diluted_network_loses_its_patterns_where_the_slope_at_0_is_1(temperature):
    """m = ∫Dz tanh((m + √α z)/T), by a sum, at T = 0 erf(m/√(2α)): 2/π (Derrida et al. 1987)."""
    load, m = ha.theory.diluted_load(temperature), 1e-5
    if temperature < 1e-3:
        assert load == pytest.approx(2 / math.pi, abs=1e-6)
        return
    z = np.linspace(-9, 9, 4001)
    density = np.exp(-(z**2) / 2)
    after = (density / density.sum()) @ np.tanh((m + math.sqrt(load) * z) / temperature)
    assert after == pytest.approx(m, rel=1e-7)


@pytest.mark.parametrize("neurons", [8, 11])
def test_the_mean_number_of_metastable_states_is_that_of_all_states(neurons):
    """Minima of networks with normal couplings, all states looked at: within 4 standard errors of 2^N ∫Dz F(…)^N."""
    rng, found = np.random.default_rng(neurons), []
    for _ in range(count(400, 100)):
        couplings = np.triu(rng.normal(size=(neurons, neurons)), 1)
        found.append(len(ha.landscapes.spin_states(ha.Hopfield(couplings + couplings.T)).minima))
    error = np.std(found, ddof=1) / math.sqrt(len(found))
    assert abs(np.mean(found) - math.exp(neurons * ha.theory.metastable_rate(neurons))) < 4 * error


def test_the_rate_of_many_neurons_is_the_published_one():
    """Tanaka & Edwards 1980: .1992."""
    limit = ha.theory.metastable_rate()
    assert limit == pytest.approx(0.1992, abs=5e-5)
    assert ha.theory.metastable_rate(10**6) == pytest.approx(limit, abs=1e-6)


@pytest.mark.parametrize(
    "call",
    [
        lambda: ha.theory.noisy_load(-1),
        lambda: ha.theory.diluted_load(-1),
        lambda: ha.theory.forgetting_load(0),
        lambda: ha.theory.metastable_rate(2),
    ],
)
def test_other_numbers_are_refused(call):
    with pytest.raises(InvalidInput, match="expected"):
        call()


@given(empty=st.floats(0, 1), patterns=st.integers(1, 30))
def test_diluted_patterns_share_all_neurons_that_not_all_leave_free(empty, patterns):
    shares = [ha.theory.shared_overlap(empty, which) for which in range(1, patterns + 1)]
    assert sum(shares) == pytest.approx(1 - empty**patterns)
