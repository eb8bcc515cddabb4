"""Positions: rotations and circles, sines and cosines, words joined with them, and linear biases."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import hopattn as ha
from hopattn.positions import alibi, alibi_slopes, sinusoidal_shift, with_positions
from hopattn.positions.planes import circle, cos_sin_degrees, rotation_degrees
from hopattn.positions.sinusoids import HOWS
from tests import exact
from tests.draws import arrays

angles = st.floats(-50, 50)
dims = st.sampled_from([2, 4, 6, 16])
bases = st.sampled_from([2.0, 100.0, 10000.0])
sizes = st.integers(1, 6)


@given(a=angles, b=angles, dim=dims)
def test_rotations_compose(a, b, dim):
    np.testing.assert_allclose(ha.rotation(a, dim) @ ha.rotation(b, dim), ha.rotation(a + b, dim), atol=1e-12)


@given(a=angles, dim=dims, data=st.data())
def test_rotations_keep_length_and_are_undone_by_their_transpose(a, dim, data):
    x = data.draw(arrays((dim,)))
    np.testing.assert_allclose(np.linalg.norm(ha.rotation(a, dim) @ x), np.linalg.norm(x), rtol=1e-12)
    np.testing.assert_allclose(ha.rotation(a, dim).T, ha.rotation(-a, dim), atol=1e-14)


@given(a=angles)
def test_a_rotation_is_scipys_about_the_third_axis(a):
    np.testing.assert_allclose(ha.rotation(a), Rotation.from_euler("z", a).as_matrix()[:2, :2], atol=1e-12)


def test_a_rotation_turns_counter_clockwise():
    np.testing.assert_allclose(ha.rotation(np.pi / 2) @ [1, 0], [0, 1], atol=1e-15)


def test_each_plane_may_have_its_own_angle():
    expected = np.zeros((4, 4))
    expected[:2, :2], expected[2:, 2:] = ha.rotation(0.3), ha.rotation(-1.1)
    np.testing.assert_allclose(ha.rotation([0.3, -1.1], 4), expected, rtol=1e-15)


@pytest.mark.parametrize("quarter", range(-9, 10))
def test_quarter_turns_are_whole_numbers(quarter):
    matrix = rotation_degrees(90 * quarter)
    assert np.all(matrix == np.round(matrix))
    np.testing.assert_allclose(matrix, ha.rotation(np.pi / 2 * quarter), atol=1e-14)


@given(degrees=st.floats(-2000, 2000))
def test_degrees_agree_with_radians(degrees):
    np.testing.assert_allclose(
        cos_sin_degrees(degrees), [np.cos(np.radians(degrees)), np.sin(np.radians(degrees))], atol=1e-12
    )


def test_degrees_are_exact_however_large():
    assert cos_sin_degrees(1e17)[0] == cos_sin_degrees(1e17 % 360)[0]
    assert cos_sin_degrees(360e12 + 90)[0] == 0


@given(p=st.integers(-20, 20), k=st.integers(-20, 20), turn=st.floats(-180, 180))
def test_a_rotation_by_k_steps_moves_position_p_to_p_plus_k(p, k, turn):
    moved = circle([p], turn) @ rotation_degrees(k * turn).T
    np.testing.assert_allclose(moved, circle([p + k], turn), atol=1e-12)


@given(p=st.integers(0, 20), q=st.integers(0, 20), shift=st.integers(0, 20), turn=st.floats(-180, 180))
def test_the_score_of_two_points_on_a_circle_depends_on_their_offset_only(p, q, shift, turn):
    here = circle([p], turn) @ circle([q], turn).T
    there = circle([p + shift], turn) @ circle([q + shift], turn).T
    np.testing.assert_allclose(here, there, atol=1e-12)


def test_the_table_of_dim_four_by_hand():
    """The columns are sin p, cos p, sin p/100, cos p/100."""
    expected = [
        [0, 1, 0, 1],
        [0.8414709848078965, 0.5403023058681398, 0.009999833334166664, 0.9999500004166653],
        [0.9092974268256817, -0.4161468365471424, 0.01999866669333308, 0.9998000066665778],
    ]
    np.testing.assert_allclose(ha.sinusoidal(3, 4), expected, rtol=1e-15)


def test_every_column_is_exact():
    n, dim = 20, 12
    found = ha.sinusoidal(n, dim)
    for p in range(n):
        for i in range(dim // 2):
            cos, sin = exact.cos_sin(p, exact.frequency(i, dim))
            np.testing.assert_allclose(found[p, 2 * i : 2 * i + 2], [float(sin), float(cos)], atol=3e-15)


def test_the_wavelengths_run_from_two_pi_to_almost_two_pi_times_the_base():
    changes = np.diff(np.unwrap(np.arctan2(*ha.sinusoidal(3, 512).T.reshape(256, 2, 3).swapaxes(0, 1))), axis=1)[:, 0]
    lengths = 2 * np.pi / changes
    assert lengths[0] == pytest.approx(2 * np.pi)
    assert lengths[-1] == pytest.approx(2 * np.pi * 10000 ** (255 / 256))


@given(p=st.integers(0, 30), k=st.integers(-30, 30), dim=dims, base=bases)
def test_a_step_is_the_same_matrix_from_every_position(p, k, dim, base):
    table = ha.sinusoidal(61, dim, base=base)
    if p + k >= 0:
        np.testing.assert_allclose(sinusoidal_shift(k, dim, base=base) @ table[p], table[p + k], atol=1e-13)


@given(k=st.floats(-30, 30), r=st.floats(-30, 30), dim=dims)
def test_steps_add_up_and_are_undone_by_the_transpose(k, r, dim):
    one, other = sinusoidal_shift(k, dim), sinusoidal_shift(r, dim)
    np.testing.assert_allclose(one @ other, sinusoidal_shift(k + r, dim), atol=1e-13)
    np.testing.assert_allclose(one.T, sinusoidal_shift(-k, dim), atol=1e-15)


@given(n=st.integers(1, 20), dim=dims, base=bases)
def test_the_score_of_two_positions_depends_on_their_offset_only(n, dim, base):
    table = ha.sinusoidal(n, dim, base=base)
    scores = table @ table.T
    for k in range(n):
        np.testing.assert_allclose(np.diag(scores, k), scores[0, k], atol=1e-12)
    np.testing.assert_allclose(np.diag(scores), dim / 2, rtol=1e-13)


def test_dim_two_is_the_circle_with_its_axes_exchanged():
    np.testing.assert_allclose(ha.sinusoidal(9, 2)[:, ::-1], circle(np.arange(9), np.degrees(1)), atol=1e-14)


def test_a_head_with_one_step_back_as_its_query_finds_the_word_before():
    n, dim = 12, 16
    table = ha.sinusoidal(n, dim)
    head = ha.Head(sinusoidal_shift(-1, dim), np.eye(dim), np.eye(dim), separation="argmax", mask="none")
    np.testing.assert_allclose(head(table)[1:], table[:-1], atol=1e-13)


WORDS = [[1.0, 2, 3, 4], [5, 6, 7, 8]]
PLACES = [[0.5, 1], [-1, 0]]


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("add", [[1.5, 3, 3.5, 5], [4, 6, 6, 8]]),
        ("multiply", [[0.5, 2, 1.5, 4], [-5, 0, -7, 0]]),
        ("concatenate", [[1, 2, 3, 4, 0.5, 1], [5, 6, 7, 8, -1, 0]]),
    ],
)
def test_each_way_by_hand(library, how, expected):
    for places in (library.array(PLACES), PLACES, np.array(PLACES)):
        found = with_positions(library.array(WORDS), places, how)
        np.testing.assert_array_equal(library.numpy(found), expected)


@given(words=arrays((2, 3, 4)), places=arrays((3, 4)))
def test_a_batch_has_the_same_positions_in_every_text(words, places):
    for how in HOWS:
        found = with_positions(words, places, how)
        np.testing.assert_array_equal(found, np.stack([with_positions(text, places, how) for text in words]))


@given(words=arrays((3, 4)), places=arrays((3, 2)), q=arrays((4,)), r=arrays((2,)))
def test_scores_of_concatenated_vectors_are_the_sums_of_the_scores(words, places, q, r):
    found = with_positions(words, places, "concatenate") @ np.concatenate((q, r))
    np.testing.assert_allclose(found, words @ q + places @ r, atol=1e-11)


@pytest.mark.parametrize("how", HOWS)
def test_float32_words_stay_float32(library, how):
    words = library.module.asarray(WORDS, dtype=library.module.float32)
    found = with_positions(words, ha.sinusoidal(2, 4), how)
    assert found.dtype == words.dtype


def test_derivatives_go_through_words_and_positions(torch):
    words, places = (torch.tensor(one, dtype=torch.float64, requires_grad=True) for one in (WORDS, PLACES))
    for how in HOWS:
        assert torch.autograd.gradcheck(lambda w, p, how=how: with_positions(w, p, how), (words, places))


@pytest.mark.parametrize(
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
    np.testing.assert_allclose(alibi_slopes(n_heads), expected, rtol=2e-16)


@given(n_heads=st.integers(1, 200))
def test_other_numbers_of_heads_take_from_the_powers_of_two_on_both_sides(n_heads):
    """A geometric sequence that starts at its ratio, 2^(−8/N); of the longer one, the odd places in order."""
    below = 2 ** int(np.log2(n_heads))
    shorter, longer = alibi_slopes(below), alibi_slopes(2 * below)
    slopes = alibi_slopes(n_heads)
    np.testing.assert_allclose(shorter, (2 ** (-8 / below)) ** np.arange(1, below + 1), rtol=1e-12)
    np.testing.assert_array_equal(slopes[:below], shorter)
    np.testing.assert_allclose(slopes[below:], longer[::2][: n_heads - below], rtol=1e-15)
    assert len(set(slopes.tolist())) == n_heads
    assert np.all((slopes > 0) & (slopes < 1))


def test_the_table_of_two_heads_by_hand():
    """The slopes are 1/16 and 1/256; the queries are the last two of three tokens."""
    expected = [[[-2, -1, 0]], [[-3, -2, -1], [-2, -1, 0]]]
    np.testing.assert_array_equal(alibi(2, 1, 3)[1], np.array(expected[0]) / 256)
    np.testing.assert_array_equal(alibi(2, 2, 3)[0], [[-1 / 16, 0, -1 / 16], [-2 / 16, -1 / 16, 0]])


@given(n_heads=sizes, n=sizes, more=sizes)
def test_what_stands_last_in_a_longer_text_has_the_same_bias(n_heads, n, more):
    np.testing.assert_array_equal(alibi(n_heads, n, n + more), alibi(n_heads, n + more)[:, more:])
    bias = alibi(n_heads, n)
    np.testing.assert_array_equal(bias, bias.swapaxes(1, 2))
    assert np.all(bias <= 0)
    assert not np.any(np.signbit(bias) & (bias == 0))


def texts(n=5, m=7, dim=4, n_heads=3):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n_heads, n, dim)), *rng.normal(size=(2, n_heads, m, dim))


def test_added_to_the_scores_it_is_torchs_attention_with_a_bias(torch):
    q, k, v = texts()
    bias, causal = alibi(3, 5, 7), ha.causal.array(5, 7)
    weights = ha.separations.softmax(beta=1.0).weights(q @ k.swapaxes(1, 2) / 2 + bias, causal)
    torch_bias = torch.tensor(np.where(causal, bias, -np.inf))
    expected = torch.nn.functional.scaled_dot_product_attention(*map(torch.tensor, (q, k, v)), torch_bias)
    np.testing.assert_allclose(weights @ v, expected, rtol=1e-12, atol=1e-14)


def test_in_a_causal_head_it_is_one_more_axis_of_the_keys():
    """−slope (i − j) is slope · j up to a number that is the same for all keys, and softmax does not see that one."""
    (q, k, v), beta = texts(), 0.5
    weights = ha.separations.softmax(beta=1.0).weights(
        beta * q @ k.swapaxes(1, 2) + alibi(3, 5, 7), ha.causal.array(5, 7)
    )
    positions = np.broadcast_to(np.arange(7.0)[:, None], (3, 7, 1))
    slopes = np.broadcast_to(alibi_slopes(3)[:, None, None] / beta, (3, 5, 1))
    longer_q, longer_k = (with_positions(*pair, "concatenate") for pair in ((q, slopes), (k, positions)))
    found = ha.attention(longer_q, longer_k, v, beta=beta, mask="causal")
    np.testing.assert_allclose(found, weights @ v, rtol=1e-12, atol=1e-14)
