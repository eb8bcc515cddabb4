"""The parts of a problem in a markup language: sentences, tables, choices, and the working of the key."""

from itertools import groupby
from textwrap import dedent

from hopattn.foundation.sentences import say
from hopattn.foundation.writing import listed
from hopattn.practice.problem import LETTERS, Choice, Grid, Problem, Sheet
from hopattn.views.markup import Html, Markup


class Platform(Html):
    """HTML for learning platforms, which take braces for blanks and for templates, and dollar signs for formulas."""

    signs = str.maketrans(
        {
            **{sign: f"&#{ord(sign)};" for sign in "<>&\"'{}`"},
            **{sign: f"<span>&#{ord(sign)};</span>" for sign in "$\\"},
        }
    )
    line = '<p style="margin: .2em 0 .2em {depth}em">{text}</p>\n'
    begin = '<table style="border-collapse: separate; border-spacing: 1em .3em; text-align: right">'


PLATFORM = Platform()


def posed(markup: Markup, problem: Problem) -> str:
    """The given sentences, those in a row in one paragraph, the given tables, and the question."""
    parts: list[str] = []
    for _, group in groupby(problem.given, type):
        alike = [*group]
        sentences = [part for part in alike if isinstance(part, str)]
        parts += [markup.paragraph(" ".join(sentences))] if sentences else []
        parts += [markup.table(part) for part in alike if isinstance(part, Grid)]
    return "".join([*parts, markup.paragraph(problem.question)])


def choices(markup: Markup, problem: Problem) -> str:
    """The answers to choose from: numbers, the rows of one table, or tables."""
    if problem.rows or problem.is_number:
        return markup.choices(choice(markup, problem, one) for one in problem.choices)
    letters = tuple(LETTERS[: len(problem.choices)])
    return markup.table(Grid(letters, problem.columns, tuple(one.cells[0] for one in problem.choices)))


def choice(markup: Markup, problem: Problem, one: Choice) -> str:
    """An answer: a number, or a table."""
    return markup.text(one.cells[0][0]) if problem.is_number else markup.table(problem.as_grid(one))


def answered(markup: Markup, sheet: Sheet, problem: Problem, lettered: bool) -> str:
    """A problem of the key: the answer, the working, and the errors. lettered: whether the answers have letters."""
    label, (answer, *_) = f"{sheet.texts['format']['answer']}:", _named(problem, lettered)[problem.right :]
    matrix = markup.table(problem.as_grid(problem.answer)) if len(problem.answer.cells) > 1 else ""
    return markup.paragraph(answer, label) + matrix + explained(markup, sheet, problem, lettered)


def explained(markup: Markup, sheet: Sheet, problem: Problem, lettered: bool = False) -> str:
    """The working of a problem, and the errors behind the wrong answers."""
    texts = sheet.texts["format"]
    pairs = zip(_named(problem, lettered), problem.choices, strict=True)
    errors = [f"{answer}: {one.reason}".replace("\n", " ") for answer, one in pairs if one.error]
    parts = {"working": dedent("\n".join(problem.working)).splitlines(), "wrong": errors}
    return "".join(
        "".join([markup.paragraph("", f"{texts[name]}:"), "\n", *markup.arithmetic(lines)])
        for name, lines in parts.items()
    )


def in_line(one: Choice) -> str:
    """An answer in one line: .5, (.1, .2), or (.1, .2; .3, .4).

    >>> in_line(Choice(((".1", ".2"), (".3", ".4"))))
    '(.1, .2; .3, .4)'
    """
    numbers = say("; ").join(map(listed, one.cells))
    return numbers if len(one.cells) == len(one.cells[0]) == 1 else f"({numbers})"


def _named(problem: Problem, lettered: bool) -> list[str]:
    """The answers of a problem in one line each, with their letters or without; of a matrix the letter alone."""
    if lettered and len(problem.answer.cells) > 1:
        return [*LETTERS[: len(problem.choices)]]
    numbers = [in_line(one) for one in problem.choices]
    return [f"{letter}, {one}" for letter, one in zip(LETTERS, numbers, strict=False)] if lettered else numbers
