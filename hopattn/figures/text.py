"""Text in figures: tokens as labels, and numbers as the lectures write them."""

import textwrap
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any
from unicodedata import east_asian_width

from hopattn.figures.style import theme
from hopattn.scenario.arrays import Occurrence, occurrences

LABEL = 14
"""The width of a label, in letters; a wider token is cut."""
CONTRAST = 4.5
"""The least contrast of a text with its background."""
_WIDE = frozenset("mwMWΩ@%")
"""Letters that are wider than others in the font."""

_LOW_DIGITS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_HIGH_DIGITS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def label(token: str) -> str:
    """A token as a label: characters that cannot be printed are boxes, and a long token is cut."""
    return short(token, LABEL)


def short(token: str, letters: float) -> str:
    """A token as a label whose `width` is at most `letters`."""
    text = "".join(c if c.isprintable() else "□" for c in token)
    if width(text) <= letters:
        return text
    widths = accumulate(width(c) for c in text)
    return text[: sum(so_far <= letters - 1 for so_far in widths)] + "…"


def subscripted(tokens: Sequence[str], letters: float = LABEL) -> tuple[str, ...]:
    """Tokens as labels of at most `letters` letters, in which an index counts the occurrences of a word.

    >>> subscripted(["their#1", "dog", "their#2"])
    ('their₁', 'dog', 'their₂')
    """
    split = ((word, str(count or "")) for word, count in occurrences(tokens))
    return tuple(short(word, letters - len(count)) + count.translate(_LOW_DIGITS) for word, count in split)


def ems(text: str, weight: str = "normal") -> float:
    """The measured width of a text of one line, in font sizes."""
    from matplotlib import rcParams

    return _measured(text, weight, tuple(rcParams["font.family"]))


@lru_cache(maxsize=10_000)
def _measured(text: str, weight: str, family: tuple[str, ...]) -> float:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=list(family), weight=weight, size=100)
    across: float = text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]
    return across / 100


def indexed(token: str, letters: float = LABEL) -> str:
    """A token as a label whose index is below the line; for a token that is shown without the others of its text.

    >>> indexed("their#2"), indexed("dog"), indexed("C#")
    ('their₂', 'dog', 'C#')
    """
    word, count = Occurrence.parse(token)
    return short(word, letters) + (str(count).translate(_LOW_DIGITS) if count else "")


def unnumbered(tokens: Sequence[str]) -> tuple[str, ...]:
    """Tokens as they are in the text, without the index that counts the occurrences of a word.

    >>> unnumbered(["their#1", "dog", "their#2"])
    ('their', 'dog', 'their')
    """
    return tuple(token.word for token in occurrences(tokens))


JOINT = "\u00a0"
"""A space at which no line ends."""


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


def number(value: float, digits: int = 2, powers: bool = False) -> str:
    """A number as the lectures write it: .58, −.2, 1.

    digits: the largest number of decimals. powers: whether numbers that these do not show, and those from 100,000 up,
    are written with a power of ten.
    """
    if powers and value != 0 and not 0.005 <= abs(value) < 1e5:
        return f"{value:.1e}".replace("-", "−")
    text = f"{value:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    text = "0" if text == "-0" else text.replace("-", "−")
    return text.replace("0.", ".", 1) if text.lstrip("−").startswith("0.") else text


def power_of_ten(exponent: int) -> str:
    """A power of ten as a text.

    >>> power_of_ten(6), power_of_ten(-7)
    ('10⁶', '10⁻⁷')
    """
    return f"10{str(exponent).translate(_HIGH_DIGITS)}"


def readable_on(colour: Any) -> str:
    """The text colour or the background colour, whichever is easier to read on a colour."""
    dark, light = sorted((theme().ink, theme().paper), key=brightness)
    return dark if brightness(colour) > 0.45 else light


def brightness(colour: Any) -> float:
    """The brightness of a colour, from 0 to 1."""
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def inked(colour: Any) -> Any:
    """A colour for text, as three numbers: as dark as the background asks for, or as light."""
    from matplotlib.colors import to_rgb

    own, ink, paper = map(to_rgb, (colour, theme().ink, theme().paper))
    mixed = (tuple(a + (b - a) * step / 20 for a, b in zip(own, ink, strict=True)) for step in range(21))
    return next((one for one in mixed if _contrast(one, paper) >= CONTRAST), ink)


def _contrast(*colours: Any) -> float:
    """The contrast of two colours by WCAG 2, from 1 to 21."""
    linear = [[c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour] for colour in colours]
    light, dark = sorted((brightness(colour) + 0.05 for colour in linear), reverse=True)
    return light / dark
