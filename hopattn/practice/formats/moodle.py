"""Moodle XML: numbers to type in, with a remark on each likely error.

Source: https://docs.moodle.org/en/Moodle_XML_format and .../Embedded_Answers_(Cloze)_question_type.
"""

from fractions import Fraction
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from hopattn.practice.formats.prose import PLATFORM, explained, posed
from hopattn.practice.problem import Grid, Problem, Sheet, number_of

_TOLERANCE = "0.0005"


def sheet(sheet: Sheet) -> str:
    """Questions for the question bank of a Moodle course; a table is a question with a blank for each number."""
    quiz = Element("quiz")
    category = SubElement(quiz, "question", type="category")
    _text(category, "category", f"$course$/top/hopattn/{sheet.scenario.replace('/', '//')}")
    _text(category, "info", PLATFORM.paragraph(sheet.title) + PLATFORM.paragraph(sheet.command), format="html")
    for problem in sheet.problems:
        _question(quiz, sheet, problem)
    indent(quiz)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(quiz, "us-ascii").decode()}\n'


def _question(quiz: Element, sheet: Sheet, problem: Problem) -> None:
    question = SubElement(quiz, "question", type="numerical" if problem.is_number else "cloze")
    _text(question, "name", f"{sheet.scenario} {sheet.seed}.{problem.number}")
    asked = posed(PLATFORM, problem) + PLATFORM.paragraph(sheet.texts["format"]["decimal"])
    asked += "" if problem.is_number else PLATFORM.table(_blanks(problem), cell=str)
    _text(question, "questiontext", asked, format="html")
    _text(question, "generalfeedback", explained(PLATFORM, sheet, problem), format="html")
    SubElement(question, "penalty").text = "0.3333333"
    if problem.is_number:
        SubElement(question, "defaultgrade").text = "1"
        for choice in sorted(problem.choices, key=lambda choice: bool(choice.error)):  # the first that fits counts
            answer = SubElement(question, "answer", fraction="0" if choice.error else "100")
            SubElement(answer, "text").text = _decimal(choice.numbers[0][0])
            SubElement(answer, "tolerance").text = _TOLERANCE
            _text(answer, "feedback", PLATFORM.paragraph(choice.reason) if choice.error else "", format="html")


def _blanks(problem: Problem) -> Grid:
    """The right answer as a table of blanks to fill in, whose numbers count equally."""
    grid = problem.as_grid(problem.answer)
    cells = tuple(
        tuple(f"{{1:NUMERICAL:={_decimal(number_of(cell))}:{_TOLERANCE}}}" for cell in row) for row in grid.cells
    )
    return Grid(grid.rows, grid.columns, cells)


def _decimal(number: Fraction) -> str:
    """A number with at most six decimals."""
    return f"{float(number):.6f}".rstrip("0").rstrip(".")


def _text(parent: Element, tag: str, text: str, **attributes: str) -> None:
    SubElement(SubElement(parent, tag, attributes), "text").text = text
