"""The recall strip: cue, compare, weigh, mix, again, in the same columns for a head, a memory and a network."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from hopattn.dynamics.record import Status
from hopattn.figures.choice import cues_of, largest, mask_of, query_of, tables
from hopattn.figures.figure import figure, left_out, need
from hopattn.figures.policies import SEEN, SYMBOLS, Words, bars_within, hero, run_names, words_of
from hopattn.figures.recalls import APART, FRAMES, last_step, picture, recalls, slope_of, states, turns_of, verdict
from hopattn.figures.sheet import (
    Arrows,
    Bars,
    Curve,
    Mark,
    Nodes,
    Panel,
    Picture,
    Sentence,
    Sheet,
    say,
    texts,
    texts_of,
)
from hopattn.figures.text import indexed
from hopattn.foundation.registry import name_of
from hopattn.results.labelled import Labelled
from hopattn.scenario.arrays import numbers
from hopattn.scenario.result import Result, Run

ROWS, AXES, LINES, MOST = 6, 5, 10, 1e4
"""The most rows of a strip, axes of a word, and rows of all strips; and the largest weight whose number is shown."""
SHAPE, FAN, BAR, LETTER = 2.2, 1.5, 1.5, 0.0135
"""The width of strips by their height, the widths of arrows between columns and of bars, and the width of a letter, as
a part of that of the strip."""
HEADS, CAPTION, NUMBER, LANE = 4, 3.2, 6, 4.5
"""The heights of the names of columns and of captions, and the least widths of a number and of arrows, in letters."""
LONGEST, LINE, ALIKE, VALLEY = 10, 27, 0.03, np.array([3.0, 3.2])
"""The letters of the name of a key and of a line of a caption, by how much weights that look alike differ, and the size
of the valley."""


class Step(NamedTuple):
    """One step of recall of one cue.

    cue, answer: the states before and after, `(dim,)`, on `axes`; pictures `(height, width)` have no axes. captions:
    of the five columns. rows: the names of the keys. scores, weights, hidden: `(n_keys,)`; hidden are those that a mask
    hides. again: what the last column shows. title: what the step does. keys: the keys as pictures, if they are.
    changed: of a network, the neuron that turns. other: the axes of the answer, where it has others than the cue. run:
    the name of its run.
    """

    cue: np.ndarray
    answer: np.ndarray
    axes: Sequence[str]
    captions: tuple[str, str, str, str, str]
    rows: Sequence[str]
    scores: np.ndarray
    weights: np.ndarray
    hidden: np.ndarray
    again: list[Mark]
    title: str = ""
    keys: Sequence[np.ndarray | None] = ()
    changed: int | None = None
    other: Sequence[str] = ()
    run: str = ""


class Room(NamedTuple):
    """What all strips of a figure share: the height of each and the width of a letter, in their unit, and all steps."""

    height: float
    letter: float
    steps: Sequence[Step]


def frames(result: Result) -> list[Sheet]:
    """The strip with one column more in each frame; of a network a frame for each neuron that turns."""
    if (every := steps_in(result)) and every[0].changed is not None:
        return [strip_of([step], len(every)) for step in every[:FRAMES]]
    whole = strip(result)
    bare = [
        [panel if i % 5 <= k else replace(panel, marks=()) for i, panel in enumerate(whole.panels)] for k in range(5)
    ]
    return [replace(whole, panels=panels) for panels in bare]


@figure("one step of recall in four moves: cue, compare, weigh, mix; and again until it rests", "letters", frames)
def strip(result: Result) -> Sheet:
    """A row of five panels for each of the first cues, layers, turns of neurons, or variants."""
    every = steps_in(result)
    need(every, "it has no step of recall: no weights of patterns, no turns of neurons, no words that attend to words")
    unlike = [step for k, step in enumerate(every) if not any(alike(step, one) for one in every[:k])]
    tall = max(min(len(step.rows), ROWS) + 3 * bool(step.keys) for step in every)
    return strip_of(unlike[: max(1, LINES // max(tall, 4))], len(unlike))


def alike(one: Step, other: Step) -> bool:
    """Whether two steps show the same: the same words with nearly the same weights."""
    same = one.changed is None and [*one.rows] == [*other.rows]
    return bool(same and one.captions[3] == other.captions[3] and np.allclose(one.weights, other.weights, atol=ALIKE))


def steps_in(result: Result) -> list[Step]:
    """The steps of all runs."""
    named = zip(result.runs, run_names(result.runs), strict=True)
    return [step._replace(run=name) for run, name in named for step in steps_of(result, run)]


def strip_of(whole: Sequence[Step], count: int) -> Sheet:
    """Strips one below the other. count: of all steps."""
    steps, widths = [few(step) for step in whole], [20.0]
    for _ in range(3):  # the wider a strip, the wider are letters in its own unit, and the higher it is
        letter = LETTER * sum(widths)
        room = Room((sum(widths) / SHAPE - HEADS * letter) / len(steps) - CAPTION * letter, letter, steps)
        table = [columns(step, room, step is steps[0]) for step in steps]
        widths = [max(panel.width for panel in column) for column in zip(*table, strict=True)]
    panels = [replace(panel, width=w, x_range=(0, w)) for row in table for panel, w in zip(row, widths, strict=True)]
    cut = any((~step.hidden).sum() > (~short.hidden).sum() for step, short in zip(whole, steps, strict=True))
    notes = [say("others: their largest score, and the sum of their weights") if cut else ""]
    notes.append(say("numbers on the energy: steps") if any(len(step.again) > 1 for step in steps) else "")
    shown = [min(len(axes), AXES) for step in steps for axes in (step.axes, step.other)]
    if any(len(step.axes) > AXES for step in steps):
        notes.append(say("{} of {} axes: those that change most", max(shown), len(steps[0].axes)))
    notes.append(left_out(len(steps), count, "recalls", "run or query"))
    return Sheet(panels, title_of(steps), notes, in_a_row=5)


def title_of(steps: Sequence[Step]) -> str:
    """What the strips show in one line; empty for the title of the scenario."""
    titles = [*dict.fromkeys(step.title for step in steps)]
    parts = [title.parts for title in titles if isinstance(title, Sentence)]
    if [len(one) for one in parts] == [2, 2] and steps[0].changed is not None:
        return say("neuron {} turns, then neuron {}", parts[0][0], parts[1][0])
    if [len(one) for one in parts] == [2, 2] and parts[0][0] == parts[1][0]:
        return say("‘{}’ takes most from ‘{}’ or ‘{}’", *parts[0], parts[1][1])
    return titles[0] if len(titles) == 1 else ""


def steps_of(result: Result, run: Run) -> Iterator[Step]:
    """The steps of a run: of cues of a memory, of neurons that change, or of a word that attends to others."""
    if "step 1 weights" in run.arrays:
        yield from (of_memory(run, i) for i in cues_of(result, run.arrays["status"].labels[0], LINES))
    elif "step 1 field" in run.arrays:
        yield from of_neurons(run, cues_of(result, run.arrays["status"].labels[0])[0])
    elif (words := words_of(run)) is not None:
        yield from (of_layer(run, words, hero(result, words), layer) for layer in range(len(words.states)))
    else:
        yield from of_other_axes(result, run)


def of_memory(run: Run, i: int) -> Step:
    """The first step of a cue; very large weights are shares of their sum."""
    s, w, field, answer = (run.arrays[f"step 1 {what}"].values[i] for what in ("scores", "weights", "field", "output"))
    (names, patterns), axes = run.arrays["step 1 weights"].labels, run.arrays["input"].labels[1]
    cue, keys = run.arrays["input"].values[i], list[np.ndarray | None]()
    signs = np.isin(answer, (-1, 1)).all()
    told = say("the sum") if np.allclose(field, answer) else say("the sign of the sum") if signs else say("the answer")
    if run.strips:
        cue, answer = (picture(run, i, state) for state in states(run, i)[[0, min(1, last_step(run, i))]])
        axes, keys = (), [picture(run, i, one) for one in run.arrays["patterns"].values]
    kinds = [(name, dict(zip(*one.labels, one.values, strict=True))) for name, one in tables(run, "separation")]
    way = way_of(s, w, *(kinds or [("", {})])[0])
    if np.abs(w).max() > MOST:
        w, way = w / w.sum(), say("{}, shares", way)
    once = last_step(run, i) == 1 and run.arrays["status"].values[i] != Status.CONVERGED
    falls = "energy" in run.arrays and np.ptp(run.arrays["energy"].values[i]) > 0
    end = say("no: one step") if once else say("energy falls: {}", verdict(run, i)) if falls else verdict(run, i)
    told = say("{}, after step 1", told) if last_step(run, i) > 1 and not signs else told
    captions = indexed(names[i]), say("how alike?"), way, told, end
    rows, hidden = [*map(indexed, patterns)], np.zeros(len(w), bool)
    title: str = say("‘{}’ is enough to recall ‘{}’", captions[0], str(run.arrays["recalls"].values[i]))
    title = title if recalls(run, i) and names[i] not in patterns else ""
    return Step(cue, answer, axes, captions, rows, s, w, hidden, valley_of(run, i), title, keys)


def of_neurons(run: Run, i: int) -> Iterator[Step]:
    """Each neuron that changes: its row of the couplings times the state, the sum, and its sign.

    Where neurons take turns, each sees those before it; where all step at once, they are those of the first step.
    """
    start, field = run.arrays["input"], run.arrays["step 1 field"].values[i]
    state, axes = start.values[i], numbers(start.values.shape[1]) if run.strips else start.labels[1]
    couplings = run.arrays["couplings"].values if "couplings" in run.arrays else np.empty((0, 0))
    one_by_one, count = "turns" in run.arrays, len(axes)
    at_once = np.stack([np.arange(count), field, run.arrays["step 1 output"].values[i]])
    turns = turns_of(run, i)[[0, 1, 3]] if one_by_one else at_once
    rows, hidden = [say("neuron {}", axis) for axis in axes], np.zeros(count, bool)
    again = remark(say("on to the next neuron") if one_by_one else say("all neurons step at once"))
    square = couplings.shape == (count, count) and "answers" not in run.arrays
    for j, total, after in zip(turns[0].astype(int).tolist(), *turns[1:].tolist(), strict=True) if square else ():
        if state[j] == after or not np.isclose(couplings[j] @ state, total):  # with a bias, the sum has other parts
            continue
        cue, turned = state, np.where(np.arange(count) == j, after, state)
        state = turned if one_by_one else state
        title, products = say("neuron {} turns: its sum is {}", axes[j], total), couplings[j] * cue
        sums, told = say("times coupling: sum {}", total), say("neuron {} turns", axes[j])
        captions = say("state"), say("the state of each"), sums, told, ""
        before, new = (picture(run, i, one) if run.strips else one for one in (cue, turned))
        names = () if run.strips else axes
        yield Step(before, new, names, captions, rows, cue, products, hidden, again, title, changed=j)


def keys_of(run: Run, place: str, weights: Labelled, i: int) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    """The names of the keys of a head, and of each for query `i` its score, its weight, and whether a mask hides it."""
    scores, hidden = run.arrays[f"{place} scores".strip()].values[i], ~mask_of(run, place, weights)[i]
    return [indexed(key, LONGEST) for key in weights.labels[1]], scores, weights.values[i], hidden


def of_layer(run: Run, words: Words, i: int, layer: int) -> Step:
    """The step of a word in a layer, by the head that adds most to it."""
    several, axes = len(words.states) > 1, words.before.labels[1]
    before, after = [words.before, *words.states][layer].values[i], words.states[layer].values[i]
    heads = [(name.place, one) for name, one in run.find("weights", layer + 1) if name.text in ("", "sequence 1")]
    adds = [np.linalg.norm(run.arrays[f"{place} output"].values[i]) for place, _ in heads]
    place, weights = heads[most := int(np.argmax(adds))]
    rows, s, w, hidden = keys = keys_of(run, place, weights, i)
    token, best = indexed(words.tokens[i]), np.argmax(w)
    itself = weights.labels[1][best] == words.tokens[i]
    title = say("‘{}’ takes most from itself", token) if itself else say("‘{}’ takes most from ‘{}’", token, rows[best])
    title = title if len(heads) == 1 else say("head {} of {}: {}", most + 1, len(heads), title)
    unclear = several or w.max() <= 0 or np.isclose(w, w.max()).sum() > 1
    added = run.arrays.get(f"layer {layer + 1} output")
    residual = added is not None and np.allclose(before + added.values[i], after)
    told = say("{} + what it took", token) if residual else say("{}, after", token)
    then = say("no: attention is one step")
    if layer + 1 < len(words.states):
        fed = f"layer {layer + 1} fed" in run.arrays
        then = say("feed-forward, then layer {}", layer + 2) if fed else say("on to layer {}", layer + 2)
    kind = getattr(getattr(run.heads().get(place), "retrieval", None), "separation", None)
    known = {key: float(value) for key in SYMBOLS if (value := getattr(kind, key, None)) is not None}
    way = way_of(s[~hidden], w[~hidden], name_of(kind) if kind else "", known)
    asked = say("head {} of {}: how alike?", most + 1, len(heads)) if len(heads) > 1 else say("how alike?")
    captions = say("{} in layer {}", token, layer + 1) if several else token, asked, way, told, ""
    return Step(before, after, axes, captions, *keys, remark(then), "" if unclear else title)


def of_other_axes(result: Result, run: Run) -> Iterator[Step]:
    """The step of a query that has other axes than what it takes, as in a decoder: in its first head."""
    for name, weights in run.find("weights"):
        place, tokens = name.place, weights.labels[0]
        names = ("input", "state", f"{place} queries"), (f"{place} output", "context")
        there = [[run.arrays[one] for one in ones if one in run.arrays] for ones in names]
        cues, answers = ([one for one in ones if one.labels[0] == tokens] for ones in there)
        if f"{place} scores".strip() not in run.arrays or name.text not in ("", "sequence 1") or not (cues and answers):
            continue
        spoken = [token for token in tokens if any(map(str.isalnum, token))] if result.figure.query is None else tokens
        i = tokens.index(spoken[0]) if result.figure.query is None else query_of(result, tokens)
        rows, _, w, _ = keys = keys_of(run, place, weights, i)
        token, (axes, other) = indexed(tokens[i]), (ones[0].labels[1] for ones in (cues, answers))
        title, again = say("‘{}’ takes most from ‘{}’", token, rows[np.argmax(w)]), say("no: attention is one step")
        captions = token, say("how alike?"), say("how much of each?"), say("what {} takes", token), ""
        yield Step(cues[0].values[i], answers[0].values[i], axes, captions, *keys, remark(again), title, other=other)
        return


def remark(text: str) -> list[Mark]:
    """A text in the place of the valley."""
    return [texts(0.1, 0.9, [text], align="left", letters=14)]


def way_of(scores: np.ndarray, weights: np.ndarray, kind: str, parameters: Any) -> str:
    """How scores become weights, in words: by a separation with its parameters, or a share of the score."""
    if kind and kind != "identity":
        silent = {"beta"} if kind == "argmax" or (kind != "softmax" and parameters.get("beta") == 1) else set()
        known = [key for key in SYMBOLS if key in parameters and key not in silent]
        parts = [say(f"{SYMBOLS[key]} = {{}}", float(parameters[key])) for key in known]
        return say(", ".join(["{}"] * (1 + len(parts))), kind.removeprefix("rectified_").replace("_", " "), *parts)
    if len(scores) < 2:
        return say("the only key")
    largest = np.argmax(np.abs(scores))
    ratio = float(scores[largest] / (weights[largest] or np.inf))
    if ratio and np.allclose(weights * ratio, scores):
        return say("the score") if np.isclose(ratio, 1) else say("score ÷ {}", ratio)
    return say("the largest takes all") if weights.max() > 1 - SEEN else say("how much of each?")


def few(step: Step) -> Step:
    """A step with the rows of the largest weights, and one for all others, or for all that are masked."""
    if (masked := np.flatnonzero(step.hidden)).size > 2:
        step = short(step, np.flatnonzero(~step.hidden), masked, "{} words")
    order = np.lexsort([np.arange(len(step.rows)), -step.scores, -np.abs(step.weights), step.hidden])
    return short(step, np.sort(order[: ROWS - 2]), order[ROWS - 2 :], "{} others") if len(step.rows) > ROWS else step


def short(step: Step, kept: np.ndarray, rest: np.ndarray, name: str) -> Step:
    """A step with some of its rows, and one for the rest: for those that no mask hides, if there are any."""
    seen = rest[~step.hidden[rest]]
    return step._replace(
        rows=[*(step.rows[k] for k in kept), say(name, len(seen) or len(rest))],
        scores=np.append(step.scores[kept], step.scores[seen].max(initial=-np.inf if len(seen) else 0)),
        weights=np.append(step.weights[kept], step.weights[seen].sum()),
        hidden=np.append(step.hidden[kept], not len(seen)),
        keys=[*(step.keys[k] for k in kept), None] if step.keys else (),
    )


def columns(step: Step, room: Room, first: bool) -> list[Panel]:
    """The five panels of a strip."""
    n, seen, letter = len(step.rows), ~step.hidden, room.letter
    y = room.height * (0.5 - (np.arange(n) + 0.5) / n)
    lane = max(FAN, LANE * letter)
    row, share = np.stack([np.full(n, lane), y], axis=1), np.abs(step.weights) / (np.abs(step.weights).sum() or 1.0)
    cue, cue_right, _ = state_of(step, step.cue, "query", 0.0, room)
    answer, right, places = state_of(step, step.answer, "value", lane + 0.2, room)
    goal = np.array([lane, places[step.changed]]) if step.changed is not None and len(places) else row * (1, 0.3)
    ends, taken = np.broadcast_to(goal, row.shape), seen & (share > SEEN)
    fan = Arrows(0 * row[seen], row[seen], "faint", 0.5)
    back = []
    for colour, some, key in (("value", step.weights >= 0, ""), ("minus", step.weights < 0, say("a weight below 0"))):
        if np.any(some := some & taken):
            back.append(Arrows((row - (lane, 0))[some], ends[some], colour, 0.4 + 2 * share[some], key=key))
    side = min(0.85 * room.height / n, 1.2)
    keys = [Picture(key, (lane + 0.7, up), side=side) for key, up in zip(step.keys, y, strict=False) if key is not None]
    named = [k for k in range(n) if not step.keys or step.keys[k] is None]
    look: Any = {"align": "left", "size": 0.75, "letters": 6} if step.keys else {"align": "left", "size": 1}
    colours = np.where(step.hidden, "faint", "key")[named].tolist()
    names = texts(lane + 0.1, y[named], [step.rows[k] for k in named], colours, **look)
    left = lane + (1.5 if step.keys else 0.3 + letter * max(len(one) for each in room.steps for one in each.rows))
    scores, weights = bars(step, "scores", y, left, "key", room), bars(step, "weights", y, 0.2, "plus", room)
    again = step.again if first or len(step.again) > 1 or texts_of(step.again) != texts_of(room.steps[0].again) else []
    same = all(np.array_equal(one.scores, one.weights) for one in room.steps)  # the score is the weight
    parts: Any = (
        (say("1  cue"), cue, cue_right),
        (say("2  compare"), [fan, *keys, names, *scores[0]], scores[1]),
        (say("3  weigh"), *(([], 0.0) if same else (weights[0], max(3.6, weights[1])))),
        (say("4  mix"), [*back, *answer], max(3.5, right)),
        (say("5  again?"), again, 3.3 if len(again) > 1 else 12 * letter),
    )
    top, panels = room.height / 2, []
    low, high, above = (letters * letter for letters in (CAPTION * 0.7, CAPTION + HEADS / 3, CAPTION + first * HEADS))
    for (head, marks, width), caption in zip(parts, step.captions, strict=True):
        named_run = head is parts[0][0] and len({one.run for one in room.steps}) == len(room.steps) > 1
        told = step.run if named_run else caption
        width = max(width, 0.8 * letter * min(len(told), LINE))
        lines = [texts(0.1, top + low, [told], "faint", align="left", letters=int(1.5 * width / letter))]
        lines += [texts(0.1, top + high, [head], size=1, bold=True, align="left")] * first
        panels.append(Panel([*lines, *marks], layout="free", y_range=(-top, top + above), width=width))
    return panels


def bars(step: Step, what: str, y: np.ndarray, left: float, colour: str, room: Room) -> tuple[list[Mark], float]:
    """A lying bar for each row that no mask hides; of the others it says so. Also their right end."""
    seen, values = ~step.hidden, getattr(step, what)
    every = np.concatenate([getattr(one, what)[~one.hidden] for one in room.steps])
    width = min(2 * room.letter, 0.55 * room.height / len(y))
    bar, right = lying(every, left, room, values=values[seen], at=y[seen], colour=colour, width=width)
    masked = texts(left + 0.1, y[~seen], [say("masked")] * sum(~seen), "faint", align="left")
    return [bar, *[masked] * bool(sum(~seen))], right


def lying(every: np.ndarray, left: float, room: Room, **look: Any) -> tuple[Bars, float]:
    """Lying bars in a unit in which all of `every` have room, with their numbers; and the right end of these."""
    number = NUMBER * room.letter
    bar = bars_within(left + number * (every.min(initial=0.0) < 0), BAR, every=every, lying=True, **look)
    return bar, bar.zero + bar.unit * max(0.0, every.max(initial=0.0)) + number


def state_of(step: Step, state: np.ndarray, colour: str, x: float, room: Room) -> tuple[list[Mark], float, np.ndarray]:
    """A state as a picture, or as bars of the axes that change most; its right end; and the heights of all its bars."""
    if not step.axes:
        side = min(3.2, room.height)
        wide = side * state.shape[1] / max(state.shape)
        marks: list[Mark] = [Picture(state, (x + 0.2 + wide / 2, 0), side=side, frame=colour)]
        if step.changed is not None:  # the pixel that turns is ringed
            rows, columns = state.shape
            i, j = divmod(step.changed, columns)
            at = x + 0.2 + wide * (j + 0.5) / columns, side * rows / max(state.shape) * (0.5 - (i + 0.5) / rows)
            turn, ring = np.linspace(0, 2 * np.pi, 60), 0.9 * wide / columns
            marks.append(Curve(at[0] + ring * np.cos(turn), at[1] + ring * np.sin(turn), colour="minus"))
        return marks, x + wide + 0.4, np.empty(0)
    axes, alike = step.other if x and step.other else step.axes, [(state, 0 * state)]
    if not step.other:
        steps = [one for one in room.steps if (one.axes, one.captions[0]) == (step.axes, step.captions[0])]
        alike = [(one.answer, one.cue) for one in steps]
    change = np.max([np.abs(after - before) + 1e-6 * np.abs(after) for after, before in alike], axis=0)
    most = largest(change, AXES)
    names = [indexed(axes[k], 16) for k in most]
    y = min(max(0.8, 3 * room.letter), room.height / len(most)) * ((len(most) - 1) / 2 - np.arange(len(most)))
    left, places = x + 0.1 + 0.8 * room.letter * max(map(len, names)), np.zeros(len(axes))
    places[most] = y
    every = np.concatenate([np.ravel(part) for one in room.steps for part in (one.cue, one.answer)])
    look: Any = {"values": state[most], "at": y, "colour": colour, "width": 1.7 * room.letter}
    bar, right = lying(every, left + 0.1, room, **look)
    return [texts(left, y, names, align="right"), bar], right, places


def valley_of(run: Run, i: int) -> list[Mark]:
    """The energy on the way of a cue with a ball for each of its steps, in the unit of a strip."""
    if "valley" not in run.arrays:
        return [texts(0.1, 0, [say("no energy")], "faint", align="left")]
    way, balls, steps = slope_of(run, i, 2 * APART)
    low, size = way.min(axis=0), np.maximum(np.ptp(way, axis=0), 1e-9)
    (x, y), at = (((one - low) / size * VALLEY + (0.1, -VALLEY[1] / 2)).T for one in (way, balls))
    return [Curve(x, y, colour="faint"), Nodes(at.T, steps, "circle", "plus", "plus", size=0.7)]
