"""Optimisation: how a network comes to a tour, a cut or a board."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from hopattn.figures.figure import below, figure, left_out, need
from hopattn.figures.gallery.recalls import MOST_NEURONS, ruled
from hopattn.figures.policies import MOST_RUNS, NOTHING, run_names, runs_with
from hopattn.figures.recalls import FRAMES, moment, picture_steps
from hopattn.figures.sheet import Arrows, Cells, Nodes, Panel, Points, Sheet, say
from hopattn.scenario.result import Result, Run

MOMENTS, BOARDS, NODES = 4, (6, 3), 8
"""The moments of a strip, those of boards and how many are in a row, and the most nodes with names in full size."""
LIGHT, FAINT, CITY, QUEENS, APART = 0.45, 0.05, 0.7, (9.5, 20.0), (0.8, 2.4)
"""The width of a line of cities that are no tour yet; the weight up to which it is left out; the size of a city; that
of queens on a board of one field, beside others and alone; and how far the parts of a graph are from the middle.
"""


def way_of(result: Result) -> tuple[Run, str, list[str]]:
    """The run whose way is shown: the one with the best answer that most starts reach; with a title and notes."""
    runs = runs_with(result, "it minimises nothing", "solution")
    valid = [run for run in runs if run.arrays["valid"].values > 0]
    need(valid, f"{NOTHING}no start ends in an answer")
    dims = valid[0].arrays["solution"].dims
    need(dims != ("neuron",), "its answer is neither a tour nor a cut nor a board")
    if dims == ("node",):
        return valid[0], "", [left_out(1, len(runs), "runs", "run")]
    shares = [100 * float(run.arrays["valid"].values) for run in valid]
    if dims == ("row", "column"):
        told = [say("{} % of starts end without an attack", share) for share in shares]
        named = zip(run_names(valid), told, strict=True)
        notes: list[str] = [say("{}: {}", *one) if one[0] else one[1] for one in named]
        return valid[int(np.argmax(shares))], "", [*notes[:MOST_RUNS], left_out(1, len(runs), "runs", "run")]
    lengths = [round(float(run.arrays["length"].values), 9) for run in valid]
    best = min(range(len(valid)), key=lambda i: (lengths[i], -shares[i]))
    run, note = valid[best], say("{} % of starts end in a tour", shares[best])
    if "optimum" in run.arrays:
        note = say("{}, {} % in the shortest", note, 100 * float(run.arrays["best"].values))
    title = say("from random neurons to a tour: one is on for each city and position")
    return run, title, [say("dark: on"), note, left_out(1, len(runs), "runs", "run")]


def panels_at(run: Run, step: int, steps: Sequence[int], alone: bool) -> list[Panel]:
    """A moment of the way: the cities and the neurons, a board, or a graph. alone: whether it is all of a sheet."""
    when, ended = moment(run, step, say("start")), step == steps[-1]
    state = run.arrays["trajectory"].values[-1 if ended else step]
    if run.arrays["solution"].dims == ("node",):
        return [cut(run, state, when, alone)]
    if run.arrays["solution"].dims == ("row", "column"):
        return [board(state, say("no attack") if ended else when, alone)]
    return tour_of(run, state, answer(run) if ended else when, ended, alone, alone or step == 0)


def steps_of(run: Run, most: int) -> list[int]:
    """The steps of the way that are shown."""
    states = run.arrays["trajectory"].values
    return picture_steps(states.reshape(len(states), -1), most)


def film(result: Result) -> list[Sheet]:
    """The moments one by one."""
    run, title, notes = way_of(result)
    steps = steps_of(run, FRAMES)
    return [Sheet(panels_at(run, step, steps, True), title, notes) for step in steps]


@figure("how a network finds a tour, a cut or a board: a few moments of its best start", "five-cities", film)
def tour(result: Result) -> Sheet:
    """A column for each moment, from a random start to the answer; of boards two rows."""
    run, title, notes = way_of(result)
    most, in_a_row = BOARDS if run.arrays["solution"].dims == ("row", "column") else (MOMENTS, MOMENTS)
    steps = steps_of(run, most)
    columns = [panels_at(run, step, steps, False) for step in steps]
    return Sheet([*chain(*zip(*columns, strict=True))], title, notes, in_a_row=min(in_a_row, len(steps)))


def answer(run: Run) -> str:
    """The answer of a run in words: its tour, or the length of a tour that is drawn."""
    if "places" not in run.arrays or run.arrays["places"].values.shape[1] != 2:
        return str(run.arrays["answer"].values)
    length = float(run.arrays["length"].values)
    shortest = "optimum" in run.arrays and np.isclose(length, float(run.arrays["optimum"].values))
    return say("shortest tour: {}", length) if shortest else say("best tour: {}", length)


def tour_of(run: Run, state: np.ndarray, title: str, ended: bool, alone: bool, rows: bool) -> list[Panel]:
    """The cities, with lines between those that follow each other, if they have places in a plane; and the neurons.

    alone: whether there is room for the names of the cities. rows: whether the rows of the neurons have theirs.
    """
    (cities, positions), places = run.arrays["solution"].labels, run.arrays.get("places")
    look: Any = {"x": say("position"), "y": say("city"), "layout": "grid"}
    neurons = ruled(Cells(state, cities if rows else (), positions, numbers=False, most=1.0))
    if places is None or places.values.shape[1] != 2:
        return [Panel(neurons, title, **look)]
    follows = state @ np.roll(state, -1, axis=1).T
    one, other = np.nonzero(np.triu(follows + follows.T, 1) > FAINT)
    width = 1.0 if ended else LIGHT * np.minimum(1.0, (follows + follows.T)[one, other])
    lines = Arrows(places.values[one], places.values[other], "plus" if ended else "faint", width, head=False)
    way = places.values[np.argmax(run.arrays["solution"].values, axis=0)]
    clear = Arrows(way, np.roll(way, -1, axis=0), "paper", head=False)  # of names, so that they stay where they are
    points = Points(places.values, places.labels[0] if alone else (), size=CITY)
    return [Panel([clear, lines, points], title, layout="free", width=1.2), Panel(neurons, **look)]


def board(state: np.ndarray, title: str, alone: bool) -> Panel:
    """Queens on their board."""
    fields, queens = np.indices(state.shape).sum(axis=0) % 2, np.argwhere(state > 0.5)
    marks = [
        Cells(fields.astype(float), numbers=False, most=4.0),
        Nodes(queens[:, ::-1], ["♛"] * len(queens), "plain", size=QUEENS[alone] / len(state)),
    ]
    return Panel(marks, title, layout="grid")


def cut(run: Run, state: np.ndarray, when: str, alone: bool) -> Panel:
    """The nodes of a graph to the left or to the right, by their part: the edges between them are in the cut."""
    (nodes,), other = run.arrays["solution"].labels, state * run.arrays["solution"].values[0] < 0
    need(len(nodes) <= MOST_NEURONS, f"a graph of {len(nodes):,} nodes cannot be read")
    at = np.column_stack([APART[alone] * np.where(other, 1, -1), np.linspace(2, -2, len(nodes))])
    start, end = np.argwhere(np.triu(run.arrays["couplings"].values, 1)).T
    is_cut = other[start] != other[end]
    within: Any = {"head": False, "dashed": True, "key": say("edge within a part")}
    marks: list[Any] = [
        Arrows(at[start[is_cut]], at[end[is_cut]], "faint", 0.7, head=False, key=say("edge in the cut"))
    ]
    for part, bend in ((~other, -0.4), (other, 0.4)):  # away from the other column
        inside = ~is_cut & part[start]
        marks.append(Arrows(at[start[inside]], at[end[inside]], "ink", bend=bend, **within))
    colours = np.where(other, "minus", "plus").tolist()
    marks.append(Nodes(at, nodes, "circle", colours, colours, min(1.0, NODES / len(nodes))))
    ends: Any = {"x_range": (-APART[alone] - 0.4, APART[alone] + 0.4), "y_range": (-2.1, 2.1)}
    return Panel(marks, below(when, say("cut: {} of {}", int(is_cut.sum()), len(start))), layout="free", **ends)
