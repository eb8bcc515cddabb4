"""Markdown with the marks of exercises and solutions that MyST reads by sphinx-exercise."""

from dataclasses import dataclass

from hopattn.practice.formats.base import Format
from hopattn.practice.formats.prose import MARKDOWN, remark
from hopattn.practice.problem import Problem, Sheet


@dataclass(frozen=True)
class MarkdownSheet(Format):
    """Markdown: a heading for each problem, tables, lettered choices."""

    name = "md"
    ending = ".md"

    def sheet(self, sheet: Sheet) -> str:
        parts = [_top(sheet, "practice")]
        for problem in sheet.problems:
            text = MARKDOWN.posed(problem) + MARKDOWN.choices(problem)
            begin = f"```{{exercise-start}}\n:label: {_label(sheet, problem)}\n:nonumber:\n```\n"
            parts.append(f"{_heading(sheet, problem)}{begin}{text.rstrip()}\n\n```{{exercise-end}}\n```\n")
        return "".join(parts)

    def key(self, sheet: Sheet) -> str:
        return markdown_key(sheet, lettered=True)


def markdown_key(sheet: Sheet, lettered: bool = False) -> str:
    """The key of a sheet in Markdown; lettered: whether the sheet has letters before its choices."""
    parts = [_top(sheet, "key"), MARKDOWN.letters(sheet) if lettered else ""]
    for problem, text in MARKDOWN.key(sheet, lettered):
        asked = MARKDOWN.paragraph(problem.question).lstrip()
        begin = f"\n```{{solution-start}} {_label(sheet, problem)}\n```\n"
        parts.append(f"{_heading(sheet, problem)}{asked}{begin}{text}\n```{{solution-end}}\n```\n")
    return "".join(parts)


def _top(sheet: Sheet, kind: str) -> str:
    texts = sheet.texts["format"]
    title = MARKDOWN.markup.begin.format(title=MARKDOWN.text(f"{texts[kind]}: {sheet.title}"))
    source = MARKDOWN.paragraph(sheet.source, f"{texts['source']}:") if sheet.source else ""
    return f"{remark(sheet)}\n{title}{source}"


def _heading(sheet: Sheet, problem: Problem) -> str:
    return MARKDOWN.markup.heading.format(text=f"{sheet.texts['format']['problem']} {problem.number}")


def _label(sheet: Sheet, problem: Problem) -> str:
    return f"{sheet.scenario}-{sheet.seed}-{problem.number}"
