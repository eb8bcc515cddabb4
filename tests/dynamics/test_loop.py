"""The three rules that stop a cue, at their bounds."""

import numpy as np

import hopattn as ha
from hopattn.dynamics.loop import RecallLoop
from hopattn.dynamics.updates.asynchronous import Asynchronous
from hopattn.dynamics.updates.continuous_time import Graded
from hopattn.dynamics.updates.synchronous import Synchronous
from tests.counts import count
from tests.each import each

STATE, SCALE = np.array([[0.5, -1.0, 0.25]]), np.array([2.0])
TOL = 2.0**-10


def loop(update, tol=TOL):
    return RecallLoop(
        ha.Memory(2 * np.eye(3)), update, tol, None, (), False
    )  # the patterns that a state reads have the size 2


def moved(size, entry):
    return STATE + size * np.eye(3)[entry]


@each("entry", range(3))
def test_a_fixed_point_changes_by_the_tolerance_times_the_size_at_most(entry):
    update, memory = Synchronous(), loop(Synchronous()).memory
    for size, rests in ((2 * TOL, True), (2.02 * TOL, False)):
        residual = update.residual(memory, STATE, moved(size, entry), None)
        assert loop(update).is_small(residual, moved(size, entry)) == rests
    assert not loop(update, tol=0.0).is_small(np.array([1e-15]), STATE)


@each("entry", range(3))
def test_a_cycle_comes_back_to_the_state_before_the_last(entry):
    assert loop(Synchronous()).is_cycle(moved(2 * TOL, entry), STATE)
    assert not loop(Synchronous()).is_cycle(moved(2.02 * TOL, entry), STATE)
    assert not loop(Synchronous()).is_cycle(STATE, None)


@each("update", [Asynchronous("random"), ha.Glauber(0.5), Graded()])
def test_no_cycle_is_seen_under_an_update_that_may_leave_it(update):
    assert not loop(update).is_cycle(STATE, STATE)


@each(("size", "grown"), [(2.0**21, False), (2.0**21 + 1, True), (np.inf, True), (np.nan, True)])
def test_growth_is_beyond_two_to_the_twentieth_times_the_scale(size, grown):
    assert RecallLoop.has_grown(np.array([size]), SCALE) == grown


def test_a_state_that_is_not_finite_has_grown_whatever_the_scale():
    assert RecallLoop.has_grown(np.array([np.inf]), np.array([1e300]))


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


@each("dt", count([0.001, 0.01], [0.01, 0.05]))
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
