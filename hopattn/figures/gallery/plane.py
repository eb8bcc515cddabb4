"""Words in a plane: an arrow to each word from the words that it attends to, thicker for a larger weight."""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hopattn.figures.base import Axes, arrays_of, tables
from hopattn.figures.headings import left_out
from hopattn.figures.labelled_points import Drawn, draw_origin, grouped, in_plane, keep_apart
from hopattn.figures.panels import About, Shown
from hopattn.figures.placing import pixels_in_point
from hopattn.figures.shapes import arrow, boxed, colour_of, curve, line_of, sign
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import indexed, number
from hopattn.figures.word_planes import LONG, RunPlanes, any_off_mark, hero, off_plane, panel_titles, same_axes
from hopattn.results.labelled import Labelled
from hopattn.scenario.result import Result, Run

PER_WORD, ARROWS, NUMBERED, AVOIDED = 2, 40, 10, 20
"""The largest number of arrows to a word and in a panel, of arrows of which all have numbers, and of those that no name
covers: the strongest."""
NAMED = 20
"""The largest number of points with the names of their words."""
TAKES = "each word takes from the words that it attends to"
"""The title where no single word takes from others in all panels."""
BEND = 0.22
"""How far an arrow's control point is from its straight line, as a fraction of its length."""
SHORTEST = 8.0
"""The least length of an arrow, in widths of its line."""
APART, NUMBER = 9.0, 34.0
"""The distances of an arrow from the middle of a dot, and of a number from another, in printer's points on a slide."""


class Arrow(NamedTuple):
    """An arrow from a key to a query, with the weight: nine points of a quadratic Bézier curve, `(9, 2)`."""

    query: int
    key: int
    weight: float
    path: np.ndarray


class Plane(RunPlanes):
    """The first head of each run: arrows from keys to queries. What the highlighted word takes stands out.

    The axes are those of `[figure]`, else those along which the highlighted words are pulled most.
    """

    shows: ClassVar[str] = "words in a plane, with arrows to each word from those that it attends to"
    scenario: ClassVar[str] = "apple"

    def lacks(self, result: Result) -> str:
        runs = [run for run in result.runs if _has_attention(run)]
        if not runs:
            return "it has no words that attend to words"
        if arrays_of(runs[0])["input"].values.shape[1] < 2:
            return "its words have one axis; a plane has two"
        own = all(_weights(run).labels[0] == _weights(run).labels[1] for run in runs)
        return "" if own else "its words attend to another text; here they attend to one another"

    def parts(self, result: Result) -> list[Run]:
        return same_axes(run for run in result.runs if _has_attention(run))

    def texts(self, run: Run) -> list[Labelled]:
        return [arrays_of(run)["input"]]

    def movement(self, run: Run) -> np.ndarray:
        words, weights = arrays_of(run)["input"].values, _weights(run).values
        return np.asarray(np.sum((weights[..., None] * (words[:, None] - words)) ** 2, axis=1))

    def about(self, shown: Shown[Run], axes: Sequence[Axes]) -> About:
        marks, words, others, below, left = any_off_mark(axes), [], False, False, False
        for run in shown.parts:
            weights, at = _weights(run), in_plane(arrays_of(run)["input"], *self.plane(shown))
            word = _hero(shown.result, weights, at)
            arrows = _arrows(weights, at, word)
            words.append(indexed(weights.labels[0][word], LONG))
            others |= any(one.query != word for one in arrows)
            below |= any(one.weight < 0 for one in arrows)
            sizes = np.abs(weights.values)
            left |= bool(len(arrows) < np.sum(sizes > 0.005) - np.sum(np.diagonal(sizes) > 0.005))
        taker = f"‘{words[0]}’" if len({*words}) == 1 else "the bold word"
        look: dict[str, Any] = {"lw": scaled(4), "marker": ">", "markevery": [1], "ms": scaled(12)}
        looks = {
            f"what {taker} takes": {"color": theme().plus, **look},
            "what other words take": {"color": theme().faint, **look} if others else {},
            "weight below 0": {"color": theme().faint, "lw": scaled(2), "ls": "--"} if below else {},
        }
        signs = {name: sign(**of) for name, of in looks.items() if of}
        for line in signs.values():
            line.set_data([0, 1], [0, 0])
        notes = (
            left_out(2, len(arrays_of(shown.parts[0])["input"].labels[1]), "axes", "axes"),
            "the strongest arrows" * left,
            left_out(len(shown.parts), len(shown.result.runs), "runs", "run"),
            left_out(1, max(len([*tables(run, "weights")]) for run in shown.parts), "heads", "head"),
        )
        titles = panel_titles(shown.parts, [_weights(run).labels[0] for run in shown.parts])
        keys, names = [*signs.values(), *marks], [*signs, *["off the plane"] * len(marks)]
        return About(notes, keys, names, titles, _message(shown, self.plane(shown)))

    def draw_words(self, ax: Axes, part: Run, shown: Shown[Run]) -> None:
        _words(ax, shown.result, part, self.plane(shown))


def _has_attention(run: Run) -> bool:
    """Whether a run has words that attend to words."""
    return "input" in arrays_of(run) and any(tables(run, "weights")) and _weights(run).dims == ("query", "key")


def _weights(run: Run) -> Labelled:
    """The weights of the first head."""
    return next(array for _, array in tables(run, "weights"))


def _hero(result: Result, weights: Labelled, at: np.ndarray) -> int:
    """The index of the word that stands out, by how far what it takes pulls it in the plane."""
    pulls = np.sum(weights.values[..., None] * (at - at[:, None]), axis=1)
    return hero(result, weights.labels[0], at, at + pulls)


def _message(shown: Shown[Run], plane: tuple[str, str]) -> str:
    """The title: the word that stands out and the words from which it takes most, if it is one in all panels."""
    words, sources = set(), []
    for run in shown.parts:
        weights, at = _weights(run), in_plane(arrays_of(run)["input"], *plane)
        word = _hero(shown.result, weights, at)
        row = np.round(np.abs(weights.values[word]), 9)
        row[word] = 0.0
        if not row.any():
            return TAKES
        words.add(weights.labels[0][word])
        sources.append(indexed(weights.labels[1][int(np.argmax(row))], LONG))
    if len(words) > 1:
        return TAKES
    most = " or ".join(f"‘{source}’" for source in dict.fromkeys(sources))
    return f"of other words, ‘{indexed(words.pop(), LONG)}’ takes most from {most}"


def _arrows(weights: Labelled, at: np.ndarray, word: int) -> list[Arrow]:
    """The arrows of a run, the strongest first: the largest weights of each query on words at other points.

    Between the same points there is one arrow in each direction. word: the index of the query that comes first.
    """
    values = np.abs(weights.values)
    apart = np.linalg.norm(at[:, None] - at, axis=2) > 1e-6
    strong = np.where(apart & (values > 0.1 * float(values.max(initial=0.0))), values, 0.0)
    pairs = [(i, int(j)) for i, row in enumerate(strong) for j in np.argsort(-row, kind="stable")[:PER_WORD] if row[j]]
    pairs.sort(key=lambda pair: (pair[0] != word, -round(float(strong[pair]), 9), pair))
    once: dict[tuple[float, ...], tuple[int, int]] = {}
    for i, j in pairs:
        once.setdefault((*np.round(at[j], 6), *np.round(at[i], 6)), (i, j))
    found = []
    for i, j in sorted(once.values(), key=lambda pair: -round(float(strong[pair]), 9))[:ARROWS]:
        found.append(Arrow(i, j, float(weights.values[i, j]), curve(at[j], at[i], BEND)))
    return found


def _words(ax: Axes, result: Result, run: Run, plane: tuple[str, str]) -> None:
    """Draw the words and the arrows between them; those to the word that stands out are coloured by their sign."""
    weights, words = _weights(run), arrays_of(run)["input"]
    at, tokens = in_plane(words, *plane), [indexed(token, LONG) for token in weights.labels[0]]
    word, drawn = _hero(result, weights, at), Drawn(faint=draw_origin(ax))
    arrows = _arrows(weights, at, word)
    most = max((abs(one.weight) for one in arrows), default=1.0)
    for one in arrows:
        own = one.query == word
        _draw(ax, one, own, abs(one.weight) / most)
        paths = drawn.hero if own else drawn.arrows if len(arrows) <= AVOIDED else drawn.faint
        paths.append(one.path)
    drawn.texts += _numbers(ax, [one for one in arrows if one.query == word or len(arrows) <= NUMBERED], word)
    seen = ~off_plane(words, at)
    ax.plot(*at[seen].T, "o", color=theme().ink, ms=scaled(11), ls="none", zorder=5)
    if seen[word]:
        ax.plot(*at[word], "o", color=theme().plus, ms=scaled(11), ls="none", zorder=5.5)
    drawn.dots += [*at]
    texts = grouped(tokens, at)[:NAMED]
    strong = [text for text, point in texts if np.allclose(point, at[word])]
    keep_apart(ax, texts, drawn, strong=strong, colours=dict.fromkeys(strong, theme().plus))


def _draw(ax: Axes, one: Arrow, own: bool, share: float) -> None:
    """Draw an arrow as wide as its weight, and narrower where it would be short and blunt.

    own: whether the word that stands out takes it. share: its weight, as a part of the largest.
    """
    ends = ax.transData.transform(one.path[[0, -1]]) / pixels_in_point(ax)
    length = float(np.linalg.norm(ends[1] - ends[0])) - 2 * APART
    width = max(1.0, min(1 + 4 * share, length / SHORTEST))
    colour = colour_of(one.weight) if own else theme().faint
    look = {
        "shrinkA": scaled(APART),
        "shrinkB": scaled(APART),
        "linestyle": line_of(one.weight),
        "zorder": 3 if own else 2,
    }
    arrow(ax, one.path[0], one.path[-1], colour, width, BEND, mutation_scale=scaled(9 + 2.2 * width), **look)


def _numbers(ax: Axes, arrows: Sequence[Arrow], word: int) -> list[Any]:
    """Write the weights on the arrows that have room, those of the word that stands out first; returns the texts."""
    placed: list[np.ndarray] = []
    texts = []
    for one in sorted(arrows, key=lambda one: one.query != word)[:NUMBERED]:
        on_slide = ax.transData.transform(one.path) / pixels_in_point(ax)
        for k in (4, 3, 5) if np.linalg.norm(on_slide[-1] - on_slide[0]) >= 2 * NUMBER else ():
            if all(np.linalg.norm(on_slide[k] - other) >= NUMBER for other in placed):
                placed.append(on_slide[k])
                texts.append(boxed(ax, one.path[k], number(one.weight), fontsize=scaled(15)))
                break
    return texts
