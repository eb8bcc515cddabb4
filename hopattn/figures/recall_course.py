"""A recall as curves and cells: energy and overlap by step, and the final states."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hopattn.dynamics.record import Recall
from hopattn.figures.base import Axes, Figure
from hopattn.figures.headings import pads
from hopattn.figures.style import scaled, theme

MARKERS = ("o", "s", "^", "D")
"""One marker for each cue, so that lines differ without colours too."""
MARKED_CUES, MAX_CUES = 4, 100
"""Up to `MARKED_CUES` cues, each has its own colour and marker. The first `MAX_CUES` cues are drawn."""


def draw_recall(figure: Figure, record: Recall) -> None:
    """Draw the final states, one row for each cue; beside them energy and overlap by step, if the record has them.

    The overlap of a state is its largest overlap with a stored pattern, without the sign. A record has overlaps if the
    recall was run with `keep=["overlaps"]`.
    """
    states = np.atleast_2d(record.state)
    steps = np.atleast_1d(record.steps)
    curves = curves_of(record)
    pads(figure, h_pad=0.1, w_pad=0.1)
    left, right = figure.subfigures(1, 2, width_ratios=(1.4, 1)) if curves else (figure, None)
    _final_states(left, states)
    if right is not None:
        axes = draw_course(right, curves, steps)
        axes[0].set_title("on the way")


def curves_of(record: Recall) -> dict[str, np.ndarray]:
    """The quantities by step that a record has, `(n_cues, n_steps + 1)` each: energy and largest overlap."""
    curves = {}
    if record.energies is not None:
        curves["energy"] = np.atleast_2d(record.energies)
    if record.overlaps is not None and record.overlaps.shape[-1]:
        largest = np.abs(record.overlaps).max(axis=-1)
        curves["largest overlap"] = largest[None] if record.state.ndim == 1 else largest.T
    return curves


def draw_course(part: Figure, curves: Mapping[str, np.ndarray], last_steps: Sequence[int] | np.ndarray) -> list[Any]:
    """Draw quantities by step, one panel each, with one line for each cue; returns the panels.

    curves: arrays `(n_cues, n_steps + 1)` by name. last_steps: the step at which the line of each cue ends.
    """
    axes = list(part.subplots(len(curves), 1, sharex=True, squeeze=False)[:, 0])
    for ax, (name, rows) in zip(axes, curves.items(), strict=True):
        draw_curves(ax, name, rows, last_steps)
    axes[-1].set_xlabel("step")
    part.align_ylabels(axes)
    return axes


def draw_curves(ax: Axes, name: str, rows: np.ndarray, last_steps: Sequence[int] | np.ndarray) -> None:
    """Draw one quantity by step, with one line for each cue, up to the step at which it ends.

    rows: `(n_cues, n_steps + 1)`.
    """
    marked = len(last_steps) <= MARKED_CUES
    for i, last in enumerate(last_steps[:MAX_CUES]):
        row = rows[i][: int(last) + 1]
        style: dict[str, Any] = {"color": theme().series[0], "linewidth": scaled(1.5), "alpha": 0.5}
        if marked:
            every = max(1, (len(row) - 1) // 8)
            style = {"marker": MARKERS[i], "markersize": scaled(9), "markevery": every, "color": theme().series[i]}
        ax.plot(row, **style)
    ax.set_ylabel(name)
    ax.xaxis.get_major_locator().set_params(integer=True)


def _final_states(part: Figure, states: np.ndarray) -> None:
    """Draw states as rows of cells: black for the largest activation, white for its negative, as in pictures."""
    finite = np.abs(states[np.isfinite(states)])
    most = float(finite.max(initial=0.0)) or 1.0
    ax = part.subplots()
    image = ax.imshow(states, cmap=theme().picture, vmin=-most, vmax=most, aspect="auto", interpolation="nearest")
    ax.set(xlabel="neuron", ylabel="cue", title="the states at the end")
    for axis in (ax.xaxis, ax.yaxis):
        axis.get_major_locator().set_params(integer=True, min_n_ticks=1)
    ax.spines[:].set(visible=True, color=theme().faint)
    part.colorbar(image, ax=ax, label="activation")
