"""Numbers, sums and weights as text, as a lecture writes them."""

import math
import re
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopattn.foundation.writing import number
from hopattn.retrieval.separation import separations
from hopattn.retrieval.separation.softmax import Softmax
from hopattn.scenario.explain.arithmetic import dot, equals, rotated, vector, weighing, weighted_sum
from tests.each import each


def test_the_lectures_own_lines():
    assert dot([0.8, 0.6], [0.8, 0.6]) == ".8×.8 + .6×.6 = .64 + .36 = 1"
    assert dot([0.8, 0.6], [-0.8, -0.6]) == ".8×(−.8) + .6×(−.6) = −.64 + (−.36) = −1"
    assert dot([0.8, 0.6], [-0.6, 0.8]) == ".8×(−.6) + .6×.8 = −.48 + .48 = 0"
    assert dot([0.8, 0.6], [1, 0]) == ".8×1 + .6×0 = .8 + 0 = .8"
    assert dot([0.9, 0.4, 0.2], [0.4, 0.9, 0.2]) == ".9×.4 + .4×.9 + .2×.2 = .36 + .36 + .04 = .76"


def test_a_rounded_number_is_not_called_equal():
    assert dot([1 / 3], [1]) == ".3333×1 ≈ .3333"
    assert equals(0.12345) == "≈"
    assert equals([0.1234, 2]) == "="
    assert equals(1e-5) == "=" and equals(1.2345e-5) == "≈"


def test_what_is_exactly_true_as_it_is_written_is_called_equal():
    root = math.sqrt(0.28)
    assert dot([0, 0.6, root], [1, 0, 0]) == "0×1 + .6×0 + .5292×0 = 0 + 0 + 0 = 0"
    assert dot([0.6, root], [1, 0]) == ".6×1 + .5292×0 = .6 + 0 = .6"
    assert dot([0.6, root], [0.8, 0.6]) == ".6×.8 + .5292×.6 ≈ .48 + .3175 ≈ .7975"  # digits are cut
    assert dot([0.6, root], [0, root]) == ".6×0 + .5292×.5292 ≈ 0 + .28 = .28"  # .5292² is .28005
    assert dot([1e-7], [1e-7]) == "1e−07×1e−07 ≈ 0"
    weights = list(weighing(separations["power"](n=3), [1 / 3, 0.5, 0], ["a", "b", "c"]))
    assert weights == ["weights (power): a (.3333)^2 ≈ .1111, b (.5)^2 = .25, c (0)^2 = 0"]
    third = list(weighing(separations["softmax"](), [0, 0, 0], ["a", "b", "c"]))
    assert third[1] == "weights (softmax): a 1/3 ≈ .3333, b 1/3 ≈ .3333, c 1/3 ≈ .3333"


def as_decimal(text):
    """The value of a sum of products, or of numbers, as it is written."""
    terms = text.replace("−", "-").replace("(", "").replace(")", "").split(" + ")
    return sum(math.prod(Decimal(part) for part in term.split("×")) for term in terms)


ENTRIES = st.one_of(st.floats(-2, 2), st.integers(-200, 200).map(lambda n: n / 100))


@given(st.lists(st.tuples(ENTRIES, ENTRIES), min_size=2, max_size=4))
def test_a_line_with_an_equals_sign_is_true_to_the_last_digit_as_it_is_written(pairs):
    sides = re.split(" ([=≈]) ", dot(*zip(*pairs, strict=True)))
    for i in range(1, len(sides), 2):
        if sides[i] == "=":
            assert as_decimal(sides[i - 1]) == as_decimal(sides[i + 1])
    if all(n == round(n, 2) for pair in pairs for n in pair):  # two decimals have four in their product: none is cut
        assert sides[1::2] == ["=", "="]


@each(
    ("value", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (1e-17, "0"),
        (0.5, ".5"),
        (-0.5, "−.5"),
        (12, "12"),
        (1.25, "1.25"),
        (-3.00001, "−3"),
        (1e-5, "1e−05"),
        (1e9, "1e+09"),
    ],
)
def test_numbers(value, text):
    assert number(value) == text


@given(st.floats(-1e6, 1e6))
def test_a_number_has_four_right_decimals(value):
    assert float(number(value).replace("−", "-")) == pytest.approx(value, abs=5.1e-5)


@given(st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=1, max_size=7))
def test_the_last_number_of_a_dot_product_is_its_value(pairs):
    left, right = zip(*pairs, strict=True)
    last = re.split("[=≈] ", dot(left, right))[-1]
    assert float(last.replace("−", "-")) == pytest.approx(np.dot(left, right), abs=6e-5)


def test_many_terms_leave_out_those_that_are_zero():
    left, right = np.zeros(20), np.ones(20)
    left[3] = 0.5
    assert dot(left, right) == ".5×1 = .5"
    assert dot(np.zeros(20), right) == "0"
    assert dot(np.ones(50), np.ones(50)) == "sum of 50 products = 50"
    assert vector(np.ones(64)) == "(1, 1, 1, … 64 elements)"


def test_softmax_is_written_with_its_base():
    base_3 = list(weighing(separations["softmax"](beta=np.log(3)), [0, 0, 1, 0], list("AABA")))
    assert base_3[0] == "3^0 + 3^0 + 3^1 + 3^0 = 1 + 1 + 3 + 1 = 6"
    assert "B 3/6 = .5" in base_3[1]
    base_e = list(weighing(separations["softmax"](), [0, 1], ["a", "b"]))
    assert base_e[0] == "e^0 + e^1 ≈ 1 + 2.7183 ≈ 3.7183"
    assert list(weighing(separations["softmax"](), [], [])) == ["nothing to attend to: the output is 0"]


def test_softmax_of_large_scores_shows_its_weights_without_overflow():
    lines = list(weighing(separations["softmax"](beta=1000), [1.0, 0.0], ["a", "b"]))
    assert "a 1" in lines[-1]
    assert "inf" not in " ".join(lines)


def test_sums_and_rotations():
    assert weighted_sum([0.6, 0, -0.5], ["a", "b", "c"]) == ".6×a + (−.5)×c"
    assert weighted_sum([0, 0], ["a", "b"]) == "0"
    assert rotated(np.array([[0, -1], [1, 0]]), [1, 0]) == "0×1 + (−1)×0 = 0 + 0 = 0; 1×1 + 0×0 = 1 + 0 = 1: (0, 1)"


def test_beta_is_named_where_it_multiplies_the_similarities():
    assert next(weighing(Softmax(beta=5.0), [1.0, 0.0], ["a", "b"])).startswith("powers of e, β = 5: e^5 + e^0 ≈")
    assert next(weighing(Softmax(beta=1.0), [1.0, 0.0], ["a", "b"])).startswith("e^1 + e^0 ≈")
    assert next(weighing(Softmax(beta=float(np.log(2))), [1.0, 0.0], ["a", "b"])) == "2^1 + 2^0 = 2 + 1 = 3"
