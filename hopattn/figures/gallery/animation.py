"""A recall of a picture, frame by frame: the state at each step, and the energy up to it."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot
from hopattn.figures.headings import pads
from hopattn.figures.style import DPI, scaled, theme
from hopattn.figures.text import label
from hopattn.scenario.result import Result
from hopattn.scenario.words.character_pictures import Strip

SIDE = 6.0
"""The sides of a frame, in inches."""
EXTRA_STEPS = 2
"""The energy is drawn for this number of steps after the last picture."""


class Animation(Plot):
    """The recall of the first cue of the first run. `draw` shows the last frame, `frames` gives every frame."""

    name: ClassVar[str] = "animation"
    shows: ClassVar[str] = "recall as it happens: the picture that the neurons hold, step by step"
    scenario: ClassVar[str] = "graded"
    moves: ClassVar[bool] = True

    def lacks(self, result: Result) -> str:
        return "" if result.runs[0].strips else "it recalls no pictures"

    def draw(self, figure: Figure, result: Result) -> None:
        self.frame(figure, result, len(_picture_steps(result)) - 1)

    def frames(self, result: Result) -> list[Figure]:
        """One figure for each picture of the strip, the cue first; call it within `styled()`."""
        from matplotlib.figure import Figure as Drawing

        figures = []
        for i in range(len(_picture_steps(result))):
            figure = Drawing(figsize=(SIDE, SIDE), dpi=DPI, layout="constrained")
            self.frame(figure, result, i)
            figures.append(figure)
        return figures

    def frame(self, figure: Figure, result: Result, i: int) -> None:
        """Draw frame `i` into an empty figure; frame 0 is the cue."""
        run, strip = result.runs[0], result.runs[0].strips[0]
        energy = run.arrays.get("energy")
        pads(figure, h_pad=0.1, w_pad=0.1)
        heights = (3,) if energy is None else (3, 1)
        axes = figure.subplots(len(heights), 1, squeeze=False, height_ratios=heights)
        picture = axes[0, 0]
        picture.imshow(_picture(strip, i), cmap=theme().picture, vmin=-1, vmax=1)
        picture.set(xticks=[], yticks=[], title=_title(result, i))
        picture.spines[:].set(visible=True, color=theme().ink)
        if energy is not None:
            picture_steps, steps = _picture_steps(result), int(run.arrays["steps"].values[0])
            until = min(steps, picture_steps[-1] + EXTRA_STEPS)
            _energy(axes[1, 0], energy.values[0][: until + 1], picture_steps[i])
            axes[1, 0].set_xlabel("step" if until == steps else f"step (of {steps})")


def _picture_steps(result: Result) -> list[int]:
    """The step of each picture of the first strip; the picture of an answer belongs to the last step."""
    last = int(result.runs[0].arrays["steps"].values[0])
    words = [name.removeprefix("… ").split() for name in result.runs[0].strips[0].names]
    return [0 if word == ["cue"] else int(word[1]) if word[0] == "step" else last for word in words]


def _picture(strip: Strip, i: int) -> np.ndarray:
    """Picture `i` of a strip, `(rows, columns)`."""
    return np.reshape(strip.pictures[i], (strip.size.rows, strip.size.columns))


def _title(result: Result, i: int) -> str:
    """The name of the cue and the step; in the last frame also the word that it recalls."""
    run, strip = result.runs[0], result.runs[0].strips[0]
    cue, name = label(run.arrays["input"].labels[0][0]), strip.names[i].removeprefix("… ")
    recalled = f": recalls {label(str(run.arrays['recalls'].values[0]))}" if i == len(strip.names) - 1 else ""
    return f"{cue}\n{name}{recalled}"


def _energy(ax: Any, energy: np.ndarray, now: int) -> None:
    """Draw the energy by step up to `now`. Later steps are faint, so that the axes are the same in every frame."""
    ax.plot(energy, color=theme().faint, linewidth=scaled(1.5), linestyle=":")
    ax.plot(energy[: now + 1], color=theme().series[0])
    ax.plot(
        now,
        energy[min(now, len(energy) - 1)],
        "o",
        color=theme().series[0],
        markersize=scaled(11),
        clip_on=False,
        zorder=3,
    )
    ax.set(ylabel="energy", xlim=(0, max(1, len(energy) - 1)))
    ax.xaxis.get_major_locator().set_params(integer=True)
