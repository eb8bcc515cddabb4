"""A Jupyter notebook that checks answers without showing them.

It holds a hash of each number in units of .0001. A student's number is right if one of the units within .0005 of it has
that hash.
"""

import json
from hashlib import sha256
from pprint import pformat
from typing import Any

from hopattn.practice.formats.paper import MARKDOWN, markdown_key
from hopattn.practice.formats.prose import posed
from hopattn.practice.problem import Choice, Problem, Sheet

_CHECK = '''from hashlib import sha256


def fault_of(answer, place, right, errors, form):
    """The fault of an answer, as a text; an empty text for a right answer."""
    try:
        answer = answer.tolist() if hasattr(answer, "tolist") else answer
        rows = answer if isinstance(answer, (list, tuple)) else [answer]
        rows = rows if isinstance(rows[0], (list, tuple)) else [rows]
        units = [[round(10_000 * float(number)) for number in row] for row in rows]
    except (TypeError, ValueError, IndexError, OverflowError):
        return form
    if [len(row) for row in units] != [len(row) for row in right]:
        return form
    if fits(units, place, right):
        return ""
    return next((LIKELY.format(reason=reason) for reason, marks in errors if fits(units, place, marks)), NOT_RIGHT)


def fits(units, place, marks):
    """Whether each number is at most .0005 from the one that a mark stands for."""
    return all(
        any(sha256(f"{place} {i} {j} {near}".encode()).hexdigest()[:16] == mark for near in range(unit - 5, unit + 6))
        for i, row in enumerate(marks)
        for j, (unit, mark) in enumerate(zip(units[i], row))
    )
'''


def sheet(sheet: Sheet) -> str:
    """A notebook with a cell for each answer, and a cell behind it that checks it."""
    texts, markup = sheet.texts["format"], MARKDOWN.markup
    constants = _assigned(RIGHT=texts["right"], NOT_RIGHT=texts["not_right"], LIKELY=texts["likely"])
    cells = [
        _cell("title", MARKDOWN.page(sheet, "practice", markup.paragraph(texts["run"]))),
        _cell("check", f"{_CHECK}\n\n{constants}", code=True),
    ]
    for problem in sheet.problems:
        place = f"{sheet.scenario} {sheet.seed} {problem.number}"
        asked = (MARKDOWN.heading(sheet, problem) + posed(markup, problem)).lstrip()
        asked += "".join(map(markup.paragraph, (_form(problem, texts), texts["reply"])))
        cells += [
            _cell(f"problem-{problem.number}", asked),
            _cell(f"answer-{problem.number}", "answer = ...", code=True),
            _cell(f"check-{problem.number}", _checked(problem, place, texts), code=True),
        ]
    return _notebook(cells)


def key(sheet: Sheet) -> str:
    """A notebook of one cell, the key in Markdown."""
    return _notebook([_cell("key", markdown_key(sheet))])


def _notebook(cells: list[dict[str, Any]]) -> str:
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    notebook = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def _form(problem: Problem, texts: dict[str, str]) -> str:
    """A sentence about the form of the answer."""
    if problem.is_number:
        return texts["number"]
    return texts["matrix" if problem.rows else "vector"].format(
        rows=", ".join(problem.rows), columns=", ".join(problem.columns)
    )


def _checked(problem: Problem, place: str, texts: dict[str, str]) -> str:
    """The code that checks the answer to a problem."""
    errors = [(choice.reason, _marks(choice, place)) for choice in problem.choices if choice.error]
    form = f"{texts['form']} {_form(problem, texts)}"
    given = _assigned(place=place, form=form, right=_marks(problem.answer, place), errors=errors)
    return f"{given}fault = fault_of(answer, place, right, errors, form)\nassert not fault, fault\nprint(RIGHT)"


def _assigned(**values: Any) -> str:
    """Values with their names, in Python's language."""
    return "".join(f"{name} = {pformat(value, width=100)}\n" for name, value in values.items())


def _marks(choice: Choice, place: str) -> list[list[str]]:
    """A hash of each number of an answer, which depends on its place."""
    return [
        [sha256(f"{place} {i} {j} {round(10_000 * one)}".encode()).hexdigest()[:16] for j, one in enumerate(row)]
        for i, row in enumerate(choice.numbers)
    ]


def _cell(name: str, source: str, code: bool = False) -> dict[str, Any]:
    cell = {"id": name, "metadata": {}, "source": source.splitlines(keepends=True)}
    about: dict[str, Any] = (
        {"cell_type": "code", "execution_count": None, "outputs": []} if code else {"cell_type": "markdown"}
    )
    return {**about, **cell}
