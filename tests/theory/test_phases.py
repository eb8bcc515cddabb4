"""The lines of the Hopfield network to their last digits, its free energies, and the mixtures of few patterns."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import erf

import hopattn as ha
from hopattn.theory.replica_symmetric import critical, retrieved, without_overlap

T = ha.theory


def test_the_lines_have_the_digits_that_other_solvers_give():
    """α_c(0) of Steffan & Kühn 1994; the highest load and the line of de Almeida and Thouless by two other programs."""
    assert float(T.critical_load()) == pytest.approx(0.13790556, abs=1e-8)
    assert float(T.overlap(0.1379055664)) == pytest.approx(0.9674174, abs=1e-5)
    assert float(T.stable_load()) == pytest.approx(0.0518543, abs=5e-8)
    assert float(T.critical_load(0.0228737)) == pytest.approx(0.138188511, abs=1e-9)
    assert np.all(T.critical_load([0.0225, 0.0232]) < 0.138188511)
    meeting = brentq(lambda t: critical(t).symmetry, 0.02, 0.03)
    assert (meeting, critical(meeting).load) == pytest.approx((0.0250684, 0.138185915), abs=1e-7)


@pytest.mark.parametrize("line", [("critical_load", "retrieval_temperatures"), ("stable_load", "stable_temperatures")])
def test_a_load_that_returns_has_two_temperatures_which_both_have_it(line):
    load_at, temperatures = (getattr(T, name) for name in line)
    start = float(load_at())
    load = start + np.array([1e-6, 1e-4, 2e-4])
    both = temperatures(load)
    assert np.all(both[:, 0] < both[:, 1])
    np.testing.assert_allclose(load_at(both), np.stack([load, load], axis=1), rtol=0, atol=1e-8)
    assert temperatures(start / 2)[0] == 0 and np.all(np.isnan(temperatures(0.15)))


@pytest.mark.parametrize(("load", "temperature"), [(0.03, 0.2), (0.1, 0.05), (0.12, 0.2), (0.05, 0.4)])
def test_the_free_energy_changes_with_the_load_as_its_formula_does_at_the_solution(load, temperature):
    """It is stationary in m, q and r, so that only the explicit load counts."""
    step = 1e-5
    for glass, found in ((False, retrieved(load, temperature)), (True, without_overlap(load, temperature))):
        rest = 1 - found.c
        explicit = 0.5 + 0.5 * (temperature * math.log(rest) - found.q / rest)
        ends = T.free_energy(np.array([load - step, load + step]), temperature, glass=glass)
        assert np.diff(ends)[0] / (2 * step) == pytest.approx(explicit, abs=1e-5)


def test_both_states_lie_equally_deep_on_the_line_between_them():
    temperature = np.array([0.05, 0.3, 0.8])
    load = T.stable_load(temperature)
    depths = [T.free_energy(load, temperature, glass=glass) for glass in (False, True)]
    np.testing.assert_allclose(*depths, atol=1e-9)
    assert np.isnan(T.free_energy(0.2, 0.1)) and np.isfinite(T.free_energy(0.2, 0.1, glass=True))


def test_replicas_of_the_spin_glass_differ_and_those_of_few_patterns_are_alike():
    """Amit, Gutfreund & Sompolinsky 1987: T_R → √(8α/9π) exp(−1/2α) for α → 0."""
    for load, share in ((0.05, 0.5), (0.1, 0.9), (0.2, 0.3)):
        assert without_overlap(load, share * float(T.glass_temperature(load))).symmetry < 0
    small = 0.01
    law = math.sqrt(8 * small / (9 * math.pi)) * math.exp(-1 / (2 * small))
    assert float(T.replica_temperature(small)) == pytest.approx(law, rel=0.05)
    assert np.isnan(T.replica_temperature(0.14)) and float(T.replica_load(1.0)) == 0


def bent(m, temperature):
    """f, its gradient and its second derivatives at overlaps m `(n,)`, over all 2^n signs, by their definitions."""
    signs = np.array([*product([-1.0, 1.0], repeat=len(m))])
    fields = signs @ m / temperature
    f = m @ m / 2 - temperature * np.mean(np.logaddexp(fields, -fields))
    tanh = np.tanh(fields)
    return (
        f,
        m - np.mean(signs * tanh[:, None], axis=0),
        np.eye(len(m)) - (signs.T * (1 - tanh**2)) @ signs / len(signs) / temperature,
    )


@given(n=st.sampled_from([1, 3, 5, 7]), temperature=st.floats(0.02, 0.95))
def test_a_mixture_is_a_stationary_point_and_a_minimum_up_to_its_temperature(n, temperature):
    m = np.append(np.full(n, float(T.mixture_overlap(n, temperature))), 0.0)
    _, gradient, second = bent(m, temperature)
    np.testing.assert_allclose(gradient, 0, atol=1e-12)
    edge = T.mixture_temperature(n)
    if m[0] and abs(temperature - edge) > 1e-6:
        assert (np.linalg.eigvalsh(second)[0] > 0) == (temperature < edge)


@pytest.mark.parametrize(("n", "energy"), [(1, -1 / 2), (3, -3 / 8), (5, -45 / 128), (7, -7 * (5 / 16) ** 2 / 2)])
def test_the_energy_of_a_mixture_is_that_of_its_signs(n, energy):
    assert T.mixture_energy(n) == pytest.approx(energy, rel=1e-12)
    signs = np.array([*product([-1.0, 1.0], repeat=n)])
    state = np.sign(signs.sum(axis=1))
    assert -np.sum(np.mean(signs * state[:, None], axis=0) ** 2) / 2 == pytest.approx(energy)
    assert T.mixture_energy(999) == pytest.approx(-1 / math.pi, abs=2e-4)


def test_a_mixture_of_an_even_number_is_refused():
    with pytest.raises(ha.InvalidInput, match="n: got 4; expected an odd number"):
        T.mixture_overlap(4)


@pytest.mark.parametrize("n", [1, 3, 5])
def test_the_equations_keep_a_mixture_up_to_its_load(n):
    """The equations at T = 0 over all 2^n signs, followed from the mixture itself."""
    z = np.array([*product([-1.0, 1.0], repeat=n)]).sum(axis=1)

    def kept(load):
        m, r = T.mixture_overlap(n), 1.0
        for _ in range(400):
            y = m / math.sqrt(2 * load * r)
            c = np.mean(np.exp(-((z * y) ** 2))) * math.sqrt(2 / (math.pi * load * r))
            if c >= 1:
                return False
            m, r = np.mean(z * erf(z * y)) / n, 1 / (1 - c) ** 2
        return m > 0.9 * T.mixture_overlap(n)

    edge = T.mixture_load(n)
    assert kept(0.995 * edge) and not kept(1.005 * edge)
    assert T.mixture_load(1) == pytest.approx(float(T.critical_load()), abs=1e-13)


def test_a_simulated_mixture_stays_below_its_temperature_and_turns_into_a_pattern_above_it():
    """20,000 spins and three patterns that are exactly orthogonal; all spins at once, 100 sweeps, the mean of 50."""
    patterns = np.tile(np.array([*product([-1.0, 1.0], repeat=3)]).T, 2500)
    rng = np.random.default_rng(0)

    def overlaps(temperature):
        state, total = np.sign(patterns.sum(axis=0)), np.zeros(3)
        for sweep in range(100):
            m = patterns @ state / state.size
            total += m * (sweep >= 50)
            state = np.where(rng.random(state.size) < 1 / (1 + np.exp(-2 * (m @ patterns) / temperature)), 1.0, -1.0)
        return np.sort(total / 50)

    assert overlaps(0.35) == pytest.approx(np.full(3, float(T.mixture_overlap(3, 0.35))), abs=0.01)
    one = float(T.mixture_overlap(1, 0.55))
    assert overlaps(0.55) == pytest.approx([0, 0, one], abs=0.01)
