"""Text in figures: tokens as labels, and numbers as the lectures write them."""

import textwrap
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any
from unicodedata import east_asian_width

import numpy as np

from hopattn.figures.style import FONT, theme
from hopattn.foundation.sentences import number as number
from hopattn.scenario.arrays import Occurrence, occurrences

LABEL, CONTRAST = 14, 4.5
"""The width of a label, in letters; a wider token is cut; and the least contrast of a text with its background."""
JOINT = "\u00a0"
"""A space at which no line ends."""
_WIDE = frozenset("mwMWΩ@%")
"""Letters that are wider than others in the font."""

_LOW_DIGITS, _HIGH_DIGITS = (str.maketrans("-0123456789", digits) for digits in ("₋₀₁₂₃₄₅₆₇₈₉", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def label(token: str, letters: float = LABEL) -> str:
    """A token as a label whose `width` is at most `letters`: what cannot be printed is a box, and the rest is cut."""
    text = "".join(c if c.isprintable() else "□" for c in token)
    if width(text) <= letters:
        return text
    widths = accumulate(map(width, text))
    return text[: sum(so_far <= letters - 1 for so_far in widths)] + "…"


def subscripted(tokens: Sequence[str], letters: float = LABEL) -> tuple[str, ...]:
    """Tokens as labels of at most `letters` letters, in which an index counts the occurrences of a word.

    >>> subscripted(["their#1", "dog", "their#2"])
    ('their₁', 'dog', 'their₂')
    """
    split = ((word, str(count or "")) for word, count in occurrences(tokens))
    return tuple(label(word, letters - len(count)) + count.translate(_LOW_DIGITS) for word, count in split)


@lru_cache(maxsize=10_000)
def ems(text: str) -> float:
    """The measured width of a text of one line, in font sizes."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=FONT, size=100)
    return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]) / 100


def indexed(token: str, letters: float = LABEL) -> str:
    """A token as a label whose index is below the line; for a token that is shown without the others of its text.

    >>> indexed("their#2"), indexed("dog"), indexed("C#")
    ('their₂', 'dog', 'C#')
    """
    word, count = Occurrence.parse(token)
    return label(word, letters) + (str(count).translate(_LOW_DIGITS) if count else "")


def unnumbered(tokens: Sequence[str]) -> tuple[str, ...]:
    """Tokens as they are in the text, without the index that counts the occurrences of a word.

    >>> unnumbered(["their#1", "dog", "their#2"])
    ('their', 'dog', 'their')
    """
    return tuple(token.word for token in occurrences(tokens))


def wrapped(text: str, letters: int, lines: int = 2) -> str:
    """A text on a few lines of `letters` letters; what is joined by `JOINT` stays on one line.

    A text that is too long ends with an ellipsis.
    """
    plain = "".join(c if c.isprintable() or c == JOINT else " " for c in text)
    texts = textwrap.wrap(plain, letters, max_lines=lines, placeholder=" …")
    if len(texts) > 1 and texts[-1].strip() == "…":  # what is cut is a word that is longer than a line
        texts[-2:] = [f"{texts[-2][: letters - 1]}…"]
    return "\n".join(texts)


def width(text: str) -> float:
    """The width of a text, in letters of common width."""
    return sum(1.6 if c in _WIDE or east_asian_width(c) in "WF" else 1.0 for c in text)


def power_of_ten(exponent: int) -> str:
    """A power of ten as a text.

    >>> power_of_ten(6), power_of_ten(-7)
    ('10⁶', '10⁻⁷')
    """
    return f"10{str(exponent).translate(_HIGH_DIGITS)}"


def readable_on(colour: Any) -> str:
    """The text colour or the background colour, whichever is easier to read on a colour."""
    return max(theme().ink, theme().paper, key=lambda one: contrast(one, colour))


def inked(colour: Any) -> Any:
    """A colour for text, as three numbers: as dark as the background asks for, or as light."""
    from matplotlib.colors import to_rgb

    shares = np.linspace(0, 1, 21)[:, None]
    mixed = (1 - shares) * to_rgb(colour) + shares * to_rgb(theme().ink)
    return next((tuple(one) for one in mixed if contrast(one, theme().paper) >= CONTRAST), theme().ink)


def contrast(*colours: Any) -> float:
    """The contrast of two colours by WCAG 2, from 1 to 21."""
    light, dark = sorted((luminance(colour) + 0.05 for colour in colours), reverse=True)
    return light / dark


def luminance(colour: Any) -> float:
    """The relative luminance of a colour by WCAG 2, from 0 to 1."""
    from matplotlib.colors import to_rgb

    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return float(np.dot((0.2126, 0.7152, 0.0722), linear))
