"""Positions read by a linear probe: the accuracy by layer with chance as a line, and what the probe reads."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure, Plot
from hopattn.figures.headings import headline, left_out, pads
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

    name: ClassVar[str] = "probe"
    shows: ClassVar[str] = "where a word stands, read from a model without positions by a linear probe"
    scenario: ClassVar[str] = "position-probe"

    def lacks(self, result: Result) -> str:
        return "" if result.kind == "probe" else "it has no probes of positions"

    def draw(self, figure: Figure, result: Result) -> None:
        arrays = result.runs[0].arrays
        masked, unmasked = (arrays[f"{name} accuracy"].values[-1] for name in ("masked", "unmasked"))
        above = float(arrays["chance"].values) + ERRORS * float(arrays["standard error"].values)
        only_masked = masked > above >= unmasked
        headline(figure, result, "with a causal mask a probe finds positions; without it, chance" * bool(only_masked))
        left, right = figure.subplots(1, 2, width_ratios=[1.25, 1])
        pads(figure, wspace=0.08)
        keys = _accuracies(left, arrays)
        _lengths(right, arrays["masked length"], arrays["unmasked length"])
        others = left_out(1, len(result.runs), "runs", "run") or None
        figure.legend(handles=keys, title=others, loc="outside lower center", ncols=2, frameon=False)


def _curves() -> tuple[tuple[str, str, str, str, str], ...]:
    """The curves of the left panel: array, name, colour, line style, marker."""
    masked, unmasked, *_, light, _ = theme().series
    return (
        ("masked", "with the mask", masked, "-", "o"),
        ("line", "with the mask, one number", light, "--", "s"),
        ("unmasked", "without a mask", unmasked, "-", "^"),
    )


def _accuracies(ax: Axes, arrays: Any) -> list[Any]:
    """Draw the accuracy by layer, with chance as a line and its standard errors as a band; returns the lines."""
    chance, error = (float(arrays[name].values) for name in ("chance", "standard error"))
    places = arrays["masked accuracy"].labels[0]
    at = np.arange(len(places))
    lines = []
    for name, text, colour, line, marker in _curves():
        curve = arrays[f"{name} accuracy"].values
        lines += ax.plot(at, curve, line, color=colour, marker=marker, ms=scaled(9), label=text)
    ax.axhspan(chance - ERRORS * error, chance + ERRORS * error, color=theme().faint, alpha=0.25, lw=0)
    style: dict[str, Any] = {"color": theme().ink, "lw": scaled(1.5), "ls": ":"}
    lines.append(ax.axhline(chance, label=f"chance ± {ERRORS} standard errors", **style))
    most = max(float(arrays[f"{name} accuracy"].values.max()) for name, *_ in _curves())
    ax.set(ylim=(0, 1.1 * max(most, chance + ERRORS * error)), ylabel="right positions")
    ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    step = -(-len(at) // TICKS)
    ax.set_xticks(at[::step], [place.removeprefix("layer ") for place in places][::step])
    ax.set_xlabel("layer")
    ax.set_title("positions found in new texts")
    return lines


def _lengths(ax: Axes, masked: Labelled, unmasked: Labelled) -> None:
    """Draw the length of the mean vector at each position after the last layer."""
    at = np.arange(1, masked.values.shape[1] + 1)
    first, _, last = _curves()
    for array, (_, _, colour, line, marker) in ((masked, first), (unmasked, last)):
        ax.plot(at, array.values[-1], line, color=colour, marker=marker, ms=scaled(9))
    both = np.concatenate([masked.values[-1], unmasked.values[-1]])
    room = 0.1 * (float(np.ptp(both)) or 1.0)
    ax.set(xlabel="position in the text", ylabel="length")
    ax.yaxis.set_major_formatter(lambda value, _: number(value))
    ax.set_ylim(float(both.min()) - room, float(both.max()) + room)
    ax.set_xticks(at[:: -(-len(at) // TICKS)])
    ax.set_title(f"mean vector after {masked.labels[0][-1]}")
