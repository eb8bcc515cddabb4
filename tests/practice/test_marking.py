"""Marks: right answers in any form, wrong ones by their error, unreadable ones by their line."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopattn.foundation.writing import fractions, number, short_fraction
from hopattn.practice import marked, sheet
from hopattn.practice.problem import number_of


def answers(tmp_path, lines, head='scenario = "bank"\ncount = 2\nseed = 7\n'):
    text = f"{head}[answers]\n" + "".join(f"{number} = {value}\n" for number, value in lines.items())
    (tmp_path / "answers.toml").write_text(text)
    return tmp_path / "answers.toml"


def as_array(choice):
    return "[" + ", ".join(str(float(number_of(cell))) for cell in choice.cells[0]) + "]"


def test_the_right_answer_is_right_as_a_letter_as_numbers_and_as_texts(tmp_path):
    for problem in sheet("bank", 2, 7).problems:
        texts = "[" + ", ".join(f'"{cell}"' for cell in problem.answer.cells[0]) + "]"
        for form in (f'"{problem.letter}"', f'"{problem.letter.lower()} "', as_array(problem.answer), texts):
            marks = marked(answers(tmp_path, {problem.number: form}))
            assert marks[problem.number - 1].verdict == "right"
            assert marks[2 - problem.number].verdict == "missing"


def test_a_wrong_answer_is_marked_with_its_error(tmp_path):
    problem = sheet("bank", 2, 7).problems[0]
    for letter, choice in zip("ABCD", problem.choices, strict=True):
        for form in (f'"{letter}"', as_array(choice)):
            mark = marked(answers(tmp_path, {1: form}))[0]
            assert (mark.verdict == "right") == (choice is problem.answer) and mark.reason == choice.reason
    mark = marked(answers(tmp_path, {1: "[9, 9, 9, 9]"}))[0]
    assert (mark.verdict, mark.reason, mark.line) == ("wrong", "", 5)


def test_an_answer_may_be_rounded(tmp_path):
    problem = sheet("bank", 2, 7).problems[0]
    for off, verdict in ((0.0009, "right"), (-0.0009, "right"), (0.0011, "wrong"), (-0.0011, "wrong")):
        rounded = "[" + ", ".join(str(float(number_of(cell)) + off) for cell in problem.answer.cells[0]) + "]"
        assert marked(answers(tmp_path, {1: rounded}))[0].verdict == verdict


@pytest.mark.parametrize(
    "form",
    [
        *("0.5", '"E"', '"two"', "[1, 2]", "true", '["a", 0, 0, 0]', "[[1, 2], [3, 4]]", "{ a = 1 }", "[]", "nan"),
        *('["1/0", 0, 0, 0]', "[true, 0, 0, 0]", "[inf, 0, 0, 0]"),
    ],
)
def test_an_unreadable_answer_is_said_with_its_line(tmp_path, form):
    mark = marked(answers(tmp_path, {1: '"A"', 2: form}))[1]
    assert (mark.verdict, mark.line) == ("unreadable", 6)
    assert "expected a list of 4 numbers, or a letter from A to D" in mark.reason


@given(numerator=st.integers(-400, 400), denominator=st.integers(1, 20), thousandths=st.integers(-5000, 5000))
def test_a_short_number_is_written_exactly_and_read_again(numerator, denominator, thousandths):
    exact, decimal = Fraction(numerator, denominator), Fraction(thousandths, 1000)
    with fractions():
        text, short = number(float(exact)), number(float(decimal))
    assert number_of(text) == exact == short_fraction(float(exact))
    assert number_of(short) == decimal and "/" not in short
    assert [number_of(form) for form in ("−.25", " 0,5 ", "2/3", "+1.")] == [
        Fraction(*p) for p in ((-1, 4), (1, 2), (2, 3), (1,))
    ]
