"""Steps of recall as data, of a memory, a network, and a head: with names, numbers, and in words what each does."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np

from hopattn.dynamics.record import Status
from hopattn.figures.choice import cues_of, mask_of, query_of, tables
from hopattn.figures.policies import SEEN, SYMBOLS, Words, hero, near, run_names, words_of
from hopattn.figures.recalls import APART, last_step, picture, recalled, slope_of, spread, states, turns_of, verdict
from hopattn.figures.sheet import Arrows, Curve, Mark, Nodes, Picture, Points, say, texts
from hopattn.figures.text import ems, indexed, number, power_of_ten, unnumbered
from hopattn.foundation.registry import name_of
from hopattn.results.labelled import Labelled
from hopattn.retrieval.similarity import FixedScores
from hopattn.scenario.arrays import numbers
from hopattn.scenario.result import Result, Run

STRIPS, ALL, AXES, APIECE, MOST, ROW = 2, 8, 6, 4, 1e4, 16
"""The most strips, the rows of a single one, the axes of a state, the heads with a strip each, the largest weight
shown, and the most neurons in a row.
"""
SMALL, VALLEY, LETTERS, BESIDE = 0.82, np.array([6.0, 4.6]), 18, 8.0
"""The size of captions, the sides of a valley, the letters of a line below it, and the side of a picture beside it."""
DIGITS, MAPS, ONCE = 3, 9.0, say("one step")
"""The most decimals of the parts of a field, which add up to it; the width of the small pictures of heads; and the
caption of a single step.
"""
ADDED, VALUES, REPLACES = say("after: added"), say("after: values added"), say("replaces the cue")
GROWN = {ADDED: say("added"), VALUES: say("values added")}
"""How an answer changes its cue; and what is added, where the cue is a part of the bar."""


class Column(NamedTuple):
    """The marks of a column and their right end."""

    marks: list[Mark]
    right: float


class Step(NamedTuple):
    """One step of recall of one cue.

    name: of the cue. cue, answer: the states before and after, `(dim,)`, on `axes`; pictures `(height, width)` have no
    axes; the cue is empty where it has other axes than the answer. told: the captions of columns 2 to 5. rows: the
    names of the keys. scores, weights, hidden: `(n_keys,)`; hidden are those that a mask hides. again: what the last
    column shows. does: what the cue does, in words. keys: the keys as pictures, if they are. changed: of a network, the
    neuron that turns. place: its layer or head. text: of its words. run: the name of its run. target: the number of the
    pattern that is recalled. steps: of a recall; None for words. rest: how many keys the last row stands for.
    digits: the most decimals of its numbers. note: the name of a key that an earlier layer has changed, and the axis on
    which it gained most. compared: whether the scores come from the cue.
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
    again: Column
    does: str
    keys: Sequence[np.ndarray | None] = ()
    changed: int | None = None
    place: str = ""
    text: str = ""
    run: str = ""
    target: int = -1
    steps: int | None = None
    rest: int = 0
    digits: int = 2
    note: tuple[str, str] = ("", "")
    compared: bool = True


NOTHING, DOWN = Column([], 0), Column([Arrows(np.array([(3, 2)]), np.array([(3, -4)]), "faint", 1.5)], 4.4)
"""No more steps, and the way to the strip below."""


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
            some = of_words(run, words, word)
        else:
            some = [*of_other_axes(result, run)]
        steps += [step._replace(run=name) for step in some]
    return steps


def of_memory(result: Result, run: Run, i: int) -> Step:
    """The first step of a cue; very large weights are shares of their sum."""
    s, w, field, answer = (run.arrays[f"step 1 {what}"].values[i] for what in ("scores", "weights", "field", "output"))
    (names, patterns), axes = run.arrays["step 1 weights"].labels, run.arrays["step 1 output"].labels[1]
    cue, rows, name = run.arrays["input"].values[i], [*map(indexed, patterns)], indexed(names[i])
    keys: Sequence[np.ndarray] = [*stored(result, run, cue, s)]
    signs = np.isin(answer, (-1, 1)).all()
    same, first = np.allclose(field, answer), last_step(run, i) > 1 and not signs
    mixed: str = say("the sum") if same else say("sign of the sum") if signs else say("the answer")
    mixed = say("after step 1") if first else mixed
    if run.strips:
        cue, answer = (picture(run, i, state) for state in states(run, i)[[0, min(1, last_step(run, i))]])
        axes, rows, keys = (), [""] * len(rows), [picture(run, i, one) for one in keys]
    elif len(axes) >= AXES and len(axes) == len(cue) and np.isin([cue, *keys], (-1, 1)).all():
        cue, answer, *keys = (block(one) for one in (cue, answer, *keys))
        axes = ()
    else:
        keys, cue = [], cue if axes == run.arrays["input"].labels[1] else np.empty(0)
        mixed = say("after step 1") if len(cue) else mixed
    kinds = [(kind, dict(zip(*one.labels, one.values, strict=True))) for kind, one in tables(run, "separation")]
    way = way_of(s, w, *(kinds or [("", {})])[0])
    if np.abs(w).max() > MOST:
        w, way = w / w.sum(), say("{}, as shares", way)
    steps = balls_of(run, i)
    told, again = (say("how alike?"), way, mixed, settled(run, i, steps)), valley_of(run, i)
    goal = str(run.arrays["recalls"].values[i]) if "recalls" in run.arrays else ""
    target = patterns.index(goal) if goal in patterns else -1
    about: Any = {"keys": keys, "target": target, "steps": steps}
    return Step(name, cue, answer, axes, told, rows, s, w, np.zeros(len(w), bool), again, does(run, i), **about)


def block(state: np.ndarray) -> np.ndarray:
    """A state `(dim,)` as a picture: of few neurons a row, of more a rectangle as square as can be."""
    count = len(state)
    rows = max(k for k in range(1, int(count**0.5) + 1) if count % k == 0)
    return state.reshape(rows, -1) if count > ROW and rows > 2 else np.tile(state, (-(-count // AXES), 1))


def stored(result: Result, run: Run, cue: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """The patterns `(n, dim)` of a run, or those of another one that have the same scores; empty if none are known."""
    every = [one.arrays["patterns"].values for one in (run, *result.runs) if "patterns" in one.arrays]
    fit = (one for one in every if one.shape == (len(scores), len(cue)) and np.allclose(one @ cue, scores))
    return run.arrays["patterns"].values if "patterns" in run.arrays else next(fit, np.empty((0, 0)))


def does(run: Run, i: int) -> str:
    """What a recall does to its cue, in words; of a stored pattern, whether it stays."""
    cue, end = run.arrays["input"].values[i], verdict(run, i)
    patterns = run.arrays["patterns"].values if "patterns" in run.arrays else np.empty((0, len(cue)))
    if patterns.shape[1:] != cue.shape or not (patterns == cue).all(axis=1).any():
        return end
    return say("is stored, and stays") if recalled(run)[i] else say("is stored, but lost: it {}", end)


def settled(run: Run, i: int, steps: int, turns: bool = False) -> str:
    """Whether the recall of a cue goes on after its first step, and after how many it ends."""
    status = run.arrays["status"].values[i]
    if last_step(run, i) == 1 and status != Status.CONVERGED:
        return say("one turn") if turns else ONCE
    if status in (Status.CYCLE, Status.LIMIT, Status.DIVERGED):
        return say("not settled after {} steps", last_step(run, i))
    if not steps:
        return say("settled from the start")
    if turns:
        return say("settled after {} turns", steps) if steps > 1 else say("settled after 1 turn")
    return say("settled after {} steps", steps) if steps > 1 else say("settled after 1 step")


def of_neurons(run: Run, i: int) -> Iterator[Step]:
    """Each neuron that changes: its row of the couplings, times the state, the sum, and its sign.

    Where neurons take turns, each sees those before it; where all step at once, they are those of the first step.
    """
    start, field, asked = run.arrays["input"], run.arrays["step 1 field"].values[i], 0
    state, axes = start.values[i], numbers(start.values.shape[1]) if run.strips else start.labels[1]
    couplings = run.arrays["couplings"].values if "couplings" in run.arrays else np.empty((0, 0))
    one_by_one, count = "turns" in run.arrays, len(axes)
    at_once = np.stack([np.arange(count), field, state, run.arrays["step 1 output"].values[i]])
    turns = turns_of(run, i) if one_by_one else at_once
    turns = turns[:, turns[2] != turns[3]]
    square = couplings.shape == (count, count) and "answers" not in run.arrays
    last = len(turns[0]) > (STRIPS if one_by_one else 1)
    rows, valley = [say("neuron {}", axis) for axis in axes], valley_of(run, i, one_by_one, last)
    again = beside_patterns(valley, run, i)
    then = settled(run, i, len(turns[0]) if one_by_one else balls_of(run, i), one_by_one)
    title = network_does(run, i, [axes[int(j)] for j in turns[0]])
    for j, total, after in zip(turns[0].astype(int).tolist(), *turns[[1, 3]].tolist(), strict=True) if square else ():
        if not np.isclose(couplings[j] @ state, total):  # with a bias, the sum has other parts
            continue
        before, turned = state, np.where(np.arange(count) == j, after, state)
        state = turned if one_by_one else state
        added = say("× state: sum {}", say(number(total, DIGITS)))
        told = say("coupling to {}", axes[j]), added, say("neuron {} turns", axes[j]), then
        low = min(0.0, *before)  # a neuron that is off is white, whether off is 0 or −1
        signs = [one if run.strips else (2 * one - 1 - low) / (1 - low) for one in (before, turned)]
        was, now = (picture(run, i, one) if run.strips else one[:, None] for one in signs)
        name = say("after turn {}", asked) if asked else say("{}; black: 1", indexed(start.labels[0][i]))
        products = couplings[j] * before
        asked += one_by_one
        about: Any = {"changed": j, "digits": DIGITS}
        yield Step(name, was, now, (), told, rows, couplings[j], products, products != products, again, title, **about)


def network_does(run: Run, i: int, turned: Sequence[str]) -> str:
    """What the neurons of a network do with a cue, in a sentence."""
    end = does(run, i)
    if end != verdict(run, i):
        return say("‘{}’ {}", indexed(run.arrays["input"].labels[0][i]), end)
    if len(turned) == 1:
        return say("neuron {} turns: the network {}", *turned, end)
    both = say("neurons {} and {} turn: the network {}", *turned[:2], end) if len(turned) == 2 else ""
    return both or say("{} neurons turn: the network {}", len(turned), end)


def of_words(run: Run, words: Words, word: int) -> list[Step]:
    """The step of a word in each head of a single layer with a few; or in the last layers, each for the key that most
    is taken from in the next.
    """
    last = len(words.states) - 1
    if not last and 1 < (count := len(heads_of(run, 0))) <= APIECE:
        by_head = [of_layer(run, words, word, 0, head) for head in range(count)]
        written = [indexed(step.axes[int(np.argmax(step.answer))]).split(": ")[-1] for step in by_head]
        if len({*written}) < count or not all(np.any(step.answer > SEEN) for step in by_head):
            return by_head
        most = say("mostly ") if any(np.sum(np.abs(step.answer) > SEEN) > 1 for step in by_head) else ""
        said = [say("writes {}‘{}’", most, written[0]), *(say("‘{}’", one) for one in written[1:])]
        keys = [step.rows[int(np.argmax(step.weights))] if step.weights.max() > 1 - SEEN else "" for step in by_head]
        notes = [(row, say("carries ‘{}’", one)) if row else ("", "") for row, one in zip(keys, written, strict=True)]
        return [one._replace(does=does, note=note) for one, does, note in zip(by_head, said, notes, strict=True)]
    steps = list[Step]()
    for layer in range(last, max(last - STRIPS, -1), -1):
        steps.insert(0, of_layer(run, words, word, layer))
        if steps[1:] and steps[0].axes:
            steps[1] = steps[1]._replace(note=(steps[0].name, axis_name(steps[0].axes[gain(steps[0])])))
        best = int(np.argmax(steps[0].weights))
        word = best if best < len(words.tokens) and words.sees[best].any() else word  # one that takes from others
    return steps


def gain(step: Step) -> int:
    """The axis on which an answer gains most; without a cue, on which it is largest."""
    return int(np.argmax(step.answer - (step.cue if len(step.cue) else 0)))


def heads_of(run: Run, layer: int) -> list[tuple[str, Labelled]]:
    """The places and the weights of the heads of a layer."""
    return [(name.place, one) for name, one in run.find("weights", layer + 1) if name.text in ("", "sequence 1")]


def maps_of(heads: Sequence[np.ndarray], shown: int) -> Column:
    """The weights `(n_queries, n_keys)` of each of several heads as a picture with its number; one has a frame."""
    across = int(np.ceil(np.sqrt(len(heads))))
    pitch, top = MAPS / across, 0.75 * MAPS / across * -(-len(heads) // across)
    marks: list[Mark] = [texts(0, top + 0.9, [say("weights of all heads")], "faint", align="left")]
    for k, weights in enumerate(heads):
        at = pitch * (k % across + 0.4), top - pitch * (1.5 * (k // across) + 0.45)
        shades = 2 * np.abs(weights) / max(float(np.abs(weights).max()), 1e-9) - 1
        marks.append(Picture(shades, at, side=0.75 * pitch, frame="plus" if k == shown else None))
        colour = "plus" if k == shown else "faint"
        marks.append(texts(at[0], at[1] - 0.375 * pitch - 0.65, [str(k + 1)], colour, 0.7))
    return Column(marks, MAPS + 0.4)


def of_layer(run: Run, words: Words, i: int, layer: int, head: int | None = None) -> Step:
    """The step of a word in a layer, by the head that adds most to it; or in one of its heads, by what this writes."""
    heads, token = heads_of(run, layer), indexed(words.tokens[i])
    outputs = [run.arrays[f"{place} output"] for place, _ in heads]
    most = int(np.argmax([np.linalg.norm(one.values[i]) for one in outputs])) if head is None else head
    place, weights = heads[most]
    rows, s, w, hidden = keys = row_of(run, place, weights, i)
    then = ONCE
    if layer + 1 < len(words.states):
        fed = f"layer {layer + 1} fed" in run.arrays
        then = say("next: feed-forward, layer {}", layer + 2) if fed else say("next: layer {}", layer + 2)
    retrieval = getattr(run.heads().get(place), "retrieval", None)
    kind, similarity = (getattr(retrieval, one, None) for one in ("separation", "similarity"))
    known = {key: float(value) for key in SYMBOLS if (value := getattr(kind, key, None)) is not None}
    way = way_of(s[~hidden], w[~hidden], name_of(kind) if kind else "", known)
    name = say("layer {}", layer + 1) if len(words.states) > 1 else ""
    states, after = [words.before, *words.states][layer].values, words.states[layer].values[i]
    compared = not isinstance(similarity, FixedScores)
    asked = asked_of(run, place, states) if compared else say("not compared")
    way = say("equal shares") if not compared and np.ptp(w[~hidden]) < SEEN else way
    before, total = states[i], run.arrays.get(f"{place.rpartition(' head ')[0]} output".strip(), outputs[0]).values[i]
    mixed = change_of(run, place, states, i, after, total)
    added = mixed in (ADDED, VALUES)
    axes, again = words.before.labels[1], NOTHING if then == ONCE else DOWN
    if len(heads) > 1:
        mixed = say("what it adds") if added and head is None else say("what it writes")
        part = say("head {}", most + 1) if head is not None else say("head {} of {}", most + 1, len(heads))
        name = say("{}, {}", name, part) if name else part
        before, after, axes = np.empty(0), outputs[most].values[i], outputs[most].labels[1]
        again = maps_of([one.values for _, one in heads], most) if head is None and then == ONCE else again
    elif then == ONCE and added and len(axis := axes[int(np.argmax(after - before))].split(": ")[-1]) > 2:
        result = say("gains ‘{}’", indexed(axis)) if axis.isalpha() else ""
        again = Column([texts(0, 0, [result], "value", align="left")], SMALL * ems(result))
    text = " ".join(unnumbered(words.tokens))
    about: Any = {"place": name, "text": text, "compared": compared}
    return Step(token, before, after, axes, (asked, way, mixed, then), *keys, again, takes(token, rows, w), **about)


def change_of(run: Run, place: str, states: np.ndarray, i: int, after: np.ndarray, total: np.ndarray) -> str:
    """How a layer changes word `i`: what its heads write together is added to the word, or replaces it."""
    before = states[i]
    ways = (before + total, total) if total.shape == before.shape else np.zeros((2, len(after)))
    added, instead = (near(after, one) > 1 - 1e-9 for one in ways)
    values = run.arrays[one].values if (one := f"{place} values") in run.arrays else states
    made = values.shape != states.shape or not np.allclose(values, states)
    return (VALUES if made else ADDED) if added else REPLACES if instead else say("after")


def asked_of(run: Run, place: str, states: np.ndarray) -> str:
    """What a head compares: the states themselves, or queries and keys that it makes of them."""
    made = [run.arrays[name].values for what in ("queries", "keys") if (name := f"{place} {what}") in run.arrays]
    same = (one.shape[1:] == states.shape[1:] and (len(one) != len(states) or np.allclose(one, states)) for one in made)
    return say("how alike?") if all(same) else say("query · key")


def row_of(run: Run, place: str, weights: Labelled, i: int) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    """The names of the keys of a head, and of each for query `i` its score, its weight, and whether a mask hides it."""
    scores, hidden = run.arrays[f"{place} scores".strip()].values[i], ~mask_of(run, place, weights)[i]
    return [indexed(key, 10) for key in weights.labels[1]], scores, weights.values[i], hidden


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
        way, asked = way_of(keys[1][~keys[3]], w[~keys[3]], "", {}), asked_of(run, place, np.empty(0))
        told, token = (asked, way, say("what it takes"), ONCE), indexed(tokens[i])
        answer, axes = answers[0].values[i], answers[0].labels[1]
        yield Step(token, np.empty(0), answer, axes, told, *keys, NOTHING, takes(token, rows, w))
        return


def way_of(scores: np.ndarray, weights: np.ndarray, kind: str, parameters: Any) -> str:
    """How scores become weights, in words: by a separation with its parameters, or a share of the score."""
    if kind == "argmax":
        return say("largest takes all")
    if kind and kind != "identity":
        silent = {"beta"} if kind != "softmax" and parameters.get("beta") == 1 else set()
        name = kind.removeprefix("rectified_").replace("_", " ")
        if name == "power":
            name = say("score{}", power_of_ten(round(parameters["n"]) - 1)[2:] if parameters["n"] > 2 else "")
            silent |= {"n"}
        known = [key for key in SYMBOLS if key in parameters and key not in silent]
        parts = [say(f"{SYMBOLS[key]} = {{}}", float(parameters[key])) for key in known]
        return say(", ".join(["{}"] * (1 + len(parts))), name, *parts)
    if len(scores) < 2:
        return say("the only key")
    largest = np.argmax(np.abs(scores))
    ratio = float(scores[largest] / (weights[largest] or np.inf))
    if ratio and np.allclose(weights * ratio, scores):
        return say("the score itself") if np.isclose(ratio, 1) else say("score ÷ {}", ratio)
    if np.ptp(scores) and np.all(weights > 0):
        beta, shift = np.polyfit(scores, np.log(weights), 1)
        if np.allclose(beta * scores + shift, np.log(weights)):
            return say("{}, β = {}", "softmax", float(beta))
    return say("largest takes all") if weights.max() > 1 - SEEN else say("shares of each")


def takes(name: str, rows: Sequence[str], weights: np.ndarray) -> str:
    """From which keys a word takes, in words."""
    best, size = key_name(name, rows[int(np.argmax(weights))]), np.abs(weights).sum()
    if size - weights.max() <= SEEN < size:
        return say("takes all from {}", best)
    alike = np.isclose(weights, weights.max()).sum() > 1 or weights.max() <= 0
    return say("takes from several alike") if alike else say("takes most from {} ({})", best, float(weights.max()))


def key_name(name: str, key: str) -> str:
    """What a cue takes from: a key, or itself."""
    return say("itself") if key == name else say("‘{}’", key)


def axis_name(axis: str) -> str:
    """An axis as a label; of a number, "axis 1"."""
    return say("axis {}", axis) if axis.isdigit() else indexed(axis, 16)


def balls_of(run: Run, i: int) -> int:
    """After how many steps a cue lies at its end."""
    return int(slope_of(run, i)[2][-1]) if "valley" in run.arrays else last_step(run, i)


def way_of_balls(run: Run, i: int, turns: bool) -> tuple[np.ndarray, np.ndarray, list[str], np.ndarray]:
    """The way of a cue with its balls and their numbers, as `slope_of`; and the places of all steps.

    turns: whether a step is a turn of a neuron, in the order of the run.
    """
    way, places, steps = slope_of(run, i, 2 * APART)
    every = run.arrays["balls"].values[i][:, : last_step(run, i) + 1].T
    moves = run.arrays["turns"].values[i] if turns else np.empty((0, 4))
    moves = moves[moves[:, 1] != moves[:, 2]]
    start, end = every[0, 0], every[-1, 0]
    if len(moves) and end > start:
        at = np.linspace(start, end, len(moves) + 1)
        every = np.column_stack([at, np.append(every[0, 1], moves[:, 3])])
        between = (way[:, 0] >= start) & (way[:, 0] <= end)
        way[between, 1] = np.interp(way[between, 0], *every.T)
        shown = spread(every, np.maximum(np.ptp(way, axis=0), 1e-9), 2 * APART)
        places, steps = every[shown], [*map(str, shown)]
    return way, places, steps, every


def balls_named(shown: Sequence[int], places: np.ndarray) -> Iterator[str]:
    """The numbers of balls; of a ball that hides those before it, from the first of them, as in "1–3".

    places: of all steps, `(n_steps + 1, 2)`.
    """
    for before, k in pairwise([-1, *shown]):
        near, far = (np.abs(places[before + 1 : k] - places[one]).max(axis=1) for one in (k, before))
        yield f"{before + 1}–{k}" if before >= 0 and k - before > 1 and (near < far).all() else str(k)


def between_ridges(way: np.ndarray, balls: np.ndarray) -> slice:
    """The part of a way from the ridge before its balls to the ridge after them: what lies beyond are other valleys."""
    first, last = np.searchsorted(way[:, 0], [balls[:, 0].min(), balls[:, 0].max()])
    fall = np.diff(way[:, 1])
    before, after = np.flatnonzero(fall[:first] > 0), np.flatnonzero(fall[last:] < 0)
    return slice(int(before[-1]) + 1 if len(before) else 0, last + int(after[0]) + 1 if len(after) else len(way))


def valley_of(run: Run, i: int, turns: bool = False, last: bool = True) -> Column:
    """The energy on the way of a cue with a ball for each of its steps, its end in words, and its last state.

    turns: whether a step is a turn of a neuron. last: whether the last state is shown, where it has several steps.
    """
    low = -VALLEY[1] / 2 - 1.2 - 0.6 * -(-len(verdict(run, i)) // LETTERS)
    end = texts(0, low, [verdict(run, i)], "value", align="left", letters=LETTERS)
    name = texts(0, VALLEY[1] / 2 + 1.3, [say("energy")], "faint", align="left")
    if "valley" not in run.arrays:
        return Column([replace(end, at=np.zeros((1, 2)))], min(VALLEY[0], SMALL * ems(verdict(run, i))))
    way, places, steps, every = way_of_balls(run, i, turns)
    way = way[between_ridges(way, every)]
    least, size = way.min(axis=0), np.maximum(np.ptp(way, axis=0), 1e-9)
    (x, y), at, dots = (((one - least) / size * VALLEY + (0, -VALLEY[1] / 2)).T for one in (way, places, every))
    marks = [Curve(x, y, colour="faint"), Points(dots.T, colour="plus", size=0.4)]
    marks += [Nodes(at.T, [*balls_named([*map(int, steps)], dots.T)], "circle", "plus", "plus", size=0.7), end, name]
    state, right = last_picture(run, i), max(VALLEY[0], *(SMALL * ems(line) for line in wrap(verdict(run, i), LETTERS)))
    if state is None or not last or int(steps[-1]) < 2:
        return Column(marks, right)
    wide, left = BESIDE * state.shape[1] / max(state.shape), right + 1.0
    return Column([*marks, Picture(state, (left + wide / 2, 0), side=BESIDE, frame="value")], left + wide)


def beside_patterns(valley: Column, run: Run, i: int) -> Column:
    """A valley and, of few neurons, the stored patterns that the end of the cue is, or is made of."""
    goal, of = (str(run.arrays[name].values[i]) if name in run.arrays else "" for name in ("recalls", "of"))
    stored, names = run.arrays.get("patterns"), {goal, *of.split(" + ")}
    if run.strips or stored is None or stored.values.shape[1] > ALL or not np.isin(stored.values, (-1, 0, 1)).all():
        return valley
    some, low = [k for k, name in enumerate(stored.labels[0]) if name in names], min(0.0, float(stored.values.min()))
    high, at = stored.values.shape[1], valley.right + 1.4 + 1.4 * np.arange(len(some))
    signs = (2 * stored.values[some] - 1 - low)[:, :, None] / (1 - low)
    marks: list[Mark] = [Picture(one, (x, 0), side=high) for x, one in zip(at, signs, strict=True)]
    marks.append(texts(at, high / 2 + 0.9, [indexed(stored.labels[0][k]) for k in some], "faint"))
    return Column([*valley.marks, *marks], float(at.max(initial=valley.right - 1)) + 1)


def last_picture(run: Run, i: int) -> np.ndarray | None:
    """The last state of a cue as a picture; None where neurons have more than two values and the cue is no picture."""
    if run.strips:
        return picture(run, i, states(run, i)[-1])
    state = run.arrays["state"].values[i]
    low = min(0.0, *state)
    if len(state) <= ALL:
        return np.array((2 * state - 1 - low) / (1 - low))[:, None] if np.isin(state, (low, 1)).all() else None
    return block(np.clip(state, -1, 1)) if np.isin(run.arrays["input"].values[i], (-1, 1)).all() else None
