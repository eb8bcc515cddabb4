"""The Energy Transformer: its energy and gradient, its descent without a step size, and pictures that it completes."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.scenario.words.pictures import letters
from tests.draws import DTYPES, count, near


def drawn(seed, n=None, scale=3.0, **options):
    """A random block, and ten random states of 2 to 6 tokens of dim 4 to 8; in half of them W_Q is nearly −W_K."""
    rng = np.random.default_rng(seed)
    heads, dim_head, dim, many = rng.integers(1, 4), rng.integers(1, 5), rng.integers(4, 9), rng.integers(1, 6)
    w_query, w_key = scale * rng.normal(size=(2, heads, dim_head, dim)) * rng.uniform(0.1, 1)
    w_query = 0.3 * w_query - w_key if rng.random() < 0.5 else w_query
    memories = rng.normal(size=(many, dim)) * rng.uniform(0, 1) ** 3
    tokens = rng.normal(size=(10, rng.integers(2, 7) if n is None else n, dim))
    return ha.networks.EnergyTransformer(w_query, w_key, memories, **options), tokens


def rises(seed, **options):
    """The updates of single tokens that changed it, and those that raised the energy, of a random block."""
    block, tokens = drawn(seed, scale=0.2, **options)  # so that a token attends to all about alike
    g, made, risen = block.norm(tokens), 0, 0
    for _ in range(2):
        for token in range(g.shape[1]):
            after = block.step(g, np.arange(g.shape[1]) != token)
            before, energy = block.energy(g), block.energy(after)
            size = sum(np.abs(part) for part in block.energies(g).values())
            made += np.sum(np.any(after != g, axis=(1, 2)))
            risen += np.sum(energy - before > 1e-12 * size)
            g = after
    return made, risen


def reference(torch, block, g):
    """The energy of Hoover et al. (2023), equation by equation, of tokens `(n, dim)`, by PyTorch alone."""
    w_query, w_key, memories = map(torch.asarray, (block.w_query, block.w_key, block.memories))
    attention = 0.0
    for q, k in zip(w_query, w_key, strict=True):
        for c in range(len(g)):
            others = [b for b in range(len(g)) if b != c or block.attends_itself]
            scores = torch.stack([(k @ g[b]) @ (q @ g[c]) for b in others])
            attention = attention - torch.logsumexp(block.beta * scores, 0) / block.beta
    return attention - 0.5 * (torch.relu(g @ memories.T) ** 2).sum()


@pytest.mark.parametrize("itself", [False, True])
def test_the_energy_and_its_gradient_are_those_of_pytorch(torch, itself):
    for seed in range(count(20, 5)):
        block, tokens = drawn(seed, attends_itself=itself)
        g = block.norm(tokens[0])
        given = torch.asarray(g).clone().requires_grad_()
        exact = reference(torch, block, given)
        parts = block.energies(g)
        assert parts["attention"] + parts["memories"] == pytest.approx(exact.item(), rel=1e-10)
        (slope,) = torch.autograd.grad(exact, given)
        np.testing.assert_allclose(block.field(g), -slope, rtol=1e-8, atol=1e-8 * slope.abs().max().item())


@pytest.mark.parametrize("gamma", [0.3, 1.0, 5.0])
def test_the_own_term_of_a_token_is_minus_gamma_d_epsilon_over_the_root_of_variance_and_epsilon(gamma):
    rng, epsilon = np.random.default_rng(1), 0.1
    block = ha.networks.EnergyTransformer(
        np.ones((1, 1, 6)),
        np.ones((1, 1, 6)),
        np.ones((1, 6)),
        norm=ha.activations["layer_norm"](gamma, epsilon=epsilon),
    )
    x = rng.normal(size=(50, 3, 6)) * rng.uniform(0.1, 3, size=(50, 1, 1))
    exact = np.sum(-gamma * 6 * epsilon / np.sqrt(x.var(axis=-1) + epsilon), axis=-1)
    np.testing.assert_allclose(block.energies(block.norm(x))["tokens"], exact, rtol=1e-12)


def bends(block, tokens, rng):
    """By how much the energy without Φ* is below its chord, in one token alone; above 0 it is not concave there."""
    one, other, token = block.norm(tokens), block.norm(tokens), int(rng.integers(tokens.shape[1]))
    other[:, token] = block.norm(rng.normal(size=other[:, token].shape))
    middle = 0.5 * (one + other)
    at = [block.energies(g)["attention"] + block.energies(g)["memories"] for g in (one, middle, other)]
    return (0.5 * (at[0] + at[2]) - at[1]) / (1 + np.abs(at[0]) + np.abs(at[2]))


def test_the_energy_is_concave_in_each_token_alone_unless_it_attends_to_itself():
    """1,000 chords of 100 random blocks, each form; with itself many chords lie above the energy."""
    rng = np.random.default_rng(2)
    assert max(bends(*drawn(seed), rng).max() for seed in range(100)) < 1e-12
    assert sum(np.sum(bends(*drawn(seed, attends_itself=True), rng) > 1e-6) for seed in range(100)) > 20


def test_no_update_of_a_token_raises_the_energy_unless_it_attends_to_itself():
    """Updates of single tokens of 60 random blocks: 0 of 4,880 raise the energy; 180 where each attends to itself."""
    seeds, updates = range(count(60, 20)), count(4880, 1420)
    alone, itself = (np.sum([rises(seed, attends_itself=one) for seed in seeds], axis=0) for one in (False, True))
    assert alone.tolist() == [updates, 0]
    assert itself[0] == updates and updates / 49 < itself[1] < updates / 18


def test_the_counter_example_of_a_token_that_attends_to_itself():
    """One token with W_Q = −W_K: E = |K|² is convex, and each step goes up to the largest |K|, with another sign."""
    w = np.array([[[1.0, -1.0, 0.0], [0.0, 0.5, -0.5]]])
    block = ha.networks.EnergyTransformer(-w, w, np.zeros((1, 3)), attends_itself=True)
    found = block.recall([[0.5, 0.5, -1.0]])
    assert np.all(np.diff(found.energies, axis=0)[:4] > 1e-3) and found.status == "cycle" and found.period == 2
    claim = block.memory(1).descends()
    assert not claim and "quadratic in it" in claim.reason
    assert ha.networks.EnergyTransformer(-w, w, np.zeros((1, 3))).memory(1).descends()


def test_with_one_matrix_for_queries_and_keys_a_token_may_attend_to_itself():
    for seed in range(10):
        block, _ = drawn(seed)
        same = ha.networks.EnergyTransformer(block.w_key, block.w_key, block.memories, attends_itself=True)
        assert same.memory(3).descends()
        tokens = block.norm(np.random.default_rng(seed).normal(size=(10, 3, block.dim)))
        found = same.recall(tokens, max_steps=20)
        assert np.all(np.diff(found.energies, axis=0) <= 1e-12 * np.abs(found.energies).max())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("separation", ["softmax", "rectified_power", "identity", "sparsemax"])
def test_a_recall_falls_and_has_the_record_of_every_memory(separation, dtype):
    given = ha.separations.rectified_power(n=3) if separation == "rectified_power" else separation
    for seed in range(3):
        block, tokens = drawn(seed, separation=given)
        arrays = [one.astype(dtype) for one in (block.w_query, block.w_key, block.memories)]
        found = ha.networks.EnergyTransformer(*arrays, separation=given).recall(
            tokens.astype(dtype), patterns=tokens[:2].astype(dtype), max_steps=30, keep="trajectory"
        )
        assert found.state.dtype == dtype and set(found.status) <= {"converged", "limit"}
        size = 1 + np.abs(found.energies).max()
        assert np.all(np.diff(found.energies, axis=0) <= near(dtype, 1e-12) * size)
        assert found.trajectory.shape[1:] == found.state.shape == tokens.shape


def test_a_block_of_pytorch_is_that_of_numpy(torch):
    block, tokens = drawn(3)
    g, clamped = block.norm(tokens), np.arange(tokens.shape[1]) == 1
    own = ha.networks.EnergyTransformer(*map(torch.asarray, (block.w_query, block.w_key, block.memories)))
    for name in ("energy", "field", "step"):
        np.testing.assert_allclose(
            getattr(own, name)(torch.asarray(g)), getattr(block, name)(g), rtol=1e-10, atol=1e-10
        )
    found, exact = (
        own.recall(torch.asarray(g), clamped=clamped, max_steps=4),
        block.recall(g, clamped=clamped, max_steps=4),
    )
    np.testing.assert_allclose(found.state, exact.state, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(found.energies, exact.energies, rtol=1e-10)
    assert isinstance(found.state, torch.Tensor)


def test_jax_compiles_a_sweep_and_its_energy(jax):
    block, tokens = drawn(3, n=2)
    g = block.norm(tokens)
    own = ha.networks.EnergyTransformer(*map(jax.numpy.asarray, (block.w_query, block.w_key, block.memories)))
    moved, energy = jax.jit(lambda g: (own.step(g), own.energy(g)))(jax.numpy.asarray(g))
    np.testing.assert_allclose(moved, block.step(g), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(energy, block.energy(g), rtol=1e-10)
    slope = jax.jit(jax.grad(lambda g: own.energies(g)["attention"].sum() + own.energies(g)["memories"].sum()))
    np.testing.assert_allclose(slope(jax.numpy.asarray(g)), -block.field(g), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("dtype", DTYPES)
def test_its_descent_is_certified_token_by_token(dtype):
    """Of 200 updates of random states none raises the energy: a block is a network, and keeps its own update."""
    memory = drawn(3)[0].memory(3, clamped=[False, True, False])
    found = ha.certify(memory, count=200, dtype=str(np.dtype(dtype)), rng=0)
    assert found.claimed >= 200 and found.holds
    assert found.reason.startswith("concave-convex procedure, token by token")


def test_clamped_tokens_stay_and_all_at_once_is_offered_without_a_claim():
    block, tokens = drawn(5, n=4)
    g, clamped = block.norm(tokens), np.array([True, False, True, False])
    for update in (None, "sync"):
        found = block.recall(tokens, clamped=clamped, update=update, max_steps=5).state.reshape(g.shape)
        assert np.array_equal(found[:, clamped], g[:, clamped]) and np.all(np.any(found != g, axis=-1)[:, ~clamped])
    memory = block.memory(4)
    assert memory.descends() and not memory.descends("sync")
    assert "not convex" in memory.descends("sync").reason


def test_hidden_rows_of_letters_are_completed():
    """Three of seven rows of each of five letters are hidden, five times (quick: two): all pictures come back whole."""
    pictures = np.array([letters()[name] for name in "AJTX2"])
    patches = ha.networks.Patches(35, 7)
    block, rng = ha.networks.EnergyTransformer.of_pictures(pictures, patches), np.random.default_rng(0)
    for _ in range(count(5, 2)):
        hidden = np.isin(np.arange(7), rng.choice(7, 3, replace=False))
        damaged = np.where(np.repeat(hidden, 5), 0.0, pictures)
        found = block.recall(patches.tokens(damaged), clamped=~hidden, max_steps=300)
        whole = patches.pictures(found.state)
        assert np.array_equal(np.sign(whole), pictures)
        assert found.converged.all()
        assert np.all(np.diff(found.energies, axis=0) <= 1e-12 * np.abs(found.energies).max())
    np.testing.assert_allclose(patches.pictures(patches.tokens(pictures)), pictures)


def test_the_update_of_layers_takes_the_tokens_of_a_block_in_turn():
    rng = np.random.default_rng(30)
    w_query, w_key, memories, tokens = (rng.normal(size=s) for s in [(2, 3, 4), (2, 3, 4), (5, 4), (3, 6, 4)])
    block = ha.networks.EnergyTransformer(w_query, w_key, memories)
    options = {"clamped": [True] + 5 * [False], "max_steps": 3}
    one, other = (block.recall(tokens, update=update, **options) for update in (None, "layers"))
    assert np.array_equal(one.state, other.state) and np.array_equal(one.energies, other.energies)
    assert np.array_equal(one.state[:, 0], block.norm(tokens)[:, 0])
    g = block.norm(tokens)
    for i in range(1, 6):
        g[:, i] = block.norm(block.field(g)[:, i])
    np.testing.assert_allclose(block.step(block.norm(tokens), options["clamped"]), g, rtol=1e-12, atol=1e-12)
