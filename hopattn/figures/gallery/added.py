"""A word and what attention adds to it, head to tail: banks + .7 financial + .62 markets."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hopattn.figures.base import Axes, arrays_of, tables
from hopattn.figures.headings import wrapped
from hopattn.figures.labelled_points import Drawn, draw_origin, in_plane, keep_apart
from hopattn.figures.panels import About, Shown
from hopattn.figures.shapes import arrow
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import indexed, number
from hopattn.figures.word_planes import (
    LONG,
    WordPlanes,
    approached,
    asked,
    chosen_axes,
    hero,
    remarks,
    same_axes,
    turn_of,
)
from hopattn.results.labelled import Labelled
from hopattn.scenario.result import Result, Run

TERMS = 4
"""The largest number of words that are added with an arrow of their own: the largest."""

SMALL = 0.005
"""The weight below which a word is among the others: with two decimals it is 0."""


class Sum(NamedTuple):
    """A word after the first layer as the sum of itself and of other words, each times its weight.

    word: its index. names: of the terms. terms: `(n_terms, dim)`. other: the index of the word that the sum turns
    towards, or None.
    """

    run: Run
    word: int
    names: list[str]
    terms: np.ndarray
    other: int | None

    @property
    def own(self) -> bool:
        """Whether the first term is the word itself, as it was or times its weight."""
        return self.names[0].endswith(indexed(self.words.labels[0][self.word], LONG))

    @property
    def words(self) -> Labelled:
        """The words before the layer."""
        return arrays_of(self.run)["input"]


class Added(WordPlanes[Sum]):
    """The highlighted word after the first layer, as a sum of arrows head to tail, with its cosine before and after.

    The axes are those of `[figure]`, else those along which most is added.
    """

    shows: ClassVar[str] = (
        "what attention adds to a word: weighted words head to tail, with the cosine before and after"
    )
    scenario: ClassVar[str] = "bank"
    most: ClassVar[int] = 3
    space: ClassVar[Mapping[str, float]] = {"h_pad": 0.07}

    def lacks(self, result: Result) -> str:
        runs = [run for run in result.runs if "input" in arrays_of(run) and any(tables(run, "weights"))]
        if not runs:
            return "it has no words that attend to words"
        if arrays_of(runs[0])["input"].values.shape[1] < 2:
            return "its words have one axis; a plane has two"
        return "" if self.parts(result) else "its words after the first layer are more than one weighted sum of words"

    def parts(self, result: Result) -> list[Sum]:
        """The sum of each run whose first layer adds one weighted sum of words, on the axes of the first."""
        runs = [run for run in result.runs if "input" in arrays_of(run) and "layer 1 state" in arrays_of(run)]
        return [total for run in same_axes(runs) if (total := _sum(result, run)) is not None]

    def plane(self, shown: Shown[Sum]) -> tuple[str, str]:
        added = [np.sum(total.terms[total.own :] ** 2, axis=0) for total in shown.every]
        asked_words = [total.words.values[asked(shown.result, total.words.labels[0])] for total in shown.every]
        extents = [np.sum(words**2, axis=0) for words in asked_words]
        known = shown.every[0].words.labels[1]
        return chosen_axes(shown.result, known, (np.sum(added, axis=0), np.sum(extents, axis=0)))

    def points(self, shown: Shown[Sum]) -> np.ndarray:
        plane = self.plane(shown)
        goals = [in_plane(total.words, *plane)[[total.other]] for total in shown.parts if total.other is not None]
        return np.concatenate([_chain(total, plane) for total in shown.parts] + goals)

    def about(self, shown: Shown[Sum], axes: Sequence[Axes]) -> About:
        sums, words = shown.parts, {indexed(total.words.labels[0][total.word], LONG) for total in shown.parts}
        plane, letters = self.plane(shown), 76 // len(sums)
        turns = [turn_of(t.words, t.word, t.other, t.terms.sum(axis=0), plane, letters) for t in sums]
        titles = []
        for total, turn in zip(sums, turns, strict=True):
            equation = " + ".join(total.names).replace("+ −", "− ")
            titles.append("\n".join(filter(None, (wrapped(equation, 84 // len(sums)), turn))))
        notes = remarks(len(sums[0].words.labels[1]), len(sums), shown.result, any(turns))
        message = f"attention makes ‘{words.pop()}’ a sum of weighted words" if len(words) == 1 else ""
        return About(notes, titles=titles, message=message, title_style={"fontsize": scaled(17)})

    def draw_words(self, ax: Axes, part: Sum, shown: Shown[Sum]) -> None:
        _arrows(ax, part, self.plane(shown))


def _sum(result: Result, run: Run) -> Sum | None:
    """The highlighted word of a run as a sum; None if the first layer does more than add one weighted sum."""
    arrays = arrays_of(run)
    words, after = arrays["input"], arrays["layer 1 state"].values
    place = next((place for place, _ in tables(run, "weights")), "").removeprefix("sequence 1 ")
    if not place.startswith("layer 1") or not {f"{place} weights", f"{place} values"} <= {*arrays}:
        return None
    weights, values = arrays[f"{place} weights"], arrays[f"{place} values"]
    shapes = {words.values.shape[1], values.values.shape[1], after.shape[1]}
    if len(shapes) > 1 or weights.labels[0] != words.labels[0]:
        return None
    sums = weights.values @ values.values
    own = np.allclose(sums + words.values, after)
    if not own and not np.allclose(sums, after):
        return None
    word = hero(result, words.labels[0], words.values, after)
    names, terms = _terms(arrays.get("source", words), weights, values, word)
    if own:  # the residual
        names, terms = [indexed(words.labels[0][word], LONG), *names], np.vstack([words.values[word], terms])
    return Sum(run, word, names, terms, approached(words.values, after[word], word))


def _terms(keys: Labelled, weights: Labelled, values: Labelled, word: int) -> tuple[list[str], np.ndarray]:
    """The names and vectors of what is added to a word: itself, the largest in the order of the text, all others."""
    row = weights.values[word]
    parts = row[:, None] * values.values
    sizes = np.round(np.linalg.norm(parts, axis=1), 9)
    added = np.flatnonzero(sizes > 1e-9)
    seen = added[np.abs(row[added]) >= SMALL]
    largest = np.sort(seen[np.argsort(-sizes[seen], kind="stable")[:TERMS]])
    itself = word if weights.labels[0] == weights.labels[1] else -1
    largest = np.array(sorted(largest, key=lambda k: k != itself), dtype=int)
    own = values.values.shape == keys.values.shape and np.allclose(values.values, keys.values)
    names, terms = [], parts[largest]
    for k in largest:
        times = "" if abs(row[k] - 1) <= 0.005 else f"{number(float(row[k]))} "
        names.append(times + ("" if own else "value of ") + indexed(weights.labels[1][k], LONG))
    if len(added) > len(largest):
        rest = len(added) - len(largest)
        names.append(f"{rest} other word{'s' * (rest > 1)}")
        terms = np.vstack([terms, parts.sum(axis=0) - terms.sum(axis=0)])
    return names, terms


def _chain(total: Sum, plane: tuple[str, str]) -> np.ndarray:
    """The points between the arrows, from the origin to the sum, `(n_terms + 1, 2)`."""
    columns = [total.words.labels[1].index(axis) for axis in plane]
    return np.vstack([np.zeros((1, 2)), np.cumsum(total.terms[:, columns], axis=0)])


def _arrows(ax: Axes, total: Sum, plane: tuple[str, str]) -> None:
    """Draw the terms head to tail, the sum, the word before, and a ray to the word that the sum turns towards."""
    chain, drawn = _chain(total, plane), Drawn(faint=draw_origin(ax))
    sum_name = "after layer 1" if "layer 2 state" in arrays_of(total.run) else "after"
    texts: list[tuple[str, Any]] = []
    if total.other is not None:
        goal = in_plane(total.words, *plane)[total.other]
        ax.plot([0, goal[0]], [0, goal[1]], color=theme().ink, ls=(0, (1, 2)), lw=scaled(2), zorder=1.5)
        ax.plot(*goal, "o", color=theme().faint, ms=scaled(10), zorder=2)
        drawn.faint.append((np.zeros(2), goal))
        texts.append((indexed(total.words.labels[0][total.other], LONG), goal))
    colours: dict[str, str] = {}
    for i, (name, start, end) in enumerate(zip(total.names, chain[:-1], chain[1:], strict=True)):
        if np.linalg.norm(end - start) < 1e-9:
            continue
        colour = theme().plus if total.own and not i else theme().value
        arrow(ax, start, end, colour, 3)
        text = f"+ {name}".replace("+ −", "− ") if i else name
        texts.append((text, (start + end) / 2))
        colours[text] = colour
        drawn.arrows.append((start, end))
    arrow(ax, (0, 0), chain[-1], theme().plus, 5)
    drawn.hero.append((np.zeros(2), chain[-1]))
    texts.append((sum_name, chain[-1]))
    keep_apart(ax, texts, drawn, strong=[sum_name], colours=colours | {sum_name: theme().plus})
