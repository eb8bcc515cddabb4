"""The attention matrix: which word attends to which, and with what weight."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot, tables
from hopattn.figures.headings import headline
from hopattn.figures.style import DIVERGING, EMPTY, FAINT, SEQUENTIAL, label, number, readable_on
from hopattn.foundation.labelled import Labelled
from hopattn.scenario.result import Result

HEADS = 4
"""The largest number of heads in the figure."""
NUMBERED, NAMED = 12, 40
"""The number of tokens up to which cells show their numbers, and axes the tokens."""


class Attention(Plot):
    """The weights of each head of the first run, one matrix each; masked cells are empty."""

    name: ClassVar[str] = "attention"
    shows: ClassVar[str] = "who attends to whom: each row a word, each column a word that it attends to"
    scenario: ClassVar[str] = "practice-7-2"

    def lacks(self, result: Result) -> str:
        return "" if any(tables(result.runs[0], "weights")) else "it has no attention weights"

    def draw(self, figure: Figure, result: Result) -> None:
        run = result.runs[0]
        matrices = list(tables(run, "weights"))[:HEADS]
        masks = dict(tables(run, "mask"))
        headline(figure, result)
        least = min(float(weights.values.min(initial=0.0)) for _, weights in matrices)
        most = max(float(np.abs(weights.values).max(initial=0.0)) for _, weights in matrices) or 1.0
        axes = figure.subplots(1, len(matrices), squeeze=False)[0]
        for ax, (place, weights) in zip(axes, matrices, strict=True):
            image = _matrix(ax, weights, masks.get(place), least < 0, most)
            ax.set_title(place if len(matrices) > 1 else "")
        figure.colorbar(image, ax=axes[-1], label="attention weight", shrink=0.8)
        figure.draw_without_rendering()  # cells are square after the second layout only


def _matrix(ax: Any, weights: Labelled, mask: Labelled | None, signed: bool, most: float) -> Any:
    """Draw one matrix, with numbers if there are few words; returns the image."""
    values = np.asarray(weights.values, dtype=float)
    allowed = np.ones(values.shape, bool) if mask is None else np.asarray(mask.values, bool)
    colours = {"cmap": DIVERGING, "vmin": -most} if signed else {"cmap": SEQUENTIAL, "vmin": 0.0}
    image = ax.imshow(np.ma.masked_array(values, ~allowed), vmax=most, **colours)
    ax.set_facecolor(EMPTY)
    ax.set(xlabel="attends to", ylabel="word", xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    if max(values.shape) <= NAMED:
        rows, columns = (tuple(map(label, labels)) for labels in weights.labels)
        ax.set_xticks(range(len(columns)), columns, rotation=40, ha="right", rotation_mode="anchor")
        ax.set_yticks(range(len(rows)), rows)
        ax.tick_params(length=0)
    if max(values.shape) <= NUMBERED:
        for (i, j), value in np.ndenumerate(values):
            text, colour = (
                (number(value), readable_on(image.cmap(image.norm(value)))) if allowed[i, j] else ("·", FAINT)
            )
            ax.text(j, i, text, ha="center", va="center", color=colour)
    return image
