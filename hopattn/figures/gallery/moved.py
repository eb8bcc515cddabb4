"""The movement of words by attention: each word before and after, as an arrow in the plane of two axes."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, arrays_of, between_texts
from hopattn.figures.headings import left_out
from hopattn.figures.labelled_points import Drawn, draw_origin, grouped, in_plane, keep_apart
from hopattn.figures.panels import About, Shown
from hopattn.figures.placing import pixels_in_point
from hopattn.figures.shapes import arrow, curve
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import indexed
from hopattn.figures.word_planes import (
    LONG,
    RunPlanes,
    any_off_mark,
    approached,
    before_after,
    hero,
    off_plane,
    panel_titles,
    remarks,
    same_axes,
    turn_of,
)
from hopattn.results.labelled import Labelled
from hopattn.scenario.result import Result, Run

DRAWN, NAMED = 200, 14
"""The largest number of words, and of words with names: in both those that move most."""
AVOIDED = 40
"""The number of arrows up to which no name covers one."""
STILL = 1e-6
"""The distance up to which a word does not count as moved."""
BEND, NEAR = 0.3, 8.0
"""The bend of an arrow that would go over the dot of another word, and how near, in printer's points on a slide."""


class Moved(RunPlanes):
    """The words of each run on two axes, before and after attention; the highlighted word with rays and its cosine.

    The axes are those of `[figure]`, else those along which the highlighted words move most.
    """

    shows: ClassVar[str] = "where the words were before attention and where they are after it"
    scenario: ClassVar[str] = "bank"

    def lacks(self, result: Result) -> str:
        runs = [run for run in result.runs if before_after(run)]
        if not runs:
            return "it has no text whose words go through layers of attention"
        if before_after(runs[0])[0].values.shape[1] < 2:
            return "its words have one axis; a plane has two"
        if all(_replaced(run) for run in runs):
            return "its queries are other words than its keys, and are replaced: no word moves"
        return ""

    def parts(self, result: Result) -> list[Run]:
        """The runs whose words move, on the axes of the first."""
        return same_axes(run for run in result.runs if before_after(run) and not _replaced(run))

    def texts(self, run: Run) -> list[Labelled]:
        return before_after(run)

    def movement(self, run: Run) -> np.ndarray:
        before, after = before_after(run)
        return np.asarray((after.values - before.values) ** 2)

    def about(self, shown: Shown[Run], axes: Sequence[Axes]) -> About:
        runs, pairs, texts = shown.parts, [], [before_after(run) for run in shown.parts]
        titles = panel_titles(runs, [before.labels[0] for before, _ in texts])
        turns = []
        for i, (before, after) in enumerate(texts):
            word, other = _turn(shown.result, runs[i])
            turn = turn_of(before, word, other, after.values[word], self.plane(shown), 76 // len(runs))
            titles[i] = "\n".join(filter(None, (titles[i], turn)))
            turns.append(turn)
            pairs.append([indexed(before.labels[0][k], LONG) for k in (word, other) if k is not None])
        goals = dict.fromkeys(f"‘{goal[0]}’" for _, *goal in pairs if goal)
        one = len({word for word, *_ in pairs}) == 1 and all(len(pair) == 2 for pair in pairs)
        message = f"attention turns ‘{pairs[0][0]}’ towards {' or '.join(goals)}" if one else ""
        words = max(len(before.labels[0]) for before, _ in texts)
        notes = (
            *remarks(len(texts[0][0].labels[1]), len(runs), shown.result, any(turns)),
            left_out(min(words, DRAWN), words, "words"),
            left_out(min(words, NAMED), words, "words with their names"),
        )
        look: dict[str, Any] = {"mew": scaled(2), "ms": scaled(11), "ls": "none"}
        keys = axes[0].plot([], [], "o", mfc=theme().paper, mec=theme().plus, **look)
        keys += axes[0].plot([], [], "o", color=theme().plus, ms=scaled(11), ls="none")
        names = ["before", "after"]
        if any(_still(run, self.plane(shown)).any() for run in runs):
            keys += axes[0].plot([], [], "s", color=theme().ink, ms=scaled(11), ls="none")
            names.append("did not move")
        marks = any_off_mark(axes)
        keys, names = [*keys, *marks], [*names, *["off the plane"] * len(marks)]
        return About(notes, keys, names, titles, message, {"fontsize": scaled(17)})

    def draw_words(self, ax: Axes, part: Run, shown: Shown[Run]) -> None:
        _words(ax, part, self.plane(shown), _turn(shown.result, part))


def _replaced(run: Run) -> bool:
    """Whether the queries are other words than the keys, and the values replace them: nothing is added."""
    arrays = arrays_of(run)
    alone = "layer 1 output" in arrays and np.array_equal(
        arrays["layer 1 output"].values, arrays["layer 1 state"].values
    )
    return alone and bool(between_texts(run))


def _turn(result: Result, run: Run) -> tuple[int, int | None]:
    """The word of a run that stands out, and the word that it turns towards, if there is one."""
    before, after = before_after(run)
    word = hero(result, before.labels[0], before.values, after.values)
    return word, approached(before.values, after.values[word], word)


def _words(ax: Axes, run: Run, plane: tuple[str, str], turn: tuple[int, int | None]) -> None:
    """Draw the words of one run: grey, and the one that stands out in colour, with rays from the origin."""
    (words, after), (word, other) = before_after(run), turn
    start, end = in_plane(words, *plane), in_plane(after, *plane)
    drawn = Drawn(faint=draw_origin(ax))
    far = np.linalg.norm(end - start, axis=1)
    order = np.argsort(-far, kind="stable")
    order = np.array([word, *order[order != word]])[:DRAWN]
    rays = [(start[word], theme().plus, (0, (4, 3))), (end[word], theme().plus, "-")]
    if other is not None:
        rays.append((start[other], theme().ink, (0, (1, 2))))
    for to, colour, style in rays:
        ax.plot([0, to[0]], [0, to[1]], color=colour, ls=style, lw=scaled(1.6), alpha=0.8, zorder=1.5)
        drawn.faint.append((np.zeros(2), to))
    off, still = off_plane(words, start), _still(run, plane)
    shown = np.sort(order[~(off & off_plane(after, end))[order]])
    moving = np.sort(order[far[order] > STILL])
    for i in moving:
        colour = theme().plus if i == word else theme().faint
        bend = _bend(ax, start[i], end[i], [*start[shown], *end[shown]], end[word])
        arrow(ax, start[i], end[i], colour, 4 if i == word else 1.8, bend, shrinkA=scaled(6), shrinkB=scaled(6))
        ax.plot(*start[i], "o", mfc=theme().paper, mec=colour, mew=scaled(2), ms=scaled(11), ls="none", zorder=4)
        paths = drawn.hero if i == word else drawn.arrows if len(moving) <= AVOIDED else drawn.faint
        paths.append(curve(start[i], end[i], bend))
    for i in shown:
        colour = theme().plus if i == word else theme().ink if still[i] else theme().faint
        ax.plot(*end[i], "s" if still[i] else "o", color=colour, ms=scaled(11), ls="none", zorder=5)
    drawn.dots += [*start[order], *end[order]]
    named = order[:NAMED]
    tokens = [indexed(words.labels[0][i], LONG) for i in named]
    texts = grouped(tokens, _named_at(start, end, off)[named])
    keep_apart(ax, texts, drawn, strong=[texts[0][0]], colours={texts[0][0]: theme().plus})


def _still(run: Run, plane: tuple[str, str]) -> np.ndarray:
    """Which words do not move in the plane, of those that it shows, `(n_words,)`."""
    words, after = before_after(run)
    start, end = in_plane(words, *plane), in_plane(after, *plane)
    return np.asarray((np.linalg.norm(end - start, axis=1) <= STILL) & ~off_plane(words, start))


def _bend(ax: Axes, start: np.ndarray, end: np.ndarray, dots: list[np.ndarray], to: np.ndarray) -> float:
    """The bend of an arrow: none, unless it would go over a dot between its ends. to: the point to which it bends."""
    first, last, towards, *others = ax.transData.transform([start, end, to, *dots]) / pixels_in_point(ax)
    way = (last - first) / max(float(np.linalg.norm(last - first)), STILL)
    along, across = np.array([way, (-way[1], way[0])]) @ (np.array(others) - first).T
    between = (along > NEAR) & (along < way @ (last - first) - NEAR)
    left = np.sign(way[0] * (towards - first)[1] - way[1] * (towards - first)[0]) or 1.0
    return float(-BEND * left * np.any(between & (np.abs(across) < NEAR)))


def _named_at(start: np.ndarray, end: np.ndarray, off: np.ndarray) -> np.ndarray:
    """The points at which the words have their names, `(n_words, 2)`: where they were before attention.

    A word is named where it is after attention if it was off the plane, or if another was at the same place and moved
    elsewhere. off: which words were off the plane.
    """
    together = np.linalg.norm(start[:, None] - start, axis=2) <= STILL
    apart = np.linalg.norm(end[:, None] - end, axis=2) > STILL
    return np.where((off | np.any(together & apart, axis=1))[:, None], end, start)
