"""The attention matrix: which word attends to which, and with what weight; or the couplings of a network."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure, mask_of, tables, too_many_cells
from hopattn.figures.headings import foot, left_out, run_title
from hopattn.figures.matrix_words import Words, cell_of, fit_in_layout, fit_words, stretch, words_once
from hopattn.figures.panels import About, Panels, Shown
from hopattn.figures.shapes import colours_of, hatching, shaded, write_numbers
from hopattn.figures.style import LEGIBLE, scaled, theme
from hopattn.figures.text import ems, indexed, number
from hopattn.results.labelled import Labelled
from hopattn.scenario.result import Result

NUMBERED, NAMED = 12, 40
"""The number of tokens up to which cells show their numbers, and axes the tokens."""
SIZE = 16
"""The font size of the words, on a slide."""

Head = tuple[str, Labelled]
"""The weights of a head, with the name of its place."""


class Attention(Panels[Head]):
    """The weights of each head of the first run, one matrix each; masked cells are hatched. A network without weights
    has its couplings instead.

    Weights that are shares are drawn on a scale from 0, white, to 1; other weights up to their largest. What a sink
    takes is a column "rest" behind a line.
    """

    shows: ClassVar[str] = "who attends to whom: each row a query, each column a key, darker for a larger weight"
    scenario: ClassVar[str] = "practice-7-2"
    most: ClassVar[int] = 12
    space: ClassVar[Mapping[str, float]] = {"h_pad": 0.1}
    what: ClassVar[tuple[str, str]] = "heads", "head"
    of_one_run: ClassVar[bool] = True

    def lacks(self, result: Result) -> str:
        matrices = self.parts(result)
        return too_many_cells(matrices) if matrices else "it has no attention weights and no couplings"

    def parts(self, result: Result) -> list[Head]:
        run = result.runs[0]
        heads = [(place, run.table(f"{place} weights".strip())) for place, _ in tables(run, "weights")]
        return heads or [(name, run.arrays[name]) for name in run.arrays.find("couplings")]

    def panel_of(self, ax: Axes, part: Head, shown: Shown[Head]) -> None:
        place, weights = part
        allowed = mask_of(shown.result.runs[0], place, weights)
        image = ax.imshow(np.ma.masked_array(weights.values, ~allowed), **_scale(shown))
        stretch(ax, weights.values.shape)
        own = shown.result.runs[0].arrays.get(f"{place} weights".strip(), weights)
        if weights.values.shape != own.values.shape:
            ax.axvline(weights.values.shape[1] - 1.5, color=theme().ink, linewidth=scaled(2))
        if not allowed.all():
            shaded(ax, ~allowed, **hatching(), label="hidden by the mask")
        _name(ax, weights, len(shown.parts) > 1)
        fit_words([ax], [_words(weights)], SIZE)
        if max(weights.values.shape) <= NUMBERED:
            write_numbers(ax, image, scaled(17 if max(weights.values.shape) <= 8 else 14))

    def about(self, shown: Shown[Head], axes: Sequence[Axes]) -> About:
        runs, places = shown.result.runs, [place for place, _ in shown.parts]
        own = run_title(runs[0]) * (len(runs) > 1), places[0] * (shown.result.figure.head is not None)
        plain = shown.in_axes and max(shown.parts[0][1].values.shape) > NUMBERED
        keys, names = _legend(_scale(shown)) if plain else ((), ())
        return About((), keys, names, places if len(places) > 1 else [": ".join(filter(None, own))])

    def finish(self, figure: Figure, axes: Sequence[Axes], shown: Shown[Head]) -> None:
        result, matrices = shown.result, [weights for _, weights in shown.parts]
        masked = any(not mask_of(result.runs[0], *part).all() for part in shown.parts)
        words = words_once([_words(weights) for weights in matrices], axes)
        unnamed = fit_in_layout(figure, axes, words, SIZE) if any(map(any, words)) else ""
        numbered = all(max(weights.values.shape) <= NUMBERED for weights in matrices) and _numbers_fit(axes)
        stand_out = {*result.figure.highlight} & {row for weights in matrices for row in weights.labels[0]}
        notes = (
            "hatched: hidden by the mask" if masked else "",
            unnamed,
            f"bold: {', '.join(sorted(map(indexed, stand_out)))}" if stand_out else "",
            left_out(1, len(result.runs), "runs", "run"),
            self.left_out(shown),
        )
        foot(figure, notes, *([] if numbered else _legend(_scale(shown))))
        fit_in_layout(figure, axes, words, SIZE)
        _numbers_fit(axes)
        for ax, (rows, _) in zip(axes, words, strict=True):
            for tick, row in zip(ax.get_yticklabels(), rows, strict=False):
                tick.set_fontweight("bold" if row in stand_out else "normal")


def _words(weights: Labelled) -> Words:
    """The words of the queries and of the keys, none of many."""
    return (weights.labels[0], weights.labels[1]) if max(weights.values.shape) <= NAMED else ((), ())


def _numbers_fit(axes: Sequence[Axes]) -> bool:
    """Make the numbers of matrices smaller, so that they fit into their cells; else leave them out, and give False."""
    texts = [text for ax in axes for text in ax.texts]
    widest = max((ems(text.get_text()) for text in texts), default=1.0)
    size = 0.88 * min(cell_of(ax)[0] for ax in axes) / widest
    for text in texts:
        if size < scaled(LEGIBLE):
            text.remove()
        else:
            text.set_fontsize(min(size, text.get_fontsize()))
    return size >= scaled(LEGIBLE)


def _scale(shown: Shown[Head]) -> dict[str, Any]:
    """The colour scale: from 0 to 1 for shares, else to the largest weight, and to its negative if some are below 0.

    Numbers that are right near 0 are not shares, and couplings neither.
    """
    every = [weights.values for _, weights in shown.parts]
    most = max(float(np.abs(values).max(initial=0.0)) for values in every)
    shares = any(not weights.tiny and weights.dims != ("to", "from") for _, weights in shown.parts)
    share = 1 + 1e-9 if shares else 0.0
    return colours_of(min(float(values.min(initial=0.0)) for values in every), most if most > share else 1.0)


def _legend(scale: dict[str, Any]) -> tuple[list[Any], list[str]]:
    """The colours of some weights, with these weights."""
    from matplotlib.patches import Patch

    shares = np.linspace(0, 1, 5)
    look: dict[str, Any] = {"edgecolor": theme().faint, "linewidth": scaled(1)}
    weights = scale["vmin"] + shares * (scale["vmax"] - scale["vmin"])
    patches = [Patch(facecolor=scale["cmap"](share), **look) for share in shares.tolist()]
    return patches, [number(weight, powers=True) for weight in weights.tolist()]


def _name(ax: Axes, weights: Labelled, plain: bool) -> None:
    """Name the axes of a matrix, with the counts of words that are not named. plain: whether axes name no counts."""
    (across, up), (n, m) = reversed(weights.dims), weights.values.shape
    ax.set(xlabel=across, ylabel=up)
    ax.spines[:].set(visible=True, color=theme().faint)
    ax.tick_params(length=0)
    if max(n, m) > NAMED and not plain:
        ax.set_xlabel(f"{across} ({m} without their names, the first on the left)")
        ax.set_ylabel(f"{up} ({n}, the first on top)")
