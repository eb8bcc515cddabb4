"""Energies: over the plane, between two patterns, and by step or by temperature."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hopattn.figures.choice import cues_of, tables
from hopattn.figures.figure import below, figure, left_out, need
from hopattn.figures.policies import MOST_CURVES, MOST_RUNS, NOTHING, by_run, named_at, numbers, runs_with, some_runs
from hopattn.figures.recalls import frame_times, recalled, slope_of, verdict
from hopattn.figures.sheet import Arrows, Curve, Mark, Nodes, Panel, Points, Rule, Sheet, Surface, say, texts
from hopattn.figures.text import indexed
from hopattn.scenario.result import Result, Run

LEVELS, CONTOURED = 8, 0.35
"""The steps of the energy that have colours, and the part of its range that they fill, from the lowest energy up."""
NAMED, FLAT, BALL = 8, 0.1, 2.4
"""The most cues that have curves of their own, the part of a common axis that the curves of each panel fill, and the
size of a ball between two steps."""


def walks(result: Result) -> list[Sheet]:
    """The frames of a landscape: each path up to a time."""
    last = max(int(run.arrays["steps"].values.max()) for run in result.runs if "landscape" in run.arrays)
    return [landscape_at(result, time) for time in frame_times(last)]


@figure("the energy over the plane: cues run downhill, into one valley or another", "landscape", walks)
def landscape(result: Result) -> Sheet:
    """Contours of the energy of each run from its own lowest, with the path of each cue."""
    return landscape_at(result, np.inf)


def landscape_at(result: Result, time: float) -> Sheet:
    """The landscapes with the paths up to a time, in steps."""
    runs = runs_with(result, "it has no memory of two neurons whose energy is finite everywhere", "landscape")
    span = max(float(np.ptp(run.arrays["landscape"].values)) for run in runs[:MOST_RUNS]) or 1.0
    levels = span * CONTOURED * np.linspace(0, 1, LEVELS + 1) ** 2
    sheet = by_run(runs, lambda run, name: map_of(run, levels, time, name, run is runs[0]), MOST_RUNS, "y")
    moment = "" if time == np.inf else say("after {} steps", round(time, 1)) if time else say("the cues")
    return replace(sheet, notes=[moment, *sheet.notes])


def map_of(run: Run, levels: np.ndarray, time: float, name: str, named: bool) -> Panel:
    """The landscape of a run. named: whether its patterns have names."""
    from scipy.ndimage import minimum_filter

    field, patterns, cues = run.arrays["landscape"], run.arrays["patterns"], run.arrays["trajectory"].values
    span = float(np.ptp(field.values)) or 1.0
    # Valleys of one depth stay so, whatever the rounding: a contour begins at the same place on every processor.
    above = ((field.values - field.values.min()) / span).round(12) * span
    up, across = map(numbers, field.labels)
    steps = run.arrays["steps"].values
    paths = []
    for path, last in zip(cues, np.minimum(steps, time).tolist(), strict=True):
        at = np.unique([*range(int(last) + 1), last])  # a frame may be between two steps
        paths.append(np.column_stack([np.interp(at, np.arange(len(path)), axis) for axis in path.T]))
    there, rest = np.array([path[-1] for path in paths]), steps <= time
    ends = len(np.unique(run.arrays["state"].values.round(2) + 0.0, axis=0))
    valleys = int(((above == minimum_filter(above, 5)) & (above < above.max()))[1:-1, 1:-1].sum())
    lines = [path for path in paths if len(path) > 1]
    names = patterns.labels[0] if named and len(patterns.values) <= 12 else ()
    look: Any = {"colour": "ink", "look": "over", "width": 0.6, "key": say("way of a cue")}
    marks: list[Mark] = [
        Surface(above, across, up, levels=levels, key=say("low energy")),
        *(Curve(path[:, 0], path[:, 1], **look) for path in lines),
        *(Arrows(start, end, "ink", 1.1) for start, end in map(middle_of, lines)),
        Points(patterns.values, names, marker="*", size=2.6),
        Points(patterns.values, (), 4, marker="*", size=1.7, key=say("pattern")),
        Points(cues[:, 0], colour="ink", hollow=True, size=0.8, key=say("cue")),
        Points(there[~rest], colour="ink", size=0.8),
    ]
    for _, separation in tables(run, "separation")[:1]:
        name = say("β = {}", float(separation.values[separation.labels[0].index("beta")]))
    told = say("{} ends", ends) if ends != 1 else say("one end")
    if ends == valleys:
        told = say("{} valleys", ends) if ends != 1 else say("one valley")
    x, y = patterns.labels[1]
    return Panel(marks, below(name, told), x, y, "plane")


def middle_of(path: np.ndarray) -> np.ndarray:
    """A short piece of a path behind its middle, `(2, 1, 2)`: where an arrow shows its direction."""
    far = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1)))
    at = far[-1] * np.array([0.45, 0.6])
    return np.column_stack([np.interp(at, far, axis) for axis in path.T])[:, None]


def rolling(result: Result) -> list[Sheet]:
    """The frames of a valley: the ball at a time, and those of the steps before it."""
    need("between" not in result.runs[0].arrays, "its curves lie between two patterns, so that nothing moves")
    last = max(int(steps[-1]) for _, _, (_, _, steps) in slopes_of(result)[0])
    return [valley_at(result, time) for time in frame_times(last)]


@figure("recall rolls downhill: the energy on the way, with a numbered ball for each step", "valley", rolling)
def valley(result: Result) -> Sheet:
    """A panel for each run: the energy on the way of a cue, from another pattern through its states.

    Of two patterns that `[memory] between` names, it is the energy on the straight line, a curve for each run.
    """
    runs = [run for run in result.runs if "between" in run.arrays]
    return barriers(runs) if runs else valley_at(result, np.inf)


def slopes_of(result: Result) -> tuple[list[tuple[Run, str, Any]], list[str]]:
    """The runs whose energy falls, each with its name and its slope as `slope_of` gives it; and notes."""
    runs = [run for run in result.runs if "valley" in run.arrays]
    shown, names, note = some_runs(runs, MOST_RUNS, "it has no recall whose energy falls; try the figure 'recall'")
    cues = runs[0].arrays["status"].labels[0]
    slopes = [slope_of(run, cues_of(result, cues)[0]) for run in shown]
    need(any(len(steps) > 1 for *_, steps in slopes), f"{NOTHING}the cue rests where it is")
    return [*zip(shown, names, slopes, strict=True)], [note, left_out(1, len(cues), "cues", "query")]


def valley_at(result: Result, time: float) -> Sheet:
    """The valleys with the balls up to a time, in steps; between two steps a ball lies on the curve."""
    slopes, notes = slopes_of(result)
    i = cues_of(result, slopes[0][0].arrays["status"].labels[0])[0]
    panels = []
    for run, name, (way, balls, steps) in slopes:
        ends = zip(run.arrays["apart"].values[i].tolist(), run.arrays["neighbours"].values[i], strict=True)
        ticks = {place: indexed(str(name)) for place, name in ends if np.isfinite(place)}
        if str(run.arrays["spurious"].values[i]) == "reversed":
            ticks[float(balls[-1, 0])] = say("{} reversed", indexed(str(run.arrays["of"].values[i])))
        (x, y), every, (*_, last) = way.T, run.arrays["balls"].values[i][0], (numbers := [*map(int, steps)])
        count, ended = sum(number <= time for number in numbers), time >= last
        cycles = run.arrays["period"].values[i] == len(balls[-2:]) == 2
        back = 1 - abs(1 - (time - last) % 2) if cycles and last < time < np.inf else 0.0  # it runs to and fro
        at = np.interp(min(time, last) - back, np.arange(len(every)), every)
        marks: list[Mark] = [Curve(x, y, colour="faint", width=1.5)]
        marks += [] if ended and not back else [Points(np.array([[at, np.interp(at, x, y)]]), colour="plus", size=BALL)]
        marks.append(Nodes(balls[:count], steps[:count], "circle", "plus", "plus"))
        if ended and cycles:
            middle, height = balls[-2:].mean(axis=0)
            marks.append(texts(middle, height + 0.13 * np.ptp(y), ["⇄"], size=2))
        end = verdict(run, i) if ended else say("step {}", int(time)) if time >= 1 else say("cue")
        panels.append(Panel(marks, below(name, end), "", say("energy"), x_ticks=ticks, y_ticks={}))
    return Sheet(panels, notes=[say("numbers: steps"), *notes])


def barriers(runs: Sequence[Run]) -> Sheet:
    """A curve for each run from the energy of the first of two patterns, with its name at its highest point."""
    runs = [run for run in runs if np.array_equal(run.arrays["ends"].values, runs[0].arrays["ends"].values)]
    shown, names, note = some_runs(runs, MOST_CURVES, "")
    energies = np.array([run.arrays["between"].values for run in shown])
    depths = np.abs(energies[:, :1])
    shares = len(shown) > 1 and depths.min() > 1e-9
    rises = (energies - energies[:, :1]) / (depths if shares else 1)
    need(np.ptp(rises, axis=1).max() > 1e-9, NOTHING + "the energy is the same all the way; try the figure 'recall'")
    way, (one, other) = numbers(shown[0].arrays["between"].labels[0]), map(str, shown[0].arrays["ends"].values)
    marks: list[Mark] = [Rule(y=0.0, dashed=False)]
    for i, (rise, name) in enumerate(zip(rises, names, strict=True)):
        far = int(np.argmax(np.abs(rise - np.linspace(rise[0], rise[-1], len(rise)))))
        barrier = float(rise.max() - max(rise[0], rise[-1]))
        text = say("barrier {}", barrier) if barrier > 1e-9 else say("no barrier")
        marks += named_at(Curve(way, rise, say("{}: {}", name, text) if name else text, i), far)
    what, ticks = say("energy above {}", one), {0.0: one, 0.5: say("halfway"), 1.0: other}
    axis = say("{}\nas a share of its depth", what) if shares else what
    return Sheet([Panel(marks, "", "", axis, y_range=(None, 1.15 * rises.max() or None), x_ticks=ticks)], notes=[note])


@figure("a quantity by step or by temperature: the energy of cues, its parts, or the overlap", "two-layers")
def course(result: Result) -> Sheet:
    """Of spins the overlap by temperature; of a network the parts of its energy by step; else the energy of cues."""
    if runs := [run for run in result.runs if "thermal" in run.arrays]:
        sheet, overlaps = by_run(runs, by_temperature, MOST_RUNS, "y"), runs[0].arrays["overlaps"]
        sizes, at = overlaps.values[:, 0], numbers(overlaps.labels[0])
        falls = len(runs) == overlaps.values.shape[1] == 1 and np.all(np.diff(sizes) * np.diff(at) < 0)
        highest, lowest = float(sizes.max()), float(sizes.min())
        title = say("order fades as the temperature rises: the overlap falls from {} to {}", highest, lowest)
        return replace(sheet, title=title if falls else "")
    if runs := [run for run in result.runs if "energies" in run.arrays]:
        return parts_of(result, runs)
    every = [run for run in result.runs if "energy" in run.arrays and "step" in run.arrays["energy"].dims]
    need(every, "it has no energy by step, and no spins at a temperature")
    runs = [run for run in every if moves(run)]
    need(runs, f"{NOTHING}its cues hardly move, or take one step")
    heights = [np.ptp(run.arrays["energy"].values) for run in runs[:MOST_RUNS]]
    shared = "y" if min(heights) > FLAT * max(heights) else ""
    sheet = by_run(runs, lambda run, name: energies_of(result, run, name), MOST_RUNS, shared)
    return replace(sheet, notes=[left_out(len(sheet.panels), len(every), "runs", "run")])


def crowded(cues: Sequence[str]) -> bool:
    """Whether cues are too many to be named, or have no names."""
    return len(cues) > NAMED or (len(cues) > 1 and all(cue.isdigit() for cue in cues))


def moves(run: Run) -> bool:
    """Whether the energy of a cue, or the median of many by more than they differ, changes behind the first step."""
    rows, apart = np.asarray(run.arrays["energy"].values, float), 0.0
    if crowded(run.arrays["energy"].labels[0]) and rows.size:
        low, middle, high = np.quantile(rows, (0.1, 0.5, 0.9), axis=0)
        rows, apart = middle[None], float(np.mean(high - low))
    steps = np.abs(np.diff(rows[:, 1:], axis=1)).max(initial=0.0)
    return bool(steps > 0 and steps > 1e-3 * np.ptp(rows) > 1e-3 * apart)


def steps_of(rows: np.ndarray) -> tuple[np.ndarray, dict[float, str]]:
    """The steps up to two after all rows stay within a thousandth of their range, and at most six ticks for them."""
    far = np.abs(rows - rows[:, -1:]) > 1e-3 * np.ptp(rows)
    last = int(min(rows.shape[1] - 1, np.flatnonzero(far.any(axis=0)).max(initial=0) + 3))
    apart: int = next(k * 10**power for power in range(9) for k in (1, 2, 5) if last <= 5 * k * 10**power)
    return np.arange(last + 1), {float(step): str(step) for step in range(0, last + 1, apart)}


def energies_of(result: Result, run: Run, name: str) -> Panel:
    """The energy of a few cues by name, else the median of all and the band of those between."""
    energies, cues = np.asarray(run.arrays["energy"].values, float), run.arrays["energy"].labels[0]
    kept = cues_of(result, cues, len(cues))
    energies, cues = energies[kept], tuple(cues[i] for i in kept)
    steps, ticks = steps_of(energies)
    if crowded(cues):
        low, middle, high = np.quantile(energies[:, steps], (0.1, 0.5, 0.9), axis=0)
        what = say("median of {} cues, and the middle 80 %", len(cues))
        marks = [Curve(steps, middle, error=[middle - low, high - middle], key=what)]
    else:
        names = cues if len(cues) > 1 else [""]
        marks = [Curve(steps, row[steps], cue, i) for i, (cue, row) in enumerate(zip(names, energies, strict=True))]
    known = any(one in run.arrays for one in ("recalls", "overlaps", "recalled"))
    ends = say("{} of {} recall", int(recalled(run).sum()), len(recalled(run))) if known and len(cues) > 1 else ""
    return Panel(marks, below(name, ends), say("step"), say("energy"), x_ticks=ticks)


def parts_of(result: Result, runs: Sequence[Run]) -> Sheet:
    """The parts of the energy of one cue, and their sum, in ink; of one run where the sums of all only fall."""
    cues = [cues_of(result, run.arrays["energies"].labels[0])[0] for run in runs]
    rows = [np.asarray(run.arrays["energies"].values[cue], float) for run, cue in zip(runs, cues, strict=True)]
    totals = [own.sum(axis=0) for own in rows]
    falls = all(np.all(np.diff(total) <= 1e-9 * np.ptp(total)) for total in totals)
    trade = falls and np.any(rows[0][:, -1] - rows[0][:, 0] > 0.1 * np.ptp(totals[0]))
    title = say("the parts trade energy; their sum only falls") if trade else ""
    shown, names, _ = some_runs(runs, 1 if falls else MOST_RUNS, "")
    panels = []
    for run, own, total, name in zip(shown, rows, totals, names, strict=False):
        steps, ticks = steps_of(total[None])
        marks = [Curve(steps, total[steps], say("sum"), "ink", width=1.6)]
        for i, (part, row) in enumerate(zip(part_names(run), own[:, steps], strict=True)):
            marks += [Curve(steps, row, part, i, width=0.6)] if np.ptp(row) else []
        panels.append(Panel(marks, name, say("step"), say("energy"), x_ticks=ticks))
    every = runs[0].arrays["energies"].labels[0]
    of = say("cue: {}", every[cues[0]]) if len(every) > 1 else ""
    notes = [of, left_out(1, len(every), "cues", "query"), left_out(len(shown), len(runs), "runs", "run")]
    return Sheet(panels, title, notes, shared="y")


def part_names(run: Run) -> list[str]:
    """The parts of the energy of a run in words: its layers as neurons, and its synapse, if it is the only one."""
    parts = run.arrays["energies"].labels[1]
    if "joins" not in run.arrays:
        return [*parts]
    (synapse, *others), layers = run.arrays["joins"].labels
    neurons = run.arrays["input"].labels[1]
    names = {layer: say("{} neurons", layer) for layer in layers if f"{layer} 2" in neurons}
    names |= {} if others else {synapse: say("synapses")}
    return [names.get(part, part) for part in parts]


def by_temperature(run: Run, name: str) -> Panel:
    """The overlap with each pattern: exact as a curve, and sampled with its errors."""
    overlaps, marks = run.arrays["overlaps"], list[Mark]()
    at, patterns = numbers(overlaps.labels[0]), overlaps.labels[1][:MOST_CURVES]
    for j, (pattern, exact) in enumerate(zip(patterns, overlaps.values.T, strict=False)):
        key = say("{}, exact", pattern) if len(patterns) > 1 else say("exact")
        if "curve" in run.arrays:
            fine, (law, own) = numbers(run.arrays["curve"].labels[0]), run.arrays["curve"].values.T
            marks.append(Curve(fine, law, colour="faint", look="law", key=say("infinitely many spins")))
            marks.append(Curve(fine, own, key=key))
        else:
            marks.append(Curve(at, exact, colour=j, look="both", key=key))
        if "sampled" in run.arrays:
            mean, half = (run.arrays[each].values[:, j + 1] for each in ("sampled", "half"))
            marks.append(Curve(at, mean, colour="ink", error=half, look="points"))
            chains, points = int(run.arrays["chains"].values), np.column_stack([at, mean])
            key = say("sampled, 95 % interval (Student's t) of {} chains", chains)
            marks.append(Points(points, colour="ink", hollow=True, size=1.4, key=key))
    return Panel(marks, name, say("temperature T"), say("size of the overlap"), y_range=(0, 1.08))
