"""Words in the plane of two of their axes: before and after attention, the plane, the word that stands out."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure, arrays_of
from hopattn.figures.choice import highlighted_words
from hopattn.figures.headings import laid_out, left_out, run_titles, wrapped
from hopattn.figures.labelled_points import in_plane, name_axes
from hopattn.figures.panels import Panels, Part, Shown
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import indexed, label, number
from hopattn.foundation.errors import InvalidInput, unknown
from hopattn.results.labelled import Labelled
from hopattn.retrieval.similarity import cosine
from hopattn.scenario.result import Result, Run

OFF = 1e-6
"""The length in the plane, relative to that of the whole vector, up to which a word is off the plane."""
MARGIN = 0.15
"""The space around the points of a plane, relative to their extent."""
WIDER = 2.0
"""How many times as long as its points need an axis of a plane becomes, so that names have room."""
LONG = 40
"""The largest width of a word in a title, in letters; a wider one is cut."""


class WordPlanes(Panels[Part]):
    """Panels side by side on the same two axes of the words; the points of a panel come last, with their labels."""

    in_a_row: ClassVar[int] = 4
    shared: ClassVar[Mapping[str, bool]] = {"sharex": True, "sharey": True}
    space: ClassVar[Mapping[str, float]] = {"h_pad": 0.1}

    @abstractmethod
    def plane(self, shown: Shown[Part]) -> tuple[str, str]:
        """The names of the two axes."""

    @abstractmethod
    def points(self, shown: Shown[Part]) -> np.ndarray:
        """The points that the panels hold, `(n_points, 2)`."""

    @abstractmethod
    def draw_words(self, ax: Axes, part: Part, shown: Shown[Part]) -> None:
        """Draw the words of one part, and their labels."""

    def panel_of(self, ax: Axes, part: Part, shown: Shown[Part]) -> None:
        frame(ax, self.plane(shown), limits(self.points(shown)))

    def finish(self, figure: Figure, axes: Sequence[Axes], shown: Shown[Part]) -> None:
        filled(figure, axes, self.plane(shown), np.inf if shown.in_axes else WIDER)
        for ax, part in zip(axes, shown.parts, strict=True):
            self.draw_words(ax, part, shown)

    def complete(self, ax: Axes, part: Part, shown: Shown[Part]) -> None:
        self.finish(ax.figure, [ax], shown)


class RunPlanes(WordPlanes[Run]):
    """The words of each run, on the axes along which the highlighted words move most, or are pulled most.

    After these axes come those in which the highlighted words extend, and those along which other words move. The axes
    of `[figure]` come before all.
    """

    most: ClassVar[int] = 4

    @abstractmethod
    def texts(self, run: Run) -> list[Labelled]:
        """The words of a run before attention, and others that its panel holds."""

    @abstractmethod
    def movement(self, run: Run) -> np.ndarray:
        """The square of how far each word moves along each axis, `(n_words, dim)`."""

    def plane(self, shown: Shown[Run]) -> tuple[str, str]:
        known = self.texts(shown.every[0])[0].labels[1]
        moves, extents, all_moves = np.zeros((3, len(known)))
        for run in shown.every:
            words, own = self.texts(run)[0], self.movement(run)
            in_question = asked(shown.result, words.labels[0])
            moves = moves + own[in_question].sum(axis=0)
            extents = extents + np.sum(words.values[in_question] ** 2, axis=0)
            all_moves = all_moves + own.sum(axis=0)
        return chosen_axes(shown.result, known, (moves, extents, all_moves))

    def points(self, shown: Shown[Run]) -> np.ndarray:
        plane = self.plane(shown)
        return np.concatenate([in_plane(words, *plane) for run in shown.parts for words in self.texts(run)])

    def panel_of(self, ax: Axes, part: Run, shown: Shown[Run]) -> None:
        super().panel_of(ax, part, shown)
        words = self.texts(part)[0]
        if off_plane(words, in_plane(words, *self.plane(shown))).any():
            ax.plot(0, 0, "x", color=theme().faint, ms=scaled(12), mew=scaled(3), ls="none", zorder=5)


def before_after(run: Run) -> list[Labelled]:
    """The words before the first layer and after the last; an empty list where these have no axes in common."""
    arrays = arrays_of(run)
    states = [array for name, array in run.find("state") if name.layer and name.text in ("", "sequence 1")]
    alike = states and "input" in arrays and arrays["input"].labels[1] == states[-1].labels[1]
    return [arrays["input"], states[-1]] if alike else []


def asked(result: Result, tokens: tuple[str, ...]) -> list[int]:
    """The indices of the highlighted words among these tokens, in their order of importance; all if there are none.

    The query of `[figure]` comes first.
    """
    wanted = [result.figure.query, *highlighted_words(result)]
    found = [tokens.index(word) for word in dict.fromkeys(wanted) if word is not None and word in tokens]
    return found or list(range(len(tokens)))


def hero(result: Result, tokens: tuple[str, ...], start: np.ndarray, end: np.ndarray) -> int:
    """The index of the word that stands out: the first of the highlighted words that moves.

    Without highlighted words, it is the one that moves farthest. start, end: the words before and after,
    `(n_words, dim)`.
    """
    far = np.round(np.linalg.norm(end - start, axis=1), 9)
    found = asked(result, tokens)
    if len(found) == len(tokens) and not {*highlighted_words(result)} & {*tokens}:
        return int(np.argmax(far))
    return next((i for i in found if far[i] > 0), found[0])


def chosen_axes(result: Result, known: Sequence[str], ranks: Sequence[np.ndarray]) -> tuple[str, str]:
    """The two axes of the plane: those of `[figure]`, else those that rank first, in the order of the axes.

    known: the axes that the words have. ranks: for each criterion, the most important first, a number for each axis.
    Raises `InvalidInput` for an axis that the words do not have.
    """
    if (axes := result.figure.axes) is not None:
        for axis in axes:
            if axis not in known:
                raise InvalidInput(f"figure: axes: {unknown(axis, known)}")
        return axes[0], axes[1]
    keys = list(zip(*(np.round(rank, 9).tolist() for rank in ranks), strict=True))
    best = sorted(sorted(range(len(known)), key=lambda k: keys[k], reverse=True)[:2])
    return known[best[0]], known[best[1]]


def off_plane(words: Labelled, points: np.ndarray) -> np.ndarray:
    """Which words have a vector, but none in the plane, `(n_words,)`. points: the words in the plane."""
    whole = np.linalg.norm(words.values, axis=1)
    return np.asarray((whole > 0) & (np.linalg.norm(points, axis=1) <= OFF * whole))


def approached(words: np.ndarray, after: np.ndarray, word: int) -> int | None:
    """The index of the nearest of the words that one word turns towards, by its cosine; None if it turns towards none.

    words: all words before, `(n_words, dim)`. after: the one word after, `(dim,)`.
    """
    rises = [round(float(cosine(after, other)) - float(cosine(words[word], other)), 9) for other in words]
    others = [i for i in range(len(words)) if not np.array_equal(words[i], words[word]) and rises[i] > 0]
    return max(others, key=lambda i: round(float(cosine(after, words[i])), 9), default=None)


def turn_of(
    words: Labelled, word: int, other: int | None, after: np.ndarray, plane: tuple[str, str], letters: int
) -> str:
    """The cosine of a word with the one that it turns towards, before and after; empty if it turns towards none.

    Below it is the cosine of the angle that is drawn in the plane, where that is another one. letters: in a line.
    """
    if other is None:
        return ""

    def course(axes: Any) -> str:
        start, goal, end = (vector[axes] for vector in (words.values[word], words.values[other], after))
        return " → ".join(number(float(cosine(vector, goal))) for vector in (start, end))

    whole, drawn = course(slice(None)), course([words.labels[1].index(axis) for axis in plane])
    turn = wrapped(f"cosine with {indexed(words.labels[0][other], LONG)}: {whole}", letters)
    return turn if drawn == whole else f"{turn}\nin this plane: {drawn}"


def remarks(axes: int, runs: int, result: Result, cosines: bool) -> list[str]:
    """Remarks on the axes and runs that the planes leave out, and whether cosines are over all axes."""
    whole = f"cosines over all {axes}" if axes > 2 and cosines else ""
    return [left_out(2, axes, "axes", "axes"), whole, left_out(runs, len(result.runs), "runs", "run")]


def same_axes(runs: Iterable[Run]) -> list[Run]:
    """The runs whose words have the axes of those of the first."""
    there = list(runs)
    return [run for run in there if arrays_of(run)["input"].labels[1] == arrays_of(there[0])["input"].labels[1]]


def panel_titles(runs: Sequence[Run], texts: Sequence[Sequence[str]]) -> list[str]:
    """The titles of the panels: the names that `[figure]` gives to all runs, else names and texts."""
    letters = 76 // max(len(runs), 1)
    if len(runs) > 1 and all(run.name for run in runs):
        return [wrapped(run.name, letters) for run in runs]
    return run_titles(runs, texts, letters)


def limits(points: np.ndarray) -> tuple[tuple[float, float], tuple[float, float]]:
    """The limits of both axes around points and the origin, `(n_points, 2)`."""
    every = np.vstack([np.zeros((1, 2)), points])
    low, high = every.min(axis=0), every.max(axis=0)
    edge = MARGIN * max(*(high - low).tolist(), 1e-9)
    low, high = low - edge, high + edge
    return (float(low[0]), float(high[0])), (float(low[1]), float(high[1]))


def frame(ax: Any, plane: tuple[str, str], span: Any) -> None:
    """Set the limits and names of the axes of a plane, with few ticks, none of them at its corners."""
    ax.set(xlim=span[0], ylim=span[1], aspect="equal", xlabel=label(plane[0]), ylabel=label(plane[1]))
    ax.locator_params(nbins=5, prune="both")


def filled(figure: Figure, axes: Sequence[Axes], plane: tuple[str, str], widest: float = np.inf) -> None:
    """Widen the limits of planes until they fill their panels, so that names have room; both units stay equal.

    The figure is laid out, and the names of its axes are written as far as there is room. plane: these names. widest:
    how many times as long as now an axis becomes at most. Limits that the panels share with other axes stay.
    """
    laid_out(figure)
    groups = axes[0].get_shared_x_axes(), axes[0].get_shared_y_axes()
    own = all(sibling in axes for group in groups for sibling in group.get_siblings(axes[0]))
    boxes = [ax.get_position(original=True).transformed(ax.figure.transSubfigure) for ax in axes]
    sizes = np.array([(box.width, box.height) for box in boxes]).min(axis=0)
    limits = np.array([axes[0].get_xlim(), axes[0].get_ylim()])
    extents = np.diff(limits, axis=1)[:, 0]
    halves = np.minimum(sizes / np.min(sizes / extents) / 2, widest * extents / 2)
    low, high = limits.mean(axis=1) - halves, limits.mean(axis=1) + halves
    if own:
        for ax in axes:
            ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        laid_out(figure)
    laid_out(figure)
    for ax in axes:
        name_axes(ax, plane)


def any_off_mark(axes: Iterable[Any]) -> list[Any]:
    """A cross for the legend, if one of the axes has words off the plane; else nothing."""
    return [line for ax in axes for line in ax.lines if line.get_marker() == "x"][:1]
