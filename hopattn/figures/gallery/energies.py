"""Energies: over the plane, between two patterns, and by step or by temperature."""

from collections.abc import Sequence

import numpy as np

from hopattn.figures.choice import cues_of, tables
from hopattn.figures.figure import figure, left_out, need
from hopattn.figures.policies import MOST_CURVES, MOST_RUNS, NOTHING, named_at, numbers, some_runs
from hopattn.figures.recalls import frame_times, recalled
from hopattn.figures.sheet import Bars, Curve, Mark, Panel, Points, Rule, Sheet, Surface, say
from hopattn.scenario.result import Result, Run

LEVELS, CONTOURED = 8, 0.35
"""The steps of the energy that have colours, and the part of its range that they fill, from the lowest energy up."""
NAMED, FEW = 8, 5
"""The most cues that have curves of their own, and the fewest without names that have a median."""
STAYS = 1e-6
"""A cue that moves by a smaller part of the range of all of them stays where it is."""
SHARED, FLAT = 0.1, 0.01
"""The part of a common axis that the curves of each panel fill, unless they change by a smaller part of themselves."""


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
    runs = [run for run in result.runs if "landscape" in run.arrays]
    shown, names, note = some_runs(runs, MOST_RUNS, "it has no memory of two neurons whose energy is finite everywhere")
    span = max(float(np.ptp(run.arrays["landscape"].values)) for run in shown) or 1.0
    levels = span * CONTOURED * np.linspace(0, 1, LEVELS + 1) ** 2
    panels = [map_of(run, levels, time, name) for run, name in zip(shown, names, strict=True)]
    moment = "" if time == np.inf else say("after {} steps", round(time, 1)) if time else say("the cues")
    return Sheet(panels, notes=[moment, note], shared="y")


def map_of(run: Run, levels: np.ndarray, time: float, name: str) -> Panel:
    """The landscape of a run."""
    field, patterns, cues = run.arrays["landscape"], run.arrays["patterns"], run.arrays["trajectory"].values
    span = float(np.ptp(field.values)) or 1.0
    # Valleys of one depth stay so, whatever the rounding: a contour begins at the same place on every processor.
    above = ((field.values - field.values.min()) / span).round(12) * span
    up, across = map(numbers, field.labels)
    steps = run.arrays["steps"].values
    paths = []
    for path, last in zip(cues, steps.tolist(), strict=True):
        at = np.unique([*range(int(min(time, last)) + 1), min(time, last)])  # a frame may be between two steps
        paths.append(np.column_stack([np.interp(at, np.arange(len(path)), axis) for axis in path.T]))
    there, rest = np.array([path[-1] for path in paths]), steps <= time
    ends, still = run.arrays["state"].values.round(2) + 0.0, np.ptp(cues, axis=1).max(axis=1) < STAYS * np.ptp(cues)
    count = len(np.unique(ends[~still], axis=0))
    stay = sum(not np.any(np.all(ends[~still] == end, axis=1)) for end in ends[still])
    beta = [array.values[array.labels[0].index("beta")] for _, array in tables(run, "separation")]
    marks = [
        Surface(above, across, up, levels=levels, key=say("low energy")),
        *(Curve(path[:, 0], path[:, 1], colour="ink", look="path") for path in paths if len(path) > 1),
        Points(there[rest], colour="ink", hollow=True, size=2.4, key=say("where a cue ends")),
        Points(patterns.values, patterns.labels[0] if len(patterns.values) <= 12 else (), marker="*", size=2.6),
        Points(patterns.values, (), 4, marker="*", size=1.7, key=say("pattern")),
        Points(cues[:, 0], colour="ink", hollow=True, key=say("cue")),
        Points(there[~rest], colour="ink"),
    ]
    which = say("β = {}", float(beta[0])) if beta else name
    told = say("{} ends", count) if count != 1 else say("one end")
    if stay:
        told = say("{}, {} cue stays" if stay == 1 else "{}, {} cues stay", told, stay)
    title = say("{}\n{}", which, told)
    x, y = patterns.labels[1]
    return Panel(marks, title, x, y, "plane")


@figure("the energy on the way from one stored pattern to another: how high the barrier is", "barrier")
def between(result: Result) -> Sheet:
    """A curve for each run from the energy of the first pattern, with its name at its highest point."""
    runs = [run for run in result.runs if "between" in run.arrays]
    runs = [run for run in runs if np.array_equal(run.arrays["ends"].values, runs[0].arrays["ends"].values)]
    lacks = "it has no energies between two patterns; give [memory] the key `between`"
    shown, names, note = some_runs(runs, MOST_CURVES, lacks)
    energies = [run.arrays["between"].values for run in shown]
    depths = [abs(float(energy[0])) for energy in energies]
    shares = len(shown) > 1 and min(depths) > 1e-9
    rises = [(energy - energy[0]) / (depth if shares else 1) for energy, depth in zip(energies, depths, strict=True)]
    need(max(map(np.ptp, rises)) > 1e-9, NOTHING + "the energy is the same all the way; try the figure 'recall'")
    way, (one, other) = numbers(shown[0].arrays["between"].labels[0]), map(str, shown[0].arrays["ends"].values)
    tops: list[Points] = []
    for i, (rise, name) in enumerate(zip(rises, names, strict=True)):
        far = int(np.argmax(np.abs(rise - np.linspace(rise[0], rise[-1], len(rise)))))
        barrier = float(rise.max() - max(rise[0], rise[-1]))
        text = say("barrier {}", barrier) if barrier > 1e-9 else say("no barrier")
        tops.append(Points(np.array([[way[far], rise[far]]]), [say("{}: {}", name, text) if name else text], i))
    tops.sort(key=lambda top: -float(top.at[0, 1]))
    marks = [Rule(y=0.0, dashed=False), *(Curve(way, rise, colour=i) for i, rise in enumerate(rises)), *tops]
    what, ticks = say("energy above {}", one), {0.0: one, 0.5: say("halfway"), 1.0: other}
    axis = say("{}\nas a share of its depth", what) if shares else what
    ends = (None, 1.15 * max(rise.max() for rise in rises) or None)
    return Sheet([Panel(marks, "", "", axis, y_range=ends, x_ticks=ticks)], notes=[note])


@figure("a quantity by step or by temperature: the energy of cues, its parts, or the overlap", "two-layers")
def course(result: Result) -> Sheet:
    """Of spins the overlap by temperature; of a network the parts of its energy by step; else the energy of cues."""
    ways = {"thermal": by_temperature, "energies": parts_of, "energy": energies_of}
    has = next((name for name in ways if any(name in run.arrays for run in result.runs)), "energy")
    every = [run for run in result.runs if has_course(run, has)]
    runs = [run for run in every if has != "energy" or moves(run)] or every
    shown, names, _ = some_runs(runs, MOST_RUNS, "it has no energy by step, and no spins at a temperature")
    note = left_out(len(shown), len(every), "runs", "run")
    notes: list[str] = [note]
    if has == "energies":
        cues = shown[0].arrays[has].labels[0]
        of = say("cue: {}", cues[cues_of(result, cues)[0]]) if len(cues) > 1 else ""
        notes = [of, left_out(1, len(cues), "cues", "query"), note]
    panels = [ways[has](result, run, name) for run, name in zip(shown, names, strict=True)]
    curves = [[mark for mark in panel.marks if isinstance(mark, Curve)] for panel in panels]
    other = "crosstalk" if "crosstalk" in shown[0].arrays else "recall" if result.kind != "ensemble" else ""
    instead = f"the figure '{other}'" if other else f"`hopattn sweep {result.name}`"
    moving = has != "energy" or any(map(moves, shown))
    need(moving, f"{NOTHING}its cues hardly move, or take one step; try {instead}")
    rows = [np.concatenate([curve.y for curve in own] or [[0, 1]]) for own in curves]
    least = SHARED * np.ptp(np.concatenate(rows))
    alike = all(np.ptp(row) >= least or np.ptp(row) < FLAT * np.abs(row).max() for row in rows)
    title = say("the parts trade energy; their sum only falls") if has == "energies" and trades(curves) else ""
    return Sheet(panels, title, notes, shared="y" if alike else "")


def has_course(run: Run, name: str) -> bool:
    """Whether a run has a quantity by step or by temperature."""
    return name in run.arrays and bool(
        {"step", "temperature"} & {*run.arrays[name].dims} and run.arrays[name].values.size
    )


def crowded(cues: Sequence[str]) -> bool:
    """Whether cues are too many to be named, or have no names."""
    return len(cues) > NAMED or (len(cues) > 1 and all(cue.isdigit() for cue in cues))


def moves(run: Run) -> bool:
    """Whether the energies of a run change in several steps, those of a crowd by more than they differ."""
    energies = np.asarray(run.arrays["energy"].values, float)
    if energies.shape[1] < 3:
        return False
    if crowded(run.arrays["energy"].labels[0]):
        low, middle, high = np.quantile(energies, (0.1, 0.5, 0.9), axis=0)
        steps = np.ptp(middle[1:]) > 1e-2 * np.ptp(middle)
        return len(energies) >= FEW and bool(steps and np.ptp(middle) > np.mean(high - low))
    return bool(np.any(np.ptp(energies[:, 1:], axis=1) > 1e-3 * np.ptp(energies)))  # behind the first step


def trades(curves: Sequence[Sequence[Curve]]) -> bool:
    """Whether in each run the sum, the first curve, never rises, and a part rises by a tenth of its fall or more."""
    falls = all(np.all(np.diff(total.y) <= 1e-9 * np.ptp(total.y)) for total, *_ in curves)
    return falls and all(
        any(part.y[-1] - part.y[0] > 0.1 * np.ptp(total.y) > 0 for part in parts) for total, *parts in curves
    )


def steps_of(rows: np.ndarray) -> tuple[np.ndarray, dict[float, str]]:
    """The steps up to two after all rows stay within a thousandth of their range, and at most six ticks for them."""
    far = np.abs(rows - rows[:, -1:]) > 1e-3 * np.ptp(rows)
    last = int(min(rows.shape[1] - 1, np.flatnonzero(far.any(axis=0)).max(initial=0) + 3))
    apart: int = next(k * 10**power for power in range(9) for k in (1, 2, 5) if last <= 5 * k * 10**power)
    return np.arange(last + 1), {float(step): str(step) for step in range(0, last + 1, apart)}


def energies_of(result: Result, run: Run, name: str) -> Panel:
    """The energy of a few cues by name, else the median of all and the band of those between."""
    energies, cues = np.asarray(run.arrays["energy"].values, float), run.arrays["energy"].labels[0]
    if result.figure.query is not None:
        energies, cues = energies[(one := cues_of(result, cues))], tuple(cues[i] for i in one)
    steps, ticks = steps_of(energies)
    energies = energies[:, steps]
    if crowded(cues):
        low, middle, high = np.quantile(energies, (0.1, 0.5, 0.9), axis=0)
        what = say("median of {} cues, and the middle 80 %", len(cues))
        marks = [Curve(steps, middle, error=[middle - low, high - middle], key=what)]
    else:
        names = cues if len(cues) > 1 else [""]
        marks = [Curve(steps, row, cue, i) for i, (cue, row) in enumerate(zip(names, energies, strict=True))]
    known = any(one in run.arrays for one in ("recalls", "overlaps", "recalled"))
    ends = say("{} of {} recall", int(recalled(run).sum()), len(recalled(run))) if known and len(cues) > 1 else ""
    title = say("{}\n{}", name, ends) if name and ends else name or ends
    return Panel(marks, title, say("step"), say("energy"), x_ticks=ticks)


def parts_of(result: Result, run: Run, name: str) -> Panel:
    """The parts of the energy that change most, and their sum, of one cue; a part has one colour in all runs."""
    array = run.arrays["energies"]
    rows = np.asarray(array.values[cues_of(result, array.labels[0])[0]], float)
    total = rows.sum(axis=0)
    steps, ticks = steps_of(total[None])
    most = sorted(np.argsort(-np.ptp(rows, axis=1), kind="stable")[: MOST_CURVES - 2].tolist())
    parts = [part for one in result.runs if "energies" in one.arrays for part in one.arrays["energies"].labels[1]]
    colours = [*dict.fromkeys(parts)]
    marks = named_at(Curve(steps, total[steps], say("sum"), "ink", width=1.6))
    for i in most:
        if np.ptp(rows[i]):
            part = array.labels[1][i]
            marks += named_at(Curve(steps, rows[i, steps], part, colours.index(part), width=0.6))
    return Panel(marks, name, say("step"), say("energy"), x_ticks=ticks)


def by_temperature(_: Result, run: Run, name: str) -> Panel:
    """The overlap with each pattern: exact as curves, or as bars at few temperatures, and sampled with its errors."""
    overlaps, at = run.arrays["overlaps"], numbers(run.arrays["overlaps"].labels[0])
    patterns, bars = overlaps.labels[1][:MOST_CURVES], "curve" not in run.arrays
    marks: list[Mark] = []
    for j, (pattern, exact) in enumerate(zip(patterns, overlaps.values.T, strict=False)):
        key = say("{}, exact", pattern) if len(patterns) > 1 else say("exact")
        if bars:
            width = 0.8 / len(patterns)
            at = np.arange(len(exact)) + width * (j - (len(patterns) - 1) / 2)
            marks.append(Bars(exact, at=at, colour=j, width=0.9 * width, numbers=len(patterns) == 1, key=key))
        else:
            fine, (law, own) = numbers(run.arrays["curve"].labels[0]), run.arrays["curve"].values.T
            marks.append(Curve(fine, law, colour="faint", look="law", key=say("infinitely many spins")))
            marks.append(Curve(fine, own, key=key))
        if "sampled" in run.arrays:
            mean, error = (run.arrays[each].values[:, j + 1] for each in ("sampled", "errors"))
            key = say("sampled, ± 2 standard errors")
            marks.append(Curve(at, mean, colour="ink", error=2 * error, look="points", key=key))
    ticks = {float(i): label for i, label in enumerate(overlaps.labels[0])} if bars else None
    return Panel(marks, name, say("temperature T"), say("size of the overlap"), y_range=(0, 1.08), x_ticks=ticks)
