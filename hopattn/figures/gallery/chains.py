"""Recall as a chain of boxes: two memories beside each other, and a sheet to hand out."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from hopattn.dynamics.record import Status
from hopattn.figures.choice import cues_of, largest, tables
from hopattn.figures.figure import FIGURES, figure, left_out, need
from hopattn.figures.policies import NOTHING, STILL, SYMBOLS, bars_within, named_at, run_names, runs_with
from hopattn.figures.recalls import last_step, picture, verdict
from hopattn.figures.sheet import Arrows, Bars, Curve, Mark, Nodes, Panel, Picture, Sheet, say, texts
from hopattn.figures.text import indexed, number
from hopattn.foundation.registry import name_of
from hopattn.memories.memory import Memory
from hopattn.memories.models import named_memories
from hopattn.retrieval.activation import activations
from hopattn.retrieval.similarity import similarities
from hopattn.scenario.result import Result, Run

PARTS = {
    say("cue"): say("x\nwhat you\nhave"),
    say("similarity"): say("s = sim(K, x)\nhow like each\npattern it is"),
    say("separation"): say("p = ∇Ψ(s)\nmost weight to\nthe best match"),
    say("projection"): say("h = Vᵀ p\npatterns, by\ntheir weights"),
    say("activation"): say("x⁺ = ∇Φ(h)\nas it is, or\nonly its sign"),
    say("again?"): say("x ← x⁺\nor stop, as\nattention does"),
}
STEP = ("input", "step 1 scores", "step 1 weights", "step 1 field", "step 1 output")
"""The parts of a chain with what each does, and the arrays that stand in all boxes but the last."""
X, SIDES, HEAD, WORD, INNER, LOOP = 2.35 * np.arange(6), (2.15, 2.5), 0.98, 0.5, -0.5, -1.45
"""The middles and the sides of boxes, and the heights of their names, words and numbers, and of the way back."""
PATTERNS, LINE, ROW = 4, 0.31, 1.45
"""The most patterns with numbers, and the ways from one of them, and from one memory of a page, to the next."""
NEW, SAME, PAGE = ("plus", "dim", "ink"), ("faint", "paper", "faint"), ("faint", "paper", "ink")
"""The colours of the edge, the ground and the text of a box: of one that differs, of the others, and on a page."""
RESTS, WEIGHTED = say("until it rests"), say("weighted\nsum")


class Chain(NamedTuple):
    """One step of a run on a cue. words: what each part is, where it is known. values: of each, and the end."""

    run: Run
    cue: int
    words: list[str]
    values: list[np.ndarray]


@figure("two memories as one chain: only the rules in which they differ have colours", "hopfield-beside-attention")
def chains(result: Result) -> Sheet:
    """The first step of two runs on one cue, box by box, and whether there is another one."""
    every = runs_with(result, "it has no memory with a weight for each pattern", *STEP, "status", "state")
    need(len(every) > 1, "it has one memory, and nothing to compare it with; try the figure 'separations'")
    runs, names = every[:2], run_names(every[:2])
    (cues, patterns), other = ([run.arrays[name].labels[-1] for name in ("status", STEP[1])] for run in runs)
    need(other == [cues, patterns], "its first two memories have other cues, or other patterns")
    keys = [run.arrays["patterns"].values for run in runs if "patterns" in run.arrays]
    one, two = both = [chain_of(run, cues_of(result, cues)[0], keys) for run in runs]
    differ = [bool(a and b and a != b) for a, b in zip(one.words, two.words, strict=True)]
    same = [np.allclose(*pair) for pair in zip(one.values, two.values, strict=True)]
    differ[1:5] = [new or own > after for new, (own, after) in zip(differ[1:5], pairwise(same[:5]), strict=True)]
    need(any(differ), NOTHING + "its first two memories have the same parts")
    if shares := max(np.abs(chain.values[2]).max() for chain in both) > 1 + STILL:
        for chain in both:
            chain.values[2] = chain.values[2] / np.abs(chain.values[2]).sum()
    looks, panels = [NEW if new else SAME for new in differ], []
    for chain, name in zip(both, names, strict=True):
        again = "{}: {}; step {} changes nothing" if chain.words[-1] == RESTS else "{}: {} after {} steps"
        again = again if (steps := last_step(chain.run, chain.cue)) > 1 else "{}: {} in one step"
        title = say(again, name, verdict(chain.run, chain.cue), steps)
        panels.append(Panel(step_of(chain, looks, both), title, layout="free", y_range=(LOOP, None)))
    title = say("{} and {} are one chain: only the coloured rules differ", *names)
    if not all(run.name for run in runs):
        title = say("the same chain twice: only the coloured rules differ")
    notes = [say("weights as shares of all weight") if shares else ""]
    notes += [left_out(min(PATTERNS, len(patterns)), len(patterns), "patterns")]
    notes += [left_out(1, len(cues), "cues", "query"), left_out(2, len(every), "runs")]
    return Sheet(panels, title, notes, in_a_row=1)


def chain_of(run: Run, cue: int, keys: Sequence[np.ndarray]) -> Chain:
    """The first step of a run. Its numbers, those of all cues, tell which similarity and activation it has."""
    states, scores, _, fields, outputs = (run.arrays[name].values for name in STEP)
    known = [name for name in ("dot", "cosine", "euclidean", "manhattan") for _ in keys[:1]]
    scored = [name for name in known if np.allclose(similarities[name]()(states, keys[0]), scores)]
    ends = [name for name in ("identity", "sign", "unit") if np.allclose(activations[name]()(fields, states), outputs)]
    kind, parameters = tables(run, "separation")[0]
    rows = [*zip(*parameters.labels, parameters.values.tolist(), strict=True)]
    rows = [row for row in rows if row != ("beta", 1)] or rows
    told = [say("{} = {}", SYMBOLS.get(name, name), say(number(value, 3))) for name, value in rows]
    separation = say("{}\n{}", kind.replace("_", " "), say(", ".join("{}" for _ in told), *told))
    again = say("no") if last_step(run, cue) == 1 else say("without rest")
    again = RESTS if run.arrays["status"].values[cue] == Status.CONVERGED else again
    cued = indexed(run.arrays["status"].labels[0][cue], 12)
    words = [cued, *[*scored, ""][:1], separation, WEIGHTED, *[*ends, ""][:1], again]
    return Chain(run, cue, words, [run.arrays[name].values[cue] for name in (*STEP, "state")])


def step_of(chain: Chain, looks: Sequence[tuple[str, str, str]], both: Sequence[Chain]) -> list[Mark]:
    """The boxes of a chain with their numbers, in the units of both chains."""
    run, cue, words, values = chain
    inks, ends = [ink for *_, ink in looks], (X[:5] + SIDES[0] / 2, X[1:] - SIDES[0] / 2)
    marks: list[Mark] = [boxes(X, 0, SIDES, looks), texts(X, HEAD, PARTS, inks, 0.83, bold=True)]
    marks += [texts(X, WORD, words, inks, 0.86), Arrows(*np.stack([ends, np.full((2, 5), HEAD)], -1))]
    if last_step(run, cue) > 1:
        corners = np.array([(X[5], -SIDES[1] / 2), (X[5], LOOP), (X[0], LOOP), (X[0], -SIDES[1] / 2)])
        marks += [Arrows(corners[i:j], corners[i + 1 : j + 1], looks[5][0], head=i > 1) for i, j in ((0, 2), (2, 3))]
    kept = largest(np.max([np.abs(one.values[2]) for one in both], axis=0), PATTERNS)
    y = INNER + LINE * ((len(kept) - 1) / 2 - np.arange(len(kept)))
    names = [indexed(run.arrays[STEP[1]].labels[1][k], 7) for k in kept]
    marks.append(texts(X[1] - 0.9, y, names, inks[1], align="left"))
    for i, numbers in enumerate(values):
        boxes_of = (i,) if i in (1, 2) else (0, 3, 4)  # all states have one unit
        every, (colour, _, ink) = np.concatenate([[one.values[k] for one in both] for k in boxes_of]), looks[i]
        if i in (1, 2):
            marks.append(texts(X[i] + 0.9, y, [say("{}", float(one)) for one in numbers[kept]], ink, align="right"))
        if i == 2:
            look: Any = {"at": y, "colour": colour, "lying": True, "numbers": False, "width": 0.75 * LINE}
            marks.append(bars_within(X[i] - 0.88, 1.0, every[:, kept], values=numbers[kept], **look))
        elif i != 1 and run.strips:
            marks.append(Picture(picture(run, cue, numbers), (X[i], INNER)))
        elif i != 1:
            marks.append(bars(numbers, every, (X[i], INNER), (1.7, 1.05), colour))
    return marks


def boxes(x: np.ndarray, y: float, sides: tuple[float, float], looks: Sequence[tuple[str, str, str]]) -> Nodes:
    """Boxes in a row."""
    edges, grounds, _ = zip(*looks, strict=True)
    return Nodes(np.stack([x, 0 * x + y], 1), [""] * len(x), colour=edges, fill=grounds, sides=sides)


def bars(values: np.ndarray, every: np.ndarray, at: Any, room: Any, colour: str) -> Bars:
    """Numbers as bars in a room around a place. every: all numbers that have the same 0 and the same unit."""
    pitch = room[0] / len(values)
    places = at[0] + pitch * (np.arange(len(values)) - (len(values) - 1) / 2)
    look: Any = {"at": places, "colour": colour, "numbers": False, "width": 0.75 * pitch}
    return bars_within(at[1] - room[1] / 2, room[1], every, values=values, **look)


@figure("a sheet to hand out: the chain, four memories, their formulas and energies, and commands", "modern")
def sheet(result: Result) -> Sheet:
    """One page A4: the modern Hopfield network of a result with fewest steps, and other memories of its patterns."""
    lacks = "it has no modern Hopfield network that stores ±1"
    runs = runs_with(result, lacks, *STEP, "patterns", "softmax separation")
    run = min(runs, key=lambda one: int(one.arrays["steps"].values.max()))
    keys = run.arrays["patterns"].values
    need((abs(keys) == 1).all(), lacks)
    chain = chain_of(run, cues_of(result, run.arrays["status"].labels[0])[0], [keys])
    marks = [*step_of(chain, [PAGE] * 6, [chain]), texts(X, -2.1, PARTS.values(), size=0.84)]
    formula = say("state = activation(projection(separation(similarity)))")
    names = {"hopfield": say("Hopfield"), "dense": say("dense"), "modern": say("modern")}
    energies: dict[str, str] = {said: named_memories[name].energy.replace("_i", "ᵢ") for name, said in names.items()}
    energies |= {"x, ξ": say("state, pattern"), "K, V": say("keys, values: the patterns")}
    energies |= {"W, b": say("couplings, bias"), "β": say("inverse temperature")}
    commands = {
        "hopattn list": say("what comes with it"),
        "hopattn run bank": say("attention to words, in numbers"),
        "hopattn figures sheet --as pdf": say("this page, and {} other figures", len(FIGURES) - 1),
        "hopattn new attention mine.toml": say("a file of your own, to change and to run"),
        "hopattn explore bank": say("a page in which everything can be moved"),
    }
    panels = [
        Panel(marks, formula, layout="free", y_range=(-2.75, None), height=4.9),
        memories_of(chain, keys),
        listed(say("energies: recall runs downhill"), energies, 4, 13),
        valleys(),
        listed(say("five commands to begin with"), commands, 14, 28),
    ]
    title = say("associative memory on one page: attention is one step of recall")
    return Sheet(panels, title, places="AAAAA\nBBBBB\nCCCDD\nEEEEE", size=(8.27, 11.69))


def memories_of(chain: Chain, keys: np.ndarray) -> Panel:
    """A row for each of four memories of the same patterns: in colours the boxes in which it differs from the first."""
    beta, rest = float(chain.run.arrays["softmax separation"].values[0]), say("until it rests")
    build = {name: named_memories[name].build for name in ("dense", "modern", "nearest")}
    memories = {
        say("Hopfield"): (Memory(keys, separation="identity", beta=1 / keys.shape[1], activation="sign"), rest),
        say("dense"): (build["dense"](keys), rest),
        say("modern:\nattention"): (build["modern"](keys, beta=beta), say("once, or until\nit rests")),
        say("nearest\nneighbour"): (build["nearest"](keys), say("no")),
    }
    marks, kept, first = list[Mark](), largest(np.abs(chain.values[2]), PATTERNS), list[str]()
    for y, (name, (memory, again)) in zip(-ROW * np.arange(4), memories.items(), strict=True):
        parts = (memory.similarity, memory.separation, memory.activation)
        words = [name_of(part).replace("_", "\n") for part in parts] + [again]
        words.insert(2, WEIGHTED)
        first = first or words
        looks = [NEW if word != base else PAGE for word, base in zip(words, first, strict=True)]
        weights = memory.weights(chain.values[0])[kept]
        marks += [
            boxes(X[1:], y, (SIDES[0], ROW - 0.15), looks),
            texts(1.0, y, [name], size=0.95, bold=True, align="right"),
            texts(X[1:], y + np.array([0, 0.3, 0, 0, 0]), words, [ink for *_, ink in looks], 0.84),
            bars(weights, weights, (X[2], y - 0.35), (1.6, 0.45), looks[1][0]),
        ]
    names = ", ".join(indexed(chain.run.arrays[STEP[1]].labels[1][k], 7) for k in kept)
    title = say("four memories: coloured is what differs from Hopfield’s\nbars: weights of {}", names)
    return Panel(marks, title, layout="free", x_range=(-1, None), height=6.9)


def valleys() -> Panel:
    """The energy of a modern Hopfield network of two patterns of one neuron, −1 and 1, from its lowest."""
    x, marks = np.linspace(-1.5, 1.5, 151), []
    for i, beta in enumerate((4.0, 0.8)):
        energy = np.asarray(named_memories["modern"].build([[1.0], [-1.0]], beta=beta).energy(x[:, None]))
        marks += named_at(Curve(x, energy - energy.min(), say("β = {}", beta), i), 75 + 65 * i)
    look: Any = {"x_ticks": {k: say("{}", k) for k in (-1.0, 0.0, 1.0)}, "y_ticks": {}, "y_range": (None, 0.45)}
    return Panel(marks, say("two valleys, or one"), say("state; patterns: ±1"), say("energy"), height=3.5, **look)


def listed(title: str, lines: Mapping[str, str], after: float, width: float) -> Panel:
    """Names, and what is said of each. after: the place of what is said."""
    columns = (0.0, lines.keys()), (after, lines.values())
    marks = [texts(x, -np.arange(len(lines)), words, size=0.9, bold=not x, align="left") for x, words in columns]
    return Panel(marks, title, layout="free", x_range=(0, width), y_range=(None, 0.8), height=2.8)
