"""A walk recalls what was seen at a place, also along new edges; without positions it is at chance."""

import itertools
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopattn as ha
from tests.counts import count
from tests.each import each

TORUS = ha.circuits.World.torus(10, 10)
WORLDS = [
    ha.circuits.World.torus(4, 6),
    ha.circuits.World.grid(3, 4),
    ha.circuits.World.line(5),
    ha.circuits.World.torus(7),
]
CUBE = nx.DiGraph()
for corner in itertools.product((0, 1), repeat=3):
    for axis, name in enumerate("xyz"):
        if corner[axis] == 0:
            CUBE.add_edge(str(corner), str((*corner[:axis], 1, *corner[axis + 1 :])), action=name)
HALF_TURNS = {"x": [180, 0, 0], "y": [0, 180, 0], "z": [0, 0, 180]}


@each("seed", range(count(20, 4)))
def test_a_long_walk_on_a_torus_is_recalled_along_new_edges_too(seed):
    """Of the edges that are walked, 99 lead to a first visit when first walked; the others to a place seen before."""
    walk = ha.circuits.walk(TORUS, steps=2500, kinds=45, rng=seed)
    sorts = Counter(walk.sorts.tolist())
    walked = {frozenset(pair) for pair in itertools.pairwise(walk.places.tolist())}
    assert 190 < len(walked) <= 200
    assert sorts["first visit"] == 99
    assert sorts["new edge"] == len(walked) - 99
    assert sorts["known edge"] == 2500 - len(walked)
    assert walk.accuracy >= 0.99 and walk.accuracy_on_new_edges >= 0.99


@each(("noise", "beta"), [(0.0, 5.0), (6.0, 20.0), (90.0, 50.0)])
def test_a_prediction_is_the_kind_with_the_most_weight(noise, beta):
    """The weights of the earlier times, written out: exp(β x_s·x_t), summed by kind."""
    walk = ha.circuits.walk(ha.circuits.World.grid(5, 5), steps=300, kinds=6, beta=beta, noise=noise, rng=7)
    seen = walk.observations[walk.places]
    for t in range(1, 301):
        powers = np.exp(beta * (walk.positions[:t] @ walk.positions[t] - 1))
        totals = np.bincount(seen[:t], weights=powers, minlength=6)
        second, first = np.sort(totals)[-2:]
        assert walk.predicted[t - 1] == np.argmax(totals) or first - second < 1e-9 * first


@settings(max_examples=count(100, 15), deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(WORLDS), st.integers(3, 12))
def test_a_stray_weight_below_one_half_makes_every_prediction_right(seed, world, planes):
    try:
        walk = ha.circuits.walk(world, steps=150, kinds=7, planes=planes, beta=80, rng=seed)
    except ha.InvalidInput as error:  # few planes may not tell all places apart
        assert "have the same position" in str(error)
        return
    if walk.stray_weight < 0.5:
        assert walk.right[walk.revisits].all()


@each("world", WORLDS)
def test_positions_are_products_of_rotations(world):
    walk = ha.circuits.walk(world, steps=60, planes=6, rng=0)
    turn = [ha.rotation(np.radians(angles), dim=12) for angles in walk.angles]
    position = np.tile([1.0, 0.0], 6) / np.sqrt(6)
    at = {0: position}
    for action, place, walked in zip(walk.actions, walk.places[1:], walk.positions[1:], strict=True):
        position = turn[action] @ position
        np.testing.assert_allclose(walked, position, atol=1e-12)
        np.testing.assert_allclose(at.setdefault(int(place), position), position, atol=1e-12)


def test_the_moves_are_those_of_networkx_graphs():
    for world, graph in (
        (ha.circuits.World.torus(4, 5), nx.grid_2d_graph(4, 5, periodic=True)),
        (ha.circuits.World.grid(4, 5), nx.grid_2d_graph(4, 5)),
        (ha.circuits.World.line(6), nx.path_graph(6)),
        (ha.circuits.World.torus(6), nx.cycle_graph(6)),
    ):
        numbers = {node: i for i, node in enumerate(graph.nodes)}
        edges = {(i, int(j)) for i, row in enumerate(world.moves) for j in row if j >= 0}
        assert edges == {(numbers[a], numbers[b]) for e in graph.edges for a, b in (e, e[::-1])}
        for i, action in itertools.product(range(len(world.places)), range(len(world.actions))):
            if world.moves[i, action] >= 0:
                assert world.moves[world.moves[i, action], world.inverse[action]] == i


def test_a_graph_is_walked_by_its_own_actions():
    """The corners of a cube; each of three actions is its own inverse and turns a plane of its own by half."""
    world = ha.circuits.world_of_graph(CUBE, {"x": "x", "y": "y", "z": "z"})
    walk = ha.circuits.walk(world, steps=200, kinds=range(8), angles=HALF_TURNS, beta=20, rng=3)
    assert Counter(walk.sorts.tolist())["new edge"] == 12 - 7
    assert walk.accuracy == walk.accuracy_on_new_edges == 1
    assert walk.gap == pytest.approx(2 / 3)  # neighbours differ in one plane of three: their cosine is (1 + 1 − 1)/3


def test_without_positions_the_kind_seen_most_often_is_predicted():
    walk = ha.circuits.walk(TORUS, steps=800, kinds=45, planes=0, rng=1)
    compared = 0
    for t, predicted in enumerate(walk.predicted, start=1):
        counted = Counter(walk.observations[walk.places[:t]].tolist()).most_common(2)
        if len(counted) == 1 or counted[0][1] > counted[1][1]:
            assert predicted == counted[0][0]
            compared += 1
    assert compared > 300


@each("steps", [500, 2000])
def test_without_positions_no_more_is_right_than_by_the_best_constant_prediction(steps):
    """Each time the kind that was seen most often is right, the largest count rises by one: so it bounds their number.

    45 kinds on 100 places: the commonest have 3 places, and a long walk is at each place equally often. So the bound
    comes down to .03 of the steps; over 2,000 steps some places have more than their share.
    """
    found = [ha.circuits.walk(TORUS, steps=steps, kinds=45, planes=0, rng=seed) for seed in range(count(40, 6))]
    for walk in found:
        assert walk.right.sum() <= np.bincount(walk.observations[walk.places]).max()
    if steps == 2000:
        assert 0.02 < np.mean([walk.accuracy for walk in found]) < 0.03 + 0.02
        assert 0.03 < np.mean([walk.chance for walk in found]) < 0.03 + 0.02


def test_on_a_short_walk_without_positions_first_visits_may_put_the_accuracy_above_chance():
    """The count that bounds the right predictions includes first visits: at most one for each place of a kind."""
    above = 0
    for seed in range(count(400, 60)):
        walk = ha.circuits.walk(ha.circuits.World.grid(3, 3), steps=12, kinds=2, planes=0, rng=seed)
        most, revisits = np.bincount(walk.observations).max(), walk.revisits.sum()
        assert walk.accuracy <= walk.chance + most / revisits
        above += walk.accuracy > walk.chance
    assert above


def test_positions_at_random_recall_a_memory_at_random():
    """Errors of 10⁴ degrees: each memory is the nearest with equal probability, so Σ p² of the kinds seen so far."""
    right, expected, variance = 0, 0.0, 0.0
    for seed in range(count(20, 5)):
        walk = ha.circuits.walk(TORUS, steps=600, kinds=45, beta=1e5, noise=1e4, rng=seed)
        seen = walk.observations[walk.places]
        shares = np.array([np.mean(seen[:t] == seen[t]) for t in range(1, len(seen))])
        right, expected = right + walk.right.sum(), expected + shares.sum()
        variance += np.sum(shares * (1 - shares))
    assert abs(right - expected) < 4 * np.sqrt(variance)


@each("noise", [2.0, 10.0])
def test_the_cosine_of_two_visits_falls_with_the_time_between_them(noise):
    """The errors of L rotations add to a variance Lσ², so the mean cosine is exp(−Lσ²/2); 40 draws of the errors."""
    sigma, lag = np.radians(noise), 20
    walk = ha.circuits.walk(ha.circuits.World.torus(5), steps=200, kinds=5, planes=24, rng=0)
    turns = np.arctan2(walk.positions[:, 1::2], walk.positions[:, 0::2])
    cosines = []
    for seed in range(40):
        noisy = walk.with_noise(noise, rng=seed).positions
        errors = np.arctan2(noisy[:, 1::2], noisy[:, 0::2]) - turns
        cosines.append(np.cos(errors[lag::lag] - errors[:-lag:lag]).mean())
    error = np.std(cosines, ddof=1) / np.sqrt(len(cosines))
    assert abs(np.mean(cosines) - np.exp(-lag * sigma**2 / 2)) < 4 * error


def test_more_noise_makes_more_errors():
    walk = ha.circuits.walk(TORUS, steps=1000, kinds=45, rng=0)
    accuracies = [walk.with_noise(noise, rng=1).accuracy for noise in (0, 4, 16, 64)]
    assert accuracies == sorted(accuracies, reverse=True)
    assert accuracies[0] == 1 and accuracies[-1] < 0.2


@each("world", WORLDS)
def test_drawn_angles_tell_all_places_apart(world):
    gaps = [ha.circuits.walk(world, steps=1, planes=12, rng=seed).gap for seed in range(count(20, 8))]
    assert min(gaps) > 0.15


def test_a_module_is_a_hexagonal_grid_and_a_memory_has_one_place():
    """The sum of three waves 120° apart is the same after a turn by 60°, about a point where all are at their top."""
    walk = ha.circuits.walk(ha.circuits.World.grid(21, 21), steps=10, planes=3, rng=2)
    k = np.stack([walk.angles[0], walk.angles[2]])  # east and north, `(2, planes)`
    lengths = np.linalg.norm(k, axis=0)
    np.testing.assert_allclose(lengths, lengths[0])
    np.testing.assert_allclose((k.T @ k)[0, 1:] / lengths[0] ** 2, -0.5)
    assert walk.grid_responses.shape == (441, 1) and walk.grid_responses[0, 0] == 1
    responses = ha.circuits.walk(TORUS, steps=10, rng=0).place_responses
    np.testing.assert_allclose(responses.sum(axis=0), 1)
    assert (responses.argmax(axis=1) == np.arange(100)).all()


def test_the_same_seed_gives_the_same_walk_and_noise_changes_no_path():
    one, other = (ha.circuits.walk(TORUS, steps=50, noise=noise, rng=4) for noise in (0.0, 5.0))
    assert (one.places == other.places).all() and (one.observations == other.observations).all()
    assert not np.array_equal(one.positions, other.positions)
    assert (one.positions == ha.circuits.walk(TORUS, steps=50, rng=4).positions).all()


@each(
    ("call", "message"),
    [
        (lambda: ha.circuits.World.torus(2, 5), "rows: expected a whole number from 3 to 1024, not 2"),
        (lambda: ha.circuits.World.grid(40, 40), "size: 40 × 40 = 1600 places; at most 1024 are possible"),
        (
            lambda: ha.circuits.World.torus(3, 3, 3),
            "size: expected rows and columns, or one number for a ring, not 3 numbers",
        ),
        (
            lambda: ha.circuits.walk("torus"),
            "world: expected a World, such as ha.circuits.World.torus(10, 10), not 'torus'",
        ),
        (lambda: ha.circuits.walk(TORUS, noise=-1), "noise: expected a finite number of at least 0, not -1"),
        (lambda: ha.circuits.walk(TORUS, beta=0), "beta: expected a positive finite number, not 0"),
        (lambda: ha.circuits.walk(TORUS, kinds=[1, 2]), "kinds: expected a number, or one whole number from 0 to 999"),
        (
            lambda: ha.circuits.walk(TORUS, kinds=[[0], [1, 2]]),
            "kinds: rows of unequal length",
        ),
        (lambda: ha.circuits.walk(TORUS, angles={"east": [36], "up": [1]}), "angles: 'up' is unknown"),
        (
            lambda: ha.circuits.walk(TORUS, angles={"east": [36]}),
            "angles: the action 'north' has none, nor has its inverse",
        ),
        (
            lambda: ha.circuits.walk(TORUS, angles={"east": [36], "south": [1, 2]}),
            "angles: 'north' has angles of shape (2,)",
        ),
        (
            lambda: ha.circuits.walk(TORUS, angles={"east": [36, 0], "north": [0, 36.5]}),
            "has two positions, one of them by 'south' from 'row 5, column 1'; a way round must turn each plane by a "
            "multiple of 360°, so an angle is a multiple of 360°/10",
        ),
        (
            lambda: ha.circuits.walk(TORUS, angles={"east": [72, 0], "north": [0, 36]}),
            "angles: 'row 1, column 1' and 'row 1, column 6' have the same position; give other angles, or more planes",
        ),
        (
            lambda: ha.circuits.walk(ha.circuits.world_of_graph(CUBE, dict(zip("xyz", "xyz", strict=True)))),
            "angles: of a graph, expected",
        ),
        (lambda: ha.circuits.world_of_graph(CUBE, {"x": "x", "y": "y"}), "inverse: the action 'z' has no inverse"),
        (
            lambda: ha.circuits.world_of_graph(CUBE, {"x": "y", "y": "z"}),
            "inverse: the inverse of 'x' is 'y', but that of 'y' is",
        ),
        (lambda: ha.circuits.world_of_graph(nx.path_graph(3), {}), "graph: expected a networkx.DiGraph"),
        (
            lambda: ha.circuits.world_of_graph(nx.DiGraph([(0, 1)]), {}),
            "graph: the edge from '0' to '1' has no `action`",
        ),
        (
            lambda: ha.circuits.world_of_graph(graph(("a", "go", "b"), ("a", "go", "c")), {"go": "back"}),
            "edges: 'go' leads from",
        ),
        (
            lambda: ha.circuits.world_of_graph(graph(("a", "go", "b"), ("c", "go", "d")), {"go": "back"}),
            "edges: 'c' cannot be reached from 'a'; join them by an edge",
        ),
    ],
)
def test_a_wrong_input_has_one_message(call, message):
    with pytest.raises(ha.InvalidInput) as caught:
        call()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def graph(*edges):
    made = nx.MultiDiGraph()
    for start, action, end in edges:
        made.add_edge(start, end, action=action)
    return made
