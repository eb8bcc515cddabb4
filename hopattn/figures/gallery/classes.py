"""How many keys hold nine tenths of the weight, for each query of each head, and the operating class of the head."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hopattn.figures.base import Axes, mask_of, tables
from hopattn.figures.headings import run_title, wrapped
from hopattn.figures.panels import About, Shown, Together
from hopattn.figures.shapes import sign
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label
from hopattn.foundation.errors import InvalidInput
from hopattn.results.labelled import Labelled
from hopattn.retrieval.weight_spread import OperatingClass, class_of, least_number
from hopattn.scenario.language.array_name import ArrayName
from hopattn.scenario.result import Result, Run

SEEN = 8
"""The least number of keys that some query of a head must see."""
KEPT = " keys for 90 %"
"""The end of the names of arrays that hold the numbers of keys themselves, `(head, word)`, under a causal mask."""
BOUNDS = (1.0, 1 / 2, 1 / 8, 1 / 32)
"""The shares of keys below which the classes I to IV begin."""
MARKERS = {"I": "o", "II": "s", "III": "^", "IV": "D"}
KEYS = {"I": "very many keys", "II": "many", "III": "some", "IV": "few, or one"}
"""The classes in short."""
MESSAGE = "keys that hold nine tenths of the weight: which heads average, and which pick"


class Spread(NamedTuple):
    """The spread of one head: its name, a group of heads, and of each query the least and the visible keys."""

    name: str
    group: str
    least: np.ndarray
    visible: np.ndarray

    @property
    def shares(self) -> np.ndarray:
        """The share of the visible keys that holds nine tenths of the weight, for each query."""
        return np.asarray(self.least / self.visible)


class Classes(Together[Spread]):
    """A column for each head: a dot for each query, a box from the lower to the upper quartile, a bar at the median.

    The median decides the operating class of Ramsauer et al. (2021); the bands are the classes.
    """

    name: ClassVar[str] = "classes"
    shows: ClassVar[str] = "what share of the keys holds nine tenths of the weight, and so the class of each head"
    scenario: ClassVar[str] = "emergence"
    lack: ClassVar[str] = f"it has no heads that share their weight among {SEEN} keys or more"
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
        if any("." in spread.name for spread in spreads):
            ax.set_xlabel("layer and head")
        _groups(ax, spreads)

    def about(self, shown: Shown[Spread], axes: Sequence[Axes]) -> About:
        notes = "a dot for each query", "box: the middle half", "bar: the median", self.left_out(shown)
        names = [f"class {name}: {keys}" for name, keys in KEYS.items()]
        keys = [
            sign(linestyle="none", marker=marker, color=_colour(name), markersize=scaled(11))
            for name, marker in MARKERS.items()
        ]
        return About(notes, keys, names, message=MESSAGE)


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
                    yield Spread(_short(head), label(name.removesuffix(KEPT)), least, visible)


def _of_weights(run: Run, place: str, weights: Labelled, group: str) -> Spread | None:
    """The spread of one array of weights; None if they are not shares of several keys."""
    values = np.asarray(weights.values, dtype=float)
    allowed = mask_of(run, place, weights)
    rows = np.isclose(values.sum(axis=-1), 1)
    if values.ndim != 2 or not rows.any() or allowed[rows].sum(axis=-1).max() < SEEN:
        return None
    try:
        least = least_number(values[rows])
    except InvalidInput:
        return None
    return Spread(_short(place), group, least, allowed[rows].sum(axis=-1))


def _short(place: str) -> str:
    """A place as a label: "layer 1 head 2" is "1.2"; a memory's step has none."""
    name = ArrayName.parse(f"{place} weights")
    if name.head is not None and name == ArrayName("weights", layer=name.layer, head=name.head):
        return ".".join(str(number) for number in (name.layer, name.head) if number is not None)
    return "" if place == "step 1" else label(place)


def _bands(ax: Axes, low: float) -> None:
    """Draw the bands of the classes, each with its name on the right."""
    for i, (name, high) in enumerate(zip(OperatingClass, BOUNDS, strict=True)):
        below = [*BOUNDS, low][i + 1]
        if i % 2 == 0:
            ax.axhspan(below, high if i else 1.15, color=theme().empty, zorder=0, lw=0)
        middle = np.sqrt(max(below, low) * high)
        style: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "va": "center", "ha": "left"}
        ax.text(1.01, middle, str(name), color=_colour(str(name)), weight="bold", **style)


def _colour(name: str) -> str:
    """The colour of a class."""
    return theme().series[[*MARKERS].index(name)]


def _column(ax: Axes, x: int, spread: Spread) -> None:
    """Draw one head: its queries as dots side by side, its quartiles as a box, its median as a bar."""
    name = str(class_of(spread.least, spread.visible))
    shares, colour = spread.shares, _colour(name)
    beside = np.linspace(-0.3, 0.3, len(shares)) if len(shares) > 1 else np.zeros(1)
    dots: dict[str, Any] = {"linestyle": "none", "marker": MARKERS[name], "markersize": scaled(5), "zorder": 2}
    ax.plot(x + beside, shares, color=colour, alpha=0.45, markeredgewidth=0, **dots)
    low, middle, high = np.quantile(shares, (0.25, 0.5, 0.75))
    box: dict[str, Any] = {"fill": False, "edgecolor": colour, "linewidth": scaled(1.8), "zorder": 3}
    ax.bar(x, high - low, width=0.7, bottom=low, **box)
    ax.plot([x - 0.38, x + 0.38], [middle, middle], color=colour, lw=scaled(5), solid_capstyle="butt", zorder=4)


def _groups(ax: Axes, spreads: Sequence[Spread]) -> None:
    """Write the name of each group above its columns, with a line between groups."""
    starts = [i for i, one in enumerate(spreads) if i == 0 or one.group != spreads[i - 1].group]
    ends = [*starts[1:], len(spreads)]
    if len(starts) < 2 and not spreads[0].group:
        return
    for start, end in zip(starts, ends, strict=True):
        style: dict[str, Any] = {"transform": ax.get_xaxis_transform(), "ha": "center", "va": "bottom"}
        letters = max(4, 64 * (end - start) // len(spreads))
        ax.text((start + end - 1) / 2, 1.02, wrapped(spreads[start].group, letters), **style)
        if start:
            ax.axvline(start - 0.5, color=theme().faint, lw=scaled(1.5), zorder=1)
