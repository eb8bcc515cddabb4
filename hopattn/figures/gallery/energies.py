"""The energy of many cues, step by step; those that fail in another colour and dashed."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure
from hopattn.figures.choice import query_of
from hopattn.figures.headings import laid_out, left_out, run_titles
from hopattn.figures.labelled_points import Drawn, keep_apart
from hopattn.figures.panels import About, Panels, Shown, grid_of
from hopattn.figures.recalls import energy_scale, last_steps, recalled
from hopattn.figures.shapes import sign
from hopattn.figures.style import scaled, theme, tick_options
from hopattn.figures.text import inked, label, number
from hopattn.results.labelled import Labelled
from hopattn.scenario.arrays import Arrays
from hopattn.scenario.result import Result, Run

CUES, RUNS, NUMBERED, NAMED = 100, 3, 8, 4
"""The largest numbers of cues and of runs, of energies of a single cue that are written out, and of cues with names."""
ENDS = {True: "converges to its pattern", False: "converges elsewhere"}
"""The meanings of the lines, by whether a cue recalls its pattern."""
EACH = "the energy of each cue until it converges: to its pattern, or elsewhere"
MOVING = {True: "ends at its pattern", False: "ends elsewhere"}
"""The same where no cue converges, as at a temperature."""
NONE = "the energy of each cue, step by step: none converges"
CROWD, LONG = 20, 8
"""The number of cues from which on they are a crowd, of which the ends count, and of steps whose axis is linear."""
STEEP = 4.0
"""Energies of a crowd that fall by this many times the range of their ends are drawn near their ends only."""
STEPS = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""The steps that are written below a logarithmic axis."""


class Energies(Panels[Run]):
    """One line for each cue, up to 100, with a mark at its fixed point; one panel for each run, up to three.

    A single cue, or the one that `[figure] query` names, has its number at each step. Beside a crowd are the medians of
    the ends of both kinds.
    """

    shows: ClassVar[str] = (
        "the energy of many cues, step by step: which find their pattern, and where the others converge"
    )
    scenario: ClassVar[str] = "attraction"
    lack: ClassVar[str] = "it has no energies by step"
    most: ClassVar[int] = RUNS
    space: ClassVar[dict[str, float]] = {"w_pad": 0.15}

    def parts(self, result: Result) -> list[Run]:
        """The runs that have energies: of all cues, or of the one that `[figure] query` names."""
        runs = [run for run in result.runs if _energies(run).size]
        if result.figure.query is None:
            return runs
        return [_of_cue(run, query_of(result, run.arrays["energy"].labels[0])) for run in runs]

    def grid(self, figure: Figure, shown: Shown[Run]) -> list[Axes]:
        shapes = [energies for energies, _ in map(_drawn, shown.parts)]
        ranges = np.array([_near_ends(energies) or (energies.min(), energies.max()) for energies in shapes])
        alike = bool((np.ptp(ranges, axis=1) >= 0.1 * np.ptp(ranges)).all())  # one scale fits all runs
        return grid_of(figure, len(shown.parts), RUNS, sharex=True, sharey=alike)

    def panel_of(self, ax: Axes, part: Run, shown: Shown[Run]) -> None:
        _lines(ax, part, part is shown.parts[0])
        # Of crowds that fall far, only energies near their ends are shown, in all panels with this vertical axis.
        runs = shown.parts if ax.get_shared_y_axes().get_siblings(ax) != [ax] else [part]
        ranges = [_near_ends(energies) for energies, _ in map(_drawn, runs)]
        known = [ends for ends in ranges if ends]
        if len(known) == len(ranges):
            factor = energy_scale(_drawn(runs[0])[0])[0]
            ax.set_ylim(min(low for low, _ in known) / factor, max(high for _, high in known) / factor)

    def finish(self, figure: Figure, axes: Sequence[Axes], shown: Shown[Run]) -> None:
        """Name a few cues at the ends of their lines."""
        for ax, run in zip(axes, shown.parts, strict=True):
            energies, cues = _drawn(run)[0], run.arrays["energy"].labels[0]
            if not 1 < len(energies) <= NAMED:
                continue
            laid_out(figure)
            energies, ends = energies / energy_scale(energies)[0], last_steps(energies)
            paths = [
                np.column_stack([np.arange(end + 1), row[: end + 1]]) for row, end in zip(energies, ends, strict=True)
            ]
            texts = [(label(cue), path[-1]) for cue, path in zip(cues, paths, strict=True)]
            keep_apart(ax, texts, Drawn(arrows=paths, dots=[path[-1] for path in paths]), 15)

    def complete(self, ax: Axes, part: Run, shown: Shown[Run]) -> None:
        self.finish(ax.figure, [ax], shown)

    def about(self, shown: Shown[Run], axes: Sequence[Axes]) -> About:
        runs, result, ends = shown.parts, shown.result, [_drawn(run)[1] for run in shown.parts]
        cues = {run.arrays["energy"].labels[0] for run in runs}
        cue = label(min(cues)[0]) if len(cues) == 1 and len(min(cues)) == 1 else ""  # that all runs draw alone
        own = f"the cue: {cue}" if cue and result.figure.title is not None else ""
        counts = [(len(right), len(recalled(run))) for run, right in zip(runs, ends, strict=True)]
        crowd = any(len(right) > CROWD and 0 < right.sum() < len(right) for right in ends)
        cut = left_out(*max(counts, key=lambda count: count[1] - count[0]), "cues")
        notes = (own, "bars: medians" * crowd, _above(runs), cut, left_out(len(runs), len(result.runs), "runs", "run"))
        titles = run_titles(shown.every, [()] * shown.of, 26)[: len(runs)]
        if not cue:
            recalls = [f"{int(right.sum())} of {len(right)} recall" for right in ends]
            titles = ["\n".join(filter(None, lines)) for lines in zip(titles, recalls, strict=True)]
        there = [right for right in ENDS if any(right in some for some in ends)]
        keys = [sign(**{**_mark(right, False), **_style(right, False)}) for right in there]
        still = any((run.arrays["status"].values == "converged").any() for run in runs if "status" in run.arrays)
        moving = not still and all("status" in run.arrays for run in runs)
        message = f"the energy of ‘{cue}’, step by step" if cue else NONE if moving else _finding(runs)
        names = MOVING if moving else ENDS
        return About(notes, keys, [names[right] for right in there], titles, message)


def _of_cue(run: Run, i: int) -> Run:
    """The run with the arrays of one cue alone."""
    cues = run.arrays["energy"].labels[0]
    own = {
        name: Labelled(array.values[i : i + 1], array.dims, (cues[i : i + 1], *array.labels[1:]))
        for name, array in run.arrays.items()
        if array.labels[:1] == (cues,)
    }
    return replace(run, arrays=Arrays.of({**run.arrays, **own}.items()))


def _energies(run: Run) -> np.ndarray:
    """The energies of a run, `(n_cues, n_steps + 1)`; an empty array if it has none."""
    array = run.arrays.get("energy")
    has_ends = "recalls" in run.arrays or "overlaps" in run.arrays or "recalled" in run.arrays
    return np.asarray(array.values if array is not None and has_ends else np.zeros((0, 0)), dtype=float)


def _drawn(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """The energies that are drawn, and whether each of these cues recalls its pattern."""
    energies = _energies(run)[:CUES]
    return energies, recalled(run)[: len(energies)]


def _lines(ax: Axes, run: Run, labelled: bool) -> None:
    """Draw the energy of each cue until it converges; first the cues that recall, above them those that fail."""
    from matplotlib.collections import LineCollection

    energies, right = _drawn(run)
    factor, name = energy_scale(energies)
    energies, ends = energies / factor, last_steps(energies)
    crowd = len(energies) > CROWD
    for wanted in (True, False):
        own = np.flatnonzero(right == wanted)
        paths = [np.column_stack([np.arange(ends[i] + 1), energies[i, : ends[i] + 1]]) for i in own]
        ax.add_collection(LineCollection(paths, **_style(wanted, crowd), zorder=2 if wanted else 3))
        ax.plot(ends[own], energies[own, ends[own]], **_mark(wanted, crowd), zorder=4 if wanted else 5)
    if crowd and 0 < right.sum() < len(right):
        _medians(ax, energies[:, -1], right)
    if len(energies) == 1:
        _steps(ax, energies[0, : ends[0] + 1], _style(bool(right[0]), crowd)["color"])
    if 1 < len(energies) <= NAMED:
        ax.margins(x=0.2, y=0.12)
    ax.autoscale_view()
    ax.yaxis.get_major_formatter().set_useOffset(False)
    ax.set(xlabel="step", ylabel=name if labelled or factor != 1 else "")
    if crowd and ends.max() > LONG:
        ax.set_xscale("symlog", linthresh=1, linscale=0.6)
        most = max(ends.max(), ax.get_xlim()[1] / 1.15)
        ax.set_xlim(-0.1, 1.15 * most)
        ax.set_xticks([step for step in STEPS if step <= most])
        ax.xaxis.set_major_formatter(lambda step, _: f"{step:.0f}")
        ax.minorticks_off()
    else:
        tick_options(ax.xaxis, integer=True, min_n_ticks=1)


def _medians(ax: Axes, ends: np.ndarray, right: np.ndarray) -> None:
    """Mark the median of the energies at the end right of a panel: of the cues that recall, and of the others."""
    medians = {wanted: float(np.median(ends[right == wanted])) for wanted in ENDS}
    digits = 0 if abs(medians[True] - medians[False]) >= 2 else 3
    for wanted, median in medians.items():
        above = median > medians[not wanted] or (wanted and median == medians[not wanted])
        colour, where = theme().series[0 if wanted else 1], ax.get_yaxis_transform()
        ax.plot([1.04, 1.2], [median] * 2, color=colour, lw=scaled(6), transform=where, clip_on=False, scalex=False)
        look: dict[str, Any] = {"color": inked(colour), "fontsize": scaled(15), "weight": "bold", "ha": "left"}
        look |= {"textcoords": "offset points", "va": "bottom" if above else "top", "annotation_clip": False}
        ax.annotate(number(median, digits), (1.03, median), (0, scaled(5 if above else -5)), xycoords=where, **look)


def _near_ends(energies: np.ndarray) -> tuple[float, float] | None:
    """The range of energies to draw if a crowd falls so far that its ends would look alike; else None."""
    last = energies[:, -1]
    spread = float(np.ptp(last)) if len(energies) > CROWD and np.isfinite(energies).all() else 0.0
    if spread == 0 or np.ptp(energies) < STEEP * spread:
        return None
    return float(last.min()) - 0.15 * spread, float(last.max()) + 0.6 * spread


def _above(runs: Sequence[Run]) -> str:
    """A remark on cues above the panels; empty if there are none."""
    starts = [float(energies[:, 0].max()) for energies, _ in map(_drawn, runs) if _near_ends(energies)]
    return f"most cues start above the picture, up to {number(max(starts), 0)}" if starts else ""


def _finding(runs: Sequence[Run]) -> str:
    """A sentence on whether cues that fail end above or below those that recall, by the medians of a crowd."""
    lower = {}
    for run in runs:
        energies, right = _drawn(run)
        if len(energies) <= CROWD or right.all() or not right.any():
            return EACH
        own, other = (float(np.median(energies[which, -1])) for which in (right, ~right))
        lower[run.name] = other < own
    what = "cues that go astray end {} than those that are recalled"
    if not any(lower.values()) or all(lower.values()):
        return what.format("lower" if all(lower.values()) else "higher")
    where = " and ".join(name for name in lower if lower[name])
    return f"with {where}, cues that go astray end lower than recalled ones"


def _steps(ax: Axes, energies: np.ndarray, colour: str) -> None:
    """Mark the energy after each step of a single cue, and write its number beside it, if the steps are few."""
    if len(energies) > NUMBERED:
        return
    ax.plot(energies, "o", color=colour, markersize=scaled(6), zorder=3)
    for step, energy in enumerate(energies):
        place: Any = {"xytext": (scaled(8), scaled(8)), "textcoords": "offset points", "fontsize": scaled(15)}
        ax.annotate(number(float(energy), 3), (step, energy), **place)
    ax.margins(x=0.1, y=0.1)


def _style(right: bool, crowd: bool) -> dict[str, Any]:
    """The line of a cue that recalls its pattern, or of one that fails."""
    colour, line = (theme().series[0], "-") if right else (theme().series[1], (0, (4, 2)))
    return {
        "color": colour,
        "linestyle": line,
        "linewidth": scaled(1.0 if crowd else 2.2),
        "alpha": 0.2 if crowd else 0.7,
    }


def _mark(right: bool, crowd: bool) -> dict[str, Any]:
    """The mark at the end of a line."""
    colour = theme().series[0 if right else 1]
    face = colour if right else theme().paper
    size = scaled(5.5 if crowd else 10)
    sign = {"marker": "o" if right else "X", "markersize": size, "markeredgewidth": scaled(0.9 if crowd else 1.4)}
    return {"linestyle": "none", "color": colour, "markerfacecolor": face, **sign}
