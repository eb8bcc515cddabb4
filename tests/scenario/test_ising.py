"""Spins in a file: averages over all states, and sampled ones that agree with them; errors."""

import numpy as np
import pytest

import hopattn as ha
from tests.draws import count
from tests.scenario.scenarios_of_kinds import COUPLED, MAGNET, PATTERNS
from tests.texts import parsed

BIAS = "bias = [0.3, 0, -0.1]\n"
STATES = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])


def arrays_of(text):
    return {name: array.values for name, array in ha.run(parsed(text)).arrays.items()}


@pytest.mark.parametrize("bias", ["", BIAS])
def test_the_averages_are_sums_over_all_states(bias):
    arrays = arrays_of(COUPLED + bias)
    energy = (
        -STATES[:, 0] * STATES[:, 1] + STATES[:, 1] * STATES[:, 2] - STATES @ ([0.3, 0, -0.1] if bias else [0, 0, 0])
    )
    for i, t in enumerate((0.5, 2.0)):
        weights = np.exp(-energy / t)
        mean = weights @ energy / weights.sum()
        free = -t * np.log(weights.sum())
        heat = (weights @ energy**2 / weights.sum() - mean**2) / t**2
        np.testing.assert_allclose(
            arrays["thermal"][i], np.array([mean, free, (mean - free) / t, heat]) / 3, rtol=1e-10
        )
        assert arrays["overlaps"][i] == pytest.approx(weights @ np.abs(STATES.mean(axis=1)) / weights.sum())
    assert not {"sampled", "errors", "deviation", "curve", "mean-field"} & arrays.keys()


def test_the_labels_name_temperatures_quantities_and_patterns():
    arrays = ha.run(parsed(PATTERNS + "sweeps = 2\n")).arrays
    names = ("pattern 1", "pattern 2")
    assert arrays["overlaps"].labels == (("0.5", "2"), names)
    assert arrays["thermal"].labels == (("0.5", "2"), ("energy", "free energy", "entropy", "heat capacity"))
    assert arrays["sampled"].labels == arrays["errors"].labels == (("0.5", "2"), ("energy", *names))


@pytest.mark.parametrize(
    "text", [COUPLED, COUPLED + BIAS, PATTERNS, MAGNET], ids=["couplings", "bias", "patterns", "magnet"]
)
def test_glaubers_averages_are_within_five_standard_errors(text):
    """2 seeds (10 in full), at most 6 averages each: beyond 5 standard errors of 100 chains, one in a million."""
    for seed in range(count(10, 2)):
        arrays = arrays_of(text.replace('"ising"\n', f'"ising"\nseed = {seed}\n') + "sweeps = 60\nchains = 100\n")
        off = np.abs(arrays["sampled"] - np.column_stack([arrays["thermal"][:, 0], arrays["overlaps"]]))
        assert arrays["deviation"] == np.max(off / arrays["errors"]) < 5
        assert 0 < arrays["errors"].max() < 0.1, "chains of another temperature would be further off"


def test_the_sweeps_of_the_burn_in_are_left_out():
    """The mean of the first two sweeps is that of the first one, and of the second one after a burn-in of one."""
    first, second, both = (
        arrays_of(f"{COUPLED}burn_in = {burn_in}\nsweeps = {sweeps}\n")["sampled"]
        for burn_in, sweeps in ((0, 1), (1, 1), (0, 2))
    )
    np.testing.assert_allclose(both, (first + second) / 2, atol=1e-12)
    assert np.abs(first - second).max() > 0.01


def test_chains_that_never_change_have_an_error_above_zero():
    """Two spins of one sign at T = .02: no chain turns; the error is that of one event in 50 × 40 sweeps."""
    cold = COUPLED.replace("[[0, 1, 0], [1, 0, -1], [0, -1, 0]]", "[[0, 1], [1, 0]]").replace("[0.5, 2]", "[0.02]")
    arrays = arrays_of(cold + "sweeps = 40\nburn_in = 60\n")
    assert (arrays["errors"] == 1 / 2000).all() and arrays["deviation"] < 1e-9


def test_the_curve_of_a_magnet_passes_through_its_averages_and_those_of_infinitely_many_spins():
    arrays = ha.run(parsed(MAGNET.replace("[0.5, 2]", "[2, 0.5]"))).arrays
    curve, mean_field = arrays["curve"], arrays["mean-field"].values[:, 0]
    assert (curve.labels[0][0], curve.labels[0][-1]) == ("0.5", "2") and curve.labels[1] == ("infinitely many", "exact")
    assert {"0.98", "0.99", "0.995", "0.998", "0.9995", "1"} < {*curve.labels[0]} and len(curve.labels[0]) > 100
    np.testing.assert_allclose(curve.values[[-1, 0], 1], arrays["overlaps"].values[:, 0], rtol=1e-12)
    np.testing.assert_allclose(curve.values[[-1, 0], 0], mean_field, atol=1e-12)
    assert mean_field[0] == 0 and mean_field[1] == pytest.approx(np.tanh(mean_field[1] / 0.5)) and mean_field[1] > 0.9


def test_the_states_of_a_few_spins_are_explained_with_their_weights():
    lines = ha.run(parsed(COUPLED + "sweeps = 5\n"), explain=True).runs[0].working
    assert lines[0] == "−−−: E = 0, weight at T = .5: e^(0/.5) = 1"
    assert sum(": E = " in line for line in lines) == 8 and lines[-1].startswith("the largest difference is ")
    assert not any(": E = " in line for line in ha.run(parsed(MAGNET), explain=True).runs[0].working)


@pytest.mark.parametrize("spins", [20, 64])
def test_every_spin_of_a_magnet_is_coupled_to_all_by_one_over_n(spins):
    arrays = ha.run(parsed(MAGNET.replace("20", str(spins)))).arrays
    np.testing.assert_array_equal(arrays["couplings"].values, np.full((spins, spins), 1 / spins))
    assert ("couplings" in [*arrays]) == (spins == 20), "of many spins on demand"
