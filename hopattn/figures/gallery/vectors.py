"""Vectors of two axes: the product of two of them as a shadow, and their rotation by positions."""

import numpy as np

from hopattn.figures.choice import arrays_of
from hopattn.figures.figure import below, figure, left_out, need
from hopattn.figures.policies import NOTHING, STILL, run_names, runs_with
from hopattn.figures.sheet import Arrows, Curve, Mark, Panel, Points, Sheet, say
from hopattn.figures.text import indexed
from hopattn.results.labelled import Labelled
from hopattn.retrieval.similarity import cosine
from hopattn.scenario.arrays import Occurrence
from hopattn.scenario.result import Result, Run

MOST, PLACES = 4, 12
"""The most cues with a panel of their own, and positions on a circle."""
ORIGIN = np.zeros((1, 2))
LAYER = "network", "input", "state"
"""The arrays of a layer of neurons."""


@figure("the product of weights and a cue as the shadow of the cue", "similarity")
def projection(result: Result) -> Sheet:
    """The weights of the first neuron, and each cue with its angle and its shadow on them."""
    runs = runs_with(result, "it has no layer of neurons", *LAYER)
    cues, weights = runs[0].arrays["input"].labels[0], runs[0].arrays["network"].values
    need(weights.shape[1] > 1, "its neurons have one input; an angle has two")
    asked = [cues.index(result.figure.query)] if result.figure.query in cues else [*range(len(cues))]
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
    return Sheet([_shadow(*one, reach) for one in shown], say(title), notes)


def _shadow(weights: np.ndarray, cue: np.ndarray, name: str, reach: float) -> Panel:
    """Weights and a cue from the origin, with the perpendicular: in their own plane of more than two axes."""
    far, long, total = float(np.linalg.norm(weights)), float(np.linalg.norm(cue)), round(float(weights @ cue), 9)
    near = float(cosine(weights, cue))
    w, a = weights, cue
    if len(weights) > 2:
        w, a = np.array([far, 0.0]), long * np.array([near, max(0.0, 1 - near**2) ** 0.5])
    foot = w * (total / far**2)
    turn = float(np.arctan2(w[0] * a[1] - w[1] * a[0], w @ a))
    shadow = say("shadow of a on w") if total >= 0 else say("shadow, negative")
    around = np.linspace(0, 2 * np.pi, 181)
    size, angles = 0.3 * min(far, long), np.arctan2(w[1], w[0]) + np.linspace(0, turn, 41)
    marks = [
        _cross(reach),
        Curve(np.cos(around), np.sin(around), "", "faint", look="law"),
        Curve(size * np.cos(angles), size * np.sin(angles), colour="ink"),
        Arrows(ORIGIN, foot[None], "plus" if total >= 0 else "minus", 5, head=False, key=shadow),
        Arrows(ORIGIN, w[None], "key", 1.8, key=say("weights w")),
        Arrows(ORIGIN, a[None], "query", 1.2, key=say("cue a")),
        Arrows(a[None], foot[None], "faint", head=False, dashed=True),
        Points(np.array([w, a]), ["w", "a"], ["key", "query"], size=0),
    ]
    angle = round(abs(float(np.degrees(turn))))
    head = say("{}: {}°", name, angle) if name else say("angle {}°", angle)
    title, ends = below(head, say("w · a = {}", total)), (-reach, reach)
    return Panel(marks, title, layout="free", x_range=ends, y_range=ends)


def _cross(reach: float) -> Mark:
    """The axes of a plane."""
    ends = reach * np.array([(-1, 0), (0, -1), (1, 0), (0, 1)])
    return Arrows(ends[:2], ends[2:], "faint", 0.4, head=False)


@figure("how positions rotate vectors: one step on the circle, or a word at each of its places", "positions")
def positions(result: Result) -> Sheet:
    """The points of a circle before and after a rotation, or the words of a rotary head at their positions."""
    found = [one for run in result.runs if (one := _step(run) or _rotary(run))]
    need(found, "it has no layer that rotates a plane, and no head with rotary positions")
    marks, title, vectors = found[0]
    count, axes = len(vectors.values), vectors.labels[1]
    reach = float(np.linalg.norm(vectors.values[:, :2], axis=1).max())
    names = Points(1.3 * reach * np.eye(2), axes[:2], "faint", size=0)
    notes = [
        left_out(1, len(axes) // 2, "planes"),
        left_out(min(PLACES, count), count, "positions"),
        left_out(1, len(result.runs), "runs", "run"),
    ]
    return Sheet([Panel([_cross(1.3 * reach), names, *marks], layout="free")], title, notes)


def _step(run: Run) -> tuple[list[Mark], str, Labelled] | None:
    """The marks of a layer that rotates its points by one angle, with its title and the points."""
    if not {*LAYER} <= {*run.arrays}:
        return None
    network, cues, state = (run.arrays[name] for name in LAYER)
    weights, at, after = network.values, cues.values[:PLACES], state.values[:PLACES]
    rotates = weights.shape == (2, 2) and np.allclose(weights.T @ weights, np.eye(2)) and np.linalg.det(weights) > 0
    if not rotates or not np.allclose(at @ weights.T, after):
        return None
    turn = float(np.arctan2(weights[1, 0], weights[0, 0]))
    need(abs(turn) > STILL, f"{NOTHING}its layer turns by 0°")
    arcs = Arrows(at, after, "plus", 1.3, bend=-float(np.tan(turn / 4)))
    return [arcs, Points(at, cues.labels[0][:PLACES], "ink")], say("one step turns by {}°", _degrees(turn)), cues


def _rotary(run: Run) -> tuple[list[Mark], str, Labelled] | None:
    """The marks of the words that a head turns by their positions, in its first plane, with a title and the words."""
    words = arrays_of(run).get("input")
    queries = next((array for _, array in run.find("queries")), None)
    if words is None or queries is None or queries.values.shape != words.values.shape or min(words.values.shape) < 2:
        return None
    before, after = (array.values[:, :2] @ (1, 1j) for array in (words, queries))
    places = np.flatnonzero(before)
    turn = float(np.angle(after[1] / before[1])) if before[1] else 0.0
    if abs(turn) < STILL or not np.allclose(after[places], before[places] * np.exp(1j * turn * places)):
        return None
    shown = places[:PLACES]
    tokens = [Occurrence.parse(words.labels[0][k])[0] for k in shown]
    colours = [[*dict.fromkeys(tokens)].index(token) for token in tokens]
    ends = queries.values[shown, :2]
    names = [say("{} at {}", indexed(token), int(k)) for token, k in zip(tokens, shown, strict=True)]
    marks: list[Mark] = [Arrows(0 * ends, ends, colours, 1.2), Points(ends, names, colours)]
    return marks, say("each position turns a word by {}° more", _degrees(turn)), words


def _degrees(turn: float) -> float:
    """An angle in degrees, with one decimal at most."""
    return round(float(np.degrees(turn)), 1)
