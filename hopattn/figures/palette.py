"""The colours of figures: one colour for one thing in every figure, on a light and on a dark background."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, islice
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
    series: tuple[str, ...]

    def colours(self, names: str | int | Sequence[str | int], count: int) -> list[Any]:
        """The colours of `count` marks, again from the first name behind the last: roles, or numbers of the series."""
        some = islice(cycle([names] if isinstance(names, str | int) else names), count)
        return [getattr(self, one) if isinstance(one, str) else self.series[one % len(self.series)] for one in some]

    def scale(self, name: str) -> Any:
        """A colour map; not-a-number is transparent.

        name: "weights", from the background at 0 to blue; "signed", with orange below 0; "picture", from the background
        at −1 to ink at 1.
        """
        from matplotlib.colors import LinearSegmentedColormap

        ends = {"weights": ((), self.deep), "signed": (self.deep_minus[::-1], self.deep), "picture": ((), (self.ink,))}
        below, above = ends[name]
        return LinearSegmentedColormap.from_list(name, (*below, self.paper, *above), N=512)


_ROLES: dict[str, tuple[Any, Any]] = {
    "paper": ("#ffffff", "#14171c"),
    "ink": ("#1a1a1a", "#f2f2f2"),
    "faint": ("#6e6e6e", "#9aa0a8"),
    "empty": ("#f2f2f2", "#22272e"),
    "dim": ("#dbe9f4", "#31597a"),
    "plus": ("#0072b2", "#56b4e9"),
    "minus": ("#d55e00", "#f28b4b"),
    "deep": (("#c6dbef", "#5ba3d0", "#0072b2", "#08406f"), ("#173a52", "#1f6d9c", "#56b4e9", "#c9e8fb")),
    "deep_minus": (("#fdd8b8", "#f59a57", "#d55e00", "#7f3300"), ("#4a2410", "#a84f14", "#f28b4b", "#ffdcc4")),
    "query": ("#8a5300", "#ffd98c"),
    "key": ("#006b4f", "#86e8c4"),
    "value": ("#a03a86", "#eda6e4"),
    "series": (OKABE_ITO, ("#56b4e9", "#f28b4b", "#2aa880", "#d070ad", "#f0c040", "#4d8ee0", "#c0c0c0")),
}
"""The colours of each role on a light background, and on a dark one."""
LIGHT, DARK = (Palette(**dict(zip(_ROLES, own, strict=True))) for own in zip(*_ROLES.values(), strict=True))
