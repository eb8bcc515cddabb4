"""Quantities on axes: their names in words with symbols, the range that each can have, and logarithmic scales."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hopattn.figures.sheet import say
from hopattn.figures.text import label, power_of_ten
from hopattn.scenario.grids import of_words

PARAMETERS = {
    "load": "load α = P/N",
    "exponent": "load α = ln P/N",
    "temperature": "temperature T",
    "beta": "inverse temperature β",
    "neurons": "neurons N",
    "dim": "neurons N",
    "patterns": "stored patterns P",
    "flip": "share of neurons flipped",
    "hide": "share of neurons hidden",
    "hidden": "share of neurons hidden",
    "correlation": "cosine between patterns",
    "points": "points P",
    "parts": "parts P",
    "which": "pattern k",
    "empty": "share δ of the neurons of a pattern that is 0",
    "context": "clean vectors L that attention reads",
    "distance": "distance of the cue from the word, in bits",
}
"""The names of parameters, by their keys."""
SYMBOLS = {
    **{"load": "α", "exponent": "α", "temperature": "T", "beta": "β", "neurons": "N", "dim": "N", "patterns": "P"},
    **{"points": "P", "parts": "P", "which": "k", "context": "L"},
}
"""The symbols of parameters, for the names of curves."""
MEASURES = {
    "overlap": "overlap m with the pattern",
    "recalled": "share of cues recalled",
    "steps": "steps of a recall",
    "converged": "share of recalls that converge",
    "weight": "weight of the own pattern in the first step",
    "bit_error": "share of wrong neurons",
    "stable": "share of stable patterns",
    "first": "distance after one step",
    "second": "distance after two steps",
    "rest": "distance at rest",
    "gain": "gain of the mean cue",
    "nearer": "share of cues that gain",
    "met": "share of expectations met",
}
"""The names of measures."""
_OVERLAP_OF_CUE = re.compile(r"overlaps\[(.+)\]")
_WEIGHT = re.compile(r"(?:(?P<place>.+) )?weights\[(?P<query>[^,]+), *(?P<key>[^,]+)\]")
SIZES = ("neurons", "patterns")
"""The axes that a capacity is read from, by the last keys of their paths."""
SHARE = (0.0, 1.0)
RANGES = {
    **dict.fromkeys(("recalled", "converged", "met", "accuracy", "weight", "nearer", "stable"), SHARE),
    **dict.fromkeys(("overlap", "overlaps"), (-1.0, 1.0)),
    **dict.fromkeys(("steps", "bit_error"), (0.0, math.inf)),
}
"""The smallest and the largest value that a measure can have."""
DECADES, FEW = 2, 8
"""A logarithmic axis has ticks at powers of ten if there are as many as this, else at its numbers if these are few."""
TICKS = 6
"""The largest number of distances between the ticks of an axis: with more, the numbers of two panels run together."""


def parameter_title(key: str) -> str:
    """The name of a parameter as the title of an axis. key: the last key of its path."""
    return say(PARAMETERS[key]) if key in PARAMETERS else label(key)


def setting(key: str, value: Any) -> str:
    """A parameter with its number, as the name of a curve: N = 500; a word alone."""
    return label(value) if isinstance(value, str) else f"{SYMBOLS.get(key) or label(key)} = {plain(value)}"


def measure_title(name: str) -> str:
    """The name of a measure as the title of an axis."""
    if cue := _OVERLAP_OF_CUE.fullmatch(name):
        return say("overlap m of cue {}", cue[1])
    if entry := _WEIGHT.fullmatch(name):
        parts = entry["key"], entry["query"].strip()
        return (
            say("weight of '{}' for '{}' ({})", *parts, entry["place"])
            if entry["place"]
            else say("weight of '{}' for '{}'", *parts)
        )
    return say(MEASURES[name]) if name in MEASURES else name


def possible(name: str, values: np.ndarray) -> tuple[float, float]:
    """The smallest and the largest value that a measure can have, infinite if they are not known.

    name: of the measure, or of an entry such as "overlaps[1]". values: of all trials; a measure that is 0 or 1 in each
    trial has a share as its mean. Values beyond the range of the name show that the name means something else.
    """
    known = values[~np.isnan(values)]
    low, high = SHARE if np.isin(known, SHARE).all() else RANGES.get(name.partition("[")[0], (-math.inf, math.inf))
    if _WEIGHT.fullmatch(name) and known.min(initial=0.0) >= 0:
        low, high = SHARE
    rounding = 1e-9
    fits = bool(np.all((known >= low - rounding) & (known <= high + rounding)))
    return (low, high) if fits else (-math.inf, math.inf)


def scale_of(low: float, high: float, mean: np.ndarray) -> tuple[float, float] | None:
    """The ends of the scale of a measure whose range is known: 0 and 1, or −1 and 1; None if it is not known.

    mean: the numbers to draw. Overlaps that are nowhere below −.1 are drawn from 0 on, as shares are.
    """
    if math.isinf(low) or math.isinf(high):
        return None
    return (0.0, high) if low < 0 and np.nanmin(mean, initial=0.0) >= -0.1 else (low, high)


def logarithmic(numbers: Sequence[Any]) -> bool:
    """Whether the numbers grow by equal ratios rather than by equal differences; words do not."""
    if of_words(numbers):
        return False
    values = np.array(numbers, dtype=float)
    if len(values) < 3 or values[0] <= 0:
        return False
    return bool(np.ptp(np.diff(np.log(values))) < 1e-6 * np.log(values[-1] / values[0]))


def places(values: Sequence[Any]) -> np.ndarray:
    """The places of the values of an axis: the numbers themselves, or 0, 1, 2 … for words."""
    return np.arange(len(values)) if of_words(values) else np.array(values, dtype=float)


def edges(numbers: Sequence[Any]) -> np.ndarray:
    """The edges of the cells around the values of an axis, `(n + 1,)`.

    An edge is halfway between two numbers; on a logarithmic axis, halfway between their logarithms.
    """
    if logarithmic(numbers):
        return np.asarray(np.exp(edges(list(np.log(numbers)))))
    values = places(numbers)
    if len(values) == 1:
        return np.array([values[0] - 0.5, values[0] + 0.5])
    middles = (values[1:] + values[:-1]) / 2
    return np.concatenate([[2 * values[0] - middles[0]], middles, [2 * values[-1] - middles[-1]]])


def horizontal_axis(axes: Mapping[str, Sequence[Any]]) -> str:
    """The axis of a sweep that its curves run along: one of numbers, and the one with more values, else the first."""
    return max(axes, key=lambda axis: (not of_words(axes[axis]), len(axes[axis])))


def axis_of(values: Sequence[Any], axis: str) -> dict[str, Any]:
    """The ticks of an axis of words, as a field of a panel; nothing for an axis of numbers. axis: "x" or "y"."""
    if of_words(values):
        return {f"{axis}_ticks": dict(zip(places(values).tolist(), map(label, values), strict=True))}
    return {}


def set_logarithmic(ax: Any, axis: str, numbers: Sequence[float]) -> None:
    """Give one axis a logarithmic scale whose ticks are written as plain numbers, without formulae.

    axis: "x" or "y". numbers: those that are drawn. Call it last: the ticks depend on the ends of the axis.
    """
    from matplotlib.ticker import FixedLocator, NullFormatter, NullLocator

    getattr(ax, f"set_{axis}scale")("log")
    low, high = sorted(getattr(ax, f"get_{axis}lim")())
    this = getattr(ax, f"{axis}axis")
    powers = 10.0 ** np.arange(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1)
    if len(powers) < DECADES:
        ones = 10.0 ** np.arange(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        steps = np.sort(np.outer(ones, (1, 2, 5)).ravel())
        powers = np.array(numbers, float) if len(numbers) <= FEW else steps[(steps >= low) & (steps <= high)]
        this.set_minor_locator(NullLocator())
    this.set_major_locator(FixedLocator(powers[:: -(-len(powers) // FEW)].tolist()))
    this.set_major_formatter(lambda value, _: plain(value))
    this.set_minor_formatter(NullFormatter())


def plain(value: float) -> str:
    """A number without formulae: 0.1, 10, 10⁶.

    >>> plain(0.1), plain(31.6227766), plain(999.6), plain(1e6), plain(2e-7)
    ('0.1', '31.6', '1000', '10⁶', '2·10⁻⁷')
    """
    if value == 0 or 1e-4 <= abs(value) < 1e5:
        return f"{value:.3g}" if abs(value) < 999.5 else f"{value:.0f}"
    digits, _, power = f"{value:.3g}".partition("e") if "e" in f"{value:.3g}" else f"{value:.2e}".partition("e")
    digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
    raised = power_of_ten(int(power))
    return raised if digits == "1" else f"{digits}·{raised}"
