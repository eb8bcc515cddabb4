"""The consoles on standard output and standard error: colours of hopattn, and no sequence that a text brings along."""

import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from rich.console import Console
from rich.segment import Segment

from hopattn.views.visible import visible

NO_TERMINAL_WIDTH = 160
"""The width of a line, in letters, if the output goes to a file or a pipe and COLUMNS is not set."""


class SafeConsole(Console):
    """A console that shows the control characters of a text as escapes, and writes its own styles raw.

    A stream of the command line lets only its attribute `styled` through as it is.
    """

    def __init__(self, stream: Any, **options: Any) -> None:
        styled = getattr(stream, "styled", stream)
        super().__init__(file=styled, markup=False, highlight=False, emoji=False, **options)

    def render(self, *arguments: Any, **options: Any) -> Iterable[Segment]:
        """The segments of something to print, each with its style."""
        for segment in super().render(*arguments, **options):
            text = segment.text
            yield segment if segment.control else Segment(visible(text, keep="\n"), segment.style)


def console() -> SafeConsole:
    """The console on standard output. Colours appear only on a terminal, and not if NO_COLOR is set.

    The variable COLUMNS gives the width of a line if it is a positive whole number; else the terminal has its own.
    """
    out = SafeConsole(sys.stdout, width=NO_TERMINAL_WIDTH)
    columns = os.environ.get("COLUMNS", "").strip()
    if re.fullmatch(r"0*[1-9][0-9]{0,5}", columns):
        out.width = int(columns)
    elif out.is_terminal:
        out.width = _terminal_width()
    return out


def error_console() -> SafeConsole:
    """The console on standard error, for progress."""
    return SafeConsole(sys.stderr)


def _terminal_width() -> int:
    """The width of the terminal that this process reads from or writes to; 80 if it does not say its width."""
    for descriptor in range(3):
        with suppress(OSError):
            if width := os.get_terminal_size(descriptor).columns:
                return width
    return 80
