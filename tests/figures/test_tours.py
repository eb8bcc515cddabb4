"""Tours, cuts and boards: moments of the way from a random start to the answer."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.figures.figure import gallery
from hopattn.figures.recalls import FRAMES
from hopattn.figures.sheet import Arrows, Cells, Nodes
from hopattn.figures.text import number
from tests.runs import marks_of
from tests.scenario.scenarios_of_kinds import scenario
from tests.texts import parsed

TRIANGLE = '[max_cut]\nedges = [["a", "b"], ["b", "c"], ["c", "a"]]\n'
SQUARE = {"A": [0, 0], "B": [1, 0], "C": [0, 1], "D": [1, 1]}
CITIES = "[travelling_salesman]\nD = 100\n[travelling_salesman.cities]\n" + "\n".join(
    f"{name} = {place}" for name, place in SQUARE.items()
)
BLIND = "[travelling_salesman]\ndistances = [[0, 1, 2], [1, 0, 2], [2, 2, 0]]\nD = 100\n"


COOLING = 'update = { name = "glauber", temperature = 100, cooling = 0.8 }\nmax_steps = 30\n'


def minimised(problem, search=""):
    return ha.run(parsed(scenario("optimisation", f"{problem}\n[search]\nstarts = 20\n{search}")))


def tour(problem):
    return gallery()["tour"].sheet(minimised(problem))


def test_a_tour_visits_each_city_in_the_order_of_its_matrix():
    shown = tour(CITIES)
    cities = shown.panels[len(shown.panels) // 2 - 1]
    (_, way), (cells,) = marks_of(cities, Arrows), marks_of(shown.panels[-1], Cells)
    order = [SQUARE[[*SQUARE][i]] for i in np.argmax(cells.values, axis=0)]
    sides = {frozenset({tuple(one), tuple(other)}) for one, other in zip(order, order[1:] + order[:1], strict=True)}
    assert {frozenset({(*one,), (*other,)}) for one, other in zip(way.start, way.end, strict=True)} == sides
    assert cities.title == "shortest tour: 4"


def test_cities_without_places_are_a_matrix_alone():
    shown = tour(BLIND)
    assert all(panel.layout == "grid" for panel in shown.panels) and shown.panels[0].title == "start"
    assert shown.panels[-1].title == "1 → 2 → 3, length 5"


def test_the_edges_of_a_cut_lead_from_one_part_to_the_other():
    panel = tour(TRIANGLE).panels[-1]
    cut, *within = marks_of(panel, Arrows)
    (nodes,) = marks_of(panel, Nodes)
    assert (len(cut.start), sum(len(one.start) for one in within), len(nodes.texts)) == (2, 1, 3)
    assert (cut.start[:, 0] * cut.end[:, 0] < 0).all() and panel.title.endswith("cut: 2 of 3")
    assert all((one.start[:, 0] == one.end[:, 0]).all() for one in within)
    assert {*zip(np.sign(nodes.at[:, 0]), nodes.colour, strict=True)} == {(-1, "plus"), (1, "minus")}


@pytest.mark.parametrize("search", ["", COOLING, "u0 = 0.2\n"], ids=["quench", "annealing", "graded"])
@pytest.mark.parametrize(
    ("problem", "mark", "state"),
    [
        (CITIES, Cells, lambda cells: cells.values),
        (BLIND, Cells, lambda cells: cells.values),
        ("[queens]\nsize = 5\n", Nodes, lambda queens: np.isin(np.arange(25), queens.at @ [1, 5]).reshape(5, 5)),
        (TRIANGLE, Nodes, lambda nodes: np.where(nodes.at[:, 0] < 0, 1, -1)),
    ],
    ids=["cities", "distances", "queens", "cut"],
)
def test_a_film_and_its_strip_go_from_a_random_start_to_the_answer_of_the_run(problem, mark, state, search):
    result, figure = minimised(problem, search), gallery()["tour"]
    way, solution = (result.runs[0].arrays[name].values for name in ("trajectory", "solution"))
    way, solution = (array * (solution[0] if problem == TRIANGLE else 1) for array in (way, solution))
    if mark is Nodes:  # which are at one of two places
        way = np.where(way > (solution.min() + solution.max()) / 2, solution.max(), solution.min())
    frames, strip = figure.frames(result), figure.sheet(result)
    film = [state(marks_of(frame.panels[-1], mark)[0]) for frame in frames]
    still = [state(marks[0]) for panel in strip.panels if (marks := marks_of(panel, mark))]
    assert 2 <= len(still) <= len(film) <= FRAMES
    for shown in (film, still):
        np.testing.assert_array_equal(shown[0], way[0])
        np.testing.assert_array_equal(shown[-1], solution)
        at = [np.flatnonzero([np.array_equal(one, step) for step in way]) for one in shown]
        assert all(len(steps) for steps in at), "each frame is a state of the run"
    if search == COOLING:
        temperatures = [float(f"{100 * 0.8**step:.3g}") for step in range(30)]
        names = [frame.panels[0].title.split("\n")[0] for frame in frames[1:-1]]
        assert all(name in {f"T = {number(one)}" for one in [*temperatures, 0.0]} for name in names)
