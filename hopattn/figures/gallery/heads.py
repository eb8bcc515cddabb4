"""What attends to what, and with which weight."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from hopattn.circuits.scores import SCORES, even_attention, head_scores
from hopattn.figures.choice import AS_WRITTEN, LONG, mask_of, query_of, strongest_keys
from hopattn.figures.figure import figure, left_out, need
from hopattn.figures.policies import NOTHING, hero, run_names, words_of
from hopattn.figures.sheet import Arrows, Cells, Colour, Colours, Mark, Nodes, Panel, Sheet, say
from hopattn.figures.text import LABEL, indexed, short, subscripted, unnumbered, width
from hopattn.foundation.errors import InvalidInput
from hopattn.results.labelled import Labelled
from hopattn.scenario.arrays import Name
from hopattn.scenario.result import Result, Run

MOST_HEADS, MOST_RUNS, MOST_ROWS = 12, 4, 12
"""The most heads and runs with panels of their own, and the most heads as the rows of one table."""
MOST_WORDS, MOST_NUMBERS, MOST_KEYS = 14, 20, 3
"""The most words of a text between whose words there are lines, the most cells beside each other with numbers, and the
most keys of the one word of a long text.
"""
FAINT = 0.1
"""The smallest weight that has an arc or a line, as a part of the largest."""
MOST_NAMES = 60
"""The most words with names beside a table."""
NARROWEST, ACROSS = 45.0, 84.0
"""The least width of a text, in letters: the words of a shorter one are farther apart; and that of a whole slide."""


class Head(NamedTuple):
    """The weights of a head, with the title that tells it from the others."""

    title: str
    run: Run
    name: Name
    weights: Labelled


def heads_of(result: Result, fits: Callable[[Labelled], bool]) -> list[Head]:
    """The heads that have panels: all of the first run if these are several, else the first one of each run."""
    texts = "", "encoder", "text", "sequence 1"
    of_runs = [[(run, name, w) for name, w in run.find("weights") if name.text in texts] for run in result.runs]
    fitting = [
        [one for one in own if one[2].values.ndim == 2 and one[2].values.size and fits(one[2])] for own in of_runs
    ]
    fitting = [own for own in fitting if own] or [[]]
    several = len(fitting) == 1 or len(fitting[0]) > 1
    shown = fitting[0] if several else [own[0] for own in fitting]
    titles = place_names([name for _, name, _ in shown]) if several else run_names([run for run, *_ in shown])
    return [Head(title, *one) for title, one in zip(titles, shown, strict=True)]


def place_names(names: Sequence[Name]) -> list[str]:
    """What tells the places of heads from each other, such as "head 2"; an empty text for a single one."""
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


def star(result: Result, run: Run, tokens: tuple[str, ...]) -> int:
    """The index of the query that stands out."""
    own = words_of(run)
    return hero(result, own) if own and own.tokens == tokens else query_of(result, tokens)


def spaced(words: Sequence[str], least: float = NARROWEST) -> np.ndarray:
    """The middles of words in a line, in letters, as a sentence has them. least: the width of the line."""
    widths = np.array([width(word) + 2.5 for word in words])
    ends = np.cumsum(widths)
    return np.asarray((ends - widths / 2) * max(1.0, least / ends[-1]))


def _columns(count: int, rows: int, keys: int) -> int:
    """The number of tables beside each other with which their cells are largest on a slide."""

    def cell(columns: int) -> float:
        lines = -(-count // columns)
        return min((16 / columns - 1) / keys, (8 / lines - 1.2) / rows)

    return max(range(1, min(count, 6) + 1), key=cell)


@figure("which word attends to which, and with what weight", "causal-mask")
def attention(result: Result) -> Sheet:
    """The weights of each head; keys that a mask hides are hatched. A network has its couplings instead."""
    heads = heads_of(result, lambda weights: True)
    heads = heads or [Head("", run, name, one) for run in result.runs[:1] for name, one in run.find("couplings")]
    need(heads, "it has no weights of attention and no couplings")
    shown = heads[: MOST_HEADS if heads[0].run is heads[-1].run else MOST_RUNS]
    tables = [head.run.table(str(head.name)) for head in shown]
    columns = _columns(len(shown), *max((one.values.shape for one in tables), key=max))
    colours = "signed" if any(one.values.min() < 0 for one in tables) else "weights"
    most = max(float(np.abs(one.values).max()) for one in tables)
    square = all(1 / 3 <= one.values.shape[1] / len(one.values) <= 3 for one in tables)
    panels = []
    for head, one in zip(shown, tables, strict=True):
        hidden, few = ~mask_of(head.run, head.name.place, one), max(one.values.shape) * columns <= MOST_NUMBERS
        key = say("hidden by the mask") if hidden.any() else ""
        rows, keys = (subscripted(line) if len(line) <= MOST_NAMES else () for line in one.labels)
        cells = Cells(one.values, rows, keys, hidden, colours, few, most=most, square=square, key=key)
        panels.append(Panel([cells], head.title, say(one.dims[1]), say(one.dims[0]), "grid"))
    shared = "xy" if len(tables) > 1 and len({one.labels for one in tables}) == 1 else ""
    return Sheet(panels, notes=notes_of(result, heads, len(shown)), in_a_row=columns, shared=shared)


@figure("which words a word looks at, as arcs over the text", "two-heads")
def flow(result: Result) -> Sheet:
    """Arcs from each key to the queries that attend to it; those of the word that stands out have a colour."""
    heads = heads_of(result, lambda weights: len({*weights.labels}) == 1 and len(weights.values) > 1)
    need(heads, "it has no text that attends to itself; try the figure 'translation'")
    tokens = heads[0].weights.labels[0]
    first = tokens[star(result, heads[0].run, tokens)]
    arcs = []
    for head in heads:
        tokens = head.weights.labels[0]
        word = tokens.index(first) if first in tokens else star(result, head.run, tokens)
        arcs.append((head, word, _pairs(head, word)))
    seen = [one for one in arcs if one[2]]
    need(seen, f"{NOTHING}each word attends to itself, or nearly; try the figure 'attention'")
    if len(seen) > MOST_RUNS and heads[0].run is heads[-1].run:
        largest = [max(abs(float(head.weights.values[pair])) for pair in pairs) for head, _, pairs in seen]
        seen = [seen[k] for k in sorted(np.argsort(np.negative(largest), kind="stable")[:MOST_RUNS])]
    shown = seen[:MOST_RUNS]
    letters = max(sum(width(token) + 2.5 for token in head.weights.labels[0][:LONG]) for head, *_ in shown)
    in_a_row = 1 if letters > 1.2 * NARROWEST else 3 if len(shown) == 3 and letters < 0.6 * NARROWEST else 2
    rows = -(-len(shown) // in_a_row)
    ahead = any(np.triu(head.weights.values, 1).any() for head, *_ in shown)
    tall = (1.3 if in_a_row > 1 else 0.8) * (0.7 if ahead else 1.0) / (1, 2, 3.5, 5)[rows - 1]
    panels = [_arcs(*one, tall, NARROWEST * (2 if len(shown) == 1 else 1)) for one in shown]
    reach = (
        tall
        / 2
        * np.concatenate(
            [[0.0], *((arc.end - arc.start)[:, 0] for one in panels for arc in one.marks if isinstance(arc, Arrows))]
        )
    )
    ends = float(1.1 * reach.min()) - 2, float(1.1 * reach.max()) + 2
    itself = any(np.diag(one[0].weights.values).max() >= FAINT * np.abs(one[0].weights.values).max() for one in shown)
    notes = [*notes_of(result, heads, len(shown)), say("without the weights of words for themselves") if itself else ""]
    if any(len(head.weights.values) > LONG for head, *_ in shown):
        notes.append(say("the keys of largest weight"))
    return Sheet([replace(panel, y_range=ends) for panel in panels], notes=notes, in_a_row=in_a_row)


def _pairs(head: Head, word: int) -> list[tuple[int, int]]:
    """The words with arcs between them, as (query, key), those of one word last; of a long text, those of it alone."""
    values = head.weights.values
    others = np.where(np.eye(len(values), dtype=bool), 0, values)
    if len(values) > LONG:
        asking, keys = [word], sorted(strongest_keys(others[word]), key=lambda j: -abs(others[word, j]))[:MOST_KEYS]
    else:
        asking = keys = [*range(len(values))]
    least = FAINT * max(float(np.abs(values[asking]).max()), 1e-9)
    pairs = [(i, j) for i in asking for j in sorted(keys) if abs(others[i, j]) >= least]
    return sorted(pairs, key=lambda pair: pair[0] == word)


def _job(head: Head) -> str:
    """The title of a head: what its words look at, where that is the word before for all of them, or one word."""
    values, tokens = head.weights.values, head.weights.labels[0]
    at = [(i, int(np.argmax(row))) for i, row in enumerate(values) if row.max() >= max(0.5 * np.abs(row).sum(), 1e-9)]
    seen = [(i, j) for i, j in at if i != j]
    if len(seen) < max(2, len(at) - 1):
        return head.title
    (one, *more), name = {j for _, j in seen}, head.title
    job = (
        say("the word before")
        if all(j == i - 1 for i, j in seen)
        else ""
        if more
        else say("‘{}’", indexed(tokens[one]))
    )
    return say("{}: {}", name, job) if name and job else name or job


def _arcs(head: Head, word: int, pairs: Sequence[tuple[int, int]], tall: float, least: float) -> Panel:
    """The arcs of a head over its words. least: the width of the text."""
    values, tokens = head.weights.values, head.weights.labels[0]
    kept = [*range(len(tokens))] if len(tokens) <= LONG else sorted({word, *(j for _, j in pairs)})
    most = max(abs(float(values[pair])) for pair in pairs)
    names = [subscripted(tokens)[k] for k in kept]
    at = spaced(names, least)
    x, span = dict(zip(kept, at, strict=True)), float(at[-1] + at[0])
    own = [pair for pair in pairs if pair[0] == word]
    numbers = len(own) <= 4 and all(abs(x[i] - x[j]) > 0.2 * span for i, j in own)
    marks: list[Mark] = []
    for below in (True, False):  # weights below 0 are thin, and behind the others
        own = [pair for pair in pairs if (values[pair] < 0) == below]
        start, end = (
            np.array([[x[pair[k]], 0.025 * span * (1 if pair[1] < pair[0] else -1)] for pair in own]) for k in (1, 0)
        )
        sizes = [min(0.6 + 2.4 * abs(float(values[pair])) / most, 1.2 if below else 3.0) for pair in own]
        tones = ["faint" if i != word else "minus" if below else "plus" for i, _ in own]
        texts = [say("{}", float(values[pair])) if numbers and pair[0] == word else "" for pair in own]
        marks += [Arrows(start, end, tones, sizes, True, below, tall, texts)] if own else []
    colours = ["plus" if k == word else "ink" for k in kept]
    marks.append(Nodes(np.stack([at, 0 * at], 1), names, "plain", colours, size=1.15))
    return Panel(marks, _job(head), layout="free", x_range=(0, span))


def is_word(token: str) -> bool:
    """Whether a token is a word, and not a full stop."""
    return any(map(str.isalnum, token))


@figure("attention between two texts: a line from each word to those that it looks at", "cross-attention")
def translation(result: Result) -> Sheet:
    """Two lines of words; the wider a line between two words, the larger the weight."""
    heads = heads_of(
        result, lambda w: w.dims == ("query", "key") and w.labels[0] != w.labels[1] and min(w.values.shape) > 1
    )
    need(heads, "it has no words that attend to another text; try the figure 'flow'")
    need(any(head.weights.values.any() for head in heads), f"{NOTHING}all its weights are 0")
    first = heads[0].weights

    def unlike(one: Labelled) -> bool:
        same = one.labels[1] == first.labels[1] and one.values.shape == first.values.shape
        return not same or not np.allclose(one.values, first.values, 0, atol=0.05)

    shown = [heads[0], *(head for head in heads[1:] if unlike(head.weights))][:3]
    need(
        all(max(w.values.shape) <= MOST_WORDS and w.values.min() >= 0 for *_, w in shown),
        f"it has more than {MOST_WORDS} words, or weights below 0; try the figure 'attention'",
    )
    most = max(len(line) for head in shown for line in head.weights.labels)
    tokens = [
        [[short(word, min(LABEL, ACROSS / most - 2.5)) for word in unnumbered(line)] for line in head.weights.labels]
        for head in shown
    ]
    longest = max(sum(width(word) + 2.5 for word in line) for lines in tokens for line in lines)
    wide = longest > min(1.2 * NARROWEST, ACROSS / len(shown))
    kinds = [*dict.fromkeys(word for _, read in tokens for word in read if any(map(str.isalnum, word)))]
    edge = 0.08 * len(shown) if wide else 0.08  # the room of the words, as a part of the height
    panels = []
    for head, (written, read) in zip(shown, tokens, strict=True):
        values = head.weights.values
        above, below = spaced(read), spaced(written)
        if sum(map(is_word, read)) == sum(map(is_word, written)):  # each word is above one of the other text
            pairs = zip_longest(read, written, fillvalue="")
            line = spaced([max(pair, key=width) for pair in pairs])
            above, below = line[: len(read)], line[: len(written)]
            span = float(line[0] + line[-1])
        else:
            span = max(float(line[0] + line[-1]) for line in (above, below))
            above, below = (line * span / float(line[0] + line[-1]) for line in (above, below))
        high = span * (0.8 if not wide and len(shown) > 1 else 0.4 / len(shown))
        seen = sorted(np.argwhere(values > FAINT * values.max()).tolist(), key=lambda pair: float(values[*pair]))
        start = np.array([[above[j], (1 - edge) * high] for _, j in seen])
        end = np.array([[below[i], edge * high] for i, _ in seen])
        largest, few = max(1.0, float(values.max())), len(kinds) <= 6
        thick = [[5.0 if is_word(one) and is_word(other) else 1.0 for other in read] for one in written]
        sizes = [thick[i][j] * float(values[i, j]) / largest for i, j in seen]
        tones: list[Colour] = [kinds.index(word) if few and is_word(word) else "ink" for word in read]
        colours: Colours = ["faint" if tones[j] == "ink" else tones[j] for _, j in seen] if few else "plus"
        marks = [
            Arrows(start, end, colours, sizes, head=False),
            Nodes(np.stack([above, 0 * above + high], 1), read, "plain", tones, bold=True),
            Nodes(np.stack([below, 0 * below], 1), written, "plain", bold=True),
        ]
        ends = (0, span), (-edge * high, (1 + edge) * high)
        panels.append(Panel(marks, head.title if len(shown) > 1 else "", "", "", "free", *ends))
    return Sheet(panels, notes=notes_of(result, heads, len(shown)), in_a_row=1 if wide else 3)


SCORES_IN_WORDS = ("the word\nbefore", "earlier\ncopies", "what followed\nthem", "the first\nword")
"""What a head attends to, in the order of `SCORES`."""


@figure("what each head attends to: the word before, earlier copies, what followed them, the first word", "head-scores")
def heads(result: Result) -> Sheet:
    """The share of attention that goes to four kinds of words, for each head; that of many heads by layer."""
    rows, runs = [], [run for run in result.runs if _scored(run)]
    need(runs, "it has no head that shares its attention among words of which one repeats; try the figure 'attention'")
    for run, run_name in zip(runs, run_names(runs), strict=True):
        found = _scored(run)
        for (name, scores, even), place in zip(found, place_names([name for name, *_ in found]), strict=True):
            text = say("{}: {}", run_name, place) if run_name and place else say("{}", run_name or place)
            rows.append((text, name, scores, even))
    if len(rows) > MOST_ROWS and len({name for _, name, *_ in rows}) == len(rows):
        return _by_layer([(name, scores) for _, name, scores, _ in rows])
    chance = [row for row in rows if np.allclose(row[2], row[3], atol=1e-6)]
    if len(chance) > 1 and all(np.allclose(row[2], chance[0][2]) for row in chance):  # they are one row
        rows = [row for row in rows if not np.allclose(row[2], row[3], atol=1e-6)]
        rows.append((say("spread evenly"), *chance[0][1:]))
    shown = rows[:MOST_ROWS]
    twice = [(even > 0) & (scores >= 2 * even) for *_, scores, even in shown]
    framed = [(i, j) for i, one in enumerate(twice) for j in np.flatnonzero(one).tolist()]
    values, names = np.array([scores for _, _, scores, _ in shown]), [say(text) for text in SCORES_IN_WORDS]
    key = say("at least twice what attention spread evenly gives") if framed else ""
    colours = ["faint" if text == "spread evenly" else "ink" for text, *_ in shown]
    look: Any = {"framed": framed, "square": False, "key": key, "row_colours": colours}
    cells = Cells(values, [text for text, *_ in shown], names, most=1.0, **look)
    notes = [left_out(len(shown), len(rows), "heads", "run, layer or head")]
    return Sheet([Panel([cells], layout="grid")], notes=notes)


def _scored(run: Run) -> list[tuple[Name, np.ndarray, np.ndarray]]:
    """The heads of a run that have scores: with these, and with those of attention that is spread evenly."""
    scored = []
    for name, weights in run.find("weights"):
        if weights.dims == ("query", "key") and len({*weights.labels}) == 1:
            mask = run.arrays.get(f"{name.place} mask".strip())
            seen = np.tril(np.ones(weights.values.shape)) if mask is None else mask.values
            words = unnumbered(weights.labels[0])
            try:
                both = [head_scores(one, words) for one in (weights.values, even_attention(seen))]
            except InvalidInput:  # a text that repeats no word, or weights that are not shares
                continue
            scores, even = (np.array([float(own[key]) for key in SCORES]) for own in both)
            scored.append((name, scores, even))
    return scored


def _by_layer(rows: Sequence[tuple[Name, np.ndarray]]) -> Sheet:
    """Each score of many heads as a table: layers from the top, and their heads from the left."""
    layers, numbers = (sorted({getattr(name, part) or 1 for name, _ in rows}) for part in ("layer", "head"))
    values = np.full((len(SCORES), len(layers), len(numbers)), np.nan)
    for name, scores in rows:
        values[:, layers.index(name.layer or 1), numbers.index(name.head or 1)] = scores
    tables = [Cells(one, [*map(str, layers)], [*map(str, numbers)], most=1.0) for one in values]
    titles = [say(title.replace("\n", " ")) for title in SCORES_IN_WORDS]
    named = zip(tables, titles, strict=True)
    return Sheet([Panel([table], title, say("head"), say("layer"), "grid") for table, title in named], in_a_row=2)


@figure("the sequences of a task by model: which answers are right, and which are wrong", "all-a-any-b")
def sixteen(result: Result) -> Sheet:
    """A column for each sequence: its words, the right answer, and that of each model, orange where it is wrong."""
    runs = [run for run in result.runs if {"tokens", "answer", "given"} <= run.arrays.keys()]
    need(runs, "it has no task")
    asked, right = (runs[0].arrays[name].values.tolist() for name in ("tokens", "answer"))
    alike = [run for run in runs if run.arrays["tokens"].values.tolist() == asked][:4]
    answers = [right, *(run.arrays["given"].values.tolist() for run in alike)]
    longest = max(map(width, [*" ".join(asked).split(" "), *(text for one in answers for text in one)]))
    words = [text.split(" ") for text in asked[: min(16, int(60 / (longest + 1.5)))]]
    count, n = len(words), max(map(len, words))
    need(n <= LONG, f"it has sequences of {n} words; there is room for {LONG}")
    kinds = sorted({word for text in words for word in text})
    tones = np.full((n, count), np.nan)
    for j, text in enumerate(words):
        tones[n - len(text) :, j] = [kinds.index(word) / 4 * (len(kinds) == 2) for word in text]
    wrong = np.array([[-float(own != real) for own, real in zip(one, right, strict=True)] for one in answers])
    rows = [say("right answer")]
    for run, row in zip(alike, wrong[1:], strict=True):
        rows.append(say("{}: {} of {}", short(run.name or AS_WRITTEN, 24), int((row == 0).sum()), len(asked)))
    texts = [(float(j), n - len(text) + float(i), word) for j, text in enumerate(words) for i, word in enumerate(text)]
    texts += [(j, n + 0.5 + i, one[j]) for i, one in enumerate(answers) for j in range(count)]
    marks: list[Mark] = [
        Cells(tones, [say("sequence ↓"), *[""] * (n - 1)], most=1.0, numbers=False, square=longest <= 2),
        Cells(wrong[:, :count], rows, colours="signed", most=1.4, numbers=False, at=(0, n + 0.5)),
        Nodes(np.array([[x, y] for x, y, _ in texts]), [text for *_, text in texts], "plain", size=1.15),
    ]
    notes = [left_out(count, len(asked), "sequences"), left_out(len(alike), len(runs), "runs", "run")]
    errors, title = np.argwhere(wrong), ""
    if len(errors) == 1:  # one model errs, on one sequence
        (i, j), total = errors[0].tolist(), len(asked)
        title = say(
            "{}: wrong on {} alone, right on {} of {}", alike[i - 1].name or AS_WRITTEN, asked[j], total - 1, total
        )
    return Sheet([Panel(marks, layout="grid")], title, notes)


@figure("a small program in heads: which words each result is made of", "reverse")
def program(result: Result) -> Sheet:
    """The sequences of a program from top to bottom, with arrows from the words that its last head selects."""
    need(result.kind == "program", "it has no steps of a program")
    arrays = [(Name.parse(name), array) for name, array in result.runs[0].arrays.items()]
    sequences = {name.stage: one.values for name, one in arrays if one.values.ndim == 1 and name.quantity == "values"}
    selections = [i for i, (_, one) in enumerate(arrays) if one.values.ndim == 2]
    need(selections, "it has no head: each word goes its own way")
    last, table = arrays[selections[-1]]
    weights = np.asarray(table.values, float)
    need(len(weights) <= MOST_WORDS, f"it has {len(weights)} words; there is room for {MOST_WORDS}")
    later = [name.stage for name, one in arrays[selections[-1] :] if one.values.ndim == 1]
    names = [*sequences]
    goal = names.index(last.stage if last.stage in sequences else later[0])
    numbers = [name for name, one in sequences.items() if one.dtype.kind in "biuf"]
    read = [name for name in numbers if name in names[1:goal] and names[goal] in numbers]
    made = [name for name in read if np.allclose(weights @ sequences[name], sequences[names[goal]])][-1:]
    above = [*[name for name in names[1:goal] if name not in made][-2 + len(made) :], *made]
    rows = [names[0], *above, *names[goal : goal + 1], *names[goal + 1 :][-1:]]
    y = np.cumsum([0.0, *[-0.7] * len(above), -2.0, *[-0.7] * (len(rows) - len(above) - 2)])
    start, end = y[len(above)] - 0.3, y[len(above) + 1] + 0.3
    x = (np.arange(len(weights)) + 0.5) * max(1.0, -1.9 * float(y[-1]) / len(weights))
    queries, keys = np.nonzero(weights > 0)
    sizes = 0.6 + 1.4 * weights[queries, keys] / max(float(weights.max()), 1e-9)
    ways = np.stack([x[keys], 0 * keys + start], 1), np.stack([x[queries], 0 * queries + end], 1)
    marks: list[Mark] = [Arrows(*ways, "plus", sizes, head=len(keys) <= 2 * len(x))] if len(keys) else []
    for at, name in zip(y, rows, strict=True):
        texts = [one if isinstance(one, str) else say("{}", float(one)) for one in sequences[name].tolist()]
        big = name in (names[0], rows[-1])
        colour = "plus" if name == names[goal] else "ink" if big else "faint"
        where = np.stack([x, 0 * x + at], 1)
        marks.append(Nodes(where, texts, "plain", colour, size=1.4 if big else 1.1, bold=big))
    ticks = {float(at): name or say("tokens") for at, name in zip(y, rows, strict=True)}
    box = (0, float(x[0] + x[-1])), (float(y[-1]) - 0.4, 0.4)
    notes = [left_out(len(rows), len(sequences), "sequences"), left_out(1, len(result.runs), "runs", "run")]
    return Sheet([Panel(marks, "", "", "", "free", *box, y_ticks=ticks)], notes=notes)
