"""Scores and weights: by temperature, by offset, of two memories, and by each separation."""

from functools import cache

import numpy as np
import pytest

import hopattn as ha
from hopattn.figures.figure import gallery
from hopattn.figures.sheet import Curve, Rule


@cache
def result_of(name):
    return ha.run(name)


def curves(panel):
    return [mark for mark in panel.marks if isinstance(mark, Curve)]


def test_weights_are_even_at_first_those_of_the_run_at_its_beta_and_in_the_end_all():
    sheet = gallery()["temperature"].sheet(result_of("aaba"))
    best, rest = curves(sheet.panels[0])
    (rule,) = [mark for mark in sheet.panels[0].marks if isinstance(mark, Rule)]
    weights = result_of("aaba").runs[0].arrays["layer 1 head 1 weights"].values[0]
    assert (best.name, rest.name) == ("B", "each of A₁, A₂, A₃") and rule.x == pytest.approx(np.log(3))
    for curve, weight in ((best, weights[2]), (rest, weights[0])):
        assert np.interp(np.log(rule.x), np.log(curve.x), curve.y) == pytest.approx(weight, abs=1e-3)
    assert best.y[0] == pytest.approx(0.25, abs=0.03) and best.y[-1] > 0.99


def test_the_query_is_the_word_that_stands_out_and_sees_several_keys():
    sheet = gallery()["temperature"].sheet(result_of("bank-softmax"))
    assert "‘banks’" in sheet.panels[0].title
    assert np.allclose(sum(curve.y for curve in curves(sheet.panels[0])), 1)


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
