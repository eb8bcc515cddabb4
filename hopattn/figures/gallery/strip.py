"""The recall strip: cue, compare, weigh, mix, again, in the same columns for a head, a memory and a network.

The unit of lengths is the size of the text on a slide, so that each text has the room that it needs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from hopattn.dynamics.record import Status
from hopattn.figures.choice import cues_of, largest, mask_of, query_of, tables
from hopattn.figures.figure import figure, left_out, need
from hopattn.figures.policies import SEEN, SYMBOLS, Words, bars_within, hero, run_names, words_of
from hopattn.figures.recalls import APART, FRAMES, last_step, picture, recalls, slope_of, states, turns_of, verdict
from hopattn.figures.sheet import Arrows, Bars, Curve, Mark, Nodes, Panel, Picture, Sentence, Sheet, say, texts
from hopattn.figures.text import ems, indexed, number
from hopattn.foundation.registry import name_of
from hopattn.results.labelled import Labelled
from hopattn.scenario.arrays import numbers
from hopattn.scenario.result import Result, Run

STRIPS, ROWS, ALL, AXES, MOST = 2, 5, 8, 6, 1e4
"""The most strips, the rows of each of several, of a single one, the axes of a state, and the largest weight shown."""
WIDTH, HEIGHT, HEADS, CAPTION = 45.5, 22.5, 2.0, 2.2
"""The width and the height of all strips, and the heights of the names of columns and of their captions."""
LANE, GAP, LEAST, BARS = 3.6, 1.2, 4.4, np.linspace(8, 2.5, 12)
"""The widths of arrows between columns, of what is free, and of a narrow column; and the lengths of bars, of which the
largest that has room is taken.
"""
ROW, AXIS, CLEAR, SIDE, SIGNS, VALLEY, BALLS = 4.0, 3.2, 1.9, 9.0, 6.0, np.array([7.5, 5.0]), 5.5
"""The most height of a row and of an axis, the least of an axis, the sides of a picture, of a row of signs, and of the
valley, and the place of the second ball of one step.
"""
SMALL, HEAD, ALIKE = 0.82, 1.1, 0.03
"""The sizes of captions and of the names of columns, and by how much weights that look alike differ."""


class Step(NamedTuple):
    """One step of recall of one cue.

    name: of the cue. cue, answer: the states before and after, `(dim,)`, on `axes`; pictures `(height, width)` have no
    axes; the cue is empty where it has other axes than the answer. told: the captions of columns 2 to 5. rows: the
    names of the keys. scores, weights, hidden: `(n_keys,)`; hidden are those that a mask hides. again: what the last
    column shows. title: what the step does. keys: the keys as pictures, if they are. changed: of a network, the neuron
    that turns. place: its layer. run: the name of its run. target: the number of the pattern that is recalled.
    """

    name: str
    cue: np.ndarray
    answer: np.ndarray
    axes: Sequence[str]
    told: Sequence[str]
    rows: Sequence[str]
    scores: np.ndarray
    weights: np.ndarray
    hidden: np.ndarray
    again: list[Mark]
    title: str = ""
    keys: Sequence[np.ndarray | None] = ()
    changed: int | None = None
    place: str = ""
    run: str = ""
    target: int = -1


class Room(NamedTuple):
    """What all strips of a figure share: the height of their rows, the length of bars, and all steps."""

    height: float
    bar: float
    steps: Sequence[Step]


class Column(NamedTuple):
    """The marks of a column and their right end."""

    marks: list[Mark]
    right: float


ONCE: list[Mark] = [
    Arrows(np.array([(1.5, 0)]), np.array([(BALLS - 0.8, 0)]), "faint"),
    Nodes(np.array([(0.7, 0), (BALLS, 0)]), ["0", "1"], "circle", "plus", "plus", 0.8),
]
DOWN: list[Mark] = [Arrows(np.array([(3, 2)]), np.array([(3, -4)]), "faint", 1.5)]
"""One step as two balls, and the way to the strip below."""
HEADINGS = say("1  cue"), say("2  compare"), say("3  weigh"), say("4  mix"), say("5  again?")
"""The names of the columns."""
BEFORE, FALLS = say("before"), say("yes: energy falls")
"""The name of the bars of a cue, and of a valley."""


def frames(result: Result) -> list[Sheet]:
    """The strip with one column more in each frame; of a network a frame for each neuron that turns."""
    if (every := steps_in(result)) and every[0].changed is not None:
        return [strip_of([step], len(every)) for step in every[:FRAMES]]
    whole = strip(result)
    panels = [*enumerate(whole.panels)]
    bare = [[one if i % 5 <= k else replace(one, marks=()) for i, one in panels] for k in range(5)]
    return [replace(whole, panels=some) for some in bare]


@figure("one step of recall in four moves: cue, compare, weigh, mix; and again until it rests", "letters", frames)
def strip(result: Result) -> Sheet:
    """A row of five panels for each of the first cues, layers, turns of neurons, or variants."""
    every = steps_in(result)
    need(every, "it has no step of recall: no weights of patterns, no turns of neurons, no words that attend to words")
    unlike = [step for k, step in enumerate(every) if not any(alike(step, one) for one in every[:k])]
    return strip_of(unlike[: 1 if every[0].keys and not any(every[0].rows) else STRIPS], len(unlike))


def alike(one: Step, other: Step) -> bool:
    """Whether two steps show the same: the same words with nearly the same weights."""
    same = one.changed is None and [*one.rows] == [*other.rows] and one.told[2] == other.told[2]
    return bool(same and np.allclose(one.weights, other.weights, atol=ALIKE))


def steps_in(result: Result) -> list[Step]:
    """The steps of all runs; of the same words, the same one asks in each run."""
    steps, asking = [], dict[Sequence[str], int]()
    for run, name in zip(result.runs, run_names(result.runs), strict=True):
        if "step 1 weights" in run.arrays:
            some = [of_memory(result, run, i) for i in cues_of(result, run.arrays["status"].labels[0], STRIPS)]
        elif "step 1 field" in run.arrays:
            some = [*of_neurons(run, cues_of(result, run.arrays["status"].labels[0])[0])]
        elif (words := words_of(run)) is not None:
            word = asking.setdefault(words.tokens, hero(result, words))
            some = [of_layer(run, words, word, layer) for layer in range(len(words.states))]
        else:
            some = [*of_other_axes(result, run)]
        steps += [step._replace(run=name) for step in some]
    return steps


def strip_of(whole: Sequence[Step], count: int) -> Sheet:
    """Strips one below the other. count: of all steps."""
    steps = [few(step, ALL if len(whole) == 1 else ROWS) for step in whole]
    for k, step in enumerate(steps[:-1]):
        if step.changed is not None and step.run == steps[-1].run:  # the last neuron shows the valley
            steps[k] = step._replace(told=(*step.told[:3], say("next neuron")), again=DOWN)
    high = max(SIDE, *(max(ROW * len(step.rows), AXIS * min(len(step.axes), AXES)) for step in steps))
    room = Room(min(high, (HEIGHT - HEADS) / len(steps) - CAPTION), 0.0, steps)
    rooms = [room._replace(bar=float(bar)) for bar in BARS]
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
    return Sheet(panels, title_of(steps), [left_out(len(steps), count, "recalls", "run or query")], in_a_row=5)


def widths_of(room: Room) -> list[float]:
    """The widths of the columns of strips, by their marks, names and captions."""
    widths = np.full(5, LEAST)
    for step in room.steps:
        for k, (column, told) in enumerate(zip(columns(step, room), captions(step, room), strict=True)):
            over = k in (0, 2)  # its names go on over the arrows of the next column
            right = named(step, room, k, HEADINGS[k], told, 0.0).right + GAP - LANE * over
            widths[k] = max(widths[k], column.right + GAP / (1 + 2 * over), right)
    return widths.tolist()


def named(step: Step, room: Room, k: int, head: str, told: str, top: float) -> Column:
    """The name of column `k` and its caption, which tells the colours of bars before and after; none where empty."""
    look: Any = {"size": SMALL, "align": "left"}
    at, low = LANE * (k % 2), top + CAPTION / 2
    violet = bool(k == 3 and step.axes and len(step.cue) and told)
    pair = violet and shown_of(step, room)[-1]
    after = at + SMALL * ems(f"{BEFORE}   ") * pair
    heading = texts(at, top + CAPTION + HEADS / 3, [head], size=HEAD, bold=True, align="left")
    before = texts(at, low, [BEFORE], "query", **look)
    caption = texts(after, low, [told], "value" if violet else "faint", **look)
    marks: list[Mark] = [*[heading] * bool(head), *[before] * pair, *[caption] * bool(told)]
    return Column(marks, max(at + 1.2 * HEAD * ems(head), after + SMALL * ems(told)))


def captions(step: Step, room: Room) -> tuple[str, ...]:
    """The captions of the five columns of a strip."""
    several = len({one.run for one in room.steps}) > 1
    return step.run if several else step.place or (step.name if step.cue.ndim > 1 else ""), *step.told


def title_of(steps: Sequence[Step]) -> str:
    """What the strips show in one line; empty for the title of the scenario."""
    titles = [*dict.fromkeys(step.title for step in steps)]
    parts = [title.parts for title in titles if isinstance(title, Sentence)]
    if len(parts) == len(steps) == 2 and steps[0].changed is not None:
        return say("neuron {} turns, then neuron {}", parts[0][0], parts[1][0])
    if len(parts) == 2 and steps[0].place:
        return titles[-1]  # the last layer says it
    if [len(one) for one in parts] == [3, 3] and parts[0][::2] == parts[1][::2]:
        return say("‘{}’ takes most from {} or {}: weight {}", *parts[0][:2], *parts[1][1:])
    return titles[0] if len(titles) == 1 else ""


def stored(result: Result, run: Run, cue: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """The patterns `(n, dim)` of a run, or those of another one that have the same scores; empty if none are known."""
    every = [one.arrays["patterns"].values for one in (run, *result.runs) if "patterns" in one.arrays]
    fit = (one for one in every if one.shape == (len(scores), len(cue)) and np.allclose(one @ cue, scores))
    return run.arrays["patterns"].values if "patterns" in run.arrays else next(fit, np.empty((0, 0)))


def of_memory(result: Result, run: Run, i: int) -> Step:
    """The first step of a cue; very large weights are shares of their sum."""
    s, w, field, answer = (run.arrays[f"step 1 {what}"].values[i] for what in ("scores", "weights", "field", "output"))
    (names, patterns), axes = run.arrays["step 1 weights"].labels, run.arrays["step 1 output"].labels[1]
    cue, rows, name = run.arrays["input"].values[i], [*map(indexed, patterns)], indexed(names[i])
    keys: Sequence[np.ndarray] = [*stored(result, run, cue, s)]
    signs = np.isin(answer, (-1, 1)).all()
    same, first = np.allclose(field, answer), last_step(run, i) > 1 and not signs
    mixed: str = say("the sum") if same else say("sign of the sum") if signs else say("the answer")
    mixed = say("{}, after step 1", mixed) if first else mixed
    if run.strips:
        cue, answer = (picture(run, i, state) for state in states(run, i)[[0, min(1, last_step(run, i))]])
        axes, rows, keys = (), [""] * len(rows), [picture(run, i, one) for one in keys]
    elif len(axes) >= AXES and np.isin(keys, (-1, 1)).all() and keys:
        cue, answer, *keys = (np.tile(one, (-(-len(one) // 6), 1)) for one in (cue, answer, *keys))
        axes = ()
    else:
        keys, cue = [], cue if axes == run.arrays["input"].labels[1] else np.empty(0)
        mixed = say("after step 1") if len(cue) else mixed
    kinds = [(kind, dict(zip(*one.labels, one.values, strict=True))) for kind, one in tables(run, "separation")]
    way = way_of(s, w, *(kinds or [("", {})])[0])
    if np.abs(w).max() > MOST:
        w, way = w / w.sum(), say("{}, shares", way)
    once = last_step(run, i) == 1 and run.arrays["status"].values[i] != Status.CONVERGED
    energies = run.arrays["energy"].values[i] if "energy" in run.arrays else np.zeros(1)
    falls = energies[0] > energies[-1] and np.all(np.diff(energies) <= ALIKE * np.ptp(energies))
    then, end = say("no: one step") if once else FALLS if falls else say("yes, step by step"), verdict(run, i)
    steps = int(slope_of(run, i)[2][-1]) if "valley" in run.arrays else last_step(run, i)
    title: str = say("‘{}’ {} in {} steps", name, end, steps) if steps > 1 else say("‘{}’ {} in one step", name, end)
    title = "" if names[i] in patterns else title if recalls(run, i) else say("‘{}’ {}", name, end)
    told, again, hidden = (say("how alike?"), way, mixed, then), valley_of(run, i), np.zeros(len(w), bool)
    goal = str(run.arrays["recalls"].values[i]) if "recalls" in run.arrays else ""
    target = patterns.index(goal) if goal in patterns else -1
    return Step(name, cue, answer, axes, told, rows, s, w, hidden, again, title, keys, target=target)


def of_neurons(run: Run, i: int) -> Iterator[Step]:
    """Each neuron that changes: its row of the couplings, times the state, the sum, and its sign.

    Where neurons take turns, each sees those before it; where all step at once, they are those of the first step.
    """
    start, field = run.arrays["input"], run.arrays["step 1 field"].values[i]
    state, axes = start.values[i], numbers(start.values.shape[1]) if run.strips else start.labels[1]
    couplings = run.arrays["couplings"].values if "couplings" in run.arrays else np.empty((0, 0))
    one_by_one, count = "turns" in run.arrays, len(axes)
    at_once = np.stack([np.arange(count), field, run.arrays["step 1 output"].values[i]])
    turns = turns_of(run, i)[[0, 1, 3]] if one_by_one else at_once
    rows, hidden, again = [say("neuron {}", axis) for axis in axes], np.zeros(count, bool), valley_of(run, i)
    then = FALLS if one_by_one else say("all at once")
    square = couplings.shape == (count, count) and "answers" not in run.arrays
    for j, total, after in zip(turns[0].astype(int).tolist(), *turns[1:].tolist(), strict=True) if square else ():
        if state[j] == after or not np.isclose(couplings[j] @ state, total):  # with a bias, the sum has other parts
            continue
        before, turned = state, np.where(np.arange(count) == j, after, state)
        state = turned if one_by_one else state
        title = say("neuron {} turns: its sum is {}", axes[j], total)
        told = say("coupling to {}", axes[j]), say("× state: sum {}", total), say("neuron {} turns", axes[j]), then
        low = min(0.0, *before)  # a neuron that is off is white, whether off is 0 or −1
        signs = [one if run.strips else (2 * one - 1 - low) / (1 - low) for one in (before, turned)]
        was, now = (picture(run, i, one) if run.strips else one[:, None] for one in signs)
        products = couplings[j] * before
        yield Step(say("state"), was, now, (), told, rows, couplings[j], products, hidden, again, title, changed=j)


def row_of(run: Run, place: str, weights: Labelled, i: int) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    """The names of the keys of a head, and of each for query `i` its score, its weight, and whether a mask hides it."""
    scores, hidden = run.arrays[f"{place} scores".strip()].values[i], ~mask_of(run, place, weights)[i]
    return [indexed(key, 10) for key in weights.labels[1]], scores, weights.values[i], hidden


def of_layer(run: Run, words: Words, i: int, layer: int) -> Step:
    """The step of a word in a layer, by the head that adds most to it."""
    several, axes = len(words.states) > 1, words.before.labels[1]
    before, after = [words.before, *words.states][layer].values[i], words.states[layer].values[i]
    heads = [(name.place, one) for name, one in run.find("weights", layer + 1) if name.text in ("", "sequence 1")]
    adds = [np.linalg.norm(run.arrays[f"{place} output"].values[i]) for place, _ in heads]
    place, weights = heads[most := int(np.argmax(adds))]
    rows, s, w, hidden = keys = row_of(run, place, weights, i)
    token, best = indexed(words.tokens[i]), np.argmax(w)
    unclear = w.max() <= 0 or np.isclose(w, w.max()).sum() > 1
    taken = say("itself") if weights.labels[1][best] == words.tokens[i] else say("‘{}’", rows[best])
    title: str = say("‘{}’ takes most from {}: weight {}", token, taken, w[best])
    if several or len(heads) > 1:
        where = say("layer {}", layer + 1) if len(heads) == 1 else say("head {}", most + 1)
        title = say("‘{}’ takes most from {} in {}: weight {}", token, taken, where, w[best])
    added = run.arrays.get(f"layer {layer + 1} output")
    residual = added is not None and np.allclose(before + added.values[i], after)
    mixed = say("+ what it took") if residual else say("after")
    then = say("no: one step") if len(heads) == 1 else say("no: {} heads at once", len(heads))
    if layer + 1 < len(words.states):
        fed = f"layer {layer + 1} fed" in run.arrays
        then = say("feed-forward, layer {}", layer + 2) if fed else say("on to layer {}", layer + 2)
    kind = getattr(getattr(run.heads().get(place), "retrieval", None), "separation", None)
    known = {key: float(value) for key in SYMBOLS if (value := getattr(kind, key, None)) is not None}
    way = way_of(s[~hidden], w[~hidden], name_of(kind) if kind else "", known)
    asked = say("how alike?") if len(heads) == 1 else say("head {} adds most", most + 1)
    again = DOWN if layer + 1 < len(words.states) else ONCE
    again = thumbnails([one.values[i] for _, one in heads], most) if len(heads) > 1 else again
    title, place = "" if unclear else title, say("layer {}", layer + 1) if several else ""
    return Step(token, before, after, axes, (asked, way, mixed, then), *keys, again, title, place=place)


def of_other_axes(result: Result, run: Run) -> Iterator[Step]:
    """The step of a query that has other axes than what it takes, as in a decoder: in its first head."""
    for name, weights in run.find("weights"):
        place, tokens = name.place, weights.labels[0]
        there = [run.arrays[one] for one in (f"{place} output", "context") if one in run.arrays]
        answers = [one for one in there if one.labels[0] == tokens]
        if f"{place} scores".strip() not in run.arrays or name.text not in ("", "sequence 1") or not answers:
            continue
        spoken = [token for token in tokens if any(map(str.isalnum, token))] if result.figure.query is None else tokens
        i = tokens.index(spoken[0]) if result.figure.query is None else query_of(result, tokens)
        rows, _, w, _ = keys = row_of(run, place, weights, i)
        token, best = indexed(tokens[i]), np.argmax(w)
        title = say("‘{}’ takes most from {}: weight {}", token, say("‘{}’", rows[best]), w[best])
        told = say("how alike?"), say("how much of each?"), say("what it takes"), say("no: one step")
        yield Step(token, np.empty(0), answers[0].values[i], answers[0].labels[1], told, *keys, ONCE, title)
        return


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
        return say("the score itself") if np.isclose(ratio, 1) else say("score ÷ {}", ratio)
    return say("largest takes all") if weights.max() > 1 - SEEN else say("how much of each?")


def few(step: Step, most: int) -> Step:
    """A step with the rows of the target and of the largest weights, and one for all others, or for all masked ones."""
    if (masked := np.flatnonzero(step.hidden)).size > 2:
        step = short(step, np.flatnonzero(~step.hidden), masked, "{} words")
    at = np.arange(len(step.rows))
    order = np.lexsort([at, -step.scores, -np.abs(step.weights), step.hidden, at != step.target])
    return short(step, np.sort(order[: ROWS - 1]), order[ROWS - 1 :], "{} others") if len(step.rows) > most else step


def short(step: Step, kept: np.ndarray, rest: np.ndarray, name: str) -> Step:
    """A step with some of its rows, and one for the rest: the sum of weights that no mask hides, if there are any."""
    seen = rest[~step.hidden[rest]]
    return step._replace(
        rows=[*(step.rows[k] for k in kept), say(name, len(seen) or len(rest))],
        scores=np.append(step.scores[kept], np.nan),
        weights=np.append(step.weights[kept], step.weights[seen].sum()),
        hidden=np.append(step.hidden[kept], not len(seen)),
        keys=[*(step.keys[k] for k in kept), None] if len(step.keys) else (),
    )


def columns(step: Step, room: Room) -> list[Column]:
    """The five columns of a strip."""
    n, seen = len(step.rows), ~step.hidden
    pitch = min(ROW, room.height / n)
    y = pitch * ((n - 1) / 2 - np.arange(n))
    cue = pictured(step, step.cue, "query", 0.0, pitch, room)
    if step.cue.ndim == 1:
        name = texts(0, 0, [step.name], "query", HEAD, bold=True, align="left")
        cue = Column([name], 1.2 * HEAD * ems(step.name))
    row, sizes = np.column_stack([np.full(n, LANE - 0.7), y]), np.abs(step.weights)
    share = sizes / max(sizes.sum(), 1e-9)
    some, signs = seen & (share > SEEN), np.where(step.weights < 0, "minus", "plus")
    fan = Arrows(row[seen] * 0 + (0.3, 0), row[seen], "faint", 0.5)
    back = Arrows(row[some] * (0, 1), row[some] * (1, 0.3), signs[some].tolist(), 0.4 + 2 * share[some])
    names, left = keys_of(step, y, pitch, room)
    compared, weighed = (bars_of(step, what, x, y, pitch, room) for what, x in (("scores", left), ("weights", 0.0)))
    mixed = in_pairs(step, room) if step.axes else pictured(step, step.answer, "value", LANE, pitch, room)
    ball = not any(isinstance(mark, Curve | Bars) for mark in step.again)
    return [
        cue,
        Column([fan, *names, *compared.marks], compared.right),
        weighed,
        Column([back, *mixed.marks], mixed.right),
        Column(step.again, BALLS + 0.7 if ball else VALLEY[0]),
    ]


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
    marks.append(texts(np.array(places), y, step.rows, colours, size=1, align="left"))
    right = max(x + ems(name) for one in room.steps for x, name in zip(places, one.rows, strict=False))
    return marks, max(left, right) + 0.6


def bars_of(step: Step, what: str, left: float, y: np.ndarray, pitch: float, room: Room) -> Column:
    """A lying bar for each row that no mask hides; weights have numbers, and scores say what is masked."""
    every = np.concatenate([getattr(one, what)[~one.hidden] for one in room.steps])
    every = every[np.isfinite(every)] if np.isfinite(every).any() else np.zeros(1)
    shown = ~step.hidden & np.isfinite(values := getattr(step, what))
    scores = what == "scores"
    colours = np.where(values < 0, "key" if scores else "minus", "key" if scores else "plus")[shown].tolist()
    look: Any = {"values": values[shown], "at": y[shown], "colour": colours, "width": min(2.0, 0.55 * pitch)}
    numbered = not (scores and values[shown].any())
    bars, right = lying(every, left, room, numbered, **look)
    masked = [say("masked")] * (scores * sum(step.hidden))
    right = max(right, left + SMALL * max(map(ems, masked), default=0.0))
    return Column([bars, texts(left, y[step.hidden][: len(masked)], masked, "faint", align="left")], right)


def lying(every: np.ndarray, left: float, room: Room, numbered: bool = True, **look: Any) -> tuple[Bars, float]:
    """Lying bars in a unit in which all of `every` have room, with their numbers; and the right end of these."""
    beside = numbered * (0.6 + 0.9 * max(ems(number(float(one))) for one in every))
    start = left + beside * (every.min() < 0)
    bars = bars_within(start, room.bar, every=every, lying=True, numbers=numbered, **look)
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
        i, j = divmod(step.changed, columns)
        turn, ring = np.linspace(0, 2 * np.pi, 60), 0.6 * wide / columns
        at = x + wide * (j + 0.5) / columns, high * (0.5 - (i + 0.5) / rows)
        marks.append(Curve(at[0] + ring * np.cos(turn), at[1] + ring * np.sin(turn), colour="minus"))
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
    return most, change, every, bool(np.any(np.abs(cues) > SEEN))


def in_pairs(step: Step, room: Room) -> Column:
    """The answer as bars of the axes that change most, below those of the cue where it is seen there."""
    most, change, every, before = shown_of(step, room)
    rest = len(change) - len(most)
    still = len(step.cue) and sum(change > SEEN) == len(most)
    others = say("{} unchanged", rest) if still else say("{} others", rest)
    names = [*(indexed(step.axes[k], 16) for k in most), *[others] * (rest > 0)]
    pitch = min(AXIS, room.height / len(names))
    y = pitch * ((len(names) - 1) / 2 - np.arange(len(names)))
    left, at = LANE + SMALL * max(map(ems, names[: len(most)])) + 0.5, y[: len(most)]
    look: Any = {"at": at - 0.2 * pitch, "colour": "value", "width": 0.45 * pitch}
    answer, right = lying(every, left, room, values=step.answer[most], **look)
    bars = [answer]
    if before:
        look = {"at": at + 0.25 * pitch, "colour": "query", "width": 0.22 * pitch}
        bars.append(replace(answer, values=step.cue[most], numbers=False, **look))
    colours = ["ink"] * len(most) + ["faint"]
    return Column([texts(LANE, y - 0.2 * pitch, names, colours, align="left"), *bars], right)


def valley_of(run: Run, i: int) -> list[Mark]:
    """The energy on the way of a cue with a ball for each of its steps, and its end in words."""
    end = texts(0, -VALLEY[1] / 2 - 1.8, [verdict(run, i)], "value", align="left", letters=18)
    if "valley" not in run.arrays:
        return [end]
    way, places, steps = slope_of(run, i, 2 * APART)
    low, size = way.min(axis=0), np.maximum(np.ptp(way, axis=0), 1e-9)
    (x, y), at = (((one - low) / size * VALLEY + (0, -VALLEY[1] / 2)).T for one in (way, places))
    return [Curve(x, y, colour="faint"), Nodes(at.T, steps, "circle", "plus", "plus", size=0.7), end]


def thumbnails(rows: Sequence[np.ndarray], most: int) -> list[Mark]:
    """The weights of each head as small bars; those of one head in colour."""
    across = max(min(4, len(rows)), int(np.ceil(np.sqrt(len(rows)))))
    lines = -(-len(rows) // across)
    marks, wide, high = list[Mark](), VALLEY[0] / across, min(3.2, 6.4 / lines)
    for k, row in enumerate(rows):
        x, y = wide * (k % across), high * ((lines - 1) / 2 - k // across)
        at, unit = x + 0.8 * wide * (np.arange(len(row)) + 0.5) / len(row), 0.45 * high / max(np.abs(row).max(), 1e-9)
        look: Any = {"colour": "plus" if k == most else "faint", "numbers": False, "width": 0.6 * wide / len(row)}
        marks.append(Bars(row, at=at, zero=y, unit=unit, **look))
        marks.append(texts(x + 0.4 * wide, y - 0.6, [str(k + 1)], look["colour"], 0.65, bold=k == most))
    below = -high * (lines - 1) / 2 - 2
    return [*marks, texts(0, below, [say("weights of each head")], "faint", align="left")]
