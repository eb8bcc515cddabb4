"""Shares of damaged cues agree with all states of a small network, within their standard errors."""

import numpy as np
import pytest
from scipy.stats import norm

import hopattn as ha

PATTERNS = np.random.default_rng(3).choice([-1.0, 1.0], size=(2, 12))


@pytest.mark.parametrize("memory", [ha.memories.hopfield(PATTERNS), ha.memories.dense(PATTERNS)])
def test_the_share_is_that_of_all_states_so_far_from_the_pattern(memory):
    """Four standard errors of 1,500 cues at each distance, under the sequential update that both take."""
    whole = ha.landscapes.spin_states(memory)
    reached = whole.basins(ha.Asynchronous("sequence"))
    matched = reached.matched[reached.reached]
    found = ha.landscapes.returns(memory, np.arange(7) / 12, cues=1500, rng=1)
    for k, share in enumerate(found.share):
        at = [np.sum(whole.states != pattern, axis=1) == k for pattern in PATTERNS]
        exact = np.mean([np.mean(matched[near] == i) for i, near in enumerate(at)])
        assert abs(share - exact) <= 4 * np.sqrt(exact * (1 - exact) / 1500) + 1e-12


def test_the_interval_is_wilsons():
    found = ha.landscapes.returns(ha.memories.hopfield(PATTERNS), [0.25, 0.5], cues=200, rng=0, level=0.9)
    z, n, p = norm.ppf(0.95), 200, found.share
    middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    np.testing.assert_allclose([found.low, found.high], [middle - half, middle + half], atol=1e-12)
    low, high = found.radius_interval
    assert low <= found.radius <= high


def test_the_radius_shrinks_with_the_load_and_is_larger_for_dense_memories():
    given = {
        "load": [0.03, 0.1, 0.2],
        "neurons": 60,
        "damage": [0.1, 0.2, 0.3, 0.4],
        "cues": 60,
        "memories": 2,
        "rng": 0,
    }
    classic, dense = (ha.landscapes.radii(build, **given) for build in (ha.memories.hopfield, ha.memories.dense))
    assert classic.radius[0] > classic.radius[1] > classic.radius[2]
    assert np.all(dense.low[1:] > classic.high[1:])


@pytest.mark.parametrize(
    "memory", [ha.memories.modern(PATTERNS), ha.memories.spherical(PATTERNS), ha.memories.graded(PATTERNS, beta=4.0)]
)
def test_cues_of_continuous_memories_return_from_little_noise(memory):
    found = ha.landscapes.returns(memory, [0.0, 0.1, 3.0], cues=50, rng=0)
    assert found.share[0] == found.share[1] == 1
    assert found.share[2] < 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"memory": 3}, "memory: expected a memory"),
        ({"damage": [0.2, 0.1]}, "damage: expected rising numbers of at least 0"),
        ({"damage": [0.0, 1.5]}, "damage: expected fractions of the neurons, from 0 to 1"),
        ({"level": 1.0}, "level: expected a positive finite number below 1"),
        ({"memory": ha.Hopfield(np.eye(3))}, "memory: has no patterns to return to"),
    ],
)
def test_a_wrong_argument_is_refused_with_the_reason(arguments, message):
    with pytest.raises(ha.InvalidInput, match=message):
        ha.landscapes.returns(**{"memory": ha.memories.hopfield(PATTERNS), **arguments})


def test_a_radius_that_no_damage_shows_is_not_given_as_a_number():
    few, many = (np.random.default_rng(0).choice([-1.0, 1.0], size=(n, 60)) for n in (1, 40))
    known, lost = ha.memories.modern(few, beta=1), ha.memories.hopfield(many)
    assert repr(ha.landscapes.returns(known, [0.5, 1.0], rng=0)) == (
        "Returns(at least half return at every damage, up to 1)"
    )
    assert repr(ha.landscapes.returns(lost, [0.2, 0.4], rng=0)) == (
        "Returns(fewer than half return, even at a damage of 0.2)"
    )
