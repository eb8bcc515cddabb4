"""Scenarios of landscapes agree with Markov chains, minimax ways, roots of tanh and the interval of Hoover et al."""

import networkx as nx
import numpy as np
import pytest
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.optimize import brentq
from scipy.spatial.distance import squareform

import hopattn as ha
from hopattn.figures.gallery.disconnectivity import tree_of
from hopattn.scenario.loading import parse
from tests.each import each
from tests.refusal import problems
from tests.runs import result_of

RANDOM = """schema = 1
title = "a landscape"
source = "ours"
kind = "landscape"
[ensemble]
neurons = 8
patterns = 3
model = "hopfield"
[states]
"""
WORDS = """schema = 1
title = "a landscape"
source = "ours"
kind = "landscape"
[vocabulary]
axes = ["x", "y"]
magnitude = "free"
[vocabulary.words]
a = [0.8, 0.6]
b = [-0.8, -0.6]
[memory]
patterns = ["a", "b"]
model = "modern"
[fixed_points]
beta = [0.5, 1.5, 3]
"""


def network(arrays):
    """The couplings, states, fields and energies of Hebb's network of the patterns of a run."""
    patterns = np.asarray(arrays["patterns"].values)
    w = patterns.T @ patterns
    np.fill_diagonal(w, 0)
    n = len(w)
    states = np.where(np.arange(2**n)[:, None] >> np.arange(n - 1, -1, -1) & 1, 1, -1)
    fields = states @ w
    return patterns, states, fields, -(states * fields).sum(axis=1) / (2 * n)


def row_of(states, wanted):
    return int(np.flatnonzero((states == wanted).all(axis=1))[0])


@each("seed", [0, 1, 2])
def test_random_basins_are_the_absorption_probabilities_of_a_markov_chain(seed):
    arrays = ha.run(parse(RANDOM, "l.toml", "l"), seed).arrays
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
    size = (ends.sum(axis=0) + 1) / 256
    assert arrays["minima"].values == len(minima)
    stored = {int(minima[k]): share for k, share in enumerate(size)}
    expected = [stored.get(row_of(states, pattern), 0.0) for pattern in patterns]
    np.testing.assert_allclose(arrays["basin"].values[0], expected, atol=1e-12)
    np.testing.assert_allclose(arrays["ends"].values.sum(axis=1), 1, atol=1e-12)


@each("seed", [0, 1, 2])
def test_barriers_are_those_of_the_lowest_ways_and_the_tree_has_their_heights(seed):
    """The lowest way between two states lies in the minimum spanning tree of the hypercube (minimax paths)."""
    arrays = ha.run(parse(RANDOM, "l.toml", "l"), seed).arrays
    energy = network(arrays)[-1]
    cube = nx.Graph()
    for i in range(256):
        cube.add_weighted_edges_from((i, i ^ 1 << j, max(energy[i], energy[i ^ 1 << j])) for j in range(8))
    tree = nx.minimum_spanning_tree(cube)
    minima = [i for i in range(256) if all(energy[i ^ 1 << j] >= energy[i] for j in range(8))]
    minima.sort(key=lambda i: round(energy[i], 9))
    found = arrays["barriers"].values
    assert len(minima) == len(found)
    np.testing.assert_allclose(np.sort(energy[minima]), np.sort(arrays["energy"].values), atol=1e-12)
    ways = [
        max(max(tree.edges[edge]["weight"] for edge in nx.utils.pairwise(nx.shortest_path(tree, one, other))), -99)
        for k, one in enumerate(minima)
        for other in minima[:k]
    ]
    np.testing.assert_allclose(np.sort(found[np.tril_indices(len(found), -1)]), np.sort(ways), atol=1e-12)
    order, branches = tree_of(found)
    assert sorted(order) == list(range(len(found)))
    low = found.min()
    heights = squareform(cophenet(linkage(squareform(found - low, checks=False), "single"))) + low
    off = ~np.eye(len(found), dtype=bool)
    np.testing.assert_allclose(heights[off], found[off], atol=1e-12)
    assert max(top for *_, top in branches) == pytest.approx(found[off].max())


def test_all_points_of_two_opposite_patterns_are_roots_of_tanh():
    arrays = ha.run(parse(WORDS, "l.toml", "l")).arrays
    assert arrays["count"].values.tolist() == [[1, 3, 3], [1, 2, 2]]
    for beta in (1.5, 3.0):
        root = brentq(lambda x, beta=beta: x - np.tanh(beta * x), 0.1, 1)
        own = arrays["points-at"].values == beta
        np.testing.assert_allclose(
            np.sort(arrays["points-place"].values[own]), [(1 - root) / 2, 0.5, (1 + root) / 2], atol=1e-9
        )
        assert arrays["points-stable"].values[own].sum() == 2


def test_a_state_that_no_pattern_is_near_is_no_fixed_point():
    """At β = 1.9 and r = 2 two patterns and their mean are left; other states stay where they are, by themselves."""
    memory = ha.memories.log_sum_relu([[-1.0, 0.5], [1.0, 0.5]], 1.9, epsilon=0.2)
    found = ha.landscapes.fixed_points(memory)
    assert sorted(found.state[:, 0].round(9).tolist()) == [-1, 0, 1]
    assert found.stable.all()


def test_radii_have_the_error_of_their_memories_and_lie_in_their_interval():
    result = result_of("thirty-neurons")
    for run in result.runs:
        radius, low, high, error = (
            float(run.arrays[f"radii{end}"].values[0]) for end in ("", "-low", "-high", "-error")
        )
        assert low <= radius <= high
        assert run.arrays["radius"].values == radius
        assert error > (high - low) / 4, "memories differ by more than their cues"
    found = ha.landscapes.radii(ha.memories.hopfield, [0.1], 40, [0.1, 0.3, 0.5], cues=90, memories=3, rng=0).returns[0]
    shares = found.by_memory / 30
    assert found.returned.tolist() == found.by_memory.sum(axis=0).tolist() and found.cues == 90
    own = [np.interp(-0.5, -share, found.damage) for share in shares if share[0] >= 0.5 and np.all(np.diff(share) < 0)]
    assert len(own) == 3
    assert found.radius_error == pytest.approx(np.std(own, ddof=1) / np.sqrt(3))


def test_more_random_patterns_are_drawn_at_a_larger_load_and_a_sweep_goes_over_them():
    text = RANDOM.replace("[states]", "[returns]\nloads = [0.1, 0.5]\ncues = 8\nmemories = 2")
    text = text.replace("patterns = 3\n", "").replace("neurons = 8", "neurons = 20")
    arrays = ha.run(parse(text, "l.toml", "l")).arrays
    assert arrays["radii"].labels == (("0.1", "0.5"),)
    assert arrays["load 0.1 radius"].values == arrays["radii"].values[0] > arrays["radii"].values[1]
    sweep = ha.experiments.sweep_scenario(
        parse(RANDOM, "l.toml", "l"), {"ensemble.patterns": (1, 3)}, trials=3, measures=["minima"], workers=1
    )
    assert sweep.mean("minima")[0] == 2


@each(
    ("text", "change", "message"),
    [
        (RANDOM, ("[states]", ""), "needs [states], [returns] or [fixed_points]"),
        (RANDOM, ("[ensemble]", "[memory]\npatterns = ['a']\n[ensemble]"), "needs one of `memory` and `ensemble`"),
        (RANDOM, ("patterns = 3\n", ""), "ensemble: needs one of `patterns`, `load` and `exponent`"),
        (RANDOM, ("neurons = 8", "neurons = 21"), "states: 21 spins have 2^21 states; expected at most 20"),
        (RANDOM, ("[states]", '[states]\nupdates = ["sync", "sync"]'), "states.updates: 'sync' is given 2 times"),
        (RANDOM, ("[states]", '[states]\nupdates = ["synk"]'), "states.updates"),
        (RANDOM, ('"hopfield"', '"modern"'), "states: its activation 'identity' gives no spins"),
        (RANDOM, ("[states]", "[returns]\ndamage = [0.2, 0.1]"), "returns.damage: 0.1 comes after 0.2"),
        (RANDOM, ("[states]", "[returns]\ndamage = [0, 2]"), "returns.damage: expected fractions of the neurons"),
        (RANDOM, ("[states]", "[returns]\ndamage = [-1, 0]"), "returns.damage: got -1; expected numbers from 0 up"),
        (RANDOM, ("[states]", "[returns]\nloads = [0, 1]"), "returns.loads: got 0; expected numbers above 0"),
        (RANDOM, ("[states]", "[fixed_points]\nbeta = [1]"), "fixed_points: is for graded states"),
        (
            RANDOM,
            ("[states]", '[states]\n[returns]\ncues = 4\n[pictures]\nletters = "A"'),
            "pictures: is for the words of [memory]",
        ),
        (WORDS, ("[fixed_points]\nbeta", "[returns]\nloads"), "returns.loads: is for memories of [ensemble]"),
        (WORDS, ("[0.5, 1.5, 3]", "[0, 1]"), "fixed_points.beta: got 0; expected numbers above 0"),
        (WORDS, ('patterns = ["a", "b"]', 'patterns = ["a", "c"]'), "memory.patterns.2: 'c' is unknown"),
        (WORDS, ('"modern"', '"modern"\nbetwen = ["a", "b"]'), "did you mean 'between'"),
        (WORDS, ('"modern"', '"linear"'), "fixed_points.beta: the model 'linear' has none"),
    ],
)
def test_values_that_do_not_fit_are_reported(text, change, message):
    found = problems(text.replace(*change))
    assert any(message in line for line in found), found


@each(
    ("old", "new", "message"),
    [
        (
            "neurons = 8",
            "neurons = 21",
            "states: 21 spins have 2^21 states; expected at most 20 spins; write [returns]",
        ),
        ('"hopfield"', '"hopfeld"', "did you mean 'hopfield'?"),
        ("[states]", "[fixed_points]\nbeta = [1]", "the memory has spins; write [states]"),
    ],
)
def test_one_fault_has_one_message(old, new, message):
    (found,) = problems(RANDOM.replace(old, new))
    assert message in found


def test_minima_of_one_energy_are_explained_on_one_line_and_the_rest_is_counted():
    working = [line for run in ha.run("depth", explain=True).runs for line in run.working]
    assert "  halves reversed, stripes reversed, stripes, halves: energy −3, none is lower" in working
    assert "  other#1 … other#30 (30): energy 0, depth 0" in working
    assert "  and 8 more, none of them lower" in working
    assert max(map(len, working)) < 160
