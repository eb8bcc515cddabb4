"""The figure of a comparison: curves, maps, bars and places with the numbers of its rows."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.experiments.comparison import options
from hopattn.figures.comparison import comparison_sheet
from tests.figures.reading import curves, drawing, note, panel, texts_in

FEW = {"trials": 2, "dim": 16, "rng": 0}


def compared(axes=None, **options):
    return ha.experiments.compare_random(axes, **FEW, **options)


def rows_of(comparison, memory, measure):
    return [getattr(row, measure) for row in comparison.rows if row.memory == memory]


def test_each_memory_has_a_curve_of_its_rows_at_the_fixed_point_and_a_thin_one_after_one_step():
    comparison = compared({"beta": [0.1, 1.0, 10.0]}, memories=["modern", "nearest"], patterns="unit")
    sheet = comparison_sheet(comparison)
    (panel,) = sheet.panels
    assert sheet.title == comparison.about and (panel.logarithmic, panel.y_range) == ("x", (0, 1.02))
    curves = {mark.name: mark for mark in panel.marks if mark.name}
    assert [*curves] == ["modern", "nearest"]
    for name, curve in curves.items():
        assert curve.y.tolist() == rows_of(comparison, name, "recalled") and curve.x == [0.1, 1.0, 10.0]
    for mark in panel.marks:
        if mark.look == "law":
            assert mark.key == "after one step"
            assert mark.y.tolist() == rows_of(comparison, [*curves][mark.colour], "recalled_first")


@pytest.mark.parametrize("measure", ["recalled", "entropy", "least_number", "distance"])
def test_any_measure_is_drawn_and_shares_have_their_interval(measure):
    comparison = compared({"beta": [1.0, 2.0]}, memories=["modern", "sparse"], patterns="unit")
    sheet = comparison_sheet(comparison, measure)
    assert ("bands: 95 % interval (Wilson) of 2 draws" in [*sheet.notes]) == (measure == "recalled")
    for mark in sheet.panels[0].marks:
        if mark.name in comparison.memories:
            values = np.array(rows_of(comparison, mark.name, measure), float)
            assert np.allclose(mark.y, values, equal_nan=True)


def test_memories_whose_curves_coincide_share_a_curve_and_other_measures_are_counted():
    three = compared({"beta": [1.0, 2.0]}, memories=["nearest", "sparse", "linear"])
    assert [mark.name for mark in comparison_sheet(three).panels[0].marks if mark.name] == [
        "nearest = sparse",
        "linear",
    ]
    both = compared({"beta": [1.0, 2.0]}, memories=["modern", "linear"])
    assert "1 of 7 measures" in comparison_sheet(both).notes
    ax = panel(both, measure="entropy")
    values = [row.entropy for row in both.rows if row.memory == "modern"]
    assert any(np.allclose(curve[:, 1], values) for curve in curves(ax))


def test_bars_have_their_numbers_or_the_reason_why_there_is_none():
    comparison = compared(memories=["linear", "nearest"])
    sheet = comparison_sheet(comparison)
    recalled, steps = sheet.panels[:2]
    assert steps.marks[0].values.tolist() == [2.0], "one step to the answer, one to confirm it"
    assert steps.marks[1].texts == ["no cue converged"]
    assert recalled.marks[0].values.tolist() == [row.recalled for row in comparison.rows]
    assert [*recalled.y_ticks.values()] == ["linear", "nearest"]
    assert "bars: 95 % interval (Wilson) of 2 draws" in sheet.notes
    assert len(sheet.panels) == 4 and {"2", "no cue converged"} <= {*texts_in(drawing(comparison).axes[1])}


def test_maps_are_the_rows():
    comparison = compared({"load": [0.1, 0.5], "noise": [0.0, 0.1, 0.2]}, memories=["nearest", "dense"])
    sheet = comparison_sheet(comparison)
    assert [one.title for one in sheet.panels] == ["nearest", "dense"]
    for one in sheet.panels:
        table = np.full((3, 2), np.nan)
        for row in (row for row in comparison.rows if row.memory == one.title):
            place = sorted({one.point["load"] for one in comparison.rows}).index(row.point["load"])
            table[[0.0, 0.1, 0.2].index(row.point["noise"]), place] = row.recalled
            assert row.point["load"] == row.n_keys / row.key_dim
        assert np.array_equal(one.marks[0].values, table)
        assert (one.x, one.y) == ("load α = P/N", "noise")
    with pytest.raises(ha.InvalidInput, match="axes hold one panel, and this figure has 2"):
        panel(comparison)


def test_a_memory_that_never_converges_is_distinguished_from_one_that_could_not_take_part():
    """Linear attention takes part with any keys; here no cue of it converges."""
    rows = np.random.default_rng(0).normal(size=(5, 4))
    comparison = ha.compare(rows, rows, rows, memories=["modern", "linear", "dense"], rng=0)
    assert [row.at_rest for row in comparison.rows if row.memory == "linear"] == [0]
    assert note(drawing(comparison)) == "dense could not take part; linear: no cue converged"


def test_the_places_of_a_comparison_are_numbered_and_named():
    comparison = options.compared("two-heads", (), (), {})
    places = [*dict.fromkeys(row.where for row in comparison.rows)]
    figure = drawing(comparison)
    assert len(places) > 1 and "1: " in note(figure) and places[0][:10] in note(figure)
    for mark in comparison_sheet(comparison).panels[0].marks:
        assert {*mark.x} <= {*range(1, len(places) + 1)}


def test_a_comparison_without_measures_has_a_page_that_says_why():
    assert "could not take part" in ha.html(ha.compare([[0.5, 1.0]], [[1.0, 1.0]], memories=["hopfield"], rng=0))
    assert "data:image/svg+xml" in ha.html(compared(memories=["nearest"]))
