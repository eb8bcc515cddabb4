"""What attends to what, and with which weight."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import compress, pairwise
from typing import Any, NamedTuple

import numpy as np

from hopattn.circuits.scores import even_attention, head_scores
from hopattn.figures.choice import LONG, UNCHANGED, mask_of, query_of
from hopattn.figures.figure import figure, left_out, need
from hopattn.figures.policies import NOTHING, hero, run_names, runs_with, words_of
from hopattn.figures.sheet import Arrows, Cells, Colour, Mark, Nodes, Panel, Points, Sheet, say
from hopattn.figures.text import LABEL, indexed, label, subscripted, unnumbered, width
from hopattn.foundation.errors import InvalidInput
from hopattn.results.labelled import Labelled
from hopattn.scenario.arrays import Name
from hopattn.scenario.result import Result, Run

MOST_HEADS, MOST_RUNS, MOST_ROWS, MOST_TEXTS = 12, 4, 12, 2
"""The most heads and runs with panels of their own, heads as rows of a table, and texts with arcs."""
MOST_WORDS, MOST_NUMBERS, MOST_NAMES = 14, 20, 60
"""The most words with lines between them, cells beside each other with numbers, and words with names at a table."""
FAINT, NARROW, HIGHEST, KINDS = 0.1, 0.6, 1.7, 6
"""The smallest weight with an arc or a line, as a part of the largest; the side of a cell, in inches on a slide, below
which smaller ones have no number; the height of an arc, as `Arrows` has it; and the most kinds of words with colours.
"""
NARROWEST, ACROSS, GAP = 45.0, 84.0, 2.5
"""In letters: the least width of a text, the width of a slide, and the room between words."""


class Head(NamedTuple):
    """The weights of a head, with the title that tells it from the others."""

    title: str
    run: Run
    name: Name
    weights: Labelled

    @property
    def arrays(self) -> dict[str, Labelled]:
        """Its arrays by their quantities; none where it has no place."""
        return {
            one.quantity: array
            for one, array in ((Name.parse(name), array) for name, array in self.run.arrays.items())
            if one.place == self.name.place != ""
        }

    @property
    def mask(self) -> np.ndarray:
        """Which keys its mask lets through, shaped as the weights."""
        return mask_of(self.run, self.name.place, self.weights)


def heads_of(result: Result, lacks: str, fits: Callable[[Labelled], bool], *quantities: str) -> list[Head]:
    """The heads that have panels: all of the first run if these are several, else the first one of each run.

    lacks: the reason to refuse where there is none; empty for no refusal. fits: whether weights do. quantities: of the
    other arrays that they have.
    """
    texts = "", "encoder", "text", "sequence 1"
    every = [Head("", run, *one) for run in result.runs for one in run.find("weights") if one[0].text in texts]
    every = [one for one in every if one.weights.values.ndim == 2 and one.weights.values.size and fits(one.weights)]
    heads = [head for head in every if head.run is every[0].run]
    titles = place_names(heads)
    if len(heads) == 1 < len(every):
        heads = [*{id(head.run): head for head in reversed(every)}.values()][::-1]
        titles = run_names([head.run for head in heads])
    pairs = [pair for pair in zip(heads, titles, strict=True) if {*quantities} <= {*pair[0].arrays}]
    need(pairs or not lacks, lacks)
    return [head._replace(title=title) for head, title in pairs]


def place_names(heads: Sequence[Head]) -> list[str]:
    """What tells the places of heads from each other, such as "head 2"; an empty text for a single one."""
    names = [head.name for head in heads]
    differ = [part for part in ("layer", "head") if len({getattr(name, part) for name in names}) > 1]
    if len({name.text for name in names}) > 1 or (len(names) > 1 and not differ):
        return [name.place for name in names]
    template = " ".join(f"{part} {{}}" for part in differ)
    return [say(template, *(getattr(name, part) for part in differ)) for name in names]


def notes_of(result: Result, heads: Sequence[Head], shown: int) -> list[str]:
    """What a figure of some heads leaves out."""
    if heads[0].run is heads[-1].run:
        return [left_out(shown, len(heads), "heads", "head"), left_out(1, len(result.runs), "runs", "run")]
    return [left_out(shown, len(result.runs), "runs", "run")]


def colours_of(*values: np.ndarray) -> str:
    """The colours of the cells of all numbers that are shown together."""
    return "signed" if any(np.any(one < 0) for one in values) else "weights"


def star(result: Result, run: Run, tokens: tuple[str, ...]) -> int:
    """The index of the query that stands out."""
    words = words_of(run)
    return hero(result, words) if words and words.tokens == tokens else query_of(result, tokens)


@figure("which word attends to which, and with what weight", "causal-mask")
def attention(result: Result) -> Sheet:
    """The weights of each head; keys that a mask hides are hatched. A network has its couplings instead."""
    heads = heads_of(result, "", lambda weights: True)
    heads = heads or [Head("", result.runs[0], *one) for one in result.runs[0].find("couplings")]
    need(heads, "it has no weights of attention and no couplings")
    shown = heads[: MOST_HEADS if heads[0].run is heads[-1].run else MOST_RUNS]
    tables = [head.run.table(str(head.name)) for head in shown]
    rows, keys = max((table.values.shape for table in tables), key=max)
    sides = [min((16 / n - 1) / keys, (8 / -(-len(shown) // n) - 1.2) / rows) for n in range(1, min(len(shown), 6) + 1)]
    columns = 1 + int(np.argmax(sides))  # with which cells are largest on a slide
    colours = colours_of(*(table.values for table in tables))
    most = max(float(np.abs(one.values).max()) for one in tables)
    square = all(1 / 3 <= one.values.shape[1] / len(one.values) <= 3 for one in tables)
    panels, wide = [], max(rows, keys) * columns
    least = FAINT if colours == "weights" and max(sides) < NARROW else -np.inf  # of numbers in small cells
    scale = say(heads[0].name.quantity) if wide > MOST_NUMBERS else ""
    for head, one in zip(shown, tables, strict=True):
        hidden = ~mask_of(head.run, head.name.place, one)
        key = say("hidden by the mask") if hidden.any() else ""
        few = (wide <= MOST_NUMBERS) & (one.values >= least)
        down, across = (subscripted(line) if len(line) <= MOST_NAMES else () for line in one.labels)
        look: Any = {"most": most, "square": square, "scale": scale, "key": key}
        cells = Cells(one.values, down, across, hidden, colours, few, **look)
        panels.append(Panel([cells], head.title, say(one.dims[1]), say(one.dims[0]), "grid"))
    shared = "xy" if len(tables) > 1 and len({one.labels for one in tables}) == 1 else ""
    notes = notes_of(result, heads, len(shown))
    notes += [say("without numbers: below {}", FAINT)] * (least == FAINT and not scale)
    return Sheet(panels, notes=notes, in_a_row=columns, shared=shared)


@figure("which words a word looks at, as arcs over the text", "two-heads")
def flow(result: Result) -> Sheet:
    """Arcs from each key to the queries that attend to it; those of the word that stands out have a colour."""
    lacks = "it has no text that attends to itself; try the figure 'translation'"
    heads = heads_of(result, lacks, lambda weights: len({*weights.labels}) == 1 < len(weights.values))
    texts = []
    for head in heads:
        word, sizes = star(result, head.run, head.weights.labels[0]), np.abs(head.weights.values)
        least = FAINT * max(float(sizes.max()), 1e-9)
        pairs = np.argwhere(sizes * (1 - np.eye(len(sizes))) >= least).tolist()
        texts += [(head, word, sorted(pairs, key=lambda pair: pair[0] == word))] if pairs else []
    need(texts, f"{NOTHING}each word attends to itself, or nearly; try the figure 'attention'")
    texts = texts[:MOST_TEXTS]
    tables = [head.weights for head, *_ in texts]
    across = max(sum(width(word) + GAP for word in table.labels[0]) for table in tables)
    need(across < ACROSS, "its words do not fit on a line; try the figure 'attention'")
    beside = len(texts) > 1 and across < 1.2 * NARROWEST
    height, least = (0.75, NARROWEST) if beside else (0.45 / len(texts) ** 2, 2 * NARROWEST / len(texts))
    panels = [_arcs(*text, height, least) for text in texts]
    ends = np.array([panel.y_range for panel in panels], float)
    itself = any(np.diag(table.values).max() >= FAINT * np.abs(table.values).max() for table in tables)
    notes = notes_of(result, heads, len(texts)) + [say("without the weights of words for themselves")] * itself
    panels = [replace(panel, y_range=(ends[:, 0].min(), ends[:, 1].max())) for panel in panels]
    return Sheet(panels, notes=notes, in_a_row=1 + beside)


def _job(head: Head) -> str:
    """The title of a head: what its words look at, where that is the word before for all of them, or one word."""
    values, tokens = head.weights.values, head.weights.labels[0]
    most = [(i, int(np.argmax(row))) for i, row in enumerate(values) if row.max() >= max(np.abs(row).sum() / 2, 1e-9)]
    others = [(i, j) for i, j in most if i != j]
    if len(others) < max(2, len(most) - 1):
        return head.title
    job = say("‘{}’", indexed(tokens[others[0][1]])) if len({j for _, j in others}) == 1 else ""
    job = say("the word before") if all(j == i - 1 for i, j in others) else job
    return say("{}: {}", head.title, job) if head.title and job else head.title or job


def _arcs(head: Head, word: int, pairs: Sequence[Sequence[int]], height: float, least: float) -> Panel:
    """The arcs of a head over its words, in letters. height: of them, as a part of the width. least: of the width."""
    tokens = head.weights.labels[0]
    rooms = np.array([width(word) + GAP for word in tokens])
    rooms *= max(1.0, least / rooms.sum())
    x, span = np.cumsum(rooms) - rooms / 2, float(rooms.sum())
    queries, keys = np.array(pairs).T
    weights, ways = head.weights.values[queries, keys], x[queries] - x[keys]
    bend = min(HIGHEST, 2 * height * span / float(max(0, *ways) - min(0, *ways)))
    few = np.sum(queries == word) <= 4 and np.all(np.abs(ways[queries == word]) > 0.2 * span)
    marks: list[Mark] = []
    for below, star in ((True, False), (True, True), (False, False), (False, True)):  # behind: weights below 0, thin
        shown = ((weights < 0) == below) & ((queries == word) == star)
        if not shown.any():
            continue
        i, j, weight = queries[shown], keys[shown], weights[shown]
        start, end = (np.stack([x[k], 0.025 * span * np.sign(i - j)], 1) for k in (j, i))
        sizes = np.minimum(0.6 + 2.4 * np.abs(weight) / np.abs(weights).max(), 1.2 if below else 3.0)
        texts = [say("{}", size) for size in weight] if few and star else ()
        key = say("below 0") if below else say("what ‘{}’ takes", indexed(tokens[word])) if star else ""
        colour = "minus" if below and star else "plus" if star else "faint"
        marks.append(Arrows(start, end, colour, sizes, True, below, bend, texts, key=key))
    colours = ["plus" if k == word else "ink" for k in range(len(tokens))]
    marks.append(Nodes(np.stack([x, 0 * x], 1), subscripted(tokens), "plain", colours, size=1.15))
    ends = 0.55 * bend * float(min(0, *ways)) - 2, 0.55 * bend * float(max(0, *ways)) + 2
    return Panel(marks, _job(head), layout="free", x_range=(0, span), y_range=ends)


@figure("attention between two texts: a line from each word to those that it looks at", "cross-attention")
def translation(result: Result) -> Sheet:
    """Two lines of words, without full stops; the wider a line between two words, the larger the weight."""
    lacks = "it has no words that attend to another text; try the figure 'flow'"
    heads = heads_of(
        result, lacks, lambda w: w.dims == ("query", "key") and w.labels[0] != w.labels[1] and min(w.values.shape) > 1
    )
    head = heads[0]
    words = [[any(map(str.isalnum, word)) for word in line] for line in head.weights.labels]
    weights = head.weights.values[np.ix_(*words)]
    many = f"it has more than {MOST_WORDS} words, or weights below 0, or of 0 alone; try the figure 'attention'"
    need(0 < max(weights.shape) <= MOST_WORDS and weights.min() >= 0 < weights.max(), many)
    letters, high, edge = ACROSS / max(weights.shape), 0.4 * ACROSS, 0.05 * ACROSS
    texts = [compress(unnumbered(line), kept) for line, kept in zip(head.weights.labels, words, strict=True)]
    written, read = ([label(word, min(LABEL, letters - GAP)) for word in line] for line in texts)
    kinds = [*dict.fromkeys(read)]
    tones = [kinds.index(word) if len(kinds) <= KINDS else "ink" for word in read]
    x = (np.arange(max(weights.shape)) + 0.5) * letters
    below, above = (np.stack([x[: len(line)], 0 * x[: len(line)] + y], 1) for line, y in ((written, 0), (read, high)))
    pairs = np.argwhere(weights > FAINT * weights.max())
    i, j = pairs[np.argsort(weights[tuple(pairs.T)], kind="stable")].T
    sizes, colours = 1 + 4 * weights[i, j] / max(1.0, weights.max()), [tones[k] for k in j]
    start, end, few = below[i] + (0, edge), above[j] - (0, edge), len(i) <= LONG
    marks = [
        Arrows(start, end, colours, sizes, head=False, key="" if few else say("the wider, the larger the weight")),
        Points(
            start + 0.3 * (end - start) + (0.025 * ACROSS, 0),
            [say("{}", one) for one in weights[i, j]] * few,
            colours,
            size=0,
        ),
        Nodes(above, read, "plain", tones, bold=True),
        Nodes(below, written, "plain", bold=True),
    ]
    panel = Panel(marks, "", "", "", "free", (0, ACROSS), (-edge, high + edge))
    rest = say("weights below a tenth of the largest are not drawn") if len(i) < np.count_nonzero(weights) else ""
    return Sheet([panel], notes=[rest, *notes_of(result, heads, 1)])


SCORES_IN_WORDS = ("the word\nbefore", "earlier\ncopies", "what followed\nthe copies", "the first\nword")
"""What a head attends to, in the order of `head_scores`."""


@figure("what each head attends to: the word before, earlier copies, what followed them, the first word", "head-scores")
def heads(result: Result) -> Sheet:
    """The share of attention that goes to four kinds of words: a row for each head, a table for each run."""
    every = [(run, scored) for run in result.runs if (scored := [*_scored(run)])]
    need(every, "it has no head that shares its attention among words of which one repeats; try the figure 'attention'")
    _, scored = next((one for one in every if not all(np.allclose(*both) for _, both in one[1])), every[0])
    (scores, even), kept = np.stack([both for _, both in scored[:MOST_ROWS]], axis=1), scored[:MOST_ROWS]
    framed = [(int(i), int(j)) for i, j in np.argwhere((even > 0) & (scores >= 2 * even))]
    key = say("at least twice what an even spread gives") if framed else ""
    names, columns = place_names([head for head, _ in kept]), [say(text) for text in SCORES_IN_WORDS]
    cells = Cells(scores, names, columns, most=1.0, framed=framed, square=False, key=key)
    twice = say("one word may be of two kinds, so rows may sum to more than 1")
    notes = [left_out(len(kept), len(scored), "heads", "layer or head"), left_out(1, len(result.runs), "runs", "run")]
    return Sheet([Panel([cells], layout="grid")], notes=[*notes, twice if scores.sum(axis=1).max() > 1.005 else ""])


def _scored(run: Run) -> Iterator[tuple[Head, np.ndarray]]:
    """The heads of a run that have scores: with these, and with those of attention that is spread evenly, `(2, 4)`."""
    for name, weights in run.find("weights"):
        if weights.dims == ("query", "key") and len({*weights.labels}) == 1:
            mask = run.arrays.get(f"{name.place} mask".strip())
            even = even_attention(np.tril(np.ones(weights.values.shape)) if mask is None else mask.values)
            with suppress(InvalidInput):  # a text that repeats no word, or weights that are not shares
                both = [head_scores(one, unnumbered(weights.labels[0])) for one in (weights.values, even)]
                yield Head("", run, name, weights), np.array([[*map(float, one.values())] for one in both])


@figure("the sequences of a task by model: which answers are right, and which are wrong", "all-a-any-b")
def sixteen(result: Result) -> Sheet:
    """A column for each sequence: its words, the right answer, and that of each model, orange where it is wrong."""
    runs = runs_with(result, "it has no task", "tokens", "answer", "given")
    asked, right = (runs[0].arrays[name].values.tolist() for name in ("tokens", "answer"))
    alike = [run for run in runs if run.arrays["tokens"].values.tolist() == asked][:MOST_RUNS]
    answers = [right, *(run.arrays["given"].values.tolist() for run in alike)]
    longest = max(map(width, [*" ".join(asked).split(" "), *(text for one in answers for text in one)]))
    words = [text.split(" ") for text in asked[: min(16, int(60 / (longest + 1.5)))]]
    count, n = len(words), max(map(len, words))
    need(n <= LONG, f"it has sequences of {n} words; there is room for {LONG}")
    texts = np.array([[""] * (n - len(text)) + text for text in words]).T
    kinds = sorted({*texts.flat} - {""})
    tones = np.where(texts == "", np.nan, 0.25 * (texts == kinds[-1]) * (len(kinds) == 2))
    wrong = -np.array(np.array(answers) != right, float)
    correct = (wrong == 0).sum(axis=1)[1:].tolist()
    names = [label(run.name or UNCHANGED, 24) for run in alike]
    rows = [say("right answer"), *(say("{}: {} of {}", *one, len(asked)) for one in zip(names, correct, strict=True))]
    y = np.r_[:n, n + 0.5 : n + 0.5 + len(answers)]
    places = np.stack(np.meshgrid(np.arange(count), y), axis=-1).reshape(-1, 2)
    framed = np.argwhere(wrong[:, :count]).tolist()
    look: Any = {"most": 1.4, "framed": framed, "key": say("wrong") if framed else ""}
    marks: list[Mark] = [
        Cells(tones, [say("sequence ↓"), *[""] * (n - 1)], most=1.0, numbers=False, square=longest <= 2),
        Cells(wrong[:, :count], rows, colours="signed", numbers=False, at=(0, n + 0.5), **look),
        Nodes(places, [*texts.flat, *(text for one in answers for text in one[:count])], "plain", size=1.15),
    ]
    notes = [left_out(count, len(asked), "sequences"), left_out(len(alike), len(runs), "runs", "run")]
    errors, title = np.argwhere(wrong).tolist(), ""
    if len(errors) == 1:  # one model errs, on one sequence
        title = say("{}: wrong on {} alone", alike[errors[0][0] - 1].name or UNCHANGED, asked[errors[0][1]])
    return Sheet([Panel(marks, layout="grid")], title, notes)


@figure("a small program in heads: which words each result is made of", "reverse")
def program(result: Result) -> Sheet:
    """The sequences of a program from top to bottom, with arrows from the words that its last head selects."""
    need(result.kind == "program", "it has no steps of a program")
    arrays = [(Name.parse(name), array) for name, array in result.runs[0].arrays.items()]
    sequences = {name.stage: one.values for name, one in arrays if one.values.ndim == 1 and name.quantity == "values"}
    selections = [i for i, (_, one) in enumerate(arrays) if one.values.ndim == 2]
    need(selections, "it has no head: each word goes its own way")
    weights = np.asarray(arrays[selections[-1]][1].values, float)
    need(len(weights) <= MOST_WORDS, f"it has {len(weights)} words; there is room for {MOST_WORDS}")
    names, later = [*sequences], [name.stage for name, _ in arrays[selections[-1] :] if name.stage in sequences]
    goal = names.index(later[0])
    result_of = sequences[names[goal]]
    numbers = [name for name in names[1:goal] if {sequences[name].dtype.kind, result_of.dtype.kind} <= {*"biuf"}]
    made = [name for name in numbers if np.allclose(weights @ sequences[name], result_of)][-1:]
    above = [*[name for name in names[1:goal] if name not in made][-2 + len(made) :], *made]
    rows = [names[0], *above, names[goal], *names[goal + 1 :][-1:]]
    y = np.cumsum([0.0, *[-0.7] * len(above), -2.0, *[-0.7] * (len(rows) - len(above) - 2)])
    x = (np.arange(len(weights)) + 0.5) * max(1.0, -1.9 * float(y[-1]) / len(weights))
    queries, keys = np.nonzero(weights > 0)
    sizes = 0.6 + 1.4 * weights[queries, keys] / max(float(weights.max()), 1e-9)
    ends = (keys, y[len(above)] - 0.3), (queries, y[len(above) + 1] + 0.3)
    start, end = (np.stack([x[k], 0 * k + at], 1) for k, at in ends)
    words = sequences[names[0]].tolist()
    kinds = [*dict.fromkeys(words)]
    moves = len(kinds) <= KINDS and sorted(keys) == queries.tolist() == [*range(len(x))]  # a colour leads each word
    tones: list[Colour] = [kinds.index(word) if moves else "plus" for word in words]
    colours = [tones[k] for k in keys]
    bright: dict[str, Any] = {names[0]: tones, names[goal]: colours} if moves else {names[goal]: "plus"}
    marks: list[Mark] = [Arrows(start, end, colours, sizes, head=len(keys) <= 2 * len(x))] if len(keys) else []
    for at, name in zip(y, rows, strict=True):
        texts = [one if isinstance(one, str) else say("{}", float(one)) for one in sequences[name].tolist()]
        big = name in (names[0], rows[-1])
        colour = bright.get(name, "ink" if big else "faint")
        marks.append(Nodes(np.stack([x, 0 * x + at], 1), texts, "plain", colour, size=1.4 if big else 1.1, bold=big))
    heads = _by_heads(arrays, names)
    ticks = {float(at): heads.get(name, name or say("tokens")) for at, name in zip(y, rows, strict=True)}
    box = (0, float(x[0] + x[-1])), (float(y[-1]) - 0.4, 0.4)
    notes = [left_out(len(rows), len(sequences), "sequences"), left_out(1, len(result.runs), "runs", "run")]
    return Sheet([Panel(marks, "", "", "", "free", *box, y_ticks=ticks)], notes=notes)


def _by_heads(arrays: Sequence[tuple[Name, Labelled]], names: list[str]) -> dict[str, str]:
    """The names of the sequences that heads make, with the number of each head; none for a single one."""
    made = [name.stage for name, _ in arrays if name.quantity == "weights"]
    for (before, table), (after, counts) in pairwise(arrays):  # a width counts what the selection before it selects
        if before.quantity == "selection" and np.array_equal(table.values.sum(axis=1), counts.values):
            made.append(after.stage)
    numbers = enumerate(sorted(made, key=names.index), 1)
    return {name: say("{}: {}", say("head {}", k), name) for k, name in numbers} if len(made) > 1 else {}
