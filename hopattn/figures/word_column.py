"""A long text as a column of words, with arcs to one query from its strongest keys."""

from typing import Any

import numpy as np

from hopattn.figures.base import Axes
from hopattn.figures.choice import strongest_keys
from hopattn.figures.style import LEGIBLE, scaled, theme
from hopattn.figures.text import cut, cut_words, ems, number
from hopattn.results.labelled import Labelled

SIZE, NUMBER = 19, 16
"""The font sizes of the words and of the weights, on a slide."""
HIGH, NAMES = 0.72, 0.6
"""The height of the column as a part of the figure's, and the largest width of the words as a part of the panel's."""
LOOP = 0.34
"""The height of the arc of a word that attends to itself, in rows."""


def draw_column(ax: Axes, weights: Labelled, query: int, width: float) -> None:
    """Draw a text from top to bottom, and the arcs from the strongest keys to the query.

    Where all words have no room, only the query, these keys and their neighbours have rows of their own. width: that of
    the panel, in pixels.
    """
    points = 72 / float(ax.get_figure(root=True).dpi)
    row, tokens = weights.values[query], weights.labels[0]
    keys = strongest_keys(row)
    high = HIGH * points * float(ax.get_figure(root=True).bbox.height)
    words = list(range(len(tokens)))
    if high < 1.25 * scaled(LEGIBLE) * len(words):
        around = {near for at in (query, *keys.tolist()) for near in (at - 1, at, at + 1)}
        words = sorted(around & {*words})
    rows = _rows(words, len(tokens))
    size = min(scaled(SIZE), 0.8 * high / len(rows))
    room = NAMES * points * width / size
    names = cut_words(tokens, room, "bold")
    texts = [names[at] if left_out == 0 else cut(f"… {left_out} words …", room) for at, left_out in rows]
    ax.set(ylim=(len(rows) - 0.5, -0.5), xlim=(0, 1), xticks=[])
    ax.spines[:].set_visible(False)
    ax.set_yticks(range(len(rows)), texts, fontsize=size)
    ax.tick_params(length=0)
    places = {at: k for k, (at, left_out) in enumerate(rows) if left_out == 0}
    for label, (at, left_out) in zip(ax.get_yticklabels(), rows, strict=True):
        of_key = left_out == 0 and at in keys
        label.set_color(theme().query if (at, left_out) == (query, 0) else theme().key if of_key else theme().faint)
        label.set_fontweight("bold" if (at, left_out) == (query, 0) else "normal")
    own = points * width - size * max(ems(text, "bold") for text in texts)
    digits = min(scaled(NUMBER), size)
    start = min(0.6, digits * (1.2 + max((ems(number(float(row[key]))) for key in keys), default=0.0)) / own)
    _arcs(ax, row, {int(key): places[int(key)] for key in keys}, places[query], start)
    for key in keys:
        beside: dict[str, Any] = {"xytext": (0.5 * digits, 0), "textcoords": "offset points", "va": "center"}
        ink = theme().ink if row[key] > 0 else theme().faint
        ax.annotate(number(float(row[key])), (0, places[int(key)]), fontsize=digits, color=ink, **beside)


def _rows(words: list[int], of: int) -> list[tuple[int, int]]:
    """The rows from top to bottom: a word that is shown and 0, or where words are left out, and their number."""
    rows: list[tuple[int, int]] = []
    for before, word in zip([-1, *words], [*words, of], strict=True):
        if word > before + 1:  # a single word has a row of its own
            rows.append((before + 1, word - before - 1 if word > before + 2 else 0))
        if word < of:
            rows.append((word, 0))
    return rows


def _arcs(ax: Axes, row: np.ndarray, places: dict[int, int], query: int, start: float) -> None:
    """Draw an arc from each key to the query, the strongest on top, and one arrowhead at the query.

    row: the weights of the query. places: the row of each key. query: the row of the query. start: the x of both ends.
    """
    most = max((abs(float(row[key])) for key in places), default=1.0)
    longest = max((abs(place - query) for place in places.values()), default=0) or 1
    turn = np.linspace(0, np.pi, 41)
    for key in sorted(places, key=lambda key: abs(float(row[key]))):
        share, away = abs(float(row[key])) / most, (query - places[key]) or LOOP
        wide = (0.95 - start) * (0.25 + 0.75 * min(1.0, abs(away) / longest))
        x, y = start + wide * np.sin(turn), query - away / 2 - away / 2 * np.cos(turn)
        look: dict[str, Any] = {"color": theme().series[0], "lw": scaled(1 + 6 * share), "alpha": 0.4 + 0.6 * share}
        if row[key] < 0:
            look |= {"color": theme().faint, "lw": scaled(1 + 2 * share), "ls": (0, (3, 2))}
        ax.plot(x, y, solid_capstyle="butt", **look)
    if places:
        ax.plot(start, query, marker=(3, 0, 90), ms=scaled(15), color=theme().ink, zorder=5)
