"""Hebb's networks of few patterns sum over the patterns, and give what their couplings give, to the last bit."""

from functools import cache

import numpy as np
import pytest

import hopattn as ha

UPDATES = [ha.Asynchronous(), ha.Asynchronous("sequence"), ha.Glauber(0.0), ha.Glauber(0.4), ha.Glauber(2.0)]
both = pytest.mark.parametrize("self_coupling", [False, True])


@cache
def networks(self_coupling, dtype="float64", n=90, many=7):
    """The network of Hebb's rule, the network of its couplings alone, and states with unknown neurons among them."""
    rng = np.random.default_rng(3)
    patterns = rng.choice([-1.0, 1.0], size=(many, n)).astype(dtype)
    network = ha.memories.hopfield(patterns, self_coupling=self_coupling)
    cues = rng.choice([-1.0, 0.0, 1.0], size=(11, n), p=[0.4, 0.2, 0.4]).astype(dtype)
    return network, ha.Hopfield(ha.learning.hebb(patterns, self_coupling), patterns=patterns), cues


@both
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("n", "many"), [(2, 1), (30, 10), (30, 11), (90, 7), (600, 5)])
def test_steps_fields_and_energies_by_overlaps_are_those_of_the_couplings(n, many, dtype, self_coupling):
    network, plain, cues = networks(self_coupling, dtype, n, many)
    assert np.array_equal(network.couplings, plain.couplings)
    graded = np.random.default_rng(1).uniform(-1, 1, size=cues.shape).astype(dtype)
    for states in (cues, cues[0], cues[:0], graded):
        for what in ("field", "step", "energy"):
            found, expected = getattr(network, what)(states), getattr(plain, what)(states)
            assert np.array_equal(found, expected), what
            assert found.dtype == expected.dtype


@both
@pytest.mark.parametrize(("n", "many"), [(90, 7), (600, 5)])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_recall_by_overlaps_and_one_from_a_file_are_that_of_the_couplings(dtype, n, many, self_coupling, tmp_path):
    network, plain, cues = networks(self_coupling, dtype, n, many)
    network.save(tmp_path / "network.npz")
    networks_alike = network, plain, ha.load_memory(tmp_path / "network.npz")
    known = np.where(cues == 0, 1, cues).astype(dtype)
    for update in (*UPDATES, "sync", "concave_convex"):
        for states in (cues, known, cues[:1]):
            ours, *others = (each.recall(states, update=update, max_steps=3, rng=2) for each in networks_alike)
            assert ours.state.dtype == others[0].state.dtype
            for what in ("state", "steps", "status", "energies", "residual", "matched"):
                assert all(np.array_equal(getattr(ours, what), getattr(one, what)) for one in others), (update, what)


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
