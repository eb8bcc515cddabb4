"""Words in a plane: an arrow from each word to the words that it attends to, thicker for a larger weight."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, arrays_of, tables
from hopattn.figures.headings import left_out
from hopattn.figures.labelled_points import draw_origin, grouped, in_plane, keep_apart
from hopattn.figures.panels import About, Shown
from hopattn.figures.shapes import arrow, boxed, colour_of, line_of
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import indexed, number
from hopattn.figures.word_planes import (
    RunPlanes,
    any_off_mark,
    asked,
    off_plane,
    panel_titles,
    same_axes,
)
from hopattn.results.labelled import Labelled
from hopattn.scenario.result import Result, Run

PER_WORD, ARROWS, NUMBERED = 2, 40, 10
"""The largest number of arrows from a word and in a panel, and of arrows with their numbers: the strongest."""
NAMED = 20
"""The largest number of points with the names of their words."""
PULLED = "each word is pulled towards the words that it attends to"
"""The title where no single word is highlighted."""
BEND = 0.22
"""How far an arrow's control point is from its straight line, as a fraction of its length."""


class Plane(RunPlanes):
    """The first head of each run: the pulls of the highlighted word stand out.

    The axes are those of `[figure]`, else those along which the highlighted words are pulled most.
    """

    name: ClassVar[str] = "plane"
    shows: ClassVar[str] = "words in a plane and how strongly each is pulled towards the others"
    scenario: ClassVar[str] = "apple"

    def lacks(self, result: Result) -> str:
        runs = [run for run in result.runs if _has_attention(run)]
        if not runs:
            return "it has no words that attend to words"
        if arrays_of(runs[0])["input"].values.shape[1] < 2:
            return "its words have one axis; a plane has two"
        own = all(_weights(run).labels[0] == _weights(run).labels[1] for run in runs)
        return "" if own else "its words attend to another text; here the words of one pull each other"

    def parts(self, result: Result) -> list[Run]:
        return same_axes(run for run in result.runs if _has_attention(run))

    def texts(self, run: Run) -> list[Labelled]:
        return [arrays_of(run)["input"]]

    def movement(self, run: Run) -> np.ndarray:
        words, weights = arrays_of(run)["input"].values, _weights(run).values
        return np.asarray(np.sum((weights[..., None] * (words[:, None] - words)) ** 2, axis=1))

    def about(self, shown: Shown[Run], axes: Sequence[Axes]) -> About:
        marks = any_off_mark(axes)
        titles = panel_titles(shown.parts, [_weights(run).labels[0] for run in shown.parts])
        message = _message(shown.result, shown.parts)
        arrows, weights = 0, 0
        for run in shown.parts:
            sizes = np.abs(_weights(run).values)
            arrows += len(_pairs(run, in_plane(arrays_of(run)["input"], *self.plane(shown))))
            weights += int(np.sum(sizes > 0.005) - np.sum(np.diagonal(sizes) > 0.005))
        notes = (
            left_out(2, len(arrays_of(shown.parts[0])["input"].labels[1]), "axes", "axes"),
            left_out(arrows, weights, "weights between words"),
            left_out(len(shown.parts), len(shown.result.runs), "runs", "run"),
            left_out(1, max(len([*tables(run, "weights")]) for run in shown.parts), "heads", "head"),
        )
        return About(notes, marks, ["off the plane"] * len(marks), titles, message)

    def draw_words(self, ax: Axes, part: Run, shown: Shown[Run]) -> None:
        _pulls(ax, shown.result, part, self.plane(shown))


def _has_attention(run: Run) -> bool:
    """Whether a run has words that attend to words."""
    return "input" in arrays_of(run) and any(tables(run, "weights")) and _weights(run).dims == ("query", "key")


def _weights(run: Run) -> Labelled:
    """The weights of the first head."""
    return next(array for _, array in tables(run, "weights"))


def _message(result: Result, runs: Sequence[Run]) -> str:
    """The title: the highlighted word and the words that pull it most, if there is one such word."""
    texts = [_weights(run) for run in runs]
    words = {weights.labels[0][asked(result, weights.labels[0])[0]] for weights in texts}
    if len(words) > 1 or not all(words <= {*result.words, *result.figure.highlight} for _ in texts):
        return PULLED
    goals = []
    for weights in texts:
        word = weights.labels[0].index(next(iter(words)))
        row = np.round(np.abs(weights.values[word]), 9)
        row[word] = 0.0
        if not row.any():
            return PULLED
        goals.append(indexed(weights.labels[1][int(np.argmax(row))]))
    pulled = " or ".join(f"‘{goal}’" for goal in dict.fromkeys(goals))
    return f"‘{indexed(words.pop())}’ is pulled towards {pulled}"


def _pairs(run: Run, at: np.ndarray) -> list[tuple[int, int]]:
    """The arrows of a run, the strongest first: the largest weights of each word to words at other points."""
    values = np.abs(_weights(run).values)
    apart = np.linalg.norm(at[:, None] - at, axis=2) > 1e-6
    strong = np.where(apart & (values > 0.1 * float(values.max(initial=0.0))), values, 0.0)
    pairs = [(i, int(j)) for i, row in enumerate(strong) for j in np.argsort(-row, kind="stable")[:PER_WORD] if row[j]]
    return sorted(pairs, key=lambda pair: (-round(float(strong[pair]), 9), pair))[:ARROWS]


def _pulls(ax: Axes, result: Result, run: Run, plane: tuple[str, str]) -> None:
    """Draw the words and the arrows between them; the arrows of the highlighted word have the colour of queries."""
    weights, words = _weights(run), arrays_of(run)["input"]
    at, tokens = in_plane(words, *plane), [indexed(token) for token in weights.labels[0]]
    word = asked(result, weights.labels[0])[0]
    lines = draw_origin(ax)
    pairs = _pairs(run, at)
    most = max((abs(float(weights.values[pair])) for pair in pairs), default=1.0)
    t = np.linspace(0, 1, 9)[:, None]
    paths = []  # nine points of each arrow: a quadratic Bézier curve
    for start, end in ((at[i], at[j]) for i, j in pairs):
        middle = (start + end) / 2 + BEND * (end - start)[::-1] * (1, -1)
        paths.append((1 - t) ** 2 * start + 2 * t * (1 - t) * middle + t**2 * end)
    for i, j in pairs:
        value = float(weights.values[i, j])
        look = {"shrinkA": scaled(10), "shrinkB": scaled(10), "linestyle": line_of(value)}
        share = abs(value) / most
        colour = colour_of(value) if i == word else theme().faint
        arrow(ax, at[i], at[j], colour, 1 + 5 * share, BEND, mutation_scale=scaled(14 + 8 * share), **look)
    _numbers(ax, weights, pairs, paths, word)
    lines += [(path[4], path[4]) for path in paths[:NUMBERED]]
    seen = ~off_plane(words, at)
    ax.plot(*at[seen].T, "o", color=theme().ink, ms=scaled(12), ls="none", zorder=5)
    if len(pairs) <= NUMBERED * 2:
        lines += [(path[k], path[k + 1]) for path in paths for k in range(len(path) - 1)]
    texts = grouped(tokens, at)[:NAMED]
    strong = [text for text, point in texts if np.allclose(point, at[word])]
    keep_apart(ax, texts, lines, strong=strong, colours=dict.fromkeys(strong, theme().plus))


def _numbers(ax: Axes, weights: Labelled, pairs: Any, paths: Any, word: int) -> None:
    """Write the weights on the strongest arrows that have room, those of the highlighted word first."""
    near = 0.055 * float(np.ptp(ax.get_xlim()))
    placed: list[np.ndarray] = []
    for (i, j), path in sorted(zip(pairs, paths, strict=True), key=lambda pair: pair[0][0] != word)[:NUMBERED]:
        short = np.linalg.norm(path[-1] - path[0]) < 3 * near
        if short or any(np.linalg.norm(path[4] - other) < 1.5 * near for other in placed):
            continue
        placed.append(path[4])
        boxed(ax, path[4], number(float(weights.values[i, j])), fontsize=scaled(15))
