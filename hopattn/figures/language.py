"""The language of figures: their words by a table, and numbers with a decimal comma."""

import re
import textwrap
from functools import lru_cache
from typing import Any

from hopattn.figures.base import Draw, Figure
from hopattn.figures.german import GERMAN
from hopattn.figures.headings import HEADLINE, NOTE, note_of

LANGUAGES = {"de": GERMAN}
"""The table of words of each language but English, in which the figures are written."""
_NUMBER = r"([−+±]?[\d.,/·⁻⁰¹²³⁴-⁹]*\d[\d.,/·⁻⁰¹²³⁴-⁹]*°?)"
"""What {n} stands for in a table."""
_TEXT = r"((?:(?!; | · |  ).)+)"
"""What {} stands for: it ends where the next part of a text begins."""
_PATTERNS = {
    lang: [
        (re.compile(re.escape(own).replace(r"\{n\}", _NUMBER).replace(r"\{\}", _TEXT)), its)
        for own, its in sorted(table.items(), key=lambda one: -len(re.sub(r"\{n?\}", "", one[0])))
        if "{" in own
    ]
    for lang, table in LANGUAGES.items()
}
"""The texts with holes, in the order of the search: those of most letters first."""
_BREAKS = re.compile(r"(; | · | \+ |\n| / (?=10[⁻⁰¹²³⁴-⁹]))")
"""The separators between the parts of a text that are looked up one by one; a power of ten is such a part."""
_NUMBERS = re.compile(r"(?<![\w.,])(?:(\d{1,3}(?:,\d{3})+)|(\d*)\.(\d+))(?![\w.])")
"""A number with commas between its thousands, or with a decimal point."""


def in_language(draw: Draw, lang: str) -> Draw:
    """A drawing whose words and numbers are in a language; what its table does not hold stays as it is.

    A text is looked up as a whole, then each part of it between semicolons, or on a line of its own. A title of the
    reader's own is left as it is. A note or a title that grows too long takes another line.
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

    for formatter in {axis.get_major_formatter() for axis in part.findobj(Axis)}:  # panels may share one
        formatter.format_ticks = _translated_ticks(formatter.format_ticks, lang)
    title = getattr(part, "_suptitle", None)
    for text in part.findobj(Text):
        own = text.get_text()
        text.set_text((_whole(own, lang) or own) if text is title else translated(own, lang))


def in_words(text: str, lang: str) -> str:
    """A text in a language; in English as it is."""
    return translated(text, lang) if lang in LANGUAGES else text


def _translated_ticks(labels: Any, lang: str) -> Any:
    return lambda values: [translated(label, lang) for label in labels(values)]


def translated(text: str, lang: str) -> str:
    """A text in a language.

    >>> translated("2 of 4 axes · 1 of 3 runs", "de"), translated("mine: .25", "de")
    ('2 von 4 Achsen · 1 von 3 Läufen', 'mine: 0,25')
    """
    if (whole := _whole(text, lang)) is not None:
        return whole
    parts = _BREAKS.split(text)
    words = "".join(part if i % 2 else _looked_up(part, lang) or part for i, part in enumerate(parts))
    lines = words.split("\n")
    joints = (" · " if " · " in line else "; " for line in lines)
    fitting = (
        note_of(line.split(joint)) if len(line) > NOTE else line for line, joint in zip(lines, joints, strict=True)
    )
    return _numbers("\n".join(fitting))


def _whole(text: str, lang: str) -> str | None:
    """A text that the table holds as a whole, on about as many lines; None for another."""
    lines = text.split("\n")
    if (found := _looked_up(" ".join(lines), lang)) is None:
        return None
    longest = max(HEADLINE if len(lines) == 1 else 0, *map(len, lines))
    if "\n" not in found and len(found) > longest:
        most = min(len(lines) + 1, len(textwrap.wrap(found, longest)))
        fills = ([*textwrap.wrap(found, width, break_long_words=False)] for width in range(1, len(found) + 1))
        found = "\n".join(next(fill for fill in fills if len(fill) <= most))
    return _numbers(found)


@lru_cache(maxsize=10_000)
def _looked_up(text: str, lang: str) -> str | None:
    """The words for a text, which comes again in each frame; None if the table does not hold it."""
    if text in LANGUAGES[lang] and "{" not in text:
        return LANGUAGES[lang][text]
    found = ((pattern.fullmatch(text), its) for pattern, its in _PATTERNS[lang])
    return next((its.format(*match.groups()) for match, its in found if match), None)


def _numbers(text: str) -> str:
    """A text with a decimal comma in its numbers, and points between thousands."""
    return _NUMBERS.sub(lambda found: found[1].replace(",", ".") if found[1] else f"{found[2] or 0},{found[3]}", text)
