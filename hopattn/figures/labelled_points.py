"""Points in a plane: the lines through its origin, names beside their points, and names of axes."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from hopattn.figures.placing import DOT, HARD, Around, Name, placed
from hopattn.figures.style import LEGIBLE, scaled, theme
from hopattn.figures.text import ems, short
from hopattn.results.labelled import Labelled

NAMED_AT_ONCE = 3
"""The largest number of words at the same point whose names are written."""
SHRINK, CUT = 0.82, 0.7
"""The factors by which names become smaller, and then one of them shorter, where they have no room."""
LEAST_LETTERS = 4
"""A name is cut to this number of letters at least."""
SAMPLED = 4.0
"""The distance between the samples of a line, in printer's points on a slide."""
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


def pixels_in_point(ax: Any) -> float:
    """The pixels in a printer's point on a slide."""
    return float(ax.get_figure(root=True).dpi) / 72 * scaled(1)


def extent(ax: Any, text: str, size: float, bold: bool = False) -> np.ndarray:
    """The width and the height of a text as it will be drawn, `(2,)`, in printer's points on a slide."""
    from matplotlib.text import Text

    drawn = Text(0, 0, text, fontsize=scaled(size), weight="bold" if bold else "normal")
    drawn.set_figure(ax.get_figure(root=True))
    box = drawn.get_window_extent()
    return np.array([box.width, box.height]) / pixels_in_point(ax)


def cut_to(text: str, room: float, weight: str = "normal") -> str:
    """A text that is at most `room` font sizes wide; of several names with commas it keeps whole ones.

    weight: of the font. At least `LEAST_LETTERS` letters stay.
    """
    if ems(text, weight) <= room:
        return text
    word = text.rstrip(INDICES)
    word, end = word.rstrip(" …"), "…" + text[len(word) :]
    letters = next((n for n in range(len(word) - 1, LEAST_LETTERS, -1) if ems(word[:n] + end, weight) <= room), 0)
    kept = word[: max(letters, min(LEAST_LETTERS, len(word)))]
    names, comma, _ = kept.rpartition(", ")
    return f"{names}, …" if comma else kept.rstrip() + end


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
    points = _on_slide(ax, np.array([point for _, point in texts], dtype=float).reshape(-1, 2))
    around = _around(ax, drawn, points)
    kept, forms = [*range(len(texts))], [text for text, _ in texts]
    while kept:
        halves = {i: extent(ax, forms[i], size, texts[i][0] in strong) / 2 for i in kept}
        places, costs = placed([Name(points[i], halves[i], texts[i][0] in strong) for i in kept], around)
        crowded = [i for i, cost in zip(kept, costs, strict=True) if cost >= HARD]
        if not crowded:
            break
        if size * SHRINK >= LEGIBLE:
            size *= SHRINK
            continue
        before = [*forms]
        for some in (crowded, kept):  # where those in the way cannot be shorter, the others are
            room = CUT * 2 * max(halves[i][0] for i in some)
            for i in some if forms == before else ():
                shorter = cut_to(texts[i][0], room / size, "bold" if texts[i][0] in strong else "normal")
                if len(shorter) < len(forms[i]) and shorter not in forms:
                    forms[i] = shorter
        if forms == before:
            kept = [i for i in kept if i not in crowded[-max(1, len(crowded) // 3) :]]
    for i, (box, leader) in zip(kept, places if kept else [], strict=True):
        text = texts[i][0]
        look = {"fontsize": scaled(size), "weight": "bold" if text in strong else "normal"}
        look["color"] = (colours or {}).get(text, theme().ink)
        _write(ax, forms[i], points[i], box, leader, look)


def _write(ax: Any, text: str, point: np.ndarray, box: np.ndarray, leader: Any, look: Mapping[str, Any]) -> None:
    """Write a name into its box, with a line to its point if it has a leader; all in printer's points on a slide."""
    middle = box.mean(axis=0)
    line: Any = None
    if leader is not None:
        relative = (leader[1] - box[0]) / (box[1] - box[0])
        line = {"arrowstyle": "-", "color": theme().faint, "lw": scaled(1), "shrinkA": 0, "shrinkB": scaled(DOT)}
        line["relpos"] = tuple(np.clip(relative, 0, 1))
    ax.annotate(
        text,
        ax.transData.inverted().transform(point * pixels_in_point(ax)),
        xytext=(middle - point) * scaled(1),
        textcoords="offset points",
        ha="center",
        va="center",
        zorder=7,
        annotation_clip=False,
        bbox={"boxstyle": "square,pad=0", "facecolor": theme().paper, "edgecolor": "none", "alpha": 0.75},
        arrowprops=line,
        in_layout=False,
        **look,
    )


def _around(ax: Any, drawn: Drawn, points: np.ndarray) -> Around:
    """The things that names keep away from, in printer's points on a slide. points: of the names."""

    def samples(paths: Sequence[Any]) -> np.ndarray:
        found = [np.zeros((0, 2))]
        for path in (_on_slide(ax, np.asarray(path, dtype=float)) for path in paths):
            for start, end in pairwise(path):
                count = int(np.clip(np.linalg.norm(end - start) / SAMPLED, 1, 400)) + 1
                found.append(np.linspace(start, end, count))
        return np.concatenate(found)

    box, pixels = ax.get_window_extent(), pixels_in_point(ax)
    corners = np.array([(box.x0, box.y0), (box.x1, box.y1)]) / pixels
    dots = _on_slide(ax, np.array(drawn.dots, dtype=float).reshape(-1, 2))
    boxes = [np.asarray(text.get_window_extent().get_points()) / pixels for text in drawn.texts]
    return Around(
        np.concatenate([dots, points]),
        samples(drawn.arrows),
        samples(drawn.hero),
        samples(drawn.faint),
        corners,
        np.array(boxes).reshape(-1, 2, 2),
    )


def _on_slide(ax: Any, points: np.ndarray) -> np.ndarray:
    """Points of a panel in printer's points on a slide, `(n, 2)`."""
    return np.asarray(ax.transData.transform(points)) / pixels_in_point(ax) if len(points) else points
