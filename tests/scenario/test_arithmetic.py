"""The arithmetic that `explain` writes out is true as it is written: `=` to the last digit, `≈` to those written."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.retrieval.separation import separations
from hopattn.scenario.arithmetic import dot, vector, weighing, weighted_sum
from hopattn.scenario.kinds import kinds
from tests.texts import GOOD, parsed

SLOW = "emergence", "landscape"
NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:e[−+]\d+)?"
FACTOR = rf"(?:\(−{NUMBER}\)|−?{NUMBER})"
SUM = rf"{FACTOR}(?:(?:×|/| [+−×] ){FACTOR})*"
EQUATION = re.compile(
    rf"(?<![\w×/^.)(+−’'])(?<! [+−×] )(?<! of )(?=({SUM}) ([=≈]) ({SUM})(?![\w×/^(\[°#%₊)]|\.\d| [+−×] ))"
)


def value(text, off="0"):
    """The value of a sum as it is written; with `off`, what the sizes of its terms are if each cut number is larger."""

    def number(found):
        cut = off if re.search(r"\.\d{4}", found[0]) else "0"
        return f"(Fraction('{found[0].replace('−', '-')}') + Fraction('{cut}'))"

    plain = re.sub(NUMBER, number, text).replace("×", "*")
    signs = (" − ", " + "), ("−", "")
    for sign, plus in signs if off != "0" else (("−", "-"),):
        plain = plain.replace(sign, plus)
    return eval(plain, {"Fraction": Fraction})


def equations(lines):
    return [found.groups() for line in lines for found in EQUATION.finditer(line)]


def assert_true_as_written(lines):
    for left, sign, right in equations(lines):
        if sign == "=":
            assert value(left) == value(right), (left, right)
        elif "/" not in left:
            error = sum(value(side, "5.1e-5") - value(side, "1e-99") for side in (left, right))
            assert abs(value(left) - value(right)) <= error + Fraction("5.1e-5"), (left, right)


def explained(text, overrides=None):
    return [line for run in ha.run(parsed(text), overrides=overrides, explain=True).runs for line in run.working]


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=[pytest.mark.slow] * (kind in SLOW)) for kind in kinds])
def test_every_kind_explains_its_numbers_and_each_equation_is_true(kind):
    lines = explained(kinds[kind].template())
    assert lines and all(line.strip() for line in lines)
    assert_true_as_written(lines)


@pytest.mark.parametrize(
    "name", ["translation-parts", "head-scores", "sharp-query", "bank-layers", "dense", "null-pattern", "rope"]
)
def test_each_equation_of_a_shipped_scenario_is_true(name):
    lines = [line for run in ha.run(name, explain=True).runs for line in run.working]
    assert len(equations(lines)) > 10
    assert_true_as_written(lines)


ENTRIES = st.one_of(st.floats(-2, 2).filter(lambda x: abs(x) > 1e-4), st.integers(-200, 200).map(lambda n: n / 100))
VECTORS = st.lists(ENTRIES, min_size=2, max_size=2)


@given(VECTORS, VECTORS)
def test_a_dot_product_is_written_with_its_terms_and_its_value(left, right):
    line = dot(left, right)
    sides = re.split(" [=≈] ", line)
    assert [len(re.findall(FACTOR, side)) for side in sides] == [4, 2, 1]
    assert_true_as_written([line])
    assert float(value(sides[-1])) == pytest.approx(np.dot(left, right), abs=6e-5)
    if all(x == round(x, 2) for x in (*left, *right)):  # two decimals have four in their product: none is cut
        assert "≈" not in line
    words = {"vocabulary.words.a": left, "vocabulary.words.b": right, "vocabulary.magnitude": "free"}
    assert f"    similarity to a#1: {dot(right, left)}" in explained(GOOD, words)


@pytest.mark.parametrize(
    ("left", "right", "line"),
    [
        ([0.8, 0.6], [-0.8, -0.6], ".8×(−.8) + .6×(−.6) = −.64 + (−.36) = −1"),
        ([0.9, 0.4, 0.2], [0.4, 0.9, 0.2], ".9×.4 + .4×.9 + .2×.2 = .36 + .36 + .04 = .76"),
        ([1 / 3], [1], ".3333×1 ≈ .3333"),
        ([0, math.sqrt(0.28)], [1, 0], "0×1 + .5292×0 = 0 + 0 = 0"),  # true as it is written
        ([0.6, math.sqrt(0.28)], [0, math.sqrt(0.28)], ".6×0 + .5292×.5292 ≈ 0 + .28 = .28"),  # .5292² is .28005
        ([1e-7], [1e-7], "1e−07×1e−07 ≈ 0"),
        ([1e-5], [1], "1e−05×1 = 1e−05"),
        ([1.2345e-5], [1], "1.23e−05×1 ≈ 1.23e−05"),
        (np.eye(20)[3] / 2, np.ones(20), ".5×1 = .5"),  # of many terms those that are zero are left out
        (np.zeros(20), np.ones(20), "0"),
        (np.ones(16), np.ones(16), f"{' + '.join(['1×1'] * 16)} = {' + '.join('1' * 16)} = 16"),
        (np.ones(17), np.ones(17), "sum of 17 products = 17"),
    ],
)
def test_a_dot_product_as_a_lecture_writes_it(left, right, line):
    assert dot(left, right) == line


@pytest.mark.parametrize(
    ("separation", "scores", "line"),
    [
        (("softmax", math.log(3)), [0, 0, 1, 0], "3^0 + 3^0 + 3^1 + 3^0 = 1 + 1 + 3 + 1 = 6"),
        (("softmax", math.log(3)), [0, 0, 1, 0], "c 3/6 = .5"),
        (("softmax", 1.0), [0, 1], "e^0 + e^1 ≈ 1 + 2.7183 ≈ 3.7183"),
        (("softmax", 5.0), [1, 0], "powers of e, β = 5: e^5 + e^0 ≈"),
        (("softmax", 1.0), [0, 0, 0], "a 1/3 ≈ .3333, b 1/3 ≈ .3333, c 1/3 ≈ .3333"),
        (("softmax", 1000.0), [1, 0], "a 1"),
        (("power", 1.0, 3), [1 / 3, 0.5, 0], "a (.3333)^2 ≈ .1111, b (.5)^2 = .25, c (0)^2 = 0"),
        (("identity", 2.0), [0.5], "weights (2 times the similarity): a 1"),
        (("softmax", 1.0), [], "nothing to attend to: the output is 0"),
    ],
)
def test_weights_are_worked_out_from_their_scores(separation, scores, line):
    name, beta, *n = separation
    made = separations.make(name, beta=beta, **({"n": n[0]} if n else {}))
    written = [*weighing(made, scores, "abcd"[: len(scores)])]
    assert any(line in one for one in written) and "inf" not in "".join(written), written


def test_a_weighted_sum_leaves_out_zeros_and_a_long_vector_is_cut():
    assert weighted_sum([0.6, 0, -0.5], ["a", "b", "c"]) == ".6×a + (−.5)×c"
    assert weighted_sum([0, 0], ["a", "b"]) == "0"
    assert vector(np.ones(16)) == f"({', '.join('1' * 16)})" and vector(np.ones(17)) == "(1, 1, 1, … 17 elements)"
