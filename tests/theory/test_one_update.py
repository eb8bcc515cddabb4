"""Bounds of one update, and the least error of denoising: against SciPy, and never refuted by a memory."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import lambertw, softmax
from scipy.stats import norm

import hopattn as ha
from hopattn.theory import (
    contraction_bound,
    linear_denoising_error,
    random_storage,
    retrieval_bound,
    sphere_denoising_error,
)


@given(dim=st.integers(20, 10_000), scale=st.floats(3, 100), beta=st.floats(1, 10), failure=st.floats(0.001, 1))
def test_theorem_three_is_its_formula_by_lamberts_function(dim, scale, beta, failure):
    found = random_storage(dim, scale, beta=beta, failure=failure)
    a = 2 / (dim - 1) * (1 + math.log(2 * beta * scale**2 * failure * (dim - 1)))
    b = 2 * scale**2 * beta / 5
    c = b / lambertw(b * math.exp(a)).real
    assert found.c == pytest.approx(c, rel=1e-11)
    assert found.exponent == pytest.approx(a + math.log(b), rel=1e-12, abs=1e-12)
    log_patterns = math.log(failure) / 2 + (dim - 1) * math.log(c) / 4
    if log_patterns < 700:
        assert found.patterns == pytest.approx(math.exp(log_patterns), rel=1e-8)
    assert found.c >= found.required


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(2, 8),
    dim=st.integers(1, 6),
    beta=st.floats(0.01, 50),
    damage=st.floats(0, 1),
)
def test_one_update_is_never_outside_its_bounds(seed, n, dim, beta, damage):
    """Theorems 4 and 5 also for patterns of unlike lengths."""
    rng = np.random.default_rng(seed)
    patterns = rng.normal(size=(n, dim))
    rest = patterns
    for _ in range(50):
        rest = softmax(beta * rest @ patterns.T, axis=1) @ patterns
    cues = patterns + damage * ha.unit(rng.normal(size=(n, dim)))
    after = softmax(beta * cues @ patterns.T, axis=1) @ patterns
    reach = np.maximum(np.linalg.norm(rest - patterns, axis=1), damage).max()
    error = np.linalg.norm(after - patterns, axis=1)
    assert np.all(error <= retrieval_bound(patterns, beta, reach) * (1 + 1e-9) + 1e-12)
    again = softmax(beta * rest @ patterns.T, axis=1) @ patterns
    change, apart = np.linalg.norm(after - again, axis=1), np.linalg.norm(cues - rest, axis=1)
    factor = np.minimum(contraction_bound(patterns, beta, reach), 1e300)  # it may be infinite, and the distance 0
    assert np.all(change <= factor * apart * (1 + 1e-9) + 1e-12)


def test_the_bound_of_the_error_is_sharp_for_two_opposite_patterns():
    """f(x) − x = −2x p₂ with p₂ → exp(−2β): the bound is 2 exp(−2β)."""
    patterns = np.array([[1.0, 0.0], [-1.0, 0.0]])
    after = ha.memories.modern(patterns, beta=8.0).step(patterns)
    np.testing.assert_allclose(np.linalg.norm(after - patterns, axis=1), retrieval_bound(patterns, 8.0), rtol=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: random_storage(20, 1), "theorem 3 needs c ≥ (2/√p)^(4/(d−1))"),
        (lambda: random_storage(20, 3, failure=2), "failure: expected a finite number from 1e-100 to 1, not 2"),
        (lambda: random_storage(1, 3), "dim: expected a whole number"),
        (lambda: retrieval_bound([[1.0, 0.0]], beta=1, damage=-1), "damage: expected a finite number of at least 0"),
        (lambda: sphere_denoising_error(101, 1, 1), "dim: expected a whole number"),
        (lambda: linear_denoising_error(8, 2, 1, context=0), "context: expected a positive finite number, not 0"),
    ],
)
def test_what_theory_does_not_cover_is_refused(call, message):
    with pytest.raises(ha.HopattnError, match=re.escape(message)):
        call()


@pytest.mark.parametrize("noise", [0.001, 0.1, 1.0, 50.0])
def test_the_error_of_two_ends_and_of_a_circle_are_their_integrals(noise):
    """±R has the posterior mean R tanh(Rx/σ²); the circle R I₁/I₀."""
    turn = max(-9, -1 / math.sqrt(noise))  # where the two ends are equally likely
    parts = ((-9, turn), (turn, turn + 1e-3), (turn + 1e-3, 9))
    left_over = lambda g: norm.pdf(g) * (1 - math.tanh((1 + math.sqrt(noise) * g) / noise) ** 2)  # noqa: E731
    ends = sum(quad(left_over, *part, limit=200)[0] for part in parts)
    assert sphere_denoising_error(0, 1, noise) == pytest.approx(ends, abs=1e-8)
    rng = np.random.default_rng(0)
    angle = np.linspace(0, 2 * np.pi, 4000, endpoint=False)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    cues = circle[0] + np.sqrt(noise) * rng.normal(size=(2000, 2))
    errors = np.sum((softmax(cues @ circle.T / noise, axis=1) @ circle - circle[0]) ** 2, axis=1)
    assert abs(sphere_denoising_error(1, 1, noise) - errors.mean()) <= 4 * errors.std() / np.sqrt(len(errors))


@given(dim=st.integers(0, 100), radius=st.floats(0.01, 100), noise=st.floats(1e-4, 1e4))
def test_a_sphere_is_denoised_no_worse_than_by_its_mean_or_by_a_line(dim, radius, noise):
    """Of all distributions with this variance in d + 1 directions the normal one is the hardest."""
    error, line = sphere_denoising_error(dim, radius, noise), radius**2 * noise / (radius**2 / (dim + 1) + noise)
    assert -1e-9 * radius**2 <= error <= min(radius**2, line) * (1 + 1e-9)
