"""Two memories side by side on one cue, such as a Hopfield network and attention: scores, weights and states."""

import re
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot
from hopattn.figures.choice import highlighted_words
from hopattn.figures.headings import foot, headline, laid_out, left_out, run_title
from hopattn.figures.shapes import cells, framed, number_bars, share_scale, write_numbers
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label, number
from hopattn.scenario.result import Result, Run

PATTERNS = 10
"""The largest number of patterns with a bar: those with the largest shares of weight in one of the memories."""
NUMBERED = 10
"""The number of elements up to which the cells of a state show their numbers."""
SHOWN = ("step 1 scores", "step 1 weights", "input", "state")


class Beside(Plot):
    """One cue in the first two runs: scores and weights of the first step, and the cue above the final state.

    All scores have one scale, and so have all weights. Weights beyond 1 are drawn as shares of all weight. A ring is
    around each neuron that the recall flips.
    """

    shows: ClassVar[str] = "two memories on one cue: how well each pattern fits, what it weighs, what is recalled"
    scenario: ClassVar[str] = "hopfield-beside-attention"

    def lacks(self, result: Result) -> str:
        if not any("step 1 field" in run.arrays for run in result.runs):
            return "it has no memory that recalls"
        if len(result.runs) < 2:
            return "it has one run, and nothing to compare it with"
        runs = result.runs[:2]
        if not all(name in run.arrays for run in runs for name in SHOWN):
            return "its memory has no weight for each pattern"
        same = len({run.arrays["input"].labels[0] for run in runs}) == 1
        return "" if same else "its first two runs have other cues"

    def draw(self, figure: Figure, result: Result) -> None:
        runs = result.runs[:2]
        cues = runs[0].arrays["input"].labels[0]
        wanted = (result.figure.query, *highlighted_words(result))
        cue = next((cues.index(word) for word in wanted if word is not None and word in cues), 0)
        headline(figure, result, _message(runs, cue))
        axes = figure.subplots(2, 3, width_ratios=[1, 1, 2.3], sharex="col")
        scores = [run.arrays["step 1 scores"].values[cue] for run in runs]
        weights, kind = [run.arrays["step 1 weights"].values[cue] for run in runs], "weights"
        if any(np.abs(row).max(initial=0.0) > 1 + 1e-9 for row in weights):
            weights, kind = [row / (float(np.abs(row).sum()) or 1.0) for row in weights], "shares of weight"
        patterns = [run.arrays["step 1 weights"].labels[1] for run in runs]
        sizes = [np.round(np.abs(row), 9) for row in weights]
        if patterns[0] == patterns[1]:  # both have bars for the same patterns
            sizes = [np.max(sizes, axis=0)] * len(runs)
        for row, run, fits, weighs, every, size in zip(axes, runs, scores, weights, patterns, sizes, strict=True):
            shown = np.sort(np.argsort(-size, kind="stable")[:PATTERNS])
            names = [label(every[k]) for k in shown]
            _bars(row[0], fits[shown], names)
            _bars(row[1], weighs[shown], names)
            row[0].set_ylabel(run_title(run, 24))
            _recalled(row[2], run, cue)
        share_scale(axes[:, 0], scores, 1.45)
        share_scale(axes[:, 1], [*weights, np.ones(1)], 1.45)
        for ax, title in zip(axes[0], ("scores", kind, "what is recalled"), strict=True):
            ax.set_title(title, fontsize=scaled(21))
        flips = any(line.get_marker() == "o" for ax in axes[:, 2] for line in ax.lines)
        notes = (
            f"the cue: {label(cues[cue])}",
            left_out(1, len(cues), "cues", "query"),
            left_out(min(PATTERNS, max(map(len, weights))), max(map(len, weights)), "patterns"),
            left_out(2, len(result.runs), "runs"),
        )
        foot(figure, notes, [_ring(axes[0, 2], [], 14)] if flips else [], ["flipped by the recall"])
        if flips:
            laid_out(figure)
            for ax in axes[:, 2]:
                _fit_rings(ax)


def _outcome(run: Run, cue: int, quoted: str = "{}") -> str:
    """The outcome of the recall of one cue as a text, such as "recalls B"; empty without one.

    quoted: how the name of a pattern is written.
    """
    ends = {name: str(run.arrays[name].values[cue]) for name in ("recalls", "spurious", "of") if name in run.arrays}
    if ends.get("recalls", "nothing") == "nothing" and ends.get("of"):
        return f"ends in a mixture: {ends['of']}" if ends["spurious"] == "mixture" else f"ends in {ends['of']} reversed"
    return f"recalls {quoted.format(label(ends['recalls']))}" if "recalls" in ends else ""


def _message(runs: tuple[Run, ...], cue: int) -> str:
    """The title: what both memories recall, if the runs have names."""
    first, second = (_outcome(run, cue, "‘{}’") for run in runs)
    if not first or not all(run.name for run in runs):
        return ""
    names = [run.name for run in runs]
    if first == second:
        return f"{names[0]} and {names[1]} on the same cue: each {first}"
    return f"the same cue: {names[0]} {first}, {names[1]} {second}"


def _bars(ax: Any, values: np.ndarray, names: list[str]) -> None:
    """Draw a bar for each pattern, with its number. values: `(n_patterns,)`."""
    texts = [number(value, 2 if abs(value) < 100 else 0) if abs(value) < 1e6 else f"{value:.1e}" for value in values]
    number_bars(ax, values, texts, scaled(17 if len(names) <= 6 else 14))
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(length=0)


def _recalled(ax: Any, run: Run, cue: int) -> None:
    """Draw the cue and its final state in black and white: two rows of cells, or two pictures side by side."""
    start, end = run.arrays["input"].values[cue], run.arrays["state"].values[cue]
    names = run.arrays["state"].labels[1]
    most = max(1.0, float(np.abs(end).max(initial=0.0)))
    colours = {"cmap": theme().picture, "vmin": -most, "vmax": most}
    last = re.fullmatch(r"row (\d+), column (\d+)", names[-1]) if names else None
    size = (int(last[1]), int(last[2])) if last else (0, 0)
    if last and size[0] * size[1] == len(names):  # the elements are the pixels of a picture
        gap = np.full((size[0], 1), np.nan)
        cells(ax, np.hstack([start.reshape(size), gap, end.reshape(size)]), colours, numbers=False)
        ax.set_aspect("equal")
        for left in (-0.5, size[1] + 0.5):
            framed(ax, (left, -0.5), size[::-1], theme().ink, 1.5, clip_on=False)
        ax.set_xticks([(size[1] - 1) / 2, 1.5 * size[1] + 0.5], ["cue", "state"])
        ax.tick_params(labelbottom=True)
    else:
        _rows(ax, start, end, colours, names)
    ax.set_xlabel(_outcome(run, cue))


def _rows(ax: Any, start: np.ndarray, end: np.ndarray, colours: dict[str, Any], names: tuple[str, ...]) -> None:
    """Draw cue and state as two rows of cells, with a ring around each neuron of the cue that the recall flips."""
    table = np.stack([start, end])
    image = cells(ax, table, colours, numbers=False)
    ax.axhline(0.5, color=theme().faint, lw=scaled(3.5))
    ax.set_yticks([0, 1], ["cue", "state"])
    if len(start) > NUMBERED:
        return
    write_numbers(ax, image, scaled(13))
    for j in np.flatnonzero(np.sign(start) * np.sign(end) < 0):
        _ring(ax, [int(j)], 32)
    for x in np.arange(len(start) - 1) + 0.5:
        ax.axvline(x, color=theme().faint, lw=scaled(1))
    ax.spines[:].set(visible=True, color=theme().faint)
    ax.set_xticks(range(len(names)), [label(name)[:6] for name in names])
    ax.tick_params(labelbottom=True)


def _ring(ax: Any, at: list[int], size: float) -> Any:
    """Draw a ring around the neurons of the cue with these indices; returns it. size: in points on a slide."""
    look = {"mfc": "none", "mec": theme().minus, "mew": scaled(3.5), "ms": scaled(size), "ls": "none"}
    return ax.plot(at, np.zeros(len(at)), "o", **look)[0]


def _fit_rings(ax: Any) -> None:
    """Shrink the rings to the cells. Call this last: it needs to know how large a cell is."""
    extent, (left, right) = ax.get_window_extent(), ax.get_xlim()
    wide = extent.width / (right - left) * 72 / ax.figure.dpi
    for line in ax.lines:
        if line.get_marker() == "o":
            line.set_markersize(min(line.get_markersize(), wide - line.get_markeredgewidth()))
