"""Points in a plane: the lines through its origin, names beside their points, and names of axes."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hopattn.figures.placing import (
    HARD,
    Around,
    Kind,
    Places,
    around_names,
    chosen,
    extent,
    judged,
    on_slide,
    pixels_in_point,
    write,
)
from hopattn.figures.style import LEGIBLE, scaled, theme
from hopattn.figures.text import cut, ems, short
from hopattn.results.labelled import Labelled

NAMED_AT_ONCE = 3
"""The largest number of words at the same point whose names are written."""
SHRINK, CUT = 0.82, 0.7
"""The factors by which names become smaller, and then one of them shorter, where they have no room."""
LEAST_LETTERS = 4
"""A name is cut to this number of letters at least."""
DOT = Kind(radius=6.0, unclear=14.0, open=0.0)
"""The rules for the names of dots."""
NEAR, FAR = (3.0, 7.0), (16.0, 28.0, 42.0, 60.0, 80.0, 105.0, 135.0, 170.0, 210.0)
"""The distances of a name from the edge of its dot: beside it, and with a leader."""
LED = 30.0
"""The cost of a leader."""
STRAIGHT = [((1.0, 0.0), 0.0), ((0.0, 1.0), 2.0), ((-1.0, 0.0), 3.0), ((0.0, -1.0), 2.5)]
OBLIQUE = [((1.0, 1.0), 4.0), ((0.5, 1.0), 5.0), ((1.0, 0.5), 5.0)]
SIDES = STRAIGHT + [
    ((a * x, b * y), cost + 0.1 * (a < 0) + 0.2 * (b < 0)) for (x, y), cost in OBLIQUE for a in (1, -1) for b in (1, -1)
]
"""The directions from a dot to the middle of its name, in halves of the name, and how little each is liked."""
INDICES = "₀₁₂₃₄₅₆₇₈₉"
"""A name that is cut keeps these at its end."""


@dataclass
class Drawn:
    """The dots and lines of a panel, in its coordinates; names keep away from them.

    dots: of all points, also of those without a name. arrows: paths that no name covers. hero: paths that no leader
    crosses. faint: paths that a name may cover. texts: that are there.
    """

    dots: list[Any] = field(default_factory=list)
    arrows: list[Any] = field(default_factory=list)
    hero: list[Any] = field(default_factory=list)
    faint: list[Any] = field(default_factory=list)
    texts: list[Any] = field(default_factory=list)


def in_plane(words: Labelled, first: str, second: str) -> np.ndarray:
    """The coordinates of words on two of their axes, `(n_words, 2)`."""
    return np.asarray(words.values[:, [words.labels[1].index(axis) for axis in (first, second)]])


def draw_origin(ax: Any) -> list[tuple[Any, Any]]:
    """Draw the two lines through the origin; returns the end points of each."""
    ax.axhline(0, color=theme().faint, lw=scaled(0.8), zorder=0.5)
    ax.axvline(0, color=theme().faint, lw=scaled(0.8), zorder=0.5)
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    return [((left, 0), (right, 0)), ((0, low), (0, high))]


def grouped(tokens: Iterable[str], points: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """One name for each distinct point, with the point. Words at the same point share a name."""
    names_at: dict[tuple[float, ...], list[str]] = {}
    for token, point in zip(tokens, points, strict=True):
        names_at.setdefault(tuple(np.round(point, 6) + 0.0), []).append(short(token, math.inf))
    return [
        (", ".join(names[:NAMED_AT_ONCE]) + (" …" if len(names) > NAMED_AT_ONCE else ""), np.array(point))
        for point, names in names_at.items()
    ]


def cut_to(text: str, room: float, weight: str = "normal") -> str:
    """A text that is at most `room` font sizes wide; of several names with commas it keeps whole ones.

    weight: of the font. At least `LEAST_LETTERS` letters stay, and an index at the end.
    """
    if ems(text, weight) <= room:
        return text
    word = text.rstrip(INDICES)
    index, word = text[len(word) :], word.rstrip(" …")
    kept = cut(f"{word}…", room - ems(index, weight), weight).rstrip("…")
    kept = max(kept, word[:LEAST_LETTERS], key=len)
    names, comma, _ = kept.rpartition(", ")
    return f"{names}, …" if comma else f"{kept.rstrip()}…{index}"


def name_axes(ax: Any, names: tuple[str, str]) -> None:
    """Write the names of both axes, cut to the lengths of the axes. The figure was laid out."""
    box = ax.get_window_extent()
    for axis, name, room in ((ax.xaxis, names[0], box.width), (ax.yaxis, names[1], box.height)):
        if axis.label.get_text():
            size = float(axis.label.get_fontsize()) / scaled(1)
            axis.label.set_text(cut_to(short(name, math.inf), float(room) / pixels_in_point(ax) / size))


def keep_apart(
    ax: Any,
    texts: Sequence[tuple[str, Any]],
    drawn: Drawn,
    size: float = 16,
    strong: Collection[str] = (),
    colours: Mapping[str, str] | None = None,
) -> None:
    """Write each name beside its point, over no dot, arrow or other name; a name farther away has a line to its point.

    texts: pairs of a name and its point. size: of the names, in printer's points on a slide. strong: the names in bold.
    colours: of some names. Names that have no room are smaller, then cut, and at last left out. Call this last, in a
    figure that was laid out: it needs to know where everything is.
    """
    points, dots = (on_slide(ax, at) for at in ([point for _, point in texts], drawn.dots))
    paths = ([on_slide(ax, path) for path in some] for some in (drawn.arrows, drawn.hero, drawn.faint))
    dots, around = np.concatenate([dots, points]), around_names(ax, drawn.texts, *paths)
    kept, forms = [*range(len(texts))], [text for text, _ in texts]
    found: list[Places] = []
    while kept:
        sizes = {i: extent(ax, forms[i], size, texts[i][0] in strong) for i in kept}
        choices = [_beside(points[i], sizes[i] / 2, dots, around) for i in kept]
        found, costs = chosen(choices, [k for k, i in enumerate(kept) if texts[i][0] in strong])
        crowded = [i for i, cost in zip(kept, costs, strict=True) if cost >= HARD]
        if not crowded:
            break
        if size * SHRINK >= LEGIBLE:
            size *= SHRINK
            continue
        before = [*forms]
        for some in (crowded, kept):  # where those in the way cannot be shorter, the others are
            room = CUT * max(sizes[i][0] for i in some)
            for i in some if forms == before else ():
                shorter = cut_to(texts[i][0], room / size, "bold" if texts[i][0] in strong else "normal")
                if len(shorter) < len(forms[i]) and shorter not in forms:
                    forms[i] = shorter
        if forms == before:
            kept = [i for i in kept if i not in crowded[-max(1, len(crowded) // 3) :]]
    for i, place in zip(kept, found if kept else [], strict=True):
        text = texts[i][0]
        look: dict[str, Any] = {"fontsize": scaled(size), "weight": "bold" if text in strong else "normal"}
        look["bbox"] = {"boxstyle": "square,pad=0", "facecolor": theme().paper, "edgecolor": "none", "alpha": 0.75}
        write(ax, forms[i], place, DOT.radius, color=(colours or {}).get(text, theme().ink), **look)


def _beside(point: np.ndarray, half: np.ndarray, dots: np.ndarray, around: Around) -> Places:
    """The places of a name around its dot: right of it is best, then above, then left and below, then those between.

    half: of the width and the height of the name. dots: all.
    """
    offsets, led, liking = [], [], []
    for gap in NEAR + FAR:
        for (x, y), cost in SIDES:
            room = half + DOT.radius + gap * (0.75 if abs(x) + abs(y) > 1.2 else 1.0)
            flush = (0, half[0] - DOT.radius, DOT.radius - half[0]) if x == 0 else (0,)  # above or below
            offsets += [(x * room[0] + shift, y * room[1]) for shift in flush]
            led += [gap in FAR] * len(flush)
            liking += [(cost + 0.5 * (shift != 0)) * (0.3 if gap in FAR else 1) + LED * (gap in FAR) for shift in flush]
    middles, away = point + np.array(offsets), np.linalg.norm(dots - point, axis=1)
    boxes = np.stack([middles - half, middles + half], axis=1)
    others = point[None], dots[away > 1e-6], dots[away > 2 * DOT.radius + 2]  # a leader starts at a dot over its own
    points = np.broadcast_to(point, middles.shape)
    return judged(points, boxes, np.array(led), np.array(liking), DOT, others, around)
