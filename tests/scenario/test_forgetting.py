"""Scenarios of forgetting: the closed law of the cosine, written out again, and that of the accuracy as an integral."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta

import hopattn as ha
from tests.scenario.scenarios_of_kinds import FORGETTING
from tests.texts import parsed


def law(n, carry, beta, attention):
    """a_0/√Σa_i² with every a_i written out, a_i = Σ_{j ≥ i} p_j ρ^(j − i)."""
    weights = np.exp(beta * (np.arange(n + 1) == 0)) if attention else np.array([0.0] * n + [1.0])
    weights = weights / weights.sum()
    shares = [sum(weights[j] * carry ** (j - i) for j in range(i, n + 1)) for i in range(n + 1)]
    return shares[0] / np.linalg.norm(shares)


def test_the_arrays_hold_means_errors_and_the_law_of_both_readers():
    arrays = ha.run(parsed(FORGETTING)).arrays
    readers = "with attention", "without attention"
    expected = [[law(n, 0.8, 3.0, attention) for n in (0, 3, 20)] for attention in (True, False)]
    np.testing.assert_allclose(arrays["cosine-law"].values, expected, rtol=1e-12)
    assert arrays["cosine"].labels == (readers, ("0", "3", "20"))
    off = np.abs(arrays["cosine"].values - expected)
    assert np.all(off <= 4 * arrays["cosine-error"].values + 0.5 / 32)
    off = np.abs(arrays["accuracy"].values - arrays["accuracy-law"].values)
    assert np.all(off <= 4 * np.sqrt(np.maximum(arrays["accuracy-law"].values, 0.02) / 50))
    for quantity in ("accuracy", "cosine"):
        for i, reader in enumerate(readers):
            assert arrays[f"{quantity} {reader}"].values == arrays[quantity].values[i, -1]
    share = arrays["accuracy"].values  # of 50 trials that are 0 or 1
    np.testing.assert_allclose(arrays["accuracy-error"].values, np.sqrt(share * (1 - share) / 49), atol=1e-12)


def test_the_law_of_the_accuracy_is_an_integral_over_all_directions():
    """ρ = .8, 3 words: the others add a part in a random direction. 7 names must be further from the sum.

    The cosine c of two random directions has the density (1 − c²)^((32 − 3)/2), so (1 + c)/2 has a beta distribution.
    """
    shares = 0.8 ** np.arange(3, -1, -1)
    first, noise = shares[0], np.linalg.norm(shares[1:])

    def wins(c):
        cosine = (first + noise * c) / np.sqrt(first**2 + noise**2 + 2 * first * noise * c)
        return (1 - c * c) ** 14.5 * beta.cdf((1 + cosine) / 2, 15.5, 15.5) ** 7

    accuracy = ha.run(parsed(FORGETTING)).arrays["accuracy-law"].values[1, 1]
    expected = quad(wins, -1, 1)[0] / quad(lambda c: (1 - c * c) ** 14.5, -1, 1)[0]
    assert accuracy == pytest.approx(expected, rel=1e-8)


def test_a_length_has_the_same_texts_whatever_the_others_are_and_another_seed_has_others():
    one, alone, other = (
        ha.run(parsed(FORGETTING.replace("[0, 3, 20]", lengths)), seed).arrays["cosine"].values[1, -1]
        for lengths, seed in (("[0, 3, 20]", 0), ('"20"', 0), ("[20]", 1))
    )
    assert one == alone != other
