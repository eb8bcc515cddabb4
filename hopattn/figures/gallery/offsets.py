"""Scores of one word, repeated: equal along each diagonal where only the offset of two positions counts."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot, tables
from hopattn.figures.headings import headline, laid_out, run_title
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import number, readable_on
from hopattn.foundation.labelled import Labelled
from hopattn.scenario.result import Result, Run

PANELS = 8
"""The largest number of matrices: the first."""
NUMBERED, MARKED = 6, 12
"""The number of words up to which cells show their numbers, and axes every position."""
ALIKE = 1e-9
"""The largest difference of equal scores, relative to the largest of a matrix."""
LETTERS, SPREAD = 4, 0.5
"""The letters that fit into a cell, and the difference from which numbers with one decimal tell cells apart."""


class Offsets(Plot):
    """The scores, or the bias, of the first head of every run, one matrix each, with a verdict on its diagonals."""

    name: ClassVar[str] = "offsets"
    shows: ClassVar[str] = "scores of one word at several places: equal along a diagonal where only the offset counts"
    scenario: ClassVar[str] = "offsets"

    def lacks(self, result: Result) -> str:
        scored = [table for run in result.runs for table in [_first(run, "scores")] if table is not None]
        if not scored:
            return "it has no scores of attention"
        if not all(_of_one_word(table) for table in scored):
            return "its texts are not one word, three times or more: their scores differ by more than their places"
        return ""

    def draw(self, figure: Figure, result: Result) -> None:
        panels = [panel for run in result.runs for panel in _panels(run)]
        shown = panels[:PANELS]
        headline(figure, result)
        rows = 1 + (len(shown) > 4)
        columns = -(-len(shown) // rows)
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for ax, (title, values) in zip(axes, shown, strict=False):
            _matrix(ax, values)
            ax.set_title(title, fontsize=scaled(16), pad=scaled(8))
        for ax in axes[len(shown) :]:
            ax.set_axis_off()
        for ax in axes[::columns]:
            ax.set_ylabel("query at")
        of = f" · {PANELS} of {len(panels)} matrices" if len(panels) > PANELS else ""
        heads = max(len(_of_heads(run, "scores")) for run in result.runs)
        of += f" · the first of {heads} heads" if heads > 1 else ""
        figure.supxlabel(
            f"key at · yellow: the largest number of a matrix, dark blue: its least{of}", fontsize=scaled(16)
        )
        laid_out(figure)  # cells are square after the second layout only


def _of_heads(run: Run, kind: str) -> list[Labelled]:
    """The arrays of this kind of the heads of a run; none for a run without attention."""
    return [table for _, table in tables(run, kind) if table.dims == ("query", "key")]


def _first(run: Run, kind: str) -> Labelled | None:
    """The array of this kind of the first head of a run; None for a run without attention."""
    return next(iter(_of_heads(run, kind)), None)


def _of_one_word(scores: Labelled) -> bool:
    """Whether the scores are those of one word, at least three times, with itself."""
    queries, keys = scores.labels
    words = {label.rpartition("#")[0] for label in keys}
    return queries == keys and len(keys) >= 3 and len(words) == 1 and words != {""}


def _panels(run: Run) -> list[tuple[str, np.ndarray]]:
    """The matrices of a run and their titles: the scores unless all are the same and there is a bias; the bias."""
    scores, bias = _first(run, "scores"), _first(run, "bias")
    if scores is None:
        return []
    name = run_title(run, 20)
    if bias is None:
        return [(name, np.asarray(scores.values))]
    plain = [] if _equal(scores.values, scores.values) else [(f"{name}: scores", np.asarray(scores.values))]
    return [*plain, (f"{name}: bias", np.asarray(bias.values))]


def _matrix(ax: Any, values: np.ndarray) -> None:
    """Draw one matrix with the verdict on its diagonals below."""
    from matplotlib.colors import ListedColormap

    n = len(values)
    flat = _equal(values, values)
    colours = ListedColormap([theme().empty]) if flat else theme().sequential
    image = ax.imshow(values, cmap=colours, vmin=values.min(), vmax=values.max() + ALIKE)
    step = max(1, n // 5) if n > MARKED else 1
    ax.set_xticks(range(0, n, step), range(0, n, step), fontsize=scaled(14))
    ax.set_yticks(range(0, n, step), range(0, n, step), fontsize=scaled(14))
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    texts = {place: number(float(value), _decimals(values)) for place, value in np.ndenumerate(values)}
    if n <= NUMBERED and max(map(len, texts.values())) <= LETTERS and (flat or np.ptp(values) >= SPREAD):
        for (i, j), text in texts.items():
            colour = readable_on(image.cmap(image.norm(values[i, j])))
            ax.text(j, i, text, ha="center", va="center", color=colour, fontsize=scaled(13))
    verdict, colour = _verdict(values)
    ax.set_xlabel(verdict, color=colour, fontsize=scaled(15))


def _decimals(values: np.ndarray) -> int:
    """The decimals that cells show: two where all numbers are whole hundredths, such as −.25, and else one."""
    return 2 if np.max(np.abs(np.round(values, 2) - values)) <= ALIKE else 1


def _verdict(values: np.ndarray) -> tuple[str, str]:
    """Whether the numbers of a matrix are the same everywhere, or along each diagonal; with its colour."""
    if _equal(values, values):
        return "no place counts", theme().ink
    diagonals = [np.diagonal(values, k) for k in range(1 - len(values), len(values))]
    if all(_equal(diagonal, values) for diagonal in diagonals):
        return "only the offset counts", theme().plus
    return "the place counts too", theme().minus


def _equal(some: np.ndarray, values: np.ndarray) -> bool:
    """Whether some numbers of a matrix are the same, up to rounding."""
    return float(np.ptp(some)) <= ALIKE * max(1.0, float(np.abs(values).max()))
