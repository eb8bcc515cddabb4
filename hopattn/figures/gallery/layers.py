"""A head, a layer and a network, step by step."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from hopattn.figures.choice import LONG, arrays_of, cues_of, mask_of
from hopattn.figures.figure import figure, left_out, need
from hopattn.figures.gallery.heads import ACROSS
from hopattn.figures.policies import NOTHING, SEEN
from hopattn.figures.recalls import recalls, verdict
from hopattn.figures.sheet import Arrows, Cells, Mark, Nodes, Panel, Picture, Points, Sheet, say
from hopattn.figures.text import label, subscripted, unnumbered, width
from hopattn.foundation.registry import name_of
from hopattn.results.labelled import Labelled
from hopattn.scenario.arrays import Name
from hopattn.scenario.result import Result, Run

MOST_CELLS = 22
"""The most cells beside each other of a head with its matrices."""


class Whole(NamedTuple):
    """The steps of a head of a run. scores: with β and the bias of the head, if it has one."""

    place: str
    scores: np.ndarray
    weights: Labelled
    output: Labelled
    separation: str


def whole_heads(run: Run) -> list[Whole]:
    """The heads of a run whose scores, weights and output are known."""
    heads = []
    for name, weights in run.find("weights"):
        scores, output, bias = (run.arrays.get(f"{name.place} {kind}") for kind in ("scores", "output", "bias"))
        if weights.values.ndim != 2 or name.text not in ("", "sequence 1") or scores is None or output is None:
            continue
        if len(run.find("weights", name.layer)) == 1 and output.labels[1][:1] == ("1",):  # its axes have no names
            output = run.arrays.get(f"layer {name.layer} output", output)
        told, fits, head = "", scores.values, run.heads().get(name.place)
        if head is not None:
            told, beta = say("{}", name_of(head.retrieval.separation)), float(head.retrieval.separation.beta)
            if bias is not None:
                fits = beta * fits + bias.values
            elif beta != 1:
                told = say("{}\nβ = {}", told, beta)
        heads.append(Whole(name.place, fits, weights, output, told))
    return heads


@figure("two layers work together: one notes the word before, one finds what came after", "induction")
def induction(result: Result) -> Sheet:
    """The words with the parts that two layers fill, and one arrow for each layer that leads to the last word."""
    run = result.runs[0]
    arrays = arrays_of(run)
    found = [[w for name, w in run.find("weights", layer) if name.text in ("", "sequence 1")][:1] for layer in (1, 2)]
    there = "input" in arrays and all(found)
    need(there, "it has no text that goes through two layers of attention; try the figure 'flow'")
    tokens, axes = arrays["input"].labels
    parts: dict[str, dict[int, str]] = {}
    for k, axis in enumerate(axes):
        part, _, token = axis.partition(": ")
        parts.setdefault(part, {})[k] = token
    parts = {part: own for part, own in parts.items() if {*unnumbered(tokens)} & {*own.values()}}
    fits = len(parts) > 1 and found[0][0].labels == (tokens, tokens) and len(tokens) <= LONG
    need(fits, f"its text is not of at most {LONG} words with named parts for layers to fill; try the figure 'flow'")
    (first,), (second,) = ([one.values for one in own] for own in found)
    last = len(tokens) - 1
    via = int(np.argmax(second[last]))
    source = int(np.argmax(first[via]))
    before, between, after = (arrays[name].values for name in ("input", "layer 1 state", "layer 2 state"))
    changes = np.abs(before).sum(axis=0), np.abs(between - before)[via], np.abs(after - between)[last]
    rows = [max(parts, key=lambda part: float(change[[*parts[part]]].max())) for change in changes]
    need(via != last and len({*rows}) == 3, f"{NOTHING}the two layers fill the same part; try the figure 'flow'")
    texts: dict[tuple[int, int], str] = {}
    for i, part in enumerate(rows):
        held = after[:, [*parts[part]]]
        for word in np.flatnonzero(held.max(axis=1) > 0.5 * np.abs(after).max()).tolist():
            texts[i, word] = [*parts[part].values()][int(np.argmax(held[word]))]
    ways = {(0, source), (0, via), (1, via), (0, last)}
    colours = ["plus" if at == (2, last) else "ink" if at in ways else "faint" for at in texts]
    gap, y = max(1.0, 6.5 / len(tokens)), (0.0, -1.3, -2.6)

    def arrow(start: int, row: int, word: int, colour: str, key: str, **look: Any) -> Arrows:
        return Arrows(
            np.array([[gap * start, -0.25]]), np.array([[gap * word, y[row] + 0.25]]), colour, key=key, **look
        )

    notes_before, matches = source == via - 1, texts.get((1, via)) == texts.get((0, last)) is not None
    jobs = [say("layer {}: notes the word before", 1) if notes_before else say("layer {}", 1)]
    jobs += [say("layer {}: finds what came after", 2) if notes_before and matches else say("layer {}", 2)]
    marks: list[Mark] = [
        arrow(source, 1, via, "key", jobs[0], width=1.6),
        arrow(via, 2, last, "plus", jobs[1], width=1.6, bend=0.3),
    ]
    if matches:
        marks.append(arrow(last, 1, via, "ink", "", width=1.2, dashed=True, head=False, names=[say("match")]))
    places = np.array([(gap * word, y[i]) for i, word in texts])
    marks.append(Nodes(places, [*texts.values()], "plain", colours, size=1.4))
    names = [rows[0], say("word before") if notes_before else rows[1], rows[2]]
    ends = (-0.6 * gap, (last + 0.6) * gap), (-3.0, 0.4)
    notes, title = [left_out(1, len(result.runs), "runs", "run")], ""
    if notes_before and matches and texts.get((2, last)) == texts.get((0, via)):
        title = say("‘{0}’ stood before ‘{1}’: so after ‘{0}’, ‘{1}’ is expected", texts[1, via], texts[0, via])
    panel = Panel(marks, "", "", "", "free", *ends, y_ticks=dict(zip(y, names, strict=True)))
    return Sheet([panel], title, notes)


@figure("one head in numbers: from the words to queries, keys and values, weights and output", "one-head")
def qkv(result: Result) -> Sheet:
    """One head as tables of numbers, from left to right; without its matrices where there is no room for them."""
    run = result.runs[0]
    known = {"input", "source"} & {*run.arrays}
    heads = [head for head in whole_heads(run) if known and run.heads().get(head.place) is not None]
    need(heads, "it has no heads that make queries, keys and values of words; try the figure 'attention'")
    place, scores, weights, ends, separation = heads[0]
    head, layer = run.heads()[place], Name.parse(f"{place} weights").layer or 1
    before = [name for name in (f"layer {layer} normed", f"layer {layer - 1} state") if name in run.arrays]
    asks = run.arrays[[*before, "input"][0]]
    answers = run.arrays.get("source", asks)
    *made, output = (run.arrays[f"{place} {kind}"].values for kind in ("queries", "keys", "values", "output"))
    need(np.any(output), f"{NOTHING}the output of the head is 0; try the figure 'attention'")
    matrices = [np.asarray(affine.weight).T for affine in (head.query, head.key, head.value)]
    across = asks.values.shape[1] + 2 * max(one.shape[1] for one in made) + 2 * len(answers.values) + output.shape[1]
    longest, letters = max(weights.values.shape), max(width(label(word)) for axis in weights.labels for word in axis)
    need(longest <= LONG, f"it has {longest} words; there is room for {LONG}; try the figure 'attention'")
    need(2 * across + 3 * letters <= ACROSS, "its words and their axes have no room; try the figure 'attention'")
    whole = across <= MOST_CELLS and all(
        len(matrix) == own.values.shape[1] and np.allclose(own.values @ matrix, one)
        for matrix, own, one in zip(matrices, (asks, answers, answers), made, strict=True)
    )  # they do not where positions turn the queries, or biases are added

    same = answers is asks and all(np.array_equal(asks.values, one) for one in made)
    vectors = [asks.values, answers.values, *(matrices if whole else ()), *made, output]
    common: Any = {"most": max(np.abs(one).max() for one in vectors)}
    common["colours"] = "signed" if any(np.any(one < 0) for one in vectors) else "weights"

    def table(
        values: np.ndarray, title: str, rows: Sequence[str] = (), columns: Sequence[str] = (), **look: Any
    ) -> Panel:
        cells = Cells(values, rows, columns, square=True, **(look or common))
        return Panel([cells], title, "", "", "grid", width=max(2.0, values.shape[1]))

    texts = {say("words that ask"): asks, say("words that answer"): answers}
    if answers is asks:
        texts = {say("words\n= queries\n= keys = values") if same else say("words"): asks}
    panels = [
        table(one.values, title, subscripted(one.labels[0]), subscripted(one.labels[1]) if whole else ())
        for title, one in texts.items()
    ]
    columns = [] if same else [(made, (say("queries"), say("keys"), say("values")))]
    if whole and not same and any(not np.array_equal(one, np.eye(len(one))) for one in matrices):
        columns.insert(0, (matrices, (say("query\nmatrix"), say("key\nmatrix"), say("value\nmatrix"))))
    last = len(texts) - 1
    lines = [[0], [last], [last]]  # the numbers of the panels that lead to the scores and the output
    for tables, titles in columns:
        for line, one, title, role in zip(lines, tables, titles, ("query", "key", "value"), strict=True):
            line.append(len(panels))
            panels.append(replace(table(one, title), colour=role))
    end, (rows, keys), seen = len(panels), map(subscripted, weights.labels), mask_of(run, place, weights)
    look: Any = {"hidden": ~seen, "column_colours": "key", "key": "" if seen.all() else say("masked")}
    look["colours"] = "signed" if np.any(scores[seen] < 0) else "weights"
    shares = look | {"colours": "signed" if np.any(weights.values[seen] < 0) else "weights"}
    shares["most"] = max(1.0, float(np.abs(weights.values[seen]).max(initial=0)))
    best = np.argmax(np.where(seen, weights.values, -np.inf), axis=1).tolist()
    shares["framed"] = [  # where a word sees several, and takes most from one of them
        (i, k)
        for i, k in enumerate(best)
        if seen[i].sum() > 1 == np.sum(weights.values[i, seen[i]] > weights.values[i, k] - SEEN)
    ]
    shares |= {"key": say("largest weight of a word")} if shares["framed"] else {}
    panels += [
        table(scores, say("scores"), rows, keys, row_colours="query", **look),
        table(weights.values, say("weights\n{}", separation), (), keys, **shares),
        table(output, say("output"), (), subscripted(ends.labels[1]) if whole and ends.labels[1][0] != "1" else ()),
    ]
    places = ["".join("ABCDEFGHIJK"[k] for k in (*line, end, end + 1, end + 2)) for line in lines]
    ways = [(*lines[0], end), (*lines[1], end, end + 1, end + 2), (*lines[2], end + 2)][: 1 if same else 3]
    arrows = [(one, other, "") for way in ways for one, other in pairwise(way)]
    shared = np.allclose(np.where(seen, weights.values, 0).sum(axis=1), 1)
    sizes = [(float(weights.values[at]), *at) for at in shares["framed"] if shared]
    message = ""
    if others := [one for one in sizes if weights.labels[0][one[1]] != weights.labels[1][one[2]]]:
        size, i, k = max(others)
        message = say("‘{}’ attends most to ‘{}’: {} of its weight", rows[i], keys[k], size)
    elif len(heads) > 1 and len(sizes) == len(seen):
        message = say("each word attends most to itself")
    if len(heads) > 1:
        which = say("head {} of {}", 1, len(heads))
        message = say("{}: {}", which, message) if message else say("{} in numbers", which)
    notes = [
        "" if whole or same else say("without the matrices of queries, keys and values"),
        left_out(1, len(heads), "heads", "head"),
        left_out(1, len(result.runs), "runs", "run"),
    ]
    return Sheet(panels, message, notes, "\n".join(dict.fromkeys(places)), arrows=arrows)


MOST_NEURONS, RING, MOST_CUES = 8, 12, 4
"""The most neurons of a layer that are circles, the most of a ring, and the most rows of a table."""


@figure("neurons with their weights, at the cue and at the end of its recall", "two-layers")
def network(result: Result) -> Sheet:
    """The neurons of a network and its weights, with their numbers at the cue and at the end; all rows of a table."""
    run = result.runs[0]
    layers = layers_of(run)
    need(layers, "it has no network of neurons with weights, or one with too many of them to see")
    cues, before, after = run.arrays["input"].labels[0], run.arrays["input"].values, run.arrays["state"].values
    table = len(cues) > 1 and all(len(own) == 1 for own in layers.values())
    shown = cues_of(result, cues, MOST_CUES if table else 1)
    need(np.abs(after - before)[shown].max() > 0.01, f"{NOTHING}the cue stays as it is")
    panels = [
        network_of(run, layers, after[i] if table else before[i], after[i], cues[i] if table else "") for i in shown
    ]
    notes, title = ["" if table else say("numbers: at the cue → at the end")], ""
    if not table:
        (i,) = shown
        end, moves = label(str(run.arrays["recalls"].values[i])) if recalls(run, i) else "0", np.abs(after - before)[i]
        title = say("cue ‘{}’: {}", cues[i], verdict(run, i))
        title = title if end.isdigit() else say("cue ‘{}’ recalls ‘{}’", cues[i], end)
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
        text = say("{} → {}", *(float(one[i]) for one in (before, after)))
        text = text if round(before[i] - after[i], 2) else say("{}", float(after[i]))
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
