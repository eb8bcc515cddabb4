"""The theory of the Hopfield network agrees with published numbers, and its solutions solve the equations."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.optimize import root as root_of

import hopattn as ha
from hopattn.theory.replica_symmetric import retrieved, solution


def test_the_critical_load_and_the_overlap_there_are_the_published_ones():
    """Amit, Gutfreund & Sompolinsky 1987: α_c = .138, m = .967; Hertz, Krogh & Palmer 1991: .1379."""
    load = ha.theory.critical_load()
    assert float(load) == pytest.approx(0.1379, abs=5e-5)
    assert float(ha.theory.overlap(load)) == pytest.approx(0.967, abs=5e-4)
    assert ha.theory.overlap([0.1, 0.1381, 0.2]).round(3).tolist() == [0.998, 0.0, 0.0]


def test_near_one_the_lines_leave_with_the_published_slopes():
    """Amit, Gutfreund & Sompolinsky 1985: T_M ≈ 1 − 1.95 √α, T_c ≈ 1 − 2.6 √α, T_g = 1 + √α."""
    load = 1e-5
    slopes = [
        (1 - float(line(load))) / math.sqrt(load)
        for line in (ha.theory.retrieval_temperature, ha.theory.stable_temperature, ha.theory.glass_temperature)
    ]
    assert slopes == pytest.approx([1.95, 2.6, -1], abs=0.01)


def test_the_patterns_are_the_deepest_states_up_to_the_load_of_the_energies_at_zero():
    """At T = 0, with y = m/√(2αr): √(2α) = erf(y)/y − 2/√π exp(−y²), and the energies are those of a retrieved pattern,
    −m²/2 + α(1 − r)/2, and of the glass, −1/π − √(2α/π)."""

    def depth(y):
        m, root = math.erf(y), math.erf(y) / y - 2 / math.sqrt(math.pi) * math.exp(-(y**2))
        load, noise = root**2 / 2, (m / y) ** 2 / 2  # noise: αr
        return load, -1 / math.pi - math.sqrt(2 * load / math.pi) + m**2 / 2 - (load - noise) / 2

    load = depth(brentq(lambda y: depth(y)[1], 1.6, 4, xtol=1e-13))[0]
    assert float(ha.theory.stable_load()) == pytest.approx(load, abs=1e-10)
    assert load == pytest.approx(0.0518543, abs=1e-7)
    lines = ha.theory.stable_temperature([0.049, 0.055])
    assert 0.2 < lines[0] < 0.25 and math.isnan(lines[1])


def by_newton(load, temperature, m, root):
    """m and √(αr) of the mean-field equations near given ones, by a solver that shares nothing with the package.

    tanh differs from the sign only near a field of 0; that difference is integrated by Gauss's rule, the sign by erf.
    """
    nodes, weights = np.polynomial.legendre.leggauss(60)
    v, dv = 10 * (nodes + 1), 10 * weights  # fields over the temperature, from 0 to 20

    def residues(given):
        overlap, width = given
        density = [np.exp(-((sign * temperature * v - overlap) ** 2) / (2 * width**2)) for sign in (1, -1)]
        density = np.array(density) / (math.sqrt(2 * math.pi) * width)
        mean = math.erf(overlap / (math.sqrt(2) * width)) - temperature * dv @ (
            (1 - np.tanh(v)) * (density[0] - density[1])
        )
        c = dv @ (density.sum(axis=0) / np.cosh(v) ** 2)
        return mean - overlap, math.sqrt(load * (1 - temperature * c)) / (1 - c) - width

    found = root_of(residues, (m, root), tol=1e-14)
    return found.x[0]


@pytest.mark.parametrize("temperature", [1e-9, 1e-5, 9.9e-4, 1e-3, 5e-3])
@pytest.mark.parametrize("load", [0.03, 0.137, 0.1379])
def test_the_smallest_temperatures_have_the_overlaps_of_another_solver(load, temperature):
    found = retrieved(load, temperature)
    expected = by_newton(load, temperature, found.m * 0.9999, 1.0001 * found.s * temperature)
    assert found.m == pytest.approx(expected, abs=1e-10)


def test_the_lines_go_on_to_a_temperature_of_zero_without_a_jump():
    """Near T = 0 the overlap and both loads are linear in T."""
    temperatures = np.array([0.0, 1e-12, 1e-9, 1e-6, 1e-5, 1e-4, 9.9e-4, 1e-3, 1.1e-3])
    for values in (
        ha.theory.overlap(0.137, temperatures),
        ha.theory.critical_load(temperatures),
        ha.theory.stable_load(temperatures),
    ):
        slopes = np.diff(values) / np.diff(temperatures)
        assert np.all(np.abs(values - values[0] - slopes[3] * temperatures) <= 1e-10 + 40 * temperatures**2)
    assert ha.theory.overlap(0.13791, [9.9e-4, 1e-3]) == pytest.approx([0.96867, 0.96868], abs=1e-5)


@pytest.mark.parametrize("share", [0.0, 0.5, 0.99, 1.0])
@pytest.mark.parametrize("lines", ["critical_load, retrieval_temperature", "stable_load, stable_temperature"])
def test_the_highest_temperature_is_found_up_to_the_largest_load_of_any_temperature(lines, share):
    """Both loads grow a little with T before they fall: critical_load(.0229) = .1381885 exceeds critical_load(0)."""
    load_at, temperature_at = (getattr(ha.theory, name) for name in lines.split(", "))
    temperatures = np.linspace(0.015, 0.03, 16) if "critical" in lines else np.linspace(0.06, 0.1, 9)
    most = load_at(temperatures).max()
    load = load_at(0.0) + share * (most - load_at(0.0))
    assert load_at(temperature_at(load)) == pytest.approx(load, abs=1e-9)
    assert np.isnan(temperature_at(most + 1e-4))


@pytest.mark.parametrize(("load", "temperature"), [(0.02, 0.4), (0.05, 0.3), (0.1, 0.05), (0.13, 0.01)])
def test_a_solution_solves_the_equations(load, temperature):
    found = retrieved(load, temperature)
    r = found.q / (1 - (1 - found.q) / temperature) ** 2

    def mean(power):
        def integrand(z):
            density = math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
            return density * math.tanh((found.m + math.sqrt(load * r) * z) / temperature) ** power

        return quad(integrand, -10, 10, limit=400, points=[-found.m / math.sqrt(load * r)])[0]

    assert mean(1) == pytest.approx(found.m, abs=1e-7)
    assert mean(2) == pytest.approx(found.q, abs=1e-7)
    assert float(ha.theory.overlap(load, temperature)) == found.m


def test_the_free_energy_is_stationary_at_a_solution():
    """∂f/∂m = 0 by the equation of m; here by moving x, while q, r and s stay."""
    found = retrieved(0.05, 0.3)
    more, less = (replace(found, m=found.m + step).free_energy for step in (1e-4, -1e-4))
    assert abs(more - less) / 2e-4 < 1e-5 < (more + less - 2 * found.free_energy) / 1e-8


def test_without_other_patterns_the_network_is_the_magnet_of_curie_and_weiss():
    temperatures = [0.2, 0.5, 0.9, 0.99, 1.0, 2.0]
    assert ha.theory.overlap(0, temperatures) == pytest.approx(ha.networks.mean_field(temperatures), abs=1e-9)
    assert float(ha.theory.retrieval_temperature(0)) == float(ha.theory.stable_temperature(0)) == 1


def test_the_retrieval_temperature_is_where_the_overlap_vanishes():
    for load in (0.01, 0.05, 0.13):
        edge = float(ha.theory.retrieval_temperature(load))
        assert ha.theory.overlap(load, [edge - 1e-4, edge + 1e-4])[1] == 0 < ha.theory.overlap(load, edge - 1e-4)
        assert float(ha.theory.critical_load(edge)) == pytest.approx(load, abs=1e-6)
    assert np.isnan(ha.theory.retrieval_temperature(0.2))


def test_the_coldest_solutions_lead_to_those_at_zero():
    assert np.ptp(ha.theory.overlap(0.12, [0.002, 0.0])) < 1e-3
    assert solution(0.5, 0.0, 0.0).load == 0


@pytest.mark.parametrize("bad", [-0.1, math.nan, math.inf, "much", [0.1, -1]])
def test_other_numbers_are_refused(bad):
    for formula in (ha.theory.overlap, ha.theory.retrieval_temperature, ha.theory.glass_temperature):
        with pytest.raises(ha.InvalidInput, match="load: expected"):
            formula(bad)


def test_loads_that_do_not_fit_the_temperatures_are_refused():
    with pytest.raises(ha.InvalidInput, match=r"temperature: shape \(3,\) does not fit loads of \(2,\)"):
        ha.theory.overlap([0.1, 0.2], [0.1, 0.2, 0.3])


@pytest.mark.parametrize("load", [5e-324, 1e-300, 1e-16])
def test_the_smallest_loads_lead_to_a_load_of_zero(load):
    for temperature in (0.0, 0.1, 0.9):
        assert ha.theory.overlap(load, temperature) == pytest.approx(ha.theory.overlap(0, temperature))
    assert ha.theory.retrieval_temperature(load) == pytest.approx(1)
    assert ha.theory.stable_temperature(load) == pytest.approx(1)
