"""The figure of a dataset that has none of its own: curves or bars of its columns of numbers."""

import numpy as np
import pytest

from hopattn.figures.rows import rows_sheet
from hopattn.figures.sheet import Bars, Curve
from hopattn.results.dataset import Rows
from tests.refusal import refused

ROWS = [{"name": "a", "x": 1.0, "y": 2, "word": "u"}, {"name": "b", "x": None, "y": 5, "word": "v"}]


def test_a_column_of_numbers_is_bars_with_the_names_of_the_rows():
    x, y = rows_sheet(Rows(ROWS, ("name",))).panels
    assert [mark.values.tolist() for panel in (x, y) for mark in panel.marks] == [[1.0], [2, 5]]
    assert isinstance(x.marks[0], Bars) and x.marks[0].at.tolist() == [0]
    assert (x.x, y.x) == ("x", "y") and [*x.y_ticks.values()] == ["a", "b"]


def test_over_an_index_of_numbers_it_is_a_curve_and_one_may_be_chosen():
    dataset = Rows([{"step": i, "loss": 2.0**-i, **{f"m{j}": j for j in range(6)}} for i in range(30)], ("step",))
    assert len(rows_sheet(dataset).panels) == 4 and "4 of 7 columns" in rows_sheet(dataset).notes
    (panel,) = dataset.plot(measure="loss").axes
    assert panel.get_xlabel() == "step"
    (curve,) = rows_sheet(dataset, "loss").panels[0].marks
    assert isinstance(curve, Curve) and np.array_equal(curve.y, 2.0 ** -np.arange(30))


@pytest.mark.parametrize("rows", [[], [{"name": "a", "word": "u", "met": True}]])
def test_without_numbers_there_is_no_figure(rows):
    refused(Rows(rows, ("name",)).plot, "plot: ", "no numbers")


def test_a_column_that_is_not_there_is_refused():
    refused(lambda: Rows(ROWS, ("name",)).plot(measure="z"), "measure: ", "'z'", "x", "y")
