"""Quantities on axes: their names in words with symbols, the range that each can have, and logarithmic scales."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hopattn.figures.sheet import Mark, Panel, Surface, say
from hopattn.figures.text import label, power_of_ten
from hopattn.scenario.grids import of_words
from hopattn.scenario.language.paths import last_keys

PARAMETERS = {
    "load": ("load α = P/N", "α"),
    "exponent": ("load α = ln P/N", "α"),
    "temperature": ("temperature T", "T"),
    "beta": ("inverse temperature β", "β"),
    "alpha": ("α of entmax", "α"),
    "neurons": ("neurons N", "N"),
    "dim": ("neurons N", "N"),
    "patterns": ("stored patterns P", "P"),
    "flip": ("share of neurons flipped", ""),
    "hide": ("share of neurons hidden", ""),
    "hidden": ("share of neurons hidden", ""),
    "noise": ("noise", ""),
    "correlation": ("cosine between patterns", ""),
    "points": ("points P", "P"),
    "parts": ("parts P", "P"),
    "which": ("pattern k", "k"),
    "empty": ("share δ of the neurons of a pattern that is 0", ""),
    "context": ("clean vectors L that attention reads", "L"),
    "distance": ("distance of the cue from the word, in bits", ""),
}
"""The names of parameters, for the titles of axes, and their symbols, for the names of curves; by their keys."""
SHARE, ANY, UP = (0.0, 1.0), (-math.inf, math.inf), (0.0, math.inf)
MEASURES = {
    "overlap": ("overlap m with the pattern", (-1.0, 1.0)),
    "recalled": ("share of cues recalled", SHARE),
    "steps": ("steps of a recall", UP),
    "converged": ("share of recalls that converge", SHARE),
    "weight": ("weight of the own pattern in the first step", SHARE),
    "bit_error": ("share of wrong neurons", UP),
    "stable": ("share of stable patterns", SHARE),
    "first": ("distance after one step", ANY),
    "second": ("distance after two steps", ANY),
    "rest": ("distance at rest", ANY),
    "gain": ("gain of the mean cue", ANY),
    "nearer": ("share of cues that gain", SHARE),
    "met": ("share of expectations met", SHARE),
    "accuracy": ("accuracy", SHARE),
}
"""The names of measures, and the smallest and the largest value that each can have."""
_OVERLAP_OF_CUE = re.compile(r"overlaps\[(.+)\]")
_WEIGHT = re.compile(r"(?:(?P<place>.+) )?weights\[(?P<query>[^,]+), *(?P<key>[^,]+)\]")
DECADES, FEW = 2, 8
"""A logarithmic axis has ticks at powers of ten if there are as many as this, else at its numbers if these are few."""


def by_key(axes: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """The values of the axes of a sweep by the last keys of their paths."""
    return {key: axes[path] for path, key in last_keys(axes).items()}


def parameter_title(key: str) -> str:
    """The name of a parameter as the title of an axis. key: the last key of its path."""
    return say(PARAMETERS[key][0]) if key in PARAMETERS else label(key)


def setting(key: str, value: Any) -> str:
    """A parameter with its number, as the name of a curve: N = 500; a word alone."""
    symbol = PARAMETERS.get(key, ("", ""))[1] or label(key)
    return label(value) if isinstance(value, str) else f"{symbol} = {plain(value)}"


def name_of(name: str) -> str:
    """The name of a measure as the title of an axis."""
    if cue := _OVERLAP_OF_CUE.fullmatch(name):
        return say("overlap m of cue {}", cue[1])
    if not (entry := _WEIGHT.fullmatch(name)):
        return say(MEASURES[name][0]) if name in MEASURES else name
    place, parts = entry["place"], (entry["key"], entry["query"].strip())
    return say("weight of '{}' for '{}' ({})", *parts, place) if place else say("weight of '{}' for '{}'", *parts)


def possible(name: str, values: np.ndarray) -> tuple[float, float]:
    """The smallest and the largest value that a measure can have, infinite if they are not known.

    name: of the measure, or of an entry such as "overlaps[1]". values: of all trials; a measure that is 0 or 1 in each
    trial has a share as its mean. Values beyond the range of the name show that the name means something else.
    """
    known, rounding, kind = values[~np.isnan(values)], 1e-9, name.partition("[")[0]
    if np.isin(known, SHARE).all() or (_WEIGHT.fullmatch(name) and known.min() >= 0):
        return SHARE
    _, (low, high) = MEASURES.get("overlap" if kind == "overlaps" else kind, ("", ANY))
    return (low, high) if low - rounding <= known.min() and known.max() <= high + rounding else ANY


def scale_of(low: float, high: float, mean: np.ndarray) -> tuple[float, float] | None:
    """The ends of the scale of a measure whose range is known: 0 and 1, or −1 and 1; None if it is not known.

    mean: the numbers to draw. Overlaps that are nowhere below −.1 are drawn from 0 on, as shares are.
    """
    if math.isinf(low) or math.isinf(high):
        return None
    return (0.0, high) if low < 0 and np.nanmin(mean, initial=0.0) >= -0.1 else (low, high)


def logarithmic(numbers: Sequence[Any]) -> bool:
    """Whether the numbers grow by equal ratios rather than by equal differences; words do not."""
    if of_words(numbers) or len(numbers) < 3 or numbers[0] <= 0:
        return False
    return bool(np.ptp(np.diff(np.log(numbers))) < 1e-6 * np.log(numbers[-1] / numbers[0]))


def spaced(numbers: Sequence[Any], count: int) -> np.ndarray:
    """So many numbers from the first to the last of an axis, at equal ratios where it is logarithmic."""
    return np.asarray((np.geomspace if logarithmic(numbers) else np.linspace)(numbers[0], numbers[-1], count))


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


def longest(axes: Mapping[str, Sequence[Any]]) -> str:
    """The axis of a sweep that its curves run along: one of numbers, and the one with more values, else the first."""
    return max(axes, key=lambda axis: (not of_words(axes[axis]), len(axes[axis])))


def axis_of(axis: str, key: str, values: Sequence[Any], at: np.ndarray | None = None) -> dict[str, Any]:
    """The title, the ends and the ticks of an axis, as fields of a panel. axis: "x" or "y".

    at: the edges of cells that fill it; None for curves, whose axis begins a little before the first value.
    """
    if at is None and logarithmic(values):
        at = values * (values[-1] / values[0]) ** np.linspace(-0.03, 0.03, len(values))
    elif at is None:
        x = places(values)
        margin = 0.5 if of_words(values) else 0.03 * (x[-1] - x[0]) or 0.5
        at = np.array([max(x[0] - margin, 0.0 if x[0] >= 0 and not of_words(values) else -math.inf), x[-1] + margin])
    ticks = dict(zip(places(values).tolist(), map(label, values), strict=True)) if of_words(values) else None
    return {axis: parameter_title(key), f"{axis}_range": (float(at[0]), float(at[-1])), f"{axis}_ticks": ticks}


def map_of(
    axes: Mapping[str, Sequence[Any]],
    table: np.ndarray,
    name: str,
    most: float,
    colours: str = "weights",
    marks: Sequence[Mark] = (),
    title: str = "",
) -> Panel:
    """A map over two axes, the horizontal one first, with marks over its colours; NaN is hatched.

    table: the numbers, in the order of the axes. name, most, colours: as of a `Surface`.
    """
    (across, xs), (up, ys) = axes.items()
    x, y = edges(xs), edges(ys)
    fields = axis_of("x", across, xs, x) | axis_of("y", up, ys, y)
    logs = "x" * logarithmic(xs) + "y" * logarithmic(ys)
    return Panel([Surface(table.T, x, y, colours, name=name, most=most), *marks], title, logarithmic=logs, **fields)


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
    """A number without formulae: .1, 10, 10⁶.

    >>> plain(0.1), plain(31.6227766), plain(999.6), plain(1e6), plain(2e-7)
    ('.1', '31.6', '1000', '10⁶', '2·10⁻⁷')
    """
    if value == 0 or 1e-4 <= abs(value) < 1e5:
        text = f"{value:.3g}" if abs(value) < 999.5 else f"{value:.0f}"
        return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text
    digits, _, power = f"{value:.2e}".partition("e")
    digits, raised = digits.rstrip("0").rstrip("."), power_of_ten(int(power))
    return raised if digits == "1" else f"{digits}·{raised}"
