"""Vectors of two axes: the shadow of a cue is its product with the weights, and positions turn by one angle."""

from functools import cache

import numpy as np
import pytest

import hopattn as ha
from hopattn.figures.figure import gallery
from hopattn.figures.sheet import Arrows, Curve, Points


@cache
def result_of(name):
    return ha.run(name)


def test_the_shadow_is_as_long_as_the_product_and_lies_on_its_side_of_0():
    run = result_of("similarity").runs[0]
    length = np.linalg.norm(run.arrays["network"].values[0])
    sheet = gallery()["projection"].sheet(result_of("similarity"))
    for panel, out, angle in zip(sheet.panels, run.arrays["state"].values[:, 0], (0, 180, 90, 37), strict=True):
        (shadow,) = [mark for mark in panel.marks if isinstance(mark, Arrows) and "shadow" in mark.key]
        assert (shadow.end - shadow.start)[0] * length == pytest.approx([out, 0]) and f"{angle}°" in panel.title
        assert shadow.colour == ("minus" if out < -1e-9 else "plus")
    assert "the signed length" in sheet.title
    assert sheet.panels[-1].title == "between: 37°"


def test_a_cue_of_three_axes_lies_in_the_plane_of_cue_and_weights():
    sheet = gallery()["projection"].sheet(result_of("practice-7-1"))
    arrays = result_of("practice-7-1").runs[0].arrays
    w, a = (
        mark.end[0] for mark in sheet.panels[0].marks if isinstance(mark, Arrows) and mark.key in ("weights w", "cue a")
    )
    for drawn, vector in ((w, arrays["network"].values[0]), (a, arrays["input"].values[0])):
        assert np.linalg.norm(drawn) == pytest.approx(np.linalg.norm(vector))
    assert float(w @ a) == pytest.approx(0.76) and "times the length of w" in sheet.title


@pytest.mark.parametrize(("scenario", "turn"), [("positions", "90°"), ("practice-7-3", "−90°")])
def test_each_point_goes_to_where_the_layer_moves_it(scenario, turn):
    sheet = gallery()["positions"].sheet(result_of(scenario))
    arrays = result_of(scenario).runs[0].arrays
    arcs = [(mark.x, mark.y) for mark in sheet.panels[0].marks if isinstance(mark, Curve)]
    ends = [mark.end[0] for mark in sheet.panels[0].marks if isinstance(mark, Arrows) and mark.key]
    for arc, end, start, goal in zip(arcs, ends, arrays["input"].values, arrays["state"].values, strict=True):
        assert np.allclose(np.hypot(*arc), 1) and np.linalg.norm(end - goal) < 0.1
        assert np.linalg.norm(np.array(arc)[:, 0] - start) < 0.1
    assert turn in sheet.title
    assert "lead back to the start" in gallery()["positions"].draw(result_of(scenario)).title


def test_rotary_words_are_at_the_queries_of_their_positions():
    sheet = gallery()["positions"].sheet(result_of("rope"))
    *_, words = sheet.panels[0].marks
    assert isinstance(words, Points) and [*words.names] == ["dog at 0", "saw at 1", "dog at 2", "saw at 3"]
    assert np.allclose(words.at / 1.1, result_of("rope").runs[0].arrays["layer 1 head 1 queries"].values)
    assert "57.3°" in sheet.title


@pytest.mark.parametrize(
    ("figure", "scenario", "reason"),
    [
        ("projection", "bank", "no layer of neurons"),
        ("positions", "bank", "no layer that rotates a plane"),
        ("positions", "similarity", "no layer that rotates a plane"),
    ],
)
def test_other_scenarios_are_refused_with_a_reason(figure, scenario, reason):
    assert reason in gallery()[figure].lacks(result_of(scenario))
