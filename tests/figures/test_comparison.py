"""The figure of a comparison: curves, maps, bars and places with the numbers of its rows."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.experiments.comparison import options
from tests.figures.reading import bars, cells, curves, drawing, keys, note, panel, texts_in, ticks, titles

FEW = {"trials": 2, "dim": 16, "rng": 0}


def compared(axes=None, **options):
    return ha.experiments.compare_random(axes, **FEW, **options)


def test_each_memory_has_a_panel_with_its_rows_at_the_fixed_point_and_after_one_step():
    comparison = compared({"beta": [0.1, 1.0, 10.0]}, memories=["modern", "nearest"], patterns="unit")
    figure = drawing(comparison)
    assert titles(figure) == ["modern", "nearest"] and figure.get_suptitle().replace("\n", " ") == comparison.about
    for ax in figure.axes:
        rows = [row for row in comparison.rows if row.memory == ax.get_title()]
        assert (ax.get_xscale(), ax.get_ylim()) == ("log", (0, 1)) and {"0.1", "1", "10"} <= {*ticks(ax.xaxis)}
        _, end, step = curves(ax)  # first the other memory
        assert end.tolist() == [[row.point["beta"], row.recalled] for row in rows]
        assert step[:, 1].tolist() == [row.recalled_first for row in rows]
        looks = {(line.get_marker(), line.get_linestyle()) for line in ax.lines[1:]}
        assert len(looks) == 2, "they differ without colours too"


@pytest.mark.parametrize(
    ("measure", "named"),
    [
        ("recalled", ["at the fixed point", "after one step"]),
        ("entropy", ["weights of the cue"]),
        ("least_number", ["weights of the cue"]),
        ("distance", []),
    ],
)
def test_a_legend_says_which_state_a_measure_belongs_to(measure, named):
    comparison = compared({"beta": [1.0, 2.0]}, memories=["modern", "sparse"], patterns="unit")
    figure = drawing(comparison, measure=measure)
    assert keys(figure) == [*named, "the other memories"]
    assert ("± one standard error of 2 draws" in note(figure)) == (measure == "recalled")
    for ax in figure.axes:
        values = np.array([getattr(row, measure) for row in comparison.rows if row.memory == ax.get_title()], float)
        assert any(np.allclose(curve[:, 1], values, equal_nan=True) for curve in curves(ax))


def test_memories_whose_curves_coincide_share_a_panel_and_other_measures_are_counted():
    three = compared({"beta": [1.0, 2.0]}, memories=["nearest", "sparse", "linear"])
    assert titles(drawing(three)) == ["nearest = sparse", "linear"]
    both = compared({"beta": [1.0, 2.0]}, memories=["modern", "linear"])
    assert "1 of 7 measures" in note(drawing(both))
    ax = panel(both, measure="entropy")
    assert keys(ax) == ["modern"]
    values = [row.entropy for row in both.rows if row.memory == "modern"]
    assert any(np.allclose(curve[:, 1], values) for curve in curves(ax))


def test_bars_have_their_numbers_or_the_reason_why_there_is_none():
    comparison = compared(memories=["linear", "nearest"])
    figure = drawing(comparison)
    assert bars(figure.axes[1]) == [2.0]  # one step to the answer, one to confirm it
    assert texts_in(figure.axes[1]) == ["no cue converged", "2"]
    assert bars(figure.axes[0]) == [row.recalled for row in comparison.rows]
    assert ticks(figure.axes[0].yaxis) == ["linear", "nearest"] and "± one standard error of 2 draws" in note(figure)
    assert len(figure.axes) == 4 and "4 of " in note(figure)


def test_maps_are_the_rows():
    comparison = compared({"load": [0.1, 0.5], "noise": [0.0, 0.1, 0.2]}, memories=["nearest", "dense"])
    figure = drawing(comparison)
    for ax, name in zip(figure.axes, ("nearest", "dense"), strict=False):
        table = np.full((3, 2), np.nan)
        for row in (row for row in comparison.rows if row.memory == name):
            table[[0.0, 0.1, 0.2].index(row.point["noise"]), [0.1, 0.5].index(row.point["load"])] = row.recalled
        assert np.array_equal(cells(ax)[0], table) and ax.get_title() == name
    assert (ticks(ax.xaxis), ticks(ax.yaxis)) in ((["0.1", "0.5"], ["0", "0.1", "0.2"]), (["0.1", "0.5"], []))
    assert (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) == ("load α = P/N", "noise")
    with pytest.raises(ha.InvalidInput, match="two axes has a map for each memory"):
        panel(comparison)


def test_a_memory_that_never_converges_is_distinguished_from_one_that_could_not_take_part():
    """Linear attention takes part with any keys; here no cue of it converges."""
    rows = np.random.default_rng(0).normal(size=(5, 4))
    comparison = ha.compare(rows, rows, rows, memories=["modern", "linear", "dense"], rng=0)
    assert [row.at_rest for row in comparison.rows if row.memory == "linear"] == [0]
    assert note(drawing(comparison)) == "dense could not take part; linear: no cue converged"


def test_the_places_of_a_comparison_are_numbered_and_named():
    comparison = options.compared("two-heads", {})
    places = [*dict.fromkeys(row.where for row in comparison.rows)]
    figure = drawing(comparison)
    assert len(places) > 1 and "1: " in note(figure) and places[0][:10] in note(figure)
    for ax in figure.axes:
        for curve in curves(ax):
            assert {*curve[:, 0]} <= {*range(1, len(places) + 1)}


def test_a_comparison_without_measures_has_a_page_that_says_why():
    assert "could not take part" in ha.html(ha.compare([[0.5, 1.0]], [[1.0, 1.0]], memories=["hopfield"], rng=0))
    assert "data:image/svg+xml" in ha.html(compared(memories=["nearest"]))
