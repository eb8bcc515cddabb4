"""Attention as arcs over a text, from the word attended to, to the word that attends; one row for each head."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure, tables
from hopattn.figures.choice import LONG, query_of_long, strongest_keys
from hopattn.figures.headings import left_out, run_title
from hopattn.figures.panels import About, Panels, Shown, grid_of
from hopattn.figures.shapes import boxed
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import cut_words, indexed, number
from hopattn.figures.word_column import draw_column
from hopattn.results.labelled import Labelled
from hopattn.scenario.result import Result

COLOURED = 6
"""The number of words up to which each has a colour."""
FAINTEST = 0.02
"""The smallest weight that has an arc, as a part of the largest."""
TOP = 1.12
"""The height of the longest arc."""
SIZE = 19
"""The font size of the words, on a slide."""

Head = tuple[str, Labelled]
"""The weights of a head, with the name of its place."""


class Flow(Panels[Head]):
    """The heads of the first run, layers from top to bottom. Information flows along each arc, from key to query.

    An arc above the words looks back, to an earlier key; one below them looks ahead. It has the colour of its key. Of a
    long text, one query is shown with its strongest keys, and the words are in a column.
    """

    shows: ClassVar[str] = "attention as arcs over the text: what each word takes from the words it attends to"
    scenario: ClassVar[str] = "induction"
    most: ClassVar[int] = 4
    what: ClassVar[tuple[str, str]] = "heads", "head"
    of_one_run: ClassVar[bool] = True

    def lacks(self, result: Result) -> str:
        heads = list(tables(result.runs[0], "weights"))
        if not any(weights.dims == ("query", "key") for _, weights in heads):
            return "it has no words that attend to words"
        return "" if _self_attending(heads) else "its words attend to another text; arcs go over one"

    def parts(self, result: Result) -> list[Head]:
        return _self_attending(list(tables(result.runs[0], "weights")))

    def grid(self, figure: Figure, shown: Shown[Head]) -> Sequence[Axes]:
        return grid_of(figure, len(shown.parts), self.most if _is_long(shown) else 1)

    def panel_of(self, ax: Axes, part: Head, shown: Shown[Head]) -> None:
        if _is_long(shown):
            draw_column(ax, part[1], _query(shown, part[1]), shown.width_of(ax))
        else:
            _row(ax, part[1], float(ax.bbox.width if shown.in_axes else ax.figure.bbox.width))

    def about(self, shown: Shown[Head], axes: Sequence[Axes]) -> About:
        runs, places, heads = shown.result.runs, *zip(*shown.parts, strict=True)
        notes = [left_out(1, len(runs), "runs", "run"), self.left_out(shown)]
        if _is_long(shown):
            query = _query(shown, heads[0])
            rows = [weights.values[query] for weights in heads]
            most = max(int(np.count_nonzero(row)) for row in rows)
            keys = left_out(max(len(strongest_keys(row)) for row in rows), most, "keys")
            notes = [f"the query: {indexed(heads[0].labels[0][query])}", keys, *notes]
        titles = places if len(places) > 1 else [run_title(runs[0])] * (len(runs) > 1)
        return About(notes, *_legend(axes[0], shown, heads), titles, title_style={"loc": "left"})


def _is_long(shown: Shown[Head]) -> bool:
    """Whether some text is too long for arcs to all of its words."""
    return max(len(weights.labels[0]) for _, weights in shown.parts) > LONG


def _query(shown: Shown[Head], weights: Labelled) -> int:
    """The index of the query that is shown of a long text."""
    return query_of_long(shown.result, shown.result.runs[0], weights)


def _self_attending(heads: list[Head]) -> list[Head]:
    """The heads in which a text attends to itself."""
    return [(place, weights) for place, weights in heads if len(weights.labels) == 2 and len({*weights.labels}) == 1]


def _legend(ax: Axes, shown: Shown[Head], heads: Sequence[Labelled]) -> tuple[list[Any], list[str]]:
    """The signs of the figure and their names."""
    coloured = max(len(weights.labels[0]) for weights in heads) <= COLOURED
    colour = theme().series[0]
    flow = (
        *ax.plot([], [], color=colour, lw=scaled(4)),
        *ax.plot([], [], marker=(3, 0, -90), ms=scaled(13), color=theme().ink, ls="none"),
    )
    keys, names = [flow], ["from the key (its colour) to the query" if coloured else "from the key to the query"]
    if any((weights.values < 0).any() for weights in heads):
        keys.append(ax.plot([], [], color=theme().faint, lw=scaled(2), ls="--")[0])
        names.append("weight below 0")
    if not _is_long(shown) and any(np.triu(weights.values, 1).any() for weights in heads):
        keys.append(ax.plot([], [], ls="none")[0])
        names.append("above: looks back; below: looks ahead")
    return keys, names


def _pairs(weights: np.ndarray) -> list[tuple[int, int]]:
    """The pairs (query, key) that have an arc, the strongest last."""
    sizes = np.abs(weights)
    pairs = [(int(i), int(j)) for i, j in np.argwhere(sizes > FAINTEST * sizes.max(initial=0.0))]
    return sorted(pairs, key=lambda pair: float(sizes[*pair]))


def _row(ax: Axes, weights: Labelled, width: float) -> None:
    """Draw one text with its arcs, the strongest on top. width: that of the panel, in pixels."""
    values, n, pairs = weights.values, len(weights.values), _pairs(weights.values)
    ahead = any(key > query for query, key in pairs)
    high = max((_height(query, key, n) for query, key in pairs), default=TOP) + 0.1
    raised = _room(ax, 2 * high) if ahead else 0.0
    ax.set(xlim=(-0.7, n - 0.3), ylim=(-high - raised if ahead else -0.02, high + raised), yticks=[], xticks=[])
    ax.spines[:].set_visible(False)
    _arcs(ax, values, pairs, raised)
    if not ahead:
        ax.axhline(0, color=theme().faint, lw=scaled(1.5), clip_on=False)
    room = 0.9 * width * 72 / float(ax.get_figure(root=True).dpi) / (n + 0.4)
    reach = max((_arrival(query, key, pairs) for query, key in pairs if query != key), default=0.0) + 0.04
    _names(ax, cut_words(weights.labels[0], room / scaled(SIZE)), ahead, reach)


def _room(ax: Axes, high: float) -> float:
    """Half the height of the words between the arcs above and below. high: that of all arcs together."""
    half: float = scaled(20) * float(ax.get_figure(root=True).dpi) / 72
    of_arcs: float = max(float(ax.bbox.height) - 2 * half, half)
    return half * high / of_arcs


def _arcs(ax: Axes, values: np.ndarray, pairs: list[tuple[int, int]], raised: float) -> None:
    """Draw the arcs with their arrowheads and numbers. raised: the distance of their ends from the line."""
    from matplotlib.collections import LineCollection

    n, most = len(values), float(np.abs(values).max(initial=0.0)) or 1.0
    ends = [(_departure(query, key, pairs), _arrival(query, key, pairs)) for query, key in pairs]
    paths = [_arc(query, key, n, raised, *own) for (query, key), own in zip(pairs, ends, strict=True)]
    weights = [float(values[pair]) for pair in pairs]
    own = [theme().series[key if n <= COLOURED else 0] for _, key in pairs]
    style: dict[str, Any] = {
        "colors": [theme().faint if weight < 0 else of for weight, of in zip(weights, own, strict=True)],
        "linewidths": [scaled(0.6 + (6.4 if w > 0 else 2.4) * abs(w) / most) for w in weights],
        "linestyles": ["-" if weight >= 0 else (0, (3, 2)) for weight in weights],
        "alpha": [0.35 + 0.65 * abs(weight) / most for weight in weights] or None,
    }
    ax.add_collection(LineCollection(paths, **style))
    for (query, key), weight, path in zip(pairs, weights, paths, strict=True):
        size = scaled((13 if weight > 0 else 11) * (0.6 + 0.4 * abs(weight) / most))
        ink = theme().ink if weight > 0 else theme().faint
        ax.plot(*path[-1], marker=(3, 0, 0 if key > query else 180), ms=size, color=ink, zorder=5)
    numbers: list[np.ndarray] = []
    for weight, path in reversed([*zip(weights, paths, strict=True)]):
        if abs(weight) >= 0.25 * most:
            _number(ax, path, weight, numbers)


def _arrival(query: int, key: int, pairs: list[tuple[int, int]]) -> float:
    """The distance of an arc's end from the middle of its query, so that no arrowhead covers another one.

    The longest arc of a side ends next to the middle.
    """
    side = [other for one, other in pairs if one == query and (other > query) == (key > query) and other != query]
    farther = sum(abs(query - other) > abs(query - key) for other in side)
    return 0.06 + min(0.14, 0.3 / max(len(side), 1)) * farther


def _departure(query: int, key: int, pairs: list[tuple[int, int]]) -> float:
    """The distance of an arc's start from the middle of its key, so that no arc goes over the foot of another one."""
    return 0.06 + 0.6 * (_arrival(key, query, [(start, end) for end, start in pairs]) - 0.06)


def _number(ax: Axes, path: np.ndarray, weight: float, numbers: list[np.ndarray]) -> None:
    """Write the weight of an arc onto its top, or beside that if another number is there."""
    size = scaled(16) * ax.get_figure(root=True).dpi / 72
    room = np.array([2.8 * size, 1.5 * size])
    places = [path[k] for k in (20, 15, 25, 11, 29)]
    on_screen = ax.transData.transform(places)
    free = [all(np.any(np.abs(at - other) > room) for other in numbers) for at in on_screen]
    k = free.index(True) if True in free else 0
    numbers.append(on_screen[k])
    boxed(ax, places[k], number(weight), fontsize=scaled(16), color=theme().ink if weight > 0 else theme().faint)


def _names(ax: Axes, names: Sequence[str], between: bool, reach: float) -> None:
    """Write the words, each with a line of its colour if there are few, to which all of its arcs come.

    between: whether they are between arcs, or below the line. reach: the distance of the farthest arc from the middle.
    """
    from matplotlib.transforms import ScaledTranslation

    look: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "center" if between else "top"}
    for i, name in enumerate(names):
        ax.annotate(name, (i, 0), (0, scaled(2 if between else -8)), fontsize=scaled(SIZE), **look)
        if len(names) <= COLOURED:
            bar: dict[str, Any] = {"marker": "_", "ms": scaled(60), "mew": scaled(5), "mec": theme().series[i]}
            shift = ScaledTranslation(0, scaled(-13 * between) / 72, ax.get_figure(root=True).dpi_scale_trans)
            ax.plot(i, 0, **bar, transform=ax.transData + shift, clip_on=False, zorder=4)
            line: dict[str, Any] = {"color": theme().series[i], "lw": scaled(5), "solid_capstyle": "butt"}
            ax.plot([i - reach, i + reach], [0, 0], **line, transform=ax.transData + shift, zorder=4)


def _height(query: int, key: int, n: int) -> float:
    """The height of the arc between two words."""
    return 0.28 + (TOP - 0.33) * abs(query - key) / max(n - 1, 1)


def _arc(query: int, key: int, n: int, raised: float, departure: float, arrival: float) -> np.ndarray:
    """An arc from the key to the query, `(41, 2)`: above the line if the key is earlier, below it if later.

    A word that attends to itself has a narrow loop above it. raised: the distance of both ends from the line.
    departure, arrival: those of its ends from the middle of the key and of the query.
    """
    turn = np.linspace(np.pi, 0, 41)
    side = np.sign(query - key)  # outgoing and incoming arcs of a word do not touch
    start, end = (key + departure * side, query - arrival * side) if side else (key - 0.13, key + 0.13)
    y = raised + _height(query, key, n) * np.sin(turn) + 0.05
    return np.stack([(start + end) / 2 + (end - start) / 2 * np.cos(turn), -y if key > query else y], axis=1)
