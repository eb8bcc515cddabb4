"""Names beside lines: each is nearest to its own line, and none lies over another; where not all fit, none stays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text

from hopattn.figures.fitting import outside, overlapping
from hopattn.figures.headings import foot
from hopattn.figures.line_names import name_lines, spread_out
from hopattn.figures.palette import DARK, LIGHT
from hopattn.figures.style import coloured, styled
from hopattn.figures.text import inked

STEPS = np.linspace(0, 1, 30)
words = st.text("abcdefghij ", min_size=1, max_size=14).map(lambda text: f"x{text}x")
bundles = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0.2, 4), words), min_size=2, max_size=6)


def drawn(curves, names, right=1.0):
    """The axes with these curves over the steps, their lines, and their names if these fit."""
    with styled():
        figure = Figure(figsize=(12.8, 7.2), layout="constrained")
        FigureCanvasAgg(figure)
        ax = figure.subplots()
        lines = [ax.plot(STEPS, curve)[0] for curve in curves]
        ax.set(ylim=(-0.05, 1.05), xlim=(0, right))
        named = name_lines(ax, lines, names)
        figure.draw_without_rendering()
    return ax, lines, named


def pixels(ax, line):
    """Points on a line in pixels, close to each other."""
    points = ax.transData.transform(line.get_xydata())
    fine = np.linspace(0, len(points) - 1, 3000)
    return np.column_stack([np.interp(fine, np.arange(len(points)), points[:, axis]) for axis in (0, 1)])


def distance(box, points):
    """The distance of a box from the nearest of some points, in pixels."""
    low, high = np.array([box.x0, box.y0]), np.array([box.x1, box.y1])
    return float(np.hypot(*np.maximum(np.maximum(low - points, points - high), 0).T).min())


@given(bundle=bundles, right=st.sampled_from([1.0, 1.4]))
def test_each_name_is_nearest_to_its_own_line_or_led_to_it_and_none_lies_over_another(bundle, right):
    curves = [start + (end - start) * STEPS**bend for start, end, bend, _ in bundle]
    ax, lines, named = drawn(curves, [name for *_, name in bundle], right)
    assert overlapping(ax.figure) == [] and outside(ax.figure) == []
    assert len(ax.lines) == len(lines)
    if not named:
        assert len(ax.texts) == 0
        return
    paths = [pixels(ax, line) for line in lines]
    at_ends = all(text.get_ha() == "left" for text in named)
    for i, text in enumerate(named):
        box = Text.get_window_extent(text)
        middle = np.array([[(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2]])
        if at_ends:
            ends = np.array([path[-1, 1] for path in paths])
            assert int(np.argmin(np.abs(ends - middle[0, 1]))) == i
            continue
        own, *others = (distance(box, paths[j]) for j in [i, *(j for j in range(len(paths)) if j != i)])
        leader = text.arrow_patch is not None
        assert not leader or np.hypot(*(paths[i] - ax.transData.transform(text.xy)).T).min() < 2
        assert own > 0 and min(others) > 0 and (own < min(others) or leader)


def test_near_ends_are_moved_apart_and_ends_at_one_place_have_names_along_the_lines():
    _, _, named = drawn([0.5 * STEPS, 0.52 * STEPS, 0.9 - 0.2 * STEPS], ["one", "two", "three"])
    low, high, _ = (text.get_window_extent() for text in named)
    assert low.y1 <= high.y0 + 1 and {text.get_ha() for text in named} == {"left"}
    ax, _, along = drawn([STEPS**4, STEPS, STEPS**0.25], ["late", "even", "early"])
    assert all(text.get_window_extent().x1 < ax.bbox.x1 for text in along)


def test_lines_on_each_other_have_no_names_beside_them():
    ax, _, named = drawn([STEPS, STEPS], ["one", "the same"])
    assert named == [] and len(ax.texts) == 0


def test_names_follow_the_axes_that_change_after_them():
    ax, _, named = drawn([0.5 * STEPS, STEPS], ["half", "whole"])
    with styled():
        foot(ax.figure, "a note below that makes the panel lower")
        ax.figure.draw_without_rendering()
    places = [text.get_window_extent() for text in named]
    ends = ax.transData.transform([(1, 0.5), (1, 1)])[:, 1]
    assert [(box.y0 + box.y1) / 2 for box in places] == pytest.approx(ends, abs=3)


def test_keys_below_a_figure_replace_the_note_that_was_there():
    """As if it had never been there: the panel is as high."""
    panels = []
    for notes in (["a note"], []):
        ax, lines, _ = drawn([STEPS, STEPS], ["one", "the same"])
        with styled():
            for note in notes:
                foot(ax.figure, note)
            foot(ax.figure, "a note", lines, ["one", "the same"])
            ax.figure.draw_without_rendering()
        panels.append(ax.get_position().bounds)
        assert ax.figure.get_supxlabel() == "" and ax.figure.legends[0].get_title().get_text() == "a note"
    assert panels[0] == pytest.approx(panels[1], abs=1e-6)


@given(wanted=st.lists(st.floats(0, 500), min_size=1, max_size=8), size=st.floats(5, 40))
def test_places_keep_their_order_and_their_room_and_move_only_where_they_must(wanted, size):
    places = spread_out(np.array(wanted), np.full(len(wanted), size))
    order = np.argsort(wanted, kind="stable")
    assert np.all(np.diff(places[order]) >= size - 1e-9)
    assert np.mean(places) == pytest.approx(np.mean(wanted), abs=1e-6)
    if len(wanted) == 1 or np.diff(np.sort(wanted)).min() >= size:
        np.testing.assert_allclose(places, wanted, atol=1e-9)


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_a_name_in_the_colour_of_its_line_can_be_read(palette):
    def luminance(colour):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    with coloured(palette):
        for colour in palette.series:
            light, dark = sorted((luminance(inked(colour)), luminance(palette.paper)), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5
