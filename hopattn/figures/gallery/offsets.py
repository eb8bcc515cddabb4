"""Scores of one word, repeated, by the offset of two positions: one curve where only the offset counts."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure, tables
from hopattn.figures.headings import left_out, run_title
from hopattn.figures.panels import About, Panels, Shown, grid_of
from hopattn.figures.style import scaled, theme
from hopattn.results.labelled import Labelled
from hopattn.scenario.result import Result, Run

DOTTED = 24
"""The number of words up to which each score is a dot; of more, there is a band from the least to the largest."""
NOTHING, OFFSET, PLACES = "no place counts", "only the offset counts", "the place counts too"
"""The verdicts on the positions of a run."""
ACROSS = "offset: key − query"
"""The name of the horizontal axis: the place of the key less that of the query."""
ALIKE = 1e-9
"""The largest difference of equal scores, relative to the largest of a matrix."""

Matrix = tuple[str, np.ndarray]
"""The numbers of a panel, with its title."""


class Offsets(Panels[Matrix]):
    """The scores, or the bias, of the first head of every run by offset, one panel each, with a verdict."""

    shows: ClassVar[str] = "scores of one word by the offset of its positions: one curve where only the offset counts"
    scenario: ClassVar[str] = "offsets"
    most: ClassVar[int] = 8
    what: ClassVar[tuple[str, str]] = "panels", "run"

    def lacks(self, result: Result) -> str:
        scored = [table for run in result.runs for table in [_first(run, "scores")] if table is not None]
        if not scored:
            return "it has no scores of attention"
        labels = [(table.labels, {label.rpartition("#")[0] for label in table.labels[1]}) for table in scored]
        if not all(
            rows == keys and len(keys) >= 3 and len(words) == 1 and words != {""} for (rows, keys), words in labels
        ):
            return "its texts are not one word, three times or more: their scores differ by more than their places"
        return ""

    def parts(self, result: Result) -> list[Matrix]:
        return [panel for run in result.runs for panel in _panels(run)]

    def grid(self, figure: Figure, shown: Shown[Matrix]) -> list[Axes]:
        return grid_of(figure, len(shown.parts), self.in_a_row, sharey=len(shown.parts) <= self.in_a_row)

    def panel_of(self, ax: Axes, part: Matrix, shown: Shown[Matrix]) -> None:
        _curve(ax, part[1])
        spec = ax.get_subplotspec()
        below = shown.in_axes or spec.rowspan.stop * spec.get_gridspec().ncols + spec.colspan.start >= shown.of
        ax.set_xlabel(ACROSS * below, fontsize=scaled(14))
        ax.set_ylabel("score" * (shown.in_axes or spec.is_first_col()), fontsize=scaled(15))
        if len(shown.parts) <= self.in_a_row:  # panels of one row have one scale
            _set_scale(ax, np.concatenate([values.ravel() for _, values in shown.parts]))

    def about(self, shown: Shown[Matrix], axes: Sequence[Axes]) -> About:
        heads = max(len(_of_heads(run, "scores")) for run in shown.result.runs)
        own = "each panel has its own scale" * (len(shown.parts) > self.in_a_row)
        dashed = "dashed: the mean at this offset" * any(_verdict(values)[0] == PLACES for _, values in shown.parts)
        notes = dashed, own, self.left_out(shown), left_out(1, heads, "heads", "head")
        style = {"fontsize": scaled(17), "pad": scaled(27)}
        return About(notes, titles=[title for title, _ in shown.parts], title_style=style)


def _of_heads(run: Run, kind: str) -> list[Labelled]:
    """The arrays of this kind of the heads of a run; none for a run without attention."""
    return [table for _, table in tables(run, kind) if table.dims == ("query", "key")]


def _first(run: Run, kind: str) -> Labelled | None:
    """The array of this kind of the first head of a run; None for a run without attention."""
    return next(iter(_of_heads(run, kind)), None)


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


def _curve(ax: Axes, values: np.ndarray) -> None:
    """Draw the numbers of a matrix against the offset, with a line through their means and the verdict below."""
    n = len(values)
    offsets = np.arange(1 - n, n)
    diagonals = [np.diagonal(values, k) for k in offsets]
    verdict, colour = _verdict(values)
    means = [float(diagonal.mean()) for diagonal in diagonals]
    ax.plot(offsets, means, color=colour, lw=scaled(2), ls="--" if verdict == PLACES else "-", zorder=3)
    if n <= DOTTED:
        places = np.concatenate([np.full(len(diagonal), k) for k, diagonal in zip(offsets, diagonals, strict=True)])
        look: dict[str, Any] = {"mfc": theme().paper, "mec": colour, "mew": scaled(2), "ms": scaled(8), "ls": "none"}
        ax.plot(places, np.concatenate(diagonals), "o", zorder=4, **look)
    else:
        spans = [(diagonal.min(), diagonal.max()) for diagonal in diagonals]
        ax.fill_between(offsets, *np.transpose(spans), color=colour, alpha=0.3, lw=0)
    _set_scale(ax, values)
    step = max(1, (n - 1) // 2)
    ax.set(xticks=[-2 * step, -step, 0, step, 2 * step])
    ax.locator_params(axis="y", nbins=4)
    ax.axvline(0, color=theme().faint, lw=scaled(0.8), zorder=1)
    ax.tick_params(labelsize=scaled(14))
    bold: dict[str, Any] = {"color": colour, "fontsize": scaled(15), "weight": "bold", "ha": "center", "va": "bottom"}
    ax.annotate(verdict, (0.5, 1), (0, scaled(4)), xycoords="axes fraction", textcoords="offset points", **bold)


def _set_scale(ax: Axes, values: np.ndarray) -> None:
    """Give a panel the scale that holds some numbers."""
    low, high = float(values.min()), float(values.max())
    edge = 0.12 * (high - low) if not _equal(values, values) else max(1.0, abs(high))
    ax.set_ylim(low - edge, high + edge)


def _verdict(values: np.ndarray) -> tuple[str, str]:
    """Whether the numbers of a matrix are the same everywhere, or along each diagonal; with its colour."""
    if _equal(values, values):
        return NOTHING, theme().ink
    diagonals = [np.diagonal(values, k) for k in range(1 - len(values), len(values))]
    if all(_equal(diagonal, values) for diagonal in diagonals):
        return OFFSET, theme().plus
    return PLACES, theme().minus


def _equal(some: np.ndarray, values: np.ndarray) -> bool:
    """Whether some numbers of a matrix are the same, up to rounding."""
    return float(np.ptp(some)) <= ALIKE * max(1.0, float(np.abs(values).max()))
