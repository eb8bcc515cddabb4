"""The words beside a matrix, as large and as flat as its cells allow, and cut where they have no room."""

from collections.abc import Sequence

import numpy as np

from hopattn.figures.base import Axes, Figure
from hopattn.figures.headings import laid_out
from hopattn.figures.style import LEGIBLE, SIZE, scaled
from hopattn.figures.text import cut_words, ems, two_lines

Words = tuple[Sequence[str], Sequence[str]]
"""The words of the rows and of the columns of a matrix."""
BESIDE, BELOW = 0.3, 0.24
"""The largest width of words beside a matrix and height of those below it, as parts of its place in the figure."""
TILTED = 40
"""The angle of words that are wider than their cells, in degrees."""
HIGH, SECOND = 1.17, 1.2
"""The height of a line, in font sizes; the part of it that two rows have where every second word is named."""
PRINTED = 4.5
"""The smallest font size in print."""
GAP = 0.5
"""The least space between two flat words, in font sizes."""
LONGEST = 3.0
"""The largest ratio of the sides of a cell."""
SLIM = 0.45
"""The ratio of the sides of a matrix below which its cells are stretched."""


def stretch(ax: Axes, shape: tuple[int, ...]) -> None:
    """Make the cells of a matrix higher if it has few rows for its columns, and wider if it has few columns."""
    rows, columns = shape
    if rows < SLIM * columns:
        ax.set_aspect(min(LONGEST, SLIM * columns / rows))
    elif columns < SLIM * rows:
        ax.set_aspect(max(1 / LONGEST, columns / (SLIM * rows)))


def cell_of(ax: Axes) -> tuple[float, float]:
    """The width and the height in printer's points of a cell of a matrix that was laid out."""
    across, up = np.abs(np.diff(ax.transData.transform([(0, 0), (1, 1)]), axis=0))[0]
    points = 72 / float(ax.get_figure(root=True).dpi)
    return float(across) * points, float(up) * points


def fit_words(axes: Sequence[Axes], words: Sequence[Words], size: float) -> str:
    """Write the words beside matrices that were laid out, in one font size; gives a remark on words that have no room.

    Those of the columns are flat, or tilted where their cells are narrower, or upright where these are narrower still.
    words: of the rows and of the columns of each, empty where none are written. size: the largest font size on a slide.
    """
    wide, high = map(min, zip(*map(cell_of, axes), strict=True))
    font = max(min(scaled(size), wide / HIGH, high / HIGH), _smallest(axes[0]))
    every = 1 if min(wide, high) >= 0.99 * HIGH * font else 2
    if 2 * min(wide, high) < SECOND * HIGH * font:
        every, words = 0, [((), ())] * len(words)
    for ax, (rows, columns) in zip(axes, words, strict=True):
        place = ax.get_subplotspec()
        grid = place.get_gridspec() if place else None
        points = 72 / float(ax.get_figure(root=True).dpi) / font
        beside = BESIDE * points * float(ax.figure.bbox.width) / (grid.ncols if grid else 1)
        below = BELOW * points * float(ax.figure.bbox.height) / (grid.nrows if grid else 1)
        _write_rows(ax, rows, beside, font, (every, high > 2.6 * font))
        _write_columns(ax, columns, below, font, wide / font, every)
    return ("words without their names, the first on top and on the left", "", "every second word is named")[every]


def _smallest(ax: Axes) -> float:
    """The smallest font size of words: the one that is legible on a slide, or in print."""
    root = ax.get_figure(root=True)
    shrunk = min(float(size) / slide for size, slide in zip(root.get_size_inches(), SIZE, strict=True))
    return min(scaled(LEGIBLE), max(PRINTED, LEGIBLE * shrunk))


def words_once(words: Sequence[Words], axes: Sequence[Axes]) -> list[Words]:
    """The words of each matrix, without those that the matrix below or the first one of the row names.

    The names of the axes are left out with them. Matrices of other words keep theirs.
    """
    if len({*words}) > 1:
        return [*words]
    columns, own = axes[0].get_subplotspec().get_gridspec().ncols, []
    for i, (ax, (rows, below)) in enumerate(zip(axes, words, strict=True)):
        last, first = i + columns >= len(axes), i % columns == 0
        ax.set(xlabel=ax.get_xlabel() if last else "", ylabel=ax.get_ylabel() if first else "")
        own.append((rows if first else (), below if last else ()))
    return own


def fit_in_layout(figure: Figure, axes: Sequence[Axes], words: Sequence[Words], size: float) -> str:
    """Lay a figure out, and fit the words to the cells; gives a remark on words that have no room.

    Words that take more room make the cells smaller, and cells are square after the second layout only.
    """
    remark, cells = "", np.zeros((len(axes), 2))
    for _ in range(3):
        laid_out(figure)
        before, cells = cells, np.array([cell_of(ax) for ax in axes])
        if np.allclose(cells, before, rtol=1e-9, atol=0):
            break  # the same cells have the same words
        remark = fit_words(axes, words, size)
    laid_out(figure)
    return remark


def _write_rows(ax: Axes, rows: Sequence[str], room: float, font: float, steps: tuple[int, bool]) -> None:
    """Write the words of the rows. room: in font sizes. steps: which of them, and whether two lines have room."""
    every, broken = steps
    names = cut_words(rows, room)
    if broken and any(ems(row) > room for row in rows):
        names = tuple(two_lines(row, room) for row in rows)
    ax.set_yticks(range(0, len(names), every or 1), names[:: every or 1], fontsize=font)


def _write_columns(ax: Axes, columns: Sequence[str], room: float, font: float, wide: float, every: int) -> None:
    """Write the words of the columns. room, wide: the height of all and the width of each, in font sizes."""
    whole = cut_words(columns, np.inf)
    if max(map(ems, whole), default=0.0) <= wide - (GAP if wide > 2 else 0.1):
        names, every, look = whole, 1, {"rotation": 0, "ha": "center", "va": "top", "rotation_mode": "default"}
    elif wide >= 1.9:
        names = cut_words(columns, room / np.sin(np.radians(TILTED)))
        look = {"rotation": TILTED, "ha": "right", "va": "top", "rotation_mode": "anchor"}
    else:
        names = cut_words(columns, room)
        look = {"rotation": 90, "ha": "right", "va": "center", "rotation_mode": "anchor"}
    ax.set_xticks(range(0, len(names), every or 1), names[:: every or 1], fontsize=font, **look)
