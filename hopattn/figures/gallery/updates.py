"""The basins of a small network under each update side by side: the share of all states that ends in each minimum."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes
from hopattn.figures.minima import Minimum, each_once, in_legend, minima_of
from hopattn.figures.panels import About, Panels, Shown
from hopattn.figures.shapes import boxed
from hopattn.figures.style import theme
from hopattn.figures.text import number
from hopattn.scenario.result import Run

WAYS = {"random": "one at random", "sequence": "in sequence", "sync": "all at once"}
"""The updates as a figure names them."""
WIDE = 0.05
"""The share from which on a part of a bar has its number, where a bar is as wide as the figure."""


class Updates(Panels[Run]):
    """A bar for each update, with a part for each minimum: a pattern, its reverse, a mixture, or cycles."""

    name: ClassVar[str] = "updates"
    shows: ClassVar[str] = "how many states lead to each minimum, by the update: a basin belongs to an update"
    scenario: ClassVar[str] = "three-updates"
    needs: ClassVar[str] = "basin"
    lack: ClassVar[str] = "it has no basins of all states"
    most: ClassVar[int] = 4
    in_a_row: ClassVar[int] = 2
    shared: ClassVar[dict[str, bool]] = {"sharex": True}

    def panel_of(self, ax: Axes, part: Run, shown: Shown[Run]) -> None:
        ends = part.arrays["ends"]
        for y, shares in enumerate(ends.values):
            left = 0.0
            for minimum, share in _together(part, shares):
                ax.barh(y, share, left=left, height=0.7, **minimum.area())
                if share >= self._wide(shown):
                    boxed(ax, (left + share / 2, y), number(share), color=theme().ink)
                left += share
        ax.set_yticks(range(len(ends.values)), [WAYS[name] for name in ends.labels[0]])
        ax.set(xlim=(0, 1), ylim=(len(ends.values) - 0.5, -0.5), xlabel="share of all states")
        ax.set_xticks([0, 0.5, 1], ["0", ".5", "1"])
        ax.tick_params(axis="y", length=0)
        ax.spines[["top", "right", "left"]].set_visible(False)

    def _wide(self, shown: Shown[Run]) -> float:
        return WIDE * min(self.in_a_row, len(shown.parts))

    def about(self, shown: Shown[Run], axes: Sequence[Axes]) -> About:
        from matplotlib.patches import Patch

        parts = [(run, shares) for run in shown.parts for shares in run.arrays["ends"].values]
        minima = [minimum for run, shares in parts for minimum, share in _together(run, shares) if share]
        every = in_legend(minima)
        keys = [Patch(**one.area()) for one in every]
        notes = ["pale: the reverse of a pattern"] if any(one.reverse for one in minima) else []
        notes += [f"parts below {number(self._wide(shown))} have no number", self.left_out(shown)]
        return super().about(shown, axes)._replace(notes=notes, keys=keys, names=[one.name for one in every])


def _together(run: Run, shares: np.ndarray) -> list[tuple[Minimum, float]]:
    """The different minima with their shares; those of one name, such as mixtures, are added up."""
    every = minima_of(run, run.arrays["ends"].labels[1])
    sums: dict[Any, float] = dict.fromkeys(each_once(every), 0.0)
    for minimum, share in zip(every, shares.tolist(), strict=True):
        sums[minimum] += share
    return [*sums.items()]
