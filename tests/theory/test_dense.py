"""The capacity of dense memories has the published size and growth."""

import math

import numpy as np
import pytest

import hopattn as ha


def test_the_capacity_of_order_2_is_that_of_krotov_and_hopfield():
    """Krotov & Hopfield 2016, section 2: about .14 N for n = 2 and errors of half a percent, without rectification."""
    assert float(ha.theory.dense_capacity(1000, 2, rectified=False)) == pytest.approx(150, abs=2)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_the_capacity_grows_as_the_power_n_less_1(n):
    few, many = ha.theory.dense_capacity([10, 100], n)
    assert math.log10(many / few) == pytest.approx(n - 1)


def test_the_stated_share_of_neurons_turns_if_that_lowers_the_energy():
    """Spins turn if that lowers −Σ [ξ·x]₊³, the energy of the memory of order 3: 25 patterns of 128 neurons."""
    neurons, wrong, turned = 128, 0.05, []
    count = round(float(ha.theory.dense_capacity(neurons, 3, wrong)))
    for seed in range(2):
        patterns = np.random.default_rng(seed).choice([-1.0, 1.0], size=(count, neurons))
        for state in patterns[:25]:
            scores = patterns @ state
            before, after = (np.maximum(s, 0) for s in (scores[:, None], scores[:, None] - 2 * patterns * state))
            turned.append(after * after * after - before * before * before)
    share = np.mean([part.sum(axis=0) > 0 for part in turned])
    assert share == pytest.approx(wrong, abs=0.015)


def test_all_neurons_at_once_turn_less_because_each_score_has_the_own_part_of_a_neuron():
    """At the capacity of 64 neurons, 412 patterns, .005 are promised: so many turn one by one, and 4e-5 at once."""
    patterns = np.random.default_rng(0).choice([-1.0, 1.0], size=(412, 64))
    memory = ha.memories.dense(patterns, n=3)
    first = memory.recall(patterns, update=ha.Asynchronous("sequence"), max_steps=1).state
    assert 0.003 < np.mean(first != patterns) < 0.012
    assert np.mean(memory.step(patterns) != patterns) < 1e-3


def test_a_capacity_beyond_the_numbers_is_infinite():
    assert ha.theory.dense_capacity(1e300, 3) == np.inf


def test_other_numbers_are_refused():
    for arguments in ((0, 3), (10, 1), (10, 1001), (10, 3, 0.5), ("x", 3), (10, 3, 0.1, 2)):
        with pytest.raises(ha.InvalidInput):
            ha.theory.dense_capacity(*arguments)


def test_the_capacity_of_a_large_order_is_finite_where_the_power_is_not():
    """log P from the gamma function: (2n − 3)!! = 2^(n−1) Γ(n − ½) / √π."""
    order, neurons = 200, 400
    factorial = (order - 1) * math.log(2) + math.lgamma(order - 0.5) - math.log(math.pi) / 2
    small = float(ha.theory.dense_capacity(neurons, 3)) / (neurons**2 / 3)  # 2 / Φ⁻¹(wrong)²
    expected = (order - 1) * math.log(neurons) - factorial + math.log(small)
    assert math.log(float(ha.theory.dense_capacity(neurons, order))) == pytest.approx(expected)
