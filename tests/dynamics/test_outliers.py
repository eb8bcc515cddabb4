"""A recall is judged by what it reads: an outlier among the patterns that has no weight changes nothing."""

import numpy as np
import pytest

import hopattn as ha
from tests.counts import count

DTYPES = {"float64": 1e9, "float32": 1e7}
"""The dtypes, with the largest outlier."""
BLIND = [name for name in ha.separations if name not in ("identity", "power", "rectified_power", "exponential")]
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
    record = ha.modern(patterns, beta=1.05).recall(np.array([0.02, 1], np.float32), max_steps=500)
    assert record.status == "converged"
    np.testing.assert_allclose(record.state, [0.3707, 1], atol=1e-3)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_state_much_smaller_than_what_it_reads_rests_at_the_rounding_of_that(dtype):
    record = ha.modern(np.array([[1.0], [-1]], dtype), beta=0.5).recall(np.array([0.5], dtype))
    assert record.status == "converged"
    assert np.abs(record.state) < 1e-4
