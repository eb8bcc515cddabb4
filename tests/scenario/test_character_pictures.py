"""Pictures as characters: the letters that come with hopattn, pictures in a file, and pictures on a terminal."""

import itertools
import string

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.scenario.words.pictures import (
    MOST_COLUMNS,
    MOST_ROWS,
    SHADES,
    Size,
    Strip,
    as_characters,
    side_by_side,
    small,
)
from tests.scenario.scenarios_of_kinds import scenario
from tests.texts import parsed

sizes = st.builds(Size, st.integers(1, 9), st.integers(1, 9))
NAMES = string.ascii_uppercase + string.digits


def recalled(pictures, words):
    body = f'[pictures{pictures}\n[memory]\npatterns = {words}\nmodel = "modern"\n[input]\ntokens = {words}\n'
    return ha.run(parsed(scenario("memory", body)), explain=True).runs[0]


def test_there_are_26_letters_and_10_digits_and_any_two_differ_in_three_pixels():
    pictures = recalled(f']\nletters = "{NAMES}"', [*NAMES]).arrays["input"].values
    assert pictures.shape == (36, 35) and set(pictures.ravel()) == {-1.0, 1.0}
    assert all(np.sum(one != other) >= 3 for one, other in itertools.combinations(pictures, 2))
    assert pictures[NAMES.index("L")].reshape(7, 5).tolist() == [[1, -1, -1, -1, -1]] * 6 + [[1] * 5]


@given(sizes.filter(lambda size: size.pixels > 1), st.data())
def test_a_picture_is_shown_with_the_characters_it_was_drawn_with(size, data):
    row = st.text("#.", min_size=size.columns, max_size=size.columns)
    rows = data.draw(st.lists(row, min_size=size.rows, max_size=size.rows))
    run = recalled(f".drawn]\nq = {rows}", ["q"])
    assert run.arrays["input"].values.tolist() == [[1.0 if one == "#" else -1.0 for one in "".join(rows)]]
    strip = run.strips[0]
    shown = [line[::2] for line in as_characters(strip.pictures[0], strip.size)]
    assert [line.replace("█", "#").replace("·", ".") for line in shown] == rows


@given(st.floats(-5, 5))
def test_a_darker_pixel_has_a_darker_character(value):
    (cell,) = as_characters(np.array([value]), Size(1, 1))
    (darker,) = as_characters(np.array([value + 0.6]), Size(1, 1))
    assert cell == "??" if value == 0 else cell[0] in SHADES
    if value and value + 0.6:
        assert SHADES.index(cell[0]) <= SHADES.index(darker[0])


@pytest.mark.parametrize(
    ("values", "cells"), [((1, 0), "██??"), ((0.5, 0), "▓▓▒▒"), ((-0.3, -2), "░░··"), ((0.8, 7), "████")]
)
def test_a_zero_is_unknown_among_black_and_white_and_grey_among_greys(values, cells):
    assert as_characters(np.array(values, dtype=float), Size(2, 1)) == [cells]


@given(sizes, st.integers(1, 12), st.integers(1, 200))
@example(Size(5, 1), 12, 140)
def test_strips_keep_to_the_width_and_lose_no_picture(size, count, width):
    names = tuple(f"step {i}" for i in range(count))
    lines = [*side_by_side(Strip("heading", size, names, np.ones((count, size.pixels)), "the end"), width)]
    assert (lines[0], lines[-1]) == ("heading", "the end")
    assert all(len(line) <= max(width, 2 * size.columns + 3, 10) for line in lines[1:-1])
    assert sum(line.count("█") for line in lines) == 2 * size.pixels * count
    assert all(sum(name in line.split("  ") for line in lines) or name in "".join(lines) for name in names)


def test_a_strip_looks_like_this():
    pictures = np.array([[1, -1, 0, 1], [1, -1, -1, 1]])
    strip = Strip("torn: A", Size(2, 2), ("cue", "step 1"), pictures, "recalls A")
    lines = ["torn: A", "██··     ██··", "??██   → ··██", "cue      step 1", "recalls A"]
    assert [*side_by_side(strip, 80)] == lines == [*side_by_side(strip, 15)]
    assert len([*side_by_side(strip, 14)]) == 2 + 2 * 3
    three = Strip("", Size(2, 2), ("cue", "step 1", "step 2"), np.ones((3, 4)))
    assert [len([*side_by_side(three, width)]) for width in (24, 23, 17, 16)] == [3, 6, 6, 9]


@given(st.builds(Size, st.integers(1, 120), st.integers(1, 60)), st.integers(0, 99))
def test_a_large_picture_is_shown_by_the_means_of_its_parts_and_says_its_size(size, seed):
    picture = np.random.default_rng(seed).choice([-1.0, 1.0], size.pixels)
    shown, shape, remark = small(picture, size)
    assert shape.columns <= MOST_COLUMNS and shape.rows <= MOST_ROWS and shown.shape == (shape.pixels,)
    whole = size.columns <= MOST_COLUMNS and size.rows <= MOST_ROWS
    assert whole is np.array_equal(shown, picture) is (not remark)
    assert whole or remark.startswith(f"{size} pixels, shown as {shape}")
    assert np.abs(shown).max() <= 1 and small(np.ones(size.pixels), size)[0].tolist() == [1.0] * shape.pixels


def test_each_character_of_a_picture_of_double_size_stands_for_four_pixels():
    pixels = np.random.default_rng(0).normal(size=(32, 64))
    shown, shape, _ = small(pixels.ravel(), Size(64, 32))
    expected = (pixels[::2, ::2] + pixels[1::2, ::2] + pixels[::2, 1::2] + pixels[1::2, 1::2]) / 4
    assert shape == (32, 16) and np.allclose(shown, expected.ravel())
    strip = Strip("noisy", Size(64, 32), ("cue",), pixels.reshape(1, -1))
    heading, *lines = side_by_side(strip, 80)
    assert heading == "noisy; 64 × 32 pixels, shown as 32 × 16; a figure shows all" and len(lines) == 17
