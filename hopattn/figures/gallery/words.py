"""Words as vectors in a plane: how attention turns them, and how a matrix slants their plane."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from hopattn.figures.choice import arrays_of, highlighted_words, tables
from hopattn.figures.figure import below, figure, left_out, need
from hopattn.figures.policies import NOTHING, SEEN, Words, goal, hero, plane, ranges, run_names, shows_turn, words_of
from hopattn.figures.sheet import Arrows, Mark, Panel, Points, Sheet, say
from hopattn.figures.text import JOINT, indexed, number
from hopattn.results.labelled import Labelled
from hopattn.retrieval.similarity import cosine
from hopattn.scenario.result import Result, Run

RUNS, MATRICES, NAMED, TERMS = 2, 3, 8, 3
"""The most runs, matrices, words with names, and arrows of what is added to a word."""
STRAIGHT = 0.9
"""The least cosine of two arrows, head to tail, that are one line."""
SMALL = 0.02
"""The length of an arrow below which it has no name, as a part of the way to the farthest point."""
FLAT = 4.0
"""The width of panels that stand one below the other, as a part of their height."""
LINES = 4
"""The steps of a grid along the longer side of the words."""
WHOLE = 30
"""The letters of a word in a title."""
ORIGIN = np.zeros((1, 2))


class Turn(NamedTuple):
    """A word of a run that turns. towards: the word, if there is one.

    steps: the names of what is added to it. ends: of these, head to tail, `(n_steps + 1, dim)`. terms: whether they are
    words with their weights; else they are layers.
    """

    run: Run
    own: Words
    word: int
    towards: int | None
    steps: list[str]
    ends: np.ndarray
    terms: bool

    @property
    def nearer(self) -> str:
        """How near it is to the word that it turns towards, before and after."""
        if self.towards is None:
            return ""
        before, after = self.own.before.values, self.own.after.values
        near = (float(cosine(one[self.word], before[self.towards])) for one in (before, after))
        return _rise(self.own.tokens[self.towards], *near)


@figure("how attention turns a word towards another: what it adds, head to tail", "bank")
def words(result: Result) -> Sheet:
    """The word that stands out before and after attention in each run, what is added to it, and the words it sees."""
    told = _turns(result)
    tokens, axes = told[0].own.before.labels
    at = plane(result, [(turn.own, turn.word) for turn in told])
    shown = [turn for turn in told if shows_turn(turn.own, turn.word, at)]
    x, y = (axes[k] for k in at)
    need(shown, f"{NOTHING}on the axes {x} and {y}, '{tokens[told[0].word]}' does not turn as in the whole space")
    if len(shown) > RUNS:  # those that turn most, of those that common axes show
        far = [shown[i] for i in ranges([_reach(_marks(turn, at)) for turn in shown])]
        most = sorted(far, key=lambda turn: -float(turn.own.turns[turn.word]))[:RUNS]
        shown = [turn for turn in shown if any(turn is one for one in most)]
    drawn = [_marks(turn, at) for turn in shown]
    points = [_reach(marks) for marks in drawn]
    common = ranges(points)
    low, high = (end(np.vstack([points[i] for i in common]), axis=0) for end in (np.min, np.max))
    shape, panels = float(np.divide(*(high - low))), []
    high[1] += (high - low)[1] * (shape > FLAT)  # room for names above
    for i, (turn, name) in enumerate(zip(shown, run_names([turn.run for turn in shown]), strict=True)):
        box = [*zip(low, high, strict=True)] if i in common else [(None, None)] * 2
        head = say("{}: {}", name, turn.nearer) if name and turn.nearer and shape > FLAT else below(name, turn.nearer)
        panels.append(Panel(drawn[i], head, x, y, "plane", *box))
    goals = {turn.own.tokens[turn.towards] if turn.towards is not None else "": turn for turn in shown}
    heroes = {turn.own.tokens[turn.word] for turn in shown}
    title = _towards("‘{}’ turns towards ‘{}’", *heroes, *goals) if len(heroes) == 1 and "" not in goals else ""
    notes = [left_out(2, len(axes), "axes", "axes"), left_out(len(shown), len(result.runs), "runs", "run")]
    return Sheet(panels, title, notes, in_a_row=1 if shape > FLAT else 2 if shape > 1.5 else 4)


def _reach(marks: Sequence[Mark]) -> np.ndarray:
    """The ends of the arrows of a panel, and the origin, `(n, 2)`."""
    return np.vstack([ORIGIN, *(mark.end for mark in marks if isinstance(mark, Arrows))])


def _turns(result: Result) -> list[Turn]:
    """The word that stands out of each run that has something to tell: on the axes of the first."""
    every = [(run, own) for run in result.runs if (own := words_of(run))]
    need(every, "it has no text whose words go through layers of attention")
    other = "no word takes from another one of its text; try the figure 'attention'"
    need(any(own.sees.any() for _, own in every), other)
    moving = [
        Turn(run, own, word, goal(own, word), *_way(run, own, word))
        for run, own in every
        if own.before.labels[1] == every[0][1].before.labels[1] and shows_turn(own, word := hero(result, own))
    ]
    need(moving, f"{NOTHING}attention turns no word")
    told = [turn for turn in moving if turn.towards is not None or turn.terms]
    first = moving[0].own.tokens[moving[0].word]
    why = f"{NOTHING}'{first}' turns towards no word that it sees, and is no sum of words; try the figure 'qkv'"
    need(moving[0] in told[:1], why)
    return told


def _marks(turn: Turn, at: list[int]) -> list[Mark]:
    """A word before and after, what is added to it head to tail, and the words that it sees, its goal first."""
    ends, before, tokens = turn.ends[:, at], turn.own.before.values[:, at], turn.own.tokens
    far = np.linalg.norm(before, axis=1)
    seen = [i for i in np.flatnonzero(turn.own.sees[turn.word]).tolist() if far[i] > SMALL * far.max()]
    seen = sorted(seen, key=lambda i: (i != turn.towards, -far[i]))[:NAMED]
    long = np.flatnonzero(np.linalg.norm(np.diff(ends, axis=0), axis=1) > SMALL * np.abs(ends).max())
    start, end, others = before[[turn.word]], ends[-1:], before[seen]
    colours = ["ink" if i == turn.towards else "faint" for i in seen]
    what = say("what attention adds") if turn.terms else say("what each layer adds")
    return [  # names of the first have their places first
        Arrows(ORIGIN, start, "plus", 0.8, head=False, dashed=True),
        Points(start, (), "plus", hollow=True, key=say("before")),
        Arrows(ORIGIN, end, "plus", 2),
        Points(end, [indexed(tokens[turn.word])], "plus", key=say("after")),
        Arrows(ends[long], ends[long + 1], "value", 1.4, key=what),
        _names(turn, ends, long),
        Arrows(0 * others, others, colours, 0.6, head=False),
        Points(others, [indexed(tokens[i]) for i in seen], colours),
    ]


def _names(turn: Turn, ends: np.ndarray, long: np.ndarray) -> Points:
    """The names of what is added: one beside each arrow; of words on one line, and of many, in a column."""
    names, middles, steps = (
        [turn.steps[k] for k in long],
        (ends[long] + ends[long + 1]) / 2,
        np.diff(ends, axis=0)[long],
    )
    if turn.terms and (len(names) > 2 or (len(names) == 2 and float(cosine(*steps)) > STRAIGHT)):
        upward = names[::-1] if middles[-1, 1] > middles[0, 1] else names
        names, middles = [say("\n".join(["{}"] * len(names)), *upward)], middles.mean(axis=0)[None]
    return Points(middles, names, "value", size=0)


def _way(run: Run, own: Words, word: int) -> tuple[list[str], np.ndarray, bool]:
    """What is added to a word, as in `Turn`: words with their weights, if it is their sum; else one step a layer."""
    words, before, after = own.before.values, own.before.values[word], own.after.values[word]
    every = [(weights, run.arrays.get(f"{place} values")) for place, weights in tables(run, "weights")]
    heads = [(weights, values.values) for weights, values in every if values is not None]
    if len(own.states) == 1 and all(one.labels[1] == own.tokens and v.shape == words.shape for one, v in heads):
        parts = np.sum([weights.values[word][:, None] * values for weights, values in heads], axis=0)
        start = before * np.allclose(before + parts.sum(axis=0), after)
        if np.allclose(start + parts.sum(axis=0), after):
            if not start.any() and np.allclose(parts[word], before):
                start, parts[word] = before, 0
            letter = "" if np.allclose(heads[0][1], words) else "V "
            weights = heads[0][0].values[word] if len(heads) == 1 else None
            return *_terms(own.tokens, word, start, parts, weights, letter), True
    layers = [say("layer {}", k + 1) if len(own.states) > 1 else "" for k in range(len(own.states))]
    return layers, np.array([before, *(state.values[word] for state in own.states)]), False


def _terms(
    tokens: Sequence[str], word: int, start: np.ndarray, parts: np.ndarray, weights: np.ndarray | None, letter: str
) -> tuple[list[str], np.ndarray]:
    """The way to the sum of `parts`: the longest have arrows of their own, the word itself first."""
    order = np.argsort(-np.linalg.norm(parts, axis=1), kind="stable")[: np.count_nonzero(parts.any(axis=1))].tolist()
    count = TERMS if len(order) > TERMS + 1 else TERMS + 1
    largest, rest = sorted(order[:count], key=lambda k: (k != word, k)), order[count:]
    names: list[str] = []
    for k in largest:
        weight, token = 1.0 if weights is None else float(weights[k]), indexed(tokens[k])
        sign = "− " if weight < 0 else "+ " if start.any() or names else ""
        one = number(abs(weight)) == "1"
        names.append(say(sign + letter + "{}", token) if one else say(sign + "{} " + letter + "{}", abs(weight), token))
    steps = parts[largest]
    if rest:
        names.append(say("+ {} others", len(rest)))
        steps = np.vstack([steps, parts[rest].sum(axis=0)])
    return names, np.cumsum([start, *steps], axis=0)


def _rise(towards: str, before: float, after: float) -> str:
    return say("cosine with {}: {}" + JOINT + "→" + JOINT + "{}", indexed(towards, WHOLE), before, after)


def _towards(template: str, *names: str) -> str:
    """A title with a word and one or two others; none for more."""
    parts = [indexed(one, WHOLE) for one in names]
    return say(template + " or ‘{}’" * (len(names) - 2), *parts) if len(names) < 4 else ""


@figure("how the query or key matrix of a head slants the plane of its words", "two-spaces")
def space(result: Result) -> Sheet:
    """The words of a plane, and the same words after the query or key matrix of each head that maps it to a plane."""
    none = "it has no head whose query or key matrix maps a plane of words to a plane; try the figure 'qkv'"
    need(tables(result.runs[0], "queries") and "input" in arrays_of(result.runs[0]), none)
    words = arrays_of(result.runs[0])["input"]
    at = np.flatnonzero(np.any(words.values != 0, axis=0))
    before, tokens = words.values[:, at], words.labels[0]
    every = [one for run in result.runs for one in _matrices(run, tokens, before, len(result.runs) > 1)]
    need(every, none)
    named = [tokens.index(word) for word in highlighted_words(result) if word in tokens]
    word = named[0] if named else max(range(len(tokens)), key=lambda i: _nearest(before, every[0][1], i)[1])
    told = [(name, matrix) for name, matrix in every if _nearest(before, matrix, word)[1] > SEEN]
    need(told, f"{NOTHING}no matrix turns '{tokens[word]}' towards another word")
    panels, goals = [_slanted(tokens, before, np.eye(2), word, say("the words"), [words.labels[1][k] for k in at])], {}
    for name, matrix in told[:MATRICES]:
        goal_of, _, *near = _nearest(before, matrix, word)
        goals[tokens[goal_of]] = name
        rise = say("{}: {}" + JOINT + "→" + JOINT + "{}", indexed(tokens[goal_of], WHOLE), *near)
        panels.append(_slanted(tokens, before, matrix, word, below(name, rise), [say("axis 1"), say("axis 2")]))
    slanted = np.vstack([np.vstack([ORIGIN, before @ matrix]) for _, matrix in told[:MATRICES]])
    ends = [*zip(slanted.min(axis=0), slanted.max(axis=0), strict=True)]
    panels[1:] = [replace(panel, x_range=ends[0], y_range=ends[1]) for panel in panels[1:]]
    title = _towards("a matrix slants the plane and raises the cosine of ‘{}’ with ‘{}’", tokens[word], *goals)
    title = title or say("a matrix slants the plane and raises the cosine of ‘{}’ with another word", tokens[word])
    return Sheet(panels, title, [left_out(len(panels) - 1, len(every), "matrices", "run")])


def _matrices(run: Run, tokens: Sequence[str], before: np.ndarray, several: bool) -> Iterator[tuple[str, np.ndarray]]:
    """The matrices of the queries of a run, and of the keys if these differ. several: whether runs are named."""
    for place, _ in tables(run, "queries"):
        queries, keys = (_matrix(tokens, before, run.arrays[f"{place} {kind}"]) for kind in ("queries", "keys"))
        same = queries is not None and keys is not None and np.allclose(queries, keys)
        for matrix, kind in ((queries, "" if same else "queries"), (None if same else keys, "keys")):
            if matrix is not None:
                yield ", ".join(filter(None, [run.name if several else "", kind])) or "queries and keys", matrix


def _matrix(tokens: Sequence[str], before: np.ndarray, mapped: Labelled) -> np.ndarray | None:
    """The matrix that maps words of a plane; None if there is none, or if it changes nothing."""
    if before.shape[1] != 2 or mapped.values.shape != before.shape or mapped.labels[0] != tokens:
        return None
    matrix, _, rank, _ = np.linalg.lstsq(before, mapped.values, rcond=None)
    maps = rank == 2 and np.allclose(before @ matrix, mapped.values) and not np.allclose(matrix, np.eye(2))
    return matrix if maps else None


def _nearest(before: np.ndarray, matrix: np.ndarray, word: int) -> tuple[int, float, float, float]:
    """The word whose cosine with another one rises most through a matrix, how much, and the cosine before and after."""
    near, nearer = ([float(cosine(at[word], one)) for one in at] for at in (before, before @ matrix))
    rises = np.round(np.subtract(nearer, near), 9)
    rises[word] = -np.inf
    best = int(np.argmax(rises))
    return best, float(rises[best]), near[best], nearer[best]


def _slanted(
    tokens: Sequence[str], before: np.ndarray, matrix: np.ndarray, word: int, title: str, axes: Sequence[str]
) -> Panel:
    """The words of a plane after a matrix, as arrows, with the lines of the grid that the matrix moves with them."""
    low, high = np.minimum(before.min(axis=0), 0), before.max(axis=0).clip(0)
    step = max(high - low) / LINES
    across, up = (step * np.arange(np.floor(a / step), np.ceil(b / step) + 1) for a, b in zip(low, high, strict=True))
    upright, level = [[(x, up[0]), (x, up[-1])] for x in across], [[(across[0], y), (across[-1], y)] for y in up]
    lines, after = np.array([*upright, *level]) @ matrix, before @ matrix
    colours = ["plus" if i == word else "ink" for i in range(len(tokens))]
    marks = [
        Arrows(lines[:, 0], lines[:, 1], "faint", 0.4, head=False),
        Arrows(0 * after, after, colours, [2 if i == word else 1 for i in range(len(tokens))]),
        Points(after, [indexed(token) for token in tokens], colours),
    ]
    return Panel(marks, title, axes[0], axes[1], "plane")
