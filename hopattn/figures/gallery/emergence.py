"""Trainings of small models: the in-context score falls as a head learns to match prefixes."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure, Plot
from hopattn.figures.headings import foot, headline, left_out, pads
from hopattn.figures.line_names import name_lines
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import number, short
from hopattn.scenario.result import Result, Run

SCORE, MATCHING, PREVIOUS = "in-context score", "prefix matching", "previous token"
MOST = 3
"""The largest number of trainings: the first."""
LINES = ("-", "--", ":")
SIGNS = ("dashed", "dotted")
"""The words for the lines of all trainings but the first."""
NAME = 18
"""The letters of the name of a training."""
KINDS = ((MATCHING, 1, "to the word after\nan earlier occurrence"), (PREVIOUS, 0, "to the word before"))
"""The scores of heads: the kind, its colour in the series, and what the best head attends to."""
HALF = 0.5
"""The attention from which on a head counts as an induction head."""


class Emergence(Plot):
    """Above the in-context score of each training, below the best head for the word before and for the prefix.

    A training keeps its dashes. A vertical line through both panels is where a head first matches prefixes with
    half of its attention.
    """

    shows: ClassVar[str] = "how induction heads arise in training, and what the model can do from then on"
    scenario: ClassVar[str] = "emergence"

    def lacks(self, result: Result) -> str:
        return "" if _trainings(result.runs[0]) else "it has no training"

    def draw(self, figure: Figure, result: Result) -> None:
        run = result.runs[0]
        trainings = _trainings(run)
        headline(figure, result)
        pads(figure, h_pad=0.1)
        above, below = figure.subplots(2, 1, sharex=True)
        for i, name in enumerate(trainings[:MOST]):
            score = run.arrays[f"{name} {SCORE}"]
            steps = list(map(int, score.labels[0]))
            above.plot(steps, score.values, LINES[i], color=theme().ink, label=short(name, NAME))
            for kind, series, meaning in KINDS:
                steps, best = _best(run, name, kind)
                below.plot(steps, best, LINES[i], color=theme().series[series], label=None if i else meaning)
            _emergence((above, below), run, name)
        above.axhline(0, color=theme().faint, lw=scaled(1), zorder=0)
        above.set(ylabel="nats")
        above.set_title("loss of words that repeat, less the loss of new words", fontsize=scaled(17))
        below.set(ylabel="share", ylim=(0, 1.02), yticks=[0, 0.5, 1], xlabel="steps of training")
        below.set_title("attention of the best head", fontsize=scaled(17))
        figure.align_ylabels([above, below])
        shown = left_out(len(trainings[:MOST]), len(trainings), "trainings")
        signs = [f"{sign}: {short(name, NAME)}" for sign, name in zip(SIGNS, trainings[1:MOST], strict=False)]
        foot(figure, (*signs, shown, left_out(1, len(result.runs), "runs", "run")))
        for ax in (above, below):
            ax.yaxis.set_major_formatter(lambda value, _: number(value))
            lines = [line for line in ax.lines if not line.get_label().startswith("_")]
            if not name_lines(ax, lines, [line.get_label() for line in lines]):
                ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)


def _trainings(run: Run) -> list[str]:
    """The names of the trainings of a run."""
    return [name.removesuffix(f" {SCORE}") for name in run.arrays if name.endswith(f" {SCORE}")]


def _best(run: Run, name: str, kind: str) -> tuple[list[int], np.ndarray]:
    """The steps of a training, and the score of its best head at each."""
    array = run.arrays[f"{name} {kind}"]
    return list(map(int, array.labels[0])), np.max(array.values, axis=1)


def _emergence(axes: tuple[Axes, ...], run: Run, name: str) -> None:
    """Mark the step at which the best head first matches prefixes with half of its attention, if there is one."""
    steps, best = _best(run, name, MATCHING)
    if not np.any(best >= HALF):
        return
    first = steps[int(np.argmax(best >= HALF))]
    style: dict[str, Any] = {"color": theme().faint, "lw": scaled(1.5), "zorder": 0}
    for ax in axes:
        ax.axvline(first, **style)
    style = {
        "textcoords": "offset points",
        "ha": "right",
        "va": "center",
        "fontsize": scaled(15),
        "color": theme().faint,
    }
    text = f"half of its weight\nfrom step {first:,} on"
    axes[-1].annotate(text, (first, HALF), (-scaled(20), 0), **style)
