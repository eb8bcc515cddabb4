"""Recall, step by step."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from hopattn.figures.choice import cues_of
from hopattn.figures.figure import below, figure, left_out, need
from hopattn.figures.policies import NOTHING, by_run, run_names, runs_with
from hopattn.figures.recalls import FRAMES, last_step, picture, picture_steps, recalls, spaced_steps, states, verdict
from hopattn.figures.sheet import Arrows, Bars, Cells, Curve, Mark, Nodes, Panel, Picture, Points, Rule, Sheet, say
from hopattn.figures.text import indexed
from hopattn.retrieval.similarity import cosine
from hopattn.scenario.arrays import numbers
from hopattn.scenario.result import Result, Run

ROWS, PICTURES, WIDE = 5, (8, 9, 5), 6
"""The most recalls; the most pictures of each, if there are one, two, or more; and the most that one line has."""
PAGE, EM, LETTERS = (46.0, 19.0), 0.7, 12
"""In font sizes, the width and the height that pictures fill, and the width of letters; the letters of a line."""
MOST_NEURONS, MOST_NAMES, MOST_TURNS, MOST_RUNS = 64, 12, 14, 2
"""The most neurons of a state whose numbers are cells, those with names, the most turns, and runs side by side."""
MOST_STEPS, MOST_PATTERNS, STILL = 12, 8, 0.005
"""The most steps and patterns with cells of their own, and the change up to which a number is the same."""
PALE = 1.6
"""The number of the deepest colour, in largest numbers, where cells have frames: these are seen on pale colours."""


class Row(NamedTuple):
    """One recall: the run, the number of its cue, and its name."""

    run: Run
    cue: int
    name: str

    @property
    def frame(self) -> str:
        """The colour of the frame around its end: blue for a stored pattern."""
        return "plus" if recalls(self.run, self.cue) else "minus"

    def picture(self, step: int, **look: Any) -> Picture:
        """The picture of its state after a step."""
        return Picture(picture(self.run, self.cue, states(self.run, self.cue)[step]), **look)


def rows_of(result: Result) -> tuple[list[Row], int]:
    """The recalls that a figure shows, and how many there are: the cues of the first run, or one cue of all runs."""
    runs = runs_with(result, "it recalls nothing from a cue", "input", "state", "status")
    cues = runs[0].arrays["status"].labels[0]
    shown = cues_of(result, cues, ROWS)
    if len(shown) == 1 and len(runs) > 1 and all(run.arrays["status"].labels[0] == cues for run in runs):
        names = run_names(runs)
        return [Row(run, shown[0], name) for run, name in zip(runs, names, strict=True)][:ROWS], len(runs)
    return [Row(runs[0], i, indexed(cues[i], 30)) for i in shown], len(cues)


def pictured(rows: Sequence[Row]) -> bool:
    """Whether all states of recalls are pictures."""
    return all(row.run.strips and "trajectory" in row.run.arrays for row in rows)


def recall_film(result: Result) -> list[Sheet]:
    """The states of all cues after each step, until the last has its end."""
    rows, _ = rows_of(result)
    need(pictured(rows), "its states are no pictures, so that nothing moves")
    ends = [picture_steps(row.run, row.cue, PICTURES[0])[-1] for row in rows]
    frames = []
    for step in spaced_steps(max(1, *ends), FRAMES):
        panels, words = [], say("step {}", step) if step else say("cue")
        for row, end in zip(rows, ends, strict=True):
            ended = 0 < step >= end
            picture = row.picture(step if step < end else -1, frame=row.frame if ended else None)
            title = below(row.name, verdict(row.run, row.cue) if ended else words)
            panels.append(Panel([picture], title, layout="free"))
        frames.append(Sheet(panels, in_a_row=3))
    return frames


@figure("recall step by step: from a damaged picture to the fixed point", "letters", recall_film)
def recall(result: Result) -> Sheet:
    """A row for each cue: the cue, some steps, and the end in a heavy frame, with what it recalls."""
    rows, of = rows_of(result)
    need("landscape" not in rows[0].run.arrays, f"{NOTHING}its states are points; try the figure 'landscape'")
    panels = [strip(rows)] if pictured(rows) else [cells_of(row) for row in rows]
    runs = len({id(row.run) for row in rows})
    notes = [left_out(runs, len(result.runs), "runs", "run"), left_out(len(rows), of, "cues", "query")]
    return Sheet(panels, notes=notes[: 2 - (runs > 1)], in_a_row=2 if len(rows) > 1 else 1)


def strip(rows: Sequence[Row]) -> Panel:
    """Rows of pictures with their names to the left and their ends in words to the right."""
    steps = [picture_steps(row.run, row.cue, PICTURES[min(len(rows), len(PICTURES)) - 1]) for row in rows]
    steps = [one if len(one) > 1 else [0, last_step(row.run, row.cue)] for row, one in zip(rows, steps, strict=True)]
    size = rows[0].run.strips[rows[0].cue].size
    wide, high = size.columns / max(size), size.rows / max(size)
    answers = all(row.run.strips[row.cue].names[-1] == "answer" for row in rows)
    columns, height = max(map(len, steps)) + answers, high + 0.4
    columns = -(-columns // 2) if len(rows) < 3 and columns > WIDE else columns
    lines = np.cumsum([0, *(-(-(len(one) + answers) // columns) for one in steps)])
    y = -height * np.arange(lines[-1])
    names, ends = [row.name for row in rows], [verdict(row.run, row.cue) for row in rows]
    if answers:
        said = [str(row.run.arrays["answers"].values[row.cue]) for row in rows]
        ends = [say("{}, answers {}", *both) for both in zip(ends, said, strict=True)]
    letters = [max(min(LETTERS, len(text)) for text in texts) for texts in (names, ends)]
    across, em = PAGE[0] - EM * sum(letters), height * len(y) / PAGE[1]
    x = np.arange(columns) * (wide + np.clip((em * across - wide) / (columns - 1) - wide, 0.35, 0.8))
    em = max((x[-1] + wide) / across, em)
    left, right = -wide / 2 - 0.15, x[-1] + wide / 2 + 0.15
    places = (left, y[lines[:-1]]), (right, y[lines[1:] - 1])
    sides = [np.stack([np.full(len(rows), side), at], axis=1) for side, at in places]
    look: Any = {"size": 1.15, "letters": LETTERS}
    marks: list[Mark] = [
        Nodes(sides[0], names, "plain", align="right", **look),
        Nodes(sides[1], ends, "plain", [row.frame for row in rows], bold=True, align="left", **look),
    ]
    for row, kept, first, end in zip(rows, steps, lines, lines[1:], strict=False):
        marks += pictures_of(row, kept, [(one, at) for at in y[first:end] for one in x], answers)
    return Panel(marks, layout="free", x_range=(left - EM * em * letters[0], right + EM * em * letters[1]))


def pictures_of(row: Row, steps: list[int], places: Sequence[tuple[float, float]], answers: bool) -> list[Mark]:
    """The pictures of a recall, with arrows between them: the end in the last place, an answer behind it."""
    at, pictures = [*places[: len(steps) - 1], *places[-1 - answers :]], row.run.strips[row.cue]
    texts = ["", *(say("step {}", step) if i == 0 else str(step) for i, step in enumerate(steps[1:-1]))]
    marks: list[Mark] = [
        row.picture(step, at=place, below=text) for step, place, text in zip(steps[:-1], at, texts, strict=False)
    ]
    marks.append(row.picture(-1, at=at[len(steps) - 1], below=say("step {}", steps[-1]), frame=row.frame))
    if answers:
        marks.append(Picture(picture(row.run, row.cue, pictures.pictures[-1]), at[-1], say("answer"), "value"))
    half, ways = np.array([pictures.size.columns / max(pictures.size) / 2, 0]), np.array([*pairwise(at)])
    start, end = np.moveaxis(ways[ways[:, 0, 1] == ways[:, 1, 1]], 1, 0)  # none from line to line
    return [*marks, Arrows(start + half, end - half)]


def cells_of(row: Row) -> Panel:
    """A recall of words: the numbers of the cue and of its end."""
    cue, end = row.run.arrays["input"], row.run.arrays["state"]
    need(cue.values.shape[1] <= MOST_NEURONS, f"states of {cue.values.shape[1]:,} numbers cannot be read")
    table = np.stack([cue.values[row.cue], end.values[row.cue]])
    cells = Cells(table, [say("cue"), say("end")], cue.labels[1], colours=colours_of(table))
    return Panel([cells], say("{}: {}", row.name, verdict(row.run, row.cue)), layout="grid")


def colours_of(table: np.ndarray) -> str:
    """The colours of cells: of both signs, if any number is negative."""
    return "signed" if table.min() < -STILL else "weights"


@figure("the flow of an asynchronous recall, neuron by neuron", "neuron-by-neuron")
def neurons(result: Result) -> Sheet:
    """The state after each turn as a row, with the field of the neuron that turned; one that changes is framed."""
    runs = runs_with(result, "its neurons do not turn one after the other; try the figure 'recall'", "turns")
    cues = runs[0].arrays["turns"].labels[0]
    cue = cues_of(result, cues)[0]
    most = MOST_RUNS if runs[0].arrays["input"].values.shape[1] <= MOST_NAMES else 1
    last = max(int(np.flatnonzero(changes_of(run, cue)).max(initial=-1)) for run in runs[:most])
    need(last >= 0, f"{NOTHING}no neuron changes in its turn")
    sheet = by_run(runs, lambda run, name: turns_of(run, cue, name, last + 1), most)
    return replace(sheet, notes=[*sheet.notes, left_out(1, len(cues), "cues", "query")])


def changes_of(run: Run, cue: int) -> np.ndarray:
    """Whether each turn of a cue changes its neuron."""
    values = run.arrays["turns"].values[cue]
    return np.asarray(values[:, 1] != values[:, 2])


def turns_of(run: Run, cue: int, name: str, count: int) -> Panel:
    """The first turns of one cue, or those alone that change a neuron where they are many."""
    turns, start = run.arrays["turns"], run.arrays["input"]
    field, _, after = (turns.values[cue][:, i] for i in range(3))
    names = numbers(len(start.labels[1])) if run.strips else start.labels[1]
    changes = changes_of(run, cue)
    kept = np.arange(min(count, len(changes))) if count <= MOST_TURNS else np.flatnonzero(changes)[:MOST_TURNS]
    turned = [turns.labels[1][turn].split(": ", 1)[1] for turn in kept]  # as in "3: neuron 2"
    plain = [f"neuron {name}" for name in numbers(len(start.labels[1]))]
    places = [(start.labels[1] if name in start.labels[1] else plain).index(name) for name in turned]
    table = np.tile(start.values[cue], (len(kept) + 1, 1))
    for i, (turn, place) in enumerate(zip(kept, places, strict=True), start=1):
        table[i:, place] = after[turn]
    few = len(names) <= MOST_NAMES
    framed = [at for at, turn in zip(enumerate(places, start=1), kept, strict=True) if changes[turn]]
    look: Any = {"numbers": few, "framed": framed, "most": PALE * float(np.abs(table).max())}
    fields = [say("{}: field {}", names[at], float(field[turn])) for at, turn in zip(places, kept, strict=True)]
    cells = Cells(table, [say("cue"), *fields], names if few else (), colours=colours_of(table), **look)
    title = below(name, verdict(run, cue))
    return Panel([cells], title, say("neuron"), say("turn of neuron"), "grid")


@figure("the overlap of the state with each pattern, step by step", "sequence")
def overlaps(result: Result) -> Sheet:
    """A row for each pattern, a column for each step; framed is the pattern that the state is most like."""
    runs = [run for run in result.runs if "course" in run.arrays and run.arrays["course"].values.size]
    need(runs, "it has no overlaps with patterns by step")
    course = runs[0].arrays["course"]
    cues, _, patterns = course.labels
    moves = np.abs(course.values - course.values[:, :1]).max(axis=(1, 2)) > STILL
    cue = int(np.argmax(moves)) if result.figure.query is None else cues_of(result, cues)[0]
    need(moves[cue], f"{NOTHING}no overlap changes")
    values = np.asarray(course.values[cue], float)
    moved = np.flatnonzero(np.abs(np.diff(values, axis=0)).max(axis=1) > STILL)
    steps = spaced_steps(int(moved.max(initial=-1)) + 1, MOST_STEPS)
    table = values[steps].T
    nearest = np.argmax(np.abs(table), axis=0)
    rank = np.abs(table).max(axis=1) + 2 * np.isin(np.arange(len(table)), nearest)
    named = sorted(np.argsort(-rank, kind="stable")[:MOST_PATTERNS].tolist())
    rows, names = table[named], [indexed(patterns[k], 30) for k in named]
    if others := [k for k in range(len(table)) if k not in named]:
        strongest = np.take_along_axis(table[others], np.argmax(np.abs(table[others]), axis=0)[None], 0)
        rows, names = np.vstack([rows, strongest]), [*names, say("the largest of {} others", len(others))]
    framed = [(named.index(k), j) for j, k in enumerate(nearest)]
    told = np.array([[(i, j) in framed for j in range(len(steps))] for i in range(len(rows))])
    columns = [say("cue") if step == 0 else str(step) for step in steps]
    cells = Cells(rows, names, columns, colours="signed", numbers=told, framed=framed, most=1.0)
    title = say("cue: {}", cues[cue]) if len(cues) > 1 or not cues[cue].isdigit() else ""
    notes = [left_out(1, len(runs), "runs", "run"), left_out(1, len(cues), "cues", "query")]
    if len(steps) == 2:
        heads, low = (title or columns[0], say("step {}", steps[1])), float(rows.min())
        ends = low - 0.45 if low < -STILL else 0.0, 1.2
        panels = [_overlaps(rows[:, j], names, framed[j][0], ends, head) for j, head in enumerate(heads)]
        return Sheet(panels, notes=notes)
    return Sheet([Panel([cells], title, say("step"), say("overlap with"), "grid")], notes=notes)


def _overlaps(values: np.ndarray, names: Sequence[str], nearest: int, ends: tuple[float, float], title: str) -> Panel:
    """The overlap of one state with each pattern: of one colour with the pattern that it is most like."""
    colours = ["plus" if k == nearest else "dim" for k in range(len(values))]
    bars = Bars(values, names, colour=colours, lying=True)
    return Panel([bars], title, say("overlap with the state"), x_range=ends)


@figure("what the other patterns add to a neuron: a Gaussian, whose tail outweighs the signal", "crosstalk")
def crosstalk(result: Result) -> Sheet:
    """The crosstalk of the run in which it is least often more than the signal, and of the one in which it is most."""
    runs = runs_with(result, "it has no crosstalk; give [ensemble] the key `crosstalk`", "crosstalk")
    order = sorted(runs, key=lambda run: float(run.arrays["wrong"].values))
    shown = [order[0], order[-1]][: len(runs)]
    wide = max(3.2 * float(run.arrays["spread"].values) for run in shown)
    right = max(wide, *(1.25 * float(run.arrays["signal"].values) for run in shown))
    panels = [histogram(run, name, (-wide, right)) for run, name in zip(shown, run_names(shown), strict=True)]
    return Sheet(panels, notes=[left_out(len(shown), len(runs), "runs", "run")], shared="y")


def histogram(run: Run, name: str, ends: tuple[float, float]) -> Panel:
    """The crosstalk of one run, with the Gaussian of theory, and a line at the signal."""
    arrays = run.arrays
    at, density = np.array([float(label) for label in arrays["crosstalk"].labels[0]]), arrays["crosstalk"].values
    signal, spread = float(arrays["signal"].values), float(arrays["theory"].values)
    x, over = np.linspace(*ends, 200), at > signal
    look: Any = {"numbers": False, "width": float(at[1] - at[0])}
    marks: list[Mark] = [
        Bars(density[~over], at=at[~over], colour="dim", **look),
        Bars(density[over], at=at[over], colour="minus", key=say("more than the signal"), **look),
        Rule(x=signal, dashed=False),
        Points(np.array([[signal, 0.8 * density.max()]]), [say("signal")], size=0.1),
    ]
    if spread:
        gauss = np.exp(-((x / spread) ** 2) / 2) / (spread * np.sqrt(2 * np.pi))
        marks.append(Curve(x, gauss, look="law", colour="ink", key=say("Gaussian of theory")))
    wrong = 100 * float(arrays["wrong"].values)
    outvoted = say("{} % of neurons are outvoted", round(wrong, 1 if wrong >= 1 else 2))
    what = say("crosstalk") if str(arrays["compared"].values) == "fields" else say("score of another pattern")
    return Panel(marks, below(name, outvoted), what, say("density"), x_range=ends, y_range=(0, None))


@figure("what a memory that grows answers to one key, after each word", "overwriting", research=True)
def fast_weights(result: Result) -> Sheet:
    """The column of the memory that the last word changes most, after each word; what a later one changes is framed."""
    runs = runs_with(result, "it has no memory that words are written into", "memories")
    last = np.diff(runs[0].arrays["memories"].values, axis=0, prepend=0)[-1]
    column = int(np.argmax(np.abs(last).sum(axis=0)))
    return by_run(runs, lambda run, name: column_of(run, column, name), MOST_RUNS)


def column_of(run: Run, column: int, name: str) -> Panel:
    """One column of the memory of a run after each word."""
    memories = run.arrays["memories"]
    words, rows, columns = memories.labels
    need(max(len(rows), len(columns)) <= MOST_NEURONS, f"a memory of {len(rows):,} × {len(columns):,} cannot be read")
    own = memories.values[:, :, column].T
    kept = np.flatnonzero(np.abs(own).max(axis=1) > STILL)
    need(len(kept), f"{NOTHING}the column stays 0")
    table = own[kept, -MOST_STEPS:]
    framed = [(int(i), int(j) + 1) for i, j in np.argwhere(np.abs(np.diff(table, axis=1)) > STILL)]
    look: Any = {"framed": framed, "most": PALE * max(1.0, float(np.abs(table).max()))}
    cells = Cells(table, [rows[k] for k in kept], words[-MOST_STEPS:], colours=colours_of(table), **look)
    inputs, key = run.arrays["input"], run.arrays["keys"].values[:, column]
    first, pair = memories.values[0], np.outer(run.arrays["values"].values[0], run.arrays["keys"].values[0])
    plain = first.shape == pair.shape and float(cosine(first.ravel(), pair.ravel())) > 1 - STILL
    same = [plain and np.array_equal(one, key) for one in inputs.values.T]
    axes = [axis for axis, named in zip(inputs.labels[1], same, strict=True) if named]
    asked = say("what ‘{}’ recalls", axes[0]) if axes else say("column {} of the memory", columns[column])
    return Panel([cells], name, say("after storing"), asked, "grid")


@figure("the best tour, cut or board that a network finds, beside its neurons", "five-cities")
def tour(result: Result) -> Sheet:
    """The answer of the best run: a tour beside its matrix, or a graph in two parts; and the board of each run."""
    runs = runs_with(result, "it minimises nothing", "solution")
    valid = [run for run in runs if run.arrays["valid"].values > 0]
    need(valid, f"{NOTHING}no start ends in an answer")
    dims = valid[0].arrays["solution"].dims
    need(dims != ("neuron",), "its answer is neither a tour nor a cut nor a board")
    if dims == ("row", "column"):
        return by_run(valid, board, MOST_RUNS)
    notes = [left_out(1, len(runs), "runs", "run")]
    if dims == ("node",):
        return Sheet([parts_of(valid[0])], notes=notes)
    best = min(valid, key=lambda run: float(run.arrays["length"].values))
    shares = [say("{} % of starts end in a tour", 100 * float(best.arrays["valid"].values))]
    if "optimum" in best.arrays:
        shares.append(say("{} % in the shortest", 100 * float(best.arrays["best"].values)))
    return Sheet(route(best), notes=[*shares, *notes])


def route(run: Run) -> list[Panel]:
    """The cities and the tour through them, if they have places in a plane; and its neurons: city by position."""
    solution, places = run.arrays["solution"], run.arrays.get("places")
    cities, positions = solution.labels
    cells, names = Cells(solution.values, cities, positions, numbers=False), (say("position"), say("city"))
    if places is None or places.values.shape[1] != 2:
        return [Panel([cells], str(run.arrays["answer"].values), *names, "grid")]
    way = places.values[np.argmax(solution.values, axis=0)]
    length, optimum = float(run.arrays["length"].values), run.arrays.get("optimum")
    shortest = optimum is not None and np.isclose(length, float(optimum.values))
    title = say("the shortest tour, length {}", length) if shortest else say("the best tour, length {}", length)
    marks = [Arrows(way, np.roll(way, -1, axis=0), "plus", head=False), Points(places.values, places.labels[0])]
    return [Panel(marks, title, layout="free", width=1.2), Panel([cells], say("its neurons"), *names, "grid")]


def board(run: Run, name: str) -> Panel:
    """The queens of a run on their board, with the share of starts that end in such a board."""
    solution = run.arrays["solution"].values
    fields, queens = np.indices(solution.shape).sum(axis=0) % 2, np.argwhere(solution > 0)
    marks = [
        Cells(fields.astype(float), numbers=False, most=4.0),
        Nodes(queens[:, ::-1], ["♛"] * len(queens), "plain", size=14 / len(solution)),
    ]
    share = say("{} % of starts end without an attack", 100 * float(run.arrays["valid"].values))
    return Panel(marks, below(name, share), layout="grid")


def parts_of(run: Run) -> Panel:
    """The nodes of a graph in two columns, one for each part: the edges between them are in the cut."""
    (nodes,), values = run.arrays["solution"].labels, run.arrays["solution"].values
    need(len(nodes) <= MOST_NEURONS, f"a graph of {len(nodes):,} nodes cannot be read")
    other = values != values[0]
    at = np.zeros((len(nodes), 2))
    for part in (~other, other):
        at[part, 1] = -np.linspace(0, 1, part.sum() + 2)[1:-1]
    at[other, 0] = 1.6
    start, end = np.argwhere(np.triu(run.arrays["couplings"].values, 1)).T
    cut, turned = other[start] != other[end], other[start] == (at[start, 1] < at[end, 1])
    start, end = np.where(turned, end, start), np.where(turned, start, end)  # arcs bend outwards
    within: Any = {"head": False, "bend": 0.4, "dashed": True, "key": say("edges within a part: {}", int((~cut).sum()))}
    marks = [
        Arrows(at[start[cut]], at[end[cut]], "plus", head=False, key=say("edges in the cut: {}", int(cut.sum()))),
        Arrows(at[start[~cut]], at[end[~cut]], "minus", **within),
        Nodes(at, nodes, "circle"),
    ]
    return Panel(marks, layout="free")
