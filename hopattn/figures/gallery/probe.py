"""Positions read by a linear probe: the accuracy by layer with chance as a line, and what the probe reads."""

from itertools import chain
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure, Plot
from hopattn.figures.headings import JOINT, foot, headline, left_out, pads
from hopattn.figures.line_names import name_lines
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import number
from hopattn.results.labelled import Labelled
from hopattn.scenario.result import Result

ERRORS = 2
"""The standard errors on each side of chance that are shaded."""
TICKS = 8
"""The largest number of places and of positions that are named at an axis."""


class Probe(Plot):
    """The accuracy of the first run by layer; beside it the mean vectors of the last layer, by position."""

    shows: ClassVar[str] = "where a word stands, read from a model without positions by a linear probe"
    scenario: ClassVar[str] = "position-probe"

    def lacks(self, result: Result) -> str:
        return "" if result.kind == "probe" else "it has no probes of positions"

    def draw(self, figure: Figure, result: Result) -> None:
        arrays = result.runs[0].arrays
        masked, unmasked = (arrays[f"{name} accuracy"].values[-1] for name in ("masked", "unmasked"))
        above = float(arrays["chance"].values) + ERRORS * float(arrays["standard error"].values)
        found, chance = (percent(share) for share in (float(masked), float(arrays["chance"].values)))
        finds = f"a causal mask alone tells positions: a probe finds {found}, by chance {chance}"
        headline(figure, result, finds * bool(masked > above >= unmasked))
        left, right = figure.subplots(1, 2, width_ratios=[1.25, 1])
        pads(figure, wspace=0.08, h_pad=0.1)
        lines = _accuracies(left, arrays), _lengths(right, arrays["masked length"], arrays["unmasked length"])
        above_0 = [ax.get_ylim()[0] > 0 for ax in (left, right)]
        cut = (
            "the vertical axes do not start at 0"
            if all(above_0)
            else "a vertical axis does not start at 0" * any(above_0)
        )
        notes = f"grey: chance ± {ERRORS} standard errors", cut, left_out(1, len(result.runs), "runs", "run")
        foot(figure, notes)
        for ax, own in zip((left, right), lines, strict=True):
            if not name_lines(ax, own, [line.get_label() for line in own]):
                ax.legend(handles=own, loc="lower right", frameon=False)


def percent(share: float) -> str:
    """A share in percent."""
    return f"{100 * share:.0f}{JOINT}%"


def _curves() -> tuple[tuple[str, str, str, str, str], ...]:
    """The curves of the left panel: array, name, colour, line style, marker."""
    masked, unmasked, *_, light, _ = theme().series
    return (
        ("masked", "with the mask", masked, "-", "o"),
        ("line", "with the mask,\nalong one direction", light, "--", "s"),
        ("unmasked", "without a mask", unmasked, "-", "^"),
    )


def _accuracies(ax: Axes, arrays: Any) -> list[Any]:
    """Draw the accuracy by layer, with chance as a line and its standard errors as a band; returns the curves."""
    chance, error = (float(arrays[name].values) for name in ("chance", "standard error"))
    places = arrays["masked accuracy"].labels[0]
    at = np.arange(len(places))
    lines = []
    for name, text, colour, line, marker in _curves():
        curve = arrays[f"{name} accuracy"].values
        lines += ax.plot(at, curve, line, color=colour, marker=marker, ms=scaled(9), label=text)
    ax.axhspan(chance - ERRORS * error, chance + ERRORS * error, color=theme().faint, alpha=0.25, lw=0)
    ax.axhline(chance, color=theme().ink, lw=scaled(1.5), ls=":")
    drawn = np.array([chance - ERRORS * error, chance + ERRORS * error, *chain(*(line.get_ydata() for line in lines))])
    _frame(ax, at, drawn)
    ax.yaxis.set_major_formatter(lambda value, _: percent(value))
    step = -(-len(at) // TICKS)
    ax.set_xticks(
        at[::step], ["no layer" if place == "words" else place.removeprefix("layer ") for place in places][::step]
    )
    ax.set_xlabel("layer")
    ax.set_title("positions found (share)")
    return lines


def _lengths(ax: Axes, masked: Labelled, unmasked: Labelled) -> list[Any]:
    """Draw the length of the mean vector at each position after the last layer; returns the curves."""
    at = np.arange(1, masked.values.shape[1] + 1)
    first, _, last = _curves()
    lines = []
    for array, (_, text, colour, line, marker) in ((masked, first), (unmasked, last)):
        lines += ax.plot(at, array.values[-1], line, color=colour, marker=marker, ms=scaled(9), label=text)
    _frame(ax, at, np.concatenate([masked.values[-1], unmasked.values[-1]]))
    ax.set_xlabel(f"position in the text, after {masked.labels[0][-1]}")
    ax.yaxis.set_major_formatter(lambda value, _: number(value))
    ax.set_xticks(at[:: -(-len(at) // TICKS)])
    ax.set_title("length of the mean vector")
    return lines


def _frame(ax: Axes, at: np.ndarray, drawn: np.ndarray) -> None:
    """Show what is drawn, with room around it for the names of the curves. at: the places across."""
    low, high, wide = float(drawn.min()), float(drawn.max()), float(np.ptp(at)) or 1.0
    edge = 0.2 * (high - low) or 0.1
    ax.set(ylim=(max(0.0, low - edge), high + edge), xlim=(at[0] - 0.08 * wide, at[-1] + 0.08 * wide))
