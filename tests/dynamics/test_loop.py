"""The rules that stop a cue, at their bounds, and cycles of any length."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.dynamics.stopping import StoppingRule
from hopattn.dynamics.updates.continuous_time import Graded
from hopattn.dynamics.updates.synchronous import Synchronous
from tests.counts import count
from tests.each import each

STATE, CUE = np.array([[0.5, -1.0, 0.25]]), np.array([[2.0, 0.0, 0.0]])
TOL = 2.0**-10


def rule(update, tol=TOL):
    """The patterns that a state reads have the size 2, and so has the scale."""
    return StoppingRule(ha.Memory(2 * np.eye(3)), update, tol, 2.0, CUE)


def judged(update, after, t=5, before=None, now=STATE, tol=TOL):
    """How a cue ends in step t."""
    stop = rule(update, tol)
    stop.judge(t, np.array([0]), (before, now, after), None)
    return stop.status[0]


def moved(size, entry):
    return STATE + size * np.eye(3)[entry]


@each("entry", range(3))
def test_a_fixed_point_changes_by_the_tolerance_times_the_size_at_most(entry):
    for size, status in ((2 * TOL, "converged"), (2.02 * TOL, "limit")):
        assert judged(Synchronous(), moved(size, entry)) == status
    assert judged(Synchronous(), moved(1e-15, entry), tol=0.0) == "limit"


@each("entry", range(3))
def test_a_cycle_comes_back_to_the_state_before_the_last(entry):
    for size, status in ((2 * TOL, "cycle"), (2.02 * TOL, "limit")):
        assert judged(Synchronous(), moved(size, entry), before=STATE, now=STATE + 1) == status
    assert judged(Synchronous(), STATE, now=STATE + 1) == "limit"


@each("update", [ha.Asynchronous("random"), ha.Glauber(0.5), ha.Glauber(0.0), Graded()])
def test_no_cycle_is_seen_under_an_update_that_may_leave_it(update):
    assert not rule(update).ends.count("cycle")


@each(("size", "status"), [(2.0**21, "limit"), (2.0**21 + 1, "diverged"), (np.inf, "diverged"), (np.nan, "diverged")])
def test_growth_is_beyond_two_to_the_twentieth_times_the_scale(size, status):
    assert judged(Synchronous(), np.array([[size, 0.0, 0.0]])) == status


def test_a_state_that_is_not_finite_has_grown_whatever_the_scale():
    stop = StoppingRule(ha.Memory(np.eye(3)), Synchronous(), None, 1e300, CUE)
    stop.judge(5, np.array([0]), (None, STATE, np.array([[np.inf, 0, 0]])), None)
    assert stop.status[0] == "diverged"


def hadamard(size):
    """±1 patterns, each at right angles to all others."""
    one = np.ones((1, 1))
    while len(one) < size:
        one = np.block([[one, one], [one, -one]])
    return one


@each("length", [2, 3, 5, 8])
def test_a_sequence_that_comes_round_is_a_cycle_of_its_length(length):
    memory = ha.memories.sequence(hadamard(64)[1 : length + 1], n=6)
    found = memory.recall(memory.keys[:1], max_steps=80_000)
    assert (found.status.item(), found.period.item()) == ("cycle", length)
    assert found.steps.item() <= 3 * length
    after = [memory.keys[t % length] for t in range(found.steps.item() + 1)]
    np.testing.assert_array_equal(found.state[0], after[-1])
    assert "cycle" in found.meaning[0]


def test_each_cue_has_a_cycle_of_its_own():
    loops = np.array([0, 2, 1, 4, 5, 3, 6])  # 0 stays, 1 and 2 change places, 3 → 4 → 5 → 3, 6 stays
    keys = hadamard(8)[:7]
    memory = ha.Memory(keys, keys[loops], separation="argmax", activation="sign")
    found = memory.recall(keys, max_steps=1000)
    assert found.status.tolist() == ["converged", "cycle", "cycle", "cycle", "cycle", "cycle", "converged"]
    assert found.period.tolist() == [0, 2, 2, 3, 3, 3, 0]
    assert memory.recall(keys[3], max_steps=1000).period == 3


def test_an_update_that_draws_is_in_no_cycle():
    memory = ha.memories.hopfield([[1, 1, -1, -1], [1, -1, 1, -1]])
    found = memory.recall([1, 1, 1, 1], update=ha.Glauber(temperature=5.0), max_steps=200, rng=0)
    assert (found.status, found.period) == ("limit", 0)


@given(st.integers(0, 30), st.integers(3, 30))
def test_every_cycle_is_noticed_in_time_and_with_its_own_length(before, length):
    """A walk 0 → 1 → … of `before` steps into a cycle, as states that are keys, each of which recalls the next."""
    n = before + length
    memory = ha.Memory(np.eye(n), np.eye(n)[[*range(1, n), before]], separation="argmax")
    found = memory.recall(np.eye(n)[0], max_steps=1000)
    assert (found.status, found.period) == ("cycle", length)
    assert n <= found.steps <= 2 * max(before, length) + length


def test_many_steps_keep_one_earlier_state():
    stop, states = rule(Synchronous()), [np.full((1, 3), 1.0 + t) for t in range(200)]
    for t in range(1, 200):
        stop.judge(t, np.array([0]), (None, states[t - 1], states[t]), None)
        stop.remember(states[t], t)
        assert stop.status[0] == "limit"
    assert stop.kept is states[128] and stop.kept_at == 128


@each("dt", [0.1, 1.0, 10.0])
def test_graded_neurons_rest_where_a_state_is_the_answer_to_its_own_field(dt):
    """For β λ_max(W) < 1 the only rest is 0: a small time step does not make another one."""
    patterns = np.where(np.random.default_rng(0).random((2, 40)) < 0.5, 1.0, -1.0)
    memory = ha.memories.graded(patterns, beta=0.5)
    short, long = (memory.recall(patterns[0], update=ha.Graded(dt), max_steps=n) for n in (1, int(80 / dt)))
    assert short.status == "limit"
    assert short.residual > 1e-3
    assert long.status == "converged"
    assert np.abs(long.state).max() < 1e-10
    np.testing.assert_allclose(long.residual, np.abs(long.state - np.tanh(0.5 * memory.field(long.state))).max())


@each("dt", count([0.001, 0.01], [0.02, 0.05]))
def test_graded_neurons_at_the_corner_of_the_cube_move(dt):
    """u = artanh(x)/β of a corner is about 19/β, and falls as u̇ = −u + h: after the time log(19/β) it is of size 1."""
    memory = ha.memories.graded([[1.0, -1.0, 1.0, 1.0]], beta=0.5)
    record = memory.recall([1.0, -1.0, 1.0, 1.0], update=ha.Graded(dt), max_steps=int(6 / dt))
    assert np.abs(record.state).max() < 0.5


def test_the_tolerance_is_relative_to_the_state_as_it_is_and_not_to_the_cue():
    record = ha.memories.modern(np.eye(10), beta=4.0).recall(1e12 * np.eye(10)[3])
    memory = ha.memories.modern(np.eye(10), beta=4.0)
    assert record.status == "converged"
    assert np.abs(memory.step(record.state) - record.state).max() < 1e-11
    assert record.residual < 1e-11


def test_a_state_that_grows_to_its_fixed_point_has_not_diverged():
    """x ← x/2 + 1 from 10⁻⁷ goes to 2."""
    record = ha.Hopfield(np.eye(2) * 0.5, bias=1.0, activation="identity").recall([1e-7, 1e-7])
    assert record.status == "converged"
    np.testing.assert_allclose(record.state, 2, rtol=1e-11)


@each("slow", [0.5, 0.99])
def test_the_residual_shows_slow_motion(slow):
    """x ← λx + 1 − λ: a state at the distance d from 1 moves by (1 − λ)d."""
    record = ha.Hopfield(np.eye(1) * slow, bias=1 - slow, activation="identity").recall([0.0], max_steps=10)
    np.testing.assert_allclose(record.residual, (1 - slow) * slow**9, rtol=1e-9)
    assert record.status == "limit"


def test_half_precision_recalls_without_a_warning():
    record = ha.memories.modern(np.eye(8, dtype=np.float16), beta=16.0).recall(np.eye(8, dtype=np.float16))
    assert record.matched.tolist() == list(range(8))
    assert record.state.dtype == np.float16


@each("similarity", ["euclidean", "manhattan"])
def test_a_memory_that_compares_by_distance_is_matched_by_distance(similarity):
    patterns = np.array([[1.0, 1], [3, 3], [9, 9]])
    memory = ha.Memory(patterns, similarity=similarity, separation="argmax")
    assert memory.recall([[1.1, 1], [3.1, 3], [9.1, 9]]).matched.tolist() == [0, 1, 2]
    assert ha.memories.nearest(patterns).recall([[1.1, 1], [3.1, 3], [9.1, 9]]).matched.tolist() == [0, 1, 2]


@each("seed", range(20))
def test_a_unit_cue_in_single_precision_is_on_the_sphere_of_double(seed):
    rng = np.random.default_rng(seed)
    patterns = ha.unit(rng.normal(size=(3, 20)))
    record = ha.memories.spherical(patterns).recall(patterns[0].astype(np.float32))
    assert np.isfinite(record.energies).all()


def test_converged_says_what_the_last_step_did_and_not_what_the_next_one_does():
    """Near an unstable point, here 0, the next step is larger."""
    memory, tol = ha.memories.modern([[1.0, 0.0], [-1, 0]]), np.finfo(float).eps ** 0.75
    record = memory.recall([1e-13, 0.0], keep=("trajectory",))
    last = np.abs(record.state - record.trajectory[-2]).max()
    assert (record.status, record.residual) == ("converged", last)
    assert last <= tol < np.abs(memory.step(record.state) - record.state).max()
    assert record.meaning == "the last step changed the state by no more than the tolerance"
