"""Trainings of small models: the in-context score falls as a head learns to match prefixes."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot
from hopattn.figures.headings import headline, pads
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import short
from hopattn.foundation.labelled import Labelled
from hopattn.scenario.result import Result, Run

SCORE, MATCHING, PREVIOUS = "in-context score", "prefix matching", "previous token"
MOST = 3
"""The largest number of trainings: the first."""
LINES = ("-", "--", ":")


class Emergence(Plot):
    """Above the in-context score of each training, below the best head for the word before and for the prefix."""

    name: ClassVar[str] = "emergence"
    shows: ClassVar[str] = "how induction heads arise in training, and what the model can do from then on"
    scenario: ClassVar[str] = "emergence"

    def lacks(self, result: Result) -> str:
        return "" if _trainings(result.runs[0]) else "it has no training"

    def draw(self, figure: Figure, result: Result) -> None:
        run = result.runs[0]
        headline(figure, result)
        pads(figure, h_pad=0.1)
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=[1, 1])
        for i, name in enumerate(_trainings(run)[:MOST]):
            _score(above, run.arrays[f"{name} {SCORE}"], short(name, 18), i)
            _best_heads(below, run, name, i)
        above.axhline(0, color=theme().faint, lw=scaled(1))
        above.set(ylabel="in-context score\n(nats)")
        above.set_title("loss where the word is a repetition, less the loss of new words", fontsize=scaled(17))
        below.set(ylabel="attention", ylim=(0, 1.02), xlabel="steps of training")
        below.set_title("attention of the best head", fontsize=scaled(17))
        for ax in (above, below):
            ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)


def _trainings(run: Run) -> list[str]:
    """The names of the trainings of a run."""
    return [name.removesuffix(f" {SCORE}") for name in run.arrays if name.endswith(f" {SCORE}")]


def _steps(array: Labelled) -> list[int]:
    return [int(step) for step in array.labels[0]]


def _score(ax: Any, score: Labelled, name: str, i: int) -> None:
    ax.plot(_steps(score), score.values, LINES[i], color=theme().series[6], label=name)


def _best_heads(ax: Any, run: Run, name: str, i: int) -> None:
    """Draw the head of all layers that attends most to the word before, and the one that matches prefixes best."""
    kinds = ((MATCHING, theme().series[1], "to what followed"), (PREVIOUS, theme().series[0], "to the word before"))
    for kind, colour, meaning in kinds:
        array = run.arrays[f"{name} {kind}"]
        ax.plot(
            _steps(array), np.max(array.values, axis=1), LINES[i], color=colour, label=f"{meaning},\n{short(name, 18)}"
        )
