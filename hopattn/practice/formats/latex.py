"""LaTeX with the class `exam`: questions with choices, and a key of solutions."""

from dataclasses import dataclass

from hopattn.practice.formats.base import Format
from hopattn.practice.formats.prose import LATEX
from hopattn.practice.problem import Sheet
from hopattn.views.handout import LINES_TEX
from hopattn.views.visible import visible


@dataclass(frozen=True)
class Latex(Format):
    """A LaTeX file for LuaLaTeX and XeLaTeX; pdflatex reads it too where all words are of Latin letters."""

    name = "tex"
    ending = ".tex"

    def sheet(self, sheet: Sheet) -> str:
        questions = [_question(LATEX.posed(problem) + LATEX.choices(problem)) for problem in sheet.problems]
        return _document(sheet, "practice", "", questions)

    def key(self, sheet: Sheet) -> str:
        solutions = [
            _question(f"{LATEX.paragraph(problem.question)}\\begin{{solution}}{text}\\end{{solution}}\n")
            for problem, text in LATEX.key(sheet)
        ]
        return _document(sheet, "key", LATEX.letters(sheet), solutions)


def _question(text: str) -> str:
    return f"\n\\question{{}}{text}"  # a bracket at the beginning of the text would be the points of the question


def _document(sheet: Sheet, kind: str, before: str, questions: list[str]) -> str:
    words = sheet.texts["format"]
    title = LATEX.text(f"{words[kind]}: {sheet.title}")
    source = LATEX.paragraph(sheet.source, f"{words['source']}:") if sheet.source else ""
    options = "a4paper,answers" if kind == "key" else "a4paper"
    return (
        f"% {visible(sheet.command)}\n\\documentclass[{options}]{{exam}}\n{LINES_TEX}"
        "\\renewcommand{\\solutiontitle}{}\n\\unframedsolutions\n\\begin{document}\n"
        f"\\section*{{{title}}}\n{source}{before}\n\\begin{{questions}}\n{''.join(questions)}\n\\end{{questions}}\n"
        "\\end{document}\n"
    )
