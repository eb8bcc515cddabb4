"""Where cues end: the basins of a small network, how far a cue may be damaged, and the fixed points by β."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hopattn.dynamics.likeness import MATCH
from hopattn.figures.figure import figure, left_out
from hopattn.figures.policies import MOST_CURVES, MOST_RUNS, need_visible, numbers, some_runs
from hopattn.figures.sheet import Arrows, Bars, Curve, Mark, Panel, Points, Sheet, say
from hopattn.scenario.arrays import Occurrence
from hopattn.scenario.result import Result, Run

DRAWN = 64
"""The most states of a network one of whose basins is drawn state by state."""
WAYS = {"random": say("one at random"), "sequence": say("one after the other"), "sync": say("all at once")}
"""The updates as a figure names them."""
REVERSED = " reversed"
"""The end of the name of a reversed pattern."""
REST = {"mixture": say("mixtures"), "other": say("others"), "others": say("others"), "cycles": say("cycles")}
"""The ends that are no patterns, as a figure names them."""
DAMAGES = {"reversed": say("share of neurons reversed"), "noise": say("length of the noise, in lengths of the pattern")}
"""The kinds of damage as a figure names them."""
CUES, POOLED = 100, 25
"""The least number of cues in a run whose returns are counted, and the number of those that start alike."""


@figure("where every state of a small network leads, by the update", "basins")
def basins(result: Result) -> Sheet:
    """How many states lead to each end; of few neurons also one basin, each state with an arrow to the next."""
    runs = [run for run in result.runs if "successor" in run.arrays or "basin" in run.arrays]
    alone = not any("basin" in run.arrays for run in runs)
    small = alone and all(len(run.arrays["successor"].values) <= DRAWN for run in runs)
    lacks = "it has no network of at most 12 spins whose next state does not depend on chance"
    shown, names, note = some_runs(runs, 2 if small else MOST_CURVES if alone else MOST_RUNS, lacks)
    if small:
        ways = [str(run.arrays["way"].values).partition(",")[0] for run in shown]
        titles = ways if len({*ways}) == len(shown) > 1 else names
        fixed, cycles = zip(*map(number_of_ends, shown), strict=True)
        title = ""
        if len({*fixed}) == 1 and cycles[0] == 0 < cycles[-1]:
            title = say("{}: {} ends; {}: {} cycles too", titles[0], fixed[0], titles[1], cycles[-1])
        counts = {way: ends_of(run)[""] for run, way in zip(shown, titles, strict=True)}
        stars = [star_of(run, i) for i, run in enumerate(shown)]
        notes = [say("a pattern counts with its reverse"), note]
        return Sheet([shares_of(counts, "", len(shown[0].arrays["successor"].values)), *stars], title, notes)
    ends = [ends_of(run) for run in shown]
    if alone:
        ends, names = [{name: own[""] for name, own in zip(names, ends, strict=True)}], [""]
    panels = [shares_of(own, title) for own, title in zip(ends, names, strict=True)]
    return Sheet(panels, notes=[note], shared="y")


def basins_of(run: Run) -> list[tuple[str, list[int], list[int]]]:
    """The name of each basin's end, the states in its middle, and all its states; the largest first, then by name."""
    successors, patterns = run.arrays["successor"], run.arrays["patterns"]
    ends = successors.values
    for _ in range(len(ends).bit_length()):  # 2^k steps lead every state into its cycle
        ends = ends[ends]
    known = {
        "".join(np.where((spins > 0) == same, "+", "−")): name if same else name + REVERSED
        for same in (False, True)
        for name, spins in zip(patterns.labels[0], patterns.values, strict=True)
    }
    members: dict[tuple[str, tuple[int, ...]], list[int]] = {}
    for state, end in enumerate(ends.tolist()):
        cycle = [end]
        while (after := int(successors.values[cycle[-1]])) != end:
            cycle.append(after)
        name = "cycles" if len(cycle) > 1 else known.get(successors.labels[0][end], "other")
        members.setdefault((name, tuple(sorted(cycle))), []).append(state)
    order = [name + end for name in patterns.labels[0] for end in ("", REVERSED)] + [*REST]
    own = [(name, [*middle], states) for (name, middle), states in members.items()]
    return sorted(own, key=lambda basin: (-len(basin[2]), order.index(basin[0]), basin[1]))


def number_of_ends(run: Run) -> tuple[int, int]:
    """How many states lead to themselves, and how many cycles there are."""
    middles = [middle for _, middle, _ in basins_of(run)]
    return sum(len(middle) == 1 for middle in middles), sum(len(middle) > 1 for middle in middles)


def ends_of(run: Run) -> dict[str, dict[str, float]]:
    """The share of all states that leads to each end, a pattern with its reverse: by update, or by the empty name."""
    if "basin" in run.arrays:
        (ways, names), patterns = run.arrays["ends"].labels, run.arrays["basin"].labels[1]
        values = run.arrays["ends"].values
    else:
        own, patterns = basins_of(run), run.arrays["patterns"].labels[0]
        ways, names = ("",), tuple(name for name, *_ in own)
        values = np.array([[len(states) for *_, states in own]]) / len(run.arrays["successor"].values)
    words = [name if name in patterns else Occurrence.parse(name).word.removesuffix(REVERSED) for name in names]
    kinds = np.array([REST.get(word, word) for word in words])
    return {
        WAYS.get(way, ""): {end: float(row[kinds == end].sum()) for end in (*patterns, *REST.values())}
        for way, row in zip(ways, values, strict=True)
    }


def shares_of(ends: Mapping[str, Mapping[str, float]], title: str, states: int = 0) -> Panel:
    """A group of bars for each end: the share of all states that leads there, or their number, by update or by run."""
    names = [*dict.fromkeys(end for shares in ends.values() for end, share in shares.items() if share)]
    width, first = 0.8 / len(ends), np.arange(len(names)) - 0.4 * (1 - 1 / len(ends))
    marks = []
    for i, (way, shares) in enumerate(ends.items()):
        values = (states or 1) * np.array([shares.get(end, 0.0) for end in names])
        marks.append(Bars(values, at=first + width * i, colour=i, width=0.9 * width, key=way))
    what = say("states (of {})", states) if states else say("share of all states")
    return Panel(
        marks,
        title,
        say("lead to"),
        what,
        x_ticks={float(i): end for i, end in enumerate(names)},
    )


def star_of(run: Run, colour: int) -> Panel:
    """The largest basin of a run, or of its cycles: each state leads to the next, and in the end into the middle."""
    successors, every = run.arrays["successor"].values, basins_of(run)
    word, middle, members = next((basin for basin in every if basin[0] == "cycles"), every[0])
    where = star(successors, middle, members)
    before = [state for state in members if state not in middle]
    turning = [state for state in middle if successors[state] != state]
    (start, end), (one, other) = (
        [np.reshape([where[state] for state in own], (-1, 2)) for own in (states, successors[states])]
        for states in (before, turning)
    )
    marks: list[Mark] = [
        Arrows(start, end + 0.12 * (start - end), "faint", 0.7),
        Arrows(one + 0.15 * (other - one), other + 0.15 * (one - other), "ink", bend=0.4),
        Points(np.reshape([where[state] for state in before], (-1, 2)), colour=colour),
        Points(np.array([where[state] for state in middle]), colour="ink", size=1.8),
    ]
    count = sum(basin[0] == "cycles" for basin in every)
    into = (
        say("one of {} cycles", count) if turning else say("into {}", word) if word not in REST else say("not stored")
    )
    return Panel(marks, into, layout="free")


def star(successors: np.ndarray, middle: Sequence[int], members: Sequence[int]) -> dict[int, np.ndarray]:
    """The places of the states of a basin within a circle of radius 1, each farther out the more steps it takes."""
    before = {state: [s for s in members if successors[s] == state and s not in middle] for state in members}
    slots = iter(2 * np.pi * (np.arange(len(members)) + 0.5) / max(1, sum(not own for own in before.values())))
    turns: dict[int, tuple[int, float]] = {}

    def place(state: int, steps: int) -> float:
        turn = float(np.mean([place(s, steps + 1) for s in before[state]] or [next(slots)]))
        turns[state] = steps, turn
        return turn

    for state in middle:
        place(state, int(len(middle) > 1))
    most = max(steps for steps, _ in turns.values()) or 1
    return {state: steps / most * np.array([np.cos(turn), np.sin(turn)]) for state, (steps, turn) in turns.items()}


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
    shown, names, note = some_runs(long or every, MOST_CURVES, lacks)  # one step is another story
    note = left_out(len(shown), len(every), "runs", "run")
    marks: list[Mark] = []
    if all("radii" in run.arrays and len(run.arrays["radii"].values) > 1 for run in shown):
        for i, (run, name) in enumerate(zip(shown, names, strict=True)):
            radius, *ends = (run.arrays[f"radii{end}"].values for end in ("", "-low", "-high"))
            load = numbers(run.arrays["radii"].labels[0])
            marks.append(Curve(load, radius, name, i, np.abs(ends - radius), "both"))
        axis = say("{}\nfrom which half of the cues return", what)
        return Sheet([Panel(marks, "", say("load (patterns / neuron)"), axis, y_range=(0, None))], notes=[note])
    for i, (run, name) in enumerate(zip(shown, names, strict=True)):
        damage, share, error = shares_by_damage(run)
        half = np.flatnonzero(np.diff(share >= 0.5))[:1]
        marks.append(Curve(damage, share, "" if len(half) else name, i, error, "both"))
        for k in half:
            at = damage[k] + (0.5 - share[k]) / (share[k + 1] - share[k]) * (damage[k + 1] - damage[k])
            text = say("{}: half return at {}", name, float(at)) if name else say("half return at {}", float(at))
            named: dict[str, Any] = {"key": text} if len(shown) > 1 else {"names": [text]}
            marks.append(Points(np.array([[at, 0.5]]), colour=i, hollow=True, size=1.6, **named))
    ticks = {0.0: "0", 0.5: say("half"), 1.0: say("all")}
    return Sheet([Panel(marks, "", what, say("cues that return"), y_range=(0, 1.04), y_ticks=ticks)], notes=[note])


def shares_by_damage(run: Run) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The damage of cues or their overlap, the share that returns, and the ends of its interval as distances."""
    if "returned" in run.arrays:
        share, low, high = (run.arrays[f"returned{end}"].values[0] for end in ("", "-low", "-high"))
        return numbers(run.arrays["returned"].labels[1]), share, np.array([share - low, high - share])
    start, back = run.arrays["start"].values, run.arrays["overlaps"].values >= MATCH
    # Cues that start alike are counted together.
    parts = np.array_split(np.argsort(start, kind="stable"), min(len(start) // POOLED, 9))
    at, share = (np.array([own[part].mean() for part in parts]) for own in (start, back))
    error = 2 * np.sqrt(share * (1 - share) / [len(part) for part in parts])
    return at, share, np.array([np.minimum(error, share), np.minimum(error, 1 - share)])


@figure(
    "how the fixed points between two patterns merge as β falls: stable ones, and those that a cue leaves",
    "bifurcation",
)
def bifurcation(result: Result) -> Sheet:
    """A point for each fixed point at each β; its height is its place between two patterns."""
    runs = [run for run in result.runs if "points-place" in run.arrays]
    shown, names, note = some_runs(runs, MOST_RUNS, "it has no fixed points by β")
    panels, ticks = [], {0.0: say("first pattern"), 0.5: say("halfway"), 1.0: say("second pattern")}
    for run, name in zip(shown, names, strict=True):
        points = np.column_stack([run.arrays["points-at"].values, run.arrays["points-place"].values])
        need_visible(points)
        rest, leave = (points[run.arrays["points-stable"].values.astype(bool) == own] for own in (True, False))
        marks = [Points(rest, colour="plus", key=say("stable: cues come to rest here"))]
        if len(leave):
            marks.append(Points(leave, colour="minus", hollow=True, marker="s", key=say("unstable: cues leave")))
        panels.append(Panel(marks, name, say("inverse temperature β"), "", y_range=(-0.1, 1.1), y_ticks=ticks))
    count, beta = shown[0].arrays["count"].values[1], numbers(shown[0].arrays["count"].labels[1])
    fork, title = np.flatnonzero(np.diff(count)), ""
    if len(shown) == len(fork) == count[0] == 1:
        below, above = map(float, beta[fork[0] : fork[0] + 2])
        title = say("cues end at {} place up to β = {}, at {} from β = {} on", 1, below, int(count[-1]), above)
    return Sheet(panels, title, [note], shared="y")
