"""Numbers as a text prints them: every form is read, compared with its own rounding, and written back in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopattn.notes.numbers import Printed


@pytest.mark.parametrize(
    ("text", "value", "decimals"),
    [
        (".6", 0.6, 1),
        ("0.60", 0.6, 2),
        ("0,6", 0.6, 1),
        ("−.25", -0.25, 2),
        ("-0.5", -0.5, 1),
        ("12", 12, 0),
        ("2/3", 2 / 3, None),
        ("60 %", 0.6, 2),
        ("12.5\\%", 0.125, 3),
        ("1e-3", 0.001, 3),
    ],
)
def test_every_form_is_read(text, value, decimals):
    number = Printed.parse(text)
    assert number.value == pytest.approx(value, rel=1e-15)
    assert number.decimals == decimals


@pytest.mark.parametrize("text", ["", "1,000", "3.1.4", "p. 12", ".6 .8", "1/0", "½.", "−", "1e999", "9" * 50, "٣"])
def test_another_text_is_no_number(text):
    assert Printed.parse(text) is None


@given(st.decimals(-50, 50, places=6), st.integers(0, 4), st.sampled_from([".", ","]), st.booleans())
def test_a_number_agrees_with_its_rounding_and_not_with_the_next_one(value, decimals, point, with_zero):
    rounded = f"{value:.{decimals}f}"
    text = (rounded if with_zero else rounded.replace("0.", ".", 1) if abs(value) < 1 else rounded).replace(".", point)
    number = Printed.parse(text)
    if number is not None:  # ",5" is none
        assert number.agrees(float(value))
        assert not number.agrees(float(value) + 1.01 * 10.0**-decimals)
        places = decimals or (0 if value % 1 == 0 else 2)  # where a whole number stands, two decimals of another one
        written = float(number.written(float(value)).replace("−", "-").replace(",", "."))
        assert written == float(f"{float(value):.{places}f}")


def test_a_fraction_is_exact():
    assert Printed.parse("1/6").agrees(1 / 6)
    assert not Printed.parse("1/6").agrees(0.1667)
