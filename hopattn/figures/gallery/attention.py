"""The attention matrix: which word attends to which, and with what weight."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure, Plot, only, tables
from hopattn.figures.headings import foot, headline, laid_out, left_out, run_title
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label, number, readable_on
from hopattn.foundation.labelled import Labelled
from hopattn.scenario.result import Result, Run

HEADS = 4
"""The largest number of heads in the figure."""
NUMBERED, NAMED = 12, 40
"""The number of tokens up to which cells show their numbers, and axes the tokens."""


class Attention(Plot):
    """The weights of each head of the first run, one matrix each; masked cells are hatched.

    Weights that are shares are drawn on a scale from 0, white, to 1; other weights up to their largest.
    """

    name: ClassVar[str] = "attention"
    shows: ClassVar[str] = "who attends to whom: each row a query, each column a key, darker for a larger weight"
    scenario: ClassVar[str] = "practice-7-2"

    def lacks(self, result: Result) -> str:
        return "" if any(tables(result.runs[0], "weights")) else "it has no attention weights"

    def draw(self, figure: Figure, result: Result) -> None:
        run = result.runs[0]
        matrices = list(tables(run, "weights"))
        shown = matrices[:HEADS]
        headline(figure, result)
        axes = figure.subplots(1, len(shown), squeeze=False)[0]
        for ax, (place, weights) in zip(axes, shown, strict=True):
            image = _matrix(ax, run, place, weights, _scale(shown))
            ax.set_title(place if len(shown) > 1 else run_title(run) * (len(result.runs) > 1))
        if not _has_numbers(shown[-1][1]):
            figure.colorbar(image, ax=axes, label="attention weight", shrink=0.8)
        notes = left_out(1, len(result.runs), "runs", "run"), left_out(len(shown), len(matrices), "heads", "head")
        foot(figure, ", ".join(filter(None, notes)))
        laid_out(figure)  # cells are square after the second layout only

    def panel(self, ax: Axes, result: Result) -> None:
        run = result.runs[0]
        matrices = list(tables(run, "weights"))
        place, weights = only(matrices, "heads", "head")
        _matrix(ax, run, place, weights, _scale(matrices))


def _scale(matrices: list[tuple[str, Labelled]]) -> tuple[float, float]:
    """The ends of the colour scale: 0 and 1 for shares, else the largest weight, and its negative if some are below."""
    least = min(float(weights.values.min(initial=0.0)) for _, weights in matrices)
    most = max(float(np.abs(weights.values).max(initial=0.0)) for _, weights in matrices)
    most = most if most > 1 + 1e-9 else 1.0
    return (-most if least < 0 else 0.0), most


def _has_numbers(weights: Labelled) -> bool:
    """Whether the cells of a matrix show their numbers."""
    return len(weights.labels[0]) <= NUMBERED and len(weights.labels[1]) <= NUMBERED


def _matrix(ax: Axes, run: Run, place: str, weights: Labelled, scale: tuple[float, float]) -> Any:
    """Draw one matrix, with numbers if there are few words; returns the image."""
    values = np.asarray(weights.values, dtype=float)
    mask = run.arrays.get(f"{place} mask".strip())
    allowed = np.ones(values.shape, bool) if mask is None else np.asarray(mask.values, bool)
    low, high = scale
    colours = theme().diverging if low < 0 else theme().sequential
    image = ax.imshow(np.ma.masked_array(values, ~allowed), cmap=colours, vmin=low, vmax=high)
    _hatch(ax, ~allowed)
    ax.set(xlabel=weights.dims[1], ylabel=weights.dims[0], xticks=[], yticks=[])
    ax.spines[:].set(visible=True, color=theme().faint)
    if max(values.shape) <= NAMED:
        rows, columns = (tuple(map(label, labels)) for labels in weights.labels)
        ax.set_xticks(range(len(columns)), columns, rotation=40, ha="right", rotation_mode="anchor")
        ax.set_yticks(range(len(rows)), rows)
        ax.tick_params(length=0)
    if _has_numbers(weights):
        size = scaled(17 if max(values.shape) <= 8 else 14)
        for i, j in np.argwhere(allowed):
            ink = readable_on(image.cmap(image.norm(values[i, j])))
            ax.text(j, i, number(float(values[i, j])), ha="center", va="center", color=ink, fontsize=size)
    return image


def _hatch(ax: Axes, masked: np.ndarray) -> None:
    """Hatch the masked cells."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    cells = [Rectangle((j - 0.5, i - 0.5), 1, 1) for i, j in np.argwhere(masked)]
    style = {"facecolor": theme().empty, "edgecolor": theme().faint, "hatch": "///", "linewidth": 0}
    ax.add_collection(PatchCollection(cells, match_original=False, **style))
