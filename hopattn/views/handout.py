"""The arithmetic of a result as a handout for a course: Markdown, HTML or LaTeX."""

import re
from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby
from typing import NamedTuple

from hopattn.foundation.errors import InvalidInput, unknown
from hopattn.scenario.result import Result
from hopattn.scenario.words.pictures import SHADES
from hopattn.views.visible import visible

_PICTURE = re.compile(f" *[?{SHADES}]+")
"""A line of a picture."""
_SHADES = str.maketrans(SHADES, ".-+%#")
"""The shades of a picture in letters that LaTeX prints too."""
_POWER = re.compile(r"\^(\([^()]*\)|[−.\d]+)")
"""A power, as in e^(−1)."""
_BLOCK = re.compile(r"^(\d{1,9}(?=[.)](?:\s|$))|(?=[-+](?:\s|$)|[-+]{3}|:::|%|\(.*\)=\s*$))")
"""The beginning of a line that Markdown, or MyST, takes for a list, a rule, a block, a comment or a target."""


class Markup(NamedTuple):
    """A markup language: how it writes each part.

    `signs` stand for what has a meaning there; `block` finds the beginning of a line that needs a backslash.
    """

    begin: str
    end: str
    about: str
    heading: str
    line: str
    power: str
    picture: str
    signs: dict[int, str]
    block: re.Pattern[str] | None = None


_MATHS = {
    **{"×": r"\times", "−": "-", "→": r"\to", "←": r"\leftarrow", "≈": r"\approx", "·": r"\cdot", "±": r"\pm"},
    **{"√": r"\surd", "½": r"\frac12", "⟨": r"\langle", "⟩": r"\rangle", "°": r"^\circ", "²": "^2", "ᵀ": "^T"},
    **{"₀": "_0", "₊": "_+", "Σ": r"\Sigma", "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta"},
    **{"η": r"\eta", "θ": r"\theta", "λ": r"\lambda", "φ": r"\varphi", "ξ": r"\xi", "π": r"\pi", "∞": r"\infty"},
    **{"≤": r"\le", "≥": r"\ge", "∑": r"\sum"},
}
"""Signs of mathematics by their names in LaTeX."""
_TEX_SIGNS = {
    **{sign: f"${name}$" for sign, name in _MATHS.items()},
    **{sign: f"\\{sign}" for sign in "{}$&#%_"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "…": r"\dots{}"},
}

LINES_CSS = ".work { margin: .2em 0 .2em calc(1.5em * (1 + var(--depth))); text-indent: -1.5em }"
"""How an HTML page shows the lines of the arithmetic."""
LINES_TEX = (
    "\\usepackage{iftex}\n\\iftutex\n  \\usepackage{fontspec}\n"
    "  \\IfFontExistsTF{DejaVu Serif}{\\setmainfont{DejaVu Serif}}{} % has phonetic signs; take any font\n"
    "\\else\n  \\usepackage[T1]{fontenc}\n\\fi\n\\usepackage[margin=2cm]{geometry}\n"
    "\\newcommand{\\work}[2]{{\\setlength{\\leftskip}{#1em}\\noindent\\hangindent=1em #2\\par}}\n"
)
"""What the preamble of a LaTeX file needs for the lines of the arithmetic."""
_BRACES = str.maketrans({"{": "{{", "}": "}}"})

MARKUPS = {
    "md": Markup(
        begin="# {title}\n",
        end="",
        about="\n{text}\n",
        heading="\n## {text}\n\n",
        line="{indent}- {text}\n",
        power="^{text}",
        picture="\n{indent}```\n{text}{indent}```\n\n",
        signs=str.maketrans({sign: f"\\{sign}" for sign in "\\`*_[]<>#|~$&"}),
        block=_BLOCK,
    ),
    "html": Markup(
        begin='<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{title}</title>\n'
        "<style>body {{ max-width: 50em; margin: 2em auto; font-family: sans-serif }}\n"
        f"{LINES_CSS.translate(_BRACES)}</style>\n"
        "<h1>{title}</h1>\n",
        end="</html>\n",
        about="<p>{text}</p>\n",
        heading="<h2>{text}</h2>\n",
        line='<p class="work" style="--depth: {depth}">{text}</p>\n',
        power="<sup>{text}</sup>",
        picture="<pre>{text}</pre>\n",
        signs=str.maketrans({sign: escape(sign) for sign in "<>&\"'"}),
    ),
    "tex": Markup(
        begin="% Compile with lualatex or xelatex; pdflatex does where all words are of Latin letters.\n"
        "\\documentclass[a4paper]{{article}}\n"
        f"{LINES_TEX.translate(_BRACES)}"
        "\\begin{{document}}\n\\section*{{{title}}}\n",
        end="\\end{document}\n",
        about="\n\\noindent {text}\\par\n",
        heading="\n\\subsection*{{{text}}}\n",
        line="\\work{{{depth}}}{{{text}}}\n",
        power="\\textsuperscript{{{text}}}",
        picture="\\begin{{verbatim}}\n{text}\\end{{verbatim}}\n",
        signs=str.maketrans(_TEX_SIGNS),
    ),
}
"""The languages of a handout by the endings of their files."""


def handout(result: Result, format: str) -> str:
    """The title, the source and the arithmetic of a result, which was run with `explain`, as the text of a file.

    format: "md", "html" or "tex". An HTML file holds ASCII characters alone, so that no code page harms it. A LaTeX
    file is for LuaLaTeX and XeLaTeX; pdflatex reads it too where the words of the scenario are of Latin letters. Raises
    `InvalidInput` for another format.
    """
    if format not in MARKUPS:
        raise InvalidInput(f"format: {unknown(format, MARKUPS)}")
    markup = MARKUPS[format]
    text = "".join(_parts(result, markup))
    return text.encode("ascii", "xmlcharrefreplace").decode() if format == "html" else text


def _parts(result: Result, markup: Markup) -> Iterator[str]:
    yield markup.begin.format(title=written(result.title, markup))
    for about in (result.source and f"source: {result.source}", result.note):
        yield markup.about.format(text=written(about, markup)) if about else ""
    for run in result.runs:
        yield markup.heading.format(text=written(run.name or "as written", markup)) if len(result.runs) > 1 else "\n"
        yield from arithmetic(run.working, markup)
    yield markup.end


def arithmetic(working: Iterable[str], markup: Markup) -> Iterator[str]:
    """The lines of a run, and its pictures; two spaces before a line are one level of depth."""
    for drawn, lines in groupby(working, lambda line: bool(_PICTURE.fullmatch(line))):
        of = [(visible(line.strip()), (len(line) - len(line.lstrip())) // 2) for line in lines]
        if drawn:
            indent = "  " * of[0][1]
            rows = "".join(f"{indent}{row.translate(_SHADES)}\n" for row, _ in of)
            yield markup.picture.format(text=rows, indent=indent)
            continue
        for text, depth in of:
            yield markup.line.format(text=written(text, markup), depth=depth, indent="  " * depth)


def written(text: str, markup: Markup) -> str:
    """A text in a markup language, with its powers; what has a meaning in that language is escaped."""
    parts = [part.translate(markup.signs) for part in _POWER.split(visible(text))]
    line = "".join(markup.power.format(text=part) if i % 2 else part for i, part in enumerate(parts))
    return line if markup.block is None else markup.block.sub(r"\1\\", line)
