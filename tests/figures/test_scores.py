"""Scores and weights: by temperature, by offset, of two memories beside each other, and by each separation."""

from functools import cache

import numpy as np
import pytest

import hopattn as ha
from hopattn.figures.figure import gallery
from hopattn.figures.sheet import Bars, Cells, Curve, Picture, Points, Rule


@cache
def result_of(name):
    return ha.run(name)


def curves(panel):
    return marks(panel, Curve)


def marks(panel, kind):
    return [mark for mark in panel.marks if isinstance(mark, kind)]


def test_weights_are_even_at_first_those_of_the_run_at_its_beta_and_in_the_end_all():
    sheet = gallery()["temperature"].sheet(result_of("aaba"))
    best, rest = curves(sheet.panels[0])
    (rule,) = [mark for mark in sheet.panels[0].marks if isinstance(mark, Rule)]
    weights = result_of("aaba").runs[0].arrays["layer 1 head 1 weights"].values[0]
    assert (best.name, rest.name) == ("B", "A₁, A₂, A₃") and rule.x == pytest.approx(np.log(3))
    for curve, weight in ((best, weights[2]), (rest, weights[0])):
        assert np.interp(np.log(rule.x), np.log(curve.x), curve.y) == pytest.approx(weight, abs=1e-3)
    assert best.y[0] == pytest.approx(0.25, abs=0.03) and best.y[-1] > 0.99


def test_the_query_is_the_word_that_stands_out_and_sees_several_keys():
    sheet = gallery()["temperature"].sheet(result_of("bank-softmax"))
    assert "‘banks’" in sheet.panels[0].title
    assert np.allclose(sum(curve.y for curve in curves(sheet.panels[0])), 1)


def test_scores_of_an_offset_are_one_curve_where_only_the_offset_counts():
    left, right = gallery()["offsets"].sheet(result_of("offsets")).panels
    assert [points.names[0] for points in marks(left, Points)] == ["rotary", "ALiBi"]
    line, _ = curves(left)
    rotary = result_of("offsets").runs[3].arrays["layer 1 head 1 scores"].values
    assert np.allclose(line.y, [np.diagonal(rotary, -k)[0] for k in line.x.astype(int)])
    assert right.title == "sinusoidal, added\nthe place counts too"
    assert all(len(curve.x) == 25 for curve in curves(right)) and left.y_range == right.y_range


def test_heads_that_differ_are_curves_and_masked_scores_are_left_out():
    (panel,) = gallery()["offsets"].sheet(result_of("alibi")).panels
    slopes = [float(np.polyfit(curve.x, curve.y, 1)[0]) for curve in curves(panel)]
    assert np.allclose(slopes, [-(2.0**-k) for k in range(1, 9)]) and min(curves(panel)[0].x) == 0


def test_bars_are_the_weights_of_both_memories_on_one_scale():
    sheet = gallery()["beside"].sheet(result_of("hopfield-beside-attention"))
    first, second, *states = sheet.panels
    for panel, run in zip((first, second), result_of("hopfield-beside-attention").runs, strict=True):
        (bars,) = panel.marks
        assert isinstance(bars, Bars) and np.allclose(bars.values, run.arrays["step 1 weights"].values[0])
    assert first.x_range == second.x_range and [*first.marks[0].colour] == ["minus", "plus", "minus"]
    for panel, run in zip(states, result_of("hopfield-beside-attention").runs, strict=True):
        (cells,) = panel.marks
        assert isinstance(cells, Cells) and panel.title == "recalls halves"
        assert np.allclose(cells.values, [run.arrays[name].values[0] for name in ("input", "state")])
    assert sheet.title == "Hopfield and attention on the same cue: each recalls halves"


def test_states_of_pixels_are_pictures():
    *_, state = gallery()["beside"].sheet(result_of("letters")).panels
    assert isinstance(state.marks[0], Picture)


@pytest.mark.parametrize(
    ("scenario", "own", "others"),
    [
        ("sparse", "entmax (α = 2)\nsparsemax\nargmax", ["softmax", "proportional"]),
        ("dense", "rectified power", ["softmax", "exponential"]),
        ("nearest", "argmax", ["softmax", "sparsemax"]),
    ],
)
def test_the_separation_of_the_memory_comes_last_with_the_weights_of_the_run(scenario, own, others):
    panels = gallery()["separations"].sheet(result_of(scenario)).panels
    assert [panel.title for panel in panels] == ["the scores", *others, own]
    assert [panel.marks[0].colour for panel in panels] == ["faint"] * (len(panels) - 1) + ["plus"]
    weights, scores = (result_of(scenario).runs[0].arrays[f"step 1 {name}"] for name in ("weights", "scores"))
    best = [scores.labels[1].index(word) for word in panels[-1].x_ticks.values()]
    row = weights.values[0]
    largest = np.abs(row).max() if scenario == "dense" else 1
    assert panels[0].marks[0].values == pytest.approx(scores.values[0][best])
    assert panels[-1].marks[0].values == pytest.approx(row[best] / largest)


@pytest.mark.parametrize(
    ("figure", "scenario", "reason"),
    [
        ("temperature", "hopfield-beside-attention", "no scores of attention"),
        ("offsets", "bank", "three places"),
        ("beside", "bank", "no memory"),
        ("beside", "five-neurons", "no weight for each pattern"),
        ("separations", "bank", "no memory that weighs"),
    ],
)
def test_other_scenarios_are_refused_with_a_reason(figure, scenario, reason):
    assert reason in gallery()[figure].lacks(result_of(scenario))
