"""What figures show of a result: one rule each for the word that stands out, the plane, and the ends of axes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from hopattn.figures.choice import UNCHANGED, arrays_of, highlighted_words, query_of
from hopattn.figures.figure import left_out, need
from hopattn.figures.sheet import Bars, Curve, LeftOut, Mark, Panel, Points, Sheet, say
from hopattn.foundation.errors import reject_unknown
from hopattn.results.labelled import Labelled
from hopattn.retrieval.similarity import cosine
from hopattn.scenario.result import Result, Run

STILL = 1e-9
"""The change of a cosine up to which a word does not turn."""
SEEN = 0.005
"""The least change of a number that its two decimals show."""
SYMBOLS = {"beta": "β", "n": "n", "alpha": "α"}
"""The parameters of separations that figures name."""
ENOUGH = 0.5
"""The least part of the rise of a cosine that a plane is to show."""
AXES = 8
"""The number of axes of which a plane takes two: those in which words move most."""
SQUEEZED = 3.0
"""How many times as far as those of the median run the points of a run may reach before it has axes of its own."""
MOST_RUNS, MOST_CURVES = 3, 7
"""The most runs with panels of their own, and the most in one panel."""
NOTHING = "nothing is to be seen: "
"""The beginning of a reason not to draw a picture that would show nothing."""


class Words(NamedTuple):
    """The words of a run before its first layer, and their states after each layer.

    sees: which others each of them takes something from, `(n_words, n_words)`: none that a mask hides.
    """

    before: Labelled
    states: list[Labelled]
    sees: np.ndarray

    @property
    def after(self) -> Labelled:
        return self.states[-1]

    @property
    def tokens(self) -> tuple[str, ...]:
        return self.before.labels[0]

    @property
    def turns(self) -> np.ndarray:
        """How much the direction of each word changes, 1 − cosine, `(n_words,)`; 0 for a word that becomes 0."""
        return np.nan_to_num([1 - near(*pair) for pair in zip(self.before.values, self.after.values, strict=True)])


def near(one: np.ndarray, other: np.ndarray) -> float:
    """The cosine of two vectors; NaN if one of them is 0."""
    return float(cosine(one, other)) if one.any() and other.any() else np.nan


def words_of(run: Run) -> Words | None:
    """The words of a run before and after its layers; None where these have no axes in common."""
    arrays = arrays_of(run)
    states = [array for name, array in run.find("state") if name.layer and name.text in ("", "sequence 1")]
    if "input" not in arrays or not states or arrays["input"].labels != states[-1].labels:
        return None
    before, n = arrays["input"], len(arrays["input"].values)
    sees = np.zeros((n, n), bool)
    for _, weights in run.find("weights"):
        if weights.labels and weights.labels[0] == before.labels[0] and weights.labels[1][:n] == before.labels[0]:
            seen = weights.values != 0 if weights.hidden is None else (weights.values != 0) & ~weights.hidden
            sees |= seen[:, :n]
    return Words(before, states, sees & ~np.eye(n, dtype=bool))


def hero(result: Result, words: Words) -> int:
    """The index of the word that stands out: the query of `[figure]`, else the one whose direction changes most.

    It is one of the highlighted words and those of the expectations; without any, one that sees another word.
    """
    tokens = words.tokens
    if result.figure.query is not None:
        return query_of(result, tokens)
    named = [tokens.index(word) for word in highlighted_words(result) if word in tokens]
    turns = np.round(words.turns, 9)
    seeing = np.flatnonzero(words.sees.any(axis=1)).tolist()
    asked = [i for i in named if turns[i] > STILL] or seeing or named or [*range(len(tokens))]
    return int(max(asked, key=lambda i: (turns[i], -i)))


def goal(words: Words, word: int) -> int | None:
    """The index of the word that another turns towards: of those that it sees and whose cosine with it rises, the
    nearest in the end. None if it turns towards none.
    """
    before, end = words.before.values, words.after.values[word]
    rises = [
        (round(near(end, before[i]), 9), -i)
        for i in np.flatnonzero(words.sees[word]).tolist()
        if not np.array_equal(before[i], before[word]) and rise(words, word, i) > SEEN
    ]
    return -max(rises)[1] if rises else None


def rise(words: Words, word: int, towards: int, axes: Any = ...) -> float:
    """How much the cosine of a word with another one rises, in a plane or in the whole space; 0 for a vector of 0."""
    before, after = words.before.values, words.after.values
    start, end, other = before[word][axes], after[word][axes], before[towards][axes]
    return float(np.nan_to_num(near(end, other) - near(start, other)))


def shows_turn(words: Words, word: int, axes: Any = ...) -> bool:
    """Whether a plane shows how a word turns towards its goal: at least half of the rise in the whole space.

    Without a goal, it is whether the direction of the word changes in the plane.
    """
    if (towards := goal(words, word)) is not None:
        return rise(words, word, towards, axes) >= ENOUGH * rise(words, word, towards)
    return 1 - near(words.before.values[word][axes], words.after.values[word][axes]) > SEEN


def plane(result: Result, shown: Sequence[tuple[Words, int]]) -> list[int]:
    """The two axes of a plane, by their numbers: those of `[figure]`, else those in which words move most.

    shown: the words of each run, with the one that stands out. It is the pair in which most of these words turn as in
    the whole space; of several, the one in which they move most, then are longest, then other words move most.
    """
    axes = shown[0][0].before.labels[1]
    if (asked := result.figure.axes) is not None:
        reject_unknown("axes", asked, axes)
        need(len({*asked}) > 1, f"axes: '{asked[0]}' is listed twice; a plane has two")
        return [axes.index(axis) for axis in asked]
    need(len(axes) > 1, "its words have one axis; a plane has two")
    moved = [(own.after.values - own.before.values) ** 2 for own, _ in shown]
    sizes = [
        sum(one[word] for one, (_, word) in zip(moved, shown, strict=True)),
        sum(own.before.values[word] ** 2 for own, word in shown),
        sum(one.sum(axis=0) for one in moved),
    ]
    rank = np.round(np.transpose(sizes), 9)
    first = sorted(sorted(range(len(axes)), key=lambda k: tuple(rank[k]), reverse=True)[:AXES])

    def worth(at: list[int]) -> tuple[float, ...]:
        return sum(shows_turn(own, word, at) for own, word in shown), *rank[at].sum(axis=0)

    return max(([i, j] for i in first for j in first if i < j), key=worth)


def ranges(points: Sequence[np.ndarray]) -> list[int]:
    """Which of some panels keep common axes: those whose points reach at most `SQUEEZED` times as far as the median.

    points: `(n_points, 2)` of each panel. The others have axes of their own, so that one run does not squeeze the rest.
    """
    reach = np.array([np.abs(one).max(initial=0.0) for one in points])
    return np.flatnonzero(reach <= SQUEEZED * max(float(np.median(reach)), 1e-9)).tolist()


def need_visible(points: np.ndarray, instead: str = "") -> None:
    """Refuse a picture of points that lie all at one place, or nearly so against the ends of its axes.

    instead: the figure that would show something.
    """
    spread = np.ptp(np.asarray(points, float), axis=0).max(initial=0.0)
    better = f"; try the figure '{instead}'" if instead else ""
    need(spread > 0.02 * np.abs(points).max(initial=0.0), f"{NOTHING}all points lie at one place{better}")


def run_names(runs: Sequence[Run]) -> list[str]:
    """The titles of the panels of runs: their names, where there are several."""
    return [run.name or say(UNCHANGED) for run in runs] if len(runs) > 1 else [""]


def some_runs(runs: Sequence[Run], most: int, lacks: str) -> tuple[Sequence[Run], list[str], LeftOut]:
    """The first of some runs, the titles of their panels, and a note on the others; refuses if there are none.

    most: the number of runs that a figure shows. lacks: the reason.
    """
    need(runs, lacks)
    shown = runs[:most]
    return shown, run_names(shown), left_out(len(shown), len(runs), "runs", "run")


def named_at(curve: Curve, at: int = -1) -> list[Mark]:
    """A curve with its name beside one of its points, where a legend would be far away."""
    point = np.array([[curve.x[at], curve.y[at]]])
    return [replace(curve, name=""), Points(point, [curve.name], curve.colour, size=0.1)]


def bars_within(start: float, room: float, every: np.ndarray, **look: Any) -> Bars:
    """Bars on a free panel. every: the numbers that have room there, with 0, from a place on; look: as for `Bars`."""
    low, high = float(np.min(every, initial=0.0)), float(np.max(every, initial=0.0))
    unit = room / ((high - low) or 1.0)
    return Bars(**look, zero=start - unit * low, unit=unit)


def numbers(labels: Sequence[str]) -> np.ndarray:
    """The numbers of an axis."""
    return np.array([float(label) for label in labels])


def runs_with(result: Result, reason: str, *arrays: str) -> list[Run]:
    """The runs that have all of these arrays; refuses with the reason where there is none."""
    runs = [run for run in result.runs if {*arrays} <= {*run.arrays}]
    need(runs, reason)
    return runs


def by_run(runs: Sequence[Run], draw: Callable[[Run, str], Panel], most: int, shared: str = "") -> Sheet:
    """A panel for each of the first runs. draw: from a run and its name."""
    shown, names, note = some_runs(runs, most, "")
    return Sheet([draw(run, name) for run, name in zip(shown, names, strict=True)], notes=[note], shared=shared)
