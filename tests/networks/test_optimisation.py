"""Optimisation by a network: energies are objectives; tours, cuts and boards beside enumerations; published shares."""

import math
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.memories.saved import load_memory
from hopattn.networks import MaxCut, Quadratic, Queens, TravellingSalesman, minimise
from tests.draws import count

TEN = np.array(
    [
        [0.4, 0.4439],
        [0.2439, 0.1463],
        [0.1707, 0.2293],
        [0.2293, 0.761],
        [0.5171, 0.9414],
        [0.8732, 0.6536],
        [0.6878, 0.5219],
        [0.8488, 0.3609],
        [0.6683, 0.2536],
        [0.6195, 0.2634],
    ]
)
"""The ten cities of Wilson & Pawley (1988)."""
ANNEALING = {"update": ha.Glauber(300, cooling=0.9), "max_steps": 60}
COOLED = {"update": ha.Glauber(0.5, cooling=0.95), "max_steps": 60}


def distances(places):
    return np.linalg.norm(places[:, None] - places, axis=-1)


def random_problem(seed, n, whole):
    rng = np.random.default_rng(seed)
    if whole:
        return rng.integers(-5, 6, (n, n)).astype(float), rng.integers(-5, 6, n).astype(float)
    return rng.normal(size=(n, n)), rng.normal(size=n)


def all_states(n, states):
    return np.array([*product([0.0 if states == "01" else -1.0, 1.0], repeat=n)])


@given(st.integers(0, 2**31), st.integers(1, 8), st.booleans(), st.sampled_from(["01", "±1"]))
def test_energy_and_offset_are_the_objective_of_every_state(seed, n, whole, states):
    q, c = random_problem(seed, n, whole)
    network, every = ha.Hopfield.from_quadratic(q, c, states=states), all_states(n, states)
    objective = [sum(0.5 * q[i, j] * x[i] * x[j] for i in range(n) for j in range(n)) + c @ x for x in every]
    np.testing.assert_allclose(network.energy(every) + network.offset, objective, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(Quadratic(q, c, states=states).objective(every), objective, rtol=1e-12, atol=1e-12)
    assert np.all(np.diagonal(network.couplings) == 0) and np.array_equal(network.couplings, network.couplings.T)
    best = min(objective)
    assert Quadratic(q, c, states=states).optimum == pytest.approx(best, rel=1e-12, abs=1e-12)


@given(st.integers(0, 2**31), st.integers(1, 6), st.sampled_from([("01", "logistic", 0.0), ("±1", "tanh", -1.0)]))
def test_graded_neurons_have_the_objective_and_their_potential_as_energy(seed, n, kind):
    states, activation, low = kind
    q, c = random_problem(seed, n, False)
    network = ha.Hopfield.from_quadratic(q, c, states=states, activation=activation)
    x = np.random.default_rng(seed).uniform(low, 1, n)
    potential = network.activation.conjugate(x)
    assert network.energy(x) + network.offset - potential == pytest.approx(0.5 * x @ q @ x + c @ x, rel=1e-9, abs=1e-9)


def test_the_terms_of_an_answer_are_written_with_its_numbers():
    problem = TravellingSalesman(distances(TEN))
    terms = problem.terms(np.eye(10).ravel())
    assert [*terms] == ["½A · 0", "½B · 0", "½C (10 − 15)²", "D · 2.7782"]
    assert sum(terms.values()) == pytest.approx(float(problem.objective(np.eye(10).ravel())))


def test_a_quench_ends_where_no_single_turn_lowers_the_objective():
    problem = Quadratic(*random_problem(0, 12, False))
    found = minimise(problem, starts=40, rng=0)
    for i in range(12):
        turned = found.ended.copy()
        turned[:, i] = 1 - turned[:, i]
        assert np.all(problem.objective(turned) >= problem.objective(found.ended) - 1e-12)


def test_the_offset_is_saved(tmp_path):
    network = ha.Hopfield.from_quadratic([[2.0, 1.0], [0.0, 4.0]], [1, 2], states="±1")
    network.save(tmp_path / "network.npz")
    assert load_memory(tmp_path / "network.npz").offset == network.offset == 3


def hopfield_tank(v, d, a, b, c, big_d, n):
    """The energy of Hopfield & Tank (1985), sum by sum."""
    cities = range(len(d))
    rows = sum(v[x, i] * v[x, j] for x in cities for i in cities for j in cities if i != j)
    columns = sum(v[x, i] * v[y, i] for i in cities for x in cities for y in cities if x != y)
    visits = sum(v[x, i] for x in cities for i in cities)
    lengths = sum(
        d[x, y] * v[x, i] * (v[y, (i + 1) % len(d)] + v[y, i - 1])
        for x in cities
        for y in cities
        for i in cities
        if x != y
    )
    return a / 2 * rows + b / 2 * columns + c / 2 * (visits - n) ** 2 + big_d / 2 * lengths


@given(st.integers(0, 2**31), st.integers(3, 6))
def test_the_energy_of_a_tour_is_that_of_the_paper(seed, n):
    rng = np.random.default_rng(seed)
    d, (a, b, c, big_d) = distances(rng.random((n, 2))), rng.uniform(0, 3, 4)
    problem = TravellingSalesman(d, A=a, B=b, C=c, D=big_d, n=n + 1)
    v = rng.integers(0, 2, (n, n)).astype(float)
    by_sums = pytest.approx(hopfield_tank(v, d, a, b, c, big_d, n + 1), rel=1e-12, abs=1e-12)
    assert problem.objective(v.ravel()) == by_sums
    assert sum(problem.terms(v.ravel()).values()) == by_sums
    tour = rng.permutation(n)
    valid = np.eye(n)[tour].T.ravel()  # city tour[i] at position i
    length = sum(d[tour[i], tour[i - 1]] for i in range(n))
    assert problem.valid(valid[None])[0] and problem.value(valid[None])[0] == pytest.approx(length)
    assert problem.objective(valid) == pytest.approx(big_d * length + c / 2)
    assert problem.valid(v.ravel()[None])[0] == (np.all(v.sum(0) == 1) and np.all(v.sum(1) == 1))


@pytest.mark.parametrize("n", range(3, 8))
def test_the_shortest_tour_is_that_of_all_orders(n):
    d = distances(np.random.default_rng(n).random((n, 3)))
    lengths = [sum(d[a, b] for a, b in zip((0, *way), (*way, 0), strict=True)) for way in permutations(range(1, n))]
    assert TravellingSalesman(d).optimum == pytest.approx(min(lengths), rel=1e-12)


def test_the_shortest_tour_of_the_ten_cities_is_the_published_one():
    """2.691, as programs for these cities state it."""
    assert TravellingSalesman(distances(TEN)).optimum == pytest.approx(2.691, abs=5e-4)
    assert TravellingSalesman(distances(np.random.default_rng(0).random((13, 2)))).optimum is None


def by_euler(d, starts, rng):
    """The share of valid tours by Euler's method: 1,000 steps of 10⁻⁵ τ."""
    n, u0 = len(d), 0.02
    u = u0 * np.arctanh(2 / n - 1) + rng.uniform(-0.1 * u0, 0.1 * u0, (starts, n, n))
    for _ in range(1000):
        v = 0.5 * (1 + np.tanh(u / u0))
        rows, columns = v.sum(axis=2, keepdims=True), v.sum(axis=1, keepdims=True)
        field = -500 * (rows - v) - 500 * (columns - v) - 200 * (v.sum(axis=(1, 2), keepdims=True) - 15)
        u += 1e-5 * (field - 500 * d @ (np.roll(v, 1, axis=2) + np.roll(v, -1, axis=2)) - u)
    on = u > 0
    return np.mean(np.all(on.sum(axis=1) == 1, axis=1) & np.all(on.sum(axis=2) == 1, axis=1))


def test_few_starts_of_the_ten_cities_end_in_a_valid_tour():
    """By Euler's method on 1,000 starts, .15 ± .011, and 15 of 100 starts of Wilson & Pawley (1988), ± .036."""
    starts, d = count(1000, 300), distances(TEN)
    update = ha.updates.make("time", dt=1e-4)
    found = minimise(TravellingSalesman(d), starts=starts, update=update, u0=0.02, max_steps=150, rng=1)
    share, other = found.valid.mean(), by_euler(d, 1000, np.random.default_rng(0))
    error = math.sqrt(share * (1 - share) / starts)
    assert abs(share - other) < 4 * math.hypot(error, math.sqrt(other * (1 - other) / 1000))
    assert abs(share - 0.15) < 4 * math.hypot(error, 0.036)


@pytest.mark.parametrize(
    ("problem", "annealing"),
    [
        (TravellingSalesman(distances(TEN[:5])), ANNEALING),
        (TravellingSalesman(distances(TEN)), ANNEALING),
        (Queens(8), COOLED),
    ],
    ids=["five cities", "ten cities", "queens"],
)
def test_annealing_is_at_least_as_good_as_a_quench(problem, annealing):
    """300 starts each: the difference of two shares has a standard error of at most .041."""
    quenched, annealed = (minimise(problem, starts=300, rng=2, **more) for more in ({}, annealing))
    for one, other in zip(quenched.shares[:, 0], annealed.shares[:, 0], strict=True):
        assert other - one > -4 * math.sqrt((one * (1 - one) + other * (1 - other)) / 300)
    assert annealed.valid.mean() > quenched.valid.mean()


def largest_cut(weights):
    """The largest weight between a set of nodes and the others, over all sets that hold the first node."""
    n = len(weights)
    sides = np.array([*product([0, 1], repeat=n - 1)])
    sides = np.column_stack([np.zeros(len(sides), int), sides])
    return max(sum(weights[i, j] * (sides[:, i] != sides[:, j]) for i, j in combinations(range(n), 2)))


@pytest.mark.parametrize(("n", "seed"), [(2, 0), (5, 1), (9, 2), (13, 3), (16, 4), (16, 5)])
def test_the_largest_cut_is_that_of_all_divisions(n, seed):
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.integers(-3, 6, (n, n)), 1).astype(float)
    problem = MaxCut(weights + weights.T)
    assert problem.optimum == largest_cut(weights)
    for more in ({}, {"update": ha.Glauber(5, cooling=0.9), "max_steps": 60}):
        found = minimise(problem, starts=200, rng=seed, **more)
        assert problem.value(found.state[None])[0] == problem.optimum and found.best.any()


def boards(n):
    """The columns of the queens of every board, row by row, by backtracking."""

    def extended(columns):
        if len(columns) == n:
            yield columns
            return
        for column in range(n):
            if all(column != c and abs(column - c) != len(columns) - row for row, c in enumerate(columns)):
                yield from extended((*columns, column))

    return [*extended(())]


def test_annealing_finds_the_92_boards_of_eight_queens_and_no_other():
    known = {tuple(np.eye(8)[list(columns)].ravel()) for columns in boards(8)}
    assert len(known) == 92
    found = minimise(Queens(8), starts=1000, update=ha.Glauber(0.5, cooling=0.98), max_steps=150, rng=0)
    assert {*map(tuple, found.different)} == known
    assert np.all(found.value == 0) and np.array_equal(found.best, found.valid)


def test_a_board_is_valid_if_backtracking_finds_it():
    every = np.array([np.eye(6)[list(columns)].ravel() for columns in permutations(range(6))])
    known = {tuple(np.eye(6)[list(columns)].ravel()) for columns in boards(6)}
    valid = Queens(6).valid(every)
    assert {*map(tuple, every[valid])} == known
    np.testing.assert_array_equal(valid, Queens(6, A=2, B=3, C=0.5).objective(every) == 0)
    assert not Queens(6).valid(np.zeros((1, 36))).any()


def test_the_intervals_are_wilsons():
    found = minimise(TravellingSalesman(distances(TEN[:5])), starts=200, rng=0)
    z, n = 1.959963984540054, 200
    for share, low, high in found.shares:
        middle, half = share + z * z / 2 / n, z * math.sqrt(share * (1 - share) / n + z * z / 4 / n / n)
        assert (low, high) == pytest.approx(((middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)))


def test_a_tour_is_told_from_the_first_city_in_one_direction():
    problem = TravellingSalesman(distances(TEN[:4]))
    told = {problem.said(np.eye(4)[list(way)].T.ravel(), [*"ABCD"]) for way in permutations(range(4))}
    assert {text.partition(",")[0] for text in told} == {"A → B → C → D", "A → B → D → C", "A → C → B → D"}


def test_the_same_seed_gives_the_same_ends_and_another_one_others():
    problem = Queens(6)
    first, again, other = (minimise(problem, starts=50, rng=seed).ended for seed in (0, 0, 1))
    assert np.array_equal(first, again) and not np.array_equal(first, other)


@pytest.mark.parametrize(
    "search",
    [{}, {"update": "sync"}, {"update": ha.Glauber(0.0), "max_steps": 9}, {"u0": 0.2}, {"update": ha.Glauber(1.0)}],
    ids=str,
)
@pytest.mark.parametrize("problem", [Queens(5), MaxCut([[0, 1, 4], [1, 0, 2], [4, 2, 0]])], ids=["queens", "cut"])
def test_the_way_of_the_best_start_ends_in_the_answer_and_does_not_rise_without_a_temperature(problem, search):
    found = minimise(problem, starts=12, rng=3, **search)
    same, way = minimise(problem, starts=12, rng=3, **search), found.trajectory
    np.testing.assert_array_equal(way[-1], found.state)
    np.testing.assert_array_equal(way, same.trajectory)
    np.testing.assert_array_equal(found.ended, same.ended)
    assert "u0" in search or {*way.ravel()} <= {0.0 if problem.states == "01" else -1.0, 1.0}
    if not search or search.get("update") == ha.Glauber(0.0):
        assert np.all(np.diff(problem.objective(way)) <= 1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ha.Hopfield.from_quadratic([[1, 2]]), "Q: expected a square matrix (N, N), not shape (1, 2)"),
        (lambda: ha.Hopfield.from_quadratic(np.eye(2), [1, 2, 3]), "c: shape (3,) does not fit 2 neurons"),
        (lambda: ha.Hopfield.from_quadratic(np.eye(2), states="+-1"), "states: '+-1' is unknown"),
        (lambda: ha.Hopfield.from_quadratic(np.eye(2), activation="sign"), "activation: expected graded neurons"),
        (lambda: ha.Hopfield.from_quadratic([[np.nan]]), "Q: "),
        (lambda: ha.Hopfield(np.eye(2), offset=np.inf), "offset: expected a finite number"),
        (lambda: TravellingSalesman([[0, 1], [1, 0]]), "distances: expected at least three cities"),
        (lambda: TravellingSalesman(np.ones((3, 3))), "0 from a city to itself"),
        (lambda: TravellingSalesman(distances(TEN), A=-1), "A: expected a finite number of at least 0"),
        (lambda: MaxCut([[0, 1], [2, 0]]), "weights: expected a symmetric matrix"),
        (lambda: Queens(3), "size: expected a whole number from 4 to 32, not 3"),
        (lambda: minimise(Queens(4), update="graded"), "give u0 for graded neurons"),
        (lambda: minimise(Queens(4), update=ha.Glauber(1), u0=0.1), "leave u0 out for spins"),
        (lambda: minimise("queens"), "problem: expected"),
        (lambda: Queens(4).valid(np.ones((2, 15))), "x: got shape (2, 15)"),
        (lambda: MaxCut([[0, 1], [1, 0]]).said([1, -1], ["a"]), "names: 1 names do not fit; expected 2"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ha.InvalidInput) as refused:
        call()
    assert message in str(refused.value)


@pytest.mark.parametrize(
    "problem",
    [
        ha.networks.Quadratic([[0, 1], [1, 2]], [1, 1], 5),
        ha.networks.TravellingSalesman([[0, 1, 2], [1, 0, 1], [2, 1, 0]], A=2, B=3, C=1, D=1),
        ha.networks.MaxCut([[0, 1, 4], [1, 0, 2], [4, 2, 0]]),
        ha.networks.Queens(4),
    ],
    ids=lambda problem: type(problem).__name__,
)
def test_the_network_of_a_problem_has_its_objective_as_energy_and_offset(problem):
    n, low = len(problem.Q), 0 if problem.states == "01" else -1
    states = np.where(np.random.default_rng(0).random((50, n)) < 0.5, 1.0, low)
    network = problem.network()
    np.testing.assert_allclose(network.energy(states) + network.offset, problem.objective(states), atol=1e-9)
