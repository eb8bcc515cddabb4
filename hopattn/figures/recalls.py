"""Recalls as data: which cues recall their patterns, states as pictures, ends in words; and bare recalls as sheets."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from hopattn.dynamics.likeness import MATCH, Spurious
from hopattn.dynamics.record import Recall, Status
from hopattn.figures.figure import left_out, need
from hopattn.figures.sheet import Cells, Curve, Panel, Sentence, Sheet, say
from hopattn.figures.text import JOINT, label
from hopattn.retrieval.similarity import cosine
from hopattn.scenario.result import Run

PASSED = 2
"""A recall that visits more patterns than this number replays a sequence."""
SAME, UNLIKE = 0.05, 0.5
"""The parts of a black pixel by which no pixel of two states that look the same differs, and by which some pixel of two
states with pictures of their own does."""
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
    arrays = run.arrays
    if "recalled" in arrays and arrays["recalled"].values.ndim:
        return np.asarray(arrays["recalled"].values, dtype=bool)
    own = arrays.get("overlaps")
    if "recalls" not in arrays:
        return np.asarray(arrays["overlaps"].values >= MATCH)
    ends = np.asarray(arrays["recalls"].values != "nothing")
    near = {} if own is None else dict(zip(own.labels[0], own.values >= MATCH, strict=True))
    return np.asarray(ends & [near.get(name, True) for name in arrays["recalls"].labels[0]])


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


def picture_steps(run: Run, i: int, most: int) -> list[int]:
    """The steps of cue `i` whose pictures differ to the eye, `most` at most, up to the first that is like the end."""
    shown, kept = states(run, i), [0]
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


def frame_times(last: int) -> list[float]:
    """The time of each frame, in steps; between whole steps one state goes over into the next."""
    if last == 0:
        return [0.0] * LEAST
    if last < LEAST - 1:
        parts = -(-(LEAST - 1) // last)
        return [i / parts for i in range(last * parts + 1)]
    return [float(step) for step in spaced_steps(last, FRAMES)]


def recalls(run: Run, i: int) -> bool:
    """Whether cue `i` recalls a stored pattern."""
    return "recalls" in run.arrays and str(run.arrays["recalls"].values[i]) != "nothing"


def verdict(run: Run, i: int) -> Sentence:
    """The end of the recall of cue `i`: "recalls R", "ends at S reversed"."""
    status = Status(str(run.arrays["status"].values[i]))
    if recalls(run, i):
        visited = len({str(word) for word in run.arrays["visits"].values[i]} - {"nothing"})
        name = label(str(run.arrays["recalls"].values[i]))
        name = say("pattern {}", name) if name.isdigit() else name
        return say("recalls {}", name) if visited <= PASSED else say("visits {} patterns", visited)
    if status == Status.CYCLE:
        return say("ends in a cycle of {}", int(run.arrays["period"].values[i]))
    if status in ENDS:
        return ENDS[status]
    kind, of = (str(run.arrays[name].values[i]) if name in run.arrays else "" for name in ("spurious", "of"))
    names = ", ".join(map(label, of.split(" + ")))
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


def pair_at_end(run: Run, i: int) -> str:
    """The two patterns whose sum the last state is, such as "I + L"; an empty text if it is not such a sum."""
    state = run.arrays["state"].values[i]
    if "patterns" not in run.arrays or state.shape != run.arrays["patterns"].values.shape[1:]:
        return ""
    patterns, names = run.arrays["patterns"].values, run.arrays["patterns"].labels[0]
    nearest = np.argsort(-np.abs(cosine(state, patterns)), kind="stable")[:3].tolist()
    for one, other in combinations(sorted(nearest), 2):
        total = patterns[one] + patterns[other]
        if total.any() and state.any() and float(cosine(total, state)) >= MATCH:
            return JOINT.join((label(names[one]), "+", label(names[other])))
    return ""


def recall_sheet(record: Recall) -> Sheet:
    """A bare recall: the last states as cells, one row for each cue; the energy and the largest overlap by step.

    A record has overlaps if the recall was run with `keep=["overlaps"]`.
    """
    record = record.to_numpy()
    count = np.size(record.steps)
    steps = np.atleast_1d(record.steps)[:MOST_CUES]
    states = record.state.reshape(count, -1)[:MOST_CUES]
    need(states.size, "plot: the recall has no cues")
    few = len(states) <= NAMED
    ends = enumerate([*ends_of(record)][:MOST_CUES], start=1)
    rows = [say("{}: {}", i, end) if few and end else str(i) for i, end in ends]
    known = np.where(np.isfinite(states), states, np.nan)
    colours = "picture" if np.nanmin(known, initial=0) < 0 else "weights"
    row_colours = [*range(len(states))] if few and len(states) > 1 else "ink"
    cells = Cells(known, rows, (), colours=colours, row_colours=row_colours)
    panels = [Panel([cells], say("the states at the end"), say("neuron"), say("cue"), "grid")]
    if record.energies is not None:
        panels.append(by_step(say("energy"), record.energies.reshape(-1, count).T, steps))
    if record.overlaps is not None and record.overlaps.shape[-1]:
        largest = np.abs(record.overlaps).max(axis=-1).reshape(-1, count).T
        panels.append(by_step(say("largest overlap"), largest, steps))
    places = ("", "", "AB", "AB\nAC")[len(panels)]
    return Sheet(panels, notes=[left_out(len(states), count, "cues")], places=places)


def by_step(name: str, rows: np.ndarray, steps: np.ndarray) -> Panel:
    """One quantity by step, a curve for each cue up to the step at which it ends."""
    few, last = len(steps) <= NAMED, int(steps.max())
    curves = []
    for i, (row, end) in enumerate(zip(rows, steps.tolist(), strict=False)):
        cue = say("cue {}", i + 1) if few and len(steps) > 1 else ""
        curves.append(Curve(np.arange(end + 1), row[: end + 1], cue, i if few else "faint"))
    return Panel(curves, "", say("step"), name, x_ticks={i: str(i) for i in range(last + 1)} if last <= TICKS else None)


def ends_of(record: Recall) -> Iterator[str]:
    """The last state of each cue, in words."""
    words = {Spurious.REVERSED: say("a pattern reversed"), Spurious.OTHER: say("nothing stored")}
    found = np.atleast_1d(record.matched), np.atleast_1d(record.spurious), np.atleast_2d(record.mixture)
    for matched, kind, three in zip(*found, strict=True):
        if matched >= 0:
            yield say("pattern {}", int(matched) + 1)
        elif Spurious(kind) == Spurious.MIXTURE:
            yield say("a mixture of {}", ", ".join(str(one + 1) for one in three))
        else:
            yield words.get(Spurious(kind), "")
