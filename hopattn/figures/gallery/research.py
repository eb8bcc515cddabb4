"""For specialists: classes of heads, probes, gradients, walks, forgetting, and trees of minima."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from hopattn.circuits.maps.walk import FIRST, NEW
from hopattn.figures.choice import mask_of, tables
from hopattn.figures.figure import below, figure, left_out, need
from hopattn.figures.policies import by_run, run_names, runs_with
from hopattn.figures.sheet import Arrows, Bars, Cells, Curve, Mark, Panel, Points, Sheet, say
from hopattn.figures.text import power_of_ten
from hopattn.retrieval.weight_spread import FEWEST_KEYS, OperatingClass, class_of, least_number
from hopattn.scenario.arrays import Name
from hopattn.scenario.result import Result, Run

PANELS = 4
"""The most panels of a sheet."""
EVERY = 5
"""Each row and column of this multiple has its number on a map."""
KEPT = " keys for 90 %"
"""The end of the names of arrays that hold the numbers of keys themselves, `(head, word)`, under a causal mask."""
KEYS = {"I": "most keys", "II": "many keys", "III": "some keys", "IV": "few keys, or one"}
"""The keys that hold the weight, by operating class."""
ERRORS = 2
"""The standard errors on each side of a number."""
NORMS = {
    "norm first": say("layer norm before"),
    "no norm": say("no layer norm"),
    "norm last": say("layer norm after"),
}
"""The name of each normalisation of stacks, in the order of their colours."""
FLOOR = 1e-12
"""A gradient up to this one has vanished, and is drawn there."""
RIGHT = 0.995
"""The share from which on a memory is right."""


@figure(
    "what share of the keys holds nine tenths of the weight, and so the class of a head", "emergence", research=True
)
def classes(result: Result) -> Sheet:
    """A bar for each head, up to the median of its queries, with the quartiles; the median decides the class."""
    groups: dict[tuple[str, str], dict[str, tuple[np.ndarray, OperatingClass]]] = {}
    for title, place, least, visible in _least_keys(result):
        rows, name = (least > 0) & (visible >= FEWEST_KEYS), Name.parse(f"{place} weights")
        if rows.any():
            own = groups.setdefault((title, say("layer {}", name.layer) if name.layer else ""), {})
            own[str(name.head or place)] = least[rows] / visible[rows], class_of(least[rows], visible[rows])
    need(groups, f"it has no heads that share their weight among {FEWEST_KEYS} keys or more")
    panels = []
    for (title, layer), heads in [*groups.items()][:PANELS]:
        low, middle, high = np.array([np.quantile(shares, (0.25, 0.5, 0.75)) for shares, _ in heads.values()]).T
        marks = []
        for i, sort in enumerate(OperatingClass):
            at = np.array([x for x, (_, own_sort) in enumerate(heads.values()) if own_sort == sort], int)
            error = np.array([middle - low, high - middle])[:, at]
            key = say("{} (class {})", say(KEYS[sort]), str(sort))
            marks += [Bars(middle[at], at=at, colour=i, error=error, key=key)] if len(at) else []
        several = sum(other == title for other, _ in groups) > 1
        text = below(title, layer) if several else title or layer
        names = {float(x): name for x, name in enumerate(heads)}
        heights = {0.0: say("none"), 0.5: say("half"), 1.0: say("all")}
        look: Any = {"x_range": (-0.6, len(heads) - 0.4), "y_range": (0, 1.05), "x_ticks": names, "y_ticks": heights}
        axes = say("head"), say("share of keys that hold\n90 % of the weight")
        panels.append(Panel(marks, text, *axes, width=len(heads) + 1, **look))
    queries = say("bars: the median of the queries; lines: their middle half")
    title, (first, *_) = say("which heads average over many keys, and which pick few"), groups
    layers = [{str(sort) for _, sort in heads.values()} for (run, _), heads in groups.items() if run == first[0]]
    if layers == [{"I"}, {"IV"}]:
        title = say("layer {} averages over most keys, layer {} picks few", 1, 2)
    return Sheet(panels, title, [queries, left_out(len(panels), len(groups), "layers", "layer")], shared="y")


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


@figure(
    "when each part becomes right, and when the whole: memories of a circuit, and positions by layer",
    "birth-of-a-transformer",
    research=True,
)
def probes(result: Result) -> Sheet:
    """What probes read: from the memories of a circuit by width, or positions by layer, beside chance."""
    runs = [run for run in result.runs if {"probes", "masked accuracy"} & {*run.arrays}]
    need(runs, "it has no probes: neither of the memories of a circuit, nor of positions")
    if "probes" not in runs[0].arrays:
        sheet = by_run(runs, _of_positions, PANELS, "y")
        top = max(panel.y_range[1] or 0 for panel in sheet.panels)
        return replace(sheet, panels=[replace(panel, y_range=(0, top)) for panel in sheet.panels])
    answers, memories = (runs[0].arrays[name] for name in ("accuracy", "probes"))
    right = np.flatnonzero(memories.values.min(axis=0) >= RIGHT)
    first = min(right, key=lambda k: float(answers.labels[0][k]), default=0)
    width, share, title = answers.labels[0][first], round(100 * float(answers.values[first])), ""
    if len(runs) == 1 and len(right) and share < 90:
        title = say("at width {} each memory is right, and only {} % of the answers", width, share)
    return replace(by_run(runs, _of_memories, PANELS, "y"), title=title)


def _of_memories(run: Run, title: str) -> Panel:
    """The share that each memory of a circuit recalls, and that of right answers, by width."""
    accuracy, memories = run.arrays["accuracy"], run.arrays["probes"]
    widths = np.array([float(width) for width in accuracy.labels[0]])
    order = np.argsort(widths)
    names = [say("answers"), *(say("memory: {}", name) for name in memories.labels[0])]
    rows = np.array([accuracy.values, *memories.values])[:, order]
    curves = [
        Curve(widths[order], row, name, i, look="both") for i, (row, name) in enumerate(zip(rows, names, strict=True))
    ]
    ends, x, y = (widths.min(), widths.max()), say("width of vectors"), say("share that is right")
    return Panel(curves, title, x, y, "chart", ends, (0, 1.02), logarithmic="x")


def _of_positions(run: Run, title: str) -> Panel:
    """The share of positions that a probe reads with a mask and without, by layer; chance with its standard errors."""
    names = "masked accuracy", "unmasked accuracy", "chance", "standard error"
    masked, unmasked, chance, error = (run.arrays[name].values for name in names)
    at, flat = np.arange(len(masked)), np.ones(len(masked))
    curves = [
        Curve(at, chance * flat, say("chance"), "faint", ERRORS * error * flat, "law"),
        Curve(at, masked, say("with the mask"), 0),
        Curve(at, unmasked, say("without a mask"), 1),
    ]
    most = 1.1 * max(float(one.max()) for one in (masked, unmasked, chance + ERRORS * error))
    return Panel(
        curves, title, say("layer"), say("positions read right (share)"), y_range=(0, most), x_ticks=_some(at, 8)
    )


def _some(numbers: np.ndarray, most: int) -> dict[float, str]:
    """Ticks at some of the numbers of an axis."""
    return {float(one): str(one) for one in numbers[:: -(-len(numbers) // most)]}


@figure("where gradients vanish in deep stacks", "vanishing-gradients", research=True)
def gradients(result: Result) -> Sheet:
    """The gradients of the query and key matrices, by layer: a panel of stacks with residuals, and one without."""
    run = runs_with(result, "it has no gradients of stacks", "scores_norm")[0]
    norms = run.arrays["scores_norm"]
    need(norms.values.shape[1] > 1 and norms.values.max() > FLOOR, "it has no gradients that reach several layers")
    layers, values = np.arange(1, norms.values.shape[1] + 1), np.maximum(norms.values, FLOOR)
    low, high = int(np.floor(np.log10(values.min()))), int(np.ceil(np.log10(values.max())))
    powers = {10.0**e: power_of_ten(e) for e in range(low, high + 1, max(1, -(-(high - low) // 6)))}
    if values.min() == FLOOR:
        powers[FLOOR] = say("≤ {}", power_of_ten(low))
    ends = 10.0 ** (low - 0.3), 10.0 ** (high + 0.3)
    look: Any = {"logarithmic": "y", "x_ticks": _some(layers, 6), "y_range": ends, "y_ticks": powers}
    axes = say("layer"), say("gradient of queries and keys")
    panels: list[Panel] = []
    for end, title in {"residuals": say("with residuals"), "no residuals": say("without residuals")}.items():
        own = [i for i, name in enumerate(norms.labels[0]) if name.partition(", ")[2] == end]
        marks: list[Mark] = []
        for i in own:
            norm = norms.labels[0][i].partition(", ")[0]
            marks.append(Curve(layers, values[i], NORMS[norm], [*NORMS].index(norm), look="both"))
        panels.append(Panel(marks, title, *axes, **look))
    return Sheet(panels, notes=[left_out(1, len(result.runs), "runs", "run")], shared="y")


@figure("positions respond in grids, memories in single places", "grid-cells", research=True)
def maps(result: Result) -> Sheet:
    """The responses, by place, of one module of positions and of one memory."""
    run = runs_with(result, "it walks through no world", "grid")[0]
    grid, fields = run.arrays["grid"], run.arrays["fields"]
    need(grid.values.shape[1], "its places have no positions")
    start, end = (grid.values[places] for places in run.arrays["links"].values.T - 1)
    alike = np.mean(start * end, axis=0) / np.mean(grid.values**2, axis=0)  # at places that are joined
    module = int(np.argmin(np.where(alike > 0.5, alike, 2 - alike)))  # the finest map without jumps
    memory = len(fields.values) // 2
    names = say("positions, {}", grid.labels[1][module]), say("memory of {}", fields.labels[0][memory])
    values = grid.values[:, module], fields.values[memory]
    panels = [_places(run, name, row, say("response"), "signed") for name, row in zip(names, values, strict=True)]
    notes = [
        left_out(1, grid.values.shape[1], "modules"),
        left_out(1, len(fields.values), "memories"),
        left_out(1, len(result.runs), "runs", "run"),
    ]
    return Sheet(panels, notes=notes)


@figure("what a walk recalls at each place, also by edges never walked before", "torus-walk", research=True)
def walk(result: Result) -> Sheet:
    """The share of right predictions at each place that was seen before; in the title, of all, and by new edges."""
    return by_run(runs_with(result, "it walks through no world", "links"), _visits, PANELS)


def _visits(run: Run, name: str) -> Panel:
    """The share of right predictions of one walk."""
    sort, right, place = (run.arrays[one].values for one in ("sort", "right", "place"))
    again = sort != FIRST
    need(again.any(), "it never comes back to a place")
    visits = again & (place == np.arange(1, len(run.arrays["world"].values) + 1)[:, None])
    count = visits.sum(axis=1)
    shares = np.where(count > 0, (visits @ right.astype(float)) / np.maximum(count, 1), np.nan)
    percent = [round(100 * float(right[one].mean())) if one.any() else 0 for one in (again, sort == NEW)]
    new = say("new edges: {} %", percent[1]) if (sort == NEW).any() else ""
    title = below(name, below(say("{} % right", percent[0]), new))
    return _places(run, title, shares, say("share right (white: never)"), "weights")


def _places(run: Run, title: str, values: np.ndarray, scale: str, colours: str) -> Panel:
    """A number of each place as a colour: as a map of a world in rows and columns, else as a list with their names."""
    spots, places = run.arrays["world"].values[:, :2], run.arrays["world"].labels[0]
    if not np.array_equal(spots, spots.round()):
        return Panel([Cells(values[:, None], places, colours=colours, most=1)], title, layout="grid")
    columns, rows = spots.astype(int).T * [[1], [-1]]
    picture = np.full((rows.max() + 1, columns.max() + 1), np.nan)
    picture[rows, columns] = values
    best, unseen = int(np.nanargmax(values)), np.isnan(picture)
    alone = values[best] > np.nansum(np.abs(values)) / 2
    framed = [(int(rows[best]), int(columns[best]))] if alone else []
    key = say("never seen again") if unseen.any() else ""
    down, across = ([str(i) if i % EVERY == 0 or i == 1 else "" for i in range(1, n + 1)] for n in picture.shape)
    cells = Cells(picture, down, across, unseen, colours, False, framed, 1, scale=scale, key=key)
    return Panel([cells], title, say("column"), say("row"), "grid")


@figure("how long the first word of a text is remembered, with attention and without it", "sally", research=True)
def forgetting(result: Result) -> Sheet:
    """The share of texts whose first word is named right, by the number of words after it, and the law."""
    runs = [run for run in result.runs if "accuracy-law" in run.arrays and run.arrays["accuracy"].values.shape[1] > 1]
    need(runs, "it has no curves of forgetting over at least two lengths")
    return by_run(runs, _forgotten, 2, "y")


def _forgotten(run: Run, name: str) -> Panel:
    """The curves of one run."""
    means, errors, law = (run.arrays[f"accuracy{end}"] for end in ("", "-error", "-law"))
    lengths = np.array([float(n) for n in means.labels[1]])
    at = np.log2(lengths + 1)  # equal room for equal ratios
    marks: list[Mark] = [Curve(at, row, colour="faint", look="law", key=say("theory")) for row in law.values]
    for i, reader in enumerate(means.labels[0]):  # a ring around a square shows both
        row = means.values[i]
        marks.append(Curve(at, row, colour=i, error=ERRORS * errors.values[i], look="points"))
        look: Any = {"marker": "s", "size": 0.6} if i else {"hollow": True, "size": 1.4}
        marks.append(Points(np.column_stack([at, row]), colour=i, key=say(reader), **look))
    ticks = {float(np.log2(float(n) + 1)): n for n in _some(np.array(means.labels[1]), 10).values()}
    x, y = say("words after the first"), say("first word named right (share)")
    return Panel(marks, name, x, y, y_range=(0, 1.02), x_ticks=ticks)


@figure("how deep each minimum is, and how high the lowest pass to every other one", "three-updates", research=True)
def disconnectivity(result: Result) -> Sheet:
    """A tree: a leaf for each minimum, at its energy; two branches join at the lowest pass between their minima."""
    runs = [run for run in result.runs if "barriers" in run.arrays and len(_deep(run)) > 1]
    need(runs, "it has no two minima with passes between them")
    sheet, shown = by_run(runs, _tree, PANELS), runs[:PANELS]
    minima = sum(int(run.arrays["minima"].values) for run in shown)
    others = left_out(sum(len(_deep(run)) for run in shown), minima, "minima; the others are flat or high")
    title = say("how deep each minimum lies; branches join at the lowest pass")
    if all(_patterns_are_deepest(run) for run in shown):
        title = say("the patterns and their reverses are the deepest minima")
    return replace(sheet, title=title, notes=[others, *sheet.notes])


def _patterns_are_deepest(run: Run) -> bool:
    """Whether no other minimum is as deep as a pattern or its reverse."""
    patterns, energy = run.arrays["basin"].labels[1], run.arrays["energy"]
    wanted = {name + end for name in patterns for end in ("", " reversed")}
    known = np.isin(energy.labels[0], [*wanted])
    deepest = energy.values[known].max(initial=-np.inf) < energy.values[~known].min(initial=np.inf)
    return bool(known.sum() == len(wanted) and deepest)


def _tree(run: Run, title: str) -> Panel:
    """The tree of one run. Patterns have their names; their reverses and other minima have a sign."""
    deep = _deep(run)
    order, branches = tree_of(run.arrays["barriers"].values[np.ix_(deep, deep)])
    energy, names = run.arrays["energy"].values[deep], [run.arrays["energy"].labels[0][leaf] for leaf in deep]
    at = {leaf: (float(x), float(energy[leaf])) for x, leaf in enumerate(order)}
    ends = []
    for node, (one, other, top) in enumerate(branches, start=len(order)):
        (left, low), (right, lower) = at[one], at[other]
        ends += [(left, low, left, top), (left, top, right, top), (right, top, right, lower)]
        at[node] = (left + right) / 2, top
    start, end = np.hsplit(np.array(ends), 2)
    marks: list[Mark] = [Arrows(start, end, "ink", head=False, key=say("branches join at the lowest pass"))]
    patterns = {*run.arrays["basin"].labels[1]}
    reverses = {f"{pattern} reversed" for pattern in patterns}
    others = {*names} - patterns - reverses
    sorts = {say("stored pattern"): patterns, say("its reverse"): reverses, say("another minimum"): others}
    for key, sort in sorts.items():
        if own := [leaf for leaf in order if names[leaf] in sort]:
            colour = "plus" if sort <= patterns | reverses else "faint"
            texts = [names[leaf] for leaf in own] if sort is patterns else ()
            marks.append(Points(np.array([at[leaf] for leaf in own]), texts, colour, sort is reverses, key=key))
    low, high = float(energy.min()), max(top for _, _, top in branches)
    room = 0.15 * (high - low)
    box: Any = {"x_range": (-0.8, len(order) - 0.2), "y_range": (low - room, high + room), "x_ticks": {}}
    return Panel(marks, title, "", say("energy"), **box)


def _deep(run: Run) -> np.ndarray:
    """The numbers of the minima from which every way to another one rises."""
    barriers, energy = run.arrays["barriers"].values, run.arrays["energy"].values
    least = np.where(np.eye(len(energy), dtype=bool), np.inf, barriers).min(axis=1)
    return np.flatnonzero(least > energy + 1e-9)


def tree_of(barriers: np.ndarray) -> tuple[list[int], list[tuple[int, int, float]]]:
    """The order of the leaves, and the branches that join, from the lowest pass up; a joint has the next free number.

    barriers: `(K, K)`, the height of the lowest pass between each two minima.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    least = barriers.min()  # distances are not negative
    joined = linkage(squareform(barriers - least, checks=False), "single")
    return leaves_list(joined).tolist(), [(int(one), int(other), top + least) for one, other, top, _ in joined]
