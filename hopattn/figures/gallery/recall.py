"""Recall as a strip of pictures: the cue, each step, the end; beside it energy and overlap by step."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot
from hopattn.figures.recall_course import course
from hopattn.figures.style import COLOURS, FAINT, INK, label
from hopattn.scenario.result import Result, Run
from hopattn.scenario.words.character_pictures import Strip

CUES, FRAMES = 4, 5
"""So many cues are drawn, and so many pictures of each: of a longer recall the first and the last."""
SIGNS = "●■▲◆"
"""One for each cue, before its name as in the lines, so that they are told apart without their colours."""


class RecallStrip(Plot):
    """The first run's cues, a row each, with the stored pattern that comes nearest to where it ended."""

    name: ClassVar[str] = "recall"
    shows: ClassVar[str] = "recall step by step: from a damaged picture to a stored one, the energy falling"
    scenario: ClassVar[str] = "letters"

    def lacks(self, result: Result) -> str:
        return "" if result.runs[0].strips else "it recalls no pictures"

    def draw(self, figure: Figure, result: Result) -> None:
        run = result.runs[0]
        figure.suptitle(result.title, wrap=True)
        figure.get_layout_engine().set(h_pad=0.1, w_pad=0.1)
        left, right = figure.subfigures(1, 2, width_ratios=(2.4, 1))
        shown = run.strips[:CUES]
        wide = 1 + max(len(_chosen(strip)) for strip in shown)
        grid = left.subplots(len(shown), wide, squeeze=False)
        for i, (row, strip) in enumerate(zip(grid, shown, strict=True)):
            _row(row, run, i, strip)
        _lines(right, run, len(shown))


def overlap(run: Run, i: int) -> np.ndarray:
    """The cosine of each state on the way, the cue first, with the stored pattern nearest to the end, `(T+1,)`."""
    way, pattern = run.arrays["trajectory"].values[i], run.arrays["nearest"].values[i]
    lengths = np.linalg.norm(way, axis=-1) * np.linalg.norm(pattern)
    return np.asarray(way @ pattern / np.where(lengths > 0, lengths, 1.0))


def _chosen(strip: Strip) -> list[int]:
    """The pictures of a strip that there is room for."""
    n = len(strip.names)
    return list(range(n)) if n <= FRAMES else [*range(FRAMES - 1), n - 1]


def _row(row: Any, run: Run, i: int, strip: Strip) -> None:
    """The pictures of one cue, and what is stored at the end of the row."""
    chosen = _chosen(strip)
    colour = COLOURS[i]
    for ax, j in zip(row, chosen, strict=False):
        _picture(ax, strip.pictures[j].reshape(strip.size.rows, strip.size.columns))
        ax.set_xlabel(strip.names[j].replace("… ", ""))
    cut = len(chosen) < len(strip.names) or any(name.startswith("…") for name in strip.names)
    if cut:
        row[len(chosen) - 1].set_ylabel("…", rotation=0, fontsize=24, va="center", labelpad=14)
    for ax in row[len(chosen) : -1]:
        ax.set_axis_off()
    name = label(run.arrays["input"].labels[0][i])
    row[0].set_title(f"{SIGNS[i]} {name}", color=colour, loc="left", weight="bold")
    row[0].spines[:].set(color=colour, linewidth=3)
    _stored(row[-1], run, i, (strip.size.rows, strip.size.columns))


def _stored(ax: Any, run: Run, i: int, shape: tuple[int, int]) -> None:
    """The pattern that is recalled; faint, the one that comes nearest, where none is."""
    found = run.arrays["recalls"].values[i] != "nothing"
    pattern, name = run.arrays["nearest"].values[i], label(str(run.arrays["nearest word"].values[i]))
    _picture(ax, (pattern / (np.abs(pattern).max() or 1.0)).reshape(shape))
    ax.set_title(f"recalls {name}" if found else "recalls nothing")
    ax.spines[:].set(linestyle="-" if found else "--", linewidth=2)
    if not found:
        ax.images[0].set_alpha(0.35)
        ax.set_xlabel(f"nearest: {name}")


def _picture(ax: Any, values: np.ndarray) -> None:
    """Black 1, white −1; a grey in between."""
    ax.imshow(values, cmap="gray_r", vmin=-1, vmax=1)
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set(visible=True, color=INK, linewidth=1)


def _lines(right: Any, run: Run, n: int) -> None:
    """Energy and overlap by step, each cue until it stopped, or a little further than its pictures change."""
    energy, steps = run.arrays.get("energy"), run.arrays["steps"].values[:n]
    changed = [int(name.split()[-1]) for strip in run.strips[:n] for name in strip.names if name[-1].isdigit()]
    until, longest = max(changed, default=0) + 2, int(steps.max())
    curves = {} if energy is None else {"energy": energy.values[:n]}
    curves["overlap"] = np.stack([overlap(run, i) for i in range(n)])
    axes = course(right, curves, np.minimum(steps, until))
    axes[-1].set(xlabel=f"step (of {longest})" if longest > until else "step", ylim=(-1.08, 1.08))
    axes[-1].axhline(0, color=FAINT, linewidth=1, zorder=0)
    axes[0].set_title("on the way")
