"""Text and tables on the terminal."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from rich.text import Text

from hopattn.views.consoles import SafeConsole
from hopattn.views.text_table import TextTable
from hopattn.views.visible import plain


def table(
    headings: Sequence[str], rows: Iterable[Sequence[Any]], right: Sequence[str] = (), labels: int = 1
) -> TextTable:
    """A table of printable texts.

    right: the headings of the columns of numbers. labels: the number of leading columns that label the rows.
    """
    cells = [[value if isinstance(value, Text) else plain(value) for value in row] for row in rows]
    numbers = frozenset(i for i, heading in enumerate(headings) if heading in right)
    return TextTable([plain(heading) for heading in headings], cells, numbers, labels)


def show(out: SafeConsole, *parts: TextTable | Text) -> None:
    """Write tables and texts; a text wraps between words, and a table is written in blocks that fit the line.

    No line ends with a space.
    """
    lines = []
    for part in map(partial(_encodable, out), parts):
        for line in part.wrap(out, out.width) if isinstance(part, Text) else part.lines(out.width):
            line.rstrip()
            lines.append(line)
    if lines:
        out.print(Text("\n").join(lines), soft_wrap=True)  # at once: each print costs as much as many lines


def _encodable(out: SafeConsole, part: Any) -> Any:
    """A text or a table with the letters that the output has, so that its lines are as long as they are laid out."""
    if isinstance(part, TextTable):
        rows = [[_encodable(out, cell) for cell in row] for row in part.rows]
        headings, groups = ([_encodable(out, name) for name in names] for names in (part.headings, part.groups))
        return replace(part, headings=headings, rows=rows, groups=groups)
    text = part.plain if isinstance(part, Text) else part
    try:
        text.encode(out.encoding)
    except UnicodeEncodeError:
        written = text.encode(out.encoding, getattr(out.file, "errors", None) or "replace").decode(out.encoding)
        return Text(written, style=part.style) if isinstance(part, Text) else written
    return part
