"""Scores and the weights that they become: by temperature, by offset, in two memories, and by each separation."""

from dataclasses import fields, replace
from typing import Any

import numpy as np

from hopattn.figures.choice import cues_of, mask_of, tables
from hopattn.figures.figure import below, figure, left_out, need
from hopattn.figures.gallery.heads import heads_of, notes_of, star
from hopattn.figures.policies import NOTHING, SEEN, STILL, named_at, some_runs
from hopattn.figures.sheet import Bars, Colour, Curve, Mark, Panel, Points, Rule, Sheet, say, texts
from hopattn.figures.text import indexed, label, unnumbered
from hopattn.retrieval.separation import separations as known_separations
from hopattn.retrieval.separation.base import Elementwise
from hopattn.scenario.result import Result

KEYS, APART, BARS = 6, 0.05, 6
"""The most scores with names, how far apart these are to have names, and the most patterns of a separation."""
LEAST, MOST, SPREAD = 0.1, 8.0, 1.5
"""The smallest and the largest β of curves: times the span of the scores, and times the lead of the largest one; and
the β at which separations differ, times the span.
"""
SHARES, PARTS = ("proportional", "softmax", "sparsemax", "argmax"), ("softmax", "rectified_power", "exponential")
"""What a memory is compared with, whose patterns compete for the weight; and one that weighs each by its own score."""


@figure("how the weights of one word change with the inverse temperature", "aaba")
def temperature(result: Result) -> Sheet:
    """The softmax of the scores of one query over β, with the β of the run where its weights are a softmax."""
    heads = heads_of(result, lambda weights: weights.dims == ("query", "key"))
    heads = [head for head in heads if f"{head.name.place} scores" in head.run.arrays]
    need(heads, "it has no scores of attention")
    run, place = heads[0].run, heads[0].name.place
    scores = run.arrays[f"{place} scores"]
    rows = [row[seen] for row, seen in zip(scores.values, mask_of(run, place, scores), strict=True)]
    spread = [np.ptp(row) if len(row) else 0.0 for row in rows]
    tokens = scores.labels[0]
    query = star(result, run, tokens)
    query = query if result.figure.query or spread[query] > STILL else int(np.argmax(spread))
    need(spread[query] > STILL, f"{NOTHING}the scores of '{tokens[query]}' are alike, and so are its weights")
    row, keys = rows[query], np.flatnonzero(mask_of(run, place, scores)[query])
    levels = np.unique(np.round(row, 9))[::-1]
    ends = LEAST / (levels[0] - levels[-1]), MOST / (levels[0] - levels[1])
    separation = run.heads()[place].retrieval.separation if place in run.heads() else None
    beta = float(separation.beta) if isinstance(separation, known_separations["softmax"]) else None
    if beta is not None:
        ends = min(ends[0], beta / 2), max(ends[1], 2 * beta)
    betas = np.geomspace(*ends, 121)
    courses = np.array([known_separations["softmax"](beta=beta).weights(row) for beta in betas])
    marks: list[Mark] = []
    for k, level in enumerate(levels):
        alike = np.flatnonzero(np.round(row, 9) == level)
        names = ", ".join(indexed(scores.labels[1][keys[j]]) for j in alike)
        name = say("each of {}", names) if 1 < len(alike) < 4 else names
        name = name if len(alike) < 4 else say("each of {} others", len(alike))
        curve = Curve(betas, courses[:, alike[0]], name, k)
        if len(levels) == 2:  # far apart at their ends
            marks.append(curve)
            continue
        others = np.delete(courses, alike, axis=1)
        apart = np.abs(others - curve.y[:, None]).min(axis=1)
        at = int(np.argmax(apart))
        alone = k < KEYS and apart[at] > APART
        marks += named_at(curve, at) if alone else [replace(curve, name="", colour="faint", key=say("others"))]
    if beta is not None:
        late = beta > np.sqrt(ends[0] * ends[1])
        text, side = say("β = {} (the run)", beta), "right" if late else "left"
        marks += [Rule(x=beta), texts(beta * (0.95 if late else 1.05), 0.98, [text], align=side)]
    name = say("what ‘{}’ attends to", indexed(tokens[query]))
    axes = say("inverse temperature β"), say("weight")
    ticks = {one: say("{}", one) for k in range(-6, 7) for one in (10.0**k, 3 * 10.0**k) if ends[0] <= one <= ends[1]}
    panel = Panel(marks, name, *axes, x_range=ends, y_range=(-0.05, 1.02), x_ticks=ticks, logarithmic="x")
    notes = [left_out(1, len(rows), "queries", "query")]
    title = say("a larger β gives more weight to the largest score, up to all")
    if np.sum(np.round(row, 9) == levels[0]) > 1:
        title = say("a larger β gives more weight to the largest scores, in equal shares")
    elif beta is not None:
        best = indexed(scores.labels[1][keys[np.argmax(row)]])
        now = float(known_separations["softmax"](beta=beta).weights(row).max())
        if now < 1 - SEEN:
            title = say("a larger β gives ‘{}’ more weight: {} at β = {}, all in the end", best, now, beta)
    return Sheet([panel], title, notes + notes_of(result, heads, 1))


@figure("scores of one word by the offset of its places, a curve for each query: one where it alone counts", "offsets")
def offsets(result: Result) -> Sheet:
    """The scores of two runs, or of two heads of one, over the offset: of a pair for which it alone counts or not."""
    heads = heads_of(
        result, lambda w: len({*w.labels}) == 1 < len(w.values) - 1 and len({*unnumbered(w.labels[0])}) == 1
    )
    heads = [head for head in heads if f"{head.name.place} scores" in head.run.arrays]
    need(heads, "it has no scores of one word that stands at three places or more")
    tables: dict[str, np.ndarray] = {}
    for head in heads:
        place, arrays = head.name.place, head.run.arrays
        bias = arrays[f"{place} bias"].values if f"{place} bias" in arrays else 0
        shown = mask_of(head.run, place, head.weights)
        scores = np.where(shown, arrays[f"{place} scores"].values + bias, np.nan)
        tables |= {head.title: scores} if np.ptp(scores[shown]) > STILL else {}
    need(tables, f"{NOTHING}all scores are alike: no place counts")
    changes = {name: np.nanmax(np.abs(scores[1:, 1:] - scores[:-1, :-1])) for name, scores in tables.items()}
    alone = [name for name, change in changes.items() if change <= STILL]
    others = [name for name in tables if name not in alone]
    groups = [alone, others] if alone and others else [[*tables][:1], [*tables][1:][-1:]]
    pair = [group[len(group) // 2] for group in groups if group]
    panels = []
    for name in pair:
        places, table = np.arange(len(tables[name])), tables[name]
        offset, seen = np.subtract.outer(places, places), np.isfinite(table)
        curves = list[Mark]()
        for i in range(len(places)):
            curve = Curve(
                offset[i, seen[i]], table[i, seen[i]], say("query {}" if i == 0 else "{}", i + 1), i, look="both"
            )
            curves += named_at(curve, int(np.argmax(curve.x) if i else np.argmin(curve.x)))
        if name in alone:  # they cover each other
            curves = [replace(curve, name="", colour=0) for curve in curves if isinstance(curve, Curve)]
            curves += [Points(np.array([[0, table[-1, -1]]]), [say("{} curves in one", len(places))], 0, size=0.1)]
        spread = max(float(np.ptp(table[seen & (offset == k)])) for k in np.unique(offset[seen]))
        told = say("equal at one offset")
        title = below(name, told if name in alone else say("up to {} apart at one offset", spread))
        ticks = {float(k): say("{}", float(k)) for k in np.unique(offset[seen]) if k % 2 == 0}
        panels.append(Panel(curves, title, say("offset: query − key"), say("score"), x_ticks=ticks))
    return Sheet(panels, notes=notes_of(result, heads, len(pair)), shared="xy")


@figure("what each separation makes of the same scores", "sparse")
def separations(result: Result) -> Sheet:
    """The scores of one cue, and the weights that the memory and other separations make of them.

    β is that of the memory where its weights are shares. Other weights are parts of the largest one. Separations that
    make the same weights are one panel, and those that make the scores themselves, or nothing of them, are left out.
    """
    runs = [run for run in result.runs if any(tables(run, "separation")) and "step 1 scores" in run.arrays]
    (run,), _, note = some_runs(runs, 1, "it has no memory that weighs its patterns")
    (own, parameters), scores = tables(run, "separation")[0], run.arrays["step 1 scores"]
    row = np.asarray(scores.values[cues_of(result, scores.labels[0])[0]], float)
    need(np.ptp(row) > 0, NOTHING + "all patterns have one score")
    whole = {one.name for one in fields(known_separations[own]) if isinstance(one.default, int)}
    values_of = dict(zip(parameters.labels[0], parameters.values.tolist(), strict=True))
    memory = known_separations[own](**{key: int(value) if key in whole else value for key, value in values_of.items()})
    shares = not isinstance(memory, Elementwise)
    beta = values_of["beta"] if shares and memory.tempered else SPREAD / np.ptp(row)
    best = np.sort(np.argsort(-row, kind="stable")[:BARS])
    groups: list[tuple[np.ndarray, list[str]]] = []
    for kind in dict.fromkeys([own, *(SHARES if shares else PARTS)]):
        separation = memory if kind == own else known_separations[kind](beta=beta)
        weights = separation.answer(row[None], None, False).array[0]
        weights = weights / (np.abs(weights).max() or 1.0) if not shares else weights
        if alike := [kinds for known, kinds in groups if np.allclose(known, weights, atol=SEEN)]:
            alike[0].append(kind)
        elif kind == own or not (np.ptp(weights[best]) <= STILL or np.allclose(weights, row / np.abs(row).max())):
            groups.append((weights, [kind]))
    need(len(groups) > 1, NOTHING + "all separations make the same weights of its scores")
    groups.sort(key=lambda group: np.sum(group[0] ** 2) / np.sum(np.abs(group[0])) ** 2)  # from soft to sparse
    names, rest = [label(scores.labels[1][k]) for k in best], len(row) - len(best)

    def panel(values: np.ndarray, title: str, colour: Colour, others: float | None = None, **look: Any) -> Panel:
        """Bars with their names on the line of 0, and one for all patterns that have none."""
        marks: list[Mark] = [Bars(values, colour=colour, key=say("what this memory uses") if colour == "plus" else "")]
        words = names
        if others is not None:
            words = [*names, say("{} others", rest)]
            marks.append(Bars(np.array([others]), at=np.array([len(names) + 0.3]), colour="dim"))
        at = [*range(len(names)), len(names) + 0.3][: len(words)]
        if values.min() >= 0:
            return Panel(marks, title, x_ticks=dict(zip(map(float, at), words, strict=True)), y_ticks={}, **look)
        low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
        away = 0.06 * (high - low) * np.where(values < 0, 1, -1)
        marks += [Rule(y=0.0, dashed=False), texts(at, away, words)]
        ends = low - 0.15 * (high - low), high + 0.15 * (high - low)
        return Panel(marks, title, x_ticks={}, y_ticks={}, **look | {"y_range": ends})

    panels = [panel(row[best], say("the scores"), "ink")]
    for weights, kinds in groups:
        titles = [kind.replace("_", " ") for kind in kinds]
        for kind, sign, value in ((own, "α", values_of.get("alpha")), ("softmax", "β", beta)):
            if kind in kinds and value is not None:
                titles[kinds.index(kind)] = say("{} ({}\u00a0=\u00a0{})", kind.replace("_", " "), sign, value)
        others = float(weights.sum() - weights[best].sum()) if shares and rest else None
        values, colour = weights[best], "plus" if own in kinds else "faint"
        panels.append(panel(values, ",\n".join(titles), colour, others, y_range=(min(0, *values), 1.2)))
    top = int(np.argmax(row))
    name, parts = label(scores.labels[1][top]), [float(weights[top]) for weights, _ in groups]
    title = say("how scores become weights: each separation, as parts of its largest weight")
    if shares and parts == sorted(parts) and parts[-1] - parts[0] > SEEN:
        title = say("from soft to sparse: ‘{}’ gets {} to {} of the weight", name, parts[0], parts[-1])
    equal = say("separations named together are equal here") if any(len(kinds) > 1 for _, kinds in groups) else ""
    notes = [equal, "" if shares else left_out(len(best), len(row), "patterns"), note]
    return Sheet(panels, title, notes, arrows=[(0, 1, "")])
