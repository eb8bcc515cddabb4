"""The words before and after the query or key matrix of a head, with the grid of their plane bent like them."""

from collections.abc import Sequence
from itertools import product
from typing import ClassVar, NamedTuple

import numpy as np

from hopattn.figures.base import Around, Axes, Figure, Plot, arrays_of, only
from hopattn.figures.headings import foot, headline, headline_of, left_out, wrapped
from hopattn.figures.labelled_points import Drawn, grouped, keep_apart
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import indexed, number
from hopattn.figures.word_planes import LONG, asked, filled, frame, limits
from hopattn.results.labelled import Labelled
from hopattn.retrieval.similarity import cosine
from hopattn.scenario.result import Result, Run

ARC = 0.4
"""The radius of an arc between a word and its nearest, as a part of the word's length."""
SPACES, WORDS = 3, 12
"""The largest number of planes after a matrix, and of words."""
LINES = 4
"""The lines of the grid on either side of the origin cover this part of the words' extent at least."""


class Space(NamedTuple):
    """The words of a run as the queries or keys of one head.

    name: of the panel. before, after: `(n_words, 2)`. matrix: from the one to the other, `(2, 2)`. plane, axes:
    the names of the axes before and after.
    """

    name: str
    tokens: tuple[str, ...]
    before: np.ndarray
    after: np.ndarray
    matrix: np.ndarray
    plane: tuple[str, str]
    axes: tuple[str, str]


class SpaceOfHead(Plot):
    """The words of a plane, and the same words after the query or key matrix of each head that maps it to a plane."""

    name: ClassVar[str] = "space"
    shows: ClassVar[str] = "the words before and after the query or key matrix of a head, with the grid of their plane"
    scenario: ClassVar[str] = "two-spaces"

    def lacks(self, result: Result) -> str:
        return "" if _spaces(result) else "it has no head whose query or key matrix maps a plane of words to a plane"

    def draw(self, figure: Figure, result: Result) -> None:
        spaces = _spaces(result)
        shown = spaces[:SPACES]
        word = shown[0].tokens[asked(result, shown[0].tokens)[0]]
        shown = [space for space in shown if word in space.tokens]
        headline(figure, result, _message(shown, word))
        axes = figure.subplots(1, 1 + len(shown), squeeze=False, sharex=True, sharey=True)[0]
        first = shown[0]
        unchanged = first._replace(name="the words before", after=first.before, matrix=np.eye(2), axes=first.plane)
        span = limits(np.concatenate([first.before, *(space.after for space in shown)]))
        for ax, space in zip(axes, (unchanged, *shown), strict=True):
            titles = wrapped(space.name, 60 // len(axes)), wrapped(_cosines(space, word), 99 // len(axes))
            ax.set_title("\n".join(titles), fontsize=scaled(17), linespacing=1.4)
            frame(ax, space.axes, span)
        notes = (
            f"cosines with {indexed(word)}",
            "arc: its smallest angle",
            "the grid is mapped with the words",
            left_out(len(shown), len(spaces), "matrices", "run or head"),
            left_out(min(len(first.tokens), WORDS), len(first.tokens), "words"),
        )
        foot(figure, notes)
        filled(figure, axes[:1], first.plane)
        filled(figure, axes[1:], shown[0].axes)
        drawn = (unchanged, *shown)
        for ax, space in zip(axes, drawn, strict=True):
            _plane(ax, space, word, _reach(ax, drawn))

    def panel(self, ax: Axes, result: Result) -> Around:
        space = only(_spaces(result), "matrices", "run or head")
        word = space.tokens[asked(result, space.tokens)[0]]
        frame(ax, space.axes, limits(space.after))
        filled(ax.figure, [ax], space.axes)
        _plane(ax, space, word, _reach(ax, [space]))
        return Around(f"{headline_of(result, _message([space], word))}\n{_cosines(space, word)}")


def _spaces(result: Result) -> list[Space]:
    """The planes after a matrix: of the queries of each head of each run, and of its keys where they differ."""
    return [space for run in result.runs for space in _of_run(run, len(result.runs) > 1)]


def _of_run(run: Run, several: bool) -> list[Space]:
    """The planes after a matrix in one run. several: whether there are other runs, so that its name is needed."""
    arrays = arrays_of(run)
    heads = [name for name, _ in run.find("queries", 1) if name.head and name.text in ("", "sequence 1")]
    spaces: list[Space] = []
    for name in heads if "input" in arrays else ():
        own = [run.name if several else "", f"head {name.head}" if len(heads) > 1 else ""]
        mapped = [run.arrays[f"{name.place} {kind}"] for kind in ("queries", "keys")]
        queries, keys = (_space(arrays["input"], array) for array in mapped)
        same = queries and keys and np.allclose(queries.matrix, keys.matrix)
        both = "" if any(own) else "queries and keys"
        parts = [(queries, both if same else "queries"), (None if same else keys, "keys")]
        spaces += [space._replace(name=": ".join(filter(None, (*own, kind)))) for space, kind in parts if space]
    return spaces


def _space(words: Labelled, mapped: Labelled) -> Space | None:
    """The words of a plane after a matrix; None without a plane or a matrix, or if the matrix changes nothing."""
    there = np.flatnonzero(np.any(words.values != 0, axis=0))
    if len(there) != 2 or mapped.values.shape != (len(words.values), 2) or words.labels[0] != mapped.labels[0]:
        return None
    before = words.values[:, there]
    matrix, _, rank, _ = np.linalg.lstsq(before, mapped.values, rcond=None)
    if rank < 2 or not np.allclose(before @ matrix, mapped.values) or np.allclose(matrix, np.eye(2)):
        return None
    first, second = (words.labels[1][k] for k in there)
    after = np.asarray(mapped.values, dtype=float)
    return Space("", words.labels[0], before, after, matrix.T, (first, second), ("axis 1", "axis 2"))


def _near(space: Space, word: str) -> dict[str, float]:
    """The cosine of a word with each other word after the matrix."""
    own = space.after[space.tokens.index(word)]
    pairs = zip(space.tokens, space.after, strict=True)
    return {indexed(token): round(float(cosine(own, point)), 9) for token, point in pairs if token != word}


def _cosines(space: Space, word: str) -> str:
    """The cosines of a word with the first three others, as a text."""
    near = [f"{other} {number(value)}" for other, value in list(_near(space, word).items())[:3]]
    return f"cosine: {' · '.join(near)}" if near else ""


def _message(spaces: list[Space], word: str) -> str:
    """The message of the figure: the word towards which each matrix turns the highlighted word most."""
    nearest = []
    for space in spaces:
        before = _near(space._replace(after=space.before), word)
        rises = {other: round(value - before[other], 9) for other, value in _near(space, word).items()}
        best = [other for other, rise in rises.items() if rise == max(rises.values()) > 0]
        if len(rises) < 2 or len(best) != 1:
            return ""
        nearest.append(best[0])
    goals = " or ".join(f"‘{goal}’" for goal in dict.fromkeys(nearest))
    return f"a matrix slants the plane, and ‘{indexed(word)}’ turns towards {goals}"


def _arcs(ax: Axes, space: Space, word: str) -> list[np.ndarray]:
    """Draw the smallest angle of a word, or all that are equal to it, as arcs around the origin; gives their paths."""
    near, own = _near(space, word), space.after[space.tokens.index(word)]
    goals = [k for k, token in enumerate(space.tokens[:WORDS]) if near.get(indexed(token)) == max(near.values())]
    paths = []
    for goal in space.after[goals]:
        start, end = (float(np.arctan2(*point[::-1])) for point in (own, goal))
        turn = start + ((end - start + np.pi) % (2 * np.pi) - np.pi) * np.linspace(0, 1, 31)
        paths.append(ARC * float(np.linalg.norm(own)) * np.stack([np.cos(turn), np.sin(turn)], axis=1))
        ax.plot(*paths[-1].T, color=theme().plus, lw=scaled(2), zorder=1.5)
    return paths


def _reach(ax: Axes, spaces: Sequence[Space]) -> float:
    """The reach of a grid around the origin that covers the panel after each matrix; at most ten times the words'."""
    corners = np.array(list(product(ax.get_xlim(), ax.get_ylim())))
    reach = [float(np.abs(corners @ np.linalg.pinv(space.matrix).T).max()) for space in spaces]
    return min(max(reach), 10 * float(np.abs(spaces[0].before).max()))


def _plane(ax: Axes, space: Space, word: str, ends: float) -> None:
    """Draw the mapped grid, and the words as points with rays from the origin. ends: the reach of the grid."""
    words = float(np.abs(space.before).max())
    step = next(s for s in (0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000, 1e6, 1e12) if words / s <= LINES + 1)
    ends = step * (np.ceil(ends / step) + 1)
    limits = ax.get_xlim(), ax.get_ylim()
    drawn = Drawn()
    for at in np.arange(-ends, ends + step / 2, step):
        for line in (np.array([(at, -ends), (at, ends)]), np.array([(-ends, at), (ends, at)])):
            bent = line @ space.matrix.T
            thick = bool(abs(at) < step / 2)
            colour = theme().faint if thick else theme().series[-1]
            ax.plot(*bent.T, color=colour, lw=scaled(1.8 if thick else 0.8), alpha=1 if thick else 0.45, zorder=1)
            drawn.faint += [bent] * thick
    for i, point in enumerate(space.after[:WORDS]):
        colour = theme().plus if space.tokens[i] == word else theme().ink
        ax.plot([0, point[0]], [0, point[1]], color=colour, lw=scaled(3.5 if space.tokens[i] == word else 2), zorder=2)
        ax.plot(*point, "o", color=colour, ms=scaled(12), zorder=3)
        drawn.arrows.append((np.zeros(2), point))
    drawn.arrows += _arcs(ax, space, word)
    ax.set(xlim=limits[0], ylim=limits[1])
    texts = grouped([indexed(token, LONG) for token in space.tokens[:WORDS]], space.after[:WORDS])
    strong = [text for text, point in texts if np.allclose(point, space.after[space.tokens.index(word)])]
    keep_apart(ax, texts, drawn, strong=strong, colours=dict.fromkeys(strong, theme().plus))
