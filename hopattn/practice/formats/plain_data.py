"""All of a sheet as JSON, for programs."""

import json
from dataclasses import dataclass
from typing import Any

from hopattn.practice.formats.base import Format
from hopattn.practice.formats.markdown import markdown_key
from hopattn.practice.problem import Problem, Sheet


@dataclass(frozen=True)
class PlainData(Format):
    """JSON: the problems with their answers, the errors behind the wrong ones, and the working."""

    name = "json"
    ending = ".json"
    upload = True

    def sheet(self, sheet: Sheet) -> str:
        about = {name: value for name, value in vars(sheet).items() if name not in ("texts", "problems")}
        problems = [_whole(problem) for problem in sheet.problems]
        return json.dumps({**about, "problems": problems}, ensure_ascii=False, indent=1) + "\n"

    def key(self, sheet: Sheet) -> str:
        return markdown_key(sheet, lettered=True)


def _whole(problem: Problem) -> dict[str, Any]:
    """A problem, with the numbers of its choices beside their texts."""
    whole = problem.to_dict()
    pairs = zip(whole["choices"], problem.choices, strict=True)
    choices = [{**one, "numbers": [[float(cell) for cell in row] for row in choice.numbers]} for one, choice in pairs]
    return {**whole, "choices": choices}
