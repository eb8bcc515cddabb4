"""Marks: right answers in any form, wrong ones by their error, unreadable ones by their line."""

import pytest

import hopattn as ha
from hopattn.practice import marked, sheet
from hopattn.practice.problem import number_of
from tests.each import each


def answers(tmp_path, lines, head='scenario = "bank"\ncount = 2\nseed = 7\n'):
    file = tmp_path / "answers.toml"
    file.write_text(f"{head}[answers]\n" + "".join(f"{number} = {value}\n" for number, value in lines.items()))
    return file


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
    near = "[" + ", ".join(str(float(number_of(cell)) + 0.0009) for cell in problem.answer.cells[0]) + "]"
    far = "[" + ", ".join(str(float(number_of(cell)) + 0.004) for cell in problem.answer.cells[0]) + "]"
    assert [marked(answers(tmp_path, {1: form}))[0].verdict for form in (near, far)] == ["right", "wrong"]


@each(
    "form",
    [
        "0.5",
        '"E"',
        '"two"',
        "[1, 2]",
        "true",
        '["a", 0, 0, 0]',
        "[[1, 2], [3, 4]]",
        "{ a = 1 }",
        "[]",
        "nan",
        '["1/0", 0, 0, 0]',
    ],
)
def test_an_unreadable_answer_is_said_with_its_line(tmp_path, form):
    mark = marked(answers(tmp_path, {1: '"A"', 2: form}))[1]
    assert (mark.verdict, mark.line) == (
        "unreadable",
        6,
    ) and "expected a list of 4 numbers, or a letter from A to D" in mark.reason


@each(
    ("text", "message"),
    [
        ('scenario = "bank"\n', "answers.toml:1: answers: is missing"),
        ('scenario = "bnk"\n[answers]\n1 = 1\n', "there is no scenario or file 'bnk'; did you mean 'bank'?"),
        ('scenario = "bank"\ncount = 2\n[answers]\n3 = 1\n', "answers.toml:4: answers: '3' is unknown"),
        ('scenario = "bank"\nsed = 2\n[answers]\n3 = 1\n', "did you mean 'seed'?"),
        ("scenario = bank\n", "answers.toml:1: not TOML"),
        ('scenario = "bank"\nlanguage = "dee"\n[answers]\n1 = 1\n', "language: 'dee' is unknown; did you mean 'de'?"),
    ],
)
def test_a_fault_of_the_file_is_reported(tmp_path, text, message):
    file = tmp_path / "answers.toml"
    file.write_text(text)
    with pytest.raises(ha.InvalidInput) as error:
        marked(file)
    assert message in str(error.value)
