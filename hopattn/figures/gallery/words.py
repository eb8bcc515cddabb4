"""Words as vectors in a plane: how attention turns them, and how a matrix slants their plane."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hopattn.figures.choice import AS_WRITTEN, query_of, tables
from hopattn.figures.figure import below, figure, left_out, need
from hopattn.figures.policies import NOTHING, SEEN, Words, goal, hero, plane, ranges, run_names, shows_turn, words_of
from hopattn.figures.sheet import Arrows, Curve, Mark, Panel, Points, Sheet, say
from hopattn.figures.text import JOINT, indexed, number
from hopattn.retrieval.similarity import cosine
from hopattn.scenario.result import Result, Run

RUNS, NAMED, TERMS, LINES = 2, 8, 3, 2
"""The most runs, words with names, arrows of what is added to a word, and steps of a grid along its sides."""
SMALL, FLAT, HARDLY = 0.02, 4.0, 5.0
"""The shortest arrow with a name, as a part of the farthest way, the shape of panels one below the other, and the
degrees up to which a word hardly turns.
"""
ARROW = JOINT + "→" + JOINT + "{}"
"""Between two numbers of a title."""
ORIGIN = np.zeros((1, 2))
QUERIES = "layer 1 head 1 queries"


class Turn(NamedTuple):
    """A word of a run that turns. towards: the word, if there is one.

    steps: the names of what is added to it. ends: of these, head to tail, `(n_steps + 1, dim)`. terms: whether they are
    words with their weights; else they are layers.
    """

    run: Run
    words: Words
    word: int
    towards: int | None
    steps: list[str]
    ends: np.ndarray
    terms: bool

    @property
    def name(self) -> str:
        return self.words.tokens[self.word]


@figure("how attention turns a word towards another: what it adds, head to tail", "bank")
def words(result: Result) -> Sheet:
    """The word that stands out before and after attention in each run, what is added to it, and the words it sees."""
    turns = _turns(result)
    at = plane(result, [(turn.words, turn.word) for turn in turns])
    x, y = (turns[0].words.before.labels[1][k] for k in at)
    plain = [turn for turn in turns if shows_turn(turn.words, turn.word, at)]
    need(plain, f"{NOTHING}on the axes {x} and {y}, '{turns[0].name}' does not turn as in the whole space")
    pictures = [repr(_marks(turn, at)) for turn in plain]
    plain = [turn for i, turn in enumerate(plain) if pictures[i] not in pictures[:i]]
    plain = [plain[i] for i in ranges([turn.ends[:, at] for turn in plain])]
    most = np.argsort([-turn.words.turns[turn.word] for turn in plain], kind="stable")[:RUNS]
    turns = [plain[i] for i in sorted(most)]
    marks = [_marks(turn, at) for turn in turns]
    ends = np.vstack([ORIGIN, *(mark.end for panel in marks for mark in panel if isinstance(mark, Arrows))])
    low, high = ends.min(axis=0), ends.max(axis=0)
    flat = bool((high - low)[0] > FLAT * (high - low)[1])
    high[1] += (high - low)[1] * flat  # room for names above
    panels, goals, degrees = [], {}, 0.0
    for turn, name, panel in zip(turns, run_names([turn.run for turn in turns]), marks, strict=True):
        nearer = ""
        if turn.towards is not None:
            goals[turn.words.tokens[turn.towards]] = goal_of = turn.words.before.values[turn.towards]
            near = [float(cosine(state.values[turn.word], goal_of)) for state in (turn.words.before, turn.words.after)]
            degrees = max(degrees, float(-np.diff(np.rad2deg(np.arccos(np.clip(near, -1, 1))))[0]))
            nearer = say("cosine with {}: {}" + ARROW, indexed(turn.words.tokens[turn.towards]), *near)
        name = "" if name == AS_WRITTEN else name
        title = say("{}: {}", name, nearer) if flat and name and nearer else below(name, nearer)
        panels.append(Panel(panel, title, x, y, "plane", (low[0], high[0]), (low[1], high[1])))
    same = all(turn.towards is not None and turn.name == turns[0].name for turn in turns)
    template = "‘{}’ turns towards ‘{}’" if degrees > HARDLY else "‘{}’ hardly turns towards ‘{}’"
    names, title, dim = [*map(indexed, [turns[0].name, *goals])], "", turns[0].ends.shape[1]
    if same and len(goals) <= RUNS:
        title = say(template + " or ‘{}’" * (len(goals) - 1), *names)
    notes = [left_out(2, dim, "axes", "axes"), say("cosines in all {} dimensions", dim) if dim > 2 and goals else ""]
    notes += [left_out(len(turns), len(result.runs), "runs", "run")]
    return Sheet(panels, title, notes, in_a_row=1 if flat else 4)


def _turns(result: Result) -> list[Turn]:
    """The word that stands out of each run that has something to tell: on the axes of the first."""
    texts = [(run, text) for run in result.runs if (text := words_of(run))]
    need(texts, "it has no text whose words go through layers of attention")
    alone = "no word takes from another one of its text; try the figure 'attention'"
    need(any(text.sees.any() for _, text in texts), alone)
    texts = [(run, text) for run, text in texts if text.before.labels[1] == texts[0][1].before.labels[1]]
    turning = [(run, text, word) for run, text in texts if shows_turn(text, word := hero(result, text))]
    turns = [Turn(*one, goal(*one[1:]), *_way(*one)) for one in turning]
    query = result.figure.query
    need(turns, f"{NOTHING}attention " + (f"does not turn '{query}'" if query else "turns no word"))
    why = f"'{turns[0].name}' turns towards no word that it sees, and is no sum of words; try the figure 'qkv'"
    need(turns[0].towards is not None or turns[0].terms, NOTHING + why)
    return [turn for turn in turns if turn.towards is not None or turn.terms]


def _marks(turn: Turn, at: list[int]) -> list[Mark]:
    """A word before and after, what is added to it head to tail, and the words that it sees, its goal first."""
    ends, before, tokens = turn.ends[:, at], turn.words.before.values[:, at], turn.words.tokens
    far = np.linalg.norm(before, axis=1)
    seen = [i for i in np.flatnonzero(turn.words.sees[turn.word]).tolist() if far[i] > SMALL * far.max()]
    seen = sorted(seen, key=lambda i: (i != turn.towards, -far[i]))[:NAMED]
    long = np.flatnonzero(np.linalg.norm(np.diff(ends, axis=0), axis=1) > SMALL * np.abs(ends).max())
    start, end, others = before[[turn.word]], ends[-1:], before[seen]
    colours = ["ink" if i == turn.towards else "faint" for i in seen]
    what = say("what attention adds") if turn.terms else say("what each layer adds")
    return [  # names of the first have their places first
        Arrows(ORIGIN, start, "plus", 0.8, head=False, dashed=True),
        Points(start, (), "plus", hollow=True, key=say("before")),
        Arrows(ORIGIN, end, "plus", 2),
        Points(end, [indexed(turn.name)], "plus", key=say("after")),
        Arrows(ends[long], ends[long + 1], "value", 1.4, key=what),
        Points((ends[long] + ends[long + 1]) / 2, [turn.steps[k] for k in long], "value", size=0),
        Arrows(0 * others, others, colours, 0.6, head=False),
        Points(others, [indexed(tokens[i]) for i in seen], colours),
    ]


def _way(run: Run, text: Words, word: int) -> tuple[list[str], np.ndarray, bool]:
    """What is added to a word, as in `Turn`: words with their weights, if it is their sum; else one step a layer."""
    words, before, after = text.before.values, text.before.values[word], text.after.values[word]
    every = [(weights, run.arrays.get(f"{place} values")) for place, weights in tables(run, "weights")]
    heads = [(weights, values.values) for weights, values in every if values is not None]
    if len(text.states) == 1 and all(one.labels[1] == text.tokens and v.shape == words.shape for one, v in heads):
        parts = sum((one.values[word][:, None] * values for one, values in heads), np.zeros(words.shape))
        start = before * np.allclose(before + parts.sum(axis=0), after)
        if np.allclose(start + parts.sum(axis=0), after):
            if not start.any() and np.allclose(parts[word], before):
                start, parts[word] = before, 0
            what = "{}" if np.allclose(heads[0][1], words) else "value of {}"
            weights = heads[0][0].values[word] if len(heads) == 1 else np.ones(len(words))
            return *_terms(text.tokens, word, start, parts, weights, what), True
    layers = [say("layer {}", k + 1) if len(text.states) > 1 else "" for k in range(len(text.states))]
    return layers, np.array([before, *(state.values[word] for state in text.states)]), False


def _terms(
    tokens: Sequence[str], word: int, start: np.ndarray, parts: np.ndarray, weights: np.ndarray, what: str
) -> tuple[list[str], np.ndarray]:
    """The way to the sum of `parts`: the longest have arrows of their own, the word itself first."""
    order = np.argsort(-np.linalg.norm(parts, axis=1), kind="stable")[: np.count_nonzero(parts.any(axis=1))].tolist()
    count = TERMS if len(order) > TERMS + 1 else TERMS + 1
    largest, rest = sorted(order[:count], key=lambda k: (k != word, k)), order[count:]
    names: list[str] = []
    for k in largest:
        weight, token = float(weights[k]), indexed(tokens[k])
        sign = "− " if weight < 0 else "+ " if start.any() or names else ""
        one = number(abs(weight)) == "1"
        names.append(say(sign + what, token) if one else say(sign + "{} " + what, abs(weight), token))
    names += [say("+ {} others", len(rest))] if rest else []
    steps = [*parts[largest], parts[rest].sum(axis=0)][: len(names)]
    return names, np.cumsum([start, *steps], axis=0)


@figure("how the query matrix of a head slants the plane of its words", "two-spaces")
def space(result: Result) -> Sheet:
    """The words of a plane, and the same words after the query matrices of two runs, with the lines of its grid."""
    none = "it has no head whose query matrix maps a plane of words to a plane; try the figure 'qkv'"
    need({"input", QUERIES} <= {*result.runs[0].arrays}, none)
    words = result.runs[0].arrays["input"]
    before, tokens = words.values[:, np.any(words.values != 0, axis=0)], words.labels[0]
    need(before.shape[1] == 2 and np.linalg.matrix_rank(before) == 2, none)
    word = query_of(result, tokens)
    planes: list[tuple[str, np.ndarray, str]] = [(tokens[word], np.eye(2), say("the words"))]
    for run, name in zip(result.runs[:RUNS], run_names(result.runs)[:RUNS], strict=True):
        after = run.arrays[QUERIES].values if QUERIES in run.arrays else before
        matrix = np.linalg.lstsq(before, after)[0] if after.shape == before.shape else np.eye(2)
        near, nearer = ([float(cosine(at[word], one)) for one in at] for at in (before, before @ matrix))
        best = int(np.argmax(np.subtract(nearer, near)))
        if after.shape == before.shape and np.allclose(before @ matrix, after) and nearer[best] > near[best] + SEEN:
            rise = say("cosine {}" + ARROW, near[best], nearer[best])
            planes.append((tokens[best], matrix, below(name, rise)))
    need(len(planes) > 1, f"{NOTHING}no matrix turns '{tokens[word]}' towards another word")
    corners = [np.vstack([ORIGIN, before @ matrix]) for _, matrix, _ in planes]
    half = np.max([np.ptp(one, axis=0) for one in corners], axis=0) / 2  # one unit in all panels
    x, y = np.linspace(np.minimum(before.min(axis=0), 0), before.max(axis=0).clip(0), LINES + 1).T
    lines = np.array([[(k, y[0]), (k, y[-1])] for k in x] + [[(x[0], k), (x[-1], k)] for k in y])
    names, panels, goals = [indexed(token) for token in tokens], [], [*dict.fromkeys(one for one, *_ in planes[1:])]
    colours = ["plus" if i == word else "ink" for i in range(len(tokens))]
    for (goal_of, matrix, name), ends in zip(planes, corners, strict=True):
        after, (start, end) = before @ matrix, np.swapaxes(lines @ matrix, 0, 1)
        middle = (ends.min(axis=0) + ends.max(axis=0)) / 2
        across, up = np.transpose([middle - half, middle + half]).tolist()
        arcs = [_angle(after[word], after[tokens.index(one)]) for one in (goals if name == planes[0][2] else [goal_of])]
        grid = Arrows(start, end, "faint", 0.5, head=False)
        arrows = Arrows(0 * after, after, colours, [1 + (i == word) for i in range(len(tokens))])
        panels.append(
            Panel([grid, arrows, Points(after, names, colours), *arcs], name, layout="free", x_range=across, y_range=up)
        )
    both = "one matrix brings ‘{}’ nearer to ‘{}’, another to ‘{}’"
    template = both if len(goals) > 1 else "a matrix brings ‘{}’ nearer to ‘{}’"
    title = say(template, *map(indexed, [tokens[word], *goals]))
    return Sheet(panels, title, [left_out(len(planes) - 1, len(result.runs), "runs", "run")])


def _angle(one: np.ndarray, other: np.ndarray) -> Curve:
    """The arc between two arrows from the origin, the shorter way round."""
    start, end = (np.arctan2(*way[::-1]) for way in (one, other))
    turns = start + np.linspace(0, 1, 25) * ((end - start + np.pi) % (2 * np.pi) - np.pi)
    radius = 0.4 * min(np.linalg.norm(one), np.linalg.norm(other))
    return Curve(radius * np.cos(turns), radius * np.sin(turns), colour="value", key=say("angle"))
