"""Scores and the weights that they become: by temperature, by offset, in two memories, and by each separation."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from hopattn.figures.choice import cues_of, tables
from hopattn.figures.figure import below, figure, left_out, need
from hopattn.figures.gallery.heads import heads_of, notes_of, star
from hopattn.figures.policies import NOTHING, SEEN, STILL, named_at, some_runs
from hopattn.figures.recalls import FRAMES
from hopattn.figures.sheet import Bars, Colour, Curve, Mark, Panel, Points, Rule, Sheet, say, texts
from hopattn.figures.text import indexed, label, unnumbered
from hopattn.retrieval.separation import separations as known_separations
from hopattn.retrieval.separation.base import Elementwise
from hopattn.scenario.result import Result, Run

KEYS, MOMENTS, BARS, BRIEF = 6, 4, 6, 4
"""The most keys with bars of their own, the β of a film strip, the most patterns of a separation, and the letters of
their names on a line of 0 between bars.
"""
LEAST, MOST, SPREAD = 0.1, 8.0, 1.5
"""The smallest and the largest β of curves: times the span of the scores, and times the lead of the largest one; and
the β at which separations differ, times the span.
"""
SOFTMAX = known_separations["softmax"]
SHARES, PARTS = ("proportional", "softmax", "sparsemax", "argmax"), ("softmax", "rectified_power", "exponential")
"""What a memory is compared with, whose patterns compete for the weight; and one that weighs each by its own score."""


class Heat(NamedTuple):
    """A query whose weights change with β. row: its scores `(n_keys,)`. beta: that of the run, None if it has none."""

    query: str
    keys: list[str]
    row: np.ndarray
    beta: float | None
    notes: list[str]

    def betas(self, count: int) -> list[float]:
        """So many β, from even weights to all for the largest score; one of those between is that of the run."""
        levels = np.unique(np.round(self.row, 9))[::-1]
        low, high = LEAST / (levels[0] - levels[-1]), MOST / (levels[0] - levels[1])
        beta = self.beta or np.sqrt(low * high)
        betas = np.geomspace(min(low, beta / 2), max(high, 2 * beta), count)
        betas[1 + np.argmin(np.abs(np.log(betas[1:-1] / beta)))] = beta
        return [float(one) for one in betas]

    def sheet(self, betas: Sequence[float]) -> Sheet:
        """The weights at each β; those of keys beyond the first `KEYS` by score are one sum."""
        best = np.sort(np.argsort(-self.row, kind="stable")[:KEYS])
        rest, shared = len(self.row) - len(best), np.isclose(self.row, self.row.max(), rtol=0, atol=1e-9)
        names = [self.keys[k] for k in best] + [say("{} others", rest)] * (rest > 0)
        colours: list[Colour] = ["plus" if one else "dim" for one in [*shared[best], *[False] * (rest > 0)]]
        panels = []
        for beta in betas:
            weights = SOFTMAX(beta=beta).weights(self.row)
            values = np.append(weights[best], [1 - weights[best].sum()] * (rest > 0))
            when: str = say("β = {}", float(f"{beta:.2g}"))
            if beta == self.beta:
                when = say("{} (the run)", when) if len(betas) == 1 else below(say("the run"), when)
            bars, what = Bars(values, names, colour=colours, lying=True), say("what ‘{}’ attends to", self.query)
            panels.append(Panel([bars], when, "", what, x_range=(0, 1.25), x_ticks={}))
        title = say("a larger β gives ‘{}’ more weight, up to all", self.keys[int(np.argmax(self.row))])
        if shared.sum() > 1:
            title = say("a larger β gives more weight to the largest scores, in equal shares")
        return Sheet(panels, title, self.notes, shared="y")


def heat_of(result: Result) -> Heat:
    """The scores of the word that stands out, or of the one whose scores differ most, in the first head."""
    heads = heads_of(result, "it has no scores of attention", lambda w: w.dims == ("query", "key"), "scores")
    head, scores, models = heads[0], heads[0].arrays["scores"], heads[0].run.heads()
    rows = [row[seen] for row, seen in zip(scores.values, head.mask, strict=True)]
    spread, tokens = [np.ptp(row) if len(row) else 0.0 for row in rows], scores.labels[0]
    query = star(result, head.run, tokens)
    query = query if result.figure.query or spread[query] > STILL else int(np.argmax(spread))
    need(spread[query] > STILL, f"{NOTHING}the scores of '{tokens[query]}' are alike, and so are its weights")
    keys = [indexed(scores.labels[1][k]) for k in np.flatnonzero(head.mask[query])]
    separation = models[head.name.place].retrieval.separation if head.name.place in models else None
    beta = float(separation.beta) if isinstance(separation, SOFTMAX) else None
    notes: list[str] = [left_out(1, len(rows), "queries", "query"), *notes_of(result, heads, 1)]
    return Heat(indexed(tokens[query]), keys, rows[query], beta, notes)


def cooling(result: Result) -> list[Sheet]:
    """The weights at one β after the other."""
    heat = heat_of(result)
    return [heat.sheet([beta]) for beta in heat.betas(FRAMES)]


@figure("how the weights of one word change as the temperature 1/β falls: from even to one", "aaba", cooling)
def temperature(result: Result) -> Sheet:
    """The softmax of the scores of one query at a few β, one of them that of a run whose weights are a softmax."""
    heat = heat_of(result)
    return heat.sheet(heat.betas(MOMENTS))


@figure("scores of one word by the offset of its places, a curve for each query: one where it alone counts", "offsets")
def offsets(result: Result) -> Sheet:
    """The scores of two runs, or of two heads of one, over the offset: of a pair for which it alone counts or not."""
    lacks = "it has no scores of one word that stands at three places or more"
    heads = heads_of(
        result, lacks, lambda w: len({*w.labels}) == 1 == len({*unnumbered(w.labels[0])}) < len(w.values) - 1, "scores"
    )
    tables: dict[str, np.ndarray] = {}
    for head in heads:
        bias = head.arrays["bias"].values if "bias" in head.arrays else 0
        scores = np.where(head.mask, head.arrays["scores"].values + bias, np.nan)
        tables |= {head.title: scores} if np.ptp(scores[head.mask]) > STILL else {}
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
        rows = [
            (offset[i, row], table[i, row], say("query {}" if i == 0 else "{}", i + 1)) for i, row in enumerate(seen)
        ]
        if name in alone:  # they cover each other
            curves: list[Mark] = [Curve(x, y, "", 0, look="both") for x, y, _ in rows]
            curves += [Points(np.array([[0, table[-1, -1]]]), [say("{} curves in one", len(places))], 0, size=0.1)]
            title = below(name, say("equal at one offset"))
        else:
            lines = [Curve(*row, i, look="both") for i, row in enumerate(rows)]
            ends = [int(np.argmax(curve.x) if i else np.argmin(curve.x)) for i, curve in enumerate(lines)]
            curves = [mark for curve, end in zip(lines, ends, strict=True) for mark in named_at(curve, end)]
            spread = max(float(np.ptp(table[seen & (offset == k)])) for k in np.unique(offset[seen]))
            title = below(name, say("up to {} apart at one offset", spread))
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
    (own, memory), scores = _separation(run), run.arrays["step 1 scores"]
    row = np.asarray(scores.values[cues_of(result, scores.labels[0])[0]], float)
    need(np.ptp(row) > 0, NOTHING + "all patterns have one score")
    shares = not isinstance(memory, Elementwise)
    beta = float(memory.beta) if shares and memory.tempered else SPREAD / np.ptp(row)
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
    panels = [_bars(row[best], names, say("the scores"), "ink")]
    signs = {own: ("α", memory.alpha)} if hasattr(memory, "alpha") else {}
    signs |= {"softmax": ("β", beta)}
    for weights, kinds in groups:
        told = [(kind.replace("_", " "), *signs.get(kind, ())) for kind in kinds]
        titles = [say("{} ({}\u00a0=\u00a0{})", *one) if one[1:] else one[0] for one in told]
        values, words, ends = weights[best], names, (min(0, *weights[best]), 1.2)
        if shares and rest:
            values, words = np.append(values, weights.sum() - values.sum()), [*names, say("{} others", rest)]
        panels.append(_bars(values, words, ",\n".join(titles), "plus" if own in kinds else "faint", y_range=ends))
    top = int(np.argmax(row))
    name, parts = label(scores.labels[1][top]), [float(weights[top]) for weights, _ in groups]
    title = say("how scores become weights: each separation, as parts of its largest weight")
    if shares and parts == sorted(parts) and parts[-1] - parts[0] > SEEN:
        title = say("from soft to sparse: ‘{}’ gets {} to {} of the weight", name, parts[0], parts[-1])
    equal = say("separations named together are equal here") if any(len(kinds) > 1 for _, kinds in groups) else ""
    notes = [equal, "" if shares else left_out(len(best), len(row), "patterns"), note]
    return Sheet(panels, title, notes)


def _separation(run: Run) -> tuple[str, Any]:
    """The separation of a memory, with its name."""
    name, parameters = tables(run, "separation")[0]
    kinds = {one.name: int for one in fields(known_separations[name]) if isinstance(one.default, int)}
    values = zip(parameters.labels[0], parameters.values.tolist(), strict=True)
    return name, known_separations[name](**{key: kinds.get(key, float)(value) for key, value in values})


def _bars(values: np.ndarray, names: Sequence[str], title: str, colour: Colour, **look: Any) -> Panel:
    """Bars with their names on the line of 0; one behind the `BARS` first is for all other patterns."""
    at = np.r_[:BARS, BARS + 0.3][: len(values)]
    marks: list[Mark] = [
        Bars(values[:BARS], colour=colour, key=say("what this memory uses") if colour == "plus" else "")
    ]
    marks += [Bars(values[BARS:], at=at[BARS:], colour="dim")] if len(values) > BARS else []
    if values.min() >= 0:
        return Panel(marks, title, x_ticks=dict(zip(at.tolist(), names, strict=True)), y_ticks={}, **look)
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    away = 0.06 * (high - low) * np.where(values < 0, 1, -1)
    marks += [Rule(y=0.0, dashed=False), texts(at, away, [label(name, BRIEF) for name in names])]
    ends = low - 0.15 * (high - low), high + 0.15 * (high - low)
    return Panel(marks, title, x_ticks={}, y_ticks={}, **look | {"y_range": ends})
