"""The recall strip: cue, compare, weigh, mix, again, in the same columns for a head, a memory and a network.

The unit of lengths is the size of the text on a slide, so that each text has the room that it needs.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np

from hopattn.figures.choice import largest
from hopattn.figures.figure import figure, left_out, need
from hopattn.figures.policies import SEEN, bars_within
from hopattn.figures.recalls import FRAMES
from hopattn.figures.sheet import Arrows, Bars, Curve, Mark, Panel, Picture, Sheet, say, texts
from hopattn.figures.steps import (
    ALL,
    AXES,
    DOWN,
    GROWN,
    REPLACES,
    SMALL,
    STRIPS,
    Column,
    Step,
    axis_name,
    gain,
    key_name,
    steps_in,
)
from hopattn.figures.text import ems, number
from hopattn.scenario.result import Result

ROWS, FEW = 5, 2
"""The most rows with the others in one, and the most that a mask hides with a row each."""
WIDTH, HEIGHT, HEADS, CAPTION = 50.0, 22.5, 2.0, 2.2
"""The width and the height of all strips, and the heights of the names of columns and of their captions."""
LANE, GAP, LEAST, BARS = 3.0, 1.0, 4.2, np.linspace(10, 2, 17)
"""The widths of arrows between columns, of what is free, and of a narrow column; and the lengths of bars, of which the
largest that has room is taken.
"""
ROW, AXIS, CLEAR, LINE, SIDE, SIGNS = 5.0, 4.0, 1.9, 1.5, 8.0, 6.0
"""The most height of a row and of an axis, the least of an axis and of a row, the sides of a picture and of signs."""
HEAD, WIDER, ALIKE, LARGE = 1.1, 1.4, 0.03, 10
"""The size of the names of columns, the length of the bars of an answer, those of others being 1, by how much weights
that look alike differ, and from what size on scores have one decimal.
"""


class Room(NamedTuple):
    """What all strips of a figure share: the height of their rows, the length of bars, all steps, and whether scores
    have numbers.
    """

    height: float
    bar: float
    steps: Sequence[Step]
    counted: bool = True


HEADINGS = say("1  cue"), say("2  compare"), say("3  weigh"), say("4  mix"), say("5  again?")
"""The names of the columns."""
BEFORE, BLOCK = say("■ before"), "■ {}"
"""The name of the bars of a cue, and a name with its colour."""


def frames(result: Result) -> list[Sheet]:
    """The strip with one column more in each frame; of a network a frame for each neuron that turns."""
    if (every := steps_in(result)) and every[0].changed is not None:
        return [strip_of([step], len(every)) for step in every[:FRAMES]]
    whole = strip(result)
    bare = [[one if i % 5 <= k else replace(one, marks=()) for i, one in enumerate(whole.panels)] for k in range(5)]
    return [replace(whole, panels=some) for some in bare]


@figure("one step of recall in four moves: cue, compare, weigh, mix; and again until it rests", "letters", frames)
def strip(result: Result) -> Sheet:
    """A row of five panels for each of the first cues, layers, turns of neurons, or variants."""
    every = steps_in(result)
    need(every, "it has no step of recall: no weights of patterns, no turns of neurons, no words that attend to words")
    unlike = [step for k, step in enumerate(every) if not any(alike(step, one) for one in every[:k])]
    most = sum(step.run == every[0].run for step in unlike) if every[0].place else STRIPS
    return strip_of(unlike[: 1 if every[0].keys and not any(every[0].rows) else most], len(unlike))


def alike(one: Step, other: Step) -> bool:
    """Whether two steps show the same: the same words with nearly the same weights."""
    same = one.changed is None and [*one.rows, one.place, one.told[2]] == [*other.rows, other.place, other.told[2]]
    return bool(same and np.allclose(one.weights, other.weights, atol=ALIKE))


def strip_of(whole: Sequence[Step], count: int) -> Sheet:
    """Strips one below the other. count: of all steps."""
    height = (HEIGHT - HEADS) / len(whole) - CAPTION
    together = max(np.sum(step.hidden) for step in whole) > FEW
    steps = [few(step, ALL if len(whole) == 1 else max(2, int(height / LINE)), together) for step in whole]
    for k, (step, other) in enumerate(pairwise(whole)):
        if step.changed is not None and step.run == other.run:  # the last neuron shows the valley
            following = other.rows[other.changed or 0]
            then = say("also: {}", following) if np.array_equal(step.cue, other.cue) else say("next: {}", following)
            steps[k] = steps[k]._replace(told=(*step.told[:3], then), again=DOWN)
    high = max(SIDE, *(max(ROW * len(step.rows), AXIS * min(len(step.axes), AXES)) for step in steps))
    room = Room(min(high, height), 0.0, steps)
    rooms = [room._replace(bar=float(bar), counted=counted) for counted in (True, False) for bar in BARS]
    room = next((one for one in rooms if sum(widths_of(one)) <= WIDTH), rooms[-1])
    widths, panels, last = widths_of(room), [], tuple[str, ...]([""] * 5)
    for k, step in enumerate(steps):
        top, above, told = room.height / 2, CAPTION + (not k) * HEADS, captions(step, room)
        new = [text if text != before else "" for text, before in zip(told, last, strict=True)]
        for i, (column, width) in enumerate(zip(columns(step, room), widths, strict=True)):
            lines = named(step, room, i, "" if k else HEADINGS[i], new[i], top).marks
            ends: Any = {"x_range": (0, width), "y_range": (-top, top + above), "height": 2 * top + above}
            panels.append(Panel([*lines, *column.marks], layout="free", width=width, **ends))
        last = told
    return Sheet(panels, title_of(whole), [left_out(len(steps), count, "recalls", "run or query")], in_a_row=5)


def widths_of(room: Room) -> list[float]:
    """The widths of the columns of strips, by their marks, names and captions."""
    widths = np.full(5, LEAST)
    for step in room.steps:
        for k, (column, told) in enumerate(zip(columns(step, room), captions(step, room), strict=True)):
            over = k in (0, 2)  # its names go on over the arrows of the next column
            right = named(step, room, k, HEADINGS[k], told, 0.0).right + GAP - LANE * over
            widths[k] = max(widths[k], column.right + GAP / (1 + 2 * over), right + 0.6 * GAP * (k == 0))
    return widths.tolist()


def named(step: Step, room: Room, k: int, head: str, told: str, top: float) -> Column:
    """The name of column `k` and its caption, which tells the colours of bars before and after; none where empty."""
    look: Any = {"size": SMALL, "align": "left"}
    at, low = LANE * (k % 2), top + CAPTION / 2
    violet = bool(k == 3 and step.axes and told)
    pair = bool(violet and len(step.cue) and shown_of(step, room)[-1])
    after = at + SMALL * ems(f"{BEFORE}    ") * pair
    heading = texts(at, top + CAPTION + HEADS / 3, [head], size=HEAD, bold=True, align="left")
    before, told = texts(at, low, [BEFORE], "query", **look), say(BLOCK, told) if pair else told
    look |= {"colour": "value" if violet else "faint"} if k else {"bold": True}
    marks: list[Mark] = [*[heading] * bool(head), *[before] * pair, *[texts(after, low, [told], **look)] * bool(told)]
    return Column(marks, max(at + 1.2 * HEAD * ems(head), after + SMALL * (1 + 0.15 * (not k)) * ems(told)))


def captions(step: Step, room: Room) -> tuple[str, ...]:
    """The captions of the five columns of a strip; the first is its name."""
    several = len({one.run for one in room.steps}) > 1 and step.run != step.text
    name = step.run if several else step.place or (step.name if step.cue.ndim > 1 else "")
    before, way, mixed, then = step.told
    return name, before, way, GROWN.get(mixed, mixed) if step.axes and grown(room) else mixed, then


def title_of(steps: Sequence[Step]) -> str:
    """What the answers of the strips show, in one line: how they differ, where there are several."""
    (first, *_, last), names = (steps[0], *steps), {step.name for step in steps}
    if first.changed is not None:
        return first.does
    if len(steps) == 2 and len(names) == 1 and first.run != last.run and (contrast := contrast_of(first, last)):
        return contrast
    best, (_, there, noted) = int(np.argmax(first.weights)), last.note[1].partition(": ")
    if there and last.rows[int(np.argmax(last.weights))] == first.name:
        before = first.rows[best].startswith(noted) and [*first.rows[best + 1 : best + 2]] == [first.name]
        return say(
            "‘{}’ finds ‘{}’, which noted ‘{}’{}", last.name, first.name, noted, say(" before it") if before else ""
        )
    if len(steps) == 1 and first.place:
        return say("‘{}’ {} in {}", first.name, first.does, first.place)
    clauses = [
        say("{} {}", one.place, one.does) if one.place else say("{} in ‘{}’", one.does, one.run) for one in steps
    ]
    if len(names) == len(steps):
        clauses = [say("‘{}’ {}", step.name, step.does) for step in steps]
    joint = say(", ".join(["{}"] * len(clauses)), *clauses) if len(clauses) > 1 else clauses[0]
    joint = say("‘{}’: {}", first.name, joint) if len(names) < len(steps) else joint
    joint = say("{} among {} patterns", joint, len(last.rows)) if last.target >= 0 and len(last.rows) > ALL else joint
    return say("{} in {} steps", joint, last.steps) if len(steps) == 1 and (last.steps or 0) > 1 else joint


def contrast_of(one: Step, other: Step) -> str:
    """What differs between two runs with the same cue; empty where what each does says it."""
    if [*one.rows] == [*other.rows] and one.steps is None:
        k = int(np.argmax(np.abs(one.weights - other.weights)))
        by = [run if run.startswith("with") else say("with {}", run) for run in (one.run, other.run)]
        size, less = (say("nothing") if step.hidden[k] else float(step.weights[k]) for step in (one, other))
        told = size, key_name(one.name, one.rows[k]), by[0], less, by[1]
        return say("‘{}’ takes {} from {} {}, {} {}", one.name, *told)
    parts = list[str]()
    for step, without in ((one, other), (other, one)) if one.axes and one.steps is None else ():
        new = [k for k, row in enumerate(step.rows) if row not in without.rows]
        most = sorted(new, key=step.weights.__getitem__)[-1:]
        parts += [axis_name(step.axes[gain(step)]), *(step.rows[k] for k in most)]
    if len({*parts}) == 4:
        return say("‘{}’ turns to {} after ‘{}’, to {} after ‘{}’", one.name, *parts)
    return say("‘{}’ and ‘{}’ on the same cue: each {}", one.run, other.run, one.does) if one.does == other.does else ""


def few(step: Step, most: int, together: bool) -> Step:
    """A step with the rows of the target and of the largest weights, and one for all others.

    together: whether the keys that a mask hides share a row. Of the others a row has the sum of weights and the best
    score. The patterns of a memory have no order; they stand by their weights.
    """
    at, hidden = np.flatnonzero(~step.hidden), np.flatnonzero(step.hidden)
    lines = 1 if together and len(hidden) else len(hidden)
    masked = (
        [say("{} others", len(hidden))] if together and len(hidden) > 1 else [step.rows[k] for k in hidden.tolist()]
    )
    if len(at) + lines <= most and lines == len(hidden):
        return step
    order = at[np.lexsort([at, -step.scores[at], -np.abs(step.weights[at]), at != step.target])]
    whole = len(at) + lines <= most
    kept = order if whole else order[: max(1, min(ROWS, most) - 1 - lines)]
    kept = np.sort(kept) if step.steps is None else kept
    rest = np.setdiff1d(at, kept)
    some = bool(len(rest))
    none, empty = np.zeros(len(masked)), [None] * (len(masked) + some)
    return step._replace(
        rows=[*(step.rows[k] for k in kept), *masked, *[say("{} others", len(rest))] * some],
        scores=np.concatenate([step.scores[kept], none, [step.scores[rest].max()] if some else []]),
        weights=np.concatenate([step.weights[kept], none, [step.weights[rest].sum()] if some else []]),
        hidden=np.repeat([False, True, False], [len(kept), len(masked), some]),
        keys=[*(step.keys[k] for k in kept), *empty] if len(step.keys) else (),
        rest=len(rest),
    )


def columns(step: Step, room: Room) -> list[Column]:
    """The five columns of a strip."""
    n = len(step.rows)
    pitch = min(ROW, room.height / n)
    y = pitch * ((n - 1) / 2 - np.arange(n))
    cue = pictured(step, step.cue, "query", 0.0, pitch, room)
    if step.cue.ndim > 1 and step.changed is None and set(np.unique(step.cue)) == {-1, 0, 1}:
        below = getattr(cue.marks[0], "side", 0.0) / 2 + 0.8
        cue = Column([*cue.marks, texts(0, -below, [say("grey: unknown")], "faint", align="left")], cue.right)
    if step.cue.ndim == 1:
        name = texts(0, 0, [step.name], "query", HEAD, bold=True, align="left")
        words = step.text.split()
        known = step.text == step.name or (step.text != step.run and {*words} <= {*step.run.split()})  # by its caption
        lines = [] if known else wrap(step.text, 14, max_lines=2, placeholder=" …")
        text = texts(0, -1.8, ["\n".join(lines)], "faint", align="left")
        cue = Column([name, *[text] * bool(lines)], max(1.2 * HEAD * ems(step.name), *map(ems, lines), 0.0))
    row = np.column_stack([np.full(n, LANE - 0.7), y])[~step.hidden if step.compared else []]
    fan = Arrows(row * 0 + (0.3, 0), row, "faint", 0.5)
    names, left = keys_of(step, y, pitch, room)
    compared, weighed = (bars_of(step, what, x, y, pitch, room) for what, x in (("scores", left), ("weights", 0.0)))
    mixed = in_pairs(step, room) if step.axes else pictured(step, step.answer, "value", LANE, pitch, room)
    mixed = Column([*ways_back(step, y, mixed.marks, room), *mixed.marks], mixed.right)
    return [cue, Column([fan, *names, *compared.marks], compared.right), weighed, mixed, step.again]


def ways_back(step: Step, y: np.ndarray, answer: Sequence[Mark], room: Room) -> list[Mark]:
    """Arrows from the weights to the answer, as wide as their shares; to a neuron that turns, one from their sum."""
    if isinstance(ring := answer[-1] if answer else None, Curve):
        sign = "minus" if step.weights.sum() < 0 else "plus"
        start, end = np.array([(0.5, 0.0)]), np.array([(LANE - 0.7, 0.9 * np.mean(ring.y))])
        return [bracket(0.3, y[[-1, 0]], -0.3, "faint"), Arrows(start, end, sign, 1.5)]
    share = np.abs(step.weights) / max(1e-9, *(np.abs(one.weights).sum() for one in room.steps))
    some, signs = (share > SEEN) & ~step.hidden, np.where(step.weights < 0, "minus", "plus")
    start, bars = np.column_stack([0 * y, y])[some], [mark.at for mark in answer if isinstance(mark, Bars)][:1]
    rows = np.array(bars[0] if bars else (-np.inf, np.inf), float)
    low, high = rows.min(), rows.max()
    ends = np.column_stack([np.full(len(start), LANE - 0.8), np.clip(0.3 * start[:, 1], low - 0.4, high + 0.4)])
    back = Arrows(start, ends, signs[some].tolist(), 0.4 + 2 * share[some])
    return [back, *[bracket(LANE - 0.7, np.array([low, high]), 0.3, "value")] * len(bars)]


def bracket(x: float, ends: np.ndarray, wide: float, colour: str) -> Arrows:
    """A square bracket around rows on its right, or on its left where `wide` is negative.

    ends: of the rows, the lowest first.
    """
    out = x + wide
    corner = np.array([(out, ends[1] + 0.8), (x, ends[1] + 0.8), (x, ends[0] - 0.8), (out, ends[0] - 0.8)])
    return Arrows(corner[:-1], corner[1:], colour, head=False)


def keys_of(step: Step, y: np.ndarray, pitch: float, room: Room) -> tuple[list[Mark], float]:
    """The pictures and the names of keys, and where their bars begin."""
    marks, places, left = list[Mark](), [LANE] * len(y), LANE
    if len(step.keys):
        height, width = step.keys[0].shape  # type: ignore[union-attr]
        side = min(SIGNS, 0.85 * pitch * max(1, width / height))
        left += side * width / max(height, width)
        places = [LANE if key is None else left + 0.4 for key in step.keys]
        at = [((LANE + left) / 2, up) for up in y]
        marks = [Picture(key, one, side=side) for key, one in zip(step.keys, at, strict=True) if key is not None]
    colours = np.where(step.hidden, "faint", "key").tolist()
    noted = np.array([name == step.note[0] for name in step.rows])
    marks.append(texts(np.array(places), y + 0.35 * noted, step.rows, colours, size=1, align="left"))
    marks.append(texts(LANE, y[noted] - 0.6, [step.note[1]] * int(noted.sum()), "value", SMALL, align="left"))
    ends = [one.rows[k] for one in room.steps for k in range(len(one.rows)) if not one.keys or one.keys[k] is not None]
    others = [one.rows[-1] for one in room.steps if one.rest]
    right = max([max(places) + ems(name) for name in ends] + [LANE + 1.1 * ems(name) for name in others])
    right = max(right, *(LANE + SMALL * ems(one.note[1]) for one in room.steps))
    return marks, max(left, right) + 1.0


def bars_of(step: Step, what: str, left: float, y: np.ndarray, pitch: float, room: Room) -> Column:
    """A lying bar for each row that no mask hides; weights have numbers, and scores say what is masked."""
    every = np.concatenate([getattr(one, what)[~one.hidden] for one in room.steps])
    every = every[np.isfinite(every)] if np.isfinite(every).any() else np.zeros(1)
    scores = what == "scores"
    shown = ~step.hidden & np.isfinite(values := getattr(step, what)) & (step.compared or not scores)
    colours = np.where(values < 0, "key" if scores else "minus", "key" if scores else "plus")[shown].tolist()
    look: Any = {"values": values[shown], "at": y[shown], "colour": colours, "width": min(2.0, 0.55 * pitch)}
    look["digits"] = 1 if np.abs(every).max() >= LARGE else step.digits
    bars, right = lying(every, left, room, room.counted or not scores, **look)
    marks: list[Mark] = [bars]
    hidden = y[step.hidden & scores]
    right = max(right, left + SMALL * ems(say("masked")) * bool(len(hidden)))
    marks.append(texts(left, hidden, [say("masked")] * len(hidden), "faint", align="left"))
    if step.rest:
        word = say("at most") if scores else say("together")
        end = bars.zero + bars.unit * max(values[-1], 0.0) + 0.4
        end += bars.numbers * (0.6 + ems(number(float(values[-1]), bars.digits)))
        marks.append(texts(end, y[-1], [word], "faint", align="left"))
        right = max(right, end + SMALL * ems(word))
    return Column(marks, right)


def lying(every: np.ndarray, left: float, room: Room, numbers: bool = True, **look: Any) -> tuple[Bars, float]:
    """Lying bars in a unit in which all of `every` have room, with their numbers; and the right end of these."""
    beside = numbers * (0.6 + 0.9 * max(ems(number(float(one), look.get("digits", 2))) for one in every))
    start = left + beside * (every.min() < 0)
    bars = bars_within(start, room.bar, every=every, lying=True, numbers=numbers, **look)
    return bars, start + room.bar + beside * (every.max() >= 0)


def pictured(step: Step, state: np.ndarray, colour: str, x: float, pitch: float, room: Room) -> Column:
    """A state as a picture, with a ring around the neuron that turns. Neurons of a network stand beside their rows."""
    if state.ndim < 2:
        return Column([], x)
    rows, columns = state.shape
    side = min(SIDE, room.height) if columns < 2 * rows else SIGNS
    side = side if columns > 1 else pitch * rows if rows == len(step.rows) else room.height
    wide, high = side * columns / max(state.shape), side * rows / max(state.shape)
    marks: list[Mark] = [Picture(state, (x + wide / 2, 0), side=side, frame=colour)]
    if step.changed is not None:
        lines = np.arange(1, rows) * high / rows - high / 2 if columns == 1 else np.empty(0)
        left, right = (np.column_stack([np.full(len(lines), end), lines]) for end in (x, x + wide))
        marks.append(Arrows(left, right, "faint", 0.4, head=False))
        i, j = divmod(step.changed, columns)
        turn, ring = np.linspace(0, 2 * np.pi, 60), 0.6 * wide / columns
        at = x + wide * (j + 0.5) / columns, high * (0.5 - (i + 0.5) / rows)
        marks.append(Curve(at[0] + ring * np.cos(turn), at[1] + ring * np.sin(turn), colour="key"))
    return Column(marks, x + wide)


def shown_of(step: Step, room: Room) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool]:
    """The axes that change most in all strips with these axes, the change of each axis, the values of those that change
    most, and whether the cue is seen there.
    """
    together = [one for one in room.steps if (one.axes, one.place) == (step.axes, step.place)]
    change = np.max([np.abs(one.answer - (one.cue if len(one.cue) else 0)) for one in together], axis=0)
    room_for = min(AXES, int(room.height / CLEAR))
    most = largest(change, len(change) if len(change) <= room_for else room_for - 1)
    most = most[change[most] > SEEN] if len(change) > len(most) and change.max() > SEEN else most
    cues = [one.cue[most] for one in together if len(one.cue)]
    every = np.concatenate([*cues, *(one.answer[most] for one in together)])
    return most, change, every, bool(np.any(np.abs(cues) > SEEN)) and step.told[2] != REPLACES


def grown(room: Room) -> bool:
    """Whether no answer shown is smaller than its cue, or has another sign: the cue is then a part of its bar."""
    shown = [(one.cue, one.answer, shown_of(one, room)[0]) for one in room.steps if one.axes]
    pairs = [(cue[some], answer[some]) for cue, answer, some in shown if len(cue)]
    return len(pairs) == len(shown) and all(np.all((a * b >= 0) & (np.abs(b) >= np.abs(a))) for a, b in pairs)


def in_pairs(step: Step, room: Room) -> Column:
    """The answer as bars of the axes that change most, with the cue as a part of them, or above them, if it is seen."""
    shown = [shown_of(one, room) for one in room.steps if one.axes]
    most, change, _, before = shown_of(step, room)
    grows = before and grown(room)
    told = [told_of(one, *shown_of(one, room)[:2]) if one.axes else "" for one in room.steps]
    alone = len({*told}) > 1 or step is room.steps[-1]  # what all strips have in common stands once
    rest = told_of(step, most, change) if alone else ""
    names = [*(axis_name(step.axes[k]) for k in most), *[rest] * bool(rest)]
    pitch = min(AXIS, room.height / (len(most) + any(told)))
    y = pitch * ((len(names) - 1) / 2 - np.arange(len(names)))
    longest = [ems(axis_name(one.axes[k])) for one in room.steps if one.axes for k in shown_of(one, room)[0]]
    left, at, room = LANE + SMALL * max(longest) + 0.8, y[: len(most)], room._replace(bar=WIDER * room.bar)
    down = 0.14 * pitch * (before and not grows)
    look: Any = {"at": at - down, "colour": "value", "width": 0.45 * pitch}
    answer, right = lying(np.concatenate([one[2] for one in shown]), left, room, values=step.answer[most], **look)
    look = {"colour": "query", "numbers": False}
    look |= {} if grows else {"at": at + 0.24 * pitch, "width": 0.12 * pitch}
    cue = [replace(answer, values=step.cue[most], **look)] if before else []
    colours = ["ink"] * len(most) + ["faint"]
    marks = [texts(LANE, y - down, names, colours, align="left"), answer, *cue]
    return Column(marks, max(right, LANE + SMALL * ems(rest)))


def told_of(step: Step, most: np.ndarray, change: np.ndarray) -> str:
    """Which axes are shown, in words; empty where all are."""
    count, of, there = len(most), len(change), len(step.cue) > 0
    if count == of:
        return ""
    if there and np.array_equal(np.flatnonzero(step.cue * step.answer < 0), most):
        return say("{} of {} axes: those that flip", count, of)
    if there and count and (step.cue * step.answer < 0)[most].all():
        return say("{} of {} axes that flip", count, int(np.sum(step.cue * step.answer < 0)))
    if np.sum(change > SEEN) > count:
        return (
            say("{} of {} axes: largest changes", count, of) if there else say("{} of {} axes: the largest", count, of)
        )
    return say("{} of {} axes: others stay", count, of) if there else say("{} of {} axes: others 0", count, of)
