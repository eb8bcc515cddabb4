"""A network of layers as a bipartite graph: the activities of each layer, and the energy of each synapse."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hopattn.figures.base import Axes
from hopattn.figures.choice import query_of
from hopattn.figures.headings import JOINT, left_out, wrapped
from hopattn.figures.panels import About, Panels, Shown
from hopattn.figures.shapes import boxed, framed
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label, number, readable_on, short
from hopattn.foundation.writing import counted
from hopattn.scenario.result import Result, Run

LAYERS, NUMBERED, NAME = 5, 6, 14
"""The largest numbers of layers, and of neurons of a layer whose activities are written; letters of a layer's name."""
HIGH, WIDE, COLUMN = 1.6, 1.15, 0.6
"""The largest height and width of a layer, and the width of a column of neurons."""
APART = 2.0
"""The distance between the layers of a row."""


class Moment(NamedTuple):
    """A run, the number of its cue, and a step of it."""

    run: Run
    cue: int
    step: int


class Graph(Panels[Moment]):
    """Two panels for one cue: where it starts, and where it ends. A square is a synapse, with lines to its layers."""

    name: ClassVar[str] = "network"
    shows: ClassVar[str] = "layers of neurons and the synapses that join them, at the cue and at the end of its recall"
    scenario: ClassVar[str] = "three-layers"
    most: ClassVar[int] = 2
    what: ClassVar[tuple[str, str]] = "moments", "run"
    space: ClassVar[dict[str, float]] = {"w_pad": 0.1}

    def lacks(self, result: Result) -> str:
        joins = result.runs[0].arrays.get("joins")
        if joins is None:
            return "it has no network of layers"
        many = len(joins.labels[1])
        return "" if many <= LAYERS else f"a network of {many} layers cannot be read; the largest has {LAYERS}"

    def parts(self, result: Result) -> list[Moment]:
        """The start and the end of the cue of `[figure] query`, else of the first, in the first run."""
        run = result.runs[0]
        cues = run.arrays["energy"].labels[0]
        cue = 0 if result.figure.query is None else query_of(result, cues)
        return [Moment(run, cue, 0), Moment(run, cue, int(run.arrays["steps"].values[cue]))]

    def panel_of(self, ax: Axes, part: Moment, shown: Shown[Moment]) -> None:
        joins = part.run.arrays["joins"]
        places = _places(joins.values)
        energies = part.run.arrays["energies"]
        own = dict(zip(energies.labels[1], energies.values[part.cue, :, part.step], strict=True))
        ax.set_aspect("equal")
        ax.set_axis_off()
        spots: list[np.ndarray] = []
        for name, counts in zip(joins.labels[0], joins.values, strict=True):
            spots.append(at := _place(counts, places, spots))
            for i in np.flatnonzero(counts):
                width = scaled(2.5 * counts[i])
                ax.plot(*zip(at, places[i], strict=True), color=theme().faint, lw=width, zorder=0)
            ax.plot(*at, "s", color=theme().series[1], ms=scaled(11), zorder=3)
            boxed(ax, at - (0, 0.16), number(float(own[name]), 1), fontsize=scaled(15), va="top", zorder=1)
        for (name, kind, values), at in zip(_layers(part), places, strict=True):
            half, above = _layer(ax, at, values), at[1] > 0
            place = at[0], at[1] + (half + 0.06) * (1 if above else -1)
            ax.text(*place, f"‘{name}’\n{kind}", ha="center", va="bottom" if above else "top", fontsize=scaled(15))
        low, high = np.min([*places, *spots], axis=0), np.max([*places, *spots], axis=0)
        ax.set(
            xlim=(low[0] - 0.65, high[0] + 0.65),
            ylim=(low[1] - HIGH - 0.15, high[1] + HIGH * (0.5 + 0.5 * (high[1] > 0)) + 0.1),
        )

    def about(self, shown: Shown[Moment], axes: Sequence[Axes]) -> About:
        run, cue, last = shown.parts[-1]
        total = run.arrays["energy"].values[cue]
        name = label(run.arrays["energy"].labels[0][cue])
        titles = [
            f"{when}: energy{JOINT}{number(float(total[step]))}"
            for when, step in ((f"the cue ‘{name}’", 0), (f"after {counted(last, 'step')}", last))
        ]
        notes = (
            "squares: synapses, with their energies",
            left_out(1, len(run.arrays["energy"].labels[0]), "cues", "query"),
            left_out(1, len(shown.result.runs), "runs", "run"),
        )
        return About(notes, titles=[wrapped(title, 34) for title in titles[: len(axes)]])


def _layers(part: Moment) -> Iterator[tuple[str, str, np.ndarray]]:
    """The name, the activation and the activities of each layer, these in the rows of a picture or in one column."""
    activities, kinds = part.run.arrays["activities"], part.run.arrays["activations"]
    owners = [name.rsplit(" ", 1)[0] for name in activities.labels[2]]
    for name, kind in zip(kinds.labels[0], kinds.values, strict=True):
        own = activities.values[part.cue, part.step, [i for i, owner in enumerate(owners) if owner == name]]
        yield short(label(name), NAME), str(kind).replace(" (", "\n("), own.reshape(-1, _columns(part.run, len(own)))


def _columns(run: Run, count: int) -> int:
    """The columns in which the neurons of a layer are drawn: those of a picture, else one, or nearly a square."""
    if run.strips and run.strips[0].size.pixels == count:
        return run.strips[0].size.columns
    return 1 if count <= NUMBERED else next(n for n in range(int(count**0.5), 0, -1) if count % n == 0)


def _layer(ax: Axes, at: np.ndarray, values: np.ndarray) -> float:
    """Draw the activities of a layer around a point, those of a few neurons as numbers too; returns half its height."""
    rows, columns = values.shape
    cell = min(HIGH / max(rows, 4), WIDE / columns)
    half = np.array([columns * cell if columns > 1 else COLUMN, rows * cell]) / 2
    extent = (at[0] - half[0], at[0] + half[0], at[1] - half[1], at[1] + half[1])
    most = max(1.0, float(np.abs(values).max()))
    look: dict[str, Any] = {"cmap": theme().picture, "vmin": -most, "vmax": most, "interpolation": "nearest"}
    image = ax.imshow(values, extent=extent, zorder=2, **look)
    framed(ax, at - half, 2 * half, theme().ink, 1.5, zorder=3)
    for i, value in enumerate(values.ravel() if values.size <= NUMBERED else ()):
        y = at[1] + half[1] - (i + 0.5) * cell
        colour = readable_on(image.cmap(image.norm(value)))
        ax.text(at[0], y, number(float(value)), ha="center", va="center", color=colour, fontsize=scaled(14), zorder=4)
    return float(half[1])


def _places(joins: np.ndarray) -> np.ndarray:
    """The places of the layers, `(n_layers, 2)`: in a row, that of the most synapses in the middle, or on a circle."""
    count = joins.shape[1]
    if count > 3 or (joins > 0).sum(axis=1).max(initial=0) > 2:
        turns = np.pi / 2 + 2 * np.pi * np.arange(count) / count
        radius = max(1.5, float(1.25 / np.sin(np.pi / count)))
        return radius * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    order = np.arange(count)
    if count == 3 and (hub := int(np.argmax((joins > 0).sum(axis=0)))) != 1:
        order = np.where(order == hub, 1, np.where(order == 1, hub, order))
    return np.stack([APART * order, np.zeros(count)], axis=1)


def _place(counts: np.ndarray, places: np.ndarray, taken: Sequence[np.ndarray]) -> np.ndarray:
    """The place of a synapse: amid its layers, above the only one; higher where another synapse or a layer is."""
    own = np.flatnonzero(counts)
    at = places[own].mean(axis=0) + np.array([0, 1.0 * (len(own) == 1)])
    while any(np.abs(at - other).max() < 0.3 for other in [*taken, *places]):
        at = at + np.array([0, 0.45])
    return np.asarray(at)
