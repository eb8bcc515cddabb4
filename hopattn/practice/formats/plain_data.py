"""All of a sheet as JSON, for programs."""

import json
from typing import Any

from hopattn.practice.problem import Problem, Sheet


def sheet(sheet: Sheet) -> str:
    """The problems with their answers, the errors behind the wrong ones, and the working."""
    about = {name: value for name, value in vars(sheet).items() if name not in ("texts", "problems")}
    problems = [_whole(problem) for problem in sheet.problems]
    return json.dumps({**about, "problems": problems}, ensure_ascii=False, indent=1) + "\n"


def _whole(problem: Problem) -> dict[str, Any]:
    """A problem, with the numbers of its choices beside their texts."""
    whole = problem.to_dict()
    pairs = zip(whole["choices"], problem.choices, strict=True)
    choices = [{**one, "numbers": [[float(cell) for cell in row] for row in choice.numbers]} for one, choice in pairs]
    return {**whole, "choices": choices}
