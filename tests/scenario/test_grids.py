"""The grids that a person writes: NumPy's spacings are the referee; what is not a grid is refused in words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.grids import MOST, axes_from, axes_of, axis_values
from tests.each import each

ENDS = st.floats(-1e6, 1e6).map(lambda x: float(f"{x:.6g}"))


@given(ENDS, ENDS, st.integers(2, 200))
def test_equal_distances_are_those_of_linspace(one, other, count):
    low, high = sorted((one, other))
    if high - low > 1e-3:
        found = axis_values(f"{low!r}:{high!r}:{count}")
        assert found == pytest.approx(np.linspace(low, high, count), rel=1e-9, abs=1e-9 * (abs(low) + abs(high)))
        assert found[0] == low and found[-1] == high


@given(st.floats(1e-6, 1e6), st.floats(1.01, 1e6), st.integers(2, 200))
def test_equal_ratios_are_those_of_geomspace(low, ratio, count):
    found = axis_values(f"{low!r}:{low * ratio!r}:log{count}")
    assert found == pytest.approx(np.geomspace(low, low * ratio, count), rel=1e-9)
    assert found[0] == low and found[-1] == low * ratio


@each(
    ("text", "values"),
    [
        ("3", (3,)),
        (" 1, 2 ,3.5 ", (1, 2, 3.5)),
        ("-2:2:5", (-2, -1, 0, 1, 2)),
        ("0:1:3", (0.0, 0.5, 1.0)),
        ("0:0.2:3", (0.0, 0.1, 0.2)),
        ("1:100:log3", (1.0, 10.0, 100.0)),
        ("1e-3,1e3", (0.001, 1000.0)),
    ],
)
def test_numbers_are_what_is_written(text, values):
    assert axis_values(text) == values
    assert [type(value) for value in axis_values(text)] == [type(value) for value in values]


@each(
    ("text", "message"),
    [
        ("", "beta: a number is missing"),
        ("1,,2", "beta: a number is missing"),
        ("1,two", "'two' is not a number"),
        ("nan", "'nan' is not a finite number"),
        ("1,inf", "'inf' is not a finite number"),
        ("1_0", "not a finite number"),
        ("2,1", "1 comes after 2; write the numbers in rising order"),
        ("1,1.0", "1 is given twice"),
        ("1:2", "has 2 parts"),
        ("1:2:3:4", "has 4 parts"),
        ("32:0.1:log20", "runs from 32 to 0.1; write the smaller end first"),
        ("1:1:5", "write the smaller end first"),
        ("0:1:log5", "equal ratios need numbers above 0"),
        ("0:1:1", f"expected a count from 2 to {MOST}"),
        ("0:1:-3", "expected a count"),
        ("0:1:log", "expected a count"),
        ("0:1:9999999999", "expected a count"),
    ],
)
def test_what_is_not_a_grid_is_refused(text, message):
    with pytest.raises(InvalidInput, match=message):
        axis_values(text, "beta")


def test_numbers_too_close_to_be_distinguished_are_refused():
    with pytest.raises(InvalidInput, match="is given twice"):
        axis_values("1:1.0000000000001:50")


@pytest.mark.parametrize("grid", ["1:3:3", "1,2,3", (1, 2, 3), [1, 2, 3], range(1, 4), np.arange(1, 4)])
def test_an_axis_is_a_text_or_numbers_and_its_whole_numbers_are_those_of_python(grid):
    assert axis_values(grid, "x") == (1, 2, 3)
    assert {type(value) for value in axis_values(grid, "x")} == {int}


@pytest.mark.parametrize(
    ("over", "message"),
    [
        ({"x": 3}, "x: expected numbers in rising order, not 3"),
        ({"x": "2:1:3"}, "x: '2:1:3' runs from 2 to 1"),
        ({"x": [1, "2"]}, "x: '2' is not a finite number"),
        ({"x": [False, True]}, "x: False is not a finite number"),
        ([("x", [1])], "over: expected the numbers of each axis by its name"),
    ],
)
def test_what_is_not_an_axis_is_refused(over, message):
    with pytest.raises(InvalidInput, match=message):
        axes_of(over, "over")


def test_words_are_values_where_they_are_asked_for():
    assert axes_from(["rule=storkey, hebb", "load=1,2"], words=True) == {"rule": ("storkey", "hebb"), "load": (1, 2)}
    assert axis_values(["b", "a"], "x", words=True) == ("b", "a")
    for grid in ("a,1", "nan,b", "a,,b", ["a", 1]):
        with pytest.raises(InvalidInput, match=r"not a (finite )?number|is missing"):
            axis_values(grid, "x", words=True)
    with pytest.raises(InvalidInput, match="x: a is given twice"):
        axis_values("a,b,a", "x", words=True)
    with pytest.raises(InvalidInput, match="'a' is not a number"):
        axis_values("a,b", "x")


def test_names_of_files_are_words():
    assert axis_values("neurons.csv,n2.csv", words=True) == ("neurons.csv", "n2.csv")
