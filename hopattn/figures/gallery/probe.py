"""Positions read by a linear probe: the accuracy by layer with chance as a line, and what the probe reads."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot
from hopattn.figures.headings import headline, pads
from hopattn.figures.style import scaled, theme
from hopattn.foundation.labelled import Labelled
from hopattn.scenario.result import Result

CURVES = (
    ("masked", "with the mask", theme().series[0], "-", "o"),
    ("line", "with the mask, one number", theme().series[5], "--", "s"),
    ("unmasked", "without a mask", theme().series[1], "-", "^"),
)
"""The curves of the left panel: array, name, colour, line style, marker."""
ERRORS = 2
"""The standard errors on each side of chance that are shaded."""
TICKS = 8
"""The largest number of places and of positions that are named at an axis."""


class Probe(Plot):
    """The accuracy of the first run by layer; beside it the mean vectors of the last layer, by position."""

    name: ClassVar[str] = "probe"
    shows: ClassVar[str] = "where a word stands, read from a model without positions by a linear probe"
    scenario: ClassVar[str] = "position-probe"

    def lacks(self, result: Result) -> str:
        return "" if result.kind == "probe" else "it has no probes of positions"

    def draw(self, figure: Figure, result: Result) -> None:
        arrays = result.runs[0].arrays
        headline(figure, result)
        left, right = figure.subplots(1, 2, width_ratios=[1.25, 1])
        pads(figure, wspace=0.08)
        _accuracies(left, arrays)
        _lengths(right, arrays["masked length"], arrays["unmasked length"])


def _accuracies(ax: Any, arrays: Any) -> None:
    """Draw the accuracy by layer, with chance as a line and its standard errors as a band."""
    chance, error = (float(arrays[name].values) for name in ("chance", "standard error"))
    places = arrays["masked accuracy"].labels[0]
    at = np.arange(len(places))
    for name, text, colour, line, marker in CURVES:
        ax.plot(at, arrays[f"{name} accuracy"].values, line, color=colour, marker=marker, ms=scaled(9), label=text)
    ax.axhspan(chance - ERRORS * error, chance + ERRORS * error, color=theme().faint, alpha=0.25, lw=0)
    ax.axhline(chance, color=theme().ink, lw=scaled(1.5), ls=":", label=f"chance ± {ERRORS} standard errors")
    most = max(float(arrays[f"{name} accuracy"].values.max()) for name, *_ in CURVES)
    ax.set(ylim=(0, 1.45 * max(most, chance + ERRORS * error)), ylabel="positions that the probe finds")
    ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    step = -(-len(at) // TICKS)
    ax.set_xticks(at[::step], [place.removeprefix("layer ") for place in places][::step])
    ax.set_xlabel("layer")
    ax.legend(loc="upper left", frameon=False, ncols=1)
    ax.set_title("positions found in texts not seen before")


def _lengths(ax: Any, masked: Labelled, unmasked: Labelled) -> None:
    """Draw the length of the mean vector at each position after the last layer."""
    at = np.arange(1, masked.values.shape[1] + 1)
    for array, (_, _, colour, line, marker) in ((masked, CURVES[0]), (unmasked, CURVES[2])):
        ax.plot(at, array.values[-1], line, color=colour, marker=marker, ms=scaled(9))
    both = np.concatenate([masked.values[-1], unmasked.values[-1]])
    room = 0.1 * (float(np.ptp(both)) or 1.0)
    ax.set(xlabel="position in the text", ylabel="length of the mean vector")
    ax.set_ylim(float(both.min()) - room, float(both.max()) + room)
    ax.set_xticks(at[:: -(-len(at) // TICKS)])
    ax.set_title(f"the mean vectors after {masked.labels[0][-1]}")
