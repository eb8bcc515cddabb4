"""The disconnectivity graph of a small network: a tree of its minima, with the passes between them at their heights."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes
from hopattn.figures.minima import in_legend, minima_of
from hopattn.figures.panels import About, Panels, Shown
from hopattn.figures.style import scaled, theme, tick_options
from hopattn.figures.text import number
from hopattn.scenario.result import Run

MESSAGE = "how deep each minimum lies, and how high the passes are"


class Disconnectivity(Panels[Run]):
    """A leaf for each minimum, at its energy; two branches join at the lowest pass between their minima."""

    name: ClassVar[str] = "disconnectivity"
    shows: ClassVar[str] = "how deep each minimum is, and how high the lowest pass to every other one"
    scenario: ClassVar[str] = "three-updates"
    lack: ClassVar[str] = "it has no two minima with the barriers between them"
    most: ClassVar[int] = 3
    space: ClassVar[dict[str, float]] = {"w_pad": 0.12, "h_pad": 0.08}

    def parts(self, result: Any) -> list[Run]:
        return [run for run in result.runs if "barriers" in run.arrays and len(_deep(run)) > 1]

    def panel_of(self, ax: Axes, part: Run, shown: Shown[Run]) -> None:
        deep, energy = _deep(part), part.arrays["energy"]
        order, branches = tree_of(part.arrays["barriers"].values[np.ix_(deep, deep)])
        place = {leaf: float(x) for x, leaf in enumerate(order)}
        spans: dict[int, tuple[float, float]] = {}
        height = dict(enumerate(energy.values[deep].tolist()))
        look: dict[str, Any] = {"color": theme().ink, "lw": scaled(2), "solid_capstyle": "round", "zorder": 1}
        for node, (one, other, top) in enumerate(branches, start=len(order)):
            ax.plot([place[one]] * 2 + [place[other]] * 2, [height[one], top, top, height[other]], **look)
            ends = [x for each in (one, other) for x in (spans[each] if height[each] == top else (place[each],))]
            spans[node] = min(ends), max(ends)  # several branches may join at one height
            place[node], height[node] = sum(spans[node]) / 2, top
        for leaf, minimum in enumerate(minima_of(part, [energy.labels[0][i] for i in deep])):
            ax.plot(place[leaf], height[leaf], **minimum.marks(13), zorder=2)
        ax.set(xticks=[], xlim=(-0.7, len(order) - 0.3), ylabel="energy E")
        ax.spines[["top", "right", "bottom"]].set_visible(False)
        ax.margins(y=0.08)
        tick_options(ax.yaxis, nbins=5)
        ax.yaxis.set_major_formatter(lambda value, _: number(value))

    def about(self, shown: Shown[Run], axes: Sequence[Axes]) -> About:
        from matplotlib.lines import Line2D

        labels = [(run, [run.arrays["energy"].labels[0][i] for i in _deep(run)]) for run in shown.parts]
        minima = [minimum for run, own in labels for minimum in minima_of(run, own)]
        every = in_legend(minima)
        notes = ["branches join at the lowest pass"]
        notes += ["hollow: a pattern reversed"] if any(one.reverse for one in minima) else []
        left = sum(int(run.arrays["minima"].values) - len(own) for run, own in labels)
        notes += [f"left out: {left} minima that are flat or high"] if left else []
        keys, names = [Line2D([], [], **one.marks(13)) for one in every], [one.name for one in every]
        about = super().about(shown, axes)._replace(keys=keys, names=names, message=MESSAGE)
        return about._replace(notes=[*notes, self.left_out(shown)])


def _deep(run: Run) -> np.ndarray:
    """The numbers of the minima from which every way to another one rises."""
    barriers, energy = run.arrays["barriers"].values, run.arrays["energy"].values
    least = np.where(np.eye(len(energy), dtype=bool), np.inf, barriers).min(axis=1)
    return np.flatnonzero(least > energy + 1e-9)


def tree_of(barriers: np.ndarray) -> tuple[list[int], list[tuple[int, int, float]]]:
    """The order of the leaves, and the branches that join, from the lowest pass up; a joint has the next free number.

    barriers: `(K, K)`, the height of the lowest pass between each two minima.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    least = barriers.min()  # distances are not negative
    joined = linkage(squareform(barriers - least, checks=False), "single")
    return leaves_list(joined).tolist(), [(int(one), int(other), top + least) for one, other, top, _ in joined]
