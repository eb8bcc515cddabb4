"""A text as blocks: tables with their rows, and paragraphs, each with its lines and the scenario named before it.

Markdown, LaTeX and plain text are read line by line. In a block of code only tables are read.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import NamedTuple

NAMING = re.compile(r"\s*(?:<!--|%+|#+)\s*hopattn:\s*(\S.*?)\s*(?:-->.*)?$")
"""A comment that names a scenario for the lines after it, such as `% hopattn: bank variant river`."""
_FENCE = re.compile(r"\s*(?:>\s*)?(```|~~~)|\s*\\(?:begin|end)\{(?:verbatim|lstlisting|minted|Verbatim)\*?\}")
_HEADING = re.compile(r"\s*(?:#{1,6}\s|\\(?:sub)*section|\\(?:chapter|paragraph|frametitle)\b|\\begin\{frame\})")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)]|\\item)\s")
_RULE = re.compile(r"\s*(?=.*--|.*==)[|+:=\- ]+$")
"""The line of dashes between the heading and the rows of a table."""
_TEX_TABLES = r"\{(?:tabular[xy]?\*?|array|longtable|tblr|supertabular|NiceTabular)\}"
_TEX_BEGIN = re.compile(rf"\\begin{_TEX_TABLES}((?:\s*\[[^\]]*\]|\s*\{{(?:[^{{}}]|\{{[^{{}}]*\}})*\}})*)")
"""The beginning of a table in LaTeX, with the columns that it declares."""
_TEX_ROW = re.compile(r"&(?!\s*(?:=|\\approx|:|\\to|\\mapsto)).*\\\\")
"""A row of a table in LaTeX, and not one of equations."""
_MATRIX = re.compile(r"\\(begin|end)\{\w*matrix\*?\}|\\left\s*[(\[]\s*\\(begin)\{array\}|\\(end)\{array\}\s*\\right")
"""The beginning or the end of a matrix in LaTeX, whose rows are no table."""
_TEX_END = re.compile(rf"\\end{_TEX_TABLES}")
NEAR = 300
"""The characters before a table that may say what it holds."""
_TEX_RULES = re.compile(
    r"\\(?:hline|(?:top|mid|bottom)rule|(?:cmidrule|cline|rowcolor|cellcolor)(?:\([^)]*\))?\{[^}]*\})"
)
_SUPPOSED = r"if|would|suppose|instead|unless|misprints?|wrong\w*|says|claims?|wenn|würde"
SUPPOSED = re.compile(rf"\b(?:{_SUPPOSED})\b|^\W*(?:is|are|ist|sind)\b", re.I)
"""Words that make a sentence a supposition or a question."""
UNSURE = re.compile(
    rf"\b(?:{_SUPPOSED}|without|could|should|under|prints?|printed|states|not|no|half|twice|double|times|sum|minus|plus|"
    r"squared?|ohne|statt|nicht|kein\w*|Summe|gedruckt)\b",
    re.I,
)
"""Words that make a sentence one about something else than the run."""
_CAPTION = re.compile(r"\s*(?:\\caption|\**(?:table|tabelle)\b|: )", re.I)

# fmt: off
Masks = list[tuple[re.Pattern[str], str]]
"""Signs of a language, each with the plain sign instead of it."""
SIGNS: Masks = [(re.compile(pattern, re.DOTALL), instead) for pattern, instead in [
    (r"<!--.*?-->|</?[a-zA-Z][^<>]*>", " "),
    (r"\\[dt]?frac\s*\{\s*(\d+(?:\.\d+)?)\s*\}\s*\{\s*(\d+(?:\.\d+)?)\s*\}|\\[dt]?frac(\d)(\d)", r"\1\3/\2\4"),
    (r"(\d)\{,\}(\d+)", r"\1,\2"), (r"\\(?:approx|simeq)\b", "≈"), (r"\\langle\b", "("), (r"\\rangle\b", ")"),
    (r"\\(?:(?:[lL]ong)?[rR]ightarrow|implies|mapsto|to)\b|->|=>|⇒|➜", "→"),
]]
"""Signs of Markdown and LaTeX, in sentences and in formulas."""
_MASKS: Masks = [(re.compile(pattern, re.DOTALL), instead) for pattern, instead in [
    *[(r"(?<=\])\([^()\s]*\)|https?://\S+|www\.\S+", "¦"), (r"`[^`]*[\s=(\[{][^`]*`", "¦")],
    (r"\\begin\{[pb]?(?:small)?matrix\}|\\left\s*[(\[]", "("), (r"(?<=\s)\*(?=\s)|\\(?:cdot|times)\b", "·"),
    (r"\\end\{[pb]?(?:small)?matrix\}|\\right\s*[)\]]", ")"),
    (r"\\(?:vec|overrightarrow|mathbf|mathrm|mathit|boldsymbol|bm|text(?:bf|it|tt|rm|sf)?|emph|num|mbox)\s*\{", " "),
    (r"\\(?:begin|end)\s*\{[^{}]*\}|\\item\b|\\\[", ";"), (r"\\\\(?:\[[^\]]*\])?", ";"), (r"\\%", "%"),
    *[(r"\^\{?(?:\\top|\\intercal|T)\}?|[ᵀ⊤]", " "), (r"\\[,;:!> ]|\\[()\[\]](?=[\s\S])|\\q?quad\b", " ")],
    (r"``|''", "”"),
    (r"[*$`&{}~]|(?<!\w)_+|_+(?!\w)", " "),
]]
# fmt: on
"""Signs of Markdown and LaTeX in sentences."""


class Cell(NamedTuple):
    """A cell of a table: its text, its line, and its number in the row."""

    text: str
    line: int
    column: int = 0


Row = list[Cell]


@dataclass
class Block:
    """A table or a paragraph of a text.

    line: its first line, from 1. naming: the scenario in the last comment before it, and the line of that; None before
    the first. raw: its lines as they are written, with colons between the cells of a table. text: the same with plain
    signs instead of marks, of the same length. rows: those of a table. near: the texts that say what a table holds, the
    nearest first: a caption below it, the paragraph before it, the heading. is_code: whether it is code.
    """

    line: int
    naming: tuple[str, int] | None
    raw: str
    is_code: bool = False
    rows: list[Row] = field(default_factory=list)
    near: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return plain(self.raw)

    def line_at(self, place: int) -> int:
        """The line of a place in the text."""
        return self.line + self.raw.count("\n", 0, place)


def plain(text: str) -> str:
    """A text of the same length, with plain signs and spaces instead of the marks of Markdown and LaTeX.

    >>> plain(r"$\\vec{banks} = [0, \\frac{2}{3}]$").split()
    [';', 'banks', '=', '[0,', '2/3', ']']
    """
    text = re.sub(r"\$([^$]+)\$", lambda found: f"{';' if '=' in found[1] else ' '}{found[1]} ", text)
    return masked(masked(text, SIGNS), _MASKS)


def masked(text: str, masks: Masks) -> str:
    """A text of the same length, with the plain signs of a table."""
    for pattern, instead in masks:
        text = pattern.sub(partial(_filled, instead), text)
    return text


def _filled(instead: str, found: re.Match[str]) -> str:
    """The sign instead of a mark, filled up to its length; line breaks stay."""
    fill = "¦" if instead == "¦" else " "
    short = found.expand(instead)
    return short + re.sub(r"[^\n]", fill, found[0][len(short) :])


def blocks(text: str, kind: str) -> list[Block]:
    """The tables and paragraphs of a text in their order. kind: "tex", "md", or another for plain text."""
    lines = text.split("\n")
    if kind == "tex":
        lines = [line if NAMING.match(line) else re.sub(r"(?<!\\)%.*", "", line) for line in lines]
    rows = _tex_rows(lines) if kind == "tex" else _aligned_rows(lines) | _piped_rows(lines)
    found: list[Block] = []
    naming, heading, fenced, last = None, "", False, ""
    for i, line in enumerate(lines):
        kind_before, last = last, ""
        if named := NAMING.match(line):
            naming = (named[1], i + 1)
        elif _FENCE.match(line):
            fenced = not fenced
        elif not fenced and _HEADING.match(line):
            heading = line
        elif i in rows:
            last = "rows"
            if kind_before != "rows":
                before = found[-1].raw[-NEAR:] if found and not found[-1].rows else ""
                near = (*_captions(lines, rows, i), before, heading)
                found.append(Block(i + 1, naming, "", fenced, near=tuple(filter(None, near))))
            found[-1].rows += rows[i]
            found[-1].raw += "\n" * (kind_before == "rows") + re.sub(r"(?<!\\)[|&]", ":", line)
        elif line.strip():
            indented = kind == "md" and kind_before in ("", "indented") and re.match(r" {4}|\t", line)
            last = "indented" if indented else "text"
            if kind_before != last or (last == "text" and _ITEM.match(line)):
                found.append(Block(i + 1, naming, line, fenced or bool(indented)))
            else:
                found[-1].raw += f"\n{line}"
    return found


def _captions(lines: list[str], rows: Mapping[int, list[Row]], start: int) -> list[str]:
    """The caption below the table that begins at a line."""
    end = next(i for i in count(start) if i not in rows)
    return [line for line in lines[end : end + 4] if _CAPTION.match(line)]


def _tex_rows(lines: list[str]) -> dict[int, list[Row]]:
    """The rows that end in each line of a table in LaTeX; not with cells over several columns, nor of a matrix."""
    found: dict[int, list[Row]] = {}
    inside, row, in_matrix = False, list[Cell](), False
    for i, line in enumerate(lines):
        ends = _MATRIX.findall(line)
        was_in_matrix, in_matrix = in_matrix, "begin" in ends[-1] if ends else in_matrix
        if was_in_matrix or (ends and not inside):
            continue
        begun = _TEX_BEGIN.search(line)
        if not (inside or begun or _TEX_ROW.search(line)):
            continue
        body, *ended = _TEX_END.split(line[begun.end() :] if begun else line, maxsplit=1)
        inside, found[i] = (inside or begun is not None) and not ended, []
        parts = re.split(r"\\\\(?:\[[^\]]*\])?|\\tabularnewline", _TEX_RULES.sub("", body))
        for j, part in enumerate(parts, 1):
            own = [Cell(text, i + 1) for text in re.split(r"(?<!\\)&", part)]
            if row:
                last = row.pop()
                own[0] = Cell(last.text + part.partition("&")[0], last.line if last.text.strip() else i + 1)
            row += own if row or own[0].text.strip() or len(own) > 1 else []
            if j < len(parts) or ended:
                whole = len(row) > 1 and not any("\\multicolumn" in cell.text for cell in row)
                found[i] += [[cell._replace(column=k) for k, cell in enumerate(row)]] if whole else []
                row = []
    return found


def _piped_rows(lines: list[str]) -> dict[int, list[Row]]:
    """The rows of tables with `|` between their cells, by line; lines of dashes are in the table, but are no rows."""
    found: dict[int, list[Row]] = {}
    for i, line in enumerate(lines):
        text = re.sub(r"^\s*(?:>\s*)*", "", line).rstrip()
        near = [one for one in (*lines[max(i - 1, 0) : i], *lines[i + 1 : i + 2]) if _RULE.match(one) and "|" in one]
        if _RULE.match(text) and (text.startswith(("|", "+")) or i - 1 in found):
            found[i] = []
        elif text.startswith("|") or ("|" in text and (near or i - 1 in found)):
            cells = re.split(r"(?<!\\)\|", text.removeprefix("|").removesuffix("|"))
            found[i] = [[Cell(cell, i + 1, j) for j, cell in enumerate(cells)]]
    return found


def _aligned_rows(lines: list[str]) -> dict[int, list[Row]]:
    """The rows of tables with tabs or several spaces between their cells: at least two lines with as many cells."""
    split = [
        re.split(r"\t", line) if "\t" in line.strip() else re.split(r" {2,}", re.sub(r"^ +", "  ", line.rstrip()))
        for line in lines
    ]
    near = [[len(one) for one in (*split[max(i - 1, 0) : i], *split[i + 1 : i + 2])] for i in range(len(lines))]
    return {
        i: [[Cell(cell, i + 1, j) for j, cell in enumerate(cells)]]
        for i, cells in enumerate(split)
        if len(cells) > 2 and len(cells) in near[i] and not re.search(r"\s&\s|\\\\", lines[i])
    }
