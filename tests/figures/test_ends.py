"""Where cues end as data: the basins of a small network, returns by damage, and fixed points by β."""

import numpy as np
import pytest

from hopattn.figures.sheet import Arrows, Bars, Curve, Points
from tests.runs import marks_of, result_of, sheet_of


def test_all_states_of_a_small_network_are_counted_and_those_of_a_basin_are_points_with_arrows_to_the_next():
    counts, cycle = sheet_of("basins", "basins").panels
    assert [bar.values.sum() for bar in marks_of(counts, Bars)] == [64, 64]
    assert [*counts.x_ticks.values()] == [
        "stripes",
        "halves",
        "cycles",
    ] and counts.y == "of 64 states, those that end at"
    assert cycle.title == "10 of the 44:\none of 14 cycles"
    assert marks_of(cycle, Points)[0].colour == marks_of(counts, Bars)[1].colour
    assert sheet_of("basins", "basins").title == "all neurons at once: 44 of 64 states end in a cycle"
    places = np.concatenate([mark.at for mark in marks_of(cycle, Points)])
    assert len(np.unique(places.round(9), axis=0)) == sum(len(mark.start) for mark in marks_of(cycle, Arrows)) == 10


def test_bars_are_the_shares_of_all_states_by_update_and_sum_to_1():
    for panel, run in zip(sheet_of("basins", "depth").panels, result_of("depth").runs, strict=True):
        bars, ends = marks_of(panel, Bars), run.arrays["ends"]
        assert [bar.key for bar in bars] == ["one at random", "one after the other", "all at once"][: len(bars)]
        for bar, row in zip(bars, ends.values, strict=True):
            first = sum(share for name, share in zip(ends.labels[1], row, strict=True) if name.startswith("stripes"))
            assert bar.values.sum() == pytest.approx(1) and bar.values[0] == pytest.approx(first)


def test_a_network_of_many_states_has_the_sizes_of_its_basins():
    (panel,) = sheet_of("basins", "hopfield-beside-attention").panels
    (bars,) = marks_of(panel, Bars)
    assert [*panel.x_ticks.values()] == ["stripes", "halves", "pairs", "others"] and bars.values.sum() == 256


def test_returns_are_shares_of_cues_with_a_ring_where_half_of_them_return():
    (panel,) = sheet_of("returns", "thirty-neurons").panels
    for curve, ring, run in zip(
        marks_of(panel, Curve), marks_of(panel, Points), result_of("thirty-neurons").runs, strict=True
    ):
        assert np.array_equal(curve.y, run.arrays["returned"].values[0])
        at, half = ring.at[0]
        assert half == 0.5 == pytest.approx(np.interp(at, curve.x, curve.y))
    assert [mark.key for mark in marks_of(panel, Points)] == [
        "5 patterns: half return at .28",
        "3 patterns: half return at .37",
    ]


def test_the_radius_by_the_load_has_its_interval():
    (panel,) = sheet_of("returns", "radius").panels
    for curve, run in zip(marks_of(panel, Curve), result_of("radius").runs, strict=True):
        low, high = (run.arrays[f"radii-{end}"].values for end in ("low", "high"))
        assert np.array_equal(curve.y, run.arrays["radii"].values)
        assert np.array(curve.error) == pytest.approx(np.abs([curve.y - low, high - curve.y]))


def test_cues_that_start_alike_are_counted_together_where_a_run_has_no_shares():
    shown = sheet_of("returns", "attraction")
    (panel,) = shown.panels
    for curve, run in zip(marks_of(panel, Curve), result_of("attraction").runs[:3], strict=True):
        (low, high), back = curve.error, np.mean(run.arrays["overlaps"].values >= 0.95)
        assert curve.y.mean() == pytest.approx(back, abs=0.02) and len(curve.y) == 8
        assert np.all(curve.y - low >= 0) and np.all(curve.y + high <= 1 + 1e-9), "a share lies between 0 and 1"
    assert shown.notes == ["bands: 95 % intervals (Wilson) of 210 cues", "3 of 4 runs"], "one step is another story"
    assert panel.x == "overlap of the cue with its pattern"


def test_fixed_points_are_filled_where_they_are_stable_and_the_title_has_the_fork():
    shown = sheet_of("bifurcation", "bifurcation")
    stable, unstable = marks_of(shown.panels[0], Points)
    arrays = result_of("bifurcation").runs[0].arrays
    rest = arrays["points-stable"].values.astype(bool)
    assert np.array_equal(stable.at[:, 1], arrays["points-place"].values[rest]) and not stable.hollow
    assert np.array_equal(unstable.at[:, 0], arrays["points-at"].values[~rest]) and unstable.hollow
    assert shown.title == "cues end at 1 place up to β = .98, at 2 from β = 1.02 on"
    assert sheet_of("bifurcation", "three-minima").title == result_of("three-minima").title
