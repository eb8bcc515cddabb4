"""The colours of figures: one colour for one thing in every figure, on a light and on a dark background."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

OKABE_ITO = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5c5c5c")
"""The palette of Okabe and Ito, whose colours also differ for colour-blind people, with a grey instead of black."""


@dataclass(frozen=True)
class Palette:
    """The colours on one kind of background.

    paper: the background. ink: text and lines. faint: minor text. empty: cells without a number. plus, minus: a
    number above 0, a number below 0. deep: the largest weight. query, key, value: the three vectors of a word. series:
    the colours of lines, patterns and runs, in their order. dim: a pale area behind text.

    On each, a deuteranope can tell the three vectors, plus, minus and the first six of the series apart, and the
    colours of text have a contrast of at least 4.5.
    """

    paper: str
    ink: str
    faint: str
    empty: str
    dim: str
    plus: str
    minus: str
    deep: tuple[str, ...]
    deep_minus: tuple[str, ...]
    query: str
    key: str
    value: str
    series: tuple[str, ...] = OKABE_ITO

    @cached_property
    def sequential(self) -> Any:
        """The colour map of numbers from 0 up: 0 is the background, the largest number is blue."""
        return _map("weights", (self.paper, *self.deep))

    @cached_property
    def diverging(self) -> Any:
        """The colour map of numbers on both sides of 0: 0 is the background, blue above it, orange below."""
        return _map("signed", (*reversed(self.deep_minus), self.paper, *self.deep))

    @cached_property
    def picture(self) -> Any:
        """The colour map of pictures: −1 is the background, 1 is ink."""
        return _map("picture", (self.paper, self.ink))


LIGHT = Palette(
    paper="#ffffff",
    ink="#1a1a1a",
    faint="#6e6e6e",
    empty="#f2f2f2",
    dim="#dbe9f4",
    plus="#0072b2",
    minus="#d55e00",
    deep=("#c6dbef", "#5ba3d0", "#0072b2", "#08406f"),
    deep_minus=("#fdd8b8", "#f59a57", "#d55e00", "#7f3300"),
    query="#8a5300",
    key="#006b4f",
    value="#a03a86",
)
DARK = Palette(
    paper="#14171c",
    ink="#f2f2f2",
    faint="#9aa0a8",
    empty="#22272e",
    dim="#31597a",
    plus="#56b4e9",
    minus="#f28b4b",
    deep=("#173a52", "#1f6d9c", "#56b4e9", "#c9e8fb"),
    deep_minus=("#4a2410", "#a84f14", "#f28b4b", "#ffdcc4"),
    query="#ffd98c",
    key="#86e8c4",
    value="#eda6e4",
    series=("#56b4e9", "#f28b4b", "#2aa880", "#d070ad", "#f0c040", "#4d8ee0", "#c0c0c0"),
)


def _map(name: str, colours: tuple[str, ...]) -> Any:
    """A colour map through these colours at equal distances; not-a-number is transparent."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list(name, colours, N=512)
