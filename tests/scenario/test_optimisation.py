"""Optimisation in a file: the problems of the core with their labels, the answer as text and matrix, and errors."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.scenario.files import shipped
from tests.refusal import assert_refused
from tests.scenario.scenarios_of_kinds import scenario
from tests.texts import parsed

TRIANGLE = scenario(
    "optimisation",
    '[max_cut]\nedges = [["a", "b"], ["b", "c"], ["c", "a"]]\nweights = [1, 2, 4]\n[search]\nstarts = 20\n',
)
SQUARE = "[[0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0]]"
SALESMAN = scenario("optimisation", f"[travelling_salesman]\ndistances = {SQUARE}\nD = 100\n[search]\nstarts = 40\n")
OBJECTIVE = scenario("optimisation", "[quadratic]\nQ = [[2, 4], [0, 2]]\nc = [-2, -3]\nconstant = 5\n")


def arrays_of(text):
    return ha.run(parsed(text)).arrays


def test_a_cut_by_its_nodes():
    arrays = arrays_of(TRIANGLE)
    assert arrays["solution"].labels == (("a", "b", "c"),)
    a, b, c = arrays["solution"].values
    assert c == -a == -b, "the edges of weight 2 and 4 are cut"
    assert arrays["cut"].values == arrays["optimum"].values == 6
    assert arrays["answer"].values == "a b | c, cut 6"
    np.testing.assert_array_equal(arrays["couplings"].values, -0.5 * np.array([[0, 1, 4], [1, 0, 2], [4, 2, 0]]))


def test_whole_numbers_name_nodes_in_their_order():
    cycle = TRIANGLE.replace('[["a", "b"], ["b", "c"], ["c", "a"]]', "[[10, 2], [2, 0], [0, 10]]")
    arrays = arrays_of(cycle)
    assert arrays["solution"].labels == (("0", "2", "10"),) and arrays["cut"].values == 6
    assert arrays["answer"].values == "0 | 2 10, cut 6"
    loop = cycle.replace("[0, 10]", "[2, 2]")
    assert_refused(loop, "6: max_cut.edges.3", "leads from '2' to itself")
    assert_refused(cycle.replace("10]]", "1.5]]"), "6: max_cut.edges.3.2", "a whole number")


def test_a_tour_is_a_matrix_and_a_text():
    arrays = arrays_of(SALESMAN)
    assert arrays["solution"].dims == ("city", "position")
    table = arrays["solution"].values
    assert np.all(table.sum(axis=0) == 1) and np.all(table.sum(axis=1) == 1)
    assert arrays["length"].values == arrays["optimum"].values == 4
    assert arrays["answer"].values == "1 → 2 → 3 → 4, length 4"
    assert arrays["couplings"].labels[0][:5] == ("1 1", "1 2", "1 3", "1 4", "2 1")
    valid, low, high = arrays["shares"].values[0]
    assert low <= valid <= high and valid == arrays["valid"].values


def test_where_no_tour_is_valid_the_answer_says_what_to_do():
    steep = SALESMAN.replace("D = 100", "D = 5000")
    why = "no state is valid; take a smaller D, so that the length weighs less"
    expected = steep + '[[expect]]\nmeasure = "length"\nis = 4\n'
    result = ha.run(parsed(expected))
    assert result.arrays["answer"].values == why and "length" not in result.arrays
    (outcome,) = result.expectations
    assert (outcome.met, outcome.computed, outcome.note) == (False, "none", why)
    assert ha.run(parsed(expected.replace("D = 5000", "D = 100"))).ok


def test_a_sweep_has_no_length_where_no_tour_is_valid():
    over, measures = {"travelling_salesman.D": (100, 5000)}, ["length", "valid"]
    swept = ha.experiments.sweep_scenario(parsed(SALESMAN), over, measures=measures, workers=1)
    length, none = swept.mean("length")
    assert length == 4 and np.isnan(none) and swept.mean("valid")[1] == 0


def test_an_objective_of_ones_own():
    arrays = arrays_of(OBJECTIVE)
    assert arrays["solution"].values.tolist() == [0, 1] and arrays["objective"].values == arrays["optimum"].values == 3
    assert arrays["best"].values <= arrays["valid"].values == 1
    lines = ha.run(parsed(OBJECTIVE), explain=True).runs[0].working
    assert "f(x) = ½ xᵀQ x + cᵀx + f₀ = 1 − 3 + 5 = 3 of the answer" in lines
    assert ha.run(parsed(OBJECTIVE)).reading.startswith("f(x) = ½ xᵀQ x + cᵀx + constant is minimised")
    assert not ha.run(parsed(TRIANGLE)).reading


def test_a_run_is_that_of_the_core():
    problem = ha.networks.MaxCut([[0, 1, 4], [1, 0, 2], [4, 2, 0]])
    run, found = arrays_of(TRIANGLE), ha.networks.minimise(problem, starts=20, rng=0)
    assert run["solution"].values.tolist() == found.state.tolist()
    assert run["shares"].values.tolist() == found.shares.tolist()


def test_the_couplings_of_many_neurons_are_computed_when_they_are_asked_for():
    arrays = arrays_of(scenario("optimisation", "[queens]\nsize = 5\n[search]\nstarts = 2\n"))
    assert "couplings" in arrays and "couplings" not in [*arrays]
    np.testing.assert_array_equal(arrays["couplings"].values, ha.networks.Queens(5).network().couplings)


@pytest.mark.parametrize("name", [name for name, path in shipped().items() if path.parent.name == "optimisation"])
def test_the_least_scenario_has_all_arrays_of_the_whole(name):
    spec = ha.load(name).spec
    least = spec.least().run(np.random.default_rng(0))
    few = spec.changed(search=spec.search.model_copy(update={"starts": 20})).run(np.random.default_rng(0))
    assert {key: array.labels for key, array in least.items()} == {key: array.labels for key, array in few.items()}


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        (scenario("optimisation", ""), "1: ", ["needs one of `travelling_salesman`", "none is given"]),
        (TRIANGLE + "[queens]\n", "1: ", ["`max_cut` and `queens` are given"]),
        (TRIANGLE.replace('["c", "a"]', '["b", "a"]'), "6: max_cut.edges.3", ["joins 'b' and 'a'"]),
        (TRIANGLE.replace('["c", "a"]', '["c", "c"]'), "6: max_cut.edges.3", ["leads from 'c' to itself"]),
        (TRIANGLE.replace("[1, 2, 4]", "[1, 2]"), "7: max_cut.weights", ["needs 3 numbers", "not 2"]),
        (SALESMAN.replace("[0, 1, 2, 1]", "[0, 1, 3, 1]"), "6: travelling_salesman.distances", ["both ways"]),
        (SALESMAN.replace("[0, 1, 2, 1]", "[0, 1, 2]"), "6: travelling_salesman.distances", ["needs 4 numbers"]),
        (OBJECTIVE.replace("[-2, -3]", "[-2]"), "7: quadratic.c", ["needs 2 numbers"]),
        (TRIANGLE + 'update = "graded"\n', "10: search.update", ["give u0"]),
        (TRIANGLE.replace("20", "90000") + "max_steps = 90000\n", "9: search.starts", ["at most 100,000,000"]),
    ],
)
def test_what_does_not_fit_is_refused_where_it_stands(text, place, words):
    assert_refused(text, place, *words)
