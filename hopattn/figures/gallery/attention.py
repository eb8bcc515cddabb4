"""The attention matrix: which word attends to which, and with what weight."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure, mask_of, tables, too_many_cells
from hopattn.figures.choice import highlighted_words
from hopattn.figures.headings import foot, laid_out, left_out, note_of, run_title
from hopattn.figures.panels import About, Panels, Shown
from hopattn.figures.shapes import colours_of, hatching, shaded, write_numbers
from hopattn.figures.style import LEGIBLE, scaled, theme
from hopattn.figures.text import number, subscripted
from hopattn.results.labelled import Labelled
from hopattn.scenario.result import Result

NUMBERED, NAMED = 12, 40
"""The number of tokens up to which cells show their numbers, and axes the tokens."""
UNNAMED = "words without their names, the first on top and on the left"

Head = tuple[str, Labelled]
"""The weights of a head, with the name of its place."""


class Attention(Panels[Head]):
    """The weights of each head of the first run, one matrix each; masked cells are hatched.

    Weights that are shares are drawn on a scale from 0, white, to 1; other weights up to their largest.
    """

    name: ClassVar[str] = "attention"
    shows: ClassVar[str] = "who attends to whom: each row a query, each column a key, darker for a larger weight"
    scenario: ClassVar[str] = "practice-7-2"
    most: ClassVar[int] = 12
    what: ClassVar[tuple[str, str]] = "heads", "head"

    def lacks(self, result: Result) -> str:
        matrices = self.parts(result)
        return too_many_cells(matrices) if matrices else "it has no attention weights"

    def parts(self, result: Result) -> list[Head]:
        return list(tables(result.runs[0], "weights"))

    def panel_of(self, ax: Axes, part: Head, shown: Shown[Head]) -> None:
        place, weights = part
        allowed = mask_of(shown.result.runs[0], place, weights)
        image = ax.imshow(np.ma.masked_array(weights.values, ~allowed), **_scale(shown))
        if not allowed.all():
            shaded(ax, ~allowed, **hatching())
        _name(ax, weights, highlighted_words(shown.result), len(shown.parts) > 1)
        if max(weights.values.shape) <= NUMBERED:
            write_numbers(ax, image, scaled(17 if max(weights.values.shape) <= 8 else 14))

    def about(self, shown: Shown[Head], axes: Sequence[Axes]) -> About:
        runs, places = shown.result.runs, [place for place, _ in shown.parts]
        own = run_title(runs[0]) * (len(runs) > 1), places[0] * (shown.result.figure.head is not None)
        return About(titles=places if len(places) > 1 else [": ".join(filter(None, own))])

    def finish(self, figure: Figure, axes: Sequence[Axes], shown: Shown[Head]) -> None:
        result, matrices = shown.result, [weights for _, weights in shown.parts]
        masked = any(not mask_of(result.runs[0], *part).all() for part in shown.parts)
        hatched = "hatched: hidden by the mask" if masked else ""
        numbered = all(max(weights.values.shape) <= NUMBERED for weights in matrices)
        if len(matrices) > 1:
            _name_once(axes, matrices)
            laid_out(figure)
            numbered = _numbers_fit(axes) and numbered
            hatched = note_of((hatched, "" if _names_fit(axes) else UNNAMED))
        notes = hatched, left_out(1, len(result.runs), "runs", "run"), self.left_out(shown)
        foot(figure, notes, *([] if numbered else _legend(_scale(shown))))
        laid_out(figure)  # cells are square after the second layout only


def _name_once(axes: Sequence[Axes], matrices: list[Labelled]) -> None:
    """Leave the words out that the matrix below or the first one of the row names."""
    columns = axes[0].get_subplotspec().get_gridspec().ncols
    if columns < len(axes) and len({weights.labels for weights in matrices}) == 1:
        for i, ax in enumerate(axes):
            if i + columns < len(axes):
                ax.set(xlabel="", xticklabels=[])
            if i % columns:
                ax.set(ylabel="", yticklabels=[])


def _names_fit(axes: Sequence[Axes]) -> bool:
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


def _numbers_fit(axes: Sequence[Axes]) -> bool:
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


def _scale(shown: Shown[Head]) -> dict[str, Any]:
    """The colour scale: from 0 to 1 for shares, else to the largest weight, and to its negative if some are below 0."""
    every = [weights.values for _, weights in shown.parts]
    most = max(float(np.abs(values).max(initial=0.0)) for values in every)
    return colours_of(min(float(values.min(initial=0.0)) for values in every), most if most > 1 + 1e-9 else 1.0)


def _legend(scale: dict[str, Any]) -> tuple[list[Any], list[str]]:
    """The colours of some weights, with these weights."""
    from matplotlib.patches import Patch

    shares = np.linspace(0, 1, 5)
    look: dict[str, Any] = {"edgecolor": theme().faint, "linewidth": scaled(1)}
    weights = scale["vmin"] + shares * (scale["vmax"] - scale["vmin"])
    return [Patch(facecolor=scale["cmap"](share), **look) for share in shares.tolist()], [*map(number, weights)]


def _name(ax: Axes, weights: Labelled, words: Sequence[str], plain: bool) -> None:
    """Write the words of the queries and keys, if they are few. words: in bold. plain: whether axes name no counts."""
    (across, up), (n, m) = reversed(weights.dims), weights.values.shape
    ax.set(xlabel=across, ylabel=up, xticks=[], yticks=[])
    ax.spines[:].set(visible=True, color=theme().faint)
    ax.tick_params(length=0)
    if max(n, m) <= NAMED:
        rows, columns = (subscripted(labels) for labels in weights.labels)
        size = scaled(16 if max(n, m) <= NUMBERED else 13)
        turned = 40 if max(n, m) <= NUMBERED else 90
        aside = {"ha": "right", "rotation_mode": "anchor", "va": "center" if turned == 90 else "top"}
        ax.set_xticks(range(m), columns, rotation=turned, fontsize=size, **aside)
        ax.set_yticks(range(n), rows, fontsize=size)
        for tick, row in zip(ax.get_yticklabels(), weights.labels[0], strict=True):
            tick.set_fontweight("bold" if row in words else "normal")
    elif not plain:
        ax.set_xlabel(f"{across} ({m} without their names, the first on the left)")
        ax.set_ylabel(f"{up} ({n}, the first on top)")
