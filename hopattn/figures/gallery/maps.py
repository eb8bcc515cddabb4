"""Maps of a world: the responses of position units and of memories by place, and the errors by noise."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure, Plot
from hopattn.figures.headings import foot, headline, left_out, pads
from hopattn.figures.line_names import name_lines
from hopattn.figures.places import coloured_places, is_lattice, spots_of
from hopattn.figures.shapes import colours_of
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import number, short
from hopattn.scenario.result import Result, Run

PANELS = 2
"""The number of modules and of memories that are drawn."""
SINGLE = 0.5
"""The part of all weight above which one place has a ring."""


class Maps(Plot):
    """Above: modules of position units. Below: the weights of single memories. On the right: errors by noise."""

    shows: ClassVar[str] = "grid-like responses of positions, place-like responses of memories, and errors by noise"
    scenario: ClassVar[str] = "grid-cells"

    def lacks(self, result: Result) -> str:
        arrays = result.runs[0].arrays
        if "grid" not in arrays:
            return "it walks through no world"
        return "" if arrays["grid"].values.shape[1] else "its places have no positions"

    def draw(self, figure: Figure, result: Result) -> None:
        run = result.runs[0]
        headline(figure, result)
        pads(figure, w_pad=0.14)
        with_noise = "by noise" in run.arrays
        widths = [*(1,) * PANELS, *(1.6,) * with_noise]
        grid = figure.add_gridspec(2, len(widths), width_ratios=widths)
        axes = np.array([[figure.add_subplot(grid[row, column]) for column in range(PANELS)] for row in range(2)])
        positions, fields = run.arrays["grid"], run.arrays["fields"]
        start, end = (positions.values[places] for places in run.arrays["links"].values.T - 1)
        alike = np.mean(start * end, axis=0) / np.mean(positions.values**2, axis=0)
        modules = sorted(np.argsort(-alike, kind="stable")[:PANELS].tolist())  # alike at places that are joined
        _row(axes[0], run, [(f"positions, {positions.labels[1][i]}", positions.values[:, i]) for i in modules], True)
        memories = np.unique(np.linspace(0, len(fields.values) - 1, PANELS).round().astype(int))
        names = [short(fields.labels[0][i], 19) for i in memories]
        _row(
            axes[1],
            run,
            [(f"memory of\n{name}", fields.values[i]) for name, i in zip(names, memories, strict=True)],
            False,
        )
        notes = (
            left_out(len(modules), positions.values.shape[1], "modules"),
            left_out(len(memories), len(fields.values), "memories"),
            # the maps are drawn without noise; a walk with noise of its own has no stray weight
            "maps without noise" if with_noise or "stray weight" not in run.arrays else "",
            "ring: the place of the memory" if any(ax.lines for ax in axes[1]) else "",
            left_out(1, len(result.runs), "runs", "run"),
        )
        foot(figure, notes)
        if with_noise:
            _errors(figure.add_subplot(grid[:, -1]), run)


def _row(axes: Any, run: Run, panels: list[tuple[str, np.ndarray]], grid_like: bool) -> None:
    """Draw panels of one kind with one colour scale; panels that are left over stay empty."""
    scale = colours_of(-1.0 if grid_like else 0.0, 1.0)
    for ax, (title, values) in zip(axes, panels, strict=False):
        image = coloured_places(ax, run, values, **scale)
        ax.set_title(title, fontsize=scaled(15))
        if is_lattice(run):
            ax.spines[:].set(visible=True, color=theme().faint)
        if not grid_like and values.max() > SINGLE * values.sum():
            ring: dict[str, Any] = {"mfc": "none", "mec": theme().minus, "mew": scaled(2.5), "ms": scaled(20)}
            x, y = spots_of(run)[int(np.argmax(values))]
            ax.plot(x, -y if is_lattice(run) else y, "o", **ring)
    for ax in axes[len(panels) :]:
        ax.axis("off")
    ticks = [-1, 0, 1] if grid_like else [0, 0.5, 1]
    bar = axes[0].figure.colorbar(image, ax=list(axes), ticks=ticks, shrink=0.85)
    bar.ax.set_yticklabels([number(tick) for tick in ticks])
    bar.set_label("mean cosine" if grid_like else "weight")


def _errors(ax: Axes, run: Run) -> None:
    """Draw the share of wrong predictions by the noise of a rotation, and that of the best constant prediction.

    A walk without new edges has one curve. The names stand beside the lines, or in a legend within the panel.
    """
    table = run.arrays["by noise"]
    amounts = np.array([float(name.rstrip("°")) for name in table.labels[0]])
    order = np.argsort(amounts, kind="stable")
    lines = []
    for values, colour, marker, name in (
        (table.values[:, 0], theme().series[0], "o", "all places\nseen before"),
        (table.values[:, 1], theme().series[1], "s", "reached by\na new edge"),
    )[: 1 + bool(run.arrays["new edges"].values)]:
        lines += ax.plot(amounts[order], 1 - values[order], marker=marker, ms=scaled(9), color=colour, label=name)
    chance = 1 - float(run.arrays["chance"].values)
    guess = [chance] * len(amounts)
    lines += ax.plot(amounts[order], guess, color=theme().ink, ls="--", label="always the\nsame guess")
    ax.set(ylim=(-0.03, 1.03), yticks=[0, 0.5, 1], yticklabels=["0", ".5", "1"])
    ax.set_xlabel("error of each rotation (°)")
    ax.set_title("wrong predictions (share)", fontsize=scaled(17))
    ticks = _apart(amounts[order])
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    if not name_lines(ax, lines, [line.get_label() for line in lines]):
        ax.legend(frameon=False)


def _apart(amounts: np.ndarray) -> list[float]:
    """The amounts, in rising order, that have room for a number: a tenth of the axis apart."""
    ticks = [float(amounts[0])]
    for amount in amounts[1:]:
        if amount - ticks[-1] > 0.1 * (amounts[-1] - amounts[0]):
            ticks.append(float(amount))
    return ticks
