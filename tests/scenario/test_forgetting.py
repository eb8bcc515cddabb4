"""Scenarios of forgetting: the closed law of the cosine, written out again; the same numbers as
`ha.experiments.forgetting`.
"""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta

import hopattn as ha
from hopattn.scenario.loading import parse
from tests.each import each
from tests.refusal import problems

TEXT = """schema = 1
title = "a first word"
source = "ours"
kind = "forgetting"
[forgetting]
dim = 32
carry = 0.8
beta = 3
names = 8
lengths = [0, 3, 20]
trials = 50
"""


def law(n, carry, beta, attention):
    """a_0/√Σa_i² with every a_i written out, a_i = Σ_{j ≥ i} p_j ρ^(j − i)."""
    weights = np.exp(beta * (np.arange(n + 1) == 0)) if attention else np.array([0.0] * n + [1.0])
    weights = weights / weights.sum()
    shares = [sum(weights[j] * carry ** (j - i) for j in range(i, n + 1)) for i in range(n + 1)]
    return shares[0] / np.linalg.norm(shares)


def test_the_arrays_hold_means_errors_and_the_law_of_both_readers():
    result = ha.run(parse(TEXT, "f.toml", "f"))
    expected = [[law(n, 0.8, 3.0, attention) for n in (0, 3, 20)] for attention in (True, False)]
    np.testing.assert_allclose(result.arrays["cosine-law"].values, expected, rtol=1e-12)
    assert result.arrays["cosine"].labels == (("with attention", "without attention"), ("0", "3", "20"))
    off = np.abs(result.arrays["cosine"].values - expected)
    assert np.all(off <= 4 * result.arrays["cosine-error"].values + 0.5 / 32)
    assert result.arrays["accuracy without attention"].values == result.arrays["accuracy"].values[1, 2]
    assert np.all(result.arrays["accuracy-error"].values <= 0.5 / np.sqrt(49))


def test_the_law_of_the_accuracy_is_an_integral_over_all_directions():
    """ρ = .8, 3 words: the others add a part in a random direction. 7 names must be further from the sum.

    The cosine c of two random directions has the density (1 − c²)^((32 − 3)/2), so (1 + c)/2 has a beta distribution.
    """
    shares = 0.8 ** np.arange(3, -1, -1)
    first, noise = shares[0], np.linalg.norm(shares[1:])

    def wins(c):
        cosine = (first + noise * c) / np.sqrt(first**2 + noise**2 + 2 * first * noise * c)
        return (1 - c * c) ** 14.5 * beta.cdf((1 + cosine) / 2, 15.5, 15.5) ** 7

    found = ha.run(parse(TEXT, "f.toml", "f")).arrays["accuracy-law"].values[1, 1]
    expected = quad(wins, -1, 1)[0] / quad(lambda c: (1 - c * c) ** 14.5, -1, 1)[0]
    assert found == pytest.approx(expected, rel=1e-8)


def test_a_length_has_the_same_texts_whatever_the_others_are_and_another_seed_has_others():
    one, alone, other = (
        ha.run(parse(TEXT.replace("[0, 3, 20]", lengths), "f.toml", "f"), seed).arrays["cosine"].values[1, -1]
        for lengths, seed in (("[0, 3, 20]", 0), ('"20"', 0), ("[20]", 1))
    )
    assert one == alone != other


@each(
    ("change", "message"),
    [
        (("lengths = [0, 3, 20]", ""), "forgetting.lengths: is missing"),
        (("[0, 3, 20]", "[3, 0]"), "forgetting.lengths: "),
        (("[0, 3, 20]", '"0:1:3"'), "forgetting.lengths: got 0.5; expected whole numbers from 0 up"),
        (("[0, 3, 20]", "[-1, 3]"), "lengths.1: got -1"),
        (("[0, 3, 20]", "[0.5]"), "lengths.1"),
        (("[0, 3, 20]", "[1000000]"), "would take about"),
        (("carry = 0.8", "carry = 1.1"), "forgetting.carry: got 1.1; expected at most 1"),
        (("beta = 3", "beta = -1"), "forgetting.beta: got -1"),
        (("names = 8", "names = 1"), "forgetting.names: got 1; expected at least 2"),
        (("trials = 50", "trials = 1"), "forgetting.trials: got 1; expected at least 2"),
        (("dim = 32", "dim = 1000"), "forgetting.dim: got 1000"),
        (("carry = 0.8", "cary = 0.8"), "did you mean 'carry'"),
    ],
)
def test_values_that_do_not_fit_are_reported(change, message):
    found = problems(TEXT.replace(*change))
    assert any(message in line for line in found), found
