"""A walk recalls what was seen at a place, also along new edges; without positions it is at chance."""

import itertools
from collections import Counter
from itertools import permutations, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import log_softmax

import hopattn as ha
from hopattn.circuits import World, position_probe, random_blocks, random_texts, world_of_graph
from hopattn.circuits.probes import PositionProbe, fit_probe
from hopattn.transformer import AttentionLayer
from tests.draws import count

TORUS = World.torus(10, 10)
WORLDS = [World.torus(4, 6), World.grid(3, 4), World.line(5), World.torus(7)]
CUBE = nx.DiGraph()
for corner in itertools.product((0, 1), repeat=3):
    for axis, name in enumerate("xyz"):
        if corner[axis] == 0:
            CUBE.add_edge(str(corner), str((*corner[:axis], 1, *corner[axis + 1 :])), action=name)
SAID = {"steps": 1000, "kinds": 10, "planes": 12, "beta": 50.0, "noise": 0.0}
HALF_TURNS = {"x": [180, 0, 0], "y": [0, 180, 0], "z": [0, 0, 180]}


@pytest.mark.parametrize("seed", range(count(20, 4)))
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


@pytest.mark.parametrize(
    ("noise", "beta", "planes"), [(0.0, 5.0, 12), (6.0, 20.0, 12), (90.0, 50.0, 12), (0.0, 5.0, 0)]
)
def test_a_prediction_is_the_kind_with_the_most_weight(noise, beta, planes):
    """The weights of the earlier times, written out: exp(β x_s·x_t) by kind; without planes, their number."""
    walk = ha.circuits.walk(World.grid(5, 5), steps=300, kinds=6, planes=planes, beta=beta, noise=noise, rng=7)
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


@pytest.mark.parametrize("world", WORLDS)
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
        (World.torus(4, 5), nx.grid_2d_graph(4, 5, periodic=True)),
        (World.grid(4, 5), nx.grid_2d_graph(4, 5)),
        (World.line(6), nx.path_graph(6)),
        (World.torus(6), nx.cycle_graph(6)),
    ):
        numbers = {node: i for i, node in enumerate(graph.nodes)}
        edges = {(i, int(j)) for i, row in enumerate(world.moves) for j in row if j >= 0}
        assert edges == {(numbers[a], numbers[b]) for e in graph.edges for a, b in (e, e[::-1])}
        assert world.links.tolist() == [list(edge) for edge in sorted(edges) if edge[0] < edge[1]]
        for i, action in itertools.product(range(len(world.places)), range(len(world.actions))):
            if world.moves[i, action] >= 0:
                assert world.moves[world.moves[i, action], world.inverse[action]] == i


def test_a_graph_is_walked_by_its_own_actions():
    """The corners of a cube; each of three actions is its own inverse and turns a plane of its own by half."""
    world = world_of_graph(CUBE, {"x": "x", "y": "y", "z": "z"})
    walk = ha.circuits.walk(world, steps=200, kinds=range(8), angles=HALF_TURNS, beta=20, rng=3)
    assert Counter(walk.sorts.tolist())["new edge"] == 12 - 7
    assert walk.accuracy == walk.accuracy_on_new_edges == 1
    assert walk.gap == pytest.approx(2 / 3)  # neighbours differ in one plane of three: their cosine is (1 + 1 − 1)/3


@pytest.mark.parametrize("steps", [500, 2000])
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
        walk = ha.circuits.walk(World.grid(3, 3), steps=12, kinds=2, planes=0, rng=seed)
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


@pytest.mark.parametrize("noise", [2.0, 10.0])
def test_the_cosine_of_two_visits_falls_with_the_time_between_them(noise):
    """The errors of L rotations add to a variance Lσ², so the mean cosine is exp(−Lσ²/2); 40 draws of the errors."""
    sigma, lag = np.radians(noise), 20
    walk = ha.circuits.walk(World.torus(5), steps=200, kinds=5, planes=24, rng=0)
    turns = np.arctan2(walk.positions[:, 1::2], walk.positions[:, 0::2])
    cosines = []
    for seed in range(40):
        noisy = walk.with_noise(noise, rng=seed).positions
        errors = np.arctan2(noisy[:, 1::2], noisy[:, 0::2]) - turns
        cosines.append(np.cos(errors[lag::lag] - errors[:-lag:lag]).mean())
    error = np.std(cosines, ddof=1) / np.sqrt(len(cosines))
    assert abs(np.mean(cosines) - np.exp(-lag * sigma**2 / 2)) < 4 * error


@pytest.mark.parametrize("world", WORLDS)
def test_drawn_angles_tell_all_places_apart_and_small_ones_that_are_given_do_so_too(world):
    gaps = [ha.circuits.walk(world, steps=1, planes=12, rng=seed).gap for seed in range(count(20, 8))]
    assert min(gaps) > 0.15
    near = ha.circuits.walk(World.line(3), steps=1, angles={"east": [0.01]}).gap
    assert near == pytest.approx(1 - np.cos(np.radians(0.01)), rel=1e-6)


def test_a_module_is_a_hexagonal_grid_and_a_memory_has_one_place():
    """The sum of three waves 120° apart is the same after a turn by 60°, about a point where all are at their top."""
    walk = ha.circuits.walk(World.grid(21, 21), steps=10, planes=3, rng=2)
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
    plain, said = (ha.circuits.walk(TORUS, rng=4, **options) for options in ({}, SAID))
    for part in ("observations", "beta", "positions", "predicted"):
        np.testing.assert_array_equal(getattr(plain, part), getattr(said, part))


def model(seed, n_texts, length=6, dim=32, n_layers=2, common=1.0, norm_first=False):
    rng = np.random.default_rng(seed)
    blocks = random_blocks(n_layers, dim, 2, norm_first=norm_first, rng=rng)
    return blocks, random_texts(n_texts, length, n_words=1000, dim=dim, common=common, rng=rng)


def errors(probe, accuracy):
    """An accuracy in standard errors from chance."""
    return (accuracy - probe.chance) / probe.standard_error


@pytest.mark.parametrize("n", [2, 3, 4])
def test_chance_and_its_standard_error_by_enumeration(n):
    """Whatever a probe answers for exchangeable words: one is right on average, with a variance of at most 1."""
    orders = list(permutations(range(n)))
    largest = 0.0
    for answers in product(range(n), repeat=n):
        right = [sum(a == b for a, b in zip(answers, order, strict=True)) for order in orders]
        assert np.mean(right) == pytest.approx(1)
        counts = np.bincount(answers, minlength=n)
        assert np.var(right) == pytest.approx((n - np.sum(counts**2) / n) / (n - 1))
        largest = max(largest, float(np.var(right)))
    assert largest == pytest.approx(1)
    by_place = dict.fromkeys(("accuracy", "distance", "line", "rest"), np.zeros(1))
    probe = PositionProbe(**by_place, component=np.zeros((1, n)), mean_length=np.zeros((1, n)), n_texts=25)
    assert probe.chance == 1 / n
    assert probe.standard_error == pytest.approx(np.sqrt(largest / 25) / n)


@pytest.mark.parametrize("seed", range(count(5, 1)))
def test_a_causal_mask_tells_the_position_and_no_mask_does_not(seed):
    blocks, texts = model(seed, count(4000, 600))
    causal, free = (position_probe(blocks, texts, mask=mask) for mask in ("causal", None))
    assert abs(errors(causal, causal.accuracy[0])) < 4  # the words alone
    assert errors(causal, causal.accuracy[-1]) > count(12, 4.5)
    assert errors(causal, causal.line[-1]) > count(8, 3)
    assert np.all(np.abs(errors(free, np.concatenate([free.accuracy, free.line, free.rest]))) < 4.5)
    assert causal.distance[-1] < free.distance[-1]


def test_the_line_holds_most_of_what_the_probe_reads():
    """The mean vectors move along one line, in the order of the positions, and grow as the words' own parts cancel."""
    blocks, texts = model(1, count(4000, 1200), n_layers=3)
    causal, free = (position_probe(blocks, texts, mask=mask) for mask in ("causal", None))
    assert np.all(np.diff(causal.component[-1]) > 0)
    assert np.all(np.diff(causal.mean_length[-1]) > 0)
    gained = causal.accuracy[-1] - causal.chance
    assert causal.line[-1] - causal.chance > 0.5 * gained
    assert causal.rest[-1] - causal.chance < 0.4 * gained
    assert np.ptp(free.mean_length[-1]) < 0.25 * np.ptp(causal.mean_length[-1])


def test_equal_weights_under_a_causal_mask_average_more_words_at_later_positions():
    """The law behind it, in its purest form: the spread of the average of t words is 1/√t of that of the first."""
    dim, length, n_texts = 8, 6, count(40_000, 6000)
    texts = random_texts(n_texts, length, n_words=100_000, dim=dim, common=2.0, rng=0)
    zeros = np.zeros((1, dim))
    average = ha.MultiHead([ha.Head(zeros, zeros, np.eye(dim), mask="none")], np.eye(dim))(texts, mask="causal")
    spread = average.std(axis=0).mean(axis=1)
    np.testing.assert_allclose(spread * np.sqrt(np.arange(1, length + 1)), spread[0], rtol=count(0.01, 0.03))
    np.testing.assert_allclose(
        average.mean(axis=0), np.tile(texts.mean(axis=(0, 1)), (length, 1)), atol=count(0.03, 0.07)
    )


def test_attention_layers_and_the_blocks_of_pytorch_can_be_probed():
    _, texts = model(0, 40, length=3, dim=4)
    layer = AttentionLayer(ha.MultiHead([ha.Head(np.eye(4), np.eye(4), np.eye(4), mask="none")], np.eye(4)))
    assert position_probe([layer], texts).accuracy.shape == (2,)
    torch = pytest.importorskip("torch")
    module = torch.nn.TransformerEncoderLayer(4, 2, 8, dtype=torch.float64)
    block = ha.Block.from_torch({name: array.numpy() for name, array in module.state_dict().items()}, n_heads=2)
    found = position_probe([block, block], texts)
    assert found.component.shape == (3, 3)
    assert found.n_texts == 20
    own = ha.Block.from_torch({name: array.requires_grad_() for name, array in module.state_dict().items()}, n_heads=2)
    of_torch = position_probe([own, own], torch.tensor(texts))
    np.testing.assert_allclose(of_torch.component, found.component, atol=1e-9)
    half = ha.Block.from_torch({name: array.detach().half() for name, array in module.state_dict().items()}, n_heads=2)
    assert position_probe([half], torch.tensor(texts).half()).n_texts == 20


def test_half_precision_is_read_in_single_precision_and_nothing_is_changed():
    blocks, texts = model(0, 40, dim=8, n_layers=1)
    half, weights = texts.astype(np.float16), blocks[0].attention.w_out.copy()
    plain, said = position_probe(blocks, half), position_probe(blocks, half.astype("f4"), mask=None, penalty=1e-2)
    for part in ("accuracy", "line", "rest", "distance"):
        np.testing.assert_array_equal(getattr(plain, part), getattr(said, part))
    np.testing.assert_array_equal(half, texts.astype(np.float16))
    np.testing.assert_array_equal(blocks[0].attention.w_out, weights)


def test_the_random_model_has_the_variances_that_it_states():
    block = random_blocks(1, 64, 2, rng=0)[0]
    head = block.attention.heads[0]
    for matrix, variance in (
        (head.w_query, 1 / 64),
        (head.w_value, 1 / 64),
        (block.attention.w_out, 1 / 64),
        (block.feed_forward.inner.weight, 2 / 64),
        (block.feed_forward.outer.weight, 1 / 256),
    ):
        assert np.var(matrix) == pytest.approx(variance, rel=0.1)
    assert head.retrieval.separation.beta == pytest.approx(32**-0.5)
    texts = random_texts(500, 4, n_words=5, dim=3, common=0.0, rng=0)
    assert len(np.unique(texts.reshape(-1, 3), axis=0)) == 5


def problem(seed, n=40, dim=3, n_classes=4):
    rng = np.random.default_rng(seed)
    classes = rng.integers(n_classes, size=n)
    return rng.normal(size=(n, dim)) + 0.7 * classes[:, None], classes, n_classes


def reference(parameters, vectors, classes, n_classes, penalty):
    """The same loss from SciPy's log softmax, without the code of the package."""
    split = n_classes * vectors.shape[1]
    weight, bias = parameters[:split].reshape(n_classes, -1), parameters[split:]
    log_p = log_softmax(vectors @ weight.T + bias, axis=1)
    return -np.mean([row[label] for row, label in zip(log_p, classes, strict=True)]) + penalty / 2 * np.sum(weight**2)


def scaled(vectors):
    return (vectors - vectors.mean(0)) / vectors.std(0)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_fit_is_that_of_scipy_with_numerical_gradients(seed):
    vectors, classes, n_classes = problem(seed)
    x = scaled(vectors)
    found = minimize(reference, np.zeros(16), (x, classes, n_classes, 0.05), method="BFGS", options={"gtol": 1e-6})
    weight, bias = found.x[:12].reshape(4, 3), found.x[12:]
    probe = fit_probe(vectors, classes, n_classes, 0.05)
    ours, theirs = log_softmax(probe.scores(vectors), axis=1), log_softmax(x @ weight.T + bias, axis=1)
    np.testing.assert_allclose(ours, theirs, atol=2e-3)
    assert (probe.classes(vectors) == np.argmax(theirs, axis=1)).mean() > 0.95


@pytest.mark.parametrize("size", [2.0**-1000, 1e-100, 1e-13, 1e13, 2.0**400])
def test_the_size_of_the_vectors_has_no_part_in_what_is_read(size):
    vectors, classes, n_classes = problem(2)
    expected = fit_probe(vectors, classes, n_classes).classes(vectors)
    assert (fit_probe(size * vectors, classes, n_classes).classes(size * vectors) == expected).all()


def test_an_element_without_variance_has_no_part():
    vectors, classes, n_classes = problem(2)
    still = np.column_stack([np.full(len(vectors), 1e5 / 3), np.zeros(len(vectors)), vectors])
    probe, alone = fit_probe(still, classes, n_classes), fit_probe(vectors, classes, n_classes)
    assert np.abs(probe.weight[:, :2]).max() < 1e-9
    np.testing.assert_allclose(probe.scores(still), alone.scores(vectors), atol=1e-2)


@given(seed=st.integers(0, 10**6))
def test_a_probe_reads_the_means_of_the_classes_and_nothing_else(seed):
    """Classes that differ in everything but their mean: the fit is W = 0, though their spreads differ by ten."""
    rng = np.random.default_rng(seed)
    parts = [spread * rng.normal(size=(30, 3)) for spread in (0.1, 1.0)]
    vectors = np.concatenate([part - part.mean(axis=0) for part in parts])
    classes = np.repeat([0, 1], 30)
    assert np.abs(fit_probe(vectors, classes, 2).weight).max() < 1e-6
    moved = vectors + 0.5 * classes[:, None]
    assert np.abs(fit_probe(moved, classes, 2).weight).max() > 0.1
