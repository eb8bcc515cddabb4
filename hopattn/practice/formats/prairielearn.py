"""PrairieLearn: a folder for each problem, to be put into the folder `questions` of a course.

Source: https://prairielearn.readthedocs.io/en/latest/question/overview/.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import NAMESPACE_URL, uuid5

from hopattn.practice.formats.base import Format
from hopattn.practice.formats.markdown import markdown_key
from hopattn.practice.formats.prose import PLATFORM
from hopattn.practice.problem import Grid, Problem, Sheet
from hopattn.views.visible import visible

_INPUT = '<pl-number-input answers-name="{name}" comparison="relabs" rtol="0" atol="0.0005"{more}></pl-number-input>'
_IN_TABLE = ' size="8" show-placeholder="false" show-help-text="false"'


@dataclass(frozen=True)
class PrairieLearn(Format):
    """Questions that ask for numbers; a table has a field for each number."""

    name = "prairielearn"
    ending = ""
    upload = True

    def sheet(self, sheet: Sheet) -> Mapping[str, bytes]:
        files = {}
        for problem in sheet.problems:
            folder = f"{sheet.scenario}-{sheet.seed}-{problem.number}"
            files[f"{folder}/info.json"] = _info(sheet, problem)
            files[f"{folder}/question.html"] = _page(sheet, problem)
            files[f"{folder}/server.py"] = _server(sheet, problem)
        return {path: text.encode() for path, text in files.items()}

    def key(self, sheet: Sheet) -> str:
        return markdown_key(sheet)


def _info(sheet: Sheet, problem: Problem) -> str:
    uuid = uuid5(NAMESPACE_URL, f"hopattn practice {sheet.scenario} {sheet.seed} {problem.number}")
    info = {
        "uuid": str(uuid),
        "title": f"{sheet.title} {problem.number}",
        "topic": sheet.scenario,
        "tags": ["hopattn"],
        "type": "v3",
        "singleVariant": True,
        "comment": sheet.command,
    }
    return json.dumps(info, indent=2) + "\n"


def _page(sheet: Sheet, problem: Problem) -> str:
    names = _names(problem)
    field = PLATFORM.table(names, cell=lambda name: _INPUT.format(name=name, more=_IN_TABLE))
    if problem.is_number:
        label = PLATFORM.text(sheet.texts["format"]["answer"])
        field = _INPUT.format(name=names.cells[0][0], more=f' label="{label}"') + "\n"
    return (
        f"<pl-question-panel>\n{PLATFORM.posed(problem)}</pl-question-panel>\n{field}"
        f"<pl-answer-panel>\n{PLATFORM.explained(sheet, problem)}</pl-answer-panel>\n"
    )


def _server(sheet: Sheet, problem: Problem) -> str:
    lines = [f"# {visible(sheet.command)}", "", "", "def generate(data):"]
    for names, numbers in zip(_names(problem).cells, problem.answer.numbers, strict=True):
        pairs = zip(names, numbers, strict=True)
        lines += [f'    data["correct_answers"]["{name}"] = {float(number)}' for name, number in pairs]
    return "\n".join(lines) + "\n"


def _names(problem: Problem) -> Grid:
    """The names of the fields, one for each number of the answer."""
    grid = problem.as_grid(problem.answer)
    cells = tuple(
        tuple(f"answer_{row}_{column}" for column in range(1, len(one) + 1)) for row, one in enumerate(grid.cells, 1)
    )
    return Grid(grid.rows, grid.columns, cells)
