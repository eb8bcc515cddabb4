"""Vectors of two axes: the product of two of them as a shadow, and their rotation by positions."""

import numpy as np

from hopattn.figures.choice import arrays_of, cues_of
from hopattn.figures.figure import figure, left_out, need
from hopattn.figures.policies import NOTHING, STILL, run_names, runs_with
from hopattn.figures.sheet import Arrows, Curve, Mark, Nodes, Panel, Points, Sheet, say, texts
from hopattn.figures.text import indexed, subscripted
from hopattn.results.labelled import Labelled
from hopattn.retrieval.similarity import cosine
from hopattn.scenario.arrays import Occurrence
from hopattn.scenario.result import Result, Run

MOST, LAYER = 4, ("network", "input", "state")
"""The most cues with a panel of their own, and the arrays of a layer of neurons."""
ORIGIN = np.zeros((1, 2))


@figure("the product of weights and a cue as the shadow of the cue", "similarity")
def projection(result: Result) -> Sheet:
    """The weights of the first neuron, and each cue with its angle and its shadow on them."""
    runs = runs_with(result, "it has no layer of neurons", *LAYER)
    cues, weights = runs[0].arrays["input"].labels[0], runs[0].arrays["network"].values
    need(weights.shape[1] > 1, "its neurons have one input; an angle has two")
    asked = cues_of(result, cues, len(cues))
    names = [cues[i] for i in asked] if len(asked) > 1 else run_names(runs)
    pairs = [(run.arrays["network"].values[0], run.arrays["input"].values[i]) for run in runs for i in asked]
    every = [(w, a, name) for (w, a), name in zip(pairs, names, strict=False) if w.any() and a.any()]
    need(every, "its weights or its cues are 0, and have no angle")
    shown = every[:MOST]
    reach = 1.1 * max(1.0, *(float(np.linalg.norm(one)) for w, a, _ in shown for one in (w, a)))
    unit = all(np.isclose(np.linalg.norm(w), 1) for w, _, _ in shown)
    length = "signed length" if any(w @ a < -STILL for w, a, _ in shown) else "length"
    title = f"the product w · a is the {length} of the shadow of a on w" + ("" if unit else ", times the length of w")
    notes = [left_out(len(shown), len(every), "cues", "query"), left_out(1, len(weights), "neurons")]
    return Sheet([_shadow(*one, reach) for one in shown], say(title), notes, in_a_row=2 if len(shown) == MOST else MOST)


def _shadow(weights: np.ndarray, cue: np.ndarray, name: str, reach: float) -> Panel:
    """Weights and a cue from the origin in their own plane, the weights to the right, with the perpendicular."""
    near = float(cosine(weights, cue))
    w, a = np.linalg.norm(weights) * np.eye(2)[:1], np.linalg.norm(cue) * np.array([[near, max(0, 1 - near**2) ** 0.5]])
    foot, turn, total = a * (1, 0), float(np.arccos(np.clip(near, -1, 1))), round(float(weights @ cue), 9)
    shadow = say("shadow") if total >= 0 else say("shadow < 0")
    around, angles, size = np.linspace(0, np.pi, 91), np.linspace(0, turn, 41), 0.3 * min(w.max(), np.abs(a).max())
    beside, length = np.array([[0, -0.16 * reach]]), [say("{}", round(float(foot[0, 0]), 9))]
    marks = [
        Arrows(reach * np.array([(-1, 0), (0, 0)]), reach * np.eye(2), "faint", 0.4, head=False),
        Curve(np.cos(around), np.sin(around), "", "faint", look="law", key=say("length 1")),
        Curve(size * np.cos(angles), size * np.sin(angles), colour="ink"),
        Arrows(a, foot + beside, "faint", head=False, dashed=True),
        Arrows(beside, foot + beside, "plus" if total >= 0 else "minus", 4, head=False, names=length, key=shadow),
        Arrows(ORIGIN, w, "key", 1.8, key=say("weights w"), gap=0),
        Arrows(ORIGIN, a, "query", 1.2, key=say("cue a"), gap=0),
        Points(np.vstack([w, a]), ["w", "a"], ["key", "query"], size=0),
    ]
    angle, ends = round(float(np.degrees(turn))), ((-reach, reach), (-0.25 * reach, reach))
    head = say("{}: {}°", name, angle) if name else say("angle {}°", angle)
    head = head if np.isclose(w.max(), 1) else say("{}, w · a = {}", head, total)  # else the shadow is the product
    return Panel(marks, head, "", "", "free", *ends)


@figure("how positions rotate vectors: one step on the circle, or a word at each of its places", "positions")
def positions(result: Result) -> Sheet:
    """The points of a circle before and after a rotation, or the words of a rotary head at their positions."""
    rotations = [one for run in result.runs if (one := _step(run) or _rotary(run))]
    need(rotations, "it has no layer that rotates a plane, and no head with rotary positions")
    marks, title, vectors = rotations[0]
    axes, reach = vectors.labels[1], float(np.linalg.norm(vectors.values[:, :2], axis=1).max())
    cross = Arrows(-reach * np.eye(2), reach * np.eye(2), "faint", 0.4, head=False)
    names = texts([0.75 * reach, 0.1 * reach], [-0.06 * reach, 0.75 * reach], axes[:2], "faint")
    notes = [left_out(1, len(axes) // 2, "planes"), left_out(1, len(result.runs), "runs", "run")]
    return Sheet([Panel([cross, names, *marks], layout="free")], title, notes)


def _step(run: Run) -> tuple[list[Mark], str, Labelled] | None:
    """The marks of a layer that rotates its points by one angle, with its title and the points."""
    if not {*LAYER} <= {*run.arrays} or run.arrays["network"].values.shape != (2, 2):
        return None
    cues, after = run.arrays["input"], run.arrays["state"].values
    turn = float(np.angle(np.vdot(cues.values @ (1, 1j), after @ (1, 1j))))
    if not np.allclose(cues.values @ (1, 1j) * np.exp(1j * turn), after @ (1, 1j)):
        return None
    need(abs(turn) > STILL, f"{NOTHING}its layer turns by 0°")
    marks: list[Mark] = []
    parts = np.exp(1j * turn * np.linspace(0, 1, 61))
    for point in cues.values @ (1, 1j):
        x, y = (point * parts).real, (point * parts).imag
        marks.append(Curve(x[2:-5], y[2:-5], colour="plus", width=0.9))
        start, end = np.column_stack([x, y])[[[-7], [-3]]]
        marks.append(Arrows(start, end, "plus", 1.3, key=say("one step"), gap=0))
    marks.append(Points(cues.values, size=1.2))
    for point, name in zip(cues.values, subscripted(cues.labels[0]), strict=True):
        side = int(np.sign(round(point[0], 1)))
        place = 1.08 * point + (0, 0 if side else 0.04 * np.sign(point[1]))
        marks.append(Nodes(place[None], [name], "plain", align=("center", "left", "right")[side]))
    steps, title = 2 * np.pi / abs(turn), say("one step turns by {}°", np.degrees(turn))
    back = abs(steps - round(steps)) < STILL
    return marks, say("{}: {} steps lead back to the start", title, round(steps)) if back else title, cues


def _rotary(run: Run) -> tuple[list[Mark], str, Labelled] | None:
    """The marks of the words that a head turns by their positions, in its first plane, with a title and the words."""
    words, queries = arrays_of(run).get("input"), next((array for _, array in run.find("queries")), None)
    if words is None or queries is None or queries.values.shape != words.values.shape or min(words.values.shape) < 2:
        return None
    before, after = (array.values[:, :2] @ (1, 1j) for array in (words, queries))
    places = np.flatnonzero(before)
    turn = float(np.angle(after[1] / before[1])) if before[1] else 0.0
    if abs(turn) < STILL or not np.allclose(after, before * np.exp(1j * turn * np.arange(len(before)))):
        return None
    tokens = [Occurrence.parse(words.labels[0][k])[0] for k in places]
    colours = [sorted({*tokens}).index(token) for token in tokens]
    ends = queries.values[places, :2]
    names = [say("{} at {}", indexed(token), int(k)) for token, k in zip(tokens, places, strict=True)]
    title = say("each position turns a word by {}° more", np.degrees(turn))
    return [Arrows(0 * ends, ends, colours, 1.2, gap=0), Points(1.1 * ends, names, colours, size=0)], title, words
