"""What several figures are made of: headlines, arrows, labels that keep out of each other's way, a layer of neurons."""

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from hopattn.figures.base import Figure
from hopattn.figures.style import COLOURS, FAINT, INK, PAPER, label, number, readable_on, width
from hopattn.foundation.labelled import Labelled
from hopattn.scenario.result import Result, Run

WIDE, LINES = 78, 2
"""Letters of a line of a headline, and lines; the rest is cut."""
DOT, NEAR = 6, 28
"""A covered point is as bad as so many samples of a line; a text farther from its point is led to it, in points."""
BLUE, ORANGE = COLOURS[0], COLOURS[1]
_WAYS = [(math.cos(turn), math.sin(turn)) for turn in np.linspace(0, 2 * np.pi, 16, endpoint=False)]


def headline(figure: Figure, result: Result) -> None:
    """The result's title above the figure; of a long one its beginning."""
    figure.suptitle(wrapped(result.title, WIDE))


def worked(run: Run) -> dict[str, Labelled]:
    """The arrays of a run; of a task, those of its first sequence, which is the one that is worked out."""
    return {name.removeprefix("sequence 1 "): array for name, array in run.arrays.items()}


def wrapped(text: str, wide: int) -> str:
    """A text on at most two lines."""
    plain = "".join(c if c.isprintable() else " " for c in text)
    return "\n".join(textwrap.wrap(plain, wide, max_lines=LINES, placeholder=" …"))


def named(run: Run, wide: int = 30) -> str:
    """What a run is called above its panel."""
    return wrapped(run.name or "as written", wide)


def titles(runs: Sequence[Run], texts: Sequence[Sequence[str]], wide: int) -> list[str]:
    """What stands above the panels of several runs: their names, and their texts where these are short and differ."""
    if len(runs) < 2:
        return [""]
    told = len({*map(tuple, texts)}) == len(runs) and all(len(text) <= 8 for text in texts)
    heads = [run.name or ("" if told else "as written") for run in runs]
    said = [" ".join(map(label, text)) if told else "" for text in texts]
    return [wrapped(": ".join(filter(None, both)), wide) for both in zip(heads, said, strict=True)]


def colour_of(value: float) -> str:
    """Blue from 0 up, orange below, where lines are broken as well."""
    return ORANGE if value < 0 else BLUE


def line_of(value: float) -> str:
    """Whole from 0 up, broken below."""
    return "--" if value < 0 else "-"


def arrow(ax: Any, start: Any, end: Any, colour: str = INK, width: float = 2.5, bend: float = 0.0, **more: Any) -> None:
    """An arrow between two points of the data; `bend` to the left of its way is negative."""
    look = {"arrowstyle": "-|>,head_width=0.32,head_length=0.6", "shrinkA": 0, "shrinkB": 0, "mutation_scale": 16}
    look |= {"color": colour, "lw": width, "connectionstyle": f"arc3,rad={bend}"} | more
    ax.annotate("", xy=tuple(end), xytext=tuple(start), arrowprops=look, annotation_clip=False)


def boxed(ax: Any, at: Any, text: str, **more: Any) -> Any:
    """A text on paper, so that no line runs through it."""
    paper = {"boxstyle": "round,pad=0.12", "facecolor": PAPER, "edgecolor": "none"}
    return ax.text(at[0], at[1], text, **{"ha": "center", "va": "center", "bbox": paper, "zorder": 6} | more)


def grouped(tokens: Iterable[str], points: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """The words that stand on one point share its label."""
    found: dict[tuple[float, ...], list[str]] = {}
    for token, point in zip(tokens, points, strict=True):
        found.setdefault(tuple(np.round(point, 6) + 0.0), []).append(label(token))
    return [
        (", ".join(names[:3]) + (" …" if len(names) > 3 else ""), np.array(point)) for point, names in found.items()
    ]


def foremost(ways: Mapping[str, float]) -> tuple[str, str]:
    """The two axes with the largest numbers, in their own order; of equals the earlier ones."""
    most = sorted(ways, key=lambda axis: -ways[axis])[:2]
    first, second = (axis for axis in ways if axis in most)
    return first, second


def in_plane(words: Labelled, first: str, second: str) -> np.ndarray:
    """The words on two of their axes."""
    return np.asarray(words.values[:, [words.labels[1].index(axis) for axis in (first, second)]])


def crossed(ax: Any) -> list[tuple[Any, Any]]:
    """Draw the lines through the origin; gives their ends."""
    ax.axhline(0, color=FAINT, lw=0.8)
    ax.axvline(0, color=FAINT, lw=0.8)
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    return [((left, 0), (right, 0)), ((0, low), (0, high))]


def keep_apart(
    ax: Any, texts: Sequence[tuple[str, np.ndarray]], lines: Sequence[tuple[Any, Any]], size: float = 16, **look: Any
) -> None:
    """Write each text near its point where it covers least: no other text, no line of the drawing, no point.

    A text that stands far off is led to its point by a thin line. lines: pairs of points; call it when all else is
    drawn, for it lays the figure out to know what stands where.
    """
    ax.figure.draw_without_rendering()
    dot = ax.figure.dpi / 72
    frame = ax.get_window_extent()
    drawn = [ax.transData.transform(np.linspace(start, end, 40)) for start, end in lines]
    points = [ax.transData.transform([point] * DOT) for _, point in texts]
    seen = np.concatenate([np.zeros((0, 2)), *drawn, *points])
    taken: list[np.ndarray] = []
    for text, point in texts:
        at = ax.transData.transform(point)
        wide, high = (size * 0.62 * width(text) / 2 + 2) * dot, 0.75 * size * dot
        _, best, far = min(
            (
                (_cost(box, seen, taken, frame) + far / 30, step, far)
                for far in (8, 16, 28, 44, 64, 90)
                for way in _WAYS
                for step in [np.array(way) * (np.array([wide, high]) + far * dot)]
                for box in [np.array([at + step - (wide, high), at + step + (wide, high)])]
            ),
            key=lambda choice: choice[0],
        )
        taken.append(np.array([at + best - (wide, high), at + best + (wide, high)]))
        places = {"xytext": best / dot, "textcoords": "offset points", "ha": "center", "va": "center", "zorder": 7}
        led = {"arrowstyle": "-", "color": FAINT, "lw": 1, "shrinkA": 0, "shrinkB": 4} if far > NEAR else None
        ax.annotate(text, point, **places, fontsize=size, annotation_clip=False, arrowprops=led, **look)


def _cost(box: np.ndarray, seen: np.ndarray, taken: list[np.ndarray], frame: Any) -> float:
    """How much a text in this box would cover, or stand out of its panel."""
    low, high = box
    covers = int(np.all((seen > low) & (seen < high), axis=1).sum())
    meets = sum(bool(np.all(low < other[1]) and np.all(other[0] < high)) for other in taken)
    out = bool(low[0] < frame.x0 or high[0] > frame.x1 or low[1] < frame.y0 or high[1] > frame.y1)
    return covers + 40.0 * meets + 60.0 * out


def rows(count: int, of: int) -> Any:
    """Heights for so many circles below one another, in a layer of at most `of`."""
    return np.linspace(of / 2, -of / 2, count) if count > 1 else np.zeros(1)


def layer(ax: Any, weights: np.ndarray, given: Sequence[str], inside: Sequence[str], below: Sequence[str]) -> None:
    """A layer of neurons: inputs on the left, neurons on the right, the weights on the lines between them.

    given, inside: what stands in the circles of the inputs and of the neurons; below: under those.
    """
    m, n = weights.shape
    high = max(n, m)
    left, right = rows(n, high), rows(m, high)
    size = min(62.0, 400 / (high + 3))
    most = float(np.abs(weights).max(initial=0.0)) or 1.0
    for (j, i), weight in np.ndenumerate(weights):
        ax.plot([0, 3], [left[i], right[j]], line_of(weight), color=colour_of(weight), lw=1 + 4 * abs(weight) / most)
        along = 0.45 if m == 1 else 0.2 + 0.4 * j / m
        place = (3 * along, left[i] + (right[j] - left[i]) * along)
        boxed(ax, place, f"× {number(float(weight))}", fontsize=17 if n * m <= 8 else 11)
    for ys, x, told in ((left, 0.0, given), (right, 3.0, inside)):
        ax.plot(np.full(len(ys), x), ys, "o", ms=size, mfc=PAPER, mec=INK, mew=2.5, ls="none", zorder=3)
        for y, text in zip(ys, told, strict=True):
            ax.text(x, y, text, ha="center", va="center", zorder=4, fontsize=17 if size > 50 else 13)
    for y, text in zip(right, below, strict=True):
        below_it: Any = {"xytext": (0, -0.55 * size), "textcoords": "offset points", "ha": "center", "va": "top"}
        ax.annotate(text, (3.0, y), **below_it, fontsize=15 if size > 50 else 11)
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)


def cells(
    ax: Any, values: np.ndarray, colours: dict[str, Any], digits: int = 2, numbers: bool = True, size: float = 14
) -> Any:
    """A table of numbers on their colours, as an image; returns it."""
    image = ax.imshow(values, aspect="auto", **colours)
    ax.set(xticks=[], yticks=[])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    if numbers:
        for (i, j), value in np.ndenumerate(values):
            colour = readable_on(image.cmap(image.norm(value))) if value else FAINT
            ax.text(j, i, number(float(value), digits), ha="center", va="center", color=colour, fontsize=size)
    return image


def working(weights: np.ndarray, given: np.ndarray) -> str:
    """A sum of products as a lecture writes it: .8 × .8 + .6 × .6 = 1."""
    terms = [f"{number(float(w))} × {number(float(a))}" for w, a in zip(weights, given, strict=True)]
    return f"{' + '.join(terms)} = {number(float(weights @ given))}"
