"""The weights between two texts: the runs and heads that have them, and lines between their words."""

from typing import NamedTuple

import numpy as np

from hopattn.figures.base import Axes, between_texts
from hopattn.figures.choice import AS_WRITTEN
from hopattn.figures.shapes import line_of
from hopattn.figures.style import scaled, theme
from hopattn.results.labelled import Labelled
from hopattn.scenario.result import Result

COLOURED = 6
"""The number of keys up to which each has a colour."""
WIDEST = 14.0
"""The width of the line of the largest weight, in points on a slide."""
FAINTEST = 0.02
"""The smallest weight that has a line, as a part of 1 or of the largest."""
FULL = 18
"""The number of words up to which lines have their full width."""
LACK = "it has no words that attend to another text"


class Crossed(NamedTuple):
    """The weights of a head whose queries come from another text than its keys, with the title of their panel."""

    title: str
    weights: Labelled

    @property
    def longest(self) -> int:
        """The number of words of the longer text."""
        return max(map(len, self.weights.labels))

    @property
    def most(self) -> float:
        """The weight of the widest line: 1, or the largest."""
        return max(1.0, float(np.abs(self.weights.values).max(initial=0.0)))


def crossed(result: Result) -> list[Crossed]:
    """The weights between two texts, of all runs and heads; a title names what differs from the others."""
    found = []
    for run in result.runs:
        heads = between_texts(run)
        name = run.name or (AS_WRITTEN if len(result.runs) > 1 else "")
        for place, weights in heads:
            found.append(Crossed(": ".join(filter(None, (name, place if len(heads) > 1 else ""))), weights))
    return found


def names_of(result: Result) -> tuple[str, str]:
    """The names of the words that are attended to, and of those that attend."""
    return ("read", "written") if result.kind in ("recurrent", "translation") else ("key", "query")


def draw_lines(ax: Axes, weights: np.ndarray, keys: np.ndarray, queries: np.ndarray, most: float) -> None:
    """Draw a line for each weight, the strongest on top: in the colour of its key; below 0, grey and dashed.

    keys, queries: the places of the words, `(n, 2)`. most: the weight of the widest line.
    """
    thin = min(1.0, FULL / max(weights.shape))
    strong = np.argwhere(np.abs(weights) > FAINTEST * most)
    for i, j in sorted(strong, key=lambda pair: abs(float(weights[*pair]))):
        weight, share = float(weights[i, j]), abs(float(weights[i, j])) / most
        colour = theme().series[j] if len(keys) <= COLOURED else theme().plus
        style = {"color": colour if weight > 0 else theme().faint, "lw": scaled(max(1.0, WIDEST * share) * thin)}
        ax.plot(*np.stack([keys[j], queries[i]], axis=1), line_of(weight), alpha=0.45 + 0.5 * share, **style)
