"""A walk through a world: the edges on which a place was recalled, and how many predictions were right."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure, Plot
from hopattn.figures.headings import headline, left_out, run_title
from hopattn.figures.places import is_lattice, spots_of
from hopattn.figures.shapes import bare, sign
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label, number
from hopattn.scenario.result import Result, Run

RUNS = 4
"""The largest number of runs with bars."""
NUMBERED = 6
"""The number of places in a row, or half of those on a circle, up to which each shows the kind that is seen."""
NAMED = 12
"""The number of places up to which each has its name, where the world is not a lattice."""
SORTS = ("known edge", "new edge")
STYLES: dict[str, tuple[str, float, Any, str]] = {
    "first visit": ("faint", 2.5, "-", "first walk to a place never seen"),
    "right": ("plus", 4.0, "-", "new edge to a place seen before: right"),
    "wrong": ("minus", 4.0, (0, (1.2, 0.8)), "new edge to a place seen before: wrong"),
}
"""The colour, width and dashes of a link, and its meaning, by what was predicted when it was first walked."""
STUB = 0.62
"""The length of a link that leaves a lattice on one side and comes back on the other."""


class Walk(Plot):
    """The world with its links on the left, the accuracy of each run on the right."""

    shows: ClassVar[str] = "a walk that recalls what was seen at a place, also along edges never walked before"
    scenario: ClassVar[str] = "torus-walk"

    def lacks(self, result: Result) -> str:
        return "" if "links" in result.runs[0].arrays else "it walks through no world"

    def draw(self, figure: Figure, result: Result) -> None:
        headline(figure, result)
        runs = result.runs[:RUNS]
        left, right = figure.subplots(1, 2, width_ratios=[1.1, 1])
        _world(left, runs[0])
        left.set_title(run_title(runs[0]) if len(result.runs) > 1 else "")
        _accuracies(right, runs)
        look: dict[str, Any] = {"frameon": False, "handlelength": 2.2, "fontsize": scaled(15)}
        others = left_out(len(runs), len(result.runs), "runs", "run") or None
        title = f"{'number: kind seen; ' * _numbered(runs[0])}ring: start; dotted: not walked; known: walked again"
        found = _fates(runs[0]).values()
        signs = [
            sign(color=getattr(theme(), name), lw=scaled(width), linestyle=dashes, label=meaning)
            for fate, (name, width, dashes, meaning) in STYLES.items()
            if fate in found
        ]
        figure.legend(handles=signs, title=title, loc="outside lower left", **look)
        figure.legend(handles=_bars(), title=others, loc="outside lower right", **look)


def _numbered(run: Run) -> bool:
    """Whether there is room for a number in each place."""
    if is_lattice(run):
        return bool(np.ptp(spots_of(run), axis=0).max() < NUMBERED)
    return len(run.arrays["world"].values) <= 2 * NUMBERED


def _fates(run: Run) -> dict[tuple[int, int], str]:
    """The prediction when each link was first walked: a key of `STYLES`, by the places of the link, from 0."""
    places = [0, *(int(place) - 1 for place in run.arrays["place"].values)]
    fates: dict[tuple[int, int], str] = {}
    for t, (sort, right) in enumerate(zip(run.arrays["sort"].values, run.arrays["right"].values, strict=True)):
        link = (min(places[t : t + 2]), max(places[t : t + 2]))
        if sort == "first visit":
            fates.setdefault(link, "first visit")
        elif sort == "new edge":
            fates[link] = "right" if right and fates.get(link) != "wrong" else "wrong"
    return fates


def _world(ax: Axes, run: Run) -> None:
    """Draw the links by what was predicted when they were first walked, and the places with their kinds."""
    from matplotlib.collections import LineCollection

    spots, fates = spots_of(run), _fates(run)
    links = [(int(a) - 1, int(b) - 1) for a, b in run.arrays["links"].values]
    unwalked = [line for link in links if link not in fates for line in _lines(spots, link, is_lattice(run))]
    ax.add_collection(LineCollection(unwalked, colors=theme().faint, linewidths=scaled(1.0), linestyles=":", zorder=1))
    for fate, (name, width, dashes, _) in STYLES.items():
        lines = [line for link in links if fates.get(link) == fate for line in _lines(spots, link, is_lattice(run))]
        style: dict[str, Any] = {"colors": getattr(theme(), name), "linewidths": scaled(width), "linestyles": [dashes]}
        ax.add_collection(LineCollection(lines, zorder=2, **style))
    size = scaled(18 if _numbered(run) else 5)
    ax.plot(*spots.T, "o", ms=size, mfc=theme().paper, mec=theme().faint, mew=scaled(1.0), zorder=3)
    ax.plot(*spots[0], "o", ms=size + scaled(2), mfc="none", mec=theme().ink, mew=scaled(2.5), zorder=4)
    if _numbered(run):
        for (x, y), kind in zip(spots, run.arrays["world"].values[:, 2], strict=True):
            ax.text(x, y, f"{int(kind)}", ha="center", va="center_baseline", fontsize=scaled(13), zorder=5)
    _frame(ax, run)


def _frame(ax: Axes, run: Run) -> None:
    """Fit the panel to the places, with their names in a small graph."""
    spots = spots_of(run)
    lattice = is_lattice(run)
    if not lattice and len(spots) <= NAMED:
        for name, (x, y) in zip(run.arrays["world"].labels[0], spots, strict=True):
            side = "center" if abs(x) < 0.3 * len(spots) / 6 else "left" if x > 0 else "right"
            level = "center" if side != "center" else "bottom" if y > 0 else "top"
            away = scaled(16) * np.array([np.sign(x) * (side != "center"), np.sign(y) * (side == "center")])
            ax.annotate(label(name), (x, y), away, textcoords="offset points", ha=side, va=level, fontsize=scaled(16))
    room = 0.8 if lattice else 0.5
    low, high = spots.min(axis=0) - room, spots.max(axis=0) + room
    wide = 0.0 if lattice or len(spots) > NAMED else 0.6 * (high[0] - low[0])
    bare(ax, xlim=(low[0] - wide, high[0] + wide), ylim=(low[1], high[1]), aspect="equal")


def _lines(spots: np.ndarray, link: tuple[int, int], lattice: bool) -> list[np.ndarray]:
    """A link as lines: one, or a stub at each end where it leaves a lattice and comes back on the other side."""
    start, end = spots[link[0]], spots[link[1]]
    across = end - start
    length = float(np.abs(across).sum())
    if not lattice or length <= 1:
        return [np.stack([start, end])]
    outwards = STUB * across / length
    return [np.stack([start, start - outwards]), np.stack([end, end + outwards])]


def _accuracies(ax: Axes, runs: list[Run] | tuple[Run, ...]) -> None:
    """Draw a bar for each run and sort of revisit, with the number of right predictions, and a mark at chance."""
    y, ticks, names = 0.0, [], []
    for run in runs:
        sorts, right = run.arrays["sort"].values, run.arrays["right"].values
        chance = float(run.arrays["chance"].values)
        ticks.append(y + 0.5)
        names.append(run_title(run, 13))
        for sort, colour in zip(SORTS, _sorts(), strict=True):
            own = right[sorts == sort]
            share = float(own.mean()) if len(own) else 0.0
            ax.barh(y, share, height=0.85, color=colour)
            beyond = max(share, chance) + 0.02
            place, align, ink = (
                (beyond, "left", theme().ink) if beyond < 0.55 else (share - 0.02, "right", theme().paper)
            )
            text = f"{int(own.sum())} of {len(own)} = {number(share, 3)}" if len(own) else f"no {sort}"
            ax.text(place, y, text, ha=align, va="center", color=ink, fontsize=scaled(15))
            y += 1
        ax.plot([chance, chance], [y - 2.5, y - 0.5], color=theme().ink, lw=scaled(2.5), ls="--")
        y += 0.8
    ax.set(ylim=(max(y - 0.5, 4.5), -0.6), xlim=(0, 1.0), xticks=[0, 0.5, 1], xticklabels=["0", ".5", "1"])
    ax.set_yticks(ticks, names if len(runs) > 1 else [""])
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("right predictions on revisits (share)")


def _sorts() -> tuple[str, str]:
    """The colours of the bars: known edges and new ones, which have the same colour in the world."""
    return theme().series[2], theme().plus


def _bars() -> list[Any]:
    """The signs of the bars, and that of chance."""
    from matplotlib.patches import Patch

    bars: list[Any] = [Patch(color=colour, label=f"{sort}s") for sort, colour in zip(SORTS, _sorts(), strict=True)]
    return [*bars, sign(color=theme().ink, lw=scaled(2.5), ls="--", label="best constant prediction")]
