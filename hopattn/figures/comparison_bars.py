"""A comparison at a single point: a bar for each memory, its number, its error, or the reason why it has none."""

from collections.abc import Sequence

from hopattn.experiments.comparison.result import Comparison
from hopattn.figures.base import Axes, Figure
from hopattn.figures.comparison_parts import MEASURES, memories_of, why_missing
from hopattn.figures.headings import wrapped
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import number

PANELS = 4
"""The largest number of panels, one for each measure."""


def draw_bars(figure: Figure, comparison: Comparison, measures: Sequence[str]) -> None:
    """Draw a panel for each measure, with a bar for each memory."""
    shown = measures[:PANELS]
    panels = figure.subplots(1, len(shown), sharey=True, squeeze=False)[0]
    for panel, measure in zip(panels, shown, strict=True):
        draw_measure(panel, comparison, measure)


def draw_measure(ax: Axes, comparison: Comparison, measure: str) -> None:
    """Draw the bars of one measure; a share has the scale 0 to 1."""
    rows = {row.memory: row for row in comparison.rows}
    memories = memories_of(comparison)
    values = [getattr(rows[name], measure) for name in memories]
    share = measure == "recalled"
    most = 1.0 if share else max((value for value in values if value is not None), default=0.0) or 1.0
    for i, (name, value) in enumerate(zip(memories, values, strict=True)):
        if value is None:
            reason = wrapped(why_missing(rows[name], measure), 17)
            ax.text(0.02 * most, i, reason, va="center", fontsize=scaled(13), color=theme().faint, style="italic")
            continue
        error = (rows[name].recalled_error or 0.0) if share else 0.0
        bar = {"color": theme().series[0], "height": 0.6, "ecolor": theme().ink, "capsize": scaled(4)}
        low, high = min(error, value), min(error, 1 - value) if share else error
        ax.barh(i, value, xerr=[[low], [high]] if error else None, **bar)
        text = number(0.0 if abs(value) < 1e-9 else float(value))
        ax.text(value + high + 0.04 * most, i, text, va="center", ha="left")
    ax.set(xlim=(0, 1.35 * most), xlabel=MEASURES[measure], yticks=range(len(memories)), yticklabels=memories)
    ax.set_ylim(len(memories) - 0.5, -0.5)
    if share:
        ax.set_xticks([0, 0.5, 1])
    else:
        ax.locator_params(axis="x", nbins=3)
