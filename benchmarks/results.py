"""The table of results: on the terminal during the measurement, and in a page that keeps its text written by hand."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.measuring import Row

HEADINGS = ("work", "measured", "spread", "target", "verdict", "medians")
PAGE_MARKS = "<!-- measured --> before an <!-- end -->"
PAGE = """# What hopattn costs

Ratios of works that were timed side by side in one run, interleaved round by round: the median, and the quartiles as
spread. A growth is the exponent of the size, ± its standard error. `make bench` writes what stands between the marks.

## Measured

<!-- measured -->
<!-- end -->

## What limits it

Nothing has been written here yet.
"""
_MARKED = re.compile(r"(<!-- measured -->\n).*?(<!-- end -->)", re.DOTALL)


def terminal_line(row: Row) -> str:
    """A row as text for the terminal: verdict, measured, spread, target, work, medians."""
    work, measured, spread, target, verdict, medians = row.cells
    return f"{verdict:8}{measured:>8}  {spread:18}{target:8}{work}{f'  ({medians})' if medians else ''}"


def write_page(path: Path, facts: Sequence[str], tables: Mapping[str, Iterable[Row]]) -> None:
    """Write facts and tables between the marks of the page and keep its other text; a missing page is created."""
    lines = [*(f"* {fact}" for fact in facts), ""]
    for title, rows in tables.items():
        lines += [f"### {title}", "", _line(HEADINGS), _line(["---", "--:", "---", "---", "---", "---"])]
        lines += [*(_line(row.cells) for row in rows), ""]
    middle = "\n".join(lines)
    text = _MARKED.sub(lambda marks: f"{marks[1]}\n{middle}\n{marks[2]}", _text(path))
    path.write_text(text, encoding="utf-8")


def has_marks(path: Path) -> bool:
    """Whether the page has the marks, or does not exist yet."""
    return bool(_MARKED.search(_text(path)))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else PAGE


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
