"""Scores and the weights that they become: by temperature, by offset, in two memories, and by each separation."""

from dataclasses import fields, replace
from typing import Any

import numpy as np

from hopattn.figures.choice import cues_of, highlighted_words, mask_of, query_of, tables
from hopattn.figures.figure import below, figure, left_out, need
from hopattn.figures.policies import NOTHING, STILL, hero, named_at, run_names, some_runs, words_of
from hopattn.figures.recalls import picture, recalls, verdict
from hopattn.figures.sheet import Arrows, Bars, Cells, Curve, Mark, Panel, Picture, Rule, Sheet, say
from hopattn.figures.text import indexed, label
from hopattn.retrieval.separation import separations as known_separations
from hopattn.retrieval.separation.base import Elementwise
from hopattn.scenario.arrays import Occurrence
from hopattn.scenario.result import Result, Run

KEYS, CURVES, PATTERNS = 6, 8, 10
"""The most scores with curves, curves by offset, and patterns with bars."""
LEAST, MOST = 0.1, 8.0
"""The smallest and the largest β: times the span of the scores, and times the lead of the largest one."""
WHOLE = 30
"""The letters of a word in a title."""
SHARES, PARTS = ("softmax", "sparsemax", "argmax", "proportional"), ("softmax", "rectified_power", "exponential")
"""What a memory is compared with, whose patterns compete for the weight; and one that weighs each by its own score."""
SPREAD, BARS = 1.5, 6
"""The range of the scores times β, at which separations differ, and the most patterns that have bars."""


@figure("how the weights of one word change with the inverse temperature", "aaba")
def temperature(result: Result) -> Sheet:
    """The softmax of the scores of one query over β, with the β of the run where its weights are a softmax."""
    every = ((run, place, scores) for run in result.runs for place, scores in tables(run, "scores") if place)
    heads = [one for one in every if one[2].dims == ("query", "key")]
    need(heads, "it has no scores of attention")
    run, place, scores = heads[0]
    tokens = scores.labels[0]
    rows = np.where(mask_of(run, place, scores), scores.values, np.nan)
    spread = np.array([np.ptp(row[np.isfinite(row)]) if np.isfinite(row).any() else 0 for row in rows])
    own, asked = words_of(run), result.figure.query is not None
    query = hero(result, own) if own and own.tokens == tokens else query_of(result, tokens) if asked else 0
    query = query if asked or spread[query] > STILL else int(np.argmax(spread))
    need(spread[query] > STILL, f"{NOTHING}the scores of '{tokens[query]}' are alike, and so are its weights")
    keys = np.flatnonzero(np.isfinite(rows[query]))
    row, names = rows[query, keys], [indexed(scores.labels[1][key]) for key in keys]
    levels = np.unique(np.round(row, 9))[::-1]
    betas = np.geomspace(LEAST / (levels[0] - levels[-1]), MOST / (levels[0] - levels[1]), 121)
    courses = np.array([known_separations["softmax"](beta=beta).weights(row) for beta in betas])
    marks: list[Mark] = []
    for k, level in enumerate(levels[:KEYS]):
        alike = np.flatnonzero(np.round(row, 9) == level)
        name = ", ".join(names[j] for j in alike) if len(alike) < 4 else say("each of {} others", len(alike))
        marks.append(Curve(betas, courses[:, alike[0]], name, k))
    beta = _beta(row, run.arrays[f"{place} weights"].values[query][keys])
    if betas[0] < beta < betas[-1]:
        marks.append(Rule(x=beta, name=say("β of the run: {}", beta)))
    ticks = {part: say("{}", part) for part in (0.0, 0.25, 0.5, 0.75, 1.0)}
    tens = (factor * 10.0**power for power in range(-9, 10) for factor in (1, 3))
    at = {ten: say("{}", ten) for ten in tens if betas[0] <= ten <= betas[-1]}
    look: Any = {"y_range": (-0.05, 1.02), "y_ticks": ticks, "x_range": (betas[0], betas[-1]), "logarithmic": "x"}
    look |= {"x_ticks": at} if len(at) < 8 else {}
    of = say("what ‘{}’ attends to", indexed(tokens[query], WHOLE))
    notes = [
        left_out(len(levels[:KEYS]), len(levels), "scores"),
        left_out(1, len({id(one) for one, *_ in heads}), "runs", "run"),
        left_out(1, sum(one is run for one, *_ in heads), "heads", "head"),
        left_out(1, len(rows), "queries", "query"),
    ]
    title = say("a larger β gives more weight to the largest score, up to all")
    if np.sum(np.round(row, 9) == levels[0]) > 1:
        title = say("a larger β gives more weight to the largest scores, in equal shares")
    return Sheet([Panel(marks, of, say("inverse temperature β"), say("weight"), **look)], title, notes)


def _beta(scores: np.ndarray, weights: np.ndarray) -> float:
    """The inverse temperature of the softmax that leads from scores to weights; 0 if it is no softmax."""
    if np.any(weights <= 0):
        return 0.0
    line = np.polyfit(scores, np.log(weights), 1)
    return float(line[0]) if np.allclose(np.polyval(line, scores), np.log(weights), atol=1e-6) else 0.0


@figure(
    "scores of one word by the offset of its positions: where only the offset counts, there is one curve", "offsets"
)
def offsets(result: Result) -> Sheet:
    """The scores of each run, with the bias of positions, over the offset: on the left where it alone counts."""
    named = zip(result.runs, run_names(result.runs), strict=True)
    runs = [(name, found) for run, name in named if (found := _offset_scores(run))]
    need(runs, "it has no scores of one word that stands at three places or more")
    heads = runs[0][1]
    several = len({values.tobytes() for values in heads.values()}) > 1
    every = [*heads.items()] if several else [(name, next(iter(found.values()))) for name, found in runs]
    curves = [_over_offsets(*one) for one in every[:CURVES]]
    lines, clouds = ([curve for curve in curves if (curve.look == "points") == own] for own in (False, True))
    both = bool(lines and clouds)
    if both:  # the last of what is no flat line, and the cloud in the middle
        bent = [curve for curve in lines if curve.look != "law"]
        curves = [*(bent or lines)[-2:], clouds[len(clouds) // 2]]
    need(any(np.ptp(curve.y) > STILL for curve in curves), f"{NOTHING}all scores are alike: no place counts")
    offset, score = (np.concatenate([getattr(curve, axis) for curve in curves]) for axis in "xy")
    step, edge = max(1, int(offset.max()) // 2), 0.06 * np.ptp(score)
    look: Any = {
        "x": say("offset: query − key"),
        "y": say("score"),
        "y_range": (score.min() - edge, score.max() + edge),
        "x_ticks": {k: say("{}", float(k)) for k in range(-3 * step, 4 * step, step) if k in offset},
    }
    groups: dict[str, list[Mark]] = {say("only the offset counts"): [], say("the place counts too"): []}
    for k, curve in enumerate(curves):
        group = [*groups][curve.look == "points"]
        own = replace(curve, colour="faint" if curve.look == "law" else k)
        groups[group] += named_at(own) if both and own.look != "points" else [replace(own, name=own.name * (not both))]
    one, other = groups
    titles = [one, below(clouds[len(clouds) // 2].name, other)] if both else [""]
    panels = [Panel(marks, title, **look) for title, marks in zip(titles, filter(None, groups.values()), strict=True)]
    what = ("heads", "head") if several else ("runs", "run")
    notes = [left_out(len(curves), len(every), *what), left_out(1, len(runs) if several else 1, "runs", "run")]
    return Sheet(panels, "", notes, shared="y" if both else "")


def _over_offsets(name: str, values: np.ndarray) -> Curve:
    """Scores over the offset of query and key: a line where each offset has one score, thin if all have the same."""
    query, key = np.nonzero(np.isfinite(values))
    offset, score = query - key, values[query, key]
    offsets, first, group = np.unique(offset, return_index=True, return_inverse=True)
    if np.abs(score - score[first][group]).max() > STILL * max(1.0, float(np.abs(score).max())):
        return Curve(offset, score, name, look="points")
    return Curve(offsets, score[first], name, look="law" if np.ptp(score) <= STILL else "both")


def _offset_scores(run: Run) -> dict[str, np.ndarray]:
    """The scores of the heads of a run, with their bias, NaN where a mask hides them: of one word, thrice or more."""
    found: dict[str, np.ndarray] = {}
    for name, scores in run.find("scores"):
        rows, keys = scores.labels if scores.dims == ("query", "key") else ((), ())
        if rows == keys and len(keys) > 2 and len({Occurrence.parse(key)[0] for key in keys}) == 1:
            bias = run.arrays.get(f"{name.place} bias")
            values = scores.values + (0 if bias is None else bias.values)
            found[say("head {}", name.head or 1)] = np.where(mask_of(run, name.place, scores), values, np.nan)
    return found


@figure("two memories on one cue: what each weighs, and what it recalls", "hopfield-beside-attention")
def beside(result: Result) -> Sheet:
    """The weights of the first step of two runs as bars, and the state that each of them recalls."""
    need(any("step 1 field" in run.arrays for run in result.runs), "it has no memory that recalls")
    need(len(result.runs) > 1, "it has one run, and nothing to compare it with")
    runs = result.runs[:2]
    there = all({"step 1 weights", "input", "state"} <= {*run.arrays} for run in runs)
    need(there, "its memory has no weight for each pattern")
    cues = runs[0].arrays["input"].labels[0]
    need(cues == runs[1].arrays["input"].labels[0], "its first two runs have other cues")
    wanted = [word for word in (result.figure.query, *highlighted_words(result)) if word in cues]
    cue = cues.index(wanted[0]) if wanted else 0
    weights = [run.arrays["step 1 weights"] for run in runs]
    rows = [array.values[cue] for array in weights]
    beyond = max(float(np.abs(row).max(initial=0.0)) for row in rows) > 1 + STILL
    rows = [row / (float(np.abs(row).sum()) or 1.0) if beyond else row for row in rows]
    low, high = min(0.0, *map(np.min, rows)), max(map(np.max, rows))
    look: Any = {"x_range": (low - 0.35 * (high - low) * (low < 0), high + 0.2 * (high - low)), "height": 2}
    same = weights[0].labels[1] == weights[1].labels[1]
    panels, count = [], max(map(len, rows))
    for row, array, name in zip(rows, weights, run_names(runs), strict=True):
        size = np.max(np.abs(rows), axis=0) if same else np.abs(row)
        kept = np.sort(np.argsort(-size, kind="stable")[:PATTERNS])
        colours = ["minus" if value < 0 else "plus" for value in row[kept]]
        bars = Bars(row[kept], [array.labels[1][k] for k in kept], colour=colours, lying=True)
        panels.append(Panel([bars], name, say("share of all weight") if beyond else say("weight"), **look))
    notes = [
        say("the cue: {}", indexed(cues[cue], WHOLE)),
        left_out(1, len(cues), "cues", "query"),
        left_out(min(PATTERNS, count), count, "patterns"),
        left_out(2, len(result.runs), "runs"),
    ]
    for run in runs:
        ends = np.stack([run.arrays[name].values[cue] for name in ("input", "state")])
        marks: list[Mark] = [Cells(ends, [say("cue"), say("end")], colours="picture", numbers=False)]
        if run.strips:
            marks = [Picture(picture(run, cue, end), (1.5 * i, 0)) for i, end in enumerate(ends)]
            marks.append(Arrows(np.array([[0.5, 0]]), np.array([[1.0, 0]])))
        panels.append(Panel(marks, verdict(run, cue), layout="free" if run.strips else "grid"))
    title, names = "", [run.name for run in runs]
    if all(names) and all(recalls(run, cue) for run in runs):
        one, other = (label(str(run.arrays["recalls"].values[cue])) for run in runs)
        title = say("the same cue: {} recalls {}, {} recalls {}", names[0], one, names[1], other)
        if one == other:
            title = say("{} and {} on the same cue: each recalls {}", *names, one)
    return Sheet(panels, title, notes, in_a_row=2)


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
    made = {own: memory} | {
        kind: known_separations[kind](beta=beta) for kind in (SHARES if shares else PARTS) if kind != own
    }
    best = np.sort(np.argsort(-row, kind="stable")[:BARS])
    groups: list[tuple[np.ndarray, list[str]]] = []
    for kind, one in made.items():
        weights = one.answer(row[None], None, False).array[0]
        if isinstance(one, Elementwise):
            weights = weights / (np.abs(weights).max() or 1.0)
        alike = [kinds for known, kinds in groups if np.allclose(known, weights, atol=STILL)]
        scored = np.allclose(weights, row / np.abs(row).max())
        if alike:
            alike[0].append(kind)
        elif kind == own or (np.ptp(weights[best]) > STILL and not scored):
            groups.append((weights, [kind]))
    look: Any = {"x_ticks": {float(i): scores.labels[1][k] for i, k in enumerate(best)}}
    look |= {"x_range": (-0.8, len(best) - 0.2), "y_ticks": {}}
    panels = [Panel([Bars(row[best], colour="faint")], say("the scores"), **look)]
    for weights, kinds in sorted(groups, key=lambda group: own in group[1]):  # the memory itself comes last
        values, colour = weights[best], "plus" if own in kinds else "faint"
        titles = [kind.replace("_", " ") for kind in kinds]
        if own in kinds and "alpha" in values_of:
            titles[0] = say("{} (α = {})", titles[0], values_of["alpha"])
        panels.append(Panel([Bars(values, colour=colour)], "\n".join(titles), y_range=(min(0, *values), 1.2), **look))
    notes = ["" if shares else say("parts of the largest weight"), left_out(len(best), len(row), "patterns"), note]
    return Sheet(panels, notes=notes)
