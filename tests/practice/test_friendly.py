"""The rule of friendly numbers, by cases that were worked out by hand."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hopattn.foundation.writing import fractions, number, short_fraction
from hopattn.practice.friendly import is_by_hand, is_short, reduced, relevant, same_vectors, without_zero_fields
from hopattn.practice.problem import number_of
from hopattn.results.labelled import Labelled


@given(numerator=st.integers(-400, 400), denominator=st.integers(1, 20))
def test_a_short_number_is_written_exactly_and_read_again(numerator, denominator):
    exact = Fraction(numerator, denominator)
    with fractions():
        text = number(float(exact))
    assert number_of(text) == exact and short_fraction(float(exact)) == exact
    assert number_of(number(float(exact))) == exact or denominator not in (1, 2, 4, 5, 8, 10, 20)


@given(thousandths=st.integers(-5000, 5000))
def test_three_decimals_are_written_as_decimals(thousandths):
    with fractions():
        text = number(thousandths / 1000)
    assert "/" not in text and number_of(text) == Fraction(thousandths, 1000)


def test_other_numbers_are_not_short():
    assert is_short(np.array([0.5, 1 / 3, 0.372, 19 / 20, 7 / 17]))
    for value in (1 / 21, 2**-0.5, 0.1234, np.pi):
        assert not is_short(np.array([value]))


def test_rounding_shows_in_the_working():
    assert is_by_hand(["2^2 + 2^1 = 4 + 2 = 6", "weights (softmax): a 4/6 = 2/3, b 2/6 = 1/3", "x: (.1, 1.196)"])
    for line in ("≈ .5", "a .7071", "b 1.2345", "3e-05"):
        assert not is_by_hand(["0 = 0", line])
    assert reduced("a 1/3 = 1/3, b 2/6 = 1/3, c 1/3 = 1/30") == "a 1/3, b 2/6 = 1/3, c 1/3 = 1/30"


def test_a_field_of_zero_and_equal_words_are_ties():
    words = {"a": np.array([1.0, -1.0]), "b": np.array([1.0, 1.0])}
    assert without_zero_fields({"step 1 field": Labelled(np.array([[0.5, -0.5]]))}, words)
    assert not without_zero_fields({"step 1 field": Labelled(np.array([[0.5, 0.0]]))}, words)
    assert same_vectors({"a": np.array([0.6, 0.8]), "b": np.array([0.6, 0.8]), "c": np.ones(2)}) == {("a", "b")}
    real = {"a": np.array([0.6, 0.8])}  # a neuron that is not of −1 and 1 may have a field of 0
    assert without_zero_fields({"step 1 field": Labelled(np.array([[0.0]]))}, real)


def test_the_working_is_that_of_the_word():
    working = ["input:", "  in: 1", "  banks: 2", "head:", "  in:", "    a", "  banks:", "    b", "      c"]
    assert [*relevant(working, ["banks"], "")] == ["input:", "  banks: 2", "head:", "  banks:", "    b", "      c"]
    assert [*relevant(working, ["other"], "")] == working
