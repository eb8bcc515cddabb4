"""A recall is judged by what it reads: an outlier among the patterns that has no weight changes nothing."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.dynamics.likeness import ReferencePatterns, merged, ranked
from hopattn.retrieval.activation import activations
from tests.counts import count

DTYPES = {"float64": 1e9, "float32": 1e7}
"""The dtypes, with the largest outlier."""
UNBOUNDED = "identity", "power", "rectified_power", "exponential", "rectified_exponential"
BLIND = [name for name in ha.separations if name not in UNBOUNDED]
"""The separations that give a pattern with a very negative score no weight, and whose states stay bounded."""


def with_outlier(rng, dtype, size):
    """Patterns with a last entry about 1, an outlier against it, and cues; all cues score the outlier below 0."""
    patterns = 0.6 * rng.normal(size=(4, 3))
    patterns[:, -1] = rng.uniform(0.5, 1.5, 4)
    cues = rng.uniform(0, 1, (5, 4)) @ patterns / 4
    outlier = -size * np.eye(3)[-1:]
    return (one.astype(dtype) for one in (patterns, np.vstack([patterns, outlier]), cues))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", BLIND)
def test_an_outlier_without_weight_changes_no_recall(name, dtype):
    rng = np.random.default_rng(0)
    for _ in range(count(60, 3)):
        patterns, more, cues = with_outlier(rng, dtype, 10 ** rng.uniform(3, np.log10(DTYPES[dtype])))
        scale = np.dtype(dtype).type(10 ** rng.uniform(-6, 6))
        beta = float(rng.uniform(0.8, 3) / scale**2)
        alone, beside = (
            ha.Memory(rows * scale, separation=ha.separations[name](beta=beta)).recall(cues * scale, max_steps=300)
            for rows in (patterns, more)
        )
        assert beside.status.tolist() == alone.status.tolist()
        assert np.abs(beside.steps - alone.steps).max() <= 1
        np.testing.assert_allclose(beside.state / scale, alone.state / scale, rtol=1e-4, atol=1e-4)


def test_a_slow_state_beside_an_outlier_goes_on_to_its_rest():
    patterns = np.array([[1, 1], [-1, 1], [0, -1000]], np.float32)
    record = ha.memories.modern(patterns, beta=1.05).recall(np.array([0.02, 1], np.float32), max_steps=500)
    assert record.status == "converged"
    np.testing.assert_allclose(record.state, [0.3707, 1], atol=1e-3)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_state_much_smaller_than_what_it_reads_rests_at_the_rounding_of_that(dtype):
    record = ha.memories.modern(np.array([[1.0], [-1]], dtype), beta=0.5).recall(np.array([0.5], dtype))
    assert record.status == "converged"
    assert np.abs(record.state) < 1e-4


def of_any_size(rng, dtype):
    """Six patterns of any sizes in the range of the numbers; the last three are multiples of the first three."""
    numbers = np.finfo(dtype)
    edge = np.log10(float(numbers.smallest_normal)) + 3, np.log10(float(numbers.max)) - 3
    patterns = rng.normal(size=(3, 4))
    patterns = np.vstack([patterns, patterns])
    powers = rng.uniform(*edge, 6) if rng.random() < 0.5 else rng.integers(-3, 10) + rng.uniform(-3, 3, 6)
    return (patterns * 10.0 ** powers[:, None]).astype(dtype)


@pytest.mark.parametrize("by_distance", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_state_that_equals_a_stored_pattern_is_matched_with_it(dtype, by_distance):
    rng, activation = np.random.default_rng(1), activations.make("identity")
    for _ in range(count(300, 20)):
        patterns = of_any_size(rng, dtype)
        found = ReferencePatterns(patterns, activation, by_distance).likeness(patterns)
        assert found.matched.tolist() == list(range(6))
        assert set(found.spurious) == {""}
        np.testing.assert_allclose(found.similarity, 1, rtol=1e-5)
        apart = [ranked(patterns, patterns[start : start + 2], by_distance) for start in (0, 2, 4)]
        for part, start in zip(apart, (0, 2, 4), strict=True):
            part.nearest[:] += start
        assert merged(apart).nearest.tolist() == list(range(6))


def test_of_parallel_patterns_the_one_that_the_state_equals_is_matched():
    record = ha.memories.modern([[1.0, 0], [100, 0]]).recall([0.9, 0.0])
    assert record.state.tolist() == [100, 0]
    assert record.matched == 1


def test_a_state_is_not_faded_because_another_pattern_is_large():
    record = ha.memories.sparse([[1.0, 0], [0, 2e6]], beta=2.0).recall([1.0, 0])
    assert (record.matched, record.spurious) == (0, "")
    faded = ReferencePatterns(np.eye(2), activations.make("identity")).likeness(np.array([[9e-7, 0], [2e-6, 0]]))
    assert faded.matched.tolist() == [-1, 0]
