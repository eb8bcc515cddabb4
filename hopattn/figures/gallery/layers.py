"""A head, a layer and a network, step by step."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from hopattn.figures.choice import LONG, arrays_of, cues_of
from hopattn.figures.figure import figure, left_out, need
from hopattn.figures.gallery.heads import ACROSS, Head, colours_of
from hopattn.figures.policies import NOTHING, SEEN
from hopattn.figures.recalls import recalls, verdict
from hopattn.figures.sheet import Arrows, Cells, Mark, Nodes, Panel, Picture, Points, Sheet, say
from hopattn.figures.text import label, subscripted, unnumbered, width
from hopattn.foundation.registry import name_of
from hopattn.results.labelled import Labelled
from hopattn.scenario.result import Result, Run

MOST_CELLS, MOST_NEURONS, RING, MOST_CUES = 22, 8, 12, 4
"""The most cells beside each other of a head with its matrices, neurons of a layer that are circles, and of a ring, and
rows of a table of cues.
"""
PLAIN = 1e9
"""The number of the deepest colour in tables that have none: the weights alone have colours."""
FILLS = "layer 1 head 1 weights", "layer 2 head 1 weights", "input", "layer 1 state", "layer 2 state"
"""What two layers read, and what they make of it."""
ROLES = {"query": "queries", "key": "keys", "value": "values"}
"""What a head makes of words: the colour of each, and the name of its array."""


@figure("two layers work together: one notes the word before, one finds what came after", "induction")
def induction(result: Result) -> Sheet:
    """The words with the parts that two layers fill, and one arrow for each layer that leads to the last word."""
    arrays = arrays_of(result.runs[0])
    there = {*FILLS} <= {*arrays}
    need(there, "it has no text that goes through two layers of attention; try the figure 'flow'")
    tokens, axes = arrays["input"].labels
    split, last = [axis.partition(": ") for axis in axes], len(tokens) - 1
    parts = {part: {k: token for k, (one, _, token) in enumerate(split) if one == part} for part, *_ in split}
    parts = {part: own for part, own in parts.items() if {*unnumbered(tokens)} & {*own.values()}}
    fits = len(parts) > 1 and arrays[FILLS[0]].labels == (tokens, tokens) and len(tokens) <= LONG
    need(fits, f"its text is not of at most {LONG} words with named parts for layers to fill; try the figure 'flow'")
    first, second, before, between, after = (arrays[name].values for name in FILLS)
    via = int(np.argmax(second[last]))
    source = int(np.argmax(first[via]))
    changes = np.abs(before).sum(axis=0), np.abs(between - before)[via], np.abs(after - between)[last]
    rows = [max(parts, key=lambda part: float(change[[*parts[part]]].max())) for change in changes]
    need(via != last and len({*rows}) == 3, f"{NOTHING}the two layers fill the same part; try the figure 'flow'")
    texts: dict[tuple[int, int], str] = {}
    for i, part in enumerate(rows):
        held = after[:, [*parts[part]]]
        for word in np.flatnonzero(held.max(axis=1) > 0.5 * np.abs(after).max()).tolist():
            texts[i, word] = [*parts[part].values()][int(np.argmax(held[word]))]
    notes_before, matches = source == via - 1, texts.get((1, via)) == texts.get((0, last)) is not None
    jobs = [say("layer {}: notes the word before", 1) if notes_before else say("layer {}", 1)]
    jobs += [say("layer {}: finds what came after", 2) if notes_before and matches else say("layer {}", 2)]
    gap, y = max(1.0, 6.5 / len(tokens)), np.array([0.0, -1.3, -2.6])
    start, end = gap * np.array([[source], [via], [last]]), gap * np.array([[via], [last], [via]])
    start, end = np.insert(start, 1, -0.25, axis=1), np.column_stack([end, y[[1, 2, 1]] + 0.25])
    places = np.array([(gap * word, y[i]) for i, word in texts])
    ways = {(0, source), (0, via), (1, via), (0, last)}
    colours = ["plus" if at == (2, last) else "ink" if at in ways else "faint" for at in texts]
    marks: list[Mark] = [
        Arrows(start[:1], end[:1], "key", 1.6, key=jobs[0]),
        Arrows(start[1:2], end[1:2], "plus", 1.6, bend=0.3, key=jobs[1]),
        *[Arrows(start[2:], end[2:], "ink", 1.2, head=False, dashed=True, names=[say("match")])] * matches,
        Nodes(places, [*texts.values()], "plain", colours, size=1.4),
    ]
    ticks = dict(zip(y.tolist(), [rows[0], say("word before") if notes_before else rows[1], rows[2]], strict=True))
    title = ""
    if notes_before and matches and texts.get((2, last)) == texts.get((0, via)):
        title = say("‘{0}’ stood before ‘{1}’: so after ‘{0}’, ‘{1}’ is expected", texts[1, via], texts[0, via])
    panel = Panel(marks, "", "", "", "free", (-0.6 * gap, (last + 0.6) * gap), (-3.0, 0.4), y_ticks=ticks)
    return Sheet([panel], title, [left_out(1, len(result.runs), "runs", "run")])


@figure("one head in numbers: from the words to queries, keys and values, weights and output", "one-head")
def qkv(result: Result) -> Sheet:
    """One head as tables of numbers, from left to right; without its matrices where there is no room for them."""
    run = result.runs[0]
    known = {"input", "source"} & {*run.arrays}
    heads = [Head("", run, *one) for one in run.find("weights") if known and one[0].place in run.heads()]
    heads = [head for head in heads if {"scores", "output"} <= {*head.arrays}]
    need(heads, "it has no heads that make queries, keys and values of words; try the figure 'attention'")
    head = heads[0]
    asks, answers, matrices, made, output = _vectors(head)
    need(np.any(output.values), f"{NOTHING}the output of the head is 0; try the figure 'attention'")
    axes = asks.values.shape[1] + 2 * max(one.shape[1] for one in made) + output.values.shape[1]
    across = axes + 2 * len(answers.values)
    _need_room(head, across)
    steps = zip((asks.values, answers.values, answers.values), matrices, made, strict=True)
    whole = across <= MOST_CELLS and all(len(m) == v.shape[1] and np.allclose(v @ m, one) for v, m, one in steps)
    # they do not where positions turn the queries, or biases are added
    same = answers is asks and all(np.array_equal(asks.values, one) for one in made)
    texts = {say("words that ask"): asks, say("words that answer"): answers}
    texts = {say("words\n= queries\n= keys = values") if same else say("words"): asks} if answers is asks else texts
    words = [(one.values, title, one.labels[0], one.labels[1] if whole else ()) for title, one in texts.items()]
    panels = [_table(*one, most=PLAIN) for one in words]
    stages = [] if same else [(made, [say(plural) for plural in ROLES.values()])]
    if whole and not same and any(not np.array_equal(one, np.eye(len(one))) for one in matrices):
        stages.insert(0, (matrices, [say(f"{role}\nmatrix") for role in ROLES]))
    lines = [[0], [len(panels) - 1], [len(panels) - 1]]  # of panels that lead to the scores and the output
    for tables, titles in stages:
        for line, one, title, role in zip(lines, tables, titles, ROLES, strict=True):
            line.append(len(panels))
            panels.append(replace(_table(one, title, most=PLAIN), colour=role))
    end, framed = len(panels), _largest(head)
    panels += _shares(head, framed)
    panels.append(_table(output.values, say("output"), (), _axes(head) if whole else (), most=PLAIN))
    places = ["".join("ABCDEFGHIJK"[k] for k in (*line, end, end + 1, end + 2)) for line in lines]
    ways = [(*lines[0], end), (*lines[1], end, end + 1, end + 2), (*lines[2], end + 2)][: 1 if same else 3]
    arrows = [(one, other, "") for way in ways for one, other in pairwise(way)]
    notes = ["" if whole or same else say("without the matrices of queries, keys and values")]
    notes += [left_out(1, len(heads), "heads", "head"), left_out(1, len(result.runs), "runs", "run")]
    return Sheet(panels, _message(heads, framed), notes, "\n".join(dict.fromkeys(places)), arrows=arrows)


def _need_room(head: Head, across: int) -> None:
    """Refuse tables that do not fit beside each other. across: the number of their cells from left to right."""
    longest, words = max(head.weights.values.shape), [*head.weights.labels[0], *head.weights.labels[1]]
    need(longest <= LONG, f"it has {longest} words; there is room for {LONG}; try the figure 'attention'")
    fits = 2 * across + 3 * max(width(label(word)) for word in words) <= ACROSS
    need(fits, "its words and their axes have no room; try the figure 'attention'")


def _table(values: np.ndarray, title: str, rows: Sequence[str] = (), columns: Sequence[str] = (), **look: Any) -> Panel:
    """A table of numbers with the words of its rows and columns."""
    cells = Cells(values, subscripted(rows), subscripted(columns), square=True, **look)
    return Panel([cells], title, "", "", "grid", width=max(2.0, values.shape[1]))


def _shares(head: Head, framed: Sequence[tuple[int, int]]) -> list[Panel]:
    """The tables of scores and of weights, with frames around the largest ones."""
    (scores, separation), weights, seen = _scores(head), head.weights.values, head.mask
    look: Any = {"hidden": ~seen, "column_colours": "key", "key": "" if seen.all() else say("masked")}
    panels = [_table(scores, say("scores"), *head.weights.labels, row_colours="query", most=PLAIN, **look)]
    look |= {"colours": colours_of(weights[seen]), "framed": framed}
    look |= {"most": max(1.0, float(np.abs(weights[seen]).max(initial=0)))}
    look |= {"key": say("the largest of several weights")} if framed else {}
    return [*panels, _table(weights, say("weights\n{}", separation), (), head.weights.labels[1], **look)]


def _axes(head: Head) -> Sequence[str]:
    """The names of the axes of the output of a head, those of its layer where it is alone there; none for numbers."""
    arrays, layer, axes = head.run.arrays, f"layer {head.name.layer} output", head.arrays["output"].labels[1]
    if axes[0] == "1" and layer in arrays and len(head.run.find("weights", head.name.layer)) == 1:
        axes = arrays[layer].labels[1]
    return axes if axes[0] != "1" else ()


def _vectors(head: Head) -> tuple[Labelled, Labelled, list[np.ndarray], list[np.ndarray], Labelled]:
    """The words that ask and those that answer, the matrices of a head, what these make, and its output."""
    arrays, layer, model = head.run.arrays, head.name.layer or 1, head.run.heads()[head.name.place]
    before = [name for name in (f"layer {layer} normed", f"layer {layer - 1} state") if name in arrays]
    asks = arrays[[*before, "input"][0]]
    matrices = [np.asarray(affine.weight).T for affine in (model.query, model.key, model.value)]
    made = [head.arrays[kind].values for kind in ROLES.values()]
    return asks, arrays.get("source", asks), matrices, made, head.arrays["output"]


def _scores(head: Head) -> tuple[np.ndarray, str]:
    """The scores of a head, with its β where they have a bias, which they have too; and the name of its separation."""
    separation, scores = head.run.heads()[head.name.place].retrieval.separation, head.arrays["scores"].values
    name, beta = say("{}", name_of(separation)), float(separation.beta)
    if "bias" in head.arrays:
        return beta * scores + head.arrays["bias"].values, name
    return scores, name if beta == 1 else say("{}\nβ = {}", name, beta)


def _largest(head: Head) -> list[tuple[int, int]]:
    """The cells of the largest weights: where a word sees several, and takes most from one of them."""
    weights = np.where(head.mask, head.weights.values, -np.inf)
    near = weights > weights.max(axis=1, keepdims=True) - SEEN
    alone = (head.mask.sum(axis=1) > 1) & (near.sum(axis=1) == 1)
    return [(i, k) for i, k in np.argwhere(near & alone[:, None]).tolist()]


def _message(heads: Sequence[Head], framed: Sequence[tuple[int, int]]) -> str:
    """What the first head does, where a word takes most from another or each from itself, and which of them it is."""
    weights, message = heads[0].weights, ""
    if np.allclose(np.where(heads[0].mask, weights.values, 0).sum(axis=1), 1):
        others = [at for at in framed if weights.labels[0][at[0]] != weights.labels[1][at[1]]]
        if others:
            size, at = max((float(weights.values[at]), at) for at in others)
            words = [subscripted(axis)[k] for axis, k in zip(weights.labels, at, strict=True)]
            message = say("‘{}’ attends most to ‘{}’: {} of its weight", *words, size)
        elif len(heads) > 1 and len(framed) == len(weights.values):
            message = say("each word attends most to itself")
    if len(heads) == 1:
        return message
    which = say("head {} of {}", 1, len(heads))
    return say("{}: {}", which, message) if message else say("{} in numbers", which)


@figure("neurons with their weights, at the cue and at the end of its recall", "two-layers", research=True)
def network(result: Result) -> Sheet:
    """The neurons of a network and its weights, with their numbers at the cue and at the end; all rows of a table."""
    run = result.runs[0]
    layers = layers_of(run)
    need(layers, "it has no network of neurons with weights, or one with too many of them to see")
    cues, before, after = run.arrays["input"].labels[0], run.arrays["input"].values, run.arrays["state"].values
    table = len(cues) > 1 and all(len(own) == 1 for own in layers.values())
    shown = cues_of(result, cues, MOST_CUES if table else 1)
    need(np.abs(after - before)[shown].max() > 0.01, f"{NOTHING}the cue stays as it is")
    starts, titles = (after, cues) if table else (before, [""] * len(cues))
    panels = [network_of(run, layers, starts[i], after[i], titles[i]) for i in shown]
    notes, title = ["" if table else say("numbers: at the cue → at the end")], ""
    if not table:
        (i,) = shown
        end, moves = label(str(run.arrays["recalls"].values[i])) if recalls(run, i) else "0", np.abs(after - before)[i]
        told = say("cue ‘{}’: {}", cues[i], verdict(run, i))
        title = told if end.isdigit() else say("cue ‘{}’ recalls ‘{}’", cues[i], end)
        if any(isinstance(mark, Picture) for mark in panels[0].marks):
            notes.append(say("pictures: at the cue above, at the end below"))
        elif np.isin(np.round(moves, 6), (0, 2)).all():
            title = say("{}, and flips {} of {} neurons", title, int(np.sum(moves > 1)), len(moves))
        else:
            title = say("{}, and moves neurons by up to {}", title, float(moves.max()))
    notes += [left_out(len(shown), len(cues), "cues", "query"), left_out(1, len(result.runs), "runs", "run")]
    return Sheet(panels, title, notes, in_a_row=2)


def layers_of(run: Run) -> dict[str, list[int]]:
    """The numbers of the neurons of each layer, the layer of most synapses in the middle of three, or of a ring, which
    has no name; empty where they are too many."""
    arrays = run.arrays
    if {"joins", "activities"} <= {*arrays}:
        owners = [name.rsplit(" ", 1)[0] for name in arrays["activities"].labels[2]]
        names, joins = [*arrays["joins"].labels[1]], arrays["joins"].values
        if len(names) == 3 and len(joins) > 1:
            names.insert(1, names.pop(int(np.argmax((joins > 0).sum(axis=0)))))
        return {name: [i for i, owner in enumerate(owners) if owner == name] for name in names}
    weights = arrays["couplings"].values if {"input", "state", "status", "couplings"} <= {*arrays} else np.zeros((0, 0))
    ring = weights.shape == weights.T.shape and 0 < len(weights) <= RING and np.allclose(weights, weights.T)
    return {"": [*range(len(weights))]} if ring else {}


def network_of(run: Run, layers: Mapping[str, list[int]], before: np.ndarray, after: np.ndarray, title: str) -> Panel:
    """The layers of a network from left to right, or one as a ring: circles, or a picture of many neurons."""
    single = all(len(own) == 1 for own in layers.values())
    marks: list[Mark] = []
    places: dict[int, np.ndarray] = {}
    middles: dict[str, np.ndarray] = {}
    spots = [(6 / len(layers) * k, 0.0) for k in range(len(layers))]
    if single and len(layers) == 3:
        spots = [(0, 0.5), (0, -0.5), (1.4, 0)]
    for (name, own), spot in zip(layers.items(), spots, strict=True):
        middle = middles[name] = np.array(spot)
        if name and len(own) > MOST_NEURONS:
            columns = next(n for n in range(int(len(own) ** 0.5), 0, -1) if len(own) % n == 0)
            moves = np.abs(after - before)[own].max() > 0.01
            for values, y in ((before, 0.65), (after, -0.65)) if moves else ((after, 0.0),):
                marks.append(Picture(values[own].reshape(-1, columns), (middle[0], y)))
        else:
            turns = 2 * np.pi * (np.arange(len(own)) + 0.25) / len(own)  # none is at the top
            column = np.linspace(1, -1, len(own)) * min(1.0, 0.35 * (len(own) - 1))
            at = np.stack([0 * column, column] if name else [np.sin(turns), np.cos(turns)], axis=1)
            places |= dict(zip(own, middle + at, strict=True))
        if name and not single:
            marks.append(Nodes(np.array([[spot[0], 1.35]]), [name], "plain"))
    across = np.array([*places.values(), *middles.values()])[:, 0]
    left, right = float(across.min()), float(across.max())
    at, names = np.array([*places.values()]), subscripted(run.arrays["input"].labels[1], 8)
    marks += lines_of(run, places, middles)
    levels = [level for level in (-1.0, 0.0, 1.0) if np.any(np.abs(after[[*places]] - level) < 0.5)]
    keys = [Points(at[:1], shades=np.array([level]), key=say("neuron {}", level)) for level in levels]
    marks += [*keys, Points(at, size=2.4, shades=after[[*places]])]  # the keys are behind the first neuron
    apart = np.linalg.norm(at[:, None] - at, axis=-1) + 9 * np.eye(len(at))
    away = min(0.42, 0.34 * float(apart.min()) + 0.06)  # outside circles, which fill what is between them
    for i, place in places.items():
        moved = round(before[i] - after[i], 2) != 0
        text = say("{} → {}", float(before[i]), float(after[i])) if moved else say("{}", float(after[i]))
        text = say("{}: {}", [*layers][i] if single else names[i], text) if single or "" in layers else text
        side = int(np.sign(round(place[0] - (left + right) / 2, 9)))
        beside = place + (np.array([away * side, 0.0]) if side else (0.0, away))
        marks.append(Nodes(beside[None], [text], "plain", align=("center", "left", "right")[side]))
    room = 2.2 if single else 1.1  # for their names
    return Panel(marks, title, "", "", "free", (left - room, right + room))


def lines_of(run: Run, places: Mapping[int, np.ndarray], middles: Mapping[str, np.ndarray]) -> list[Mark]:
    """Lines for the weights between neurons, blue above 0 and orange below; or for the synapses between layers."""
    names = run.arrays["input"].labels[1]
    marks: list[Mark] = []
    if "couplings" in run.arrays and len(places) == len(names):
        couplings = run.arrays["couplings"]
        to, at = (np.array([places[names.index(name)] for name in label]) for label in couplings.labels)
        weights = np.tril(couplings.values, -1) if "" in middles else couplings.values
        sizes = 0.5 + 1.5 * np.abs(weights) / (np.abs(couplings.values).max() or 1.0)
        for sign, colour, key in ((1, "plus", say("weight > 0")), (-1, "minus", say("weight < 0"))):
            i, j = np.nonzero(sign * weights > 0)
            lines = Arrows(at[j], to[i], colour, sizes[i, j], head=False, dashed=sign < 0, key=key)
            marks += [lines] if len(i) else []
        return marks
    for row in run.arrays["joins"].values:
        own = np.array([middles[name] for name, count in zip(run.arrays["joins"].labels[1], row, strict=True) if count])
        end = own.mean(axis=0) + 0 * own
        start = own + 0.42 * np.sign(end - own) * (len(places) < len(names))  # beside pictures, which lie in a row
        marks.append(Arrows(start, end, "faint", 1.5, head=False))
    return marks
