"""The parts of a problem in Markdown, HTML and LaTeX: sentences, tables, choices, and the working of the key."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from textwrap import dedent, indent

from hopattn.practice.problem import LETTERS, Choice, Grid, Problem, Sheet
from hopattn.views.handout import MARKUPS, Markup, arithmetic, written
from hopattn.views.visible import visible


@dataclass(frozen=True)
class Prose(ABC):
    """A markup language in which people read problems."""

    markup: Markup
    strong: str

    def text(self, text: str) -> str:
        """A text in one line, escaped."""
        return written(" ".join(text.split()), self.markup)

    def paragraph(self, text: str, label: str = "") -> str:
        """A paragraph of a text, with a bold label before it."""
        begin = self.strong.format(text=self.text(label)) if label else ""
        return self.markup.about.format(text=" ".join(filter(None, (begin, self.text(text)))))

    @abstractmethod
    def table(self, grid: Grid, cell: Callable[[str], str] | None = None) -> str:
        """A table with the names of its rows and columns; cell: writes a number, by default as a text."""

    @abstractmethod
    def listed(self, answers: Iterable[str]) -> str:
        """Answers to choose from, which are written already, with a letter before each."""

    def posed(self, problem: Problem) -> str:
        """The given sentences, those in a row in one paragraph, the given tables, and the question."""
        parts: list[str] = []
        for _, group in groupby(problem.given, type):
            alike = list(group)
            sentences = [part for part in alike if isinstance(part, str)]
            parts += [self.paragraph(" ".join(sentences))] if sentences else []
            parts += [self.table(part) for part in alike if isinstance(part, Grid)]
        return "".join([*parts, self.paragraph(problem.question)])

    def choices(self, problem: Problem) -> str:
        """The answers to choose from: numbers, the rows of one table, or tables."""
        if problem.rows or problem.is_number:
            return self.listed(self.choice(problem, choice) for choice in problem.choices)
        letters = tuple(LETTERS[: len(problem.choices)])
        return self.table(Grid(letters, problem.columns, tuple(choice.cells[0] for choice in problem.choices)))

    def choice(self, problem: Problem, choice: Choice) -> str:
        """An answer: a number, or a table."""
        return self.text(choice.cells[0][0]) if problem.is_number else self.table(problem.as_grid(choice))

    def key(self, sheet: Sheet, lettered: bool = True) -> Iterator[tuple[Problem, str]]:
        """Each problem with its answer, the working, and the errors behind the wrong answers.

        lettered: whether the answers have the letters of the sheet.
        """
        for problem in sheet.problems:
            answer = named_answers(problem, lettered)[problem.right]
            label = f"{sheet.texts['format']['answer']}:"
            matrix = self.table(problem.as_grid(problem.answer)) if len(problem.answer.cells) > 1 else ""
            yield problem, self.paragraph(answer, label) + matrix + self.explained(sheet, problem, lettered)

    def explained(self, sheet: Sheet, problem: Problem, lettered: bool = False) -> str:
        """The working of a problem, and the errors behind the wrong answers."""
        texts = sheet.texts["format"]
        working = dedent("\n".join(problem.working)).splitlines()
        pairs = zip(named_answers(problem, lettered), problem.choices, strict=True)
        errors = [f"{answer}: {choice.reason}".replace("\n", " ") for answer, choice in pairs if choice.error]
        parts = ((texts["working"], working), (texts["wrong"], errors))
        return "".join(
            "".join([self.paragraph("", f"{label}:"), "\n", *arithmetic(lines, self.markup)]) for label, lines in parts
        )

    def letters(self, sheet: Sheet) -> str:
        """The letters of all right answers in a paragraph."""
        letters = ", ".join(f"{problem.number} {problem.letter}" for problem in sheet.problems)
        return self.paragraph(letters, f"{sheet.texts['format']['answers']}:")


class MarkdownProse(Prose):
    """Markdown with the tables that GitHub and MyST know."""

    def table(self, grid: Grid, cell: Callable[[str], str] | None = None) -> str:
        lines = [("", *grid.columns), *((name, *cells) for name, cells in zip(grid.rows, grid.cells, strict=True))]
        rows = ["| " + " | ".join(map(cell or self.text, line)) + " |\n" for line in lines]
        rows.insert(1, "|---|" + "---:|" * len(grid.columns) + "\n")
        return "\n" + "".join(rows)

    def listed(self, answers: Iterable[str]) -> str:
        pairs = zip(LETTERS, answers, strict=False)
        items = (
            f"- **{letter}**\n{indent(one, '  ')}" if "\n" in one else f"- **{letter}** {one}" for letter, one in pairs
        )
        return "\n" + "".join(f"{item}\n" for item in items)


@dataclass(frozen=True)
class HtmlProse(Prose):
    """HTML of plain elements; begin: the tag that begins a table."""

    begin: str = "<table>"

    def table(self, grid: Grid, cell: Callable[[str], str] | None = None) -> str:
        named = any(grid.rows)
        head = [f'<th scope="col">{self.text(name)}</th>' for name in grid.columns]
        rows = [["<td></td>", *head] if named else head]
        for name, cells in zip(grid.rows, grid.cells, strict=True):
            begin = [f'<th scope="row">{self.text(name)}</th>'] if named else []
            rows.append([*begin, *(f"<td>{(cell or self.text)(one)}</td>" for one in cells)])
        return f"{self.begin}\n" + "".join(f"<tr>{''.join(row)}</tr>\n" for row in rows) + "</table>\n"

    def listed(self, answers: Iterable[str]) -> str:
        return '<ol type="A">\n' + "".join(f"<li>{answer}</li>\n" for answer in answers) + "</ol>\n"


class LatexProse(Prose):
    """LaTeX with the environments of the class `exam`."""

    def table(self, grid: Grid, cell: Callable[[str], str] | None = None) -> str:
        named = any(grid.rows)
        lines = [("", *grid.columns), *((name, *cells) for name, cells in zip(grid.rows, grid.cells, strict=True))]
        rows = [  # braces, because \\ takes a bracket behind it for its argument
            " & ".join("{" + (cell or self.text)(one) + "}" for one in line[not named :]) + "\\\\\n" for line in lines
        ]
        rows.insert(1, "\\hline\n")
        columns = "l|" * named + "r" * len(grid.columns)
        return f"\n\\begin{{tabular}}[t]{{{columns}}}\n{''.join(rows)}\\end{{tabular}}\n\n"

    def listed(self, answers: Iterable[str]) -> str:
        choices = "".join(f"\\choice{{}} {answer.strip()}\n" for answer in answers)
        return f"\\begin{{choices}}\n{choices}\\end{{choices}}\n"


MARKDOWN = MarkdownProse(MARKUPS["md"], "**{text}**")
HTML = HtmlProse(MARKUPS["html"], "<strong>{text}</strong>")
LATEX = LatexProse(MARKUPS["tex"]._replace(about="\n{text}\n"), "\\textbf{{{text}}}")

_PLATFORM_SIGNS = {
    **{sign: f"&#{ord(sign)};" for sign in "<>&\"'{}`"},
    **{sign: f"<span>&#{ord(sign)};</span>" for sign in "$\\"},
}
_PLATFORM_LINE = '<p style="margin: .2em 0 .2em {depth}em">{text}</p>\n'
PLATFORM = HtmlProse(
    MARKUPS["html"]._replace(signs=str.maketrans(_PLATFORM_SIGNS), line=_PLATFORM_LINE),
    strong=HTML.strong,
    begin='<table style="border-collapse: separate; border-spacing: 1em .3em; text-align: right">',
)
"""HTML for learning platforms, which take braces for blanks and for templates, and dollar signs for formulas."""


def in_line(choice: Choice) -> str:
    """An answer in one line: .5, (.1, .2), or (.1, .2; .3, .4).

    >>> in_line(Choice(((".1", ".2"), (".3", ".4"))))
    '(.1, .2; .3, .4)'
    """
    numbers = "; ".join(", ".join(row) for row in choice.cells)
    return numbers if len(choice.cells) == len(choice.cells[0]) == 1 else f"({numbers})"


def named_answers(problem: Problem, lettered: bool) -> list[str]:
    """The answers of a problem in one line each, with their letters or without; of a matrix the letter alone."""
    if lettered and len(problem.answer.cells) > 1:
        return [*LETTERS[: len(problem.choices)]]
    numbers = [in_line(choice) for choice in problem.choices]
    return [f"{letter}, {one}" for letter, one in zip(LETTERS, numbers, strict=False)] if lettered else numbers


def remark(sheet: Sheet) -> str:
    """The command that draws the sheet again, as a comment of Markdown and HTML, which ends at `-->`."""
    return f"<!-- {visible(sheet.command).replace('>', '&gt;')} -->\n"
