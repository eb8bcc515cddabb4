"""The grids that a person writes: NumPy's spacings are the referee; what is not a grid is refused in words."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hopattn.scenario.grids import MOST, axes_from, axes_of, axis_values
from tests.refusal import refused

ENDS = st.floats(-1e6, 1e6).map(lambda x: float(f"{x:.6g}"))


@given(ENDS, ENDS, st.integers(2, 200))
def test_equal_distances_are_those_of_linspace(one, other, count):
    low, high = sorted((one, other))
    assume(high - low > 1e-3)
    values = axis_values(f"{low!r}:{high!r}:{count}")
    assert values == pytest.approx(np.linspace(low, high, count), rel=1e-9, abs=1e-9 * (abs(low) + abs(high)))
    assert values[0] == low and values[-1] == high


@given(st.floats(1e-6, 1e6), st.floats(1.01, 1e6), st.integers(2, 200))
def test_equal_ratios_are_those_of_geomspace(low, ratio, count):
    values = axis_values(f"{low!r}:{low * ratio!r}:log{count}")
    assert values == pytest.approx(np.geomspace(low, low * ratio, count), rel=1e-9)
    assert values[0] == low and values[-1] == low * ratio


@pytest.mark.parametrize(
    ("grid", "values"),
    [
        ("3", (3,)),
        (" 1, 2 ,3.5 ", (1, 2, 3.5)),
        ("-2:2:5", (-2, -1, 0, 1, 2)),
        ("0:1:3", (0.0, 0.5, 1.0)),
        ("0:0.2:3", (0.0, 0.1, 0.2)),
        ("1:100:log3", (1.0, 10.0, 100.0)),
        ("1e-3,1e3", (0.001, 1000.0)),
        ("0:99999:100000", tuple(range(MOST))),
        *((grid, (1, 2, 3)) for grid in ("1:3:3", (1, 2, 3), [1, 2, 3], range(1, 4), np.arange(1, 4))),
        (np.array([0.5, 1]), (0.5, 1.0)),
    ],
)
def test_numbers_are_what_is_written_and_whole_numbers_are_those_of_python(grid, values):
    assert axis_values(grid) == values
    assert [type(value) for value in axis_values(grid)] == [type(value) for value in values]


@pytest.mark.parametrize(
    ("grid", "words"),
    [
        ("", ["a number is missing"]),
        ("1,,2", ["a number is missing"]),
        ("1,two", ["'two' is not a number"]),
        ("nan", ["'nan' is not a finite number"]),
        ("1,inf", ["'inf' is not a finite number"]),
        ("1_0", ["not a finite number"]),
        ("2,1", ["1 comes after 2", "rising", "write 2.1"]),
        ("1,1.0", ["1 is given twice"]),
        ("1:2", ["'1:2' has 2 parts"]),
        ("1:2:3:4", ["has 4 parts"]),
        ("32:0.1:log20", ["runs from 32 to 0.1", "smaller end first"]),
        ("1:1:5", ["smaller end first"]),
        ("0:1:log5", ["starts at 0", "above 0"]),
        *(
            (f"0:1:{n}", [f"expected a count from 2 to {MOST}"])
            for n in ("1", "-3", "log", "9999999999", str(MOST + 1))
        ),
        ("1:1.0000000000001:50", ["is given twice"]),
        (3, ["numbers in rising order, not 3"]),
        ([], ["is empty"]),
        (range(MOST + 1), [f"more than {MOST:,} numbers"]),
        ([1, "2"], ["'2' is not a finite number"]),
        ([False, True], ["False is not a finite number"]),
        ([2**1030], ["is not a finite number"]),
    ],
)
def test_what_is_not_a_grid_is_refused(grid, words):
    refused(lambda: axis_values(grid, "beta"), "beta: ", *words)
    refused(lambda: axes_of({"x": grid}, "over"), "x: ", *words)


def test_axes_are_texts_or_numbers_by_their_names():
    assert axes_of({"x": "1:3:3", "y": [2.5]}, "over") == {"x": (1, 2, 3), "y": (2.5,)}
    refused(lambda: axes_of([("x", [1])], "over"), "over: ", "by its name")
    for texts, place, word in ((["x"], "--over 'x': ", "KEY=GRID"), (["=1"], "--over '=1': ", "KEY=GRID")):
        refused(lambda texts=texts: axes_from(texts), place, word)
    refused(lambda: axes_from(["x=1", "x=2"]), "--over x: ", "is given twice")
    refused(lambda: axes_from(["x=2,1"]), "--over x: ", "1 comes after 2")


def test_words_are_values_where_they_are_asked_for():
    assert axes_from(["rule=storkey, hebb", "load=1,2"], words=True) == {"rule": ("storkey", "hebb"), "load": (1, 2)}
    assert axis_values("neurons.csv,n2.csv", words=True) == ("neurons.csv", "n2.csv")
    assert axes_of({"x": ["b", "a"]}, "over", words=True) == {"x": ("b", "a")}
    for grid in ("a,1", "nan,b", "a,,b", ["a", 1]):
        with pytest.raises(ValueError, match=r"not a (finite )?number|is missing"):
            axis_values(grid, "x", words=True)
    refused(lambda: axis_values("a,b,a", "x", words=True), "x: ", "a is given twice")
    refused(lambda: axis_values("a,b", "x"), "x: ", "'a' is not a number")
