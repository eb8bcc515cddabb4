"""Recall, step by step."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from hopattn.figures.choice import cues_of, largest
from hopattn.figures.figure import below, figure, left_out, need
from hopattn.figures.policies import NOTHING, SEEN, by_run, run_names, runs_with
from hopattn.figures.recalls import (
    FRAMES,
    moment,
    picture,
    picture_steps,
    recalls,
    spaced_steps,
    states,
    turns_of,
    verdict,
)
from hopattn.figures.sheet import Arrows, Bars, Cells, Curve, Panel, Picture, Points, Rule, Sheet, say, texts
from hopattn.figures.text import indexed
from hopattn.scenario.arrays import numbers
from hopattn.scenario.result import Result, Run

ROWS, PICTURES, WIDE = 5, (8, 9, 5), 6
"""The most recalls; the most pictures of each, if there are one, two, or more; and the most that one line has."""
PAGE, EM, LETTERS = (46.0, 19.0), 0.7, 12
"""In font sizes, the width and the height that pictures fill, and the width of letters; the letters of a line."""
MOST_NEURONS, MOST_NAMES, MOST_TURNS, BESIDE = 64, 12, 14, 2
"""The most neurons of a state whose numbers are cells, those with names, the most turns, and runs side by side."""
MOST_STEPS, MOST_PATTERNS, PALE = 12, 8, 1.6
"""The most steps and patterns with cells of their own; and the number of the deepest colour, in largest numbers, where
cells have frames, which are seen on pale colours."""


class Row(NamedTuple):
    """One recall: the run, the number of its cue, and its name."""

    run: Run
    cue: int
    name: str

    @property
    def frame(self) -> str:
        """The colour of the frame around its end: blue for a stored pattern."""
        return "plus" if recalls(self.run, self.cue) else "minus"

    @property
    def end(self) -> str:
        """Its end in words."""
        return verdict(self.run, self.cue)

    def steps(self, most: int) -> list[int]:
        """The steps with pictures, two at least: the cue, some steps, and the end."""
        every = states(self.run, self.cue)
        steps = picture_steps(every, most)
        return steps if len(steps) > 1 else [0, len(every) - 1]

    def picture(self, step: int, **look: Any) -> Picture:
        """The picture of its state after a step."""
        return Picture(picture(self.run, self.cue, states(self.run, self.cue)[step]), **look)


def rows_of(result: Result) -> tuple[list[Row], list[str]]:
    """The recalls that a figure shows, the cues of the first run or one cue of all runs; and notes on the others."""
    runs = runs_with(result, "it recalls nothing from a cue", "input", "state", "status")
    cues, every = runs[0].arrays["status"].labels[0], len(result.runs)
    shown = cues_of(result, cues, ROWS)
    if len(shown) == 1 and len(runs) > 1 and all(run.arrays["status"].labels[0] == cues for run in runs):
        rows = [Row(run, shown[0], name) for run, name in zip(runs, run_names(runs), strict=True)][:ROWS]
        return rows, [left_out(len(rows), every, "runs", "run")]
    notes: list[str] = [left_out(1, every, "runs", "run"), left_out(len(shown), len(cues), "cues", "query")]
    return [Row(runs[0], i, indexed(cues[i], 30)) for i in shown], notes


def pictured(rows: Sequence[Row]) -> bool:
    """Whether all states of recalls are pictures."""
    return all(row.run.strips and "trajectory" in row.run.arrays for row in rows)


def recall_film(result: Result) -> list[Sheet]:
    """The states of all cues after each step, until the last has its end."""
    rows, _ = rows_of(result)
    need(pictured(rows), "its states are no pictures, so that nothing moves")
    ends = [picture_steps(states(row.run, row.cue), PICTURES[0])[-1] for row in rows]
    frames = []
    for step in spaced_steps(max(1, *ends), FRAMES):
        panels = []
        for row, end in zip(rows, ends, strict=True):
            ended = 0 < step >= end
            text = row.end if ended else moment(row.run, step, say("cue"))
            picture = row.picture(-1 if ended else step, frame=row.frame if ended else None)
            panels.append(Panel([picture], below(row.name, text), layout="free"))
        frames.append(Sheet(panels, in_a_row=3))
    return frames


@figure("recall step by step: from a damaged picture to the fixed point", "letters", recall_film)
def recall(result: Result) -> Sheet:
    """A row for each cue: the cue, some steps, and the end in a heavy frame, with what it recalls."""
    rows, notes = rows_of(result)
    need("landscape" not in rows[0].run.arrays, f"{NOTHING}its states are points; try the figure 'landscape'")
    if not pictured(rows):
        return Sheet([cells_of(row) for row in rows], notes=notes, in_a_row=2)
    once = all(row.steps(PICTURES[0])[1:] == [1] for row in rows)
    shades = {shade for row in rows for shade in states(row.run, row.cue)[0].tolist()} - {-1.0, 1.0}
    notes += [say("framed: after one step")] if once else []
    notes += [say("grey: unknown")] if shades == {0.0} else []
    return Sheet([strip(rows, once)], notes=notes, in_a_row=2)


def strip(rows: Sequence[Row], bare: bool) -> Panel:
    """Rows of pictures with their names to the left and their ends in words to the right. bare: without numbers."""
    both = [pictures_of(row, PICTURES[min(len(rows), len(PICTURES)) - 1], bare) for row in rows]
    high, wide = np.divide(shape := both[0][0][0].values.shape, max(shape))
    columns = max(len(pictures) for pictures, _ in both)
    columns = -(-columns // 2) if len(rows) < 3 and columns > WIDE else columns
    x, half = np.arange(columns) * (wide + 0.6), np.array([wide / 2, 0.0])
    left, right = -wide / 2 - 0.15, x[-1] + wide / 2 + 0.15
    y = pitch = high + (0.4 if any(one.below for one in both[0][0]) else 0.2)
    look: Any = {"size": 1.15, "letters": LETTERS}
    marks: list[Any] = []
    for row, (pictures, between) in zip(rows, both, strict=True):
        marks.append(texts(left, y - pitch, [row.name], align="right", **look))
        for first in range(0, len(pictures), columns):
            y -= pitch
            at = np.column_stack([x, np.full(columns, y)])[: len(pictures) - first]
            marks += [
                replace(one, at=(float(place), y)) for one, place in zip(pictures[first:], at[:, 0], strict=False)
            ]
            marks.append(Arrows(at[:-1] + half, at[1:] - half, names=between[first : first + len(at) - 1]))
        marks.append(texts(at[-1, 0] + 1.3 * half[0], y, [row.end], row.frame, bold=True, align="left", **look))
    words = [row.name for row in rows], [row.end for row in rows]
    letters = [max(min(LETTERS, len(text)) for text in side) for side in words]
    em = max((pitch - y) / PAGE[1], (x[-1] + wide) / (PAGE[0] - EM * sum(letters)))
    return Panel(marks, layout="free", x_range=(left - EM * em * letters[0], right + EM * em * letters[1]))


def pictures_of(row: Row, most: int, bare: bool) -> tuple[list[Picture], list[str]]:
    """The pictures of a recall: the cue, some steps, the end in a frame, and an answer; and the signs between them."""
    steps = row.steps(most)
    names = ["" if bare or not step else moment(row.run, step, say("cue")) for step in steps]
    pictures = [row.picture(step, below=name) for step, name in zip([*steps[:-1], -1], names, strict=True)]
    pictures[-1] = replace(pictures[-1], frame=row.frame)
    between = ["…" if apart > 1 else "" for apart in np.diff(steps)]
    if row.run.strips[row.cue].names[-1] == "answer":
        values, answer = picture(row.run, row.cue, row.run.strips[row.cue].pictures[-1]), row.run.arrays["answers"]
        pictures.append(Picture(values, below=say("answers ‘{}’", str(answer.values[row.cue])), frame="value"))
    return pictures, between


def cells_of(row: Row) -> Panel:
    """A recall of words: the numbers of the cue and of its end."""
    cue, end = row.run.arrays["input"], row.run.arrays["state"]
    need(cue.values.shape[1] <= MOST_NEURONS, f"states of {cue.values.shape[1]:,} numbers cannot be read")
    table = np.stack([cue.values[row.cue], end.values[row.cue]])
    cells = Cells(table, [say("cue"), say("end")], cue.labels[1], colours=colours_of(table))
    return Panel([cells], say("{}: {}", row.name, row.end), layout="grid")


def colours_of(table: np.ndarray) -> str:
    """The colours of cells: of both signs, if any number is negative."""
    return "signed" if table.min() < -SEEN else "weights"


def turning(result: Result) -> list[Sheet]:
    """The frames of a flow: a row more in each."""
    most = max(len(mark.rows) for panel in neurons(result).panels for mark in panel.marks if isinstance(mark, Cells))
    return [neurons_at(result, turns) for turns in range(most)]


@figure("the flow of an asynchronous recall, neuron by neuron", "neuron-by-neuron", turning)
def neurons(result: Result) -> Sheet:
    """The state after each turn as a row, with the field of the neuron that turned; one that changes is framed."""
    return neurons_at(result, MOST_TURNS)


def neurons_at(result: Result, turns: int) -> Sheet:
    """The flow up to a number of turns."""
    runs = runs_with(result, "its neurons do not turn one after the other; try the figure 'recall'", "turns")
    cues = runs[0].arrays["turns"].labels[0]
    cue = cues_of(result, cues)[0]
    most = BESIDE if runs[0].arrays["input"].values.shape[1] <= MOST_NAMES else 1
    every = [turns_of(run, cue) for run in runs[:most]]
    last = max(int(np.flatnonzero(before != after).max(initial=-1)) for _, _, before, after in every)
    need(last >= 0, f"{NOTHING}no neuron changes in its turn")
    sheet = by_run(runs, lambda run, name: flow_of(run, cue, name, last + 1, turns), most)
    switched = any(mark.framed for panel in sheet.panels for mark in panel.marks if isinstance(mark, Cells))
    rule = rule_of(every) if switched else ""
    return replace(sheet, notes=[rule, *sheet.notes, left_out(1, len(cues), "cues", "query")])


def rule_of(turns: Sequence[np.ndarray]) -> str:
    """What a neuron does by the sign of its field, in words that hold for all turns of a cue; else an empty text."""
    _, field, before, after = np.concatenate(turns, axis=1)
    low, high = min(before.min(), after.min()), max(before.max(), after.max())
    expected = np.where(field < 0, low, np.where(field > 0, high, before))
    rule = say("field below 0: off; above 0: on") if low == 0 else say("field below 0: {}; above 0: {}", low, high)
    rule = say("{}; at 0: no change here", rule) if (field == 0).any() else rule
    return rule if np.array_equal(after, expected) else ""


def flow_of(run: Run, cue: int, name: str, count: int, turns: int) -> Panel:
    """The first turns of one cue, or those alone that change a neuron where they are many. turns: those with cells."""
    (neurons, field, before, after), start = turns_of(run, cue), run.arrays["input"]
    names, changes = numbers(len(start.labels[1])) if run.strips else start.labels[1], before != after
    kept = np.arange(min(count, len(changes))) if count <= MOST_TURNS else np.flatnonzero(changes)[:MOST_TURNS]
    places, few = neurons[kept].astype(int).tolist(), len(names) <= MOST_NAMES
    table = np.tile(start.values[cue], (len(kept) + 1, 1))
    for i, (turn, place) in enumerate(zip(kept, places, strict=True), start=1):
        table[i:, place] = after[turn]
    framed = [(i + 1, places[i]) for i in np.flatnonzero(changes[kept]).tolist()]
    fields = [say("{}: field {}", names[at], float(one)) for at, one in zip(places, field[kept], strict=True)]
    most = PALE * float(np.abs(table).max())
    look: Any = {"numbers": few, "colours": colours_of(table), "most": most, "square": False}
    cells = Cells(table, [say("cue"), *fields], names if few else (), framed=framed, key=say("switches"), **look)
    framed = [cell for cell in framed if cell[0] <= turns]
    rows: Any = {"values": table[: turns + 1], "rows": cells.rows[: turns + 1], "key": cells.key if framed else ""}
    marks: list[Any] = [replace(cells, framed=framed, **rows), *ruled(cells)[1:]]
    end, patterns = str(run.arrays["recalls"].values[cue]), run.arrays["patterns"]
    if end in patterns.labels[0]:
        row = say("pattern {}", end) if end.isdigit() else say("pattern ‘{}’", indexed(end))
        pattern = patterns.values[patterns.labels[0].index(end)][None]
        marks += ruled(Cells(pattern, [row], at=(0, len(table) + 0.3), **look))
    told = verdict(run, cue) if turns >= len(kept) else say("turn {}", turns) if turns else say("cue")
    return Panel(marks, below(name, told), say("neuron"), say("turn of neuron") if turns else "", "grid")


def ruled(cells: Cells) -> list[Any]:
    """A table of cells with thin lines between them."""
    across, down = (np.arange(count + 1) - 0.5 for count in cells.values.shape[::-1])
    down += cells.at[1]
    ends = [[at, down[0], at, down[-1]] for at in across], [[across[0], at, across[-1], at] for at in down]
    return [cells, *(Arrows(np.array(one)[:, :2], np.array(one)[:, 2:], width=0.35, head=False) for one in ends)]


@figure("the overlap of the state with each pattern, step by step", "sequence")
def overlaps(result: Result) -> Sheet:
    """A row for each pattern, a column for each step; framed is the pattern that the state is most like."""
    runs = [run for run in result.runs if "course" in run.arrays and run.arrays["course"].values.size]
    need(runs, "it has no overlaps with patterns by step")
    course = runs[0].arrays["course"]
    cues, _, patterns = course.labels
    moves = np.abs(course.values - course.values[:, :1]).max(axis=(1, 2)) > SEEN
    cue = int(np.argmax(moves)) if result.figure.query is None else cues_of(result, cues)[0]
    need(moves[cue], f"{NOTHING}no overlap changes")
    values = np.asarray(course.values[cue], float)
    moved = np.flatnonzero(np.abs(np.diff(values, axis=0)).max(axis=1) > SEEN)
    steps = spaced_steps(int(moved[-1]) + 1, MOST_STEPS)
    table = values[steps].T
    nearest = np.argmax(np.abs(table), axis=0)
    rank = np.abs(table).max(axis=1) + 2 * np.isin(np.arange(len(table)), nearest)
    named = largest(rank, MOST_PATTERNS)
    rows, names, told = table[named], [indexed(patterns[k], 30) for k in named], named[:, None] == nearest
    framed = [(i, j) for j, i in np.argwhere(told.T).tolist()]
    columns = [say("cue") if step == 0 else str(step) for step in steps]
    look: Any = {"key": say("largest of its step"), "scale": say("overlap"), "square": False}
    cells = Cells(rows, names, columns, colours="signed", numbers=told, framed=framed, most=1.0, **look)
    title = say("cue: {}", cues[cue]) if len(cues) > 1 or not cues[cue].isdigit() else ""
    notes: list[str] = [left_out(1, len(runs), "runs", "run"), left_out(1, len(cues), "cues", "query")]
    notes += [say("{} other patterns have no row", others)] if (others := len(patterns) - len(named)) else []
    if len(steps) > 2:
        return Sheet([Panel([cells], title, say("step"), say("overlap with"), "grid")], notes=notes)
    low = float(rows.min())
    axis, ends = say("overlap with the state"), (low - 0.45 if low < -SEEN else 0.0, 1.2)
    panels = []
    for one, own, head in zip(rows.T, told.T, (title or columns[0], say("step {}", steps[-1])), strict=True):
        bars = Bars(one, names, colour=["plus" if most else "dim" for most in own], lying=True)
        panels.append(Panel([bars], head, axis, x_range=ends))
    return Sheet(panels, notes=notes)


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
    density, at = run.arrays["crosstalk"].values, np.array(run.arrays["crosstalk"].labels[0], float)
    signal, spread, wrong = (float(run.arrays[one].values) for one in ("signal", "theory", "wrong"))
    wide = float(at[1] - at[0])
    left, right = np.maximum(at - wide / 2, signal), at + wide / 2  # of the bars beyond the signal
    over = left < right
    beyond: Any = {"at": (left + right)[over] / 2, "width": (right - left)[over], "numbers": False}
    cues = len(run.arrays["overlaps"].values)
    marks: list[Any] = [
        Bars(density, at=at, colour=5, width=wide, numbers=False, key=say("crosstalk in {} cues", cues)),
        Bars(density[over], colour="minus", key=say("more than the signal"), **beyond),
        Rule(x=signal, dashed=False),
        Points(np.array([[signal, 0.8 * density.max()]]), [say("signal")], size=0.1),
    ]
    if spread:
        x = np.linspace(*ends, 200)
        gauss = np.exp(-((x / spread) ** 2) / 2) / (spread * np.sqrt(2 * np.pi))
        marks.append(Curve(x, gauss, look="law", colour="ink", key=say("Gaussian of theory")))
    outvoted = say("{} % of neurons are outvoted", round(100 * wrong, 1 if wrong >= 0.01 else 2))
    what = say("crosstalk") if str(run.arrays["compared"].values) == "fields" else say("score of another pattern")
    return Panel(marks, below(name, outvoted), what, say("density"), x_range=ends, y_range=(0, None))


@figure("what a memory that grows answers to one key, after each word", "overwriting", research=True)
def fast_weights(result: Result) -> Sheet:
    """The column of the memory that the last word changes most, after each word; what a later one changes is framed."""
    runs = runs_with(result, "it has no memory that words are written into", "memories")
    last = np.diff(runs[0].arrays["memories"].values, axis=0, prepend=0)[-1]
    column = int(np.argmax(np.abs(last).sum(axis=0)))
    return by_run(runs, lambda run, name: column_of(run, column, name), BESIDE)


def column_of(run: Run, column: int, name: str) -> Panel:
    """One column of the memory of a run after each word."""
    memories = run.arrays["memories"]
    words, rows, columns = memories.labels
    need(max(len(rows), len(columns)) <= MOST_NEURONS, f"a memory of {len(rows):,} × {len(columns):,} cannot be read")
    own = memories.values[:, :, column].T
    kept = np.flatnonzero(np.abs(own).max(axis=1) > SEEN)
    need(len(kept), f"{NOTHING}the column stays 0")
    table = own[kept, -MOST_STEPS:]
    framed = [(int(i), int(j) + 1) for i, j in np.argwhere(np.abs(np.diff(table, axis=1)) > SEEN)]
    look: Any = {"framed": framed, "most": PALE * max(1.0, float(np.abs(table).max())), "key": say("changed")}
    cells = Cells(table, [rows[k] for k in kept], words[-MOST_STEPS:], colours=colours_of(table), **look)
    inputs, key = run.arrays["input"], run.arrays["keys"].values[:, column]
    first, pair = memories.values[0], np.outer(run.arrays["values"].values[0], run.arrays["keys"].values[0])
    axes = [axis for axis, one in zip(inputs.labels[1], inputs.values.T, strict=True) if np.array_equal(one, key)]
    axes = axes if first.shape == pair.shape and np.allclose(first, pair) else []
    asked = say("what ‘{}’ recalls", axes[0]) if axes else say("column {} of the memory", columns[column])
    return Panel(ruled(cells), name, say("after storing"), asked, "grid")
