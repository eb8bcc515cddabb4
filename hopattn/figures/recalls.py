"""Recalls as data: which cues recall their patterns, states as pictures, ends in words; and bare recalls as sheets."""

from collections.abc import Iterator
from itertools import islice

import numpy as np

from hopattn.dynamics.likeness import MATCH, Spurious
from hopattn.dynamics.record import Recall, Status
from hopattn.figures.choice import largest
from hopattn.figures.figure import left_out, need
from hopattn.figures.sheet import Cells, Curve, Panel, Sheet, say
from hopattn.figures.text import JOINT, label
from hopattn.retrieval.similarity import cosine
from hopattn.scenario.result import Run

PASSED = 2
"""A recall that visits more patterns than this number replays a sequence."""
SAME, UNLIKE = 0.05, 0.5
"""The parts of a black pixel by which no pixel of two states that look the same differs, and by which some pixel of two
states with pictures of their own does."""
APART, FINE = 0.07, 200
"""The least distance of two balls in a valley, as a part of its size, and the number of its places."""
FRAMES = 14
"""The number of frames of a long recall: at most this number of steps, most of them early."""
ENDS = {Status.NOTHING_NEAR: say("finds nothing near"), Status.DIVERGED: say("grows without bound")}
"""Ends that are no states."""
MOST_CUES, NAMED, TICKS = 40, 6, 8
"""Of a bare recall: the most cues, those up to which each has a colour and a name, and the steps with a tick each."""
LEAST = 12
"""The least number of frames. Between the steps of a short recall, states go over evenly into the next ones."""


def recalled(run: Run) -> np.ndarray:
    """Whether each cue of a recall ends at its own pattern, or at any pattern if none is its own, `(n_cues,)`."""
    arrays, own = run.arrays, run.arrays.get("overlaps")
    if "recalled" in arrays and arrays["recalled"].values.ndim:
        return np.asarray(arrays["recalled"].values, dtype=bool)
    if "recalls" not in arrays:
        return np.asarray(arrays["overlaps"].values >= MATCH)
    near = {} if own is None else dict(zip(own.labels[0], own.values >= MATCH, strict=True))
    cues = arrays["recalls"].labels[0]
    return np.array([recalls(run, i) and near.get(name, True) for i, name in enumerate(cues)], dtype=bool)


def last_step(run: Run, i: int) -> int:
    """The number of steps of cue `i`."""
    return int(run.arrays["steps"].values[i])


def states(run: Run, i: int) -> np.ndarray:
    """The states of cue `i`, the cue first, `(n_steps + 1, n_pixels)`: white −1, black 1, as in the stored patterns.

    A cue is cut off at their black; a state that outgrows them has its own.
    """
    rows = run.arrays["trajectory"].values[i][: last_step(run, i) + 1]
    patterns = run.arrays["patterns"].values if "patterns" in run.arrays else rows
    black = float(np.abs(patterns).max(initial=0.0)) or 1.0
    scale = np.maximum(black, np.abs(rows).max(axis=1, keepdims=True))
    scale[0] = black
    return np.asarray(np.clip(rows / scale, -1, 1))


def picture(run: Run, i: int, state: np.ndarray) -> np.ndarray:
    """A state of cue `i` in the shape of its picture."""
    size = run.strips[i].size
    return state.reshape(size.rows, size.columns)


def picture_steps(shown: np.ndarray, most: int) -> list[int]:
    """The steps whose states `(n_steps + 1, n_pixels)` differ to the eye, up to the first that is like the end.

    most: their number at most. A pixel goes from 0 or −1 to 1.
    """
    kept = [0]
    moving = np.flatnonzero(np.abs(shown - shown[-1]).max(axis=1) > SAME)
    end = int(moving.max(initial=-1)) + 1
    for step in range(1, end):
        if np.abs(shown[step] - shown[kept[-1]]).max() > UNLIKE:
            kept.append(step)
    kept = kept if end in kept else [*kept, end]
    some = np.unique(np.round(np.linspace(0, len(kept) - 1, min(most, len(kept)))).astype(int))
    return [kept[k] for k in some]


def spaced_steps(last: int, most: int) -> list[int]:
    """Some of the steps from 0 to the last, `most` at most, most of them early."""
    spaced = (np.expm1(np.linspace(0, np.log1p(last), count)) for count in range(most, 4 * most))
    some = [np.unique(np.round(one).astype(int)) for one in spaced]
    return [int(step) for step in max((one for one in some if len(one) <= most), key=len)]


def moment(run: Run, step: int, start: str) -> str:
    """The name of a step: its temperature, where it falls. start: the name of step 0."""
    if step and "temperature" in run.arrays:
        by_step = [*run.arrays["temperature"].values, 0.0]  # a quench follows
        return say("T = {}", float(f"{by_step[min(step, len(by_step)) - 1]:.3g}"))
    return say("step {}", step) if step else start


def frame_times(last: int) -> list[float]:
    """The time of each frame, in steps; between whole steps one state goes over into the next."""
    if last >= LEAST - 1:
        return [float(step) for step in spaced_steps(last, FRAMES)]
    steps = max(last, 1)
    return [float(time) for time in np.linspace(0, last, steps * -(-(LEAST - 1) // steps) + 1)]


def turns_of(run: Run, i: int) -> np.ndarray:
    """The turns of neurons in the recall of cue `i`, `(4, n_turns)`: the neuron, its field, and it before and after."""
    turns = run.arrays["turns"]
    neurons = [int(label.rpartition(" ")[2]) - 1 for label in turns.labels[1]]  # as in "3: neuron 2"
    return np.stack([neurons, *turns.values[i].T[:3]])


def slope_of(run: Run, i: int, apart: float = APART) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """The way of a cue with its energies, `(n_places, 2)`; its balls, `(n_balls, 2)`, which lie apart; their steps."""
    way, balls = run.arrays["valley"].values[i].T, run.arrays["balls"].values[i][:, : last_step(run, i) + 1].T
    way = way[np.isfinite(way).all(axis=1)]
    size = np.maximum(np.ptp(way, axis=0), 1e-9)
    shown = spread(balls, size, apart)
    x = np.linspace(way[0, 0], way[-1, 0], FINE)
    return np.column_stack([x, np.interp(x, *way.T)]), balls[shown], [str(k) for k in shown]


def spread(balls: np.ndarray, size: np.ndarray, apart: float = APART) -> list[int]:
    """Which of some balls `(n_balls, 2)` are shown: the last before all others, and those that lie apart from it."""
    last = int(np.argmax(np.all(np.abs(balls - balls[-1]) < 1e-3 * size, axis=1)))  # where it first lies at its end
    shown = [last]
    for k in range(last):
        if (np.abs(balls[shown] - balls[k]) / size).max(axis=1).min() > apart:
            shown.append(k)
    return sorted(shown)


def recalls(run: Run, i: int) -> bool:
    """Whether cue `i` recalls a stored pattern."""
    return "recalls" in run.arrays and str(run.arrays["recalls"].values[i]) != "nothing"


def verdict(run: Run, i: int) -> str:
    """The end of the recall of cue `i`: "recalls R", "ends at S reversed"."""
    status = Status(str(run.arrays["status"].values[i]))
    if recalls(run, i):
        visited = len({str(word) for word in run.arrays["visits"].values[i]} - {"nothing"})
        name = str(run.arrays["recalls"].values[i])
        name = say("pattern {}", name) if name.isdigit() else _quoted(name)
        return say("recalls {}", name) if visited <= PASSED else say("visits {} patterns", visited)
    if status == Status.CYCLE:
        return say("ends in a cycle of {}", int(run.arrays["period"].values[i]))
    if status in ENDS:
        return ENDS[status]
    kind, of = (str(run.arrays[name].values[i]) if name in run.arrays else "" for name in ("spurious", "of"))
    names = ", ".join(map(_quoted, of.split(" + ")))
    if kind == Spurious.REVERSED:
        return say("ends at {} reversed", names)
    if kind == Spurious.MIXTURE:
        state = np.abs(run.arrays["state"].values[i])
        crisp = np.allclose(state, state.max())
        return say("ends at a mixture of {}", names) if crisp else say("ends between {}", names)
    if "recalls" not in run.arrays:  # nothing is stored that an end may be compared with
        return say("comes to rest") if status == Status.CONVERGED else say("does not come to rest")
    pair = pair_at_end(run, i)
    return say("ends at {}", pair) if pair else say("ends where nothing is stored")


def _quoted(name: str) -> str:
    """The name of a pattern; a word in quotes."""
    return say("‘{}’", label(name)) if len(name) > 1 else name


def pair_at_end(run: Run, i: int) -> str:
    """The two patterns whose sum the last state is, such as "I + L"; an empty text if it is not such a sum."""
    state, patterns = run.arrays["state"].values[i], run.arrays.get("patterns")
    if patterns is None or state.shape != patterns.values.shape[1:] or not state.any():
        return ""
    nearest = largest(np.abs(np.asarray(cosine(state, patterns.values))), 2).tolist()
    total = patterns.values[nearest].sum(axis=0)
    is_sum = len(nearest) > 1 and total.any() and float(cosine(total, state)) >= MATCH
    return f"{JOINT}+{JOINT}".join(label(patterns.labels[0][k]) for k in nearest) if is_sum else ""


def recall_sheet(record: Recall) -> Sheet:
    """A bare recall: the last states as cells, one row for each cue; and the energy of each by step, up to its end."""
    record = record.to_numpy()
    count, steps = np.size(record.steps), np.atleast_1d(record.steps)[:MOST_CUES].tolist()
    states = record.state.reshape(count, -1)[:MOST_CUES]
    need(states.size, "plot: the recall has no cues")
    few = len(states) <= NAMED
    ends = enumerate(islice(ends_of(record), MOST_CUES), start=1)
    rows = [say("{}: {}", i, end) if few and end else str(i) for i, end in ends]
    known = np.where(np.isfinite(states), states, np.nan)
    colours = "picture" if np.nanmin(known, initial=0) < 0 else "weights"
    row_colours = [*range(len(states))] if few and len(states) > 1 else "ink"
    cells = Cells(known, rows, (), colours=colours, row_colours=row_colours)
    panels = [Panel([cells], say("the states at the end"), say("neuron"), say("cue"), "grid")]
    if record.energies is not None:
        ways = enumerate(zip(record.energies.reshape(-1, count).T, steps, strict=False))
        curves = [Curve(range(last + 1), way[: last + 1], "", i if few else "faint") for i, (way, last) in ways]
        ticks = {float(i): str(i) for i in range(max(steps) + 1)} if max(steps) <= TICKS else None
        panels.append(Panel(curves, "", say("step"), say("energy"), x_ticks=ticks))
    title = say("{} of {} cues end at a stored pattern", int(np.sum(record.matched >= 0)), count)
    return Sheet(panels, title, [left_out(len(states), count, "cues")])


def ends_of(record: Recall) -> Iterator[str]:
    """The last state of each cue, in words."""
    words = {Spurious.REVERSED: say("a pattern reversed"), Spurious.OTHER: say("nothing stored")}
    cues = np.atleast_1d(record.matched), np.atleast_1d(record.spurious), np.atleast_2d(record.mixture)
    for matched, kind, three in zip(*cues, strict=True):
        if matched >= 0:
            yield say("pattern {}", int(matched) + 1)
        elif Spurious(kind) == Spurious.MIXTURE:
            yield say("a mixture of {}", ", ".join(str(one + 1) for one in three))
        else:
            yield words.get(Spurious(kind), "")
