"""Fast weights: the matrix that a text is written into, after each word."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure, Plot
from hopattn.figures.choice import AS_WRITTEN
from hopattn.figures.headings import foot, headline, left_out, pads
from hopattn.figures.shapes import cells, colours_of, framed
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import cut, short
from hopattn.results.labelled import Labelled
from hopattn.scenario.result import Result

RUNS, WORDS = 3, 6
"""The largest number of runs, one row each, and of words, one matrix each."""
LARGEST = 64
"""The largest number of rows and of columns of a matrix."""
NAMED_ROWS, NAMED_COLUMNS = 8, 8
"""The number of rows and columns of a matrix up to which they have their names."""
NAMES = 0.5
"""The largest width of the names of rows, as a part of a panel's."""
NUMBERED = 400
"""The number of cells in all matrices up to which they show their numbers."""


class FastWeights(Plot):
    """The matrix after each word, one row of matrices for each run, all on one scale. Cells that a word changed have a
    frame. Rows that are 0 throughout are left out."""

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
        every = _memories(result)
        runs = every[:RUNS]
        headline(figure, result)
        columns = min(WORDS, max(len(memories.values) for _, memories in runs))
        least = min(float(memories.values.min(initial=0.0)) for _, memories in runs)
        most = max(1.0, *(float(np.abs(memories.values).max(initial=0.0)) for _, memories in runs))
        colours = colours_of(least, most) | {"interpolation": "nearest"}
        grid = figure.subplots(len(runs), columns, squeeze=False)
        pads(figure, h_pad=0.06, w_pad=0.06)
        numbers = sum(memories.values[:columns].size for _, memories in runs) <= NUMBERED
        same = len({(memories.labels[0], memories.labels[2]) for _, memories in runs}) == 1
        for row, (name, memories) in enumerate(runs):
            for i, ax in enumerate(grid[row]):
                if i >= len(memories.values):
                    ax.set_axis_off()
                    continue
                image = _matrix(ax, memories, i, colours, numbers)
                if row == 0 or not same:
                    ax.set_title(f"after {cut(memories.labels[0][i], _room(ax) - 2.6)}", fontsize=scaled(17))
                if same and row < len(runs) - 1:
                    ax.set_xticks([])
            grid[row, 0].set_ylabel(short(name, 20) if len(result.runs) > 1 else "", fontsize=scaled(17))
        if not numbers:
            bar = figure.colorbar(image, ax=grid, label="weight", shrink=0.8, aspect=30)
            bar.outline.set_visible(False)
        foot(figure, _notes(runs, columns, numbers, left_out(len(runs), len(every), "runs", "run")))


def _memories(result: Result) -> list[tuple[str, Labelled]]:
    """The name and the memories of each run that has them."""
    return [(run.name or AS_WRITTEN, run.arrays["memories"]) for run in result.runs if "memories" in run.arrays]


def _notes(runs: list[tuple[str, Labelled]], columns: int, framed: bool, others: str) -> list[str]:
    """The notes below the figure: the meaning of rows, columns and frames, and what is left out.

    others: a remark on the runs that are left out.
    """
    words = max(len(memories.values) for _, memories in runs)
    zero = any(len(_kept(memories)) < memories.values.shape[1] for _, memories in runs)
    first = ["rows: elements of a value", "columns: features of a key", "framed: changed by the word" * framed]
    rest = ["rows that stay 0 are left out" * zero, f"the first {columns} of {words} words" * (words > columns), others]
    return [*first, *rest]


def _kept(memories: Labelled) -> np.ndarray:
    """The rows that are drawn: those that are not 0 throughout, or all if all are 0."""
    kept = np.flatnonzero(np.any(memories.values != 0, axis=(0, 2)))
    return kept if len(kept) else np.arange(memories.values.shape[1])


def _room(ax: Axes) -> float:
    """The width of a panel, in sizes of the font of its title, before it is laid out."""
    points = 72 / float(ax.get_figure(root=True).dpi) * float(ax.figure.bbox.width) / scaled(17)
    return 0.85 * points / int(ax.get_subplotspec().get_gridspec().ncols)


def _matrix(ax: Axes, memories: Labelled, i: int, colours: dict[str, Any], numbers: bool) -> Any:
    """Draw the matrix after one word; returns the image.

    colours: the arguments of the colour map. numbers: whether cells show numbers, and frames where the word changed
    them.
    """
    kept = _kept(memories)
    values = memories.values[i][kept]
    before = memories.values[i - 1][kept] if i else np.zeros_like(values)
    image = cells(ax, values, colours, numbers=numbers, size=scaled(16))
    ax.spines[:].set(visible=True, color=theme().faint, linewidth=scaled(1))
    room = _room(ax) / values.shape[1] - 0.4
    if values.shape[1] <= NAMED_COLUMNS:
        ax.set_xticks(range(values.shape[1]), [cut(name, room) for name in memories.labels[2]])
    if i == 0 and len(kept) <= NAMED_ROWS:
        ax.set_yticks(range(len(kept)), [cut(memories.labels[1][k], NAMES * _room(ax)) for k in kept])
    for row, column in np.argwhere(np.abs(values - before) > 1e-12) if numbers else ():
        framed(ax, (column - 0.46, row - 0.44), (0.92, 0.88), theme().series[1], 3.5, clip_on=False)
    return image
