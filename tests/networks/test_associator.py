"""The associator: one matrix from one side to another."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from tests.draws import spins


@given(data=st.data(), n=st.integers(2, 7), m=st.integers(2, 7), pairs=st.integers(1, 4))
def test_an_answer_is_the_sum_by_its_definition(data, n, m, pairs):
    left, right, cue = data.draw(spins((pairs, n))), data.draw(spins((pairs, m))), data.draw(spins((n,)))
    exact = sum(int(x @ cue) * y.astype(int) for x, y in zip(left, right, strict=True))
    memory = ha.Associator(ha.learning.associate(left, right), activation="sign", patterns=right)
    np.testing.assert_allclose(memory.field(cue), exact / n, rtol=1e-12, atol=1e-15)
    expected = np.where(exact == 0, cue, np.sign(exact)) if n == m else np.sign(exact)
    assert np.array_equal(memory.step(cue), expected)  # a tie is a tie


@given(data=st.data(), n=st.integers(2, 7))
def test_patterns_associated_with_themselves_are_hebbs(data, n):
    patterns = data.draw(spins((3, n)))
    assert np.array_equal(ha.learning.associate(patterns, patterns), ha.learning.hebb(patterns, self_coupling=True))


def test_a_chain_of_patterns_is_followed():
    patterns = np.random.default_rng(1).choice([-1.0, 1.0], size=(4, 200))
    couplings = ha.learning.associate(patterns, np.roll(patterns, -1, axis=0))
    chain = ha.Associator(couplings, activation="sign", patterns=patterns)
    found = chain.recall(patterns[0], max_steps=6, keep=("overlaps",))
    assert found.overlaps.argmax(axis=-1).tolist() == [0, 1, 2, 3, 0, 1, 2]
    assert (found.status, found.energies) == ("limit", None)
    assert not chain.descends()
    single = chain.recall(patterns[0], update="async", max_steps=1, rng=1)
    assert single.state.shape == (200,)


def test_an_answer_of_another_dim_is_given_once_and_matched():
    memory = ha.Associator([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], patterns=[[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    found = memory.recall([[1.0, 0.0], [0.0, 2.0]])
    assert found.state.tolist() == [[1, 0, 1], [0, 2, 2]]
    assert found.matched.tolist() == [0, 1]
    assert found.status.tolist() == ["answered", "answered"]


def test_it_shows_what_it_is():
    assert repr(ha.Associator([[1.0, 2.0]])) == "Associator(2 neurons to 1, Identity(), 0 patterns)"
