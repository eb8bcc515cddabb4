"""Sinusoidal positions against numbers by hand and fifty digits; a step is one matrix, which a head can hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.transformer.positions.planes import circle
from tests import exact
from tests.each import each

dims = st.sampled_from([2, 4, 6, 16])
bases = st.sampled_from([2.0, 100.0, 10000.0])


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
    table = ha.sinusoidal(61, dim, base)
    if p + k >= 0:
        np.testing.assert_allclose(ha.positions.sinusoidal_shift(k, dim, base) @ table[p], table[p + k], atol=1e-13)


@given(k=st.floats(-30, 30), r=st.floats(-30, 30), dim=dims)
def test_steps_add_up_and_are_undone_by_the_transpose(k, r, dim):
    one, other = ha.positions.sinusoidal_shift(k, dim), ha.positions.sinusoidal_shift(r, dim)
    np.testing.assert_allclose(one @ other, ha.positions.sinusoidal_shift(k + r, dim), atol=1e-13)
    np.testing.assert_allclose(one.T, ha.positions.sinusoidal_shift(-k, dim), atol=1e-15)


@given(n=st.integers(1, 20), dim=dims, base=bases)
def test_the_score_of_two_positions_depends_on_their_offset_only(n, dim, base):
    table = ha.sinusoidal(n, dim, base)
    scores = table @ table.T
    for k in range(n):
        np.testing.assert_allclose(np.diag(scores, k), scores[0, k], atol=1e-12)
    np.testing.assert_allclose(np.diag(scores), dim / 2, rtol=1e-13)


def test_dim_two_is_the_circle_with_its_axes_exchanged():
    np.testing.assert_allclose(ha.sinusoidal(9, 2)[:, ::-1], circle(np.arange(9), np.degrees(1)), atol=1e-14)


def test_a_head_with_one_step_back_as_its_query_finds_the_word_before():
    n, dim = 12, 16
    table = ha.sinusoidal(n, dim)
    head = ha.Head(ha.positions.sinusoidal_shift(-1, dim), np.eye(dim), np.eye(dim), separation="argmax", mask="none")
    np.testing.assert_allclose(head(table)[1:], table[:-1], atol=1e-13)


@each(
    ("function", "message"),
    [
        (lambda: ha.sinusoidal(0, 4), "n: expected a whole number of at least 1, not 0"),
        (lambda: ha.sinusoidal(2.5, 4), "n: expected a whole number"),
        (lambda: ha.sinusoidal(3, 10**9), "dim: expected at most 4,194,304 dimensions, not 1,000,000,000"),
        (lambda: ha.sinusoidal(3, 5), "dim: expected an even number of dimensions, such as 4 or 6, not 5"),
        (lambda: ha.sinusoidal(3, 4, base=-2), "base: expected a positive finite number, not -2"),
        (lambda: ha.sinusoidal(10**9, 10**6), "sinusoidal: 1,000,000,000 positions of dim 1,000,000 would take"),
        (lambda: ha.positions.sinusoidal_shift(np.inf, 4), "k: expected a finite number, not inf"),
        (lambda: ha.positions.sinusoidal_shift(1, 3), "dim: expected an even number"),
    ],
)
def test_impossible_tables_are_refused(function, message):
    with pytest.raises(InvalidInput, match=message):
        function()
