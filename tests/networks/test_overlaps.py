"""Hebb's networks of few patterns sum over the patterns, and give what their couplings give, to the last bit."""

from functools import cache
from itertools import product
from unittest.mock import patch

import numpy as np

import hopattn as ha
from hopattn.dynamics import single_neuron
from hopattn.dynamics.single_neuron import Sums
from hopattn.dynamics.updates.base import StepContext
from tests.counts import spread
from tests.each import each

UPDATES = [ha.Asynchronous(), ha.Asynchronous("sequence"), ha.Glauber(0.0), ha.Glauber(0.4), ha.Glauber(2.0)]


@cache
def networks(self_coupling, dtype="float64", n=90, many=7):
    """The network of Hebb's rule, the network of its couplings alone, and states with unknown neurons among them."""
    rng = np.random.default_rng(3)
    patterns = rng.choice([-1.0, 1.0], size=(many, n)).astype(dtype)
    network = ha.memories.hopfield(patterns, self_coupling=self_coupling)
    cues = rng.choice([-1.0, 0.0, 1.0], size=(11, n), p=[0.4, 0.2, 0.4]).astype(dtype)
    return network, ha.Hopfield(network.couplings, patterns=patterns), cues


def swept(network, update, states):
    rng = np.random.default_rng(5)
    return update.step(network, states, None, StepContext(0, rng, tuple(rng.spawn(len(states)))))[0]


both = each("self_coupling", [False, True])
in_both_dtypes = each("dtype", ["float64", "float32"])


@both
@in_both_dtypes
@each(("size", "update"), spread(product([1, 7, 64, 256], UPDATES), 10))
def test_a_sweep_by_overlaps_turns_the_spins_that_the_couplings_turn(size, update, dtype, self_coupling):
    network, plain, cues = networks(self_coupling, dtype)
    assert network.sums.columns is not None and plain.sums.columns is None
    with patch.object(single_neuron, "BLOCK", size):
        for states in (cues, np.where(cues == 0, 1, cues).astype(dtype), cues[:1]):
            found = swept(network, update, states)
            assert np.array_equal(found, swept(plain, update, states))
            assert found.dtype == states.dtype


@both
@in_both_dtypes
def test_steps_fields_and_energies_by_overlaps_are_those_of_the_couplings(dtype, self_coupling):
    network, plain, cues = networks(self_coupling, dtype)
    graded = np.random.default_rng(1).uniform(-1, 1, size=cues.shape).astype(dtype)
    for states in (cues, cues[0], cues[:0], graded):
        for what in ("field", "step", "energy"):
            found, expected = getattr(network, what)(states), getattr(plain, what)(states)
            assert np.array_equal(found, expected), what
            assert found.dtype == expected.dtype


@both
def test_a_recall_by_overlaps_is_that_of_the_couplings(self_coupling):
    network, plain, cues = networks(self_coupling)
    for update in (*UPDATES, "sync", "concave_convex"):
        ours, theirs = (each.recall(cues, update=update, max_steps=4, rng=2) for each in (network, plain))
        for what in ("state", "steps", "status", "energies", "residual", "matched"):
            assert np.array_equal(getattr(ours, what), getattr(theirs, what)), (update, what)


def test_overlaps_are_taken_only_where_they_are_exact_and_few():
    few, many = np.ones((30, 90)), np.ones((31, 90))

    def by_patterns(patterns):
        return Sums.over(ha.learning.hebb(patterns)).by_patterns(patterns, False).columns is not None

    assert by_patterns(few)
    assert not by_patterns(many)
    assert not by_patterns(few.astype("float16"))
    assert not by_patterns(2 * few)
    with patch.object(single_neuron, "EXACT", 30 * 90):
        assert not by_patterns(few)
    assert ha.memories.hopfield(few, rule="storkey").sums.columns is None
    assert ha.memories.hopfield([[1, -1]]).sums.columns is None
    assert ha.memories.graded(few).sums.columns is not None


@both
def test_patterns_that_are_not_spins_and_lists_are_learned_as_hebbs_rule_says(self_coupling):
    patterns = np.random.default_rng(0).choice([-1.0, 1.0], size=(2, 12))
    for rows in (2 * patterns, patterns.tolist(), (2 * patterns).tolist(), patterns.astype(int)):
        network = ha.Hopfield.by_hebb(rows, self_coupling)
        plain = ha.Hopfield(ha.learning.hebb(rows, self_coupling))
        assert np.array_equal(network.field(patterns), plain.field(patterns))
        assert np.array_equal(network.energy(patterns), plain.energy(patterns))


def test_patterns_that_change_later_change_no_field():
    """As the couplings were learned once, so were the patterns of the overlaps."""
    patterns = np.random.default_rng(0).choice([-1.0, 1.0], size=(3, 40))
    network, cue = ha.memories.hopfield(patterns), patterns[0].copy()
    field = network.field(cue)
    patterns[:] = 1
    assert np.array_equal(network.field(cue), field)


def test_a_network_from_a_file_recalls_the_same(tmp_path):
    network, _, cues = networks(False)
    network.save(tmp_path / "network.npz")
    again = ha.load_memory(tmp_path / "network.npz")
    for update in UPDATES:
        ours, theirs = (each.recall(cues, update=update, max_steps=3, rng=1) for each in (network, again))
        assert np.array_equal(ours.state, theirs.state) and np.array_equal(ours.energies, theirs.energies)
