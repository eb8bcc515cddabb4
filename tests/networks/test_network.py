"""Networks of layers: descent without a step size, gradients, and the memories that they are."""

import itertools
from itertools import cycle

import numpy as np
import pytest

import hopattn as ha
from hopattn import InvalidInput
from hopattn.networks import Attention, Convolution, Dense, Function, Layer, Network, Stored
from tests.draws import DTYPES, count, near
from tests.networks.random_networks import LAGRANGIANS, P, random_network, random_states, rises, two_layers

JAX_IS_SLOW = ["numpy", "array_api_strict", "torch", pytest.param("jax", marks=pytest.mark.slow)]
SMOOTH = [kind for kind in LAGRANGIANS if not Layer("one", 3, kind).why_it_jumps]


@pytest.mark.parametrize("dtype", DTYPES)
def test_no_layer_update_raises_the_energy(dtype):
    """0 rises in 100,000 updates of single layers, by full counts; in a quick run 3,000 for each dtype."""
    rng, update, least = np.random.default_rng(1), ha.updates["layers"](), count(100_000, 3000)
    done, refused, kinds = 0, 0, cycle(LAGRANGIANS)
    met = dict.fromkeys(map(repr, LAGRANGIANS), 0)
    while done < least or not all(met.values()):
        network = random_network(rng, dtype=dtype, last=next(kinds))
        claim = network.descends(update)
        if not claim:
            assert "its couplings have a negative eigenvalue" in claim.reason
            refused += 1
            continue
        found = rises(network, update, random_states(network, rng, 25, dtype), 4)
        assert not np.any(found > near(dtype)), network
        done += int(np.sum(~np.isnan(found))) * len(network.layers)
        for layer in network.layers:
            met[repr(layer.activation)] += int(np.sum(found < 0))
    assert refused < least / 1000


@pytest.mark.parametrize(("dt", "dtype"), [(dt, dtype) for dt in (1e-3, 0.1, 1.0, 10.0, 1e3) for dtype in DTYPES])
def test_no_step_in_time_raises_the_energy_whatever_step_is_asked(dt, dtype):
    rng, update, moved = np.random.default_rng(2), ha.updates["time"](dt=dt), 0
    for _ in range(count(40, 5)):
        network = random_network(rng, SMOOTH, dtype)
        assert network.descends(update)
        found = rises(network, update, random_states(network, rng, 10, dtype), 3)
        assert not np.any(found > near(dtype)), network
        moved += int(np.sum(found < 0))
    assert moved > 50


def test_naive_joint_steps_do_rise():
    """The counter-example: x ← x + α(h − x) in all layers at once, from the same states."""
    rng, shares = np.random.default_rng(3), []
    networks = [random_network(rng, SMOOTH) for _ in range(count(30, 12))]
    for alpha in (0.5, 1.0, 3.0):
        rising = total = 0
        for network in networks:
            x = random_states(network, np.random.default_rng(0), 20)
            inner = network.activation.inverse(x)
            with np.errstate(all="ignore"):
                rise = network.energy(network.activation(inner + alpha * (network.field(x) - inner))) - network.energy(
                    x
                )
            size = sum(map(np.abs, network.energies(x).values()))
            rising, total = rising + int(np.sum(rise > 1e-9 * size)), total + int(np.sum(np.isfinite(rise)))
        shares.append(rising / total)
    assert shares[0] < shares[1] < shares[2]
    assert shares[2] > 0.5


def test_energies_and_gradients_are_those_of_pytorchs_differentiation(torch):
    """Σ over the layers of x·g − L(x) with g = ∇L(x), and the field ∂F/∂g, for 60 random networks."""
    rng = np.random.default_rng(4)
    for _ in range(count(60, 15)):
        network = random_network(rng, SMOOTH)
        inner = rng.normal(size=(3, network.total))
        states = np.asarray(network.activation(inner))
        if not np.all(np.abs(states) < 1e3):
            continue
        x = torch.tensor(inner, requires_grad=True)
        (g,) = torch.autograd.grad(network.activation.potential(x).sum(), x)
        np.testing.assert_allclose(g.numpy(), states, rtol=1e-8, atol=1e-8)
        legendre = (x * g).sum(-1) - network.activation.potential(x)
        energies, names = network.energies(states), [layer.name for layer in network.layers]
        np.testing.assert_allclose(sum(energies[name] for name in names), legendre.detach(), rtol=1e-8, atol=1e-8)
        g = torch.tensor(states, requires_grad=True)
        parts = network.activation.split(g)
        own = dict(zip(names, parts, strict=True))
        total = sum(
            moved_to_torch(torch, one.synapse).alignment(*(own[name] for name in one.layers))
            for one in network.synapses
        )
        np.testing.assert_allclose(-sum(energies[one.name] for one in network.synapses), total.detach(), rtol=1e-8)
        (slope,) = torch.autograd.grad(total.sum(), g)
        np.testing.assert_allclose(network.field(states), slope.numpy(), rtol=1e-8, atol=1e-8)


def moved_to_torch(torch, synapse):
    """The same synapse with its arrays as PyTorch's."""
    match synapse:
        case Dense():
            return Dense(torch.tensor(synapse.weights))
        case Stored():
            return Stored(torch.tensor(synapse.keys), synapse.separation)
        case Convolution():
            return Convolution(torch.tensor(synapse.kernel), synapse.stride)
        case Attention():
            query, key = torch.tensor(synapse.query), torch.tensor(synapse.key)
            return Attention(query, key, separation=synapse.separation, mask=synapse.mask)
    raise AssertionError(synapse)


@pytest.mark.parametrize(("extent", "stride"), [((3,), 1), ((2,), 2), ((2, 3), 1), ((3, 2), 2), ((4, 4), 3)])
def test_a_convolution_is_pytorchs(torch, extent, stride):
    rng = np.random.default_rng(5)
    kernel, inner = rng.normal(size=(4, 3, *extent)), rng.normal(size=(2, *(9, 8)[: len(extent)], 3))
    convolve = getattr(torch.nn.functional, f"conv{len(extent)}d")
    expected = convolve(torch.tensor(inner).movedim(-1, 1), torch.tensor(kernel), stride=stride).movedim(1, -1)
    outer = rng.normal(size=expected.shape)
    synapse = Convolution(kernel, stride)
    np.testing.assert_allclose(synapse.gradient(0, outer, inner), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        synapse.alignment(outer, inner), np.sum(outer * expected.numpy(), axis=(1, *range(2, outer.ndim)))
    )
    x = torch.tensor(inner, requires_grad=True)
    value = (torch.tensor(outer) * convolve(x.movedim(-1, 1), torch.tensor(kernel), stride=stride).movedim(1, -1)).sum()
    np.testing.assert_allclose(
        synapse.gradient(1, outer, inner), torch.autograd.grad(value, x)[0], rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize(
    ("visible", "hidden", "beta"),
    [
        ("identity", "softmax", 4.0),
        ("unit", "softmax", 2.0),
        ("sign", "rectified_power", 1.0),
        ("tanh", "entmax", 3.0),
        ("layer_norm", "sparsemax", 1.0),
        ("logistic", "exponential", 0.3),
        ("sign", "threshold", 1.0),
        ("identity", "normmax", 2.0),
        ("tanh", "k_subsets", 1.0),
    ],
)
def test_two_layers_are_the_memory_with_the_same_states_and_energies(visible, hidden, beta):
    network = two_layers(visible, hidden, beta, patterns={"visible": P})
    memory = ha.memories.of_network(network)
    assert isinstance(memory, ha.Memory) and np.array_equal(memory.patterns, P)
    rng = np.random.default_rng(6)
    cues = np.asarray(memory.activation(rng.normal(size=(20, 6))))
    found = network.recall({"visible": cues}, max_steps=8, keep=["trajectory"])
    expected = memory.recall(cues, update="sync", max_steps=8, keep=["trajectory"])
    np.testing.assert_allclose(found.trajectory[..., :6], expected.trajectory, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.energies[: len(expected.energies)], expected.energies, rtol=1e-11, atol=1e-11)
    assert np.array_equal(found.matched, expected.matched)


def test_two_layers_of_spins_are_a_bidirectional_memory():
    rng = np.random.default_rng(7)
    left, right = rng.choice([-1.0, 1.0], size=(3, 15)), rng.choice([-1.0, 1.0], size=(3, 11))
    bam = ha.memories.bam(left, right)
    layers = Layer("left", 15, "sign"), Layer("right", 11, "sign")
    network = Network(layers, [Dense(right.T @ left).on("right", "left")], patterns={"left": left})
    own = ha.memories.of_network(network)
    cues = rng.choice([-1.0, 1.0], size=(30, 15))
    found, expected = network.recall({"left": cues}), bam.recall(cues)
    scale = bam.energy(left)[0] / own.energy(left)[0]
    assert np.array_equal(network.split(found.state)["left"], expected.state)
    np.testing.assert_allclose(scale * found.energies[-1], expected.energies[-1], rtol=1e-12)
    np.testing.assert_allclose(found.energies[-1], own.energy(expected.state), rtol=1e-12)
    assert np.array_equal(found.matched, expected.matched)


def test_one_layer_is_hopfields_network_of_1984_and_its_flow():
    couplings = ha.learning.hebb(P)
    graded = ha.Hopfield(couplings, activation=ha.activations["tanh"](beta=2.0), bias=0.1)
    synapses = [Dense(couplings / 2).on("v", "v"), Dense(np.full(6, 0.1)).on("v")]
    network = Network([Layer("v", 6, "tanh", beta=2)], synapses)
    own = ha.memories.of_network(network)
    cues = np.random.default_rng(8).uniform(-0.9, 0.9, size=(10, 6))
    np.testing.assert_allclose(network.energy(cues), graded.energy(cues), rtol=1e-12)
    for memory in (network, own):
        one, other = (each.recall(cues, update="graded", max_steps=5) for each in (memory, graded))
        np.testing.assert_allclose(one.state, other.state, rtol=1e-8, atol=1e-9)
    assert graded._curvature > 0 and network.descends() and not graded.descends("sync")
    ends = network.recall(cues, max_steps=3000)
    assert np.all(ends.converged)
    np.testing.assert_allclose(np.tanh(2 * graded.field(ends.state)), ends.state, atol=1e-9)


def test_shared_synapses_and_those_of_tokens():
    """One attention on two pairs of layers, and the sum of its energies; an energy for each part."""
    rng = np.random.default_rng(9)
    synapse = Attention(rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 3, 4)), mask="causal")
    layers = [Layer(name, (5, 4), "layer_norm") for name in "abc"]
    network = Network(layers, [synapse.on("a", "b"), synapse.on("b", "c", name="second")])
    states = np.asarray(network.activation(rng.normal(size=(3, network.total))))
    energies, parts = network.energies(states), network.split(states)
    assert list(energies) == ["a", "b", "c", "a–b", "second"]
    np.testing.assert_allclose(energies["second"], -synapse.alignment(parts["b"], parts["c"]))
    np.testing.assert_allclose(network.energy(states), sum(energies.values()), rtol=1e-13)
    assert network.descends()
    graph = network.graph()
    assert graph.number_of_nodes() == 5 and {data["bipartite"] for _, data in graph.nodes(data=True)} == {0, 1}
    assert graph.nodes["synapse", "second"]["kind"] == "Attention" and len(graph.edges) == 4


@pytest.mark.parametrize("clamp", ["visible", ["visible"], {"visible": [True] * 6}, np.array([True] * 6 + [False] * 2)])
@pytest.mark.parametrize("update", ["layers", "sync", "time"])
def test_clamped_neurons_keep_the_values_of_the_cue(clamp, update):
    network, cue = two_layers("tanh"), np.array([0.9, 0.8, 0.9, -0.2, -0.7, -0.9])
    clamp = {"visible": np.array(clamp["visible"])} if isinstance(clamp, dict) else clamp
    found = network.recall({"visible": cue}, clamp=clamp, update=update, max_steps=400)
    parts = network.split(found.state)
    assert found.converged and np.array_equal(parts["visible"], cue)
    np.testing.assert_allclose(parts["hidden"], np.exp(4 * P @ cue) / np.exp(4 * P @ cue).sum(), rtol=1e-9)


def test_some_neurons_of_a_layer_are_clamped():
    known = np.array([True, True, True, False, False, False])
    network = two_layers("tanh", patterns={"visible": P})
    found = network.recall({"visible": P[0] * known * 0.9}, clamp={"visible": known})
    visible = network.split(found.state)["visible"]
    assert found.matched == 0 and np.array_equal(visible[:3], [0.9] * 3)
    assert np.all(np.diff(found.energies, axis=0) <= 1e-14)


@pytest.mark.parametrize("matrices", [(), (np.eye(4), np.eye(4))], ids=["of tokens", "of matrices"])
@pytest.mark.parametrize("separation", ["softmax", "sparsemax"])
def test_the_beta_of_an_attention_is_that_of_attention(separation, matrices, tmp_path):
    """1/√dim with matrices and without, in a network, alone, and in a file."""
    x, y = np.random.default_rng(6).normal(size=(2, 1, 3, 4))
    attention = Attention(*matrices, separation=separation)
    layers = [Layer("x", (3, 4), "layer_norm"), Layer("y", (3, 4), "layer_norm")]
    network = Network(layers, [attention.on("x", "y")])
    network.save(tmp_path / "network.npz")
    expected = ha.attention(x, y, y, separation=separation)
    in_network, in_file = (one.synapses[0].synapse for one in (network, ha.load(tmp_path / "network.npz")))
    for synapse in (attention, in_network, in_file):
        np.testing.assert_allclose(synapse.gradient(0, x, y), expected, rtol=1e-12, atol=1e-12)


def test_tokens_are_clamped_one_by_one():
    """The known tokens stay bit by bit, the others descend; a part of a token is refused."""
    rng = np.random.default_rng(14)
    layers = Layer("tokens", (4, 3), "layer_norm"), Layer("keys", (4, 3), "layer_norm")
    synapses = [Attention(beta=2).on("tokens", "keys"), Stored(rng.normal(size=(5, 3))).on("tokens")]
    network = Network(layers, synapses, patterns={"tokens": rng.normal(size=(2, 4, 3))})
    state = np.asarray(network.activation(rng.normal(size=network.total)))
    tokens = network.split(state)["tokens"]
    known = np.repeat([[True], [False], [True], [True]], 3, axis=1)
    found = network.recall({"tokens": tokens}, clamp={"tokens": known})
    moved = network.split(found.state)["tokens"]
    assert np.array_equal(moved[known], tokens[known]) and np.any(moved[1] != tokens[1]) and found.converged
    assert np.all(np.diff(found.energies, axis=0) <= 1e-13)
    known[0, 0] = False
    with pytest.raises(InvalidInput, match="clamp all of them of a row or none"):
        network.clamped({"tokens": known})


def test_hidden_spins_of_a_clamped_layer_have_boltzmanns_distribution():
    """Glauber: 4,000 chains of 12 sweeps at T = 1.2, of ±1 and of 0 and 1; within 4.5 standard errors."""
    rng, chains = np.random.default_rng(10), count(20_000, 4000)
    weights, couplings = rng.normal(size=(2, 3)), np.array([[0.0, 0.6], [0, 0]])
    for kind, low in (("sign", -1.0), ("step", 0.0)):
        layers = Layer("visible", 3, "tanh"), Layer("hidden", 2, kind)
        network = Network(layers, [Dense(weights).on("hidden", "visible"), Dense(couplings).on("hidden", "hidden")])
        visible = np.array([0.3, -0.8, 0.5])
        every = np.array([[a, b] for a in (low, 1) for b in (low, 1)])
        exact = np.exp(-network.energy(network.join({"visible": np.tile(visible, (4, 1)), "hidden": every})) / 1.2)
        exact /= exact.sum()
        cues = {"visible": np.tile(visible, (chains, 1)), "hidden": np.full((chains, 2), 1.0)}
        found = network.recall(cues, clamp="visible", update=ha.Glauber(1.2), max_steps=12, rng=1)
        hidden = network.split(found.state)["hidden"]
        counts = np.array([np.all(hidden == state, axis=1).sum() for state in every])
        assert np.all(np.abs(counts / chains - exact) <= 4.5 * np.sqrt(exact * (1 - exact) / chains))


def test_a_time_constant_slows_its_layer():
    """u̇ = −u/τ without synapses: the exact exponential, by both updates in continuous time."""
    network = Network([Layer("a", 2, tau=1.0), Layer("b", 2, tau=4.0)], [])
    for update in (ha.Graded(0.5), ha.updates["time"](dt=0.5)):
        state = network.recall([1.0, 2, 1, 2], update=update, max_steps=1).state
        np.testing.assert_allclose(
            state, [*np.exp(-0.5) * np.array([1, 2]), *np.exp(-0.125) * np.array([1, 2])], rtol=1e-8
        )


def test_time_follows_the_flow_where_its_steps_are_short():
    network, cue = two_layers("tanh", "tanh", 1.0), {"visible": np.array([0.3, -0.2, 0.5, 0.1, -0.4, 0.2])}
    exact = network.recall(cue, update=ha.Graded(1.0), max_steps=1).state
    errors = [
        np.abs(network.recall(cue, update=ha.updates["time"](dt=1 / n), max_steps=n).state - exact).max()
        for n in (50, 100, 200)
    ]
    assert 1.8 < errors[0] / errors[1] < 2.2 and 1.8 < errors[1] / errors[2] < 2.2  # of first order


def test_a_function_of_ones_own_is_differentiated_or_brings_its_gradients(torch):
    weights = np.random.default_rng(11).normal(size=(2, 6))
    own = Function(lambda a, b: (a @ weights * b).sum(-1), lambda a, b: (b @ weights.T, a @ weights), curvature=0)
    rows = torch.tensor(weights)
    by_torch = Function(lambda a, b: (a @ rows * b).sum(-1))
    layers, cue = (
        (Layer("visible", 6, "tanh"), Layer("hidden", 2, "tanh")),
        {"visible": [0.3, -0.2, 0.5, 0.1, -0.4, 0.2]},
    )
    dense, one, other = (
        Network(layers, [synapse.on("hidden", "visible")]) for synapse in (Dense(weights), own, by_torch)
    )
    expected = dense.recall(cue)
    for network in (one, other):
        found = network.recall(cue)
        np.testing.assert_allclose(found.state, expected.state, rtol=1e-12)
        np.testing.assert_allclose(found.energies, expected.energies, rtol=1e-12)
    assert one.descends() and "of a function of one's own no curvature is known" in other.descends().reason
    assert other.descends("time")


@pytest.mark.parametrize("library", JAX_IS_SLOW, indirect=True)
def test_recall_stays_in_the_library_of_its_arrays(library):
    network, cues = two_layers(), np.random.default_rng(12).normal(size=(4, 6))
    there = Network(network.layers, [Dense(library.array(P)).on("hidden", "visible")])
    for clamp in (None, "hidden"):
        found = there.recall({"visible": library.array(cues)}, clamp=clamp)
        expected = network.recall({"visible": cues}, clamp=clamp)
        assert type(found.state) is type(library.array(cues))
        np.testing.assert_allclose(library.numpy(found.state), expected.state, rtol=1e-12, atol=1e-13)
        assert found.status.tolist() == expected.status.tolist()


def test_in_float32_states_stay_float32():
    network = Network([Layer("v", 6), Layer("h", 2, "softmax", beta=4)], [Dense(P.astype("f4")).on("h", "v")])
    found = network.recall({"v": P.astype("f4")})
    assert found.state.dtype == network.energy(found.state).dtype == np.float32
    assert np.all(found.converged)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_network_is_certified(dtype):
    claimed = ha.certify(two_layers("tanh"), count=200, dtype=dtype, rng=0)
    assert claimed.holds and claimed.claimed >= 200 and "minimises the energy" in claimed.reason
    joint = ha.certify(two_layers("tanh"), "sync", count=200, dtype=dtype, rng=0)
    assert joint.rises > 0 and joint.claimed == 0
    assert ha.certify(two_layers("tanh").clamped("hidden"), "time", count=50, dtype=dtype, rng=0).holds


def test_a_search_finds_the_counter_example_that_random_states_miss():
    """Tokens that attend to themselves: 0 rises in 100 random updates, and several by hill climbing."""
    rng = np.random.default_rng(2)
    attention = Attention(rng.normal(size=(3, 4)), rng.normal(size=(3, 4)), beta=1)
    network = Network([Layer("tokens", (3, 4), "layer_norm")], [attention.on("tokens", "tokens")])
    missed, found = (ha.certify(network, "layers", count=100, search=rounds, rng=0) for rounds in (0, 60))
    assert missed.rises == 0 and found.rises > 0 and not network.descends("layers")
    held = ha.certify(network, "time", count=100, search=20, rng=0)
    assert held.holds and held.claimed >= 100
    couplings = Network([Layer("v", 4, "tanh")], [Dense(rng.normal(size=(4, 4))).on("v", "v")])
    assert couplings.descends() and ha.certify(couplings, count=100, search=60, rng=0).holds


def test_a_separation_counts_as_an_activation():
    softmax = Layer("one", 3, "softmax", beta=2.0).activation
    assert not softmax.elementwise and Layer("one", 3, "exponential").activation.elementwise
    weights = softmax(np.array([0.3, -0.2, 1.0]))
    np.testing.assert_allclose(softmax(softmax.inverse(weights)), weights, rtol=1e-14)
    assert softmax.why_outside_domain(weights) == "" and "cannot give" in softmax.why_outside_domain(2 * weights)


def test_three_bodies_by_the_formula():
    rng = np.random.default_rng(13)
    tensor = rng.normal(size=(2, 3, 4))
    network = Network([Layer("a", 2), Layer("b", 3), Layer("c", 4)], [Dense(tensor).on("a", "b", "c")])
    states = rng.normal(size=(5, 9))
    a, b, c = network.split(states).values()
    np.testing.assert_allclose(
        -network.energies(states)["a–b–c"], np.einsum("ijk,ni,nj,nk->n", tensor, a, b, c), rtol=1e-12
    )
    field = network.split(network.field(states))
    np.testing.assert_allclose(field["b"], np.einsum("ijk,ni,nk->nj", tensor, a, c), rtol=1e-12)


STATES = np.array(list(itertools.product([0.0, 1.0], repeat=7)))


def network(seed=0, **options):
    patterns = (np.random.default_rng(seed).random((3, 7)) < 0.4) * 1.0
    patterns[:, 0] = 1
    return ha.memories.hopfield(patterns, activation="step", **{"rule": "covariance", "bias": -0.3, **options})


@pytest.mark.parametrize("options", [{}, {"self_coupling": True}, {"rule": "hebb", "bias": -1.5}])
def test_each_neuron_takes_the_side_of_the_lower_energy(options):
    memory, order = network(**{"rule": "covariance", **options}), [3, 0, 6, 2, 5, 1, 4]

    def energy(x):
        return -np.einsum("ni,ij,nj->n", x, memory.couplings, x) / 2 - x @ memory.bias

    np.testing.assert_allclose(memory.energy(STATES), energy(STATES), atol=1e-12)
    expected = STATES.copy()
    for i in order:
        off, on = (np.where(np.arange(7) == i, side, expected) for side in (0.0, 1.0))
        assert np.abs(energy(on) - energy(off)).min() > 1e-9
        expected[:, i] = energy(on) < energy(off)
    assert np.array_equal(memory.recall(STATES, update=ha.Asynchronous(order), max_steps=1).state, expected)


def test_a_recall_of_one_neuron_after_another_ends_where_no_flip_lowers_the_energy():
    memory = network(2)
    found = memory.recall(STATES, update="async", rng=0)
    assert np.all(found.converged) and set(np.unique(found.state)) <= {0.0, 1.0}
    energies = {tuple(x): float(memory.energy(x)) for x in STATES}
    for state in found.state:
        flipped = [np.where(np.arange(7) == i, 1 - state, state) for i in range(7)]
        assert all(energies[tuple(other)] >= energies[tuple(state)] - 1e-12 for other in flipped)


def test_glauber_has_boltzmanns_distribution_over_0_and_1():
    memory, temperature = network(3), 0.4
    weights = np.exp(-memory.energy(STATES) / temperature)
    mean = weights @ STATES / weights.sum()
    np.testing.assert_allclose(ha.networks.boltzmann(memory, temperature).magnetisation, mean, rtol=1e-12)
    update = ha.Glauber(temperature=temperature)
    cues = np.repeat(STATES[:1], 4000, axis=0)
    drawn = memory.recall(cues, update=update, max_steps=12, rng=1).state
    assert np.all(np.abs(drawn.mean(axis=0) - mean) < 4 * np.sqrt(mean * (1 - mean) / 4000) + 1e-3)


def test_sparse_patterns_are_recalled_by_the_covariance_rule_with_a_threshold_alone():
    """20 patterns of 400 neurons, a tenth of them active: three in five of the active ones are enough as a cue."""
    rng = np.random.default_rng(5)
    patterns = (rng.random((20, 400)) < 0.1) * 1.0
    cues = patterns * (rng.random(patterns.shape) < 0.6)
    share = {}
    for bias in (0.0, -0.3):
        memory = ha.memories.hopfield(patterns, rule="covariance", activation="step", bias=bias)
        share[bias] = np.mean(memory.recall(cues, update="async", rng=0).matched == np.arange(20))
    assert share[0.0] < 0.2 and share[-0.3] == 1


@pytest.mark.parametrize("in_turn", [False, True])
def test_a_step_gives_the_energy_of_the_states_before_it(in_turn):
    """From the fields of the step, also with clamped neurons and a synapse on clamped layers alone."""
    rng = np.random.default_rng(21)
    for _ in range(count(40, 15)):
        network = random_network(rng)
        for each in (network, network.clamped(network.layers[0].name) if len(network.layers) > 1 else network):
            x = random_states(network, rng)
            after, energy = each._step_at(x, None, energy=True, in_turn=in_turn)
            size = np.abs(list(each.energies(x).values())).sum(axis=0)
            np.testing.assert_allclose(energy / size, each.energy(x) / size, rtol=0, atol=1e-12)
            assert np.array_equal(after, each.step_of_layers(x) if in_turn else each.step(x))


@pytest.mark.parametrize("update", ["sync", "layers"])
def test_a_recall_asks_each_synapse_once_a_step_for_what_it_needs(update):
    asked = []

    class Counted(Dense):
        def pull(self, places, *activities):
            asked.append("pull")
            return super().pull(places, *activities)

        def alignment(self, *activities):
            asked.append("alignment")
            return super().alignment(*activities)

    layers = Layer("visible", 6, "tanh"), Layer("hidden", 2, "softmax")
    network = Network(layers, [Counted(P).on("hidden", "visible")])
    state = network.join({"visible": P[0]})
    asked.clear()
    steps = int(network.recall(state, update=update, max_steps=3, tol=0.0).steps)
    assert asked == ["pull", "pull"] * steps + ["alignment", "pull"]  # and once for the energy of the last state


def test_stored_patterns_of_many_scores_go_block_by_block(monkeypatch):
    rng = np.random.default_rng(22)
    synapse, g = Stored(rng.normal(size=(1500, 4)), "softmax", beta=2), rng.normal(size=(900, 4))
    pull, f = synapse.answer((0,), g)
    np.testing.assert_allclose(pull, synapse.weights(g) @ synapse.keys, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(f, synapse.separation.potential(g @ synapse.keys.T), rtol=1e-12)
    monkeypatch.setattr(type(synapse.separation), "answer", None)  # the formula of all scores in one piece
    assert np.array_equal(synapse.pull((0,), g), pull)


def test_the_answer_of_a_synapse_is_its_pull_and_its_alignment():
    rng = np.random.default_rng(23)
    square, text = rng.normal(size=(4, 4)), rng.normal(size=(2, 5, 4))
    row, picture = rng.normal(size=(2, 4)), rng.normal(size=(2, 6, 3))
    outer = rng.normal(size=(2, 4, 2))
    cases = [
        (Dense(square), (row, row), [(0,), (1,), (0, 1)]),
        (Dense(square[0]), (row,), [(0,)]),
        (Dense(rng.normal(size=(4, 4, 4))), (row, row, row), [(1,), (0, 2), (0, 1, 2)]),
        (Convolution(rng.normal(size=(2, 3, 3))), (outer, picture), [(0,), (1,)]),
        (Stored(square, "rectified_power"), (row,), [(0,)]),
        (Attention(square, square, mask="causal"), (text, text), [(0,), (1,), (0, 1)]),
        (Function(lambda g: (g**3).sum(-1), lambda g: (3 * g**2,)), (row,), [(0,)]),
    ]
    for synapse, activities, all_places in cases:
        for places in all_places:
            pull, f = synapse.answer(places, *activities)
            expected = sum(synapse.gradient(place, *activities) for place in places)
            np.testing.assert_allclose(pull, expected, rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(pull, synapse.pull(places, *activities), rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(f, synapse.alignment(*activities), rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(f, aligned(synapse, activities), rtol=1e-11, atol=1e-11)


def aligned(synapse, activities):
    """F by its definition."""
    match synapse:
        case Dense():
            axes = "ijk"[: len(activities)]
            return np.einsum(f"{axes},{','.join(f'n{axis}' for axis in axes)}->n", synapse.weights, *activities)
        case Convolution():
            outer, inner = activities
            windows = np.lib.stride_tricks.sliding_window_view(inner, synapse.kernel.shape[2], axis=1)
            return np.einsum("oie,npo,npie->n", synapse.kernel, outer, windows)
        case Stored():
            return 0.5 * (np.maximum(activities[0] @ synapse.keys.T, 0) ** 2).sum(axis=1)
        case Attention():
            q, k = (g @ matrix[0].T for g, matrix in zip(activities, (synapse.query, synapse.key), strict=True))
            beta, scores = synapse.separation.beta, q @ k.swapaxes(1, 2)
            causal = np.where(np.tril(np.ones(scores.shape[1:], bool)), beta * scores, -np.inf)
            return np.log(np.exp(causal).sum(axis=2)).sum(axis=1) / beta
    return (activities[0] ** 3).sum(axis=1)
