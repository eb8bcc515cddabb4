"""Pictures as characters: the letters that come with hopattn, pictures in a file, and pictures on a terminal."""

import itertools
import string

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from hopattn.scenario.words.character_pictures import (
    LETTER_SIZE,
    SHADES,
    Size,
    Strip,
    as_characters,
    letters,
    pixels,
    side_by_side,
)

sizes = st.builds(Size, st.integers(1, 9), st.integers(1, 9))


def test_there_are_26_letters_and_10_digits():
    assert set(letters()) == set(string.ascii_uppercase + string.digits)
    for picture in letters().values():
        assert picture.shape == (LETTER_SIZE.pixels,)
        assert set(picture.tolist()) == {-1.0, 1.0}


def test_letters_are_distinct():
    known = letters()
    near = [pair for pair in itertools.combinations(known, 2) if np.sum(known[pair[0]] != known[pair[1]]) < 3]
    assert near == []


@given(sizes, st.data())
def test_a_picture_has_the_characters_it_was_read_from(size, data):
    rows = data.draw(
        st.lists(st.text("#.", min_size=size.columns, max_size=size.columns), min_size=size.rows, max_size=size.rows)
    )
    shown = [row[::2] for row in as_characters(pixels(rows), size)]
    assert [row.replace("█", "#").replace("·", ".") for row in shown] == rows


@given(st.floats(-5, 5))
def test_a_darker_pixel_has_a_darker_character(value):
    (cell,) = as_characters(np.array([value]), Size(1, 1))
    (darker,) = as_characters(np.array([value + 0.6]), Size(1, 1))
    assert cell == "??" if value == 0 else cell[0] in SHADES
    if value and value + 0.6:
        assert SHADES.index(cell[0]) <= SHADES.index(darker[0])


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
    assert [*side_by_side(strip, 80)] == [
        "torn: A",
        "██··     ██··",
        "??██   → ··██",
        "cue      step 1",
        "recalls A",
    ]
