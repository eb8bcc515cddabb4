"""The Jacobian of the softmax: its laws, exact fractions, SciPy, finite differences, and its size."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hopattn.gradients import saturation_of, softmax_jacobian, softmax_saturation
from hopattn.gradients.backward_pass import NORMS, size, softmax_backward
from tests.draws import arrays, betas


@given(data=st.data(), n=st.integers(1, 6), beta=betas)
def test_rows_sum_to_0_and_the_matrix_is_symmetric_and_positive_semi_definite(data, n, beta):
    scores, where = data.draw(arrays((3, n))), data.draw(hnp.arrays(np.bool_, (3, n)))
    found = softmax_jacobian(scores, beta=beta, where=where)
    assert np.array_equal(found, found.mT)
    largest = np.abs(found).max(axis=(-2, -1), keepdims=True)
    assert np.all(np.abs(found.sum(axis=-1, keepdims=True)) <= 1e-14 * largest)
    assert np.all(np.linalg.eigvalsh(found / np.where(largest == 0, 1, largest)) >= -1e-13)
    assert np.all(found[~where] == 0)
    assert np.all(found.mT[~where] == 0)
    assert size(found).max() <= beta / 2 * (1 + 1e-12)  # Ramsauer et al. (2021), appendix A: at most β/2


@given(data=st.data(), n=st.integers(1, 6), beta=betas)
def test_it_is_the_formula(data, n, beta):
    scores = data.draw(arrays((n,)))
    p = scipy.special.softmax(beta * scores)
    expected = beta * (np.diag(p) - np.outer(p, p))
    np.testing.assert_allclose(softmax_jacobian(scores, beta=beta), expected, rtol=1e-10, atol=1e-13 * beta)


@pytest.mark.parametrize("lead", [0.0, 0.3, 5.0, 40.0, 300.0, 700.0])
def test_of_two_scores_it_is_p_times_1_minus_p(lead):
    """The derivative of the logistic function, to the last digits also where p rounds to 1."""
    slope = scipy.special.expit(lead) * scipy.special.expit(-lead)
    expected = slope * np.array([[1, -1], [-1, 1]])
    np.testing.assert_allclose(softmax_jacobian([lead, 0.0]), expected, rtol=1e-13, atol=0)
    np.testing.assert_allclose(size(softmax_jacobian([lead, 0.0])), 2 * slope, rtol=1e-13)


def test_a_saturated_softmax_keeps_its_digits():
    """Exact fractions for weights of 1 and 2^−100, where 1 − p is 0 in float64."""
    odds = [Fraction(1), Fraction(1, 2**100), Fraction(1, 2**101)]
    p = [part / sum(odds) for part in odds]
    exact = [[p[i] * ((i == j) - p[j]) for j in range(3)] for i in range(3)]
    found = softmax_jacobian(-np.array([0.0, 100.0, 101.0]) * np.log(2))
    np.testing.assert_allclose(found, np.array(exact, float), rtol=1e-12, atol=0)
    weights, upstream = np.array(p, float), [3, -1, 5]
    mean = sum(own * u for own, u in zip(p, upstream, strict=True))
    expected = [float(own * (u - mean)) for own, u in zip(p, upstream, strict=True)]
    np.testing.assert_allclose(softmax_backward(weights, np.array(upstream, float), 1.0), expected, rtol=1e-12, atol=0)


@given(data=st.data(), n=st.integers(1, 6), beta=betas)
def test_the_backward_pass_is_the_product_with_the_jacobian(data, n, beta):
    scores, upstream = data.draw(arrays((2, n))), data.draw(arrays((2, n)))
    expected = (softmax_jacobian(scores, beta=beta) @ upstream[..., None])[..., 0]
    found = softmax_backward(scipy.special.softmax(beta * scores, axis=-1), upstream, beta)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12 * beta)


@given(data=st.data(), n=st.integers(2, 6), beta=st.floats(0.1, 3))
def test_the_size_falls_exponentially_with_the_magnitude(data, n, beta):
    """2β p₁p₂ ≤ |J| ≤ 2β(1 − p₁), so that log |J| falls by βΔ with each unit of the magnitude."""
    lead = data.draw(st.floats(0.5, 4))
    scores = np.concatenate(([lead, 0.0], -np.abs(data.draw(arrays((n - 2,)))) - 0.5))
    p = np.sort(scipy.special.softmax(beta * scores))[::-1]
    found = float(size(softmax_jacobian(scores, beta=beta)))
    assert 2 * beta * p[0] * p[1] * (1 - 1e-12) <= found <= 2 * beta * p[1:].sum() * (1 + 1e-12)
    far = 60 / (beta * 0.5)  # where all but the first two weights are less than 1e-13 of the second
    first, second = (size(softmax_jacobian(m * scores, beta=beta)) for m in (far, far + 1))
    np.testing.assert_allclose(np.log(second / first), -beta * lead, rtol=1e-10)


@pytest.mark.parametrize("kind", NORMS)
def test_the_size_is_numpys_norm(kind):
    found = softmax_jacobian(np.random.default_rng(0).normal(size=(4, 5)))
    norms = {"spectral": 2, "frobenius": "fro"}
    expected = np.linalg.norm(found, norms[kind], axis=(-2, -1)) if kind in norms else np.abs(found).max(axis=(-2, -1))
    np.testing.assert_allclose(size(found, kind), expected, rtol=1e-13)
    np.testing.assert_allclose(size(1e-250 * found, kind), 1e-250 * expected, rtol=1e-13)


def test_what_is_not_said_is_16_scores_200_draws_64_dims_and_the_spectral_norm():
    plain = softmax_saturation([1.0, 8.0], rng=0)
    said = softmax_saturation([1.0, 8.0], n_scores=16, n_draws=200, dim=64, beta=1.0, kind="spectral", rng=0)
    assert all(np.array_equal(plain.trials[name], said.trials[name]) for name in plain.names)


def test_layer_normalisation_keeps_the_size_and_the_scale_only_moves_the_curve():
    found = softmax_saturation([1, 4, 16, 64, 256], dim=16, n_draws=400, rng=0)
    raw, scaled, normalised = (found.median[name] for name in found.names)
    assert raw[-1] < 1e-30
    np.testing.assert_allclose(scaled[1:], raw[:-1], rtol=1e-9)  # 1/√16 = 1/4
    np.testing.assert_allclose(normalised, normalised[0], rtol=1e-4)
    assert normalised[0] > 0.2


def test_of_given_scores_the_largest_derivative_is_that_of_the_logistic_function():
    """σ(m)(1 − σ(m)) of (m, 0); normalised they are (1, −1) up to ε, whatever m; the scale divides m by √dim."""
    magnitudes = np.array([1.0, 3.0, 10.0, 30.0])
    found = saturation_of([1, 0], magnitudes, dim=25, kind="largest")
    for name, lead in (("raw", magnitudes), ("scaled", magnitudes / 5), ("normalised", np.full(4, 2.0))):
        slope = np.exp(-lead) / (1 + np.exp(-lead)) ** 2
        np.testing.assert_allclose(found.trials[name][0], slope, rtol=1e-4 if name == "normalised" else 1e-12)


def test_the_mean_falls_more_slowly_than_the_median():
    """The lead Δ has a density f at 0, so that the mean of a function of magnitude · Δ falls like f/magnitude."""
    found = softmax_saturation([64, 128], n_scores=3, n_draws=40_000, rng=1)
    mean, error = found.mean["raw"], found.error["raw"]
    assert abs(mean[0] - 2 * mean[1]) < 4 * np.hypot(error[0], 2 * error[1])
    assert np.all(found.median["raw"] < 1e-6 * mean)


def test_curves_give_mean_error_and_median_of_the_same_draws():
    found = softmax_saturation([0.5, 2], n_scores=4, n_draws=7, kind="frobenius", rng=np.random.default_rng(3))
    drawn = np.random.default_rng(3).normal(size=(7, 4))
    sizes = [[np.linalg.norm(softmax_jacobian(m * row)) for m in (0.5, 2)] for row in drawn]
    np.testing.assert_allclose(found.trials["raw"], sizes, rtol=1e-12)
    np.testing.assert_allclose(found.mean["raw"], np.mean(sizes, axis=0), rtol=1e-12)
    np.testing.assert_allclose(found.error["raw"], np.std(sizes, axis=0, ddof=1) / 7**0.5, rtol=1e-12)
    assert np.isnan(softmax_saturation([1], n_draws=1, rng=0).error["raw"]).all()
