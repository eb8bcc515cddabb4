"""Metropolis's update leaves exp(−E/T) as it is: densities by quadrature, and detailed balance."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import chi2

import hopattn as ha
from tests.each import each

PATTERNS = [[1.0, 0.0], [-0.3, 0.9]]
BINS = 24
CHAINS, BEFORE, AFTER = 4000, 60, 5


def last_states(memory, update):
    """The states of many chains at one time: independent of each other, so that chi-square holds."""
    start = ha.unit(np.random.default_rng(0).normal(size=(CHAINS, 2)))
    return memory.recall(start, update=update, max_steps=BEFORE, rng=1).state


def test_on_the_circle_the_histogram_is_the_density_by_quadrature():
    """Chi-square of 4,000 independent chains with 23 degrees of freedom, below its 99.99 % quantile."""
    memory = ha.memories.spherical(PATTERNS, beta=2.0)
    states = last_states(memory, ha.Metropolis(temperature=0.4, width=1.2))
    np.testing.assert_allclose(np.linalg.norm(states, axis=1), 1, atol=1e-12)
    angles = np.arctan2(states[:, 1], states[:, 0])

    def density(angle):
        return np.exp(-float(memory.energy([np.cos(angle), np.sin(angle)])) / 0.4)

    edges = np.linspace(-np.pi, np.pi, BINS + 1)
    mass = np.array([quad(density, *edges[i : i + 2])[0] for i in range(BINS)])
    expected = CHAINS * mass / mass.sum()
    seen = np.histogram(angles, edges)[0]
    assert np.sum((seen - expected) ** 2 / expected) < chi2.ppf(0.9999, BINS - 1)


def test_in_space_softmax_samples_are_a_mixture_of_gaussians():
    """exp(−E/T) with T = 1/β is Σ exp(β ξ·x − ½β|x|²): Gaussians of variance T at the patterns, weights exp(½β|ξ|²)."""
    keys, beta = np.array([[0.8, 0.0], [-0.8, 0.3]]), 2.0
    states = last_states(ha.memories.modern(keys, beta), ha.Metropolis(temperature=1 / beta, width=1.2))
    weights = np.exp(beta / 2 * np.sum(keys**2, axis=1))
    mean = weights @ keys / weights.sum()
    spread = weights @ keys**2 / weights.sum() + 1 / beta - mean**2
    assert np.all(np.abs(states.mean(axis=0) - mean) < 4 * np.sqrt(spread / CHAINS))
    assert np.all(np.abs(states.var(axis=0) - spread) < 4 * spread * np.sqrt(3 / CHAINS))


@each("memory", [ha.memories.modern(PATTERNS), ha.memories.spherical(PATTERNS), ha.memories.graded([[1.0, -1.0]])])
def test_a_start_of_the_right_density_keeps_it(memory):
    """Moves from x and y, weighed by exp(−E/T), go as often one way as the other: the mean energy stays."""
    update = ha.Metropolis(temperature=0.7)
    start = 0.5 * ha.unit(np.random.default_rng(2).normal(size=(2000, 2)))
    start = start * 2 if memory.activation.directional else start
    long = memory.recall(start, update=update, max_steps=60, rng=3).energies
    early, late = long[:, 40], long[:, 60]
    assert abs(early.mean() - late.mean()) < 4 * np.sqrt((early.var() + late.var()) / 2000)
    assert np.all(np.isfinite(long))
    alone = memory.recall(start[:1], update=update, max_steps=5, rng=3).state
    np.testing.assert_array_equal(alone, memory.recall(start[:3], update=update, max_steps=5, rng=3).state[:1])


@each(
    ("call", "message"),
    [
        (lambda: ha.Metropolis(0), "temperature: expected a positive finite number, not 0"),
        (lambda: ha.Metropolis(1, width=-1), "width: expected a positive finite number"),
        (lambda: ha.memories.hopfield([[1, -1]]).recall([1, 1], update=ha.Metropolis(1)), "on the sphere, in the cube"),
        (lambda: ha.Memory(np.eye(2), np.ones((2, 2))).recall([1, 1], update=ha.Metropolis(1)), "values differ from"),
    ],
)
def test_a_wrong_argument_is_refused_with_the_reason(call, message):
    with pytest.raises(ha.InvalidInput, match=message):
        call()
