"""The attention matrix: which word attends to which, and with what weight."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure, Plot, mask_of, only, tables, too_many_cells
from hopattn.figures.choice import highlighted_words
from hopattn.figures.headings import foot, headline, laid_out, left_out, note_of, run_title
from hopattn.figures.shapes import hatching, shaded, write_numbers
from hopattn.figures.style import LEGIBLE, scaled, theme
from hopattn.figures.text import number, subscripted
from hopattn.results.labelled import Labelled
from hopattn.scenario.result import Result, Run

HEADS, IN_A_ROW = 12, 4
"""The largest number of heads in the figure, and in one of its rows."""
NUMBERED, NAMED = 12, 40
"""The number of tokens up to which cells show their numbers, and axes the tokens."""
UNNAMED = "words without their names, the first on top and on the left"


class Attention(Plot):
    """The weights of each head of the first run, one matrix each; masked cells are hatched.

    Weights that are shares are drawn on a scale from 0, white, to 1; other weights up to their largest.
    """

    name: ClassVar[str] = "attention"
    shows: ClassVar[str] = "who attends to whom: each row a query, each column a key, darker for a larger weight"
    scenario: ClassVar[str] = "practice-7-2"

    def lacks(self, result: Result) -> str:
        matrices = list(tables(result.runs[0], "weights"))
        return too_many_cells(matrices) if matrices else "it has no attention weights"

    def draw(self, figure: Figure, result: Result) -> None:
        run = result.runs[0]
        matrices = list(tables(run, "weights"))
        shown = matrices[:HEADS]
        headline(figure, result)
        words = highlighted_words(result)
        axes = _places(figure, len(shown))
        for ax, (place, weights) in zip(axes, shown, strict=True):
            _matrix(ax, run, (place, weights), _scale(shown), words)
            if len(shown) > 1:
                ax.set(xlabel=weights.dims[1], ylabel=weights.dims[0])
            own = (run_title(run) * (len(result.runs) > 1), place * (result.figure.head is not None))
            ax.set_title(place if len(shown) > 1 else ": ".join(filter(None, own)))
        masked = any(not mask_of(run, place, weights).all() for place, weights in shown)
        hatched = "hatched: hidden by the mask" if masked else ""
        numbered = all(_has_numbers(weights) for _, weights in shown)
        if len(shown) > 1:
            _name_once(axes, [weights for _, weights in shown])
            laid_out(figure)
            numbered = _numbers_fit(axes) and numbered
            hatched = note_of((hatched, "" if _names_fit(axes) else UNNAMED))
        runs, heads = left_out(1, len(result.runs), "runs", "run"), left_out(len(shown), len(matrices), "heads", "head")
        foot(figure, (hatched, runs, heads), *([] if numbered else _legend(_scale(shown))))
        laid_out(figure)  # cells are square after the second layout only

    def panel(self, ax: Axes, result: Result) -> None:
        run = result.runs[0]
        matrices = list(tables(run, "weights"))
        _matrix(ax, run, only(matrices, "heads", "head"), _scale(matrices), highlighted_words(result))


def _places(figure: Figure, count: int) -> list[Any]:
    """The axes of some matrices, in rows of nearly equal length."""
    rows = -(-count // IN_A_ROW)
    axes: list[Any] = figure.subplots(rows, -(-count // rows), squeeze=False).ravel().tolist()
    for ax in axes[count:]:
        ax.remove()
    return axes[:count]


def _name_once(axes: list[Any], matrices: list[Labelled]) -> None:
    """Leave the words out that the matrix below or the first one of the row names."""
    columns = axes[0].get_subplotspec().get_gridspec().ncols
    if columns < len(axes) and len({weights.labels for weights in matrices}) == 1:
        for i, ax in enumerate(axes):
            if i + columns < len(axes):
                ax.set(xlabel="", xticklabels=[])
            if i % columns:
                ax.set(ylabel="", yticklabels=[])


def _names_fit(axes: list[Any]) -> bool:
    """Make the words beside matrices smaller and upright where cells are small; else leave them out, and give False."""
    room = 72 / float(axes[0].get_figure(root=True).dpi) * min(map(_cell, axes))
    for ax in axes:
        if room < scaled(LEGIBLE):
            ax.set(xticks=[], yticks=[])
        for tick in (*ax.get_xticklabels(), *ax.get_yticklabels()):
            tick.set_fontsize(min(room, tick.get_fontsize()))
        for tick in ax.get_xticklabels():
            if room < 2 * tick.get_fontsize():
                tick.set(rotation=90, va="center")
    return room >= scaled(LEGIBLE)


def _numbers_fit(axes: list[Any]) -> bool:
    """Make the numbers of matrices smaller, so that they fit into their cells; else leave them out, and give False."""
    texts = [text for ax in axes for text in ax.texts]
    room = min(
        (_cell(ax) / max(text.get_window_extent().width for text in ax.texts) for ax in axes if ax.texts), default=1
    )
    size = 0.85 * room * max((text.get_fontsize() for text in texts), default=0.0)
    for text in texts:
        if size < scaled(LEGIBLE):
            text.remove()
        else:
            text.set_fontsize(min(size, text.get_fontsize()))
    return size >= scaled(LEGIBLE)


def _cell(ax: Axes) -> float:
    """The width in pixels of a cell of a matrix that was laid out."""
    return float(np.ptp(ax.transData.transform([(0, 0), (1, 0)])[:, 0]))


def _scale(matrices: list[tuple[str, Labelled]]) -> tuple[float, float]:
    """The ends of the colour scale: 0 and 1 for shares, else the largest weight, and its negative if some are below."""
    least = min(float(weights.values.min(initial=0.0)) for _, weights in matrices)
    most = max(float(np.abs(weights.values).max(initial=0.0)) for _, weights in matrices)
    most = most if most > 1 + 1e-9 else 1.0
    return (-most if least < 0 else 0.0), most


def _legend(scale: tuple[float, float]) -> tuple[list[Any], list[str]]:
    """The colours of some weights, with these weights."""
    from matplotlib.patches import Patch

    low, high = scale
    colours = theme().diverging if low < 0 else theme().sequential
    parts = np.linspace(0, 1, 5).tolist()
    keys = [Patch(facecolor=colours(part), edgecolor=theme().faint, linewidth=scaled(1)) for part in parts]
    return keys, [number(low + part * (high - low)) for part in parts]


def _has_numbers(weights: Labelled) -> bool:
    """Whether the cells of a matrix show their numbers."""
    return len(weights.labels[0]) <= NUMBERED and len(weights.labels[1]) <= NUMBERED


def _matrix(
    ax: Axes, run: Run, head: tuple[str, Labelled], scale: tuple[float, float], words: tuple[str, ...] = ()
) -> Any:
    """Draw one matrix, with numbers if there are few words; returns the image. words: the queries in bold."""
    place, weights = head
    values = np.asarray(weights.values, dtype=float)
    allowed = mask_of(run, place, weights)
    low, high = scale
    colours = theme().diverging if low < 0 else theme().sequential
    image = ax.imshow(np.ma.masked_array(values, ~allowed), cmap=colours, vmin=low, vmax=high)
    if not allowed.all():
        shaded(ax, ~allowed, **hatching())
    ax.set(xlabel=weights.dims[1], ylabel=weights.dims[0], xticks=[], yticks=[])
    ax.spines[:].set(visible=True, color=theme().faint)
    ax.tick_params(length=0)
    if max(values.shape) <= NAMED:
        rows, columns = (subscripted(labels) for labels in weights.labels)
        size = scaled(16 if max(values.shape) <= NUMBERED else 13)
        turned = 40 if max(values.shape) <= NUMBERED else 90
        aside = {"ha": "right", "rotation_mode": "anchor", "va": "center" if turned == 90 else "top"}
        ax.set_xticks(range(len(columns)), columns, rotation=turned, fontsize=size, **aside)
        ax.set_yticks(range(len(rows)), rows, fontsize=size)
        for tick, row in zip(ax.get_yticklabels(), weights.labels[0], strict=True):
            tick.set_fontweight("bold" if row in words else "normal")
    else:
        ax.set_xlabel(f"{weights.dims[1]} ({values.shape[1]} without their names, the first on the left)")
        ax.set_ylabel(f"{weights.dims[0]} ({values.shape[0]}, the first on top)")
    if _has_numbers(weights):
        write_numbers(ax, image, scaled(17 if max(values.shape) <= 8 else 14))
    return image
