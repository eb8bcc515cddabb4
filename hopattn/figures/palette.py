"""The colours of figures: one colour for one thing in every figure, on a light and on a dark sheet."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

OKABE_ITO = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5c5c5c")
"""The palette of Okabe and Ito, whose colours also differ for colour-blind people, with a grey in place of black."""


@dataclass(frozen=True)
class Palette:
    """The colours of one kind of sheet.

    paper: the sheet. ink: text and lines. faint: what is of less weight. empty: cells without a number. plus, minus: a
    number above 0, a number below 0. deep: the largest weight. query, key, value: the three vectors of a word. series:
    the colours of lines, patterns and runs, in their order. dim: a pale area behind text.
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
        """The colour map of numbers from 0 up: 0 is the sheet, the largest number is blue."""
        return _map("weights", (self.paper, *self.deep))

    @cached_property
    def diverging(self) -> Any:
        """The colour map of numbers on both sides of 0: 0 is the sheet, blue above it, orange below."""
        return _map("signed", (*reversed(self.deep_minus), self.paper, *self.deep))

    @cached_property
    def picture(self) -> Any:
        """The colour map of pictures: −1 is the sheet, 1 is ink."""
        return _map("picture", (self.paper, self.ink))


LIGHT = Palette(
    paper="#ffffff",
    ink="#1a1a1a",
    faint="#767676",
    empty="#f2f2f2",
    dim="#dbe9f4",
    plus="#0072b2",
    minus="#d55e00",
    deep=("#c6dbef", "#5ba3d0", "#0072b2", "#08406f"),
    deep_minus=("#fdd8b8", "#f59a57", "#d55e00", "#7f3300"),
    query="#a66a00",
    key="#00795a",
    value="#a8447f",
)
DARK = Palette(
    paper="#14171c",
    ink="#f2f2f2",
    faint="#9aa0a8",
    empty="#22272e",
    dim="#24384a",
    plus="#56b4e9",
    minus="#ff9455",
    deep=("#173a52", "#1f6d9c", "#56b4e9", "#c9e8fb"),
    deep_minus=("#4a2410", "#a84f14", "#ff9455", "#ffdcc4"),
    query="#f0b840",
    key="#3fd0a0",
    value="#ee9ccb",
    series=("#56b4e9", "#ff9455", "#2fd3a0", "#ee9ccb", "#f0c040", "#9fc5ff", "#c0c0c0"),
)


def _map(name: str, colours: tuple[str, ...]) -> Any:
    """A colour map through these colours at equal distances; not-a-number is transparent."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list(name, colours, N=512)
