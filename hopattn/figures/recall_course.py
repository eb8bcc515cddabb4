"""The course of a recall: energy and overlap by step, and the states that it ended in."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hopattn.dynamics.record import Recall
from hopattn.figures.base import Figure
from hopattn.figures.style import COLOURS, FAINT

MARKERS = ("o", "s", "^", "D")
"""One for each cue, so that lines are told apart without their colours."""
TOLD_APART, LINES = 4, 100
"""Up to so many cues have a colour and a marker of their own; of more than `LINES` the first are drawn."""


def draw_recall(figure: Figure, record: Recall) -> None:
    """The states that the cues ended in, a row each; beside them energy and overlap by step, where these are known.

    The overlap is the largest with any stored pattern, of the magnitude; it is known where it was kept.
    """
    states = np.atleast_2d(record.state)
    steps = np.atleast_1d(record.steps)
    curves = {}
    if record.energies is not None:
        curves["energy"] = np.atleast_2d(record.energies)
    if record.overlaps is not None and record.overlaps.shape[-1]:
        largest = np.abs(record.overlaps).max(axis=-1)
        curves["largest overlap"] = largest[None] if states.ndim > record.state.ndim else largest.T
    figure.get_layout_engine().set(h_pad=0.1, w_pad=0.1)
    left, right = figure.subfigures(1, 2, width_ratios=(1.4, 1)) if curves else (figure, None)
    _ends(left, states)
    if right is not None:
        axes = course(right, curves, steps)
        axes[0].set_title("on the way")


def course(part: Figure, curves: Mapping[str, np.ndarray], lasts: Sequence[int] | np.ndarray) -> list[Any]:
    """Quantities by step, `(n, T+1)`, a panel each, a line for each cue until its own last step; gives the panels."""
    axes = list(part.subplots(len(curves), 1, sharex=True, squeeze=False)[:, 0])
    apart = len(lasts) <= TOLD_APART
    for ax, (what, rows) in zip(axes, curves.items(), strict=True):
        for i, last in enumerate(lasts[:LINES]):
            shown = rows[i][: int(last) + 1]
            own = {"marker": MARKERS[i], "markersize": 9, "markevery": max(1, (len(shown) - 1) // 8)} if apart else {}
            look = {"color": COLOURS[i], **own} if apart else {"color": COLOURS[0], "linewidth": 1.5, "alpha": 0.5}
            ax.plot(shown, **look)
        ax.set_ylabel(what)
    axes[-1].set_xlabel("step")
    axes[-1].xaxis.get_major_locator().set_params(integer=True)
    part.align_ylabels(axes)
    return axes


def _ends(part: Figure, states: np.ndarray) -> None:
    """States as rows of cells, black for the largest and white for its negative, as pictures are."""
    finite = np.abs(states[np.isfinite(states)])
    most = float(finite.max(initial=0.0)) or 1.0
    ax = part.subplots()
    image = ax.imshow(states, cmap="gray_r", vmin=-most, vmax=most, aspect="auto", interpolation="nearest")
    ax.set(xlabel="neuron", ylabel="cue", title="the states at the end")
    for axis in (ax.xaxis, ax.yaxis):
        axis.get_major_locator().set_params(integer=True, min_n_ticks=1)
    ax.spines[:].set(visible=True, color=FAINT)
    part.colorbar(image, ax=ax, label="activation")
