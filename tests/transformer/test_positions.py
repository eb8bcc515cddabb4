"""Laws of rotations: they keep lengths, compose, and move positions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.transformer.positions.planes import circle, cos_sin_degrees, rotation_degrees
from tests.draws import arrays
from tests.each import each

angles = st.floats(-50, 50)
dims = st.sampled_from([2, 4, 8])


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


@each("quarter", range(-9, 10))
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
def test_the_score_of_two_positions_depends_on_their_offset_only(p, q, shift, turn):
    here = circle([p], turn) @ circle([q], turn).T
    there = circle([p + shift], turn) @ circle([q + shift], turn).T
    np.testing.assert_allclose(here, there, atol=1e-12)


@each(
    ("angle", "dim", "message"),
    [
        (1.0, 3, "even number"),
        (1.0, 0, "at least 2"),
        (1.0, 2.0, "whole number"),
        (np.nan, 2, "holds a NaN"),
        ([1.0, 2.0], 2, "does not fit 1 planes"),
    ],
)
def test_impossible_rotations_are_refused(angle, dim, message):
    with pytest.raises(InvalidInput, match=message):
        ha.rotation(angle, dim)
