"""Answers against the right ones: right, wrong with the likely error, or unreadable with its line."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from hopattn.foundation.checks import path_of
from hopattn.foundation.errors import InvalidInput, placed, quoted, unknown
from hopattn.practice.drawing import PROBLEMS, Exercise, cells
from hopattn.practice.problem import LETTERS, Choice, Problem, number_of
from hopattn.practice.wording import texts
from hopattn.scenario.files import beside
from hopattn.scenario.language.table import Table, Text
from hopattn.scenario.loading import load_scenario, load_table
from hopattn.scenario.practice_table import MOST_PROBLEMS

NEAR = Fraction(1, 1000)
"""The largest difference from the right number that counts as rounding: a student may round at the third decimal."""

Rows = Sequence[Sequence[Fraction]]


class AnswersTable(Table):
    """A file of answers to a sheet."""

    scenario: Text
    """The name or the file of the scenario that the sheet was drawn from."""
    count: Annotated[int, Field(ge=1, le=MOST_PROBLEMS)] = PROBLEMS
    """The number of problems on the sheet."""
    seed: Annotated[int, Field(ge=0)] = 0
    """The seed of the sheet."""
    language: Text = "en"
    """The language of the reasons."""
    answers: Annotated[dict[Text, Any], Field(min_length=1)]
    """The answer to each problem, by its number: the letter of a choice, a number such as 0.5 or "2/3", or an array."""


@dataclass(frozen=True)
class Mark:
    """The mark of one answer.

    number: of the problem. line: of the answer in its file; 0 where the answer is missing. reason: the likely error
    behind a wrong answer, or why one is unreadable; empty where none is known.
    """

    number: int
    verdict: Literal["right", "wrong", "unreadable", "missing"]
    line: int
    reason: str = ""


def marked(file: str | Path) -> tuple[Mark, ...]:
    """The marks of the answers in a TOML file, one for each problem of the sheet.

    The file names the sheet by `scenario`, `count` and `seed`, and gives `[answers]`, such as `1 = "B"`, `2 = 0.62` or
    `3 = [0, "2/3"]`. A number counts as right up to .001. A wrong answer that a run with an error gives is marked with
    that error. Raises `InvalidInput` with all errors of the file, and as `sheet` does.
    """
    path = path_of(file, "file")
    table, lines = load_table(path, AnswersTable)
    numbers = [str(i) for i in range(1, table.count + 1)]
    wrong = [name for name in table.answers if name not in numbers]
    if wrong:
        where = f"{path}:{lines.line_of(('answers', wrong[0]))}"
        raise InvalidInput(f"{where}: answers: {unknown(wrong[0], numbers)}; the sheet has {table.count} problems")
    with placed(f"{path}:{lines.line_of(('language',))}"):
        words = texts(table.language)
    with placed(f"{path}:{lines.line_of(('scenario',))}: scenario"):
        exercise = Exercise(load_scenario(beside(path, table.scenario)))
    marks = []
    for place, name in enumerate(numbers, start=1):
        if name not in table.answers:
            marks.append(Mark(place, "missing", 0))
            continue
        draw, line = exercise.draw(table.seed, place), lines.line_of(("answers", name))
        problem = exercise.problem(draw, place, words)
        try:
            own = _rows(table.answers[name], problem)
        except ValueError as error:
            marks.append(Mark(place, "unreadable", line, str(error)))
            continue
        if _near(own, problem.answer.numbers):
            marks.append(Mark(place, "right", line))
        else:
            known = ((Choice(cells(answer)).numbers, error) for error, answer in exercise.wrong_answers(draw))
            likely = next((error for right, error in known if _near(own, right)), "")
            marks.append(Mark(place, "wrong", line, words["error"].get(likely, "")))
    return tuple(marks)


def _rows(answer: Any, problem: Problem) -> Rows:
    """The numbers of an answer, row by row; raises `ValueError` for one that cannot be read."""
    letters = LETTERS[: len(problem.choices)]
    if isinstance(answer, str) and answer.strip().upper() in {*letters}:
        return problem.choices[letters.index(answer.strip().upper())].numbers
    right = problem.answer.numbers
    shape = "a number" if problem.is_number else f"a list of {len(right[0])} numbers"
    shape = f"a list of {len(right)} such rows: {shape}" if len(right) > 1 else shape
    expected = f"expected {shape}, or a letter from A to {letters[-1]}"
    rows = answer if isinstance(answer, list) else [answer]
    rows = rows if any(isinstance(row, list) for row in rows) else [rows]
    found = [[_number(one, expected) for one in (row if isinstance(row, list) else [row])] for row in rows]
    if [len(row) for row in found] != [len(row) for row in right]:
        lengths = " + ".join(str(len(row)) for row in found)
        raise ValueError(f"got {lengths} number{'s' * (lengths != '1')}; {expected}")
    return found


def _number(value: Any, expected: str) -> Fraction:
    """A number of a file, or of a text such as "2/3"."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"got {quoted(value)}; {expected}")
    try:
        return number_of(value) if isinstance(value, str) else Fraction(value)
    except (ValueError, OverflowError):
        raise ValueError(f"got {quoted(value)}; {expected}") from None


def _near(own: Rows, other: Rows) -> bool:
    """Whether two answers are the same up to rounding."""
    pairs = zip(chain(*own), chain(*other), strict=False)
    return [len(row) for row in own] == [len(row) for row in other] and all(abs(a - b) <= NEAR for a, b in pairs)
