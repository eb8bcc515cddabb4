"""Maps of a world: the responses of position units and of memories by place, and the errors by noise."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot
from hopattn.figures.headings import headline
from hopattn.figures.places import coloured_places
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import number
from hopattn.foundation.labelled import Labelled
from hopattn.scenario.result import Result, Run

PANELS = 2
"""The number of modules and of memories that are drawn."""


class Maps(Plot):
    """Above: modules of position units. Below: the weights of single memories. On the right: errors by noise."""

    name: ClassVar[str] = "maps"
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
        with_noise = "by noise" in run.arrays
        parts = figure.subfigures(1, 2, width_ratios=[1.25, 1]) if with_noise else [figure]
        axes = parts[0].subplots(2, PANELS, squeeze=False)
        grid, fields = run.arrays["grid"], run.arrays["fields"]
        modules = _smoothest(run)
        _row(axes[0], run, [(f"positions, {grid.labels[1][i]}", grid.values[:, i]) for i in modules], grid_like=True)
        chosen = np.unique(np.linspace(0, len(fields.values) - 1, PANELS).round().astype(int))
        _row(axes[1], run, [(_memory(fields, i), fields.values[i]) for i in chosen], grid_like=False)
        if with_noise or "stray weight" not in run.arrays:  # which a walk with noise lacks
            parts[0].supxlabel("positions and memories: without noise", fontsize=scaled(16))
        if with_noise:
            _errors(parts[1].subplots(), run)


def _smoothest(run: Run) -> list[int]:
    """The modules whose responses at places that are joined are most alike, in their order."""
    values = run.arrays["grid"].values
    start, end = run.arrays["links"].values.T - 1
    alike = np.mean(values[start] * values[end], axis=0) / np.mean(values**2, axis=0)
    return sorted(np.argsort(-alike, kind="stable")[:PANELS].tolist())


def _memory(fields: Labelled, i: int) -> str:
    place = fields.labels[0][i]
    return f"memory of\n{place if len(place) <= 18 else place[:17] + '…'}"


def _row(axes: Any, run: Run, panels: list[tuple[str, np.ndarray]], grid_like: bool) -> None:
    """Draw panels of one kind with one colour scale; panels that are left over stay empty."""
    scale = (
        {"cmap": theme().diverging, "vmin": -1, "vmax": 1}
        if grid_like
        else {"cmap": theme().sequential, "vmin": 0, "vmax": 1}
    )
    for ax, (title, values) in zip(axes, panels, strict=False):
        image = coloured_places(ax, run, values, **scale)
        ax.set_title(title, fontsize=scaled(15))
    for ax in axes[len(panels) :]:
        ax.axis("off")
    ticks = [-1, 0, 1] if grid_like else [0, 0.5, 1]
    bar = axes[0].figure.colorbar(image, ax=list(axes), ticks=ticks, shrink=0.85)
    bar.ax.set_yticklabels([number(tick) for tick in ticks])
    bar.set_label("mean cosine" if grid_like else "weight")


def _errors(ax: Any, run: Run) -> None:
    """Draw the share of wrong predictions by the noise of a rotation, and that of the best constant prediction.

    A walk without new edges has one curve.
    """
    table = run.arrays["by noise"]
    amounts = np.array([float(name.rstrip("°")) for name in table.labels[0]])
    order = np.argsort(amounts, kind="stable")
    for values, colour, marker, name in (
        (table.values[:, 0], theme().faint, "o", "all revisits"),
        (table.values[:, 1], theme().plus, "s", "by new edges"),
    )[: 1 + bool(run.arrays["new edges"].values)]:
        ax.plot(amounts[order], 1 - values[order], marker=marker, ms=scaled(9), color=colour, label=name)
    ax.axhline(1 - float(run.arrays["chance"].values), color=theme().minus, ls="--", label="best constant prediction")
    ax.set(ylim=(-0.03, 1.03), yticks=[0, 0.5, 1], yticklabels=["0", ".5", "1"])
    ax.set_xlabel("error of each rotation (degrees)")
    ax.set_ylabel("wrong predictions")
    ticks = _apart(amounts[order])
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)


def _apart(amounts: np.ndarray) -> list[float]:
    """The amounts, in rising order, that have room for a number: a tenth of the axis apart."""
    ticks = [float(amounts[0])]
    for amount in amounts[1:]:
        if amount - ticks[-1] > 0.1 * (amounts[-1] - amounts[0]):
            ticks.append(float(amount))
    return ticks
