"""Masks: which words each word may attend to, as grids of seen and hidden cells."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot, tables
from hopattn.figures.headings import headline, laid_out, run_title
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label
from hopattn.foundation.labelled import Labelled
from hopattn.scenario.result import Result

PANELS = 6
"""The largest number of masks."""
CROSSED, NAMED = 12, 30
"""The number of words up to which hidden cells have a cross, and words their names."""


class Masks(Plot):
    """The masks of every run, one for each head unless all are equal. Dark is seen, pale with a cross is hidden."""

    name: ClassVar[str] = "masks"
    shows: ClassVar[str] = "what each word may look at and what is hidden from it"
    scenario: ClassVar[str] = "causal-mask"

    def lacks(self, result: Result) -> str:
        return "" if _masks(result) else "it has no attention masks"

    def draw(self, figure: Figure, result: Result) -> None:
        masks = _masks(result)[:PANELS]
        headline(figure, result)
        rows = 1 + (len(masks) > 3)
        axes = figure.subplots(rows, -(-len(masks) // rows), squeeze=False).ravel()
        for ax, (title, mask) in zip(axes, masks, strict=False):
            _grid(ax, mask, 16 if len(masks) <= 3 else 12)
            ax.set_title(title if len(masks) > 1 else "", fontsize=scaled(19) if len(masks) <= 3 else 15)
        for ax in axes[len(masks) :]:
            ax.set_axis_off()
        seen, hidden = (
            {"marker": "s", "ms": scaled(22), "mfc": colour, "mec": theme().ink, "ls": "none"}
            for colour in (theme().series[0], theme().empty)
        )
        keys = [axes[0].plot([], [], **look)[0] for look in (seen, hidden)]
        figure.legend(
            keys, ["seen", "hidden ×"], loc="outside lower center", ncols=2, frameon=False, fontsize=scaled(18)
        )
        laid_out(figure)  # cells are square after the second layout only


def _masks(result: Result) -> list[tuple[str, Labelled]]:
    """Titles and masks. The title is the run, with the head if the heads of the run differ."""
    titled: list[tuple[str, Labelled]] = []
    for run in result.runs:
        own = list(tables(run, "mask"))
        alike = all(np.array_equal(mask.values, own[0][1].values) for _, mask in own)
        for place, mask in own[: 1 if alike else None]:
            titled.append((run_title(run, 24) if alike else f"{run_title(run, 24)}\n{place}", mask))
    return titled


def _grid(ax: Any, mask: Labelled, size: int) -> None:
    """Draw one mask: rows are the words that attend, columns the words that are attended to."""
    from matplotlib.colors import ListedColormap

    seen = np.asarray(mask.values, bool)
    ax.imshow(seen, cmap=ListedColormap([theme().empty, theme().series[0]]), vmin=0, vmax=1)
    ax.set(xlabel="looked at", ylabel="looks", xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    if max(seen.shape) > NAMED:
        return
    rows, columns = (tuple(map(label, labels)) for labels in mask.labels)
    ax.set_xticks(range(len(columns)), columns, rotation=40, ha="right", rotation_mode="anchor", fontsize=size)
    ax.set_yticks(range(len(rows)), rows, fontsize=size)
    ax.tick_params(length=0)
    for edge in range(1, len(rows)):
        ax.axhline(edge - 0.5, color=theme().paper, lw=scaled(2))
    for edge in range(1, len(columns)):
        ax.axvline(edge - 0.5, color=theme().paper, lw=scaled(2))
    if max(seen.shape) <= CROSSED:
        for i, j in np.argwhere(~seen):
            ax.text(j, i, "×", ha="center", va="center", color=theme().faint, fontsize=size + 4)
