"""The language of figures: their words by a table, and numbers with a decimal comma."""

import re
from typing import Any

from hopattn.figures.base import Draw, Figure
from hopattn.figures.german import GERMAN
from hopattn.figures.headings import NOTE, note_of, wrapped

LANGUAGES = {"de": GERMAN}
"""The table of words of each language but English, in which the figures are written."""
_PATTERNS = {
    lang: [(re.compile(re.escape(own).replace(r"\{\}", "(.+)")), its) for own, its in table.items()]
    for lang, table in LANGUAGES.items()
}
_BREAKS = re.compile(r"(; | · |\n)")
"""What stands between the parts of a text that are looked up one by one."""
_DECIMAL = re.compile(r"(?<![\w.,])(\d*)\.(\d+)(?![\w.])")
"""A number with a decimal point."""


def in_language(draw: Draw, lang: str) -> Draw:
    """A drawing whose words and numbers are in a language; what its table does not hold stays as it is.

    Each part of a text between semicolons, or on a line of its own, is looked up, then the text as a whole: a title of
    the reader's own is left as it is. A note that grows too long takes another line.
    """

    def drawn(figure: Figure) -> None:
        draw(figure)
        translate(figure, lang)

    return drawn


def translate(part: Any, lang: str) -> None:
    """Translate the texts of a figure or of axes, and the labels that their ticks will have; nothing for English."""
    if lang not in LANGUAGES:
        return
    from matplotlib.axis import Axis
    from matplotlib.text import Text

    for axis in part.findobj(Axis):
        formatter = axis.get_major_formatter()
        formatter.format_ticks = _translated_ticks(formatter.format_ticks, lang)
    for text in part.findobj(Text):
        text.set_text(translated(text.get_text(), lang))


def _translated_ticks(labels: Any, lang: str) -> Any:
    return lambda values: [translated(label, lang) for label in labels(values)]


def translated(text: str, lang: str) -> str:
    """A text in a language.

    >>> translated("2 of 4 axes; choose with axes", "de"), translated("mine: .25", "de")
    ('2 von 4 Achsen; wählbar mit axes', 'mine: 0,25')
    """
    parts = _BREAKS.split(text)
    words = "".join(part if i % 2 else _looked_up(part, lang) or part for i, part in enumerate(parts))
    lines = text.split("\n")
    if words == text and (whole := _looked_up(" ".join(lines), lang)):  # one sentence on several lines
        words = wrapped(whole, max(map(len, lines)) + 8, len(lines) + 1)
    fitting = "\n".join(note_of(_BREAKS.split(line)[::2]) if len(line) > NOTE else line for line in words.split("\n"))
    return _DECIMAL.sub(lambda found: f"{found[1] or 0},{found[2]}", fitting)


def _looked_up(text: str, lang: str) -> str | None:
    """The words for a text; None if the table does not hold it."""
    found = ((pattern.fullmatch(text), its) for pattern, its in _PATTERNS[lang])
    return next((its.format(*match.groups()) for match, its in found if match), None)
