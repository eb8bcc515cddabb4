"""For specialists: classes of heads, probes, gradients, walks, forgetting, and the valleys of an energy."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from hopattn.circuits.maps.walk import FIRST
from hopattn.figures.choice import mask_of, tables
from hopattn.figures.figure import below, figure, left_out, need
from hopattn.figures.policies import MOST_RUNS, STILL, by_run, numbers, run_names, runs_with
from hopattn.figures.sheet import Arrows, Bars, Cells, Curve, Mark, Panel, Points, Rule, Sheet, say
from hopattn.retrieval.weight_spread import FEWEST_KEYS, OperatingClass, class_of, least_number
from hopattn.scenario.arrays import Name
from hopattn.scenario.result import Result, Run

KEPT = " keys for 90 %"
"""The end of the names of arrays that hold the numbers of keys themselves, `(head, word)`, under a causal mask."""
KEYS = {"I": "most keys", "II": "many keys", "III": "some keys", "IV": "few keys, or one"}
"""The keys that hold the weight, by operating class."""
ERRORS = 2
"""The standard errors on each side of a number."""
NORMS = "layer norm before", "layer norm after", "no layer norm"
"""The names of normalisations, in the order of the stacks that have residuals, and of those without."""
FLOOR = 1e-12
"""A gradient up to this one has vanished, and is drawn there."""
SHALLOW = ROOM = 0.25
"""The part of the depth of the deepest valley from which on a valley is shown; and the room for names around them."""


@figure("the share of keys that hold nine tenths of a head's weight, and so its class", "emergence", research=True)
def classes(result: Result) -> Sheet:
    """A bar for each head, up to the median of its queries, in the colour of the class that the median decides."""
    groups: dict[tuple[str, str], list[tuple[str, float, OperatingClass]]] = {}
    for title, place, least, visible in _least_keys(result):
        rows, name = (least > 0) & (visible >= FEWEST_KEYS), Name.parse(f"{place} weights")
        if rows.any():
            head = str(name.head or place), float(np.median(least[rows] / visible[rows])), class_of(least, visible)
            groups.setdefault((title, say("layer {}", name.layer) if name.layer else ""), []).append(head)
    need(groups, f"it has no heads that share their weight among {FEWEST_KEYS} keys or more")
    panels, runs = [], [run for run, _ in groups]
    for (title, layer), heads in [*groups.items()][:MOST_RUNS]:
        marks = []
        for i, sort in enumerate(OperatingClass):
            if at := [x for x, (*_, other) in enumerate(heads) if other == sort]:
                key = say("{} (class {})", say(KEYS[sort]), str(sort))
                marks.append(Bars(np.array([heads[x][1] for x in at]), at=np.array(at), colour=i, key=key))
        ticks = {float(x): name for x, (name, *_) in enumerate(heads)}
        text = below(title, layer) if runs.count(title) > 1 else title or layer
        axes = say("head"), say("share of keys for\n90 % of the weight (median)")
        ends = -0.6, len(heads) - 0.4
        panels.append(Panel(marks, text, *axes, "chart", ends, (0, 1.05), ticks, width=len(heads) + 1))
    shares = [round(100 * share) for heads in groups.values() for _, share, _ in heads]
    title = say("heads need from {} to {} % of the keys for 90 % of their weight", min(shares), max(shares))
    return Sheet(panels, title, [left_out(len(panels), len(groups), "layers", "layer")], shared="y")


def _least_keys(result: Result) -> Iterator[tuple[str, str, np.ndarray, np.ndarray]]:
    """The least keys that hold nine tenths of the weight, and the visible ones, by query, of each head of each run."""
    for run, title in zip(result.runs, run_names(result.runs), strict=True):
        for place, weights in tables(run, "weights"):
            if len(weights.dims) == 2 and (weights.values >= 0).all():
                shares = np.isclose(weights.values.sum(axis=-1), 1)
                yield title, place, least_number(weights.values) * shares, mask_of(run, place, weights).sum(axis=-1)
        for name, array in run.arrays.items():
            if name.endswith(KEPT):
                for place, least in zip(array.labels[0], array.values, strict=True):
                    yield name.removesuffix(KEPT), place, least, np.arange(1, len(least) + 1)


@figure("what probes read: memories of a circuit, or positions by layer", "birth-of-a-transformer", research=True)
def probes(result: Result) -> Sheet:
    """What probes read: from the memories of a circuit by width, or positions by layer, beside chance."""
    runs = [run for run in result.runs if {"probes", "masked accuracy"} & {*run.arrays}]
    need(runs, "it has no probes: neither of the memories of a circuit, nor of positions")
    if "probes" not in runs[0].arrays:
        top = 1.1 * max(run.arrays[f"{name} accuracy"].values.max() for run in runs for name in ("masked", "unmasked"))
        return by_run(runs, lambda run, name: _of_positions(run, name, top), MOST_RUNS, "y")
    title = say("answers need more width than each memory alone")
    return replace(by_run(runs, _of_memories, MOST_RUNS, "y"), title=title)


def _of_memories(run: Run, title: str) -> Panel:
    """The share that each memory of a circuit recalls, and that of right answers, by width."""
    accuracy, memories = run.arrays["accuracy"], run.arrays["probes"]
    widths = numbers(accuracy.labels[0])
    order = np.argsort(widths)
    names = [say("answers"), *(say("memory: {}", name) for name in memories.labels[0])]
    rows = zip(names, [accuracy.values, *memories.values], strict=True)
    curves = [Curve(widths[order], row[order], name, i, look="both") for i, (name, row) in enumerate(rows)]
    return Panel(curves, title, say("width of vectors"), say("share that is right"), y_range=(0, 1.02), logarithmic="x")


def _of_positions(run: Run, title: str, top: float) -> Panel:
    """The share of positions that a probe reads with a mask and without, by layer; chance with its standard errors."""
    names = "masked accuracy", "unmasked accuracy", "chance", "standard error"
    masked, unmasked, chance, error = (run.arrays[name].values for name in names)
    at = np.arange(len(masked))
    curves = [
        Curve(at, chance + 0 * at, say("chance"), "faint", ERRORS * error, "law"),
        Curve(at, masked, say("with the mask"), 0),
        Curve(at, unmasked, say("without a mask"), 1),
    ]
    ticks, share = {float(i): str(i) if i else say("words") for i in at}, say("positions read right (share)")
    return Panel(curves, title, say("layer"), share, y_range=(0, top), x_ticks=ticks)


@figure("where gradients vanish in deep stacks", "vanishing-gradients", research=True)
def gradients(result: Result) -> Sheet:
    """The gradients of the query and key matrices, by layer: a panel of stacks with residuals, and one without."""
    norms = runs_with(result, "it has no gradients of stacks", "scores_norm")[0].arrays["scores_norm"]
    need(norms.values.shape[1] > 1 and norms.values.max() > FLOOR, "it has no gradients that reach several layers")
    layers, values = np.arange(1, norms.values.shape[1] + 1), np.maximum(norms.values, FLOOR)
    axes = say("layer"), say("gradient of queries and keys")
    ticks = {float(layer): str(layer) for layer in layers[:: -(-len(layers) // 6)]}
    vanished = [Rule(y=FLOOR, key=say("vanished"))] if values.min() == FLOOR else []
    panels = []
    for title, rows in zip((say("with residuals"), say("without residuals")), np.split(values, 2), strict=True):
        curves = [Curve(layers, rows[i], say(name), i, look="both") for i, name in enumerate(NORMS)]
        panels.append(Panel([*vanished, *curves], title, *axes, x_ticks=ticks, logarithmic="y"))
    return Sheet(panels, notes=[left_out(1, len(result.runs), "runs", "run")], shared="y")


@figure("positions respond in grids, memories in single places", "grid-cells", research=True)
def maps(result: Result) -> Sheet:
    """The responses, by place, of one module of positions, and of several memories, each to its place."""
    run = runs_with(result, "it walks through no world", "grid")[0]
    grid, fields = run.arrays["grid"], run.arrays["fields"].values
    need(grid.values.shape[1], "its places have no positions")
    names = say("positions, {}", grid.labels[1][0]), say("memories of {} places", len(fields))
    values = grid.values[:, 0], fields.max(axis=0)
    panels = [_places(run, name, row, say("response"), "signed") for name, row in zip(names, values, strict=True)]
    notes = [left_out(1, len(grid.labels[1]), "modules"), left_out(1, len(result.runs), "runs", "run")]
    return Sheet(panels, notes=notes)


@figure("what a walk recalls at each place, also by edges never walked before", "torus-walk", research=True)
def walk(result: Result) -> Sheet:
    """The share of right predictions at each place that was seen before; in the title, of all, and by new edges."""
    return by_run(runs_with(result, "it walks through no world", "links"), _visits, MOST_RUNS)


def _visits(run: Run, name: str) -> Panel:
    """The share of right predictions of one walk."""
    sort, right, place = (run.arrays[one].values for one in ("sort", "right", "place"))
    again, n = sort != FIRST, len(run.arrays["world"].values)
    need(again.any(), "it never comes back to a place")
    count, hits = (np.bincount(place[again] - 1, weights, n) for weights in (None, right[again]))
    shares = np.divide(hits, count, out=np.full(n, np.nan), where=count > 0)
    percent, of_new = (round(100 * float(run.arrays[f"accuracy{on}"].values)) for on in ("", " on new edges"))
    new = say("new edges: {}\u00a0%", of_new) if run.arrays["new edges"].values else ""
    return _places(run, below(name, below(say("{} % right", percent), new)), shares, say("share right"), "weights")


def _places(run: Run, title: str, values: np.ndarray, scale: str, colours: str) -> Panel:
    """A number of each place as a colour: as a map of a world in rows and columns, else as a list with their names."""
    spots, places = run.arrays["world"].values[:, :2], run.arrays["world"].labels[0]
    if not np.array_equal(spots, spots.round()):
        return Panel([Cells(values[:, None], places, colours=colours, most=1)], title, layout="grid")
    columns, rows = spots[-1].astype(int) * (1, -1) + 1
    picture = values.reshape(rows, columns)
    key = say("never seen again") if np.isnan(values).any() else ""
    cells = Cells(picture, (), (), np.isnan(picture), colours, False, most=1, scale=scale, key=key)
    return Panel([cells], title, say("{} columns", columns), say("{} rows", rows), "grid")


@figure("how long the first word of a text is remembered, with attention and without it", "sally", research=True)
def forgetting(result: Result) -> Sheet:
    """The share of texts whose first word is named right, by the number of words after it, and the law."""
    runs = [run for run in result.runs if "accuracy-law" in run.arrays and run.arrays["accuracy"].values.shape[1] > 1]
    need(runs, "it has no curves of forgetting over at least two lengths")
    sheet = by_run(runs, _forgotten, 2, "y")
    bars = say("bars: 95 % interval (Wilson) of {} texts", int(runs[0].arrays["trials"].values))
    return replace(sheet, notes=[bars, *sheet.notes])


def _forgotten(run: Run, name: str) -> Panel:
    """The curves of one run; circles above squares show both."""
    means, low, high, law = (run.arrays[f"accuracy{end}"] for end in ("", "-low", "-high", "-law"))
    at = np.log2(numbers(means.labels[1]) + 1)  # equal room for equal ratios
    marks: list[Mark] = [Curve(at, row, colour="faint", look="law", key=say("theory")) for row in law.values]
    for i, reader in reversed([*enumerate(means.labels[0])]):
        ends = np.abs([low.values[i], high.values[i]] - means.values[i])
        marks.append(Curve(at, means.values[i], "", i, ends, "points", key=say(reader)))
    ticks = dict([*zip(at.tolist(), means.labels[1], strict=True)][:: -(-len(at) // 10)])
    axes = say("words after the first"), say("first word named right (share)")
    return Panel(marks, name, *axes, y_range=(0, 1.02), x_ticks=ticks)


@figure("how deep each minimum is, and how high the lowest pass to every other one", "three-updates", research=True)
def disconnectivity(result: Result) -> Sheet:
    """The minima at their energies, and between neighbours the lowest pass: of any two, the highest on the way."""
    runs = [run for run in result.runs if "barriers" in run.arrays and len(_deep(run)) > 1]
    need(runs, "it has no two minima with passes between them")
    title = say("each memory is a valley of the energy; a barrier divides it from the next")
    return replace(by_run(runs, _valleys, MOST_RUNS), title=title)


def _valleys(run: Run, title: str) -> Panel:
    """The valleys of one run in the order of their tree, which an arrow climbs from one pattern to its lowest pass."""
    from scipy.cluster.hierarchy import leaves_list, linkage

    deep = _deep(run)
    barriers, minima = run.arrays["barriers"].values[np.ix_(deep, deep)], run.arrays["energy"]
    passes = barriers[np.triu_indices(len(deep), 1)]
    order = leaves_list(linkage(passes - passes.min(), "single"))  # distances are not negative
    energy, names = minima.values[deep[order]], [minima.labels[0][leaf] for leaf in deep[order]]
    room = ROOM * np.ptp(barriers)
    walls = np.pad(barriers[order[:-1], order[1:]], 1, constant_values=passes.max() + room)
    x, low = np.linspace(0, 2, 81), energy[:, None]
    curves = low + (np.where(x < 1, walls[:-1, None], walls[1:, None]) - low) * (1 + np.cos(np.pi * x)) / 2
    marks: list[Mark] = [Curve(2 * i + x, curve, colour="ink") for i, curve in enumerate(curves)]
    patterns = run.arrays["basin"].labels[1]
    sorts = np.array([(name not in patterns) + (name.removesuffix(" reversed") not in patterns) for name in names])
    for i, key in enumerate((say("stored pattern"), say("its reverse"), say("another minimum"))):
        own = np.flatnonzero(sorts == i)
        points, texts = np.column_stack([2 * own + 1, energy[own]]), () if i else [names[k] for k in own]
        marks += [Points(points, texts, "faint" if i == 2 else "plus", i == 1, key=key)] if len(own) else []
    first = int(sorts.argmin())
    to = min(first, first + 1, key=lambda k: walls[k])
    climb = np.array([(2 * first + 1, energy[first]), (2 * first + 1, walls[to]), (2 * to, walls[to])])
    marks += [
        Arrows(climb[:2], climb[1::-1], "minus"),
        Arrows(climb[1:2], climb[2:], "minus", head=False, dashed=True),
        Points(climb[2:], [say("barrier {}", walls[to] - energy[first])], "minus", size=0.1),
    ]
    ends = energy.min() - room, walls[0]
    shown = left_out(len(deep), int(run.arrays["minima"].values), "minima")
    return Panel(marks, below(title, shown), "", say("energy"), y_range=ends, x_ticks={})


def _deep(run: Run) -> np.ndarray:
    """The numbers of the minima from which every way to another one rises, by a good part of the highest such rise."""
    barriers, energy = run.arrays["barriers"].values, run.arrays["energy"].values
    depth = np.sort(barriers, axis=1)[:, 1:].min(axis=1, initial=np.inf) - energy  # the least barrier is the own energy
    return np.flatnonzero(depth > SHALLOW * depth.max(initial=STILL))
