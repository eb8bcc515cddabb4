"""Fast weights: the matrix that a text is written into, after each word."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot
from hopattn.figures.headings import headline, pads
from hopattn.figures.shapes import cells
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import short
from hopattn.foundation.labelled import Labelled
from hopattn.scenario.result import Result

RUNS, WORDS = 3, 6
"""The largest number of runs, one row each, and of words, one matrix each."""
LARGEST = 64
"""The largest number of rows and of columns of a matrix."""
NAMED_ROWS, NAMED_COLUMNS = 8, 8
"""The number of rows and columns of a matrix up to which they have their names."""
NUMBERED = 400
"""The number of cells in all matrices up to which they show their numbers."""


class FastWeights(Plot):
    """The matrix after each word, one row of matrices for each run, all on one scale. Cells that a word changed have a
    frame. Rows that are 0 throughout are left out."""

    name: ClassVar[str] = "fast_weights"
    shows: ClassVar[str] = (
        "a memory that grows: the matrix of linear attention after each word, by sums and by the delta rule"
    )
    scenario: ClassVar[str] = "overwriting"

    def lacks(self, result: Result) -> str:
        memories = _memories(result)
        if not memories:
            return "it has no memory that words are written into"
        rows, columns = np.max([own.values.shape[1:] for _, own in memories], axis=0)
        return "" if max(rows, columns) <= LARGEST else f"a matrix of {rows:,} × {columns:,} cells cannot be read"

    def draw(self, figure: Figure, result: Result) -> None:
        runs = _memories(result)
        headline(figure, result)
        columns = min(WORDS, max(len(memories.values) for _, memories in runs))
        most = max(float(np.abs(memories.values).max(initial=0.0)) for _, memories in runs) or 1.0
        least = min(float(memories.values.min(initial=0.0)) for _, memories in runs)
        colours = {"cmap": theme().diverging, "vmin": -most} if least < 0 else {"cmap": theme().sequential, "vmin": 0.0}
        grid = figure.subplots(len(runs), columns, squeeze=False)
        pads(figure, h_pad=0.06, w_pad=0.06)
        numbers = sum(memories.values[:columns].size for _, memories in runs) <= NUMBERED
        for row, (name, memories) in enumerate(runs):
            kept = np.flatnonzero(np.any(memories.values != 0, axis=(0, 2)))
            kept = kept if len(kept) else np.arange(memories.values.shape[1])
            for i, ax in enumerate(grid[row]):
                if i >= len(memories.values):
                    ax.set_axis_off()
                    continue
                before = memories.values[i - 1] if i else np.zeros_like(memories.values[0])
                image = _matrix(
                    ax, memories, i, kept, before, (colours | {"vmax": most, "interpolation": "nearest"}, numbers)
                )
                if i == 0:
                    ax.set_ylabel(short(name, 20), fontsize=scaled(18))
        bar = figure.colorbar(image, ax=grid, label="weight", shrink=0.8, aspect=30)
        bar.outline.set_visible(False)
        figure.supxlabel(_below(runs, columns, numbers), fontsize=scaled(17))


def _memories(result: Result) -> list[tuple[str, Labelled]]:
    """The name and the memories of each run that has them."""
    named = [(run.name or "as written", run.arrays["memories"]) for run in result.runs if "memories" in run.arrays]
    return named[:RUNS]


def _below(runs: list[tuple[str, Labelled]], columns: int, framed: bool) -> str:
    """The text below the figure: the meaning of rows, columns and frames, and the number of words that are left out."""
    frames = "; framed: changed by this word" if framed else ""
    words = max(len(memories.values) for _, memories in runs)
    more = f"; the first {columns} of {words} words" if words > columns else ""
    return f"rows: elements of a value; columns: features of a key{frames}{more}"


def _matrix(
    ax: Any, memories: Labelled, i: int, kept: np.ndarray, before: np.ndarray, scale: tuple[dict[str, Any], bool]
) -> Any:
    """Draw the matrix after one word; returns the image.

    kept: the rows that are drawn. before: the matrix before the word. scale: the colour map, and whether cells show
    numbers.
    """
    from matplotlib.patches import Rectangle

    colours, numbers = scale
    values = memories.values[i][kept]
    image = cells(ax, values, colours, numbers=numbers, size=16)
    ax.set_title(f"after {short(memories.labels[0][i], 14)}", fontsize=scaled(17))
    ax.spines[:].set(visible=True, color=theme().faint, linewidth=scaled(1))
    if values.shape[1] <= NAMED_COLUMNS:
        ax.set_xticks(range(values.shape[1]), [short(name, 8) for name in memories.labels[2]])
    if i == 0 and len(kept) <= NAMED_ROWS:
        ax.set_yticks(range(len(kept)), [short(memories.labels[1][k], 9) for k in kept])
    if numbers:
        for row, column in np.argwhere(np.abs(values - before[kept]) > 1e-12):
            frame: dict[str, Any] = {
                "fill": False,
                "edgecolor": theme().series[2],
                "linewidth": scaled(3.5),
                "clip_on": False,
            }
            ax.add_patch(Rectangle((column - 0.46, row - 0.44), 0.92, 0.88, **frame))
    return image
