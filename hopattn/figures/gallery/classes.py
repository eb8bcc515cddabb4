"""How many keys hold nine tenths of the weight, for each query of each head, and the operating class of the head."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hopattn.figures.base import Axes, mask_of, tables
from hopattn.figures.headings import run_title, wrapped
from hopattn.figures.panels import About, Shown, Together
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import inked, label
from hopattn.foundation.errors import InvalidInput
from hopattn.results.labelled import Labelled
from hopattn.retrieval.weight_spread import FEWEST_KEYS, NO_CLASS, OperatingClass, least_number
from hopattn.scenario.arrays import Name
from hopattn.scenario.result import Result, Run

KEPT = " keys for 90 %"
"""The end of the names of arrays that hold the numbers of keys themselves, `(head, word)`, under a causal mask."""
BOUNDS = (1.0, 1 / 2, 1 / 8, 1 / 32)
"""The shares of keys below which the classes I to IV begin."""
KEYS = {"I": "most keys", "II": "many", "III": "some", "IV": "few, or one"}
"""The classes in short."""
LEFT_OUT = f"{NO_CLASS}: such queries are left out"
MESSAGE = "keys that hold nine tenths of the weight: which heads average, and which pick"


class Spread(NamedTuple):
    """The spread of one head: its names, a group of heads, and of each query the least and the visible keys.

    name: of its number in its layer, or of its place. layer: the name of its layer, empty if there is only one.
    Queries that see fewer than `FEWEST_KEYS` keys are left out.
    """

    name: str
    layer: str
    group: str
    least: np.ndarray
    visible: np.ndarray

    @property
    def shares(self) -> np.ndarray:
        """The share of the visible keys that holds nine tenths of the weight, for each query."""
        return np.asarray(self.least / self.visible)


class Classes(Together[Spread]):
    """A column for each head: a dot for each query, a box from the lower to the upper quartile, a bar at the median.

    The median decides the operating class of Ramsauer et al. (2021); the bands are the classes. A dot has the colour
    of the band that it lies in. Queries of too few keys to have a class are left out.
    """

    shows: ClassVar[str] = "what share of the keys holds nine tenths of the weight, and so the class of each head"
    scenario: ClassVar[str] = "emergence"
    lack: ClassVar[str] = f"it has no heads that share their weight among {FEWEST_KEYS} keys or more"
    most: ClassVar[int] = 16
    what: ClassVar[tuple[str, str]] = "heads", "head"

    def parts(self, result: Result) -> list[Spread]:
        return [*_spreads(result)]

    def draw_into(self, ax: Axes, shown: Shown[Spread]) -> None:
        """Draw the bands of the classes and a column for each head, the heads of a group side by side."""
        spreads = shown.parts
        least = min(float(spread.shares.min()) for spread in spreads)
        low = min(least / 1.3, 1 / 64)
        _bands(ax, low)
        for x, spread in enumerate(spreads):
            _column(ax, x, spread)
        ax.set_yscale("log")
        ax.set_yticks([1, 1 / 2, 1 / 8, 1 / 32], ["all", "1/2", "1/8", "1/32"])
        ax.minorticks_off()
        ax.set(xlim=(-0.6, len(spreads) - 0.4), ylim=(low, 1.15), ylabel="share of the keys\nthat holds 90 %")
        ax.set_xticks(range(len(spreads)), [spread.name for spread in spreads])
        ax.tick_params(axis="x", length=0)
        if spreads[0].name.isdigit():
            ax.set_xlabel("head")
        _groups(ax, spreads)

    def about(self, shown: Shown[Spread], axes: Sequence[Axes]) -> About:
        notes = "a dot for each query", "box: the middle half", "bar: the median", LEFT_OUT, self.left_out(shown)
        return About(notes, message=_finding(shown.parts))


def _finding(spreads: Sequence[Spread]) -> str:
    """A sentence on the medians of two layers, if all heads of one average over most keys and all of the other pick."""
    medians: dict[str, list[float]] = {}
    for spread in spreads:
        if spread.layer and spread.group == spreads[0].group:
            medians.setdefault(spread.layer, []).append(float(np.median(spread.shares)))
    averaging = [layer for layer, own in medians.items() if min(own) > BOUNDS[1]]
    picking = [layer for layer, own in medians.items() if max(own) <= BOUNDS[3]]
    if len(medians) != 2 or not averaging or not picking:
        return MESSAGE
    return f"{averaging[0]} averages over most keys, {picking[0]} picks few: the keys that hold 90 %"


def _spreads(result: Result) -> Iterator[Spread]:
    """The spread of each head, or of the step of each memory, whose weights are shares."""
    for run in result.runs:
        group = run_title(run, 24) if len(result.runs) > 1 else ""
        for place, weights in tables(run, "weights"):
            spread = _of_weights(run, place, weights, group)
            if spread is not None:
                yield spread
        for name, array in run.arrays.items():
            if name.endswith(KEPT):
                visible = np.arange(1, array.values.shape[1] + 1)
                for head, least in zip(array.labels[0], array.values, strict=True):
                    counts = (visible >= FEWEST_KEYS) & (least > 0)
                    if counts.any():
                        yield Spread(*_names(head), label(name.removesuffix(KEPT)), least[counts], visible[counts])


def _of_weights(run: Run, place: str, weights: Labelled, group: str) -> Spread | None:
    """The spread of one array of weights; None if they are not shares of several keys."""
    values = np.asarray(weights.values, dtype=float)
    allowed = mask_of(run, place, weights)
    rows = np.isclose(values.sum(axis=-1), 1) & (allowed.sum(axis=-1) >= FEWEST_KEYS)
    if values.ndim != 2 or not rows.any():
        return None
    try:
        least = least_number(values[rows])
    except InvalidInput:
        return None
    return Spread(*_names(place), group, least, allowed[rows].sum(axis=-1))


def _names(place: str) -> tuple[str, str]:
    """The name of a head and that of its layer: "layer 1 head 2" is "2" and "layer 1"; a memory's step has none."""
    place = place.removeprefix("sequence 1 ")
    name = Name.parse(f"{place} weights")
    if name.head is not None and name == Name("weights", layer=name.layer, head=name.head):
        return str(name.head), f"layer {name.layer}" if name.layer else ""
    return "" if place == "step 1" else label(place), ""


def _bands(ax: Axes, low: float) -> None:
    """Draw the bands of the classes, each with its name and its meaning on the right."""
    for i, (name, high) in enumerate(zip(OperatingClass, BOUNDS, strict=True)):
        below = [*BOUNDS, low][i + 1]
        if i % 2 == 0:
            ax.axhspan(below, high if i else 1.15, color=theme().empty, zorder=0, lw=0)
        middle = np.sqrt(max(below, low) * high)
        style: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "va": "center", "ha": "left"}
        ax.text(1.01, middle, f"class {name}:\n{KEYS[name]}", color=inked(theme().series[i]), **style)


def _column(ax: Axes, x: int, spread: Spread) -> None:
    """Draw one head: its queries as dots side by side, its quartiles as a box, its median as a bar."""
    shares = spread.shares
    beside = np.linspace(-0.3, 0.3, len(shares)) if len(shares) > 1 else np.zeros(1)
    beside = np.random.default_rng(0).permutation(beside)  # in the order of the queries, 1/n looks like a trend
    bands = np.searchsorted(-np.array(BOUNDS), -shares, side="right") - 1  # a share at a bound is in the lower class
    for i, colour in enumerate(theme().series[: len(BOUNDS)]):
        own = np.clip(bands, 0, None) == i
        dots: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": scaled(6)}
        dots["zorder"] = 2 if len(shares) > 1 else 5  # the bar would hide a single dot
        ax.plot(x + beside[own], shares[own], color=colour, alpha=0.6, markeredgewidth=0, **dots)
    low, middle, high = np.quantile(shares, (0.25, 0.5, 0.75))
    box: dict[str, Any] = {"fill": False, "edgecolor": theme().ink, "linewidth": scaled(1.8), "zorder": 3}
    ax.bar(x, high - low, width=0.7, bottom=low, **box)
    ax.plot([x - 0.38, x + 0.38], [middle, middle], color=theme().ink, lw=scaled(5), solid_capstyle="butt", zorder=4)


def _groups(ax: Axes, spreads: Sequence[Spread]) -> None:
    """Write the names of groups and of their layers above the columns, with a line between them."""
    layers = {one.group: len({other.layer for other in spreads if other.group == one.group}) for one in spreads}
    names = ["\n".join(filter(None, (one.group, one.layer if layers[one.group] > 1 else ""))) for one in spreads]
    starts = [i for i, name in enumerate(names) if i == 0 or name != names[i - 1]]
    for start, end in zip(starts, [*starts[1:], len(names)], strict=True):
        style: dict[str, Any] = {"transform": ax.get_xaxis_transform(), "ha": "center", "va": "bottom"}
        letters = max(4, 64 * (end - start) // len(spreads))
        lines = [wrapped(line, letters) for line in names[start].split("\n")]
        ax.text((start + end - 1) / 2, 1.02, "\n".join(lines), **style)
        if start:
            ax.axvline(start - 0.5, color=theme().faint, lw=scaled(1.5), zorder=1)
