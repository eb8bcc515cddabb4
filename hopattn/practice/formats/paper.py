"""Sheets and keys for people: Markdown with the exercises of MyST's sphinx-exercise, an HTML file, LaTeX for `exam`."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from html import escape

from hopattn.practice.formats.prose import answered, choices, posed
from hopattn.practice.problem import Problem, Sheet
from hopattn.views.markup import MARKUPS, Markup, page
from hopattn.views.visible import visible


@dataclass(frozen=True)
class Paper:
    """Sheets in a markup language: the forms of a page, of a problem on the sheet, and of a problem in the key."""

    markup: Markup
    form: str
    problem: str
    solution: str

    def sheet(self, sheet: Sheet) -> str:
        """The problems, each with lettered choices."""
        texts = (posed(self.markup, problem) + choices(self.markup, problem) for problem in sheet.problems)
        return self.page(sheet, "practice", self._filled(self.problem, sheet, texts))

    def key(self, sheet: Sheet, lettered: bool = True) -> str:
        """The answers with their working, and the errors behind the others; lettered: whether choices have letters."""
        texts = sheet.texts["format"]
        letters = ", ".join(f"{problem.number} {problem.letter}" for problem in sheet.problems)
        before = self.markup.paragraph(letters, f"{texts['answers']}:") if lettered else ""
        solutions = (answered(self.markup, sheet, problem, lettered) for problem in sheet.problems)
        return self.page(sheet, "key", self._filled(self.solution, sheet, solutions), before)

    def page(self, sheet: Sheet, kind: str, text: str, before: str = "") -> str:
        """A whole page with the title and the source of a sheet. kind: the key of the word before the title."""
        texts = sheet.texts["format"]
        title, command = f"{texts[kind]}: {sheet.title}", visible(sheet.command)
        return page(
            self.form,
            command=command,
            remark=f"<!-- {command.replace('>', '&gt;')} -->",  # which ends at -->
            language=sheet.language,
            plain=escape(visible(title)),
            title=self.markup.text(title),
            source=self.markup.paragraph(sheet.source, f"{texts['source']}:") if sheet.source else "",
            answers=",answers" * (kind == "key"),
            before=before,
            text=text,
        )

    def heading(self, sheet: Sheet, problem: Problem) -> str:
        """The heading of a problem."""
        return self.markup.heading.format(text=self.markup.text(f"{sheet.texts['format']['problem']} {problem.number}"))

    def _filled(self, form: str, sheet: Sheet, texts: Iterable[str]) -> str:
        """The form of a problem, filled with the text of each."""
        return "".join(
            page(
                form,
                heading=self.heading(sheet, problem),
                label=f"{sheet.scenario}-{sheet.seed}-{problem.number}",
                question=self.markup.paragraph(problem.question).lstrip(),
                text=text,
            )
            for problem, text in zip(sheet.problems, texts, strict=True)
        )


MARKDOWN = Paper(
    MARKUPS["md"],
    "$remark\n\n# $title\n$source$before$text",
    "$heading```{exercise-start}\n:label: $label\n:nonumber:\n```\n$text\n```{exercise-end}\n```\n",
    "$heading$question\n```{solution-start} $label\n```\n$text\n```{solution-end}\n```\n",
)
HTML = Paper(
    MARKUPS["html"],
    """<!doctype html>
$remark
<html lang="$language">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$plain</title>
<style>
body { max-width: 45em; margin: 2em auto; padding: 0 1em; font: 1em/1.4 sans-serif }
h1 { font-size: 1.5em; margin: 0 0 .5em }
h2 { font-size: 1.1em; margin: 1.6em 0 .4em }
h2 { break-after: avoid }
p { margin: .5em 0 }
.problem { break-inside: avoid }
table { border-collapse: collapse; margin: .5em 0 }
th, td { padding: .15em .7em; text-align: right; border-bottom: 1px solid #ccc; font-variant-numeric: tabular-nums }
th[scope=row] { text-align: left }
li { padding-left: .3em; margin: .2em 0 }
$css
@media print { @page { margin: 1.5cm 2cm } body { margin: 0; padding: 0; max-width: none; font-size: 10.5pt } }
</style>
<h1>$title</h1>
$source$before$text</html>
""",
    '<section class="problem">\n$heading$text</section>\n',
    '<section class="answer">\n$heading$question$text</section>\n',
)
LATEX = Paper(
    MARKUPS["tex"],
    r"""% $command
\documentclass[a4paper$answers]{exam}
$tex\renewcommand{\solutiontitle}{}
\unframedsolutions
\begin{document}
\section*{$title}
$source$before
\begin{questions}
$text
\end{questions}
\end{document}
""",
    "\n\\question{}$text",  # a bracket at the beginning of the text would be the points of the question
    "\n\\question{}\n$question\\begin{solution}$text\\end{solution}\n",
)
markdown_key = partial(MARKDOWN.key, lettered=False)
"""The key of a sheet whose choices have no letters."""
