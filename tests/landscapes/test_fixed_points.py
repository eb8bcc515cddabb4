"""Fixed points agree with closed forms, with roots that SciPy brackets, and with the index theorem."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

import hopattn as ha
from hopattn.landscapes.stationary import jacobian
from tests.draws import count

V = np.array([1.2, -0.5, 0.3])


def pair(beta):
    return ha.memories.modern([V, -V], beta=beta)


@pytest.mark.parametrize("ratio", [0.5, 0.9, 0.999, 1.001, 1.1, 3.0])
def test_two_opposite_patterns_have_a_pitchfork_at_beta_1_over_v_squared(ratio):
    """x = v tanh(β v·x) = c v with c = tanh(β|v|² c): c = 0 alone up to β|v|² = 1, and ±c beyond."""
    square = V @ V
    found = ha.landscapes.fixed_points(pair(ratio / square), rng=0)
    roots = [0.0]
    if ratio > 1:
        c = brentq(lambda c: np.tanh(ratio * c) - c, 1e-9, 1.0, xtol=1e-14)
        roots = [-c, 0.0, c]
    np.testing.assert_allclose(np.sort(found.state @ V / square), roots, atol=1e-9)
    np.testing.assert_allclose(found.state - np.outer(found.state @ V / square, V), 0, atol=1e-9)
    at_0 = np.argmin(np.abs(found.state @ V))
    assert found.eigenvalues[at_0, 0] == pytest.approx(ratio)  # β|v|² (1 − c²) at c = 0
    assert found.stable[at_0] == (ratio < 1)
    assert found.index.tolist().count(1) == (ratio > 1)
    assert found.index_sum == 1


def test_the_course_of_beta_shows_where_the_two_merge():
    beta = np.array([3.0, 1.5, 1.01, 0.99, 0.5]) / (V @ V)
    course = ha.landscapes.bifurcation(pair, beta, rng=0)
    assert course.count.tolist() == [3, 3, 3, 1, 1]
    assert course.stable.tolist() == [2, 2, 2, 1, 1]
    np.testing.assert_array_equal(course.between, [[beta[2], beta[3]]])


@given(st.integers(0, 10**6))
def test_the_jacobian_of_softmax_is_that_of_central_differences(seed):
    rng = np.random.default_rng(seed)
    sink = None if seed % 2 else float(rng.normal())
    keys, values = rng.normal(size=(4, 3)), rng.normal(size=(4, 2))
    memory = ha.Memory(keys, values, beta=float(rng.uniform(0.2, 3)), sink=sink)
    x, h = rng.normal(size=(5, 3)), 1e-6
    moved = [(memory.step(x + h * e) - memory.step(x - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(memory.jacobian(x), np.stack(moved, axis=-1), atol=1e-8)
    np.testing.assert_array_equal(memory.jacobian(x)[0].shape, memory.jacobian(x[0]).shape)
    auto = ha.memories.modern(keys, beta=2.0, sink=sink)
    np.testing.assert_allclose(
        jacobian(auto, x), jacobian(ha.memories.sparse(keys, alpha=1.0, beta=2.0, sink=sink), x), atol=1e-8
    )


def test_the_jacobian_is_that_of_pytorch():
    torch = pytest.importorskip("torch")
    keys, x = (torch.asarray(np.random.default_rng(i).normal(size=size)) for i, size in enumerate([(5, 3), (3,)]))
    memory = ha.Memory(keys, beta=1.7)
    own = torch.autograd.functional.jacobian(memory.step, x)
    np.testing.assert_allclose(memory.jacobian(x), own, atol=1e-12)


def test_what_is_found_is_fixed_and_no_index_is_missing():
    """Σ (−1)^index = 1 (Lefschetz and Hopf), and one step leaves each point where it is."""
    for seed in range(count(12, 6)):
        rng = np.random.default_rng(seed)
        memory = ha.memories.modern(rng.normal(size=rng.integers(2, 7, size=2)), beta=10 ** rng.uniform(-0.5, 1))
        found = ha.landscapes.fixed_points(memory, rng=0)
        np.testing.assert_allclose(memory.step(found.state), found.state, atol=1e-8)
        assert found.index_sum == 1
        ended = memory.recall(rng.normal(size=(20, memory.dims[0])), max_steps=5000)
        ended = ended.state[ended.converged]
        apart = np.linalg.norm(ended[:, None] - found.state[found.stable], axis=-1)
        assert np.all(apart.min(axis=1) < 1e-5)


def test_more_starts_are_drawn_only_while_a_point_is_missing():
    """States on a sphere have no such sum, so that their one round says how far a generator then is."""

    def sum_and_next(memory, count):
        rng = np.random.default_rng(0)
        return ha.landscapes.fixed_points(memory, count=count, rng=rng).index_sum, rng.random()

    patterns = np.random.default_rng(0).normal(size=(6, 2))
    for starts, alone in ((1, False), (30, True)):
        index_sum, following = sum_and_next(ha.memories.modern(patterns, beta=1.5), starts)
        _, one_round = sum_and_next(ha.memories.spherical(ha.unit(patterns)), starts)
        assert index_sum == 1 and (following == one_round) == alone


def test_one_pattern_of_graded_neurons_has_three_points():
    """W = ξξᵀ(1 − δ)/N: x = ±aξ with a = tanh(βa(N−1)/N), and 0, with λ = β(N−1)/N and −β/N."""
    n, beta = 5, 3.0
    found = ha.landscapes.fixed_points(ha.memories.graded(np.ones((1, n)), beta=beta), rng=0)
    gain = beta * (n - 1) / n
    a = brentq(lambda a: np.tanh(gain * a) - a, 0.1, 1, xtol=1e-14)
    np.testing.assert_allclose(np.sort(found.state[:, 0]), [-a, 0, a], atol=1e-9)
    assert (found.index.tolist(), found.index_sum) == ([0, 0, 1], 1)
    np.testing.assert_allclose(found.eigenvalues[2], [gain, *[-beta / n] * (n - 1)], atol=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: ha.landscapes.fixed_points(ha.memories.hopfield([[1, -1]]), rng=0),
            "gives spins; ha.landscapes.spin_states",
        ),
        (lambda: ha.landscapes.fixed_points(ha.Memory(np.eye(3), np.eye(3)[:, :2]), rng=0), "memory: values of dim 2"),
        (
            lambda: ha.landscapes.fixed_points(pair(1.0), [[1.0, 2.0]], rng=0),
            r"starts: got shape \(1, 2\); expected .* with dim = 3 of patterns",
        ),
        (lambda: ha.landscapes.bifurcation(pair, [], rng=0), r"values: got shape \(0,\); expected \(n,\)"),
        (lambda: ha.landscapes.bifurcation(pair, ["a"], rng=0), "values"),
        (lambda: ha.memories.sparse([V]).jacobian(V), "memory: its Jacobian is known for the dot product, the softmax"),
    ],
)
def test_a_wrong_argument_is_refused_with_the_reason(call, message):
    with pytest.raises(ha.InvalidInput, match=message):
        call()
