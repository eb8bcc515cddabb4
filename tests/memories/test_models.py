"""The named memories: each compared with its formula and its published numbers."""

import inspect
import itertools
from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import hopattn as ha
from hopattn import InvalidInput
from hopattn.experiments.random_memories import random_memory
from hopattn.memories import named_memories
from tests.draws import arrays, count, spins

both_kernels = pytest.mark.usefixtures("both_kernels")
every = pytest.mark.parametrize("name", named_memories)


def random_spins(m, n, seed=0):
    return np.random.default_rng(seed).choice([-1.0, 1.0], size=(m, n))


DEFAULT = random_spins(3, 8, seed=9)
STATED = {
    "bam": {"activation": "sign", "rule": "hebb"},
    "delta": {"rate": 1.0, "sweeps": 1},
    "dense": {"n": 3, "rectified": True},
    "exponential": {"beta": 1.0},
    "graded": {"beta": 4.0, "rule": "hebb", "self_coupling": False},
    "hopfield": {"rule": "hebb", "self_coupling": False, "activation": "sign", "bias": 0.0, "threshold": 0.0},
    "input_driven": {"beta": 4.0, "self_coupling": True},
    "k_subsets": {"k": 2, "beta": 1.0},
    "linear": {"values": DEFAULT, "feature_map": "identity", "normalise": False},
    "log_sum_relu": {"beta": 1.0, "epsilon": 1e-8},
    "modern": {"beta": 8.0},
    "nearest": {"values": DEFAULT},
    "normmax": {"alpha": 2.0, "beta": 1.0},
    "random_features": {"beta": 1.0, "n": 4096, "orthogonal": True},
    "sdm": {"locations": DEFAULT},
    "sequence": {"n": 3, "cyclic": True},
    "sparse": {"alpha": 2.0, "beta": 1.0},
    "spherical": {"separation": "softmax", "beta": 8.0},
    "threshold_layer": {"threshold": 0.5, "activation": "identity"},
    "universal": {"values": DEFAULT, "similarity": "manhattan", "separation": "softmax", "activation": "identity"},
}
"""The parameters of each memory where a call does not name them, as its help states them or its paper has them."""
NEEDED = {**dict.fromkeys(("bam", "sdm", "delta"), (DEFAULT, -DEFAULT)), "input_driven": (DEFAULT, DEFAULT[:2].mean(0))}
RADIUS = {"sdm": {"radius": 2}}
"""What a call must have: its arrays, and an option without a default."""


@every
def test_a_memory_without_options_is_the_one_with_those_that_its_help_states(name):
    build = named_memories[name].build
    options = {key for key, one in inspect.signature(build).parameters.items() if one.default is not one.empty}
    assert options == {*STATED[name]} | (options & {"sink"}) | (options & {"rng"}) | ({"beta"} & {*options})
    same = {"rng": 0} if "rng" in options else {}
    needed = partial(build, *NEEDED.get(name, (DEFAULT,)), **RADIUS.get(name, {}), **same)
    plain = needed()
    explicit = {**STATED[name], **({"beta": 1.0} if name == "universal" else {})}
    stated = needed(**explicit, **({"sink": None} if "sink" in options else {}))
    assert repr(plain) == repr(stated)
    rng = np.random.default_rng(0)
    states = np.asarray(plain.activation(rng.normal(size=(20, 8))))
    assert np.array_equal(plain.step(states), stated.step(states))
    if not (plain.why_not("energy") or stated.why_not("energy")):  # named values are not states of the keys' neurons
        assert np.array_equal(plain.energy(states), stated.energy(states))


@every
def test_each_takes_cues_of_its_dim_holds_its_patterns_and_stands_where_a_head_does(name):
    memory = named_memories[name].build(*NEEDED.get(name, (DEFAULT,)), **RADIUS.get(name, {}))
    cues = np.asarray(random_spins(4, memory.dim))
    assert np.array_equal(memory(cues), memory.step(cues))
    assert memory.n_patterns == len(memory.patterns)
    if not memory.why_not("mask"):
        none = np.zeros(memory.n_patterns, dtype=bool)
        assert memory.weights(cues, none).shape == (4, memory.n_patterns)
    else:
        assert memory.dim in memory.patterns.shape[1:] + memory.step(cues).shape[1:]


@every
def test_each_is_recalled_with_its_usual_update_and_has_an_energy_if_its_card_gives_one(name):
    card, rng = named_memories[name], np.random.default_rng(1)
    assert card.build is getattr(ha.memories, name)
    assert card.source.split()[0] in inspect.getdoc(card.build)
    with_energy = 0
    for _ in range(count(20, 12)):
        memory = random_memory(card, rng)
        cues = np.asarray(memory.activation(rng.normal(size=(2, memory.patterns.shape[-1]))))
        kept = cues.copy(), np.copy(memory.patterns)
        recall = memory.recall(cues, max_steps=3)
        assert np.all(np.isfinite(recall.state))
        assert np.array_equal(cues, kept[0]) and np.array_equal(memory.patterns, kept[1])
        with_energy += not memory.why_not("energy")
    assert (with_energy == 0) == card.energy.startswith("none")


@both_kernels
@every
def test_a_batch_is_recalled_like_its_single_cues(name):
    card, rng = named_memories[name], np.random.default_rng(4)
    for _ in range(count(10, 2)):
        memory = random_memory(card, rng)
        counts = memory.couplings * len(memory.couplings) if isinstance(memory, ha.Hopfield) else np.zeros(1)
        if not np.allclose(counts, np.round(counts), atol=1e-9):
            continue  # couplings that are not whole numbers: rounding decides a tie
        cues = memory.activation(rng.normal(size=(3, memory.patterns.shape[-1])))
        together = memory.recall(cues, max_steps=4)
        for i, cue in enumerate(cues):
            alone = memory.recall(cue, max_steps=4)
            np.testing.assert_allclose(alone.state, together.state[i], rtol=1e-9, atol=1e-12)
            assert alone.status == together.status[i]


@both_kernels
@every
def test_a_nan_is_refused_with_its_row_and_leaves_other_rows_alone(name):
    memory = random_memory(named_memories[name], np.random.default_rng(5))
    cues = memory.activation(np.random.default_rng(6).normal(size=(3, memory.patterns.shape[-1])))
    cues[1, 0] = np.nan
    with pytest.raises(InvalidInput, match="cues: row 1 holds a NaN"):
        memory.recall(cues)
    finite = np.delete(cues, 1, axis=0)
    with np.errstate(invalid="ignore"):
        states = memory.step(cues)
    np.testing.assert_allclose(states[[0, 2]], memory.step(finite), rtol=1e-12, atol=1e-12)


@both_kernels
@given(data=st.data(), n=st.integers(2, 7), m=st.integers(1, 4), power=st.integers(2, 5))
def test_the_dense_energy_is_krotov_and_hopfields(data, n, m, power):
    patterns, states = data.draw(spins((m, n))), data.draw(spins((2, n)))
    exact = [-sum(max(0, int(p @ x)) ** power for p in patterns) / power for x in states]
    np.testing.assert_allclose(ha.memories.dense(patterns, n=power).energy(states), exact, rtol=1e-13)
    plain = [-sum(int(p @ x) ** power for p in patterns) / power for x in states]
    np.testing.assert_allclose(ha.memories.dense(patterns, n=power, rectified=False).energy(states), plain, rtol=1e-13)


@given(data=st.data(), n=st.integers(2, 7), m=st.integers(1, 4))
def test_the_exponential_energy_is_the_logarithm_of_demircigils(data, n, m):
    patterns, states = data.draw(spins((m, n))), data.draw(spins((2, n)))
    exact = [-np.log(sum(np.exp(p @ x) for p in patterns)) for x in states]
    np.testing.assert_allclose(ha.memories.exponential(patterns).energy(states), exact, rtol=1e-12, atol=1e-12)


def test_the_capacity_of_dense_memories_grows_with_the_power():
    """With 5 patterns per neuron (N = 60), n = 2 recalls almost none and n = 4 nearly all; 100 cues, seed 3."""
    patterns = random_spins(300, 60, seed=3)
    recalls = [ha.memories.dense(patterns, n=n).recall(patterns[:100], update="async", rng=1) for n in (2, 4)]
    recalled = [np.mean(recall.matched >= 0) for recall in recalls]
    assert recalled[0] < 0.1
    assert recalled[1] > 0.95


@pytest.mark.parametrize("rule", ["hebb", "covariance", "pseudo_inverse", "storkey", "perceptron"])
def test_each_rule_of_the_classical_network_recalls(rule):
    patterns = random_spins(4, 60, seed=2)
    cue = patterns[1].copy()
    cue[:6] *= -1
    recall = ha.memories.hopfield(patterns, rule=rule).recall(cue, update="async", rng=1)
    assert (recall.status, recall.matched) == ("converged", 1)


def test_biased_patterns_need_the_covariance_rule():
    """Patterns of mean −0.6 (Amit, Gutfreund & Sompolinsky 1987): Hebb's rule recalls only their common part."""
    patterns = np.where(np.random.default_rng(4).random((5, 300)) < 0.2, 1.0, -1.0)
    hebb, covariance = (ha.memories.hopfield(patterns, rule=rule).recall(patterns) for rule in ("hebb", "covariance"))
    assert np.all(hebb.matched == -1)
    assert np.all(covariance.similarity > 0.99)


def test_the_classical_network_fails_beyond_its_capacity():
    """Amit, Gutfreund & Sompolinsky 1985: the critical load is 0.138 patterns per neuron. N = 500, seed 5."""
    recalled = {}
    for load in (0.10, 0.25):
        patterns = random_spins(int(load * 500), 500, seed=5)
        recalled[load] = np.mean(
            ha.memories.hopfield(patterns).recall(patterns[:40], update="async", rng=1).matched >= 0
        )
    assert recalled[0.10] > 0.9
    assert recalled[0.25] < 0.1


@pytest.mark.parametrize("beta", [1.0, 3.0, 10.0])
@pytest.mark.parametrize("n", [2, 5, 12])
def test_orthonormal_patterns_have_the_exact_fixed_point(n, beta):
    """m = 1 / (1 + (N−1) exp(−β(m − (1−m)/(N−1)))): the overlap is m with one of N orthonormal patterns, and
    (1−m)/(N−1) with all others.
    """
    patterns = np.linalg.qr(np.random.default_rng(n).normal(size=(n + 3, n)))[0].T
    recall = ha.memories.modern(patterns, beta=beta).recall(patterns[0], max_steps=5000)
    m = patterns @ recall.state
    np.testing.assert_allclose(m[0], 1 / (1 + (n - 1) * np.exp(-beta * (m[0] - (1 - m[0]) / (n - 1)))), rtol=1e-10)
    np.testing.assert_allclose(m[1:], (1 - m[0]) / (n - 1), rtol=1e-9, atol=1e-12)


@both_kernels
@given(data=st.data(), beta=st.floats(0.05, 5), alpha=st.sampled_from([1.5, 2.0, 3.0]))
def test_a_pattern_takes_all_the_weight_if_and_only_if_the_margin_is_reached(data, beta, alpha):
    """Santos et al. 2024, proposition 3: ξ_i as cue gives ξ_i all weight iff ξ_i·ξ_i − max_j ξ_i·ξ_j ≥ margin/β."""
    patterns = data.draw(arrays((4, 3))) / 4
    assume(np.all(np.any(patterns, axis=1)))
    products = patterns @ patterns.T
    for memory, margin in (
        (ha.memories.sparse(patterns, alpha=alpha, beta=beta), 1 / (alpha - 1)),
        (ha.memories.normmax(patterns, alpha=alpha, beta=beta), 1),
    ):
        for i in range(4):
            lead = products[i, i] - np.delete(products[i], i).max()
            if abs(beta * lead - margin) > 1e-3 * margin:  # at the margin itself, the result depends on rounding
                assert (memory.weights(patterns[i])[i] == 1) == (beta * lead > margin)


def test_a_pattern_inside_the_hull_of_the_others_comes_back_without_a_lead():
    patterns = [[1.0, 0.0], [1.0, 1.0], [1.0, -1.0]]
    memory = ha.memories.sparse(patterns)
    np.testing.assert_allclose(memory.weights(patterns[0]), 1 / 3)
    np.testing.assert_allclose(memory.step(patterns[0]), patterns[0], atol=1e-15)


@pytest.mark.parametrize("self_coupling", [False, True])
def test_graded_neurons_rest_at_0_alone_up_to_the_threshold_of_the_gain(self_coupling):
    """β λ_max(W) = 1; one pattern of four neurons without self-couplings has λ_max = ¾."""
    patterns = [[1.0, 1, 1, 1, -1, -1], [1, -1, 1, -1, 1, -1]] if self_coupling else [[1.0, 1, -1, 1]]
    largest = np.linalg.eigvalsh(ha.memories.graded(patterns, self_coupling=self_coupling).couplings)[-1]
    for gain, alone in ((0.9, True), (1.1, False)):
        network = ha.memories.graded(patterns, beta=gain / largest, self_coupling=self_coupling)
        rest = network.recall(0.9 * np.array(patterns[0]), update="concave_convex", max_steps=5000)
        assert rest.converged
        assert (np.abs(rest.state).max() < 1e-9) == alone


def test_k_subsets_recall_a_sum_and_not_a_mean():
    memory = ha.memories.k_subsets([[2.0, 0, 0], [0, 2.0, 0], [0, 0, 2.0]], k=2)
    assert memory.weights([1.5, 1.4, 0.1]).sum() == 2
    assert memory.step([1.5, 1.4, 0.1]).tolist() == [2, 2, 0]


def stored(n_patterns, dim, n, rectified):
    """The fraction of random patterns that one sweep of the asynchronous update leaves as they are."""
    patterns = random_spins(n_patterns, dim, seed=7)[:200]
    memory = ha.memories.dense(random_spins(n_patterns, dim, seed=7), n=n, rectified=rectified)
    return np.mean(np.all(memory.recall(patterns, update="async", max_steps=1, rng=1).state == patterns, axis=1))


@both_kernels
def test_the_capacity_of_the_cubic_memory_of_100_neurons_is_362_patterns_and_not_10_000():
    """Nⁿ⁻¹ / (2 (2n−3)!! ln N), where each pattern has an error with a probability of about 1/√(4π ln N) = 0.13."""
    capacity = round(100**2 / (2 * 3 * np.log(100)))
    assert capacity == 362
    assert stored(capacity, 100, 3, rectified=False) == pytest.approx(0.87, abs=0.1)
    assert stored(2 * capacity, 100, 3, rectified=True) == pytest.approx(0.87, abs=0.1)
    assert stored(2 * capacity, 100, 3, rectified=False) < 0.5


def test_the_capacity_of_a_sequence_of_100_neurons():
    capacity = round(100**2 / (3 * 3 * np.log(100)))
    assert capacity == 241
    for n_patterns, whole in ((capacity, True), (4 * capacity, False)):
        patterns = random_spins(n_patterns, 100, seed=3)
        following = ha.memories.sequence(patterns).step(patterns)
        assert np.array_equal(following, np.roll(patterns, -1, axis=0)) == whole


def test_a_metastable_state_is_the_mean_of_a_cluster():
    """Ramsauer et al. 2021, section A.1.5: for close patterns and a small β, recall converges near their mean."""
    rng = np.random.default_rng(1)
    cluster = ha.unit(np.array([1.0, 0, 0, 0]) + 0.05 * rng.normal(size=(3, 4)))
    patterns = np.concatenate([cluster, -cluster])
    soft = ha.memories.modern(patterns, beta=8).recall(cluster[0])
    np.testing.assert_allclose(soft.state, cluster.mean(axis=0), atol=0.02)
    steep = ha.memories.modern(patterns, beta=5000).recall(cluster[0])
    np.testing.assert_allclose(steep.state, cluster[0], atol=1e-6)


def test_the_spherical_memory_with_the_square_finds_the_principal_component():
    patterns = np.random.default_rng(1).normal(size=(20, 5)) * np.array([3, 1, 1, 0.5, 0.2])
    recall = ha.memories.spherical(patterns, separation="identity").recall(ha.unit(np.ones(5)), max_steps=1000)
    _, vectors = np.linalg.eigh(ha.unit(patterns).T @ ha.unit(patterns))
    assert abs(recall.state @ vectors[:, -1]) == pytest.approx(1, abs=1e-9)


def test_the_principal_component_of_the_spherical_memory_is_uncentred_and_needs_a_cue_that_is_not_orthogonal():
    # if the mean were taken off, the third axis would be the first component
    patterns = np.array([[1.0, 0.01, 0], [1, -0.01, 0], [1, 0, 0.5], [1, 0, -0.5]])
    memory = ha.memories.spherical(patterns, separation="identity")
    np.testing.assert_allclose(memory.recall([0.6, 0, 0.8], max_steps=1000).state, [1, 0, 0], atol=1e-9)
    few = memory.recall([0.0, 0.6, 0.8], max_steps=5).state  # in many steps the rounding of the zeros grows
    np.testing.assert_allclose(few, [0, 0, 1], atol=1e-9)


@given(data=st.data(), normalise=st.booleans(), phi=st.sampled_from(["relu", "elu"]))
def test_linear_attention_is_katharopoulos(data, normalise, phi):
    keys, values, cue = data.draw(arrays((4, 3))) + 0.1, data.draw(arrays((4, 2))), data.draw(arrays((3,)))
    assume(np.all(np.any(keys, axis=1)))
    relu, elu = lambda x: np.maximum(x, 0), lambda x: np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))
    feature = {"relu": relu, "elu": elu}[phi]
    scores = feature(keys) @ feature(cue)
    total = scores.sum() if normalise and scores.sum() > 0 else 1
    output = ha.memories.linear(keys, values, feature_map=phi, normalise=normalise).step(cue)
    np.testing.assert_allclose(output, scores @ values / total, rtol=1e-9, atol=1e-9)


def test_the_delta_rule_divides_by_the_length_of_a_key_and_not_by_the_sum_of_its_components():
    key, value = np.array([3.0, 4.0]), np.array([2.0])
    couplings = ha.learning.delta([key], [value])
    np.testing.assert_allclose(couplings @ key, value)
    theirs = np.outer(value, key / key.sum())  # Schlag et al. 2021, from W = 0 with their β = 1
    np.testing.assert_allclose(theirs @ (key / key.sum()), value * 25 / 49)


def test_the_delta_rule_overwrites_where_linear_attention_adds():
    key, old, new = [[0.6, 0.8]], [1.0, 0.0], [0.0, 1.0]
    np.testing.assert_allclose(ha.memories.delta(key * 2, [old, new]).step(key[0]), new, atol=1e-15)
    np.testing.assert_allclose(ha.memories.linear(key * 2, [old, new]).step(key[0]), np.add(old, new))


def test_a_noiseless_cue_with_a_distance_divides_by_nothing():
    patterns = random_spins(3, 8)
    for similarity, separation in itertools.product(("euclidean", "manhattan", "hamming"), ("softmax", "argmax")):
        memory = ha.memories.universal(patterns, similarity=similarity, separation=separation, beta=50.0)
        np.testing.assert_allclose(memory.recall(patterns[1]).state, patterns[1], atol=1e-12)


def test_sdm_reads_the_values_written_within_its_radius():
    """Compared with Kanerva's definition, location by location."""
    rng = np.random.default_rng(1)
    addresses, values = random_spins(6, 24, 1), random_spins(6, 10, 2)
    locations, radius = random_spins(200, 24, 3), 9
    memory = ha.memories.sdm(addresses, values, radius=radius, locations=locations)
    for cue in addresses * rng.choice([1, 1, 1, 1, 1, -1], size=addresses.shape):
        sums = np.zeros(10)
        for location, (address, value) in itertools.product(locations, zip(addresses, values, strict=True)):
            if np.sum(location != cue) <= radius and np.sum(location != address) <= radius:
                sums += value
        assert np.array_equal(memory.step(cue), np.sign(sums))


def test_a_spin_of_sdm_whose_sum_is_0_stays_as_it_is():
    """All states of six spins, with Kanerva's sums; an answer of another dim than the cue is 0 there."""
    patterns, cues = random_spins(4, 6, 1), np.array([*itertools.product([-1.0, 1.0], repeat=6)])
    sums = ((cues[:, None] != patterns).sum(axis=-1) <= 3) @ patterns
    assert (sums == 0).any() and (sums != 0).any()
    assert np.array_equal(
        ha.memories.sdm(patterns, patterns, radius=3).step(cues), np.where(sums == 0, cues, np.sign(sums))
    )
    assert np.array_equal(ha.memories.sdm(patterns, patterns[:, :5], radius=3).step(cues), np.sign(sums[:, :5]))
    far = ha.memories.sdm(patterns, patterns, radius=3, locations=cues)
    counters = ((patterns[:, None] != cues).sum(axis=-1) <= 3).T @ patterns
    sums = ((cues[:, None] != cues).sum(axis=-1) <= 3) @ counters
    assert (sums == 0).any() and np.array_equal(far.step(cues), np.where(sums == 0, cues, np.sign(sums)))
    assert np.array_equal(far.recall(cues, update="sync", max_steps=1).state, far.step(cues))
    assert np.array_equal(far.without(0).step(cues[:3]), far.without([0]).step(cues[:3]))
    answers = ha.memories.sdm(patterns, patterns + 0.0, radius=3, locations=cues)
    assert np.array_equal(answers.step(cues), np.sign(sums))


def test_sdm_draws_its_locations_from_a_seed():
    addresses = random_spins(5, 64, 1)
    one, again = (ha.memories.sdm(addresses, addresses, radius=26, locations=500, rng=3) for _ in range(2))
    assert np.array_equal(one.keys, again.keys)
    cue = addresses[2].copy()
    cue[:6] *= -1
    assert one.recall(cue).matched == 2


@given(data=st.data(), n=st.integers(2, 14), m=st.integers(2, 14), pairs=st.integers(1, 4))
def test_bam_is_koskos_matrix_and_its_energy_never_rises(data, n, m, pairs):
    left, right = data.draw(spins((pairs, n))), data.draw(spins((pairs, m)))
    memory, state = ha.memories.bam(left, right), data.draw(spins((n,)))
    matrix = sum(np.outer(y, x) for x, y in zip(left, right, strict=True))
    np.testing.assert_allclose(memory.energy(state), -np.abs(matrix @ state).sum() / n, rtol=1e-12, atol=1e-12)
    assert np.array_equal(memory.answer(state), np.sign(matrix @ state))
    back = matrix.T @ np.sign(matrix @ state)
    assert np.array_equal(memory.step(state), np.where(back == 0, state, np.sign(back)))  # a tie is a tie
    assert memory.descends()
    recall = memory.recall(state)
    assert recall.status == "converged"
    assert np.all(np.diff(recall.energies, axis=0) <= 1e-12)


def test_either_side_of_a_bam_recalls_the_other():
    left, right = random_spins(3, 80, 1), random_spins(3, 50, 2)
    memory = ha.memories.bam(left, right)
    forward = memory.recall(left[1] * np.where(np.arange(80) < 10, -1, 1))
    assert forward.matched == 1
    assert np.array_equal(memory.answer(forward.state), right[1])
    back = memory.turned.recall(right[2] * np.where(np.arange(50) < 6, -1, 1))
    assert back.matched == 2
    assert np.array_equal(memory.turned.answer(back.state), left[2])


def test_a_sequence_is_replayed_in_order():
    patterns = random_spins(60, 100, 6)  # too many for the linear interaction; not for the cube
    cube = ha.memories.sequence(patterns, n=4).recall(patterns[0], max_steps=59, keep=("overlaps",))
    assert np.argmax(cube.overlaps, axis=1).tolist() == list(range(60))
    weights = ha.memories.sequence(patterns, n=4).weights(patterns[:3])
    np.testing.assert_allclose(weights, np.maximum(patterns[:3] @ patterns.T / 100, 0) ** 3, rtol=1e-12)
    assert np.all(cube.overlaps.max(axis=1) > 0.95)
    hebb = ha.memories.sequence(patterns, n=2).recall(patterns[0], max_steps=59, keep=("overlaps",))
    assert hebb.overlaps[-1].max() < 0.5


def test_a_sequence_that_ends_converges_to_its_last_pattern():
    patterns = random_spins(5, 100, 6)
    recall = ha.memories.sequence(patterns, cyclic=False).recall(patterns[0])
    assert (recall.status, recall.matched, recall.steps) == ("converged", 4, 5)


def test_a_named_memory_gives_the_derivative_by_its_patterns_and_beta(torch):
    patterns = torch.asarray(np.eye(3)).requires_grad_()
    beta = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    cue = torch.asarray(np.array([0.9, 0.2, 0.1]))
    found = torch.autograd.grad(ha.memories.modern(patterns, beta=beta).step(cue)[0], (patterns, beta))
    attention = torch.softmax(beta * (patterns @ cue), 0) @ patterns
    torch.testing.assert_close(found, torch.autograd.grad(attention[0], (patterns, beta)))
    with pytest.raises(InvalidInput, match="beta: its derivative needs keys of the same library"):
        ha.memories.modern(np.eye(3), beta=beta)
