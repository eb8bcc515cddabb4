"""Similarity on the unit circle: the angle between a neuron's weights and each cue."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot
from hopattn.figures.headings import headline
from hopattn.figures.shapes import arithmetic, arrow
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label, number
from hopattn.scenario.result import Result

MOST = 8
"""The largest number of cues, one circle each."""
FEW = 4
"""The number of cues up to which they are in one row, with their arithmetic."""


class Similarity(Plot):
    """One circle for each cue of the first run: the weights, the cue, the angle between them and the output."""

    name: ClassVar[str] = "similarity"
    shows: ClassVar[str] = "similarity as an angle: the nearer a cue is to the weights, the more comes out"
    scenario: ClassVar[str] = "similarity"

    def lacks(self, result: Result) -> str:
        if "network" not in result.runs[0].arrays:
            return "it has no neuron that is cued"
        neurons, axes = result.runs[0].arrays["network"].values.shape
        if axes != 2:
            return f"its patterns have {axes} axes; a circle has two"
        return "" if neurons == 1 else f"its layer has {neurons} neurons; each circle shows the weights of one"

    def draw(self, figure: Figure, result: Result) -> None:
        arrays = result.runs[0].arrays
        cues, weights, state = (arrays[name].values for name in ("input", "network", "state"))
        tokens, axes_names = arrays["input"].labels
        n = min(len(tokens), MOST)
        headline(figure, result)
        rows = 1 + (n > FEW)
        axes = figure.subplots(rows, -(-n // rows), squeeze=False, sharex=True, sharey=True).ravel()
        reach = 1.08 * max(1.0, float(np.linalg.norm(np.vstack([weights, cues[:n]]), axis=1).max()))
        for ax, token, cue, out in zip(axes, tokens, cues, state[:, 0], strict=False):
            _circle(ax, weights[0], cue, reach)
            ax.set_title(f"{label(token)}: {number(out)}", fontsize=scaled(21), pad=scaled(12))
            text = _angle(weights[0], cue) + (f"\n{arithmetic(weights[0], cue)}" if n <= FEW else "")
            ax.set_xlabel(f"{label(axes_names[0])}\n{text}", fontsize=scaled(16), linespacing=1.5)
        for ax in axes[:: -(-n // rows)]:
            ax.set_ylabel(label(axes_names[1]))
        for ax in axes[n:]:
            ax.set_axis_off()
        keys = [
            ax.plot([], [], color=colour, lw=width)[0] for colour, width in ((theme().plus, 9), (theme().minus, 2.5))
        ]
        figure.legend(
            keys, ["weights w", "cue a"], loc="outside lower center", ncols=2, frameon=False, fontsize=scaled(18)
        )


def _circle(ax: Any, weights: np.ndarray, cue: np.ndarray, reach: float) -> None:
    """Draw the unit circle, the weights as a thick arrow, the cue as a thin one on top, and the angle between them."""
    from matplotlib.patheffects import withStroke

    turn = np.linspace(0, 2 * np.pi, 181)
    ax.plot(np.cos(turn), np.sin(turn), color=theme().faint, lw=scaled(1.5))
    ax.axhline(0, color=theme().faint, lw=scaled(0.8))
    ax.axvline(0, color=theme().faint, lw=scaled(0.8))
    arrow(ax, (0, 0), weights, theme().plus, 9, mutation_scale=scaled(28), joinstyle="miter")
    arrow(
        ax, (0, 0), cue, theme().minus, 2.5, path_effects=[withStroke(linewidth=scaled(4.5), foreground=theme().paper)]
    )
    if weights.any() and cue.any():
        start = np.arctan2(weights[1], weights[0])
        arc = start + np.linspace(0, _between(weights, cue), 61)
        ax.plot(0.34 * np.cos(arc), 0.34 * np.sin(arc), color=theme().ink, lw=scaled(2))
    ax.plot(0, 0, "o", color=theme().ink, mec=theme().paper, ms=scaled(9), zorder=5)
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    ticks = np.array([-1, 0, 1]) * max(1, int(reach))
    ax.set(xticks=ticks, yticks=ticks)


def _between(a: np.ndarray, b: np.ndarray) -> float:
    """The angle from `a` to `b`, counter-clockwise, from −π to π."""
    return float(np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b))


def _angle(a: np.ndarray, b: np.ndarray) -> str:
    """The angle between two vectors as a text."""
    return f"angle {abs(np.degrees(_between(a, b))):.0f}°" if a.any() and b.any() else "no angle: a vector is 0"
