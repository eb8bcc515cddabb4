"""A recall as a row of pictures: the cue, each step, the recalled pattern; beside it energy and overlap by step."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot
from hopattn.figures.headings import headline, pads
from hopattn.figures.recall_course import draw_course
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label
from hopattn.scenario.result import Result, Run
from hopattn.scenario.words.character_pictures import Strip

CUES, FRAMES = 4, 5
"""The largest number of cues, and of pictures of each: of a longer recall the first pictures and the last."""
EXTRA_STEPS = 2
"""The curves are drawn for this number of steps after the last picture."""
SIGNS = "●■▲◆"
"""The marker of each cue in front of its name, as on its lines, so that cues differ without colours too."""


class RecallStrip(Plot):
    """The cues of the first run, one row each, with the stored pattern nearest to the final state."""

    name: ClassVar[str] = "recall"
    shows: ClassVar[str] = "recall step by step: from a damaged picture to a stored one, the energy falling"
    scenario: ClassVar[str] = "letters"

    def lacks(self, result: Result) -> str:
        return "" if result.runs[0].strips else "it recalls no pictures"

    def draw(self, figure: Figure, result: Result) -> None:
        run = result.runs[0]
        headline(figure, result)
        pads(figure, h_pad=0.1, w_pad=0.1)
        left, right = figure.subfigures(1, 2, width_ratios=(2.4, 1))
        strips = run.strips[:CUES]
        columns = 1 + max(len(_pictures_shown(strip)) for strip in strips)
        grid = left.subplots(len(strips), columns, squeeze=False)
        for i, (row, strip) in enumerate(zip(grid, strips, strict=True)):
            _row(row, run, i, strip)
        _curves(right, run, len(strips))


def overlap(run: Run, i: int) -> np.ndarray:
    """The cosine of each state, the cue first, with the stored pattern nearest to the final one, `(n_steps + 1,)`."""
    states, pattern = run.arrays["trajectory"].values[i], run.arrays["nearest"].values[i]
    lengths = np.linalg.norm(states, axis=-1) * np.linalg.norm(pattern)
    return np.asarray(states @ pattern / np.where(lengths > 0, lengths, 1.0))


def _pictures_shown(strip: Strip) -> list[int]:
    """The indices of the pictures that the figure shows of a strip."""
    n = len(strip.names)
    return list(range(n)) if n <= FRAMES else [*range(FRAMES - 1), n - 1]


def _row(row: Any, run: Run, i: int, strip: Strip) -> None:
    """Draw the pictures of cue `i`, and the stored pattern at the end of the row."""
    shown = _pictures_shown(strip)
    colour = theme().series[i]
    for ax, j in zip(row, shown, strict=False):
        _picture(ax, strip.pictures[j].reshape(strip.size.rows, strip.size.columns))
        ax.set_xlabel(strip.names[j].replace("… ", ""))
    cut = len(shown) < len(strip.names) or any(name.startswith("…") for name in strip.names)
    if cut:
        row[len(shown) - 1].set_ylabel("…", rotation=0, fontsize=scaled(24), va="center", labelpad=scaled(14))
    for ax in row[len(shown) : -1]:
        ax.set_axis_off()
    name = label(run.arrays["input"].labels[0][i])
    row[0].set_title(f"{SIGNS[i]} {name}", color=colour, loc="left", weight="bold")
    row[0].spines[:].set(color=colour, linewidth=scaled(3))
    _stored(row[-1], run, i, (strip.size.rows, strip.size.columns))


def _stored(ax: Any, run: Run, i: int, shape: tuple[int, int]) -> None:
    """Draw the pattern that cue `i` recalls; if it recalls none, the nearest one, faint."""
    recalled = run.arrays["recalls"].values[i] != "nothing"
    pattern, name = run.arrays["nearest"].values[i], label(str(run.arrays["nearest word"].values[i]))
    _picture(ax, (pattern / (np.abs(pattern).max() or 1.0)).reshape(shape))
    ax.set_title(f"recalls {name}" if recalled else "recalls nothing")
    ax.spines[:].set(linestyle="-" if recalled else "--", linewidth=scaled(2))
    if not recalled:
        ax.images[0].set_alpha(0.35)
        ax.set_xlabel(f"nearest: {name}")


def _picture(ax: Any, values: np.ndarray) -> None:
    """Draw a picture: 1 is black, −1 white, numbers between them grey."""
    ax.imshow(values, cmap=theme().picture, vmin=-1, vmax=1)
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set(visible=True, color=theme().ink, linewidth=scaled(1))


def _curves(right: Any, run: Run, n: int) -> None:
    """Draw energy and overlap by step for the first `n` cues, until each stops, or soon after the last picture."""
    energy, steps = run.arrays.get("energy"), run.arrays["steps"].values[:n]
    changed = [int(name.split()[-1]) for strip in run.strips[:n] for name in strip.names if name[-1].isdigit()]
    until, longest = max(changed, default=0) + EXTRA_STEPS, int(steps.max())
    curves = {} if energy is None else {"energy": energy.values[:n]}
    curves["overlap"] = np.stack([overlap(run, i) for i in range(n)])
    axes = draw_course(right, curves, np.minimum(steps, until))
    axes[-1].set(xlabel=f"step (of {longest})" if longest > until else "step", ylim=(-1.08, 1.08))
    axes[-1].axhline(0, color=theme().faint, linewidth=scaled(1), zorder=0)
    axes[0].set_title("on the way")
