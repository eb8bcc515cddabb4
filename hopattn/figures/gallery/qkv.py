"""One head in numbers, from left to right: words, matrices, queries, keys and values, scores, weights, output."""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hopattn.figures.base import Axes, tables
from hopattn.figures.headings import left_out
from hopattn.figures.panels import About, Panels, Shown
from hopattn.figures.shapes import arrow, bare, framed, strokes
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import cut_words, ems, extent, number, readable_on
from hopattn.foundation.registry import name_of
from hopattn.results.labelled import Labelled
from hopattn.retrieval.similarity import Dot
from hopattn.scenario.arrays import Name
from hopattn.scenario.result import Result, Run

CELLS, ROWS = 24, 15
"""The largest number of cells next to each other, and above each other."""
GAPS = 1.5, 1.1, 3.5, 2.3, 1.6
"""The space between two columns of matrices, in cells."""
NARROWEST = 2.0
"""The least width of a column, in cells: its title is as wide."""
TITLE = 2.2
"""The space between two matrices above each other, in cells: it holds the title of the lower one."""
FILLED = {"en": 0.86, "de": 0.68}
"""The largest part of a cell's width that its number fills, in each language: German adds a zero before the point."""
SIZE, LONGEST = 13, 6.5
"""The font size of the names of rows and columns, on a slide, and the width of the longest one, in font sizes."""
ROLES = ("query", "key", "value")


class Table(NamedTuple):
    """One matrix of the figure. at: its left edge and its middle height, in cells. fill: the colour of its cells."""

    values: Any
    at: tuple[float, float]
    title: str
    colour: str
    fill: Any

    @property
    def left(self) -> float:
        """The x of the left edge."""
        return self.at[0]

    @property
    def middle(self) -> float:
        """The x of the middle."""
        return self.at[0] + float(self.values.shape[1]) / 2

    @property
    def right(self) -> float:
        """The x of the right edge."""
        return self.at[0] + float(self.values.shape[1])

    @property
    def top(self) -> float:
        """The y of the upper edge; y goes down."""
        return self.at[1] - len(self.values) / 2

    @property
    def bottom(self) -> float:
        """The y of the lower edge."""
        return self.at[1] + len(self.values) / 2


class Qkv(Panels[str]):
    """One head of the first run, with every number. Query, key and value have their colours; shapes are below."""

    shows: ClassVar[str] = "one head in numbers: from the words to queries, keys and values, weights and output"
    scenario: ClassVar[str] = "one-head"
    what: ClassVar[tuple[str, str]] = "heads", "head"
    of_one_run: ClassVar[bool] = True

    def lacks(self, result: Result) -> str:
        run = result.runs[0]
        places = self.parts(result)
        if not places:
            return "it has no heads that make queries, keys and values of words"
        head = run.heads()[places[0]]
        if not isinstance(head.retrieval.similarity, Dot):
            return "its scores are not the products of queries and keys"
        if head.position is not None or head.bias is not None:
            return "its positions change queries, keys or scores after the matrices"
        if any(affine.bias is not None for affine in (head.query, head.key, head.value)):
            return "its queries, keys and values have biases; there is room for matrices alone"
        wide, high = _size(run, places[0])
        if wide > CELLS or high > ROWS:
            return f"its matrices take {wide} by {high} cells; there is room for {CELLS} by {ROWS}"
        return ""

    def parts(self, result: Result) -> list[str]:
        """The places of the heads of the first run whose words and matrices are known."""
        known = result.runs[0].heads() if "input" in result.runs[0].arrays else {}
        return [place for place, _ in tables(result.runs[0], "weights") if place in known]

    def panel_of(self, ax: Axes, part: str, shown: Shown[str]) -> None:
        _draw(ax, shown.result.runs[0], part, FILLED[shown.result.figure.lang] * shown.width_of(ax))

    def about(self, shown: Shown[str], axes: Sequence[Axes]) -> About:
        run, *others = shown.result.runs
        hatched = "" if np.all(run.arrays[f"{shown.parts[0]} mask"].values) else "hatched: hidden by the mask"
        return About([hatched, left_out(1, 1 + len(others), "runs", "run"), self.left_out(shown)])


def _words(run: Run, place: str) -> tuple[Labelled, Labelled]:
    """The words that become queries, and those that become keys and values."""
    layer = Name.parse(f"{place} weights").layer or 1
    before = f"layer {layer - 1} state" if layer > 1 else "input"
    own = run.arrays[f"layer {layer} normed" if f"layer {layer} normed" in run.arrays else before]
    return own, run.arrays.get("source", own)


def _size(run: Run, place: str) -> tuple[int, int]:
    """The number of cells next to each other and above each other that a head takes."""
    own, read = _words(run, place)
    (n, dim), m = own.values.shape, len(read.values)
    query, value = (run.arrays[f"{place} {name}"].values.shape[1] for name in ("queries", "values"))
    wide = dim + 2 * max(query, value) + 2 * m + value
    return wide, 3 * max(dim, n, m)


def _draw(ax: Axes, run: Run, place: str, pixels: float) -> None:
    """Draw one head. pixels: the width of the drawing, as far as numbers fill it."""
    own, read = _words(run, place)
    query, value = (run.arrays[f"{place} {name}"].values.shape[1] for name in ("queries", "values"))
    wide = own.values.shape[1], max(query, value), max(query, value), len(read.values), len(read.values)
    x = [0.0, *np.cumsum(np.add(np.maximum(wide, NARROWEST), GAPS)).tolist()]  # the left edges of the columns
    head = run.heads()[place]
    right = x[5] + run.arrays[f"{place} output"].values.shape[1]
    points = pixels * 72 / float(ax.get_figure(root=True).dpi)
    room = min(LONGEST, (GAPS[2] - 0.7) * points / (right + 3) / scaled(SIZE))
    beside = scaled(SIZE) * max(map(ems, cut_words(own.labels[0] + read.labels[0], room)))
    cell = (points - beside) / (right + 0.9)
    left = -0.3 - beside / cell
    rows = max(own.values.shape[1], len(own.values), len(read.values))
    lines = dict(zip(ROLES, (-rows - TITLE, 0.0, rows + TITLE), strict=True))
    vectors: dict[str, Table] = {}
    words = _encoded(ax, (own, read), (x[0], room), lines, cell)
    for role, name in zip(ROLES, ("queries", "keys", "values"), strict=True):
        colour, y = getattr(theme(), role), lines[role]
        matrix = _centred(getattr(head, role).weight.T, (x[1], y), f"{role} matrix", colour)
        vectors[role] = _centred(run.arrays[f"{place} {name}"].values, (x[2], y), f"{name} {name[0].upper()}", colour)
        start, times = words[role], (matrix.left - 0.4, y)
        ax.plot([start.right + 0.2, times[0] - 0.3], [start.at[1], y], color=theme().faint, lw=scaled(1.2))
        _sign(ax, times, "×")
        _sign(ax, ((matrix.right + vectors[role].left) / 2, y), "=")
        for table in (matrix, vectors[role]):
            _table(ax, table, cell)
    _weigh(ax, run, place, (x, rows + TITLE, room), vectors, cell)
    low = 1.5 * rows + TITLE
    bare(ax, xlim=(left, right + 0.6), ylim=(low + 0.2, -low - TITLE + 0.5))


def _encoded(
    ax: Axes, texts: tuple[Labelled, Labelled], at: tuple[float, float], lines: dict[str, float], cell: float
) -> dict[str, Table]:
    """Draw the words, or those of the two texts; gives the table that each role reads.

    at: their left edge, and the room of their names. lines: their heights. cell: the width of a cell in printer's
    points.
    """
    (own, read), (left, room) = texts, at
    tables = {"words E": (own, 0.0)}
    if own is not read:
        tables = {"words X": (own, lines["query"]), "words Y": (read, lines["value"] / 2)}
    drawn = []
    for title, (words, y) in tables.items():
        drawn.append(Table(words.values, (left, y), title, theme().ink, theme().paper))
        _table(ax, drawn[-1], cell)
        _rows(ax, cut_words(words.labels[0], room), left, y)
    return {role: drawn[0 if role == "query" else -1] for role in ROLES}


def _centred(values: np.ndarray, at: tuple[float, float], title: str, colour: str) -> Table:
    """A table in the pale tone of a colour; a narrow one is in the middle of its column. at: left, and middle."""
    from matplotlib.colors import to_rgb

    left = at[0] + max(0.0, NARROWEST - values.shape[1]) / 2
    pale = 0.16 * np.array(to_rgb(colour)) + 0.84 * np.array(to_rgb(theme().paper))
    return Table(values, (left, at[1]), title, colour, pale)


def _weigh(
    ax: Axes, run: Run, place: str, at: tuple[list[float], float, float], vectors: dict[str, Table], cell: float
) -> None:
    """Draw scores, weights and output, and the ways that lead there.

    at: the columns, the distance of two lines, and the room of names. vectors: the queries, keys and values. cell: as
    above.
    """
    x, tall, room = at
    head, (rows, columns) = run.heads()[place], run.arrays[f"{place} weights"].labels
    separation, ink = head.retrieval.separation, theme().ink
    values, out = (run.arrays[f"{place} {name}"].values for name in ("weights", "output"))
    shares = theme().sequential(np.clip(values, 0, 1) if values.min(initial=0.0) >= 0 else 0 * values)
    beta, dim = float(separation.beta), head.query.dims[0]
    title = "Q Kᵀ" if beta == 1 else f"{number(beta)} Q Kᵀ"
    if dim > 1 and np.isclose(beta, dim**-0.5):
        title = f"Q Kᵀ / √{dim}"
    scores = Table(separation.beta * run.arrays[f"{place} scores"].values, (x[3], 0.0), title, ink, theme().paper)
    weights = Table(values, (x[4], 0.0), "weights A", ink, shares)
    summed = "output A V" if name_of(head.retrieval.activation) == "identity" else "output"
    output = Table(out, (x[5], 0.0), summed, ink, theme().paper)
    hidden = ~np.asarray(run.arrays[f"{place} mask"].values, bool)
    for table, masked in ((weights, hidden), (output, None)):
        _table(ax, table, cell, masked)
    _table(ax, scores, cell, hidden, beside=True)
    names = cut_words(rows, room)
    _rows(ax, names, scores.left, 0.0)
    below = cut_words(columns, room)
    flat = max(map(ems, below)) * scaled(SIZE) <= 0.95 * cell
    tilted: dict[str, Any] = {"ha": "right", "rotation": 40, "rotation_mode": "anchor"}
    for table in (scores, weights):
        for j, name in enumerate(below):
            look: dict[str, Any] = {"ha": "center"} if flat else tilted
            x_of = table.left + j + (0.5 if flat else 0.7)
            ax.text(x_of, table.bottom + 0.25, name, fontsize=scaled(SIZE), va="top", **look)
    middle = (scores.right + weights.left) / 2
    ax.text(middle, -0.15, name_of(separation), ha="center", va="bottom", fontsize=scaled(14))
    beside = names[(len(names) - 1) // 2 : len(names) // 2 + 1]  # in the row, or two rows, that the arrow is beside
    end = scores.left - 0.35 - scaled(SIZE) * max(map(ems, beside)) / cell
    arrow(ax, (vectors["key"].right + 0.2, 0), (end, 0), theme().key)
    _elbow(ax, (vectors["query"].right + 0.2, -tall), (scores.left + 0.5, scores.top - 0.15), theme().query)
    _elbow(ax, (vectors["value"].right + 0.2, tall), (output.middle, output.bottom + 0.2), theme().value)
    for left, right in ((scores, weights), (weights, output)):
        arrow(ax, (left.right + 0.2, 0), (right.left - 0.2, 0))


def _table(ax: Axes, table: Table, cell: float, hidden: np.ndarray | None = None, beside: bool = False) -> None:
    """Draw a matrix with its numbers, its title and its shape.

    cell: its width in printer's points. hidden: the cells that the mask hides. beside: whether the title is to the
    right of an arrow that ends at the first column.
    """
    from matplotlib.colors import to_rgba

    rows, columns = table.values.shape
    fills = np.broadcast_to(table.fill if np.ndim(table.fill) == 3 else to_rgba(table.fill), (rows, columns, 4))
    texts = [number(float(value)) for value in table.values.flat]
    longest, widest = max(len(text.lstrip("−")) for text in texts), max(map(extent, texts))
    size = min(scaled(17 if longest < 3 else 15 if longest < 4 else 13), cell / widest)
    for (i, j), value in np.ndenumerate(table.values):
        at = table.left + j, table.top + i
        masked = hidden is not None and bool(hidden[i, j])
        look: dict[str, Any] = (
            {"facecolor": theme().empty, "hatch": strokes(3)} if masked else {"facecolor": tuple(fills[i, j])}
        )
        framed(ax, at, (1, 1), theme().faint, 0.8, fill=True, **look)
        if not masked:
            ink = readable_on(fills[i, j])
            centre = at[0] + 0.5, at[1] + 0.5
            ax.text(*centre, number(float(value)), ha="center", va="center", fontsize=size, color=ink)
    framed(ax, (table.left, table.top), (columns, rows), table.colour, 2.5)
    above: dict[str, Any] = {"ha": "left" if beside else "center", "va": "bottom", "color": table.colour}
    above["linespacing"] = 1.15
    x = table.left + 0.8 if beside else table.middle
    ax.text(x, table.top - 0.15, f"{table.title}\n{rows} × {columns}", fontsize=scaled(14), **above)


def _sign(ax: Axes, at: tuple[float, float], sign: str) -> None:
    """Write a sign of arithmetic between two matrices."""
    ax.text(*at, sign, ha="center", va="center", fontsize=scaled(20))


def _rows(ax: Axes, names: Sequence[str], left: float, middle: float) -> None:
    """Write the words of the rows to the left of a table."""
    for i, name in enumerate(names):
        y = middle - len(names) / 2 + i + 0.5
        ax.text(left - 0.15, y, name, ha="right", va="center", fontsize=scaled(SIZE))


def _elbow(ax: Axes, start: tuple[float, float], end: tuple[float, float], colour: str) -> None:
    """Draw an arrow that goes across, and then up or down."""
    ax.plot([start[0], end[0]], [start[1]] * 2, color=colour, lw=scaled(2.5), solid_capstyle="butt")
    arrow(ax, (end[0], start[1]), end, colour)
