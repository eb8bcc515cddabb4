"""A recall as curves and cells: energy and overlap by step, and the final states."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hopattn.dynamics.likeness import Spurious
from hopattn.dynamics.record import Recall
from hopattn.figures.base import Axes, Figure
from hopattn.figures.headings import foot, left_out, pads
from hopattn.figures.recalls import energy_scale
from hopattn.figures.style import scaled, theme, tick_options
from hopattn.foundation.writing import in_sentence

MARKERS = ("o", "s", "^", "D")
"""One marker for each cue, so that lines differ without colours too."""
SIGNS = "●■▲◆"
"""The same markers as letters."""
MARKED_CUES, NAMED_CUES, MAX_CUES = 4, 12, 100
"""Up to `MARKED_CUES` cues, each has its own colour and marker; up to `NAMED_CUES` have their ends beside them in
words. The curves of the first `MAX_CUES` cues are drawn."""


def draw_recall(figure: Figure, record: Recall) -> None:
    """Draw the final states, one row for each cue; beside them energy and overlap by step, if the record has them.

    Beside each state are the words for it: the pattern that it matches, by its number from 1. The overlap of a state is
    its largest overlap with a stored pattern, without the sign. A record has overlaps if the recall was run with
    `keep=["overlaps"]`.
    """
    steps = np.atleast_1d(record.steps)
    states = record.state.reshape(len(steps), -1)
    curves = curves_of(record)
    pads(figure, h_pad=0.1, w_pad=0.1)
    grid = figure.add_gridspec(1, 2, width_ratios=(1.1, 1)) if curves else figure.add_gridspec(1, 1)
    _final_states(figure, grid[0], states, _ends(record) if len(states) <= NAMED_CUES else [])
    if curves:
        axes = draw_course(grid[1], curves, steps)
        axes[0].set_title("on the way")
        foot(figure, left_out(min(len(steps), MAX_CUES), len(steps), "curves"))


def curves_of(record: Recall) -> dict[str, np.ndarray]:
    """The quantities by step that a record has, `(n_cues, n_steps + 1)` each: energy and largest overlap."""
    curves: dict[str, np.ndarray] = {}
    if record.energies is not None:
        factor, name = energy_scale(record.energies)
        curves[name] = record.energies / factor
    if record.overlaps is not None and record.overlaps.shape[-1]:
        curves["largest overlap"] = np.abs(record.overlaps).max(axis=-1)
    return {name: curve.reshape(-1, np.size(record.steps)).T for name, curve in curves.items()}


def draw_course(place: Any, curves: Mapping[str, np.ndarray], last_steps: Sequence[int] | np.ndarray) -> list[Any]:
    """Draw quantities by step, one panel each, with one line for each cue; returns the panels.

    place: the part of the figure's grid that they fill. curves: arrays `(n_cues, n_steps + 1)` by name. last_steps: the
    step at which the line of each cue ends.
    """
    axes = list(place.subgridspec(len(curves), 1).subplots(sharex=True, squeeze=False)[:, 0])
    for ax, (name, rows) in zip(axes, curves.items(), strict=True):
        draw_curves(ax, name, rows, last_steps)
    axes[-1].set_xlabel("step")
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
            style = {"marker": MARKERS[i], "markevery": every, "color": theme().series[i]}
            below = min(len(last_steps), MARKED_CUES) - 1 - i  # it stays visible behind the later ones
            style |= {"markersize": scaled(9 + 2.5 * below), "linewidth": scaled(2.5 + below)}
        ax.plot(row, **style)
    ax.set_ylabel(name)
    tick_options(ax.xaxis, integer=True)


def _ends(record: Recall) -> list[str]:
    """The last state of each cue, in words."""
    kinds, mixtures = np.atleast_1d(record.spurious), np.atleast_2d(record.mixture)
    words = {Spurious.REVERSED: "a pattern reversed", Spurious.OTHER: "nothing stored"}
    ends = []
    for matched, kind, three in zip(np.atleast_1d(record.matched), map(Spurious, kinds), mixtures, strict=True):
        mixed = in_sentence([str(number + 1) for number in three])
        end = f"a mixture of\n{mixed}" if kind == Spurious.MIXTURE else words.get(kind, "")
        ends.append(f"pattern {matched + 1}" if matched >= 0 else end)
    return ends


def _final_states(figure: Figure, place: Any, states: np.ndarray, ends: Sequence[str]) -> None:
    """Draw states as rows of cells: foreground for the largest activation, background for its negative, as in pictures.

    place: the part of the figure's grid that they fill. ends: the words for the states, or nothing.
    """
    finite = np.abs(states[np.isfinite(states)])
    most = float(finite.max(initial=0.0)) or 1.0
    ax = figure.add_subplot(place)
    n, dim = states.shape
    extent = 0.5, dim + 0.5, n + 0.5, 0.5  # cues and neurons count from 1
    look: dict[str, Any] = {"cmap": theme().picture, "aspect": "auto", "interpolation": "nearest"}
    image = ax.imshow(states, vmin=-most, vmax=most, extent=extent, **look)
    ax.set(xlabel="neuron", ylabel="cue", title="the states at the end")
    for axis in (ax.xaxis, ax.yaxis):
        tick_options(axis, integer=True, min_n_ticks=1)
    ax.spines[:].set(visible=True, color=theme().faint)
    style: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "va": "center", "fontsize": scaled(16)}
    for i, end in enumerate(ends, start=1):
        ax.text(1.02, i, end, **style)
    if ends:
        marked = n <= MARKED_CUES
        ax.set_yticks(range(1, n + 1), [f"{SIGNS[i] if marked else ''} {i + 1}" for i in range(n)])
        for i, text in enumerate(ax.get_yticklabels()):
            text.set_color(theme().series[i] if marked else theme().ink)
        for i in range(1, n):
            ax.axhline(i + 0.5, color=theme().faint, linewidth=scaled(1))
    if np.allclose(finite, most):
        ax.set_xlabel(f"neuron (filled: {most:g}, empty: −{most:g})")
    else:
        figure.colorbar(image, ax=ax, label="activation", location="bottom", shrink=0.7, aspect=30)
