"""Scores and weights: by temperature, by offset, of two memories, and by each separation."""

from functools import cache

import numpy as np
import pytest

import hopattn as ha
from hopattn.figures.figure import gallery
from hopattn.figures.recalls import FRAMES
from hopattn.figures.sheet import Curve


@cache
def result_of(name):
    return ha.run(name)


def curves(panel):
    return [mark for mark in panel.marks if isinstance(mark, Curve)]


@pytest.mark.parametrize("name", ["aaba", "bank-softmax", "bank", "sharp-query"])
def test_weights_go_from_even_to_one_as_the_temperature_falls(name):
    figure, result = gallery()["temperature"], result_of(name)
    frames, strip = figure.frames(result), figure.sheet(result).panels
    panels = [panel for frame in frames for panel in frame.panels]
    assert len(frames) == len(panels) == FRAMES and len(strip) == 4
    for shown in (panels, strip):
        values = np.array([panel.marks[0].values for panel in shown])
        assert values.sum(axis=1) == pytest.approx(1) and np.ptp(values[0]) < 0.1
        best = values[:, values[-1] > 1e-3].sum(axis=1)
        assert np.all(np.diff(best) >= -1e-12) and best[-1] > 0.99
        assert {panel.x_range for panel in shown} == {(0, 1.25)}
    assert np.allclose(values[[0, -1]], [panel.marks[0].values for panel in (panels[0], panels[-1])])


def test_one_frame_and_one_picture_of_the_strip_have_the_weights_of_the_run():
    figure, result = gallery()["temperature"], result_of("aaba")
    weights = result.runs[0].arrays["layer 1 head 1 weights"].values[0]
    strip, frames = figure.sheet(result).panels, [frame.panels[0] for frame in figure.frames(result)]
    (still,), (frame,) = ([panel for panel in one if "the run" in panel.title] for one in (strip, frames))
    for panel in (still, frame):
        assert panel.marks[0].values == pytest.approx(weights) and f"{np.log(3):.2g}"[:3] in panel.title
    assert [*still.marks[0].names] == ["A₁", "A₂", "B", "A₃"]
    assert [*still.marks[0].colour] == ["dim", "dim", "plus", "dim"]


def test_the_query_is_the_word_that_stands_out_and_sees_several_keys():
    shown = gallery()["temperature"].sheet(result_of("bank-softmax")).panels
    assert "‘banks’" in shown[0].y and len(shown[0].marks[0].values) == 3


def test_the_scores_of_a_query_are_a_curve_and_one_in_all_where_only_the_offset_counts():
    panels = gallery()["offsets"].sheet(result_of("offsets")).panels
    for panel, run, title in zip(
        panels, (3, 6), ("equal at one offset", "up to 2.58 apart at one offset"), strict=True
    ):
        run = result_of("offsets").runs[run]
        assert panel.title == f"{run.name}\n{title}"
        heights = {}
        for i, curve in enumerate(curves(panel)):
            assert np.allclose(curve.y, run.arrays["layer 1 head 1 scores"].values[i, i - curve.x])
            for offset, score in zip(curve.x, curve.y, strict=True):
                heights.setdefault(offset, []).append(score)
        assert all(np.ptp(scores) < 1e-9 for scores in heights.values()) == ("equal" in title)


def test_heads_that_differ_are_panels_and_masked_scores_are_left_out():
    panels = gallery()["offsets"].sheet(result_of("alibi")).panels
    slopes = [float(np.polyfit(curves(panel)[-1].x, curves(panel)[-1].y, 1)[0]) for panel in panels]
    assert np.allclose(slopes, [-(2.0**-1), -(2.0**-8)]) and min(curves(panels[0])[0].x) == 0


@pytest.mark.parametrize(
    ("scenario", "own", "others"),
    [
        ("sparse", "entmax (α = 2),\nsparsemax,\nargmax", ["proportional", "softmax (β = .1)"]),
        ("dense", "rectified power", ["softmax (β = .04),\nexponential"]),
        ("nearest", "argmax", ["softmax (β = .34)", "sparsemax"]),
    ],
)
def test_the_separation_of_the_memory_comes_last_with_the_weights_of_the_run(scenario, own, others):
    panels = gallery()["separations"].sheet(result_of(scenario)).panels
    assert [panel.title.replace("\u00a0", " ") for panel in panels] == ["the scores", *others, own]
    assert [panel.marks[0].colour for panel in panels] == ["ink"] + ["faint"] * (len(panels) - 2) + ["plus"]
    weights, scores = (result_of(scenario).runs[0].arrays[f"step 1 {name}"] for name in ("weights", "scores"))
    best = [scores.labels[1].index(word) for word in panels[-1].x_ticks.values() if "others" not in word]
    row = weights.values[0]
    largest = np.abs(row).max() if scenario == "dense" else 1
    assert panels[0].marks[0].values == pytest.approx(scores.values[0][best])
    assert panels[-1].marks[0].values == pytest.approx(row[best] / largest)


@pytest.mark.parametrize(
    ("figure", "scenario", "reason"),
    [
        ("temperature", "hopfield-beside-attention", "no scores of attention"),
        ("offsets", "bank", "three places"),
        ("separations", "bank", "no memory that weighs"),
        ("separations", "universal", "the same weights"),
    ],
)
def test_other_scenarios_are_refused_with_a_reason(figure, scenario, reason):
    assert reason in gallery()[figure].lacks(result_of(scenario))
