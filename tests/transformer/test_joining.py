"""Words joined with positions: numbers by hand, the laws of each way, every library."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.transformer.positions.sinusoidal import HOWS
from tests.draws import arrays
from tests.each import each

WORDS = [[1.0, 2, 3, 4], [5, 6, 7, 8]]
PLACES = [[0.5, 1], [-1, 0]]


@each(
    ("how", "expected"),
    [
        ("add", [[1.5, 3, 3.5, 5], [4, 6, 6, 8]]),
        ("multiply", [[0.5, 2, 1.5, 4], [-5, 0, -7, 0]]),
        ("concatenate", [[1, 2, 3, 4, 0.5, 1], [5, 6, 7, 8, -1, 0]]),
    ],
)
def test_each_way_by_hand(library, how, expected):
    for places in (library.array(PLACES), PLACES, np.array(PLACES)):
        found = ha.positions.with_positions(library.array(WORDS), places, how)
        np.testing.assert_array_equal(library.numpy(found), expected)


@given(words=arrays((2, 3, 4)), places=arrays((3, 4)))
def test_a_batch_has_the_same_positions_in_every_text(words, places):
    for how in HOWS:
        found = ha.positions.with_positions(words, places, how)
        np.testing.assert_array_equal(
            found, np.stack([ha.positions.with_positions(text, places, how) for text in words])
        )


@given(words=arrays((3, 4)), places=arrays((3, 2)), q=arrays((4,)), r=arrays((2,)))
def test_scores_of_concatenated_vectors_are_the_sums_of_the_scores(words, places, q, r):
    found = ha.positions.with_positions(words, places, "concatenate") @ np.concatenate((q, r))
    np.testing.assert_allclose(found, words @ q + places @ r, atol=1e-11)


@given(words=arrays((3, 6)), k=st.sampled_from([1, 2, 3, 6]))
def test_zeros_add_nothing_and_ones_multiply_nothing(words, k):
    np.testing.assert_array_equal(ha.positions.with_positions(words, np.zeros((3, k)), "add"), words)
    np.testing.assert_array_equal(ha.positions.with_positions(words, np.ones((3, k)), "multiply"), words)


@each("how", HOWS)
def test_float32_words_stay_float32(library, how):
    words = library.module.asarray(WORDS, dtype=library.module.float32)
    found = ha.positions.with_positions(words, ha.sinusoidal(2, 4), how)
    assert found.dtype == words.dtype


def test_derivatives_go_through_words_and_positions(torch):
    words, places = (torch.tensor(one, dtype=torch.float64, requires_grad=True) for one in (WORDS, PLACES))
    for how in HOWS:
        assert torch.autograd.gradcheck(lambda w, p, how=how: ha.positions.with_positions(w, p, how), (words, places))


@each(
    ("words", "places", "how", "message"),
    [
        (WORDS, PLACES, "sum", "how: 'sum' is unknown"),
        (WORDS, PLACES, "ad", "did you mean 'add'"),
        (WORDS[0], PLACES, "add", r"words: got shape \(4,\); expected \(…, n, dim\)"),
        (WORDS, PLACES[0], "add", r"positions: got shape \(2,\); expected \(…, n, k\)"),
        (WORDS, np.ones((3, 2)), "add", r"rows of positions: shape \(3,\) does not fit the rows of words"),
        (WORDS, np.ones((2, 3)), "multiply", "positions: vectors of dim 3 do not fit words of dim 4"),
        (WORDS, np.ones((2, 8)), "add", "expected a divisor of 4"),
    ],
)
def test_what_does_not_fit_is_refused(words, places, how, message):
    with pytest.raises(InvalidInput, match=message):
        ha.positions.with_positions(words, places, how)
