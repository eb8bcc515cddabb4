"""Markdown, HTML and LaTeX: how each writes texts, paragraphs, headings, tables, choices and arithmetic."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from string import Template
from textwrap import indent
from typing import ClassVar, NamedTuple

from hopattn.scenario.words.pictures import SHADES
from hopattn.views.visible import visible

LETTERS = "ABCDEFGH"
"""The letters of choices."""
_PICTURE = re.compile(f" *[?{SHADES}]+")
"""A line of a picture."""
_SHADES = str.maketrans(SHADES, ".-+%#")
"""The shades of a picture in letters that LaTeX prints too."""
_POWER = re.compile(r"\^(\([^()]*\)|[−.\d]+(?:,\d+)?)")
"""A power, as in e^(−1)."""
_BLOCK = re.compile(r"^(\d{1,9}(?=[.)](?:\s|$))|(?=[-+](?:\s|$)|[-+]{3}|:::|%|\(.*\)=\s*$))")
"""The beginning of a line that Markdown, or MyST, takes for a list, a rule, a block, a comment or a target."""
_MATHS = {
    **{"×": r"\times", "−": "-", "→": r"\to", "←": r"\leftarrow", "≈": r"\approx", "·": r"\cdot", "±": r"\pm"},
    **{"√": r"\surd", "½": r"\frac12", "⟨": r"\langle", "⟩": r"\rangle", "°": r"^\circ", "²": "^2", "ᵀ": "^T"},
    **{"₀": "_0", "₊": "_+", "Σ": r"\Sigma", "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta"},
    **{"η": r"\eta", "θ": r"\theta", "λ": r"\lambda", "φ": r"\varphi", "ξ": r"\xi", "π": r"\pi", "∞": r"\infty"},
    **{"≤": r"\le", "≥": r"\ge", "∑": r"\sum"},
}
"""Signs of mathematics by their names in LaTeX."""


class Grid(NamedTuple):
    """A table of numbers as a page prints it.

    rows: the name of each row. columns: the name of each column. cells: the numbers as texts, a tuple for each row.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]


class Markup(ABC):
    """A markup language. In a form, `{text}` stands for a text that is escaped already."""

    signs: ClassVar[dict[int, str]]
    """What is written in place of a sign that has a meaning in the language."""
    strong: ClassVar[str]
    power: ClassVar[str]
    about: ClassVar[str] = "\n{text}\n"
    """The form of a paragraph."""
    heading: ClassVar[str]
    line: ClassVar[str]
    """The form of a line of arithmetic, with its `{depth}` as a number and as an `{indent}`."""
    picture: ClassVar[str]

    def text(self, text: str) -> str:
        """A text in one line, escaped, with its powers."""
        parts = [part.translate(self.signs) for part in _POWER.split(visible(" ".join(text.split())))]
        return "".join(self.power.format(text=part) if i % 2 else part for i, part in enumerate(parts))

    def paragraph(self, text: str, label: str = "") -> str:
        """A paragraph of a text, with a bold label before it."""
        begin = self.strong.format(text=self.text(label)) if label else ""
        return self.about.format(text=" ".join(filter(None, (begin, self.text(text)))))

    def arithmetic(self, working: Iterable[str]) -> Iterator[str]:
        """The lines of a working, and its pictures; two spaces before a line are one level of depth."""
        for drawn, lines in groupby(working, lambda line: bool(_PICTURE.fullmatch(line))):
            pairs = [(line.strip(), (len(line) - len(line.lstrip())) // 2) for line in lines]
            if drawn:
                begin = "  " * pairs[0][1]
                rows = "".join(f"{begin}{row.translate(_SHADES)}\n" for row, _ in pairs)
                yield self.picture.format(text=rows, indent=begin)
                continue
            for text, depth in pairs:
                yield self.line.format(text=self.text(text), depth=depth, indent="  " * depth)

    def table(self, grid: Grid, cell: Callable[[str], str] | None = None) -> str:
        """A table with the names of its rows and columns; cell: writes a number, by default as a text."""
        rows = zip(grid.rows, grid.cells, strict=True)
        lines = [[self.text(name), *map(cell or self.text, cells)] for name, cells in rows]
        return self._table(["", *map(self.text, grid.columns)], lines, any(grid.rows))

    @abstractmethod
    def _table(self, head: Sequence[str], lines: Sequence[Sequence[str]], named: bool) -> str:
        """A table of cells that are written already. named: whether the first cells, the names, are not all empty."""

    @abstractmethod
    def choices(self, answers: Iterable[str]) -> str:
        """Answers to choose from, which are written already, with a letter before each."""


class Markdown(Markup):
    """Markdown with the tables that GitHub and MyST know."""

    signs = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_[]<>#|~$&"})
    strong, power, heading, line = "**{text}**", "^{text}", "\n## {text}\n\n", "{indent}- {text}\n"
    picture = "\n{indent}```\n{text}{indent}```\n\n"

    def text(self, text: str) -> str:
        return _BLOCK.sub(r"\1\\", super().text(text))

    def _table(self, head: Sequence[str], lines: Sequence[Sequence[str]], named: bool) -> str:
        rows = [f"| {' | '.join(line)} |\n" for line in (head, *lines)]
        return "".join(["\n", rows[0], "|---|", "---:|" * (len(head) - 1), "\n", *rows[1:]])

    def choices(self, answers: Iterable[str]) -> str:
        pairs = zip(LETTERS, answers, strict=False)
        items = [
            f"- **{letter}**\n{indent(one, '  ')}" if "\n" in one else f"- **{letter}** {one}" for letter, one in pairs
        ]
        return "\n" + "\n".join(items).rstrip() + "\n"


class Html(Markup):
    """HTML of plain elements."""

    signs = str.maketrans({sign: escape(sign) for sign in "<>&\"'"})
    strong, power, heading = "<strong>{text}</strong>", "<sup>{text}</sup>", "<h2>{text}</h2>\n"
    about, picture = "<p>{text}</p>\n", "<pre>{text}</pre>\n"
    line = '<p class="work" style="--depth: {depth}">{text}</p>\n'
    begin: ClassVar[str] = "<table>"
    """The tag that begins a table."""

    def _table(self, head: Sequence[str], lines: Sequence[Sequence[str]], named: bool) -> str:
        rows = [["<td></td>"] * named + [f'<th scope="col">{name}</th>' for name in head[1:]]]
        for name, *cells in lines:
            rows.append([f'<th scope="row">{name}</th>'] * named + [f"<td>{one}</td>" for one in cells])
        return f"{self.begin}\n" + "".join(f"<tr>{''.join(row)}</tr>\n" for row in rows) + "</table>\n"

    def choices(self, answers: Iterable[str]) -> str:
        return '<ol type="A">\n' + "".join(f"<li>{answer}</li>\n" for answer in answers) + "</ol>\n"


class Latex(Markup):
    """LaTeX; choices are those of the class `exam`."""

    signs = str.maketrans(
        {
            **{sign: f"${name}$" for sign, name in _MATHS.items()},
            **{sign: f"\\{sign}" for sign in "{}$&#%_"},
            **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "…": r"\dots{}"},
        }
    )
    strong, power = "\\textbf{{{text}}}", "\\textsuperscript{{{text}}}"
    heading, line = "\n\\subsection*{{{text}}}\n", "\\work{{{depth}}}{{{text}}}\n"
    picture = "\\begin{{verbatim}}\n{text}\\end{{verbatim}}\n"

    def _table(self, head: Sequence[str], lines: Sequence[Sequence[str]], named: bool) -> str:
        rows = [  # braces, because \\ takes a bracket behind it for its argument
            " & ".join(f"{{{one}}}" for one in line[not named :]) + "\\\\\n" for line in (head, *lines)
        ]
        columns = "l|" * named + "r" * (len(head) - 1)
        return f"\n\\begin{{tabular}}[t]{{{columns}}}\n{rows[0]}\\hline\n{''.join(rows[1:])}\\end{{tabular}}\n\n"

    def choices(self, answers: Iterable[str]) -> str:
        items = "".join(f"\\choice{{}} {answer.strip()}\n" for answer in answers)
        return f"\\begin{{choices}}\n{items}\\end{{choices}}\n"


MARKUPS: Mapping[str, Markup] = {"md": Markdown(), "html": Html(), "tex": Latex()}
"""The languages by the endings of their files."""
LINES_CSS = ".work { margin: .2em 0 .2em calc(1.5em * (1 + var(--depth))); text-indent: -1.5em }"
"""How an HTML page shows the lines of the arithmetic."""
LINES_TEX = (
    "\\usepackage{iftex}\n\\iftutex\n  \\usepackage{fontspec}\n"
    "  \\IfFontExistsTF{DejaVu Serif}{\\setmainfont{DejaVu Serif}}{} % has phonetic signs; take any font\n"
    "\\else\n  \\usepackage[T1]{fontenc}\n\\fi\n\\usepackage[margin=2cm]{geometry}\n"
    "\\newcommand{\\work}[2]{{\\setlength{\\leftskip}{#1em}\\noindent\\hangindent=1em #2\\par}}\n"
)
"""What the preamble of a LaTeX file needs for the lines of the arithmetic."""


def page(form: str, **parts: str) -> str:
    """A page of a form, in which the name of each part, such as `$title`, stands for the part.

    A page of HTML holds ASCII characters alone, so that no code page harms it.
    """
    text = Template(form).substitute(parts, css=LINES_CSS, tex=LINES_TEX)
    return text.encode("ascii", "xmlcharrefreplace").decode() if text.startswith("<!doctype html>") else text
