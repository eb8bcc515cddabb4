"""A head, a layer and a network, step by step."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from hopattn.figures.choice import KEYS, LONG, arrays_of, mask_of
from hopattn.figures.figure import figure, left_out, need
from hopattn.figures.gallery.heads import ACROSS, star
from hopattn.figures.policies import NOTHING
from hopattn.figures.recalls import recalls, verdict
from hopattn.figures.sheet import Arrows, Bars, Cells, Colour, Mark, Nodes, Panel, Picture, Points, Sheet, say
from hopattn.figures.text import indexed, label, subscripted, unnumbered, width
from hopattn.foundation.registry import name_of
from hopattn.results.labelled import Labelled
from hopattn.scenario.arrays import Name
from hopattn.scenario.result import Result, Run

MOST_AXES, MOST_CELLS = 6, 22
"""The most axes of an output that have bars, and the most cells beside each other of a head with its matrices."""


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
        place, (scores, output, bias) = (
            name.place,
            (run.arrays.get(f"{name.place} {kind}") for kind in ("scores", "output", "bias")),
        )
        if weights.values.ndim != 2 or name.text not in ("", "sequence 1") or scores is None or output is None:
            continue
        if len(run.find("weights", name.layer)) == 1 and output.labels[1][:1] == ("1",):  # its axes have no names
            output = run.arrays.get(f"layer {name.layer} output", output)
        head, told, beta = run.heads().get(place), "", 1.0
        if head is not None:
            told, beta = name_of(head.retrieval.separation), float(head.retrieval.separation.beta)
            told = say("{}", told) if beta == 1 or bias is not None else say("{}\nβ = {}", told, beta)
        fits = scores.values if bias is None else beta * scores.values + bias.values
        heads.append(Whole(place, fits, weights, output, told))
    return heads


@figure("attention in three steps: scores, weights, and the mix of the values", "aaba")
def steps(result: Result) -> Sheet:
    """One query: how well it fits each key, the weights that follow, and its output."""
    run = result.runs[0]
    heads = whole_heads(run)
    need(heads, "it has no text that attention goes over")
    place, scores, weights, output, separation = heads[0]
    queries, keys = weights.labels
    query, visible = star(result, run, queries), mask_of(run, place, weights)
    if result.figure.query is None and visible[query].sum() < 2:  # the word that stands out has no choice
        query = int(np.argmax(visible.sum(axis=1)))
    seen = np.flatnonzero(visible[query])
    need(len(seen) > 1, f"{NOTHING}'{queries[query]}' sees one word alone; choose another query")
    row, values = weights.values[query], output.values[query]
    kept = seen if len(seen) <= LONG else np.sort(seen[np.argsort(-np.abs(row[seen]), kind="stable")[:KEYS]])
    there = np.flatnonzero(np.abs(output.values).max(axis=0) > 1e-9)
    axes = np.sort(there[np.argsort(-np.abs(values[there]), kind="stable")[:MOST_AXES]])
    need(len(axes), f"{NOTHING}the output of the head is 0")

    three = scores[query, kept], row[kept], values[axes]
    shares = all(one.min() >= 0 and one.max() <= 1 for one in three)
    longest = max(float(one.max()) for one in three)

    def bars(values: np.ndarray, names: Sequence[str], colour: str, title: str) -> Panel:
        low, high = min(0.0, float(values.min())), longest if shares else max(0.0, float(values.max()))
        room = 0.3 * (high - low) or 1.0
        ends = low - 2 * room if low < 0 else 0.0, high + room if high > 0 else 0.0
        marks = [Bars(values, names, colour=colour, lying=True)]
        return Panel(marks, title, x_range=ends, x_ticks={} if shares else None, y_ticks=None if len(names) else {})

    words = [subscripted(keys)[k] for k in kept]
    panels = [
        bars(three[0], words, "faint", say("scores")),
        bars(three[1], (), "plus", say("weights")),
        bars(three[2], [output.labels[1][k] for k in axes], "value", say("output")),
    ]
    picture = run.strips[0].size if run.strips and run.strips[0].size.pixels == len(values) else None
    if picture is not None:
        panels[2] = Panel([Picture(values.reshape(-1, picture.columns))], say("output"), layout="free")
    notes = [
        say("query: {}", indexed(queries[query])),
        left_out(len(kept), len(seen), "keys"),
        left_out(len(axes), len(there), "axes") if picture is None else "",
        left_out(1, len(heads), "heads", "head"),
        left_out(1, len(result.runs), "runs", "run"),
    ]
    return Sheet(panels, notes=notes, arrows=[(0, 1, separation), (1, 2, say("× values"))])


@figure("two layers work together: one notes the word before, one finds what came after", "induction")
def induction(result: Result) -> Sheet:
    """The words with the parts that two layers fill, and one arrow for each layer that leads to the last word."""
    run = result.runs[0]
    arrays = arrays_of(run)
    found = [[w for name, w in run.find("weights", layer) if name.text in ("", "sequence 1")][:1] for layer in (1, 2)]
    there = "input" in arrays and all(found)
    need(there, "it has no text that goes through two layers of attention; try the figure 'flow'")
    tokens, axes = arrays["input"].labels
    parts: dict[str, list[int]] = {}
    for k, axis in enumerate(axes):
        parts.setdefault(axis.partition(": ")[0], []).append(k)
    told, plain = [axis.partition(": ")[2] for axis in axes], {*unnumbered(tokens)}
    parts = {part: own for part, own in parts.items() if plain & {told[k] for k in own}}
    need(len(parts) > 1, "its vectors have no named parts of words for the layers to fill; try the figure 'flow'")
    need(found[0][0].labels == (tokens, tokens), "its words attend to another text; try the figure 'translation'")
    need(len(tokens) <= LONG, f"it has {len(tokens)} words; there is room for {LONG}; try the figure 'flow'")
    first, second = (own[0].values for own in found)
    last = len(tokens) - 1
    via = int(np.argmax(second[last]))
    source = int(np.argmax(first[via]))
    moves = second[last].max() > 0 and first[via].max() > 0 and via != last
    need(moves, f"{NOTHING}the last word takes nothing from layer 2")
    before, between, after = (arrays[name].values for name in ("input", "layer 1 state", "layer 2 state"))
    changes = np.abs(before).sum(axis=0), np.abs(between - before)[via], np.abs(after - between)[last]
    rows = [max(parts, key=lambda part: float(np.max(change[parts[part]]))) for change in changes]
    need(len({*rows}) == 3, f"{NOTHING}the two layers fill the same part of the vectors; try the figure 'flow'")
    gap, y = max(1.0, 6.5 / len(tokens)), (0.0, -1.3, -2.6)
    x = np.arange(len(tokens)) * gap
    ways = {(0, source), (0, via), (1, via), (0, last), (2, last)}
    texts: dict[tuple[int, int], str] = {}
    for i, part in enumerate(rows):
        for word in range(len(tokens)):
            k = max(parts[part], key=lambda k, word=word: float(after[word, k]))  # type: ignore[misc]
            if after[word, k] > 0.5 * np.abs(after).max():
                texts[i, word] = told[k]
    colours = ["plus" if at == (2, last) else "ink" if at in ways else "faint" for at in texts]

    def arrow(start: int, end: tuple[int, int], colour: str, key: str, **look: Any) -> Arrows:
        row, word = end
        ends = np.array([[x[start], y[0] - 0.25]]), np.array([[x[word], y[row] + 0.25]])
        return Arrows(*ends, colour, key=key, **look)

    marks: list[Mark] = [
        arrow(source, (1, via), "key", say("layer {}", 1), width=1.6),
        arrow(via, (2, last), "plus", say("layer {}", 2), width=1.6, bend=0.3),
    ]
    if texts.get((1, via)) == texts.get((0, last)):
        marks.append(arrow(last, (1, via), "faint", say("same word"), width=0.6, dashed=True, head=False))
    marks.append(Nodes(np.array([(x[word], y[i]) for i, word in texts]), [*texts.values()], "plain", colours, size=1.4))
    names = [rows[0], say("word before") if source == via - 1 else rows[1], rows[2]]
    ends = (-0.6 * gap, float(x[-1]) + 0.6 * gap), (-3.0, 0.4)
    notes = [left_out(1, len(result.runs), "runs", "run")]
    return Sheet([Panel(marks, "", "", "", "free", *ends, y_ticks=dict(zip(y, names, strict=True)))], notes=notes)


def is_identity(matrix: np.ndarray) -> bool:
    """Whether a matrix leaves words as they are."""
    return np.array_equal(matrix, np.eye(*matrix.shape)) and len({*matrix.shape}) == 1


@figure("one head in numbers: from the words to queries, keys and values, weights and output", "one-head")
def qkv(result: Result) -> Sheet:
    """One head as tables of numbers, from left to right; without its matrices where there is no room for them."""
    run = result.runs[0]
    known = {"input", "source"} & {*run.arrays}
    heads = [head for head in whole_heads(run) if known and run.heads().get(head.place) is not None]
    need(heads, "it has no heads that make queries, keys and values of words; try the figure 'attention'")
    place, scores, weights, _, separation = heads[0]
    head, layer = run.heads()[place], Name.parse(f"{place} weights").layer or 1
    before = [name for name in (f"layer {layer} normed", f"layer {layer - 1} state") if name in run.arrays]
    words = run.arrays[[*before, "input"][0]]
    source = run.arrays.get("source", words)
    texts = [words] if source is words else [words, source]
    *vectors, output = (run.arrays[f"{place} {kind}"].values for kind in ("queries", "keys", "values", "output"))
    need(np.any(output), f"{NOTHING}the output of the head is 0; try the figure 'attention'")
    matrices = [np.asarray(affine.weight).T for affine in (head.query, head.key, head.value)]
    widest = max(one.shape[1] for one in vectors)
    across = words.values.shape[1] + 2 * widest + 2 * len(source.values) + output.shape[1]
    whole = across <= MOST_CELLS and all(
        one.shape[0] == own.values.shape[1] and np.allclose(own.values @ one, made)
        for one, own, made in zip(matrices, (words, source, source), vectors, strict=True)
    )  # they do not where positions turn the queries, or biases are added
    longest = max(weights.values.shape)
    need(longest <= LONG, f"it has {longest} words; there is room for {LONG}; try the figure 'attention'")
    letters = 2 * across + 3 * max(width(label(word)) for word in weights.labels[0] + source.labels[0])
    need(letters <= ACROSS, "its words and their axes have no room; try the figure 'attention'")

    def table(
        values: np.ndarray, title: str, rows: Sequence[str] = (), columns: Sequence[str] = (), **look: Any
    ) -> Panel:
        colours = "signed" if np.any(values[np.isfinite(values)] < 0) else "weights"
        cells = Cells(values, rows, columns, colours=colours, square=True, **look)
        return Panel([cells], title, "", "", "grid", width=max(2.0, values.shape[1]))

    titles = [say("words")] if len(texts) == 1 else [say("words that ask"), say("words that answer")]
    made = zip(vectors, (say("queries"), say("keys"), say("values")), strict=True)
    rows, columns = map(subscripted, weights.labels)
    masked: Any = {"hidden": ~mask_of(run, place, weights), "column_colours": "key"}
    panels = []
    for one, title in zip(texts, titles, strict=True):
        named, axes = map(subscripted, one.labels)
        panels.append(table(one.values, title, named, axes if whole else ()))
    named_matrices = zip(matrices, (say("query\nmatrix"), say("key\nmatrix"), say("value\nmatrix")), strict=True)
    there = [whole and not is_identity(matrix) for matrix in matrices]
    panels += [table(*one) for one, shown in zip(named_matrices, there, strict=True) if shown]
    panels += [table(one, name) for one, name in made]
    panels += [
        table(scores, say("scores"), rows, columns, row_colours="query", **masked),
        table(weights.values, say("weights\n{}", separation), (), columns, **masked),
        table(output, say("output")),
    ]
    last, places_of = len(panels) - 3, "ABCDEFGHIJK"
    first = len(texts) + sum(there)  # of queries, keys and values
    places: list[str] = []
    ways: list[tuple[int, int]] = []
    matrix = len(texts)
    for i, shown in enumerate(there):
        asks = min(i, len(texts) - 1)
        way = [asks, *([matrix] if shown else []), first + i]
        matrix += shown
        ways += pairwise(way)
        gap = "." * (any(there) and not shown)
        rest = places_of[last : last + 3]
        chain = places_of[asks] + "".join(places_of[k] for k in way[1:-1]) + gap + places_of[way[-1]]
        places.append(chain + rest)
    arrows = [(*way, "") for way in [*ways, (last - 3, last), (last - 2, last), (last - 1, last + 2)]]
    arrows += [(last, last + 1, ""), (last + 1, last + 2, "")]
    notes = [
        "" if whole else say("without the matrices of queries, keys and values"),
        left_out(1, len(heads), "heads", "head"),
        left_out(1, len(result.runs), "runs", "run"),
    ]
    return Sheet(panels, notes=notes, places="\n".join(places), arrows=arrows)


MOST_NEURONS, MOST_LAYERS, RING, MOST_CUES = 8, 4, 12, 4
"""The most neurons of a layer that are circles, the most layers, the most neurons of a ring, and the most cues."""
MOVED = 0.25
"""The least change of a neuron that has changed, as a part of the largest change."""
Layers = dict[str, list[int]]
"""The numbers of the neurons of each layer; a single one without a name is a ring."""


@figure("neurons with their weights, at the cue and at the end of its recall", "two-layers")
def network(result: Result) -> Sheet:
    """A cue and the end of its recall: neurons as circles, or as a picture where they are many, and their weights."""
    run = result.runs[0]
    layers = _layers(run)
    need(layers, "it has no network of neurons with weights, or one with too many of them to see")
    before, after, n_steps = (run.arrays[name].values for name in ("input", "state", "steps"))
    moves = np.abs(after - before)
    changed = moves > np.maximum(0.01, MOVED * moves.max(axis=1, keepdims=True))
    cues = run.arrays["input"].labels[0]
    asked = cues.index(result.figure.query) if result.figure.query in cues else 0
    table = len(cues) > 1 and all(len(own) == 1 for own in layers.values())  # of a truth table, all rows are shown
    if table:
        shown = range(min(len(cues), MOST_CUES))
        panels = [_network(run, layers, after[cue], say("{}", cues[cue]), changed[cue]) for cue in shown]
    else:
        shown, n = range(asked, asked + 1), int(n_steps[asked])
        cue = say("cue: {}", cues[asked]) if cues[asked] != "cue" else say("cue")
        steps = say("{} steps", n) if n != 1 else say("1 step")
        end = (
            verdict(run, asked) if recalls(run, asked) else say("after {} steps", n) if n != 1 else say("after 1 step")
        )
        panels = [
            _network(run, layers, before[asked], cue, 0 * changed[asked]),
            _network(run, layers, after[asked], end, changed[asked], weights=False),
        ]
    need(changed[shown].any(), f"{NOTHING}the cue stays as it is")
    pictures = any(isinstance(mark, Picture) for mark in panels[0].marks)
    left = [left_out(len(shown), len(cues), "cues", "query"), left_out(1, len(result.runs), "runs", "run")]
    notes = [say("ringed: what changed"), *left]
    arrows = [] if table or pictures else [(0, 1, steps)]
    return Sheet(panels, notes=notes, in_a_row=1 if pictures else 2, arrows=arrows)


def _layers(run: Run) -> Layers:
    """The layers of a network, the one of most synapses in the middle of three; empty where they are too many."""
    arrays = run.arrays
    if not {"input", "state", "steps"} <= {*arrays}:
        return {}
    if {"joins", "activities"} <= {*arrays}:
        owners = [name.rsplit(" ", 1)[0] for name in arrays["activities"].labels[2]]
        names, joins = [*arrays["joins"].labels[1]], arrays["joins"].values
        if len(names) == 3 and len(joins) > 1:
            names.insert(1, names.pop(int(np.argmax((joins > 0).sum(axis=0)))))
        layers = {name: [i for i, owner in enumerate(owners) if owner == name] for name in names}
        return layers if len(layers) <= MOST_LAYERS else {}
    couplings = arrays.get("couplings")
    ring = couplings is not None and len({*couplings.labels}) == 1 and len(couplings.values) <= RING
    return {"": [*range(len(couplings.values))]} if couplings is not None and ring else {}


def _network(
    run: Run, layers: Layers, values: np.ndarray, title: str, changed: np.ndarray, weights: bool = True
) -> Panel:
    """One moment of a network: its layers from left to right, or one layer as a ring; with its weights as lines."""
    marks: list[Mark] = []
    places: dict[int, np.ndarray] = {}
    middles: dict[str, np.ndarray] = {}
    single = all(len(own) == 1 for own in layers.values())
    wide = any(len(own) > MOST_NEURONS for name, own in layers.items() if name)
    for k, (name, own) in enumerate(layers.items()):
        middle = np.array([(2.2 if wide else 1.5) * k, 0.0])
        if single and len(layers) == 3:
            middle = np.array([(0.0, 0.5), (0.0, -0.5), (1.4, 0.0)][k])
        middles[name] = middle
        if name and len(own) > MOST_NEURONS:
            size = run.strips[0].size if run.strips and run.strips[0].size.pixels == len(own) else None
            columns = size.columns if size else next(n for n in range(int(len(own) ** 0.5), 0, -1) if len(own) % n == 0)
            frame = "value" if changed[own].any() else None
            marks.append(Picture(values[own].reshape(-1, columns), (middle[0], middle[1]), frame=frame))
        else:
            turns = np.pi / 2 - 2 * np.pi * np.arange(len(own)) / len(own)
            half = min(0.4 if wide else 0.8, 0.25 * (len(own) - 1))
            column = np.stack([np.zeros(len(own)), np.linspace(half, -half, len(own))], axis=1)
            ring = 0.85 * np.stack([np.cos(turns), np.sin(turns)], axis=1)
            places |= dict(zip(own, middle + (column if name else ring), strict=True))
        if name:
            left = k < len(layers) - 1
            where = middle + ((-0.3 if left else 0.3, 0) if single else (0, -0.74 if wide else -1.1))
            align = "center" if not single else "right" if left else "left"
            marks.append(Nodes(where[None], [name], "plain", align=align))
    marks = [*(_weights(run, places, middles, single) if weights else []), *marks]
    own = [*places]
    at = np.reshape([places[i] for i in own], (-1, 2))
    colours: list[Colour] = ["value" if changed[i] else "faint" for i in own]
    marks.append(Points(at, colour=colours, size=3.3, shades=values[own]))
    texts = [say("{}", float(values[i])) for i in own]
    marks.append(Nodes(at, texts, "plain", ["paper" if values[i] > 0 else "ink" for i in own], size=0.7))
    if "" in layers:
        names = [run.arrays["input"].labels[1][i] for i in own]
        marks.append(Nodes(1.6 * at, [*subscripted(names, 8)], "plain", size=0.9))
    ends, room = np.array([*places.values(), *middles.values()])[:, 0], 0.9 if single else 0.45
    heights = (-1.55, 1.55) if "" in layers else (-0.85, 0.85) if single else (-0.86, 0.58) if wide else (-1.2, 1.05)
    return Panel(marks, title, "", "", "free", (float(ends.min()) - room, float(ends.max()) + room), heights)


def _weights(run: Run, places: dict[int, np.ndarray], middles: dict[str, np.ndarray], single: bool) -> list[Mark]:
    """Lines for the weights between neurons, blue above 0 and orange below; or for the synapses between layers."""
    names = run.arrays["input"].labels[1]
    marks: list[Mark] = []
    if "couplings" in run.arrays and len(places) == len(names):
        couplings = run.arrays["couplings"]
        to, at = (np.array([places[names.index(name)] for name in label]) for label in couplings.labels)
        square = couplings.labels[0] == couplings.labels[1]
        alike = square and np.allclose(couplings.values, couplings.values.T)
        ring = square and not alike  # each of two neurons has a weight of its own for the other
        weights = np.tril(couplings.values, -1) if alike else couplings.values
        sizes = 0.5 + 1.5 * np.abs(weights) / (np.abs(couplings.values).max() or 1.0)
        for sign, colour, key in ((1, "plus", say("weight above 0")), (-1, "minus", say("weight below 0"))):
            i, j = np.nonzero(sign * weights > 0)
            look: Any = {"head": ring, "dashed": sign < 0, "bend": 0.2 * ring, "key": key}
            marks += [Arrows(at[j], to[i], colour, sizes[i, j], **look)] if len(i) else []
        return marks
    for row in run.arrays["joins"].values:
        own = np.array([middles[name] for name, count in zip(run.arrays["joins"].labels[1], row, strict=True) if count])
        ways = own.mean(axis=0) - own
        ways = ways / np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), 1e-9)
        start = own if single else own + 0.42 * ways  # they begin beside pictures
        marks.append(Arrows(start, np.array([own.mean(axis=0)] * len(own)), "faint", 1.5, head=False))
    return marks
