"""The style of all figures: legible on a slide of 1280 × 720, colour-blind-safe, text kept as text."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate
from typing import Any
from unicodedata import east_asian_width

SIZE, DPI = (12.8, 7.2), 100
"""Inches, and pixels in an inch."""
INK, FAINT, EMPTY, PAPER = "#1a1a1a", "#8c8c8c", "#f2f2f2", "#ffffff"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""The palette of Okabe and Ito, whose colours also differ for colour-blind people."""
SEQUENTIAL, DIVERGING = "cividis", "PuOr"
"""The colour map of numbers from 0 up, and the one of numbers on both sides of 0, with its centre at 0."""
LABEL = 14
"""The width of a label, in letters; a wider token is cut."""
_WIDE = frozenset("mwMWΩ@%")
"""Letters that are wider than others in the font."""

_SETTINGS: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # part of matplotlib, so that a figure looks the same everywhere
    "font.size": 17,
    "axes.titlesize": 19,
    "axes.labelsize": 17,
    "xtick.labelsize": 16,
    "ytick.labelsize": 16,
    "legend.fontsize": 15,
    "axes.edgecolor": INK,
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 2.5,
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "text.parse_math": False,  # a token such as $x_1$ is no formula
    "svg.fonttype": "none",
    "svg.hashsalt": "hopattn",
    "pdf.fonttype": 42,
}


@contextmanager
def styled() -> Iterator[None]:
    """A context in which matplotlib draws in this style, whatever the user's settings are."""
    import matplotlib
    from cycler import cycler

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        settings: Any = {**_SETTINGS, "axes.prop_cycle": cycler(color=COLOURS)}
        matplotlib.rcParams.update(settings)
        yield


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


def width(text: str) -> float:
    """The width of a text, in letters of common width."""
    return sum(1.6 if c in _WIDE or east_asian_width(c) in "WF" else 1.0 for c in text)


def number(value: float, digits: int = 2) -> str:
    """A number as the lectures write it: .58, −.2, 1. digits: the largest number of decimals."""
    text = f"{value:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    text = "0" if text == "-0" else text.replace("-", "−")
    return text.replace("0.", ".", 1) if text.lstrip("−").startswith("0.") else text


def readable_on(colour: Any) -> str:
    """Black or white, whichever is easier to read on a colour."""
    red, green, blue = colour[:3]
    return INK if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.45 else PAPER
