"""The three rules that stop a cue, at their bounds."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.dynamics.loop import RecallLoop
from hopattn.dynamics.updates.asynchronous import Asynchronous
from hopattn.dynamics.updates.continuous_time import Graded
from hopattn.dynamics.updates.synchronous import Synchronous

STATE, SCALE = np.array([[0.5, -1.0, 0.25]]), np.array([2.0])
TOL = 2.0**-10


def loop(update, tol=TOL):
    return RecallLoop(ha.Memory(np.eye(3)), update, tol, None, (), False)


def moved(size, entry):
    return STATE + size * np.eye(3)[entry]


@pytest.mark.parametrize("entry", range(3))
@pytest.mark.parametrize(("update", "time_step"), [(Synchronous(), 1), (Graded(0.25), 0.25), (Graded(8.0), 1)])
def test_a_fixed_point_changes_by_the_tolerance_times_scale_and_time_step_at_most(update, time_step, entry):
    bound = TOL * 2 * time_step
    assert loop(update).is_fixed_point(moved(bound, entry), STATE, SCALE)
    assert not loop(update).is_fixed_point(moved(1.01 * bound, entry), STATE, SCALE)
    assert not loop(update, tol=0.0).is_fixed_point(moved(1e-15, entry), STATE, SCALE)


@pytest.mark.parametrize("entry", range(3))
def test_a_cycle_comes_back_to_the_state_before_the_last(entry):
    assert loop(Synchronous()).is_cycle(moved(2 * TOL, entry), STATE, SCALE)
    assert not loop(Synchronous()).is_cycle(moved(2.01 * TOL, entry), STATE, SCALE)
    assert not loop(Synchronous()).is_cycle(STATE, None, SCALE)


@pytest.mark.parametrize("update", [Asynchronous("random"), ha.Glauber(0.5), Graded()], ids=repr)
def test_no_cycle_is_seen_under_an_update_that_may_leave_it(update):
    assert not loop(update).is_cycle(STATE, STATE, SCALE)


@pytest.mark.parametrize(("size", "grown"), [(2.0**21, False), (2.0**21 + 1, True), (np.inf, True), (np.nan, True)])
@pytest.mark.parametrize("sign", [-1, 1])
def test_growth_is_beyond_two_to_the_twentieth_times_the_scale(size, grown, sign):
    assert RecallLoop.has_grown(np.array([[0.0, sign * size]]), SCALE) == grown
