"""All states of a few spins agree with an enumeration written out, with networkx, and with simulated runs."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.landscapes.flow import cycles
from tests.draws import count

RNG = np.random.default_rng(0)
PATTERNS = RNG.choice([-1.0, 1.0], size=(3, 6))
SYMMETRIC = (lambda root: root + root.T)(RNG.normal(size=(6, 6)))
WITHOUT_OWN = (lambda root: (root + root.T) * (1 - np.eye(6)))(np.random.default_rng(1).normal(size=(6, 6)))
MEMORIES = {
    "hebb": ha.memories.hopfield(PATTERNS),
    "with bias": ha.Hopfield(SYMMETRIC, bias=RNG.normal(size=6)),
    "of 0 and 1": ha.memories.hopfield((PATTERNS + 1) / 2, rule="covariance", activation="step", bias=-0.1),
    "of 0 and 1, a tie at 0": ha.Hopfield(WITHOUT_OWN, activation="step"),
    "dense": ha.memories.dense(PATTERNS),
    "exponential": ha.memories.exponential(PATTERNS),
}


def written_out(memory, n):
    """The states, their energies, and for each state those that a single turn down leads to, one by one."""
    low = memory.activation.silent
    states = [np.array(state) for state in itertools.product([low, 1.0], repeat=n)]
    number = {tuple(state): i for i, state in enumerate(states)}
    energies = [float(memory.energy(state)) for state in states]
    down = []
    for i, state in enumerate(states):
        others = [np.where(np.arange(n) == k, low + 1 - state, state) for k in range(n)]
        numbers = [number[tuple(other)] for other in others]
        down.append([j for j in numbers if energies[j] < energies[i] - 1e-12])
    return states, np.array(energies), down


@pytest.mark.parametrize("name", MEMORIES)
def test_the_random_order_has_the_probabilities_of_an_absorbing_chain(name):
    """Kemeny & Snell: with the moves Q among the other states and R to the minima, B = (1 − Q)⁻¹ R."""
    whole = ha.landscapes.spin_states(MEMORIES[name])
    states, energies, down = written_out(MEMORIES[name], 6)
    np.testing.assert_array_equal(whole.states, states)
    np.testing.assert_allclose(whole.energies, energies, atol=1e-12)
    minima = [i for i, after in enumerate(down) if not after]
    assert whole.minima.tolist() == minima
    chain = np.zeros((64, 64))
    for i, after in enumerate(down):
        chain[i, after] = 1 / max(len(after), 1)
    found = whole.basins()
    exact = np.linalg.solve(np.eye(64) - chain, np.eye(64)[:, minima])
    np.testing.assert_allclose(found.probability, exact, atol=1e-12)
    np.testing.assert_allclose(found.size, exact.sum(axis=0), atol=1e-11)
    assert found.size.sum() == pytest.approx(64, abs=1e-12)
    graph = whole.graph()
    assert {frozenset(part) for part in nx.attracting_components(graph)} == {frozenset([i]) for i in minima}
    assert all(graph.nodes[i]["energy"] == whole.energies[i] for i in range(64))


@pytest.mark.parametrize("name", MEMORIES)
def test_barriers_are_those_of_the_least_spanning_tree_of_all_states(name):
    """Of all ways, that through the least spanning tree has the lowest highest edge."""
    whole = ha.landscapes.spin_states(MEMORIES[name])
    cube = nx.Graph()
    for i, bit in itertools.product(range(64), range(6)):
        cube.add_edge(i, i ^ 1 << bit, weight=max(whole.energies[i], whole.energies[i ^ 1 << bit]))
    tree, k = nx.minimum_spanning_tree(cube), len(whole.minima)
    for a, b in itertools.product(range(k), repeat=2):
        way = nx.shortest_path(tree, whole.minima[a], whole.minima[b])
        assert whole.barriers[a, b] == max(whole.energies[i] for i in way)
    own = whole.energies[whole.minima]
    for a in range(k):
        rises = [whole.barriers[a, b] - own[a] for b in range(k) if own[b] < own[a]]
        assert whole.depths[a] == min(rises, default=np.inf)


UPDATES = ["sync", ha.Asynchronous("sequence"), ha.Asynchronous((3, 1, 5, 0, 2, 4)), ha.ConcaveConvex()]


@pytest.mark.parametrize("name", MEMORIES)
@pytest.mark.parametrize("update", UPDATES)
def test_every_state_reaches_the_attractor_that_its_recall_ends_in(name, update):
    whole = ha.landscapes.spin_states(MEMORIES[name])
    found = whole.basins(update)
    ended = MEMORIES[name].recall(whole.states, update=update)
    last = whole.number(ended.state)
    graph = whole.graph(update)
    parts = {min(part): len(part) for part in nx.attracting_components(graph)}
    assert dict(zip(found.attractor.tolist(), found.period.tolist(), strict=True)) == parts
    of_cycle = {i: min(part) for part in nx.attracting_components(graph) for i in part}
    assert [of_cycle[i] for i in last.tolist()] == found.attractor[found.reached].tolist()
    np.testing.assert_array_equal(found.period[found.reached], np.maximum(ended.period, 1))
    fixed = found.period[found.reached] == 1
    np.testing.assert_array_equal(found.matched[found.reached][fixed], ended.matched[fixed])
    np.testing.assert_array_equal(found.probability.sum(axis=0), found.size)


def test_two_neurons_that_excite_each_other_have_a_cycle_of_two_at_once_and_none_alone():
    """Hopfield (1982): +− and −+ swap for ever if both neurons are updated at once."""
    whole = ha.landscapes.spin_states(ha.Hopfield([[0.0, 1.0], [1.0, 0.0]]))
    together, alone = whole.basins("sync"), whole.basins()
    assert (together.attractor.tolist(), together.period.tolist()) == ([0, 1, 3], [1, 2, 1])
    assert together.spurious.tolist()[1] == "cycle"
    assert (alone.attractor.tolist(), alone.size.tolist()) == ([0, 3], [2.0, 2.0])
    assert whole.depths.tolist() == [np.inf, np.inf]
    assert whole.barriers.tolist() == [[-1.0, 1.0], [1.0, -1.0]]


@given(st.data(), st.integers(1, 40))
def test_the_cycles_of_any_map_are_the_attracting_components_of_its_graph(data, n):
    successor = np.array(data.draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n)))
    found = cycles(successor)
    parts = list(nx.attracting_components(nx.DiGraph(enumerate(successor.tolist()))))
    assert found.attractor.tolist() == sorted(map(min, parts))
    assert found.period.tolist() == [len(part) for part in sorted(parts, key=min)]
    for start in range(n):
        at = start
        for _ in range(n):
            at = successor[at]
        assert any(at in part and min(part) == found.attractor[found.reached[start]] for part in parts)


MODELS = {"hopfield": ha.memories.hopfield, "dense": ha.memories.dense, "exponential": ha.memories.exponential}


@pytest.mark.parametrize("model", MODELS)
def test_of_65536_states_each_minimum_has_the_share_of_simulated_runs(model):
    """Runs from random states, one neuron at random each time; four standard errors of the share, binomial.

    Minima in which fewer than 25 runs should end count together: a dense memory has hundreds of single flat states.
    """
    patterns = np.random.default_rng(1).choice([-1.0, 1.0], size=(4, 16))
    whole = ha.landscapes.spin_states(MODELS[model](patterns))
    basins, runs, rng = whole.basins(), count(100_000, 10_000), np.random.default_rng(2)
    assert basins.size.sum() == pytest.approx(65536, abs=1e-9)
    at = rng.integers(65536, size=runs)
    going = np.arange(runs)
    while going.size:
        tried = at[going] ^ 1 << rng.integers(16, size=going.size)
        lower = whole.energies[tried] < whole.energies[at[going]]
        at[going[lower]] = tried[lower]
        going = going[~np.isin(at[going], whole.minima)]
    share, p = np.bincount(at, minlength=65536)[basins.attractor] / runs, basins.size / 65536
    rare = p * runs < 25
    share, p = (np.append(one[~rare], one[rare].sum()) for one in (share, p))
    assert np.all(np.abs(share - p) <= 4 * np.sqrt(p * (1 - p) / runs))


def test_a_basin_of_stored_patterns_is_as_large_as_the_table_says():
    pandas = pytest.importorskip("pandas")
    basins = ha.landscapes.spin_states(MEMORIES["hebb"]).basins("sync")
    table = basins.to_pandas()
    assert isinstance(table, pandas.DataFrame)
    assert table["size"].sum() == 64
    assert f"{len(table)} attractors" in repr(basins)


ASYMMETRIC = ha.Hopfield([[0.0, 1.0], [-1.0, 0.0]])
RANDOM = ha.Asynchronous(order="random")


def test_a_network_without_an_energy_has_moves_and_cycles():
    """The spins of W₁₂ = 1, W₂₁ = −1 go round in a cycle of four, all at once as in sequence."""
    whole = ha.landscapes.spin_states(ASYMMETRIC)
    assert whole.basins("sync").period.tolist() == [4]
    assert next(iter(whole.graph().nodes(data=True))) == (0, {})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ha.landscapes.spin_states(3), "memory: expected a memory, such as ha.memories.hopfield"),
        (lambda: ha.landscapes.spin_states(ha.memories.modern(PATTERNS)), "its activation 'identity' gives no spins"),
        (lambda: ha.landscapes.spin_states(ha.Hopfield(np.eye(21))), "21 spins have 2\\^21 states; at most 20"),
        (lambda: ha.landscapes.spin_states(ASYMMETRIC).basins(), "lead back to a state, because the couplings are not"),
        (lambda: ha.landscapes.spin_states(ASYMMETRIC).energies, "it has no energy: the couplings are not symmetric"),
        (lambda: ha.landscapes.spin_states(ASYMMETRIC).basins(RANDOM), "take 'random', 'sync' or 'async'"),
        (lambda: ha.landscapes.spin_states(ASYMMETRIC).basins(ha.Glauber(1)), "does not lead a state always"),
        (lambda: ha.landscapes.spin_states(ASYMMETRIC).basins("synk"), "'synk' is unknown; did you mean 'sync'"),
        (lambda: ha.landscapes.spin_states(ASYMMETRIC).basins(ha.Asynchronous((0, 1, 2))), "names 3 neurons"),
        (lambda: ha.landscapes.spin_states(ASYMMETRIC).number([0.5, 1]), "expected \\(…, 2\\) of -1 and 1, not"),
    ],
)
def test_a_wrong_argument_is_refused_with_the_reason(call, message):
    with pytest.raises(ha.InvalidInput, match=message):
        call()


def test_a_mistyped_update_names_the_nearest_one():
    whole = ha.landscapes.spin_states(ha.memories.hopfield([[1.0, 1, -1]]))
    with pytest.raises(InvalidInput, match="update: 'radnom' is unknown; did you mean 'random'"):
        whole.basins("radnom")
