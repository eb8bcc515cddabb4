"""Where cues end: the basins of a small network, how far a cue may be damaged, and the fixed points by β."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from hopattn.dynamics.likeness import MATCH
from hopattn.figures.figure import figure, left_out
from hopattn.figures.policies import MOST_CURVES, MOST_RUNS, by_run, need_visible, numbers, runs_with, some_runs
from hopattn.figures.sheet import Arrows, Bars, Curve, Mark, Panel, Points, Sheet, say
from hopattn.foundation.intervals import wilson
from hopattn.scenario.arrays import Occurrence
from hopattn.scenario.result import Result, Run

DRAWN = 64
"""The most states of a network one of whose basins is drawn state by state."""
WAYS = {"random": say("one at random"), "sequence": say("one after the other"), "sync": say("all at once")}
"""The updates as a figure names them."""
CYCLES, OTHERS = say("cycles"), say("others")
REST = {"mixture": say("mixtures"), "other": OTHERS, "others": OTHERS, "cycles": CYCLES}
"""The ends that are no patterns, as a figure names them."""
DAMAGES = {"reversed": say("share of neurons reversed"), "noise": say("length of the noise, in lengths of the pattern")}
"""The kinds of damage as a figure names them."""
CUES, POOLED = 100, 25
"""The least number of cues in a run whose returns are counted, and the number of those that start alike."""


class Basin(NamedTuple):
    """The name of an end, for a reversed pattern the pattern; the states that stay there; and all that lead there."""

    end: str
    middle: np.ndarray
    states: np.ndarray


@figure("where every state of a small network leads, by the update", "basins")
def basins(result: Result) -> Sheet:
    """How many states lead to each end; of few neurons also one basin, each state with an arrow to the next."""
    if runs := [run for run in result.runs if "basin" in run.arrays]:
        return by_run(runs, by_update, MOST_RUNS, "y")
    lacks = "it has no network of at most 12 spins whose next state does not depend on chance"
    runs = runs_with(result, lacks, "successor")
    states = len(runs[0].arrays["successor"].values)
    shown, names, note = some_runs(runs, 2 if states <= DRAWN else MOST_CURVES, "")
    every = [basins_of(run) for run in shown]
    ways = [str(run.arrays["way"].values).partition(",")[0] for run in shown]
    names = ways if len({*ways}) == len(shown) > 1 else names
    order = [*shown[0].arrays["patterns"].labels[0], OTHERS, CYCLES]
    counts = np.array([[sum(len(basin.states) for basin in own if basin.end == end) for end in order] for own in every])
    turning, title = counts[:, -1].tolist(), ""
    if len(shown) > 1 and (most := max(turning)):
        title = say("{}: {} of {} states end in a cycle", names[turning.index(most)], most, states)
    panel = shares_of(names, counts, order, "", say("of {} states, those that end at", states))
    told = [i for i, cycles in enumerate(turning) if states <= DRAWN and (cycles or not any(turning))]
    stars = [star_of(shown[i], every[i], i) for i in told]
    return Sheet([panel, *stars], title, [say("a pattern counts with its reverse"), note])


def by_update(run: Run, name: str) -> Panel:
    """The share of all states that leads to each end, a pattern with its reverse, by the update."""
    (ways, ends), patterns = run.arrays["ends"].labels, run.arrays["basin"].labels[1]
    words = [end if end in patterns else Occurrence.parse(end).word.removesuffix(" reversed") for end in ends]
    kinds, order = np.array([REST.get(word, word) for word in words]), [*patterns, *dict.fromkeys(REST.values())]
    shares = run.arrays["ends"].values @ (kinds[:, None] == order)
    return shares_of([WAYS[way] for way in ways], shares, order, name, say("share of all states that end at"))


def shares_of(ways: Sequence[str], shares: np.ndarray, order: Sequence[str], title: str, what: str) -> Panel:
    """A group of bars for each end to which any state leads, by update or by run. shares: `(n_ways, n_ends)`."""
    kept = np.flatnonzero(shares.any(axis=0)).tolist()
    width = 0.8 / len(ways)
    at = np.arange(len(kept)) + width * (np.arange(len(ways))[:, None] - (len(ways) - 1) / 2)
    rows = enumerate(zip(ways, shares[:, kept], at, strict=True))
    marks = [Bars(row, at=places, colour=i, width=0.9 * width, key=way) for i, (way, row, places) in rows]
    return Panel(marks, title, "", what, x_ticks={float(i): order[k] for i, k in enumerate(kept)})


def basins_of(run: Run) -> list[Basin]:
    """The basins of a run, the largest first, then by the order of the patterns."""
    (labels,), successors = run.arrays["successor"].labels, run.arrays["successor"].values
    names, patterns = run.arrays["patterns"].labels[0], run.arrays["patterns"].values > 0
    known = {
        "".join(np.where(row, "+", "−")): name
        for spins in (~patterns, patterns)
        for name, row in zip(names, spins, strict=True)
    }
    ends = successors
    for _ in range(len(ends).bit_length()):  # 2^k steps lead every state into its cycle
        ends = ends[ends]
    inside = np.unique(ends)
    first = ends
    for _ in inside:  # once around each cycle, to the first of its states
        ends = successors[ends]
        first = np.minimum(first, ends)
    basins = []
    for one in np.unique(first):
        states = np.flatnonzero(first == one)
        middle = states[np.isin(states, inside)]
        basins.append(Basin(CYCLES if len(middle) > 1 else known.get(labels[one], OTHERS), middle, states))
    order = [*names, OTHERS, CYCLES]
    return sorted(basins, key=lambda basin: (-len(basin.states), order.index(basin.end)))


def star_of(run: Run, every: list[Basin], colour: int) -> Panel:
    """The largest basin of a run, or of its cycles: each state leads to the next, and in the end into the middle."""
    successors = run.arrays["successor"].values
    end, middle, states = next((basin for basin in every if basin.end == CYCLES), every[0])
    at, before = places_of(successors, middle, states), np.setdiff1d(states, middle)
    turning = middle[successors[middle] != middle]
    (one, other), (start, stop) = ((at[own], at[successors[own]]) for own in (turning, before))
    marks: list[Mark] = [
        Arrows(start, stop + 0.12 * (start - stop), "faint", 0.7),
        Arrows(one + 0.15 * (other - one), other + 0.15 * (one - other), "ink", bend=0.4),
        Points(start, colour=colour),
        Points(at[middle], colour="ink", size=1.8),
    ]
    alike = [len(basin.states) for basin in every if basin.end == end]
    largest, own, count = len(states), say("‘{}’ itself", end), len(alike)
    if end == OTHERS:
        own = say("one of {} other ends", count) if count > 1 else say("the only other end")
    elif end == CYCLES:
        own = say("the largest of {} cycles", count) if largest not in alike[1:] else say("one of {} cycles", count)
        own = own if count > 1 else say("the only cycle")
    part = say("{} of the {}", largest, sum(alike)) if count > 1 else say("all {}", largest)
    return Panel(marks, say("{}:\n{}", part, own), layout="free")


def places_of(successors: np.ndarray, middle: np.ndarray, states: np.ndarray) -> np.ndarray:
    """The places of the states of a basin, `(n_all_states, 2)`, each farther out the more steps it takes."""
    before = {state: np.setdiff1d(states[successors[states] == state], middle) for state in states.tolist()}
    slots = iter(2 * np.pi * (np.arange(len(states)) + 0.5) / sum(not len(own) for own in before.values()))
    at = np.zeros((len(successors), 2))

    def place(state: int, steps: int) -> float:
        turn = float(np.mean([place(one, steps + 1) for one in before[state].tolist()] or [next(slots)]))
        at[state] = steps * np.cos(turn), steps * np.sin(turn)
        return turn

    for state in middle.tolist():
        place(state, int(len(middle) > 1))
    return at


@figure("how far a cue may be damaged: the share that returns to its pattern, or the radius by the load", "attraction")
def returns(result: Result) -> Sheet:
    """The share of cues that return by their damage, with a ring where it is one half; the radius by several loads."""
    runs = [run for run in result.runs if "returned" in run.arrays]
    runs = [run for run in runs if run.arrays["damaged"].values == runs[0].arrays["damaged"].values]
    what = DAMAGES[str(runs[0].arrays["damaged"].values)] if runs else say("overlap of the cue with its pattern")
    compared = [(run, run.arrays["start"].values) for run in result.runs if {"start", "overlaps"} <= {*run.arrays}]
    every = runs or [run for run, start in compared if len(start) >= CUES and np.ptp(start) > 0.3]
    long = [run for run in every if "steps" not in run.arrays or run.arrays["steps"].values.max() > 1]
    lacks = f"it has no shares of damaged cues that return, and no {CUES} cues whose overlaps differ"
    shown, names, _ = some_runs(long or every, MOST_CURVES, lacks)  # one step is another story
    cues = {int(run.arrays["cues"].values) if run in runs else len(run.arrays["start"].values) for run in shown}
    band = say("bands: 95 % intervals (Wilson) of {} cues", min(cues))
    band = band if len(cues) == 1 else say("bands: 95 % intervals (Wilson)")
    notes = [band, left_out(len(shown), len(every), "runs", "run")]
    marks: list[Mark] = []
    radii = all("radii" in run.arrays and len(run.arrays["radii"].values) > 1 for run in shown)
    for i, (run, name) in enumerate(zip(shown, names, strict=True)):
        damage, share, error = returns_of(run, "radii" if radii else "returned")
        half = np.flatnonzero(np.diff(share >= 0.5))[: 1 - radii]
        marks.append(Curve(damage, share, "" if len(half) else name, i, error, "both"))
        for k in half:
            at = damage[k] + (0.5 - share[k]) / (share[k + 1] - share[k]) * (damage[k + 1] - damage[k])
            text = say("{}: half return at {}", name, float(at)) if name else say("half return at {}", float(at))
            marks.append(Points(np.array([[at, 0.5]]), colour=i, hollow=True, size=1.6, key=text))
    if radii:
        axis = say("{}\nfrom which half of the cues return", what)
        return Sheet([Panel(marks, "", say("load (patterns / neuron)"), axis, y_range=(0, None))], notes=notes)
    ticks = {0.0: "0", 0.5: say("half"), 1.0: say("all")}
    return Sheet([Panel(marks, "", what, say("cues that return"), y_range=(0, 1.04), y_ticks=ticks)], notes=notes)


def returns_of(run: Run, what: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The numbers of an axis, a quantity by them, and the ends of its interval as distances.

    Without this quantity it is the share of cues that return, by their overlap with their patterns.
    """
    if what in run.arrays:
        values, low, high = (np.atleast_2d(run.arrays[f"{what}{end}"].values)[0] for end in ("", "-low", "-high"))
        return numbers(run.arrays[what].labels[-1]), values, np.array([values - low, high - values])
    start, back = run.arrays["start"].values, run.arrays["overlaps"].values >= MATCH
    # Cues that start alike are counted together.
    parts = np.array_split(np.argsort(start, kind="stable"), min(len(start) // POOLED, 9))
    at, share = (np.array([own[part].mean() for part in parts]) for own in (start, back))
    return at, share, np.abs(wilson(share, [len(part) for part in parts]).T - share)


@figure(
    "how the fixed points between two patterns merge as β falls: stable ones, and those that a cue leaves",
    "bifurcation",
    research=True,
)
def bifurcation(result: Result) -> Sheet:
    """A point for each fixed point at each β; its height is its place between two patterns."""
    runs = runs_with(result, "it has no fixed points by β", "points-place")
    sheet, title = by_run(runs, fixed_points_of, MOST_RUNS, "y"), ""
    count, beta = runs[0].arrays["count"].values[1], numbers(runs[0].arrays["count"].labels[1])
    fork = np.flatnonzero(np.diff(count))
    if len(sheet.panels) == len(fork) == count[0] == 1:
        below, above = map(float, beta[fork[0] : fork[0] + 2])
        title = say("cues end at {} place up to β = {}, at {} from β = {} on", 1, below, int(count[-1]), above)
    return replace(sheet, title=title)


def fixed_points_of(run: Run, name: str) -> Panel:
    """The fixed points of a run by β."""
    points = np.column_stack([run.arrays["points-at"].values, run.arrays["points-place"].values])
    need_visible(points)
    stable = run.arrays["points-stable"].values.astype(bool)
    marks = [Points(points[stable], colour="plus", key=say("stable: cues come to rest here"))]
    if not stable.all():
        marks.append(Points(points[~stable], colour="minus", hollow=True, marker="s", key=say("unstable: cues leave")))
    ticks = {0.0: say("first pattern"), 0.5: say("halfway"), 1.0: say("second pattern")}
    return Panel(marks, name, say("inverse temperature β"), "", y_range=(-0.1, 1.1), y_ticks=ticks)
