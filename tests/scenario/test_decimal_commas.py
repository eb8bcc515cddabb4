"""Numbers with a decimal comma, and texts instead of numbers: the message gives the number as TOML writes it."""

import pytest

from hopattn.scenario.language.decimal_commas import comma_hint, text_hint
from tests.each import each
from tests.refusal import assert_refused, problems
from tests.texts import GOOD, HUGE

COMMAS = "; if the commas are decimal ones, write "
CUE = """schema = 1
title = "t"
source = "ours"
kind = "cue"
[vocabulary]
axes = ["x", "y"]
[vocabulary.words]
a = [1, 0]
[input]
tokens = ["a"]
[network]
neurons = { one = [0,6, 0,8] }
"""


@each(
    ("old", "new", "place", "written"),
    [
        ("b = [0.6, 0.8]", "b = [0,6, 0,8]", "9: vocabulary.words.b: 4 numbers do not fit the 2 axes (x, y)", "0.6"),
        ("b = [0.6, 0.8]", "b = [-1,25, 0,8]", "9: vocabulary.words.b: 4 numbers", "-1.25"),
        ("b = [0.6, 0.8]", "b = [0.6, 0,8]", "9: vocabulary.words.b: 3 numbers do not fit the 2 axes (x, y)", "0.8"),
        ("b = [0.6, 0.8]", "b = [1,25, 0.8]", "9: vocabulary.words.b: 3 numbers", "1.25"),
        ('nearest = "b"', "is = [1,0, 0,5]", "18: expect.1.is: 4 numbers do not fit the 2 elements of the vec", "1.0"),
        ('nearest = "b"', "is = [0.6, 0.8]\nstated = [0,6, 0,8]", "19: expect.1.stated: has shape (4,), but", "0.6"),
        (
            'at = "b"\nnearest = "b"',
            'matrix = "state"\nis = [[0.1, 0.2], [0,3, 0,4], [0.5, 0.6]]',
            "18: expect.1.is: has shape (3, -1); the matrix has shape (3, 2)",
            "0.3",
        ),
        ('mask = "causal"', "key = [[1, 0], [0,5, 0,5]]", "15: layer.1.head.1.key: every row needs 2 numbers", "0.5"),
        ('mask = "causal"', "scores = [[0,1, 0,2, 0,3]]", "15: layer.1.head.1.scores: does not fit 3 queries", "0.1"),
    ],
)
def test_whole_numbers_in_pairs_are_likely_to_have_decimal_commas(old, new, place, written):
    found = problems(GOOD.replace(old, new, 1))
    assert any(line.startswith(f"file.toml:{place}") and f"{COMMAS}{written} instead of" in line for line in found)


@pytest.mark.parametrize(
    "neurons", ["neurons = { one = [0,6, 0,8] }", "matrix = [[0,6, 0,8]]"], ids=["neurons", "matrix"]
)
def test_the_weights_of_neurons_have_the_same_hint(neurons):
    (found,) = problems(CUE.replace("neurons = { one = [0,6, 0,8] }", neurons))
    assert found.endswith(f"{COMMAS}0.6 instead of 0,6")


@each(
    ("values", "wanted"),
    [
        ([0, 6, 0], 2),  # not twice as many
        ([0, 6, 0, 8], 1),
        ([0.5, 6, 0, 8], 2),  # which two are one number?
        ([0, 6, 0.5, 8], 2),
        ([0.5, 1, -1], 2),
        ([1, -1, 1, 1], 2),  # decimals have no sign
        ([float("inf"), 1], 1),
        ([], 0),
        ([[1, 0], [0.5, 1, 2, 3]], 2),
    ],
)
def test_other_vectors_that_do_not_fit_have_no_hint(values, wanted):
    assert comma_hint(values, wanted) == ""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "[0.6, 0.8]",
            '["0,6", 0.8]',
            "9: vocabulary.words.b.1: got '0,6'; expected a number; write 0.6, without quotes",
        ),
        ("[0.6, 0.8]", '"0.6"', "9: vocabulary.words.b: got '0.6'; expected an array; write [0.6], without"),
        (
            'mask = "causal"',
            'beta = "0,5"',
            "15: layer.1.head.1.beta: got '0,5'; expected a positive number or \"1/sqrt(dim)\"; write 0.5",
        ),
        (
            'nearest = "b"',
            'cosine_to = "b"\nis = "0,6"\nwithin = "1e-3"',
            "19: expect.1.is: got '0,6'; expected a number; write 0.6, without quotes",
        ),
        (
            'nearest = "b"',
            'cosine_to = "b"\nis = 1\nwithin = "1e-3"',
            "20: expect.1.within: got '1e-3'; expected a number; write 1e-3, without quotes",
        ),
        (
            '"softmax"',
            '{ name = "power", n = "3" }',
            "14: layer.1.head.1.separation.n: got '3'; expected a whole number; write 3, without quotes",
        ),
    ],
)
def test_a_text_instead_of_a_number_is_given_as_the_number(old, new, message):
    assert_refused(GOOD.replace(old, new, 1), message)


def test_a_text_that_is_not_a_number_or_not_the_wanted_one_has_no_hint():
    assert problems(HUGE.replace("length = 3", 'length = "2,5"'))[0].endswith("expected a whole number")
    assert problems(GOOD.replace("[0.6, 0.8]", '["much", 0.8]'))[0].endswith("expected a number")
    assert problems(GOOD.replace('["a", "b", "a"]', '"0,6"'))[0].endswith("expected an array")
    assert [text_hint(value) for value in ("", ".", ",", "-", "0,6,1", "e5", None, 0.6)] == [""] * 8
    assert text_hint("−0,60") == "; write -0.60, without quotes"
