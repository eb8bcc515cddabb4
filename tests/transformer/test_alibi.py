"""Linear biases against the published slopes and PyTorch; in a causal head they are one more axis of the keys."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from tests.each import each

sizes = st.integers(1, 6)


@each(
    ("n_heads", "exponents"),
    [
        (1, [8]),
        (2, [4, 8]),
        (3, [4, 8, 2]),
        (8, [1, 2, 3, 4, 5, 6, 7, 8]),
        (12, [1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5, 2.5, 3.5]),
        (16, [0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7, 7.5, 8]),
    ],
)
def test_the_slopes_are_the_published_ones(n_heads, exponents):
    expected = 2.0 ** -np.array(exponents, dtype=float)
    np.testing.assert_allclose(ha.positions.alibi_slopes(n_heads), expected, rtol=2e-16)


@given(n_heads=st.integers(1, 200))
def test_other_numbers_of_heads_take_from_the_powers_of_two_on_both_sides(n_heads):
    """A geometric sequence that starts at its ratio, 2^(−8/N); of the longer one, the odd places in order."""
    below = 2 ** int(np.log2(n_heads))
    shorter, longer = ha.positions.alibi_slopes(below), ha.positions.alibi_slopes(2 * below)
    slopes = ha.positions.alibi_slopes(n_heads)
    np.testing.assert_allclose(shorter, (2 ** (-8 / below)) ** np.arange(1, below + 1), rtol=1e-12)
    np.testing.assert_array_equal(slopes[:below], shorter)
    np.testing.assert_allclose(slopes[below:], longer[::2][: n_heads - below], rtol=1e-15)
    assert len(set(slopes.tolist())) == n_heads
    assert np.all((slopes > 0) & (slopes < 1))


def test_the_table_of_two_heads_by_hand():
    """The slopes are 1/16 and 1/256; the queries are the last two of three tokens."""
    expected = [[[-2, -1, 0]], [[-3, -2, -1], [-2, -1, 0]]]
    np.testing.assert_array_equal(ha.positions.alibi(2, 1, 3)[1], np.array(expected[0]) / 256)
    np.testing.assert_array_equal(ha.positions.alibi(2, 2, 3)[0], [[-1 / 16, 0, -1 / 16], [-2 / 16, -1 / 16, 0]])


@given(n_heads=sizes, n=sizes, more=sizes)
def test_what_stands_last_in_a_longer_text_has_the_same_bias(n_heads, n, more):
    np.testing.assert_array_equal(
        ha.positions.alibi(n_heads, n, n + more), ha.positions.alibi(n_heads, n + more)[:, more:]
    )
    bias = ha.positions.alibi(n_heads, n)
    np.testing.assert_array_equal(bias, bias.swapaxes(1, 2))
    assert np.all(bias <= 0)
    assert not np.any(np.signbit(bias) & (bias == 0))


def texts(n=5, m=7, dim=4, n_heads=3):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n_heads, n, dim)), *rng.normal(size=(2, n_heads, m, dim))


def test_added_to_the_scores_it_is_torchs_attention_with_a_bias(torch):
    q, k, v = texts()
    bias, causal = ha.positions.alibi(3, 5, 7), ha.causal(5, 7)
    weights = ha.separations.softmax(beta=1.0).weights(q @ k.swapaxes(1, 2) / 2 + bias, causal)
    torch_bias = torch.tensor(np.where(causal, bias, -np.inf))
    expected = torch.nn.functional.scaled_dot_product_attention(*map(torch.tensor, (q, k, v)), torch_bias)
    np.testing.assert_allclose(weights @ v, expected, rtol=1e-12, atol=1e-14)


def test_in_a_causal_head_it_is_one_more_axis_of_the_keys():
    """−slope (i − j) is slope · j up to a number that is the same for all keys, and softmax does not see that one."""
    (q, k, v), beta = texts(), 0.5
    weights = ha.separations.softmax(beta=1.0).weights(
        beta * q @ k.swapaxes(1, 2) + ha.positions.alibi(3, 5, 7), ha.causal(5, 7)
    )
    positions = np.broadcast_to(np.arange(7.0)[:, None], (3, 7, 1))
    slopes = np.broadcast_to(ha.positions.alibi_slopes(3)[:, None, None] / beta, (3, 5, 1))
    longer_q, longer_k = (ha.positions.with_positions(*pair, "concatenate") for pair in ((q, slopes), (k, positions)))
    found = ha.attention(longer_q, longer_k, v, beta=beta, mask="causal")
    np.testing.assert_allclose(found, weights @ v, rtol=1e-12, atol=1e-14)


@each(
    ("arguments", "message"),
    [
        ((0, 3), "n_heads: expected a whole number of at least 1, not 0"),
        ((8.0, 3), "n_heads: expected a whole number"),
        ((8, 0), "n: expected a whole number of at least 1, not 0"),
        ((8, 3, 2), "alibi: 3 queries are more than 2 keys"),
        ((8, 3, 3.0), "m: expected a whole number"),
        ((8, 10**7), "alibi: 8 heads of 10,000,000 queries and 10,000,000 keys would take"),
    ],
)
def test_impossible_biases_are_refused(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        ha.positions.alibi(*arguments)
