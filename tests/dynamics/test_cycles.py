"""Cycles of any length in a recall: what is noticed, when, and what is not taken for one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.dynamics.cycles import Cycles
from tests.each import each


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
    loops = np.stack([np.array([0, 2, 1, 4, 5, 3, 6])])[0]  # 0 stays, 1 and 2 change places, 3 → 4 → 5 → 3, 6 stays
    keys = hadamard(8)[:7]
    memory = ha.Memory(keys, keys[loops], separation="argmax", activation="sign")
    found = memory.recall(keys, max_steps=1000)
    assert found.status.tolist() == ["converged", "cycle", "cycle", "cycle", "cycle", "cycle", "converged"]
    assert found.period.tolist() == [0, 2, 2, 3, 3, 3, 0]
    assert memory.recall(keys[3], max_steps=1000).period == 3


def test_an_update_that_draws_is_in_no_cycle():
    memory = ha.memories.hopfield([[1, 1, -1, -1], [1, -1, 1, -1]])
    found = memory.recall([1, 1, 1, 1], update=ha.Glauber(temperature=5.0), max_steps=200, seed=0)
    assert (found.status, found.period) == ("limit", 0)


@given(st.integers(0, 40), st.integers(3, 40))
def test_every_cycle_is_noticed_in_time_and_with_its_own_length(before, length):
    def state(t):
        return float(t if t < before + length else before + (t - before) % length)

    cycles, going = Cycles(np.array([[state(0)]]), True), np.array([""])
    for t in range(1, 3 * (before + length) + 3):
        found = cycles.lengths(np.array([[state(t)]]), np.array([0]), going, t)
        if found[0]:
            assert found[0] == length
            assert before + length <= t <= 2 * max(before, length) + length
            return
    pytest.fail("not noticed")


def test_many_steps_cost_little_each():
    """A spin glass of floats that never comes back: the watch keeps one state, whatever the number of steps."""
    cycles, going = Cycles(np.zeros((1, 2)), True), np.array([""])
    for t in range(1, 5000):
        states = np.array([[0.0, float(t)]])
        assert not cycles.lengths(states, np.array([0]), going, t).any()
    assert vars(cycles)["_kept"].shape == (1, 2)
