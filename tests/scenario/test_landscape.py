"""Scenarios of landscapes agree with Markov chains, minimax ways, roots of tanh and the interval of Hoover et al."""

import re

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import brentq

import hopattn as ha
from hopattn.scenario.kinds.landscape import Landscape
from tests.scenario.scenarios_of_kinds import FIXED_POINTS, LANDSCAPE, scenario
from tests.texts import parsed

SEEDS = pytest.mark.parametrize("seed", [0, 1, 2])


def arrays_of(text, seed=None, **overrides):
    return ha.run(parsed(text), seed, overrides).arrays


def network(arrays):
    """The patterns of a run, and the states, fields and energies of Hebb's network of them."""
    patterns = np.asarray(arrays["patterns"].values)
    w = patterns.T @ patterns
    np.fill_diagonal(w, 0)
    n = len(w)
    states = np.where(np.arange(2**n)[:, None] >> np.arange(n - 1, -1, -1) & 1, 1, -1)
    fields = states @ w
    return patterns, states, fields, -(states * fields).sum(axis=1) / (2 * n)


def row_of(states, wanted):
    return int(np.flatnonzero((states == wanted).all(axis=1))[0])


@SEEDS
def test_random_basins_are_the_absorption_probabilities_of_a_markov_chain(seed):
    arrays = arrays_of(LANDSCAPE, seed)
    patterns, states, fields, _ = network(arrays)
    chain = np.zeros((256, 256))
    for i, (x, h) in enumerate(zip(states, fields, strict=True)):
        for j in range(8):
            after = x.copy()
            after[j] = np.sign(h[j]) or x[j]
            chain[i, row_of(states, after)] += 1 / 8
    minima = np.flatnonzero(np.diag(chain) > 1 - 1e-12)
    rest = np.setdiff1d(np.arange(256), minima)
    ends = np.linalg.solve(np.eye(len(rest)) - chain[np.ix_(rest, rest)], chain[np.ix_(rest, minima)])
    stored = dict(zip(minima.tolist(), (ends.sum(axis=0) + 1) / 256, strict=True))
    assert arrays["minima"].values == len(minima)
    expected = [stored.get(row_of(states, pattern), 0.0) for pattern in patterns]
    np.testing.assert_allclose(arrays["basin"].values[0], expected, atol=1e-12)
    np.testing.assert_allclose(arrays["ends"].values.sum(axis=1), 1, atol=1e-12)
    assert arrays["basin"].labels == (("random", "sequence", "sync"), ("pattern 1", "pattern 2", "pattern 3"))


@SEEDS
@pytest.mark.parametrize("update", ["sequence", "sync"])
def test_the_basins_of_an_update_are_counts_of_states_that_it_leads_there(seed, update):
    """In sequence from the first neuron to the last, or all at once, until nothing changes or two states alternate."""
    arrays = arrays_of(LANDSCAPE, seed)
    patterns, states, _, _ = network(arrays)
    w = patterns.T @ patterns
    np.fill_diagonal(w, 0)
    x, before = states.astype(float), states
    for _ in range(60):
        before, x = x, x.copy()
        for part in range(8) if update == "sequence" else [slice(None)]:
            fields = x @ w[:, part]
            x[:, part] = np.where(fields == 0, x[:, part], np.sign(fields))
    still = (x == before).all(axis=1)
    row = ("random", "sequence", "sync").index(update)
    shares = [np.mean(still & (x == pattern).all(axis=1)) for pattern in patterns]
    np.testing.assert_allclose(arrays["basin"].values[row], shares, atol=1e-12)
    ends = arrays["ends"]
    assert ends.values[row, ends.labels[1].index("cycles")] == pytest.approx(np.mean(~still))
    cycles = {frozenset((tuple(x[i]), tuple(before[i]))) for i in np.flatnonzero(~still)}
    assert arrays[f"{update} cycles"].values == len(cycles)


@SEEDS
def test_barriers_are_those_of_the_lowest_ways(seed):
    """The lowest way between two states lies in the minimum spanning tree of the hypercube (minimax paths)."""
    arrays = arrays_of(LANDSCAPE, seed)
    energy = network(arrays)[-1]
    cube = nx.Graph()
    for i in range(256):
        cube.add_weighted_edges_from((i, i ^ 1 << j, max(energy[i], energy[i ^ 1 << j])) for j in range(8))
    tree = nx.minimum_spanning_tree(cube)
    minima = [i for i in range(256) if all(energy[i ^ 1 << j] >= energy[i] for j in range(8))]
    barriers = arrays["barriers"].values
    assert len(minima) == len(barriers)
    np.testing.assert_allclose(np.sort(energy[minima]), arrays["energy"].values, atol=1e-12)
    ways = [
        max(tree.edges[edge]["weight"] for edge in nx.utils.pairwise(nx.shortest_path(tree, one, other)))
        for k, one in enumerate(minima)
        for other in minima[:k]
    ]
    np.testing.assert_allclose(np.sort(barriers[np.tril_indices(len(barriers), -1)]), np.sort(ways), atol=1e-12)
    names, low = arrays["energy"].labels[0], arrays["energy"].values
    below = low[None, :] < low[:, None] - 1e-9
    depths = np.where(below, barriers, np.inf).min(axis=1) - low
    np.testing.assert_allclose(arrays["depth"].values, depths[np.isfinite(depths)], atol=1e-12)
    assert arrays["depth"].labels[0] == tuple(np.array(names)[np.isfinite(depths)])


def test_all_points_of_two_opposite_patterns_are_roots_of_tanh():
    arrays = arrays_of(FIXED_POINTS)
    assert arrays["count"].labels == (("all", "stable"), ("0.5", "1.5", "3"))
    assert arrays["count"].values.tolist() == [[1, 3, 3], [1, 2, 2]]
    for beta in (1.5, 3.0):
        root = brentq(lambda x, beta=beta: x - np.tanh(beta * x), 0.1, 1)
        here = arrays["points-at"].values == beta
        places = arrays["points-place"].values[here]
        np.testing.assert_allclose(np.sort(places), [(1 - root) / 2, 0.5, (1 + root) / 2], atol=1e-9)
        np.testing.assert_allclose(arrays["points"].values[here] @ [0.8, 0.6], 1 - 2 * places, atol=1e-9)
        np.testing.assert_array_equal(arrays["points-stable"].values[here], np.abs(places - 0.5) > 0.1)
        np.testing.assert_array_equal(arrays["points-index"].values[here], np.abs(places - 0.5) < 0.1)


def test_a_state_that_no_pattern_is_near_is_no_fixed_point():
    """At β = 1.9 and r = 2 two patterns and their mean are left; other states stay where they are, by themselves."""
    memory = ha.memories.log_sum_relu([[-1.0, 0.5], [1.0, 0.5]], beta=1.9, epsilon=0.2)
    points = ha.landscapes.fixed_points(memory, rng=0)
    assert sorted(points.state[:, 0].round(9).tolist()) == [-1, 0, 1]
    assert points.stable.all()


@pytest.mark.slow
def test_radii_have_the_error_of_their_memories_and_lie_in_their_interval():
    for run in ha.run("thirty-neurons").runs:
        ends = "", "-low", "-high", "-error"
        radius, low, high, error = (float(run.arrays[f"radii{end}"].values[0]) for end in ends)
        assert low <= radius <= high and run.arrays["radius"].values == radius
        assert error > (high - low) / 4, "memories differ by more than their cues"


def test_the_error_of_a_radius_is_that_of_the_radii_of_its_memories():
    damages = [0.1, 0.3, 0.5]
    returns = ha.landscapes.radii(
        ha.memories.hopfield, [0.1], neurons=40, damage=damages, cues=90, memories=3, rng=0
    ).returns[0]
    shares = returns.by_memory / 30
    assert returns.returned.tolist() == returns.by_memory.sum(axis=0).tolist() and returns.cues == 90
    radii = [np.interp(-0.5, -row, returns.damage) for row in shares if row[0] >= 0.5 and np.all(np.diff(row) < 0)]
    assert len(radii) == 3
    assert returns.radius_error == pytest.approx(np.std(radii, ddof=1) / np.sqrt(3))


def test_more_random_patterns_are_drawn_at_a_larger_load_and_a_sweep_goes_over_them():
    text = LANDSCAPE.replace(
        "[states]", "[returns]\nloads = [0.1, 0.5]\ncues = 8\nmemories = 2\ndamage = [0, 0.25, 0.5]"
    )
    text = text.replace("patterns = 3\n", "").replace("neurons = 8", "neurons = 20")
    (run,) = ha.run(parsed(text), 2, explain=True).runs
    arrays, lines = run.arrays, [re.findall(r"[\d.]*\d", line) for line in run.working]
    radii, returned = [arrays[f"radii{end}"].values for end in ("", "-low", "-high", "-error")], arrays["returned"]
    for i, load in enumerate((0.1, 0.5)):
        radius, low, high, error = (values[i] for values in radii)
        told = [[load, radius, 95, 8, low, high], [error], *zip((0, 0.25, 0.5), returned.values[i], strict=True)]
        for line, numbers in zip(lines[5 * i : 5 * i + 5], told, strict=True):
            assert [*map(float, line)] == pytest.approx([*numbers], abs=1e-3)
    assert arrays["radii"].labels == (("0.1", "0.5"),)
    assert arrays["returned"].labels == (("0.1", "0.5"), ("0.0", "0.25", "0.5"))
    assert np.all(arrays["returned-low"].values <= arrays["returned"].values)
    assert np.all(arrays["returned"].values <= arrays["returned-high"].values)
    assert arrays["load 0.1 radius"].values == arrays["radii"].values[0] > arrays["radii"].values[1]
    sweep = ha.experiments.sweep_scenario(
        parsed(LANDSCAPE), {"ensemble.patterns": (1, 3)}, trials=3, measures=["minima"], workers=1
    )
    assert sweep.mean("minima")[0] == 2


def test_the_barrier_between_two_words_is_above_the_higher_of_them_and_both_are_minima():
    text = LANDSCAPE.replace(
        "[ensemble]",
        "[pictures.drawn]\na = ['#..#...#']\nb = ['#.#.####']\nc = ['#####...']\nd = ['#..#....']\n[memory]",
    )
    text = text.replace("neurons = 8\npatterns = 3\n", 'patterns = ["a", "b", "c"]\nbetween = ["a", "b"]\n')
    arrays = arrays_of(text)
    names, energy = arrays["energy"].labels[0], arrays["energy"].values
    i, j = names.index("a"), names.index("b")
    assert arrays["barrier"].values == pytest.approx(arrays["barriers"].values[i, j] - max(energy[i], energy[j]))
    assert abs(energy[i] - energy[j]) > 0.1 and "c reversed" in names
    assert arrays["patterns"].labels[0] == ("a", "b", "c")
    with pytest.raises(ha.InvalidInput, match="between: one of the two patterns is no minimum"):
        arrays_of(text.replace('"c"]', '"c", "d"]').replace('between = ["a", "b"]', 'between = ["a", "d"]'))


def test_minima_of_one_energy_are_explained_on_one_line_and_the_rest_is_counted():
    working = [line for run in ha.run("depth", explain=True).runs for line in run.working]
    assert "  halves reversed, stripes reversed, stripes, halves: energy −3, none is lower" in working
    assert "  other#1 … other#30 (30): energy 0, depth 0" in working
    assert "  and 8 more, none of them lower" in working
    assert max(map(len, working)) < 160


def test_a_sequence_without_fixed_points_has_no_ends_but_cycles():
    memory = '[memory]\npatterns = [[1, 1], [1, -1], [-1, -1], [-1, 1]]\nmodel = { name = "sequence", n = 2 }\n'
    arrays = arrays_of(scenario("landscape", f'{memory}[states]\nupdates = ["sync"]\n'))
    assert arrays["sync cycles"].values == 1 and not arrays["basin"].values.any()
    assert arrays["ends"].labels == (("sync",), ("others", "cycles")) and arrays["ends"].values.tolist() == [[0, 1]]


@pytest.mark.parametrize("text", [LANDSCAPE, FIXED_POINTS])
def test_minima_and_fixed_points_are_looked_for_once_by_the_check_and_the_run(text, monkeypatch):
    runs, compute = [], Landscape.compute
    monkeypatch.setattr(Landscape, "compute", lambda self, *rest: runs.append(self) or compute(self, *rest))
    assert ha.run(parsed(f"{text}[returns]\ncues = 40\n")).arrays["returned"].values.size
    assert len(runs) == 1


@pytest.mark.parametrize("update", ["sequence", "sync"])
def test_all_stable_states_are_listed_and_where_each_state_of_a_few_spins_ends(update):
    """Three patterns of five neurons by Hebb's rule without a diagonal: a plain loop over all 32 states."""
    patterns = [[1, 1, 1, 1, -1], [1, -1, 1, -1, 1], [1, 1, -1, -1, -1]]
    (one,) = ha.run(
        parsed(
            scenario("landscape", f'[memory]\npatterns = {patterns}\nmodel = "hopfield"\n[states]\n')
            + f'updates = ["{update}"]\n'
        ),
        explain=True,
    ).runs
    w = 5 * one.arrays["couplings"].values.round(12)
    assert np.array_equal(w, np.array(patterns).T @ patterns - 3 * np.eye(5)) and "stable" in one.shown
    led = {}
    for state in np.where(np.arange(32)[:, None] >> np.arange(4, -1, -1) & 1, 1, -1):
        x = state.copy()
        for _ in range(20):
            before = x.copy()
            for part in range(5) if update == "sequence" else [slice(None)]:
                field = w[part] @ x
                x[part] = np.where(field == 0, x[part], np.sign(field))
        led["".join("−+"[(spin + 1) // 2] for spin in state)] = tuple(x) if np.array_equal(x, before) else "a cycle"
    stable, end = one.arrays["stable"], one.arrays[f"{update} end"]
    states = {name: tuple(row) for name, row in zip(stable.labels[0], stable.values, strict=True)}
    assert {states.get(name, name) for name in end.values} == {*led.values()}
    assert [states.get(name, name) for name in end.values] == [led[label] for label in end.labels[0]]
    assert [states[name] for name in "123"] == [*map(tuple, patterns)] and states["mixture#1"] == (-1, -1, 1, -1, 1)
    assert any(line.startswith("  mixture#1 (−1, −1, 1, −1, 1): from ") for line in one.working)
