"""The looks of minima: a colour and a sign for each stored pattern, hollow for its reverse, grey for other states."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from hopattn.figures.style import scaled, theme
from hopattn.figures.text import short
from hopattn.scenario.arrays import Occurrence
from hopattn.scenario.result import Run

MARKERS = ("o", "s", "^", "v", "P")
"""The marker of each pattern; another minimum has a diamond."""
REVERSED = " reversed"
NAME = 22
"""The letters of the longest name."""
REST = ("mixture", "other", "cycles")
"""The names of what is neither a pattern nor a reverse, in the order of a legend."""


class Minimum(NamedTuple):
    """A minimum by its label. name: a pattern, a pattern reversed, "mixture", "other" or "cycles".

    number: of the pattern, −1 for none. reverse: whether it is the reverse of that.
    """

    name: str
    number: int
    reverse: bool

    @property
    def colour(self) -> str:
        """The colour of the pattern; ink for cycles, grey for the rest."""
        if self.number >= 0:
            return theme().series[self.number % 6]
        return theme().ink if self.name == "cycles" else theme().faint

    def marks(self, size: float) -> dict[str, Any]:
        """The style of a sign of matplotlib. size: in points on a slide."""
        marker = MARKERS[self.number % len(MARKERS)] if self.number >= 0 else "D"
        fill = self.colour if self.number >= 0 and not self.reverse else theme().paper
        look = {"marker": marker, "linestyle": "", "markersize": scaled(size), "markeredgewidth": scaled(2.5)}
        return look | {"markerfacecolor": fill, "markeredgecolor": self.colour, "clip_on": False}

    def area(self) -> dict[str, Any]:
        """The style of a bar: that of the reverse of a pattern is pale."""
        pale = self.reverse or self.name == "mixture"
        return {"facecolor": (self.colour, 0.3 if pale else 1.0), "edgecolor": theme().paper, "lw": scaled(1.5)}


def minima_of(run: Run, labels: Sequence[str]) -> list[Minimum]:
    """The minima of a run of the kind landscape, by their labels."""
    names = list(run.arrays["basin"].labels[1])
    found = []
    for each in labels:
        own = each if each in names else Occurrence.parse(each).word.replace("others", "other")
        whole = own.removesuffix(REVERSED)
        number = names.index(own) if own in names else names.index(whole) if whole in names else -1
        found.append(Minimum(short(own, NAME), number, number >= 0 and own not in names))
    return found


def each_once(minima: Iterable[Minimum]) -> list[Minimum]:
    """The different minima, patterns first, each before its reverse."""
    last = {name: i for i, name in enumerate(REST)}
    return sorted(set(minima), key=lambda one: (one.number < 0, one.number, one.reverse, last.get(one.name, 0)))


def in_legend(minima: Iterable[Minimum]) -> list[Minimum]:
    """The minima that a legend names: a pattern stands there for its reverse too."""
    return each_once(one._replace(name=one.name.removesuffix(REVERSED), reverse=False) for one in minima)
