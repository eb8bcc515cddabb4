"""Names beside lines: each is nearest to its own line, and none lies over another; where not all fit, none stays."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from hopattn.figures.fitting import outside, overlapping
from hopattn.figures.line_names import LineNames, inked, name_lines, spread_out
from hopattn.figures.palette import DARK, LIGHT
from hopattn.figures.style import coloured, styled

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


@settings(max_examples=25, deadline=None)
@given(bundle=bundles, right=st.sampled_from([1.0, 1.4]))
def test_each_name_is_nearest_to_its_own_line_or_led_to_it_and_none_lies_over_another(bundle, right):
    curves = [start + (end - start) * STEPS**bend for start, end, bend, _ in bundle]
    ax, lines, named = drawn(curves, [name for *_, name in bundle], right)
    assert overlapping(ax.figure) == [] and outside(ax.figure) == []
    if named is None:
        assert len(ax.texts) == 0 and len(ax.lines) == len(lines)
        return
    led = [line.get_transform().transform(line.get_xydata())[0] for line in named.leaders]
    paths = [pixels(ax, line) for line in lines]
    at_ends = all(text.get_ha() == "left" for text in named.texts)
    for i, text in enumerate(named.texts):
        box = text.get_window_extent()
        middle = np.array([[(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2]])
        if at_ends:
            ends = np.array([path[-1, 1] for path in paths])
            assert int(np.argmin(np.abs(ends - middle[0, 1]))) == i
            continue
        own, *others = (distance(box, paths[j]) for j in [i, *(j for j in range(len(paths)) if j != i)])
        leader = any(np.hypot(*(paths[i] - end).T).min() < 2 for end in led)
        assert own > 0 and min(others) > 0 and (own < min(others) or leader)


def test_near_ends_are_moved_apart_and_ends_at_one_place_have_names_along_the_lines():
    _, _, named = drawn([0.5 * STEPS, 0.52 * STEPS, 0.9 - 0.2 * STEPS], ["one", "two", "three"])
    low, high, _ = (text.get_window_extent() for text in named.texts)
    assert low.y1 <= high.y0 + 1 and {text.get_ha() for text in named.texts} == {"left"}
    ax, _, along = drawn([STEPS**4, STEPS, STEPS**0.25], ["late", "even", "early"])
    assert all(text.get_window_extent().x1 < ax.bbox.x1 for text in along.texts)


def test_lines_on_each_other_have_no_names_beside_them():
    ax, _, named = drawn([STEPS, STEPS], ["one", "the same"])
    assert named is None and len(ax.texts) == 0


def test_a_second_fit_follows_the_axes():
    ax, _, named = drawn([0.5 * STEPS, STEPS], ["half", "whole"])
    ax.set_ylim(0, 3)
    assert named.fit()
    places = [text.get_window_extent() for text in named.texts]
    ends = ax.transData.transform([(1, 0.5), (1, 1)])[:, 1]
    assert [(box.y0 + box.y1) / 2 for box in places] == pytest.approx(ends, abs=3)
    assert isinstance(named, LineNames)


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
