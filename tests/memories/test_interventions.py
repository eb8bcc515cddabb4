"""Forgetting: a memory without a pattern, the formulas of what that changes, and the same measured."""

import numpy as np
import pytest
import scipy.optimize

import hopattn as ha
from hopattn import activations, separations
from tests.draws import count, in_dtypes, near

KNOWN = (
    *("softmax", "proportional", "identity", "power", "rectified_power", "exponential", "threshold"),
    "rectified_exponential",
)
"""The separations that have a formula."""
SIZES = [(n, dim) for n in (2, 3, 5, 12) for dim in (1, 2, 4, 7, 16)]
"""Patterns and dims; 20 of them."""


def test_the_formulas_agree_with_10_000_cues_of_20_memories_to_1e_12():
    """For every β, dim, sink and mask, from p = 0 to p = 1: 1e-12 of the patterns' size, and ε-wise more where
    1 − p is small, by which the formula divides: 1e-12 · max(1, .001 / (1 − p)).
    """
    rng, shares = np.random.default_rng(0), []
    for i, (n, dim) in enumerate(SIZES):
        beta, sink = 10.0 ** rng.uniform(-1.5, 1.5), (None, 0.0, -3.0, 4.0)[i % 4]
        keys, values = rng.normal(size=(2, n, dim)) * [[[10.0 ** rng.uniform(-1, 1.0)]], [[1]]]
        cues, pattern = rng.normal(size=(500, dim)) * 10.0 ** rng.uniform(-1, 1, size=(500, 1)), int(rng.integers(n))
        mask, memory = rng.random((500, n)) < (1.0 if i % 3 else 0.8), ha.Memory(keys, values, beta=beta, sink=sink)
        found, left = ha.memories.worth(memory, cues, pattern, mask=mask), memory.without(pattern)
        rest, p, size = np.delete(mask, pattern, axis=1), found.weight, np.abs(values).max()
        assert np.array_equal(p, memory.weights(cues, mask)[:, pattern])
        answer, psi = left.step(cues, rest), left.separation.potential(left.scores(cues), rest)
        np.testing.assert_allclose(found.measured.answer, answer, atol=1e-13 * size)
        bound = 1e-12 * np.maximum(1, 1e-3 / np.maximum(1 - p, 1e-300))
        assert np.all(np.abs(found.closed.answer - answer).max(axis=-1) <= size * bound)
        finite = np.isfinite(psi)
        assert np.array_equal(found.closed.potential[~finite], psi[~finite])
        assert np.all((np.abs(found.closed.potential - psi) <= bound * (1 / beta + np.abs(psi)))[finite])
        others = (1 - p) * np.abs(answer).max(axis=-1)  # the part of the field that is not of the pattern
        assert np.all((found.digits > 0) | (others <= 1e-14 * size))
        shares.append(p)
    p = np.concatenate(shares)
    assert p.size == 10_000
    assert min(np.sum(p < 1e-12), np.sum(p > 1 - 1e-12), np.sum((p > 0.1) & (p < 0.9))) > 100


@pytest.mark.parametrize(
    ("separation", "activation", "dtype"),
    in_dtypes([(name, own) for name in separations for own in ("identity", "unit")]),
)
def test_every_memory_has_the_formula_or_says_that_there_is_none(separation, activation, dtype):
    rng = np.random.default_rng(1)
    keys, cues = (rng.normal(size=size).astype(dtype) / 2 for size in ((5, 3), (4, 3)))
    cues = np.asarray(activations.make(activation)(cues), dtype)
    memory = ha.Memory(keys, separation=separation, activation=activation)
    mask = rng.random((4, 5)) < 0.9
    for pattern, where in ((2, None), ([0, -1], mask)):
        found, left = ha.memories.worth(memory, cues, pattern, mask=where), memory.without(pattern)
        seen = None if where is None else where[:, 1:4]
        options = {"rtol": near(dtype, 1e-11), "atol": near(dtype, 1e-11)}
        np.testing.assert_allclose(found.measured.answer, left.step(cues, seen), **options)
        np.testing.assert_allclose(found.before.answer, memory.step(cues, where), **options)
        if "energy" not in found.lacks:
            np.testing.assert_allclose(found.measured.energy, left.energy(cues, seen), **options)
        assert ("closed" in found.lacks) == (found.closed is None) == (separation not in KNOWN)
        if found.closed is not None:
            np.testing.assert_allclose(found.closed.answer, found.measured.answer, **options)
            for name in ("potential", "energy"):
                own, other = (getattr(one, name) for one in (found.closed, found.measured))
                assert (own is None) == (other is None) == (name in found.lacks)
                if own is not None:
                    np.testing.assert_allclose(own, other, **options)


def copies(rng, times):
    """A memory of so many copies of four patterns and a fifth pattern, whose weight falls with the copies, and a cue.

    Without the fifth pattern, its step and fixed points do not depend on the number of copies.
    """
    others, pattern, cue = 0.7 * rng.normal(size=(4, 3)), 0.7 * rng.normal(size=(1, 3)), rng.normal(size=3)
    return ha.Memory(np.vstack([np.repeat(others, times, axis=0), pattern]), beta=1.0), cue


def test_fixed_points_move_as_the_formula_says_to_first_order():
    """The error is of the order p²: the slope of its logarithm by that of p is 2 in each of 12 (quick: 5) memories."""
    slopes = []
    for seed in range(count(12, 5)):
        points = []
        for times in (16, 64, 256):
            memory, cue = copies(np.random.default_rng(seed), times)
            found = ha.memories.worth(memory, cue, -1)
            assert found.settled
            p = memory.weights(found.before.fixed_point)[-1]
            points.append((p, np.abs(found.closed.fixed_point - found.measured.fixed_point).max()))
        (p, errors), moved = np.transpose(points), found.before.fixed_point - found.measured.fixed_point
        assert errors[-1] < 0.1 * np.abs(moved).max()
        slopes.append(np.polyfit(np.log(p), np.log(errors), 1)[0])
    np.testing.assert_allclose(slopes, 2, atol=0.2)


@pytest.mark.parametrize("sink", [None, 0.5])
def test_fixed_points_and_jacobians_agree_with_scipy_and_pytorch(sink):
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(2)
    keys, cue = rng.normal(size=(6, 4)), rng.normal(size=4)
    memory = ha.Memory(keys, beta=1.3, sink=sink)
    found, left = ha.memories.worth(memory, cue, 3), memory.without(3)
    root = scipy.optimize.root(lambda x: left.step(x) - x, found.measured.fixed_point + 1e-3, tol=1e-14)
    np.testing.assert_allclose(found.measured.fixed_point, root.x, atol=1e-12)
    same = ha.Memory(torch.asarray(keys), beta=1.3, sink=sink)
    x = found.before.fixed_point
    own = torch.autograd.functional.jacobian(same.step, torch.asarray(x))
    np.testing.assert_allclose(memory.jacobian(x), own.numpy(), atol=1e-13)
    change = left.step(x) - x
    np.testing.assert_allclose(
        found.closed.fixed_point, x + np.linalg.solve(np.eye(4) - own.numpy(), change), atol=1e-11
    )
    on_device = ha.memories.worth(same, torch.asarray(cue), 3)
    for part in ("answer", "energy", "fixed_point"):
        given = getattr(on_device.closed, part)
        np.testing.assert_allclose(given.numpy(), getattr(found.closed, part), atol=1e-12)


def test_a_weight_of_one_leaves_no_digits_and_no_nan():
    memory = ha.Memory(np.eye(3), beta=100)
    found = ha.memories.worth(memory, [[1.0, 0.5, 0.0], [0.5, 0.5, 0.0]], 0)
    assert (found.weight[0], found.digits[0]) == (1, 0)
    np.testing.assert_array_equal(found.closed.answer[0], found.measured.answer[0])
    np.testing.assert_array_equal(found.closed.energy[0], found.measured.energy[0])
    assert found.settled.tolist() == [False, False]
    np.testing.assert_array_equal(found.closed.fixed_point, found.measured.fixed_point)
    assert 15 < found.digits[1] < 16
    alone = ha.memories.worth(memory, [1.0, 0.5, 0.0], 0, mask=[[True, False, False]][0])
    assert (alone.digits, alone.closed.potential) == (0, 0)
    assert np.array_equal(alone.closed.answer, np.zeros(3))


def test_from_a_point_that_is_not_stable_the_measured_point_is_given():
    """At β = 2, (½, ½) is where the mixture of two patterns splits: I − J is singular there."""
    memory = ha.Memory([[1.0, 0.0], [0.0, 1.0], [9.0, 9.0]], beta=2)
    found = ha.memories.worth(memory, [0.5, 0.5], 2, mask=[True, True, False])
    assert not found.settled
    np.testing.assert_array_equal(found.closed.fixed_point, found.measured.fixed_point)


def test_a_memory_without_a_pattern_is_of_its_kind():
    rng = np.random.default_rng(4)
    keys, values = rng.normal(size=(2, 5, 3))
    memory = ha.Memory(
        keys, values, similarity="euclidean", separation="sparsemax", beta=3, sink=0.5, activation="tanh"
    )
    left = memory.without([1, -1])
    assert (left.separation, left.similarity, left.activation) == (
        memory.separation,
        memory.similarity,
        memory.activation,
    )
    np.testing.assert_array_equal(left.keys, keys[[0, 2, 3]])
    np.testing.assert_array_equal(left.values, values[[0, 2, 3]])
    assert left.patterns is left.values
    assert memory.n_patterns == 5
    np.testing.assert_array_equal(memory.without(np.arange(5) == 2).keys, memory.without(2).keys)
    assert ha.memories.modern(keys).without(0).autoassociative
    chain = ha.memories.sequence([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1]]).without(1)
    assert chain.patterns is chain.keys
    own = ha.Memory(keys, values, patterns=values[:2]).without(0)
    np.testing.assert_array_equal(own.patterns, values[:2])
    np.testing.assert_array_equal(memory.without([]).keys, memory.keys)


def test_nothing_taken_away_changes_nothing_and_of_100_000_patterns_half_are_gone_at_once():
    memory, cue = ha.Memory(np.eye(3), beta=2), [0.2, 0.5, 0.3]
    found = ha.memories.worth(memory, cue, [])
    assert found.weight == 0
    for part in ("answer", "energy", "fixed_point"):
        own = getattr(found.before, part)
        np.testing.assert_allclose(getattr(found.closed, part), own, atol=1e-14)
        np.testing.assert_allclose(getattr(found.measured, part), own, atol=1e-14)
    assert ha.Memory(np.ones((100_000, 1))).without(np.arange(100_000) % 2 == 0).n_patterns == 50_000


def test_a_difference_of_large_numbers_says_how_many_digits_it_leaves():
    """The field of 1e9 less the pattern that gives it keeps 7 digits of the other one."""
    large = ha.Memory([[1e9, 0.2], [0.3, 1.0]], separation="identity", beta=1.0)
    found = ha.memories.worth(large, [1.0, 1.0], 0)
    assert 0 <= found.digits < 8
    np.testing.assert_allclose(found.closed.answer, found.measured.answer, rtol=10.0 ** (1 - found.digits))


@pytest.mark.parametrize(
    "parts", [{"separation": "identity", "activation": "unit"}, {"sink": 0.0, "activation": "sign"}]
)
def test_rounding_is_not_made_an_answer_where_no_other_pattern_is_seen(parts):
    memory = ha.Memory([[0.3, -0.5], [-0.9, -1.0], [0.6, 0.8], [0.2, 0.5]], **parts)
    cue = memory.activation(np.array([[1.0, -1.0]]))
    found = ha.memories.worth(memory, cue, [0, 1, 2], mask=np.array([True, True, True, False]))
    assert found.digits == 0
    np.testing.assert_array_equal(found.closed.answer, found.measured.answer)
