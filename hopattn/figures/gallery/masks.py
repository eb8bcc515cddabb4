"""Masks: which keys each query may attend to, as grids of visible and hidden cells."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure, tables, too_many_cells
from hopattn.figures.headings import run_title
from hopattn.figures.matrix_words import Words, fit_in_layout, fit_words, stretch, words_once
from hopattn.figures.panels import About, Panels, Shown
from hopattn.figures.shapes import hatching, shaded
from hopattn.figures.style import scaled, theme
from hopattn.results.labelled import Labelled
from hopattn.scenario.result import Result

FEW, NAMED = 3, 30
"""The number of masks in one row, and the number of words up to which words show their names."""
UNNAMED = f"words without their names where there are more than {NAMED}"
SIZE = 16
"""The font size of the words, on a slide."""
Titled = tuple[str, Labelled]
"""A mask and its title."""


class Masks(Panels[Titled]):
    """The masks of every run, one for each head unless all are equal. A pale cell is visible, a hatched one hidden."""

    shows: ClassVar[str] = "which words each word may attend to, and which the mask hides from it"
    scenario: ClassVar[str] = "causal-mask"
    most: ClassVar[int] = 6
    in_a_row: ClassVar[int] = FEW
    space: ClassVar[Mapping[str, float]] = {"h_pad": 0.1}
    what: ClassVar[tuple[str, str]] = "masks", "run or head"

    def parts(self, result: Result) -> list[tuple[str, Labelled]]:
        """Titles and masks: one mask if all are equal. A title is the run, with the head if its heads differ."""
        titled: list[tuple[str, Labelled]] = []
        for run in result.runs:
            own = list(tables(run, "mask"))
            alike = all(_equal(mask, own[0][1]) for _, mask in own)
            for place, mask in own[: 1 if alike else None]:
                titled.append((run_title(run, 24) if alike else f"{run_title(run, 24)}\n{place}", mask))
        alike = len(titled) == len(result.runs) and all(_equal(mask, titled[0][1]) for _, mask in titled)
        return titled[:1] if alike else titled

    def lacks(self, result: Result) -> str:
        masks = self.parts(result)
        if not masks:
            return "it has no attention masks"
        if all(mask.values.all() for _, mask in masks):
            return "its masks hide nothing"
        return too_many_cells(masks)

    def panel_of(self, ax: Axes, part: Titled, shown: Shown[Titled]) -> None:
        seen = np.asarray(part[1].values, bool)
        n, m = seen.shape
        line = {"edgecolor": theme().paper, "linewidth": scaled(2) * (max(n, m) <= NAMED)}
        shaded(ax, seen, facecolor=theme().dim, **line)
        shaded(ax, ~seen, **hatching())
        ax.set(xlim=(-0.5, m - 0.5), ylim=(n - 0.5, -0.5), xlabel="key", ylabel="query", xticks=[], yticks=[], aspect=1)
        stretch(ax, seen.shape)
        ax.spines[:].set(visible=True, color=theme().faint)
        ax.tick_params(length=0)
        if max(n, m) > NAMED and len(shown.parts) == 1:
            ax.set_xlabel(f"key ({m} without their names, the first on the left)")
            ax.set_ylabel(f"query ({n}, the first on top)")
        fit_words([ax], [_words(part[1])], SIZE)

    def finish(self, figure: Figure, axes: Sequence[Axes], shown: Shown[Titled]) -> None:
        words = [_words(mask) for _, mask in shown.parts]
        fit_in_layout(figure, axes, words_once(words, axes) if len(words) > FEW else words, SIZE)

    def about(self, shown: Shown[Titled], axes: Sequence[Axes]) -> About:
        from matplotlib.patches import Patch

        runs, titles = len(shown.result.runs), [title for title, _ in shown.parts] if shown.of > 1 else []
        note = f"the same in all {runs} runs" if shown.of == 1 < runs else self.left_out(shown)
        keys = [Patch(facecolor=theme().dim), Patch(**hatching())]
        size = scaled(19 if len(shown.parts) <= FEW else 14)
        many = any(max(mask.values.shape) > NAMED for _, mask in shown.parts) and len(shown.parts) > 1
        return About([note, UNNAMED * many], keys, ["visible", "hidden"], titles, title_style={"fontsize": size})


def _equal(one: Labelled, other: Labelled) -> bool:
    """Whether two masks are those of the same words, and hide the same of them."""
    return one.labels == other.labels and np.array_equal(one.values, other.values)


def _words(mask: Labelled) -> Words:
    """The words of the queries and of the keys, none of many."""
    return (mask.labels[0], mask.labels[1]) if max(mask.values.shape) <= NAMED else ((), ())
