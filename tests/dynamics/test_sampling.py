"""Metropolis and Langevin leave exp(−E/T) as it is: densities by quadrature, detailed balance, published overlaps."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import entr, ive
from scipy.stats import chi2

import hopattn as ha
from hopattn.retrieval.similarity import Similarity
from tests.texts import parsed

PATTERNS = [[1.0, 0.0], [-0.3, 0.9]]
BINS = 24
CHAINS, BEFORE = 600, 40
METROPOLIS, LANGEVIN = ha.Metropolis(0.4, width=1.2), ha.Langevin(0.4, dt=0.5)


def last_states(memory, update, start):
    """The states of many chains at one time: independent of each other, so that chi-square holds."""
    return memory.recall(start, update=update, max_steps=BEFORE, rng=1).state


def around_circle(n):
    return ha.unit(np.random.default_rng(0).normal(size=(n, 2)))


def nodes(low, high, n=100):
    """Places and weights of the quadrature of Gauss and Legendre."""
    places, weights = np.polynomial.legendre.leggauss(n)
    return 0.5 * (low + high + (high - low) * places), 0.5 * (high - low) * weights


def require_mean_energy(memory, states, temperature, grid, weights):
    """The mean energy of independent states is within 4 standard errors of that by quadrature over a grid of states."""
    energy = memory.energy(grid.astype(states.dtype)).astype(float)
    mass = weights * np.exp(-energy / temperature)
    mean, square = mass @ energy / mass.sum(), mass @ energy**2 / mass.sum()
    assert abs(memory.energy(states).mean() - mean) < 4 * np.sqrt((square - mean**2) / len(states))


@pytest.mark.parametrize("update", [METROPOLIS, LANGEVIN])
def test_on_the_circle_the_histogram_is_the_density_by_quadrature(update):
    """Chi-square of 600 independent chains with 23 degrees of freedom, below its 99.99 % quantile."""
    memory = ha.memories.spherical(PATTERNS, beta=2.0)
    states = last_states(memory, update, around_circle(CHAINS))
    np.testing.assert_allclose(np.linalg.norm(states, axis=1), 1, atol=1e-12)

    edges = np.linspace(-np.pi, np.pi, BINS + 1)
    bins = [nodes(*edges[i : i + 2], 20) for i in range(BINS)]
    places, weights = (np.concatenate(parts) for parts in zip(*bins, strict=True))
    grid = np.stack([np.cos(places), np.sin(places)], axis=1)
    mass = (weights * np.exp(-memory.energy(grid) / 0.4)).reshape(BINS, -1).sum(axis=1)
    expected = CHAINS * mass / mass.sum()
    seen = np.histogram(np.arctan2(states[:, 1], states[:, 0]), edges)[0]
    assert np.sum((seen - expected) ** 2 / expected) < chi2.ppf(0.9999, BINS - 1)
    require_mean_energy(memory, states, 0.4, grid, weights)


@pytest.mark.parametrize("update", [ha.Metropolis(0.6, width=1.5), ha.Langevin(0.6, dt=0.9)])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_on_a_sphere_of_four_dimensions_steps_may_be_long(update, dtype):
    """The area between heights t and t + dt on the sphere of dim d goes like (1 − t²)^((d − 3)/2)."""
    pole = np.eye(4, dtype=dtype)[:1]
    memory = ha.memories.spherical(np.concatenate([pole, -2 * pole]), beta=1.5)
    start = ha.unit(np.random.default_rng(0).normal(size=(CHAINS, 4))).astype(dtype)
    states = last_states(memory, update, start)
    assert states.dtype == dtype
    t, weights = nodes(-1, 1)
    grid = np.stack([t, np.sqrt(1 - t * t), 0 * t, 0 * t], axis=1)
    require_mean_energy(memory, states, 0.6, grid, weights * np.sqrt(1 - t * t))


@pytest.mark.parametrize("update", [ha.Metropolis(0.5, width=1.2), ha.Langevin(0.5, dt=0.4)])
def test_in_space_softmax_samples_are_a_mixture_of_gaussians(update):
    """exp(−E/T) with T = 1/β is Σ exp(β ξ·x − ½β|x|²): Gaussians of variance T at the patterns, weights exp(½β|ξ|²)."""
    keys, beta = np.array([[0.8, 0.0], [-0.8, 0.3]]), 2.0
    states = last_states(ha.memories.modern(keys, beta=beta), update, around_circle(CHAINS))
    weights = np.exp(beta / 2 * np.sum(keys**2, axis=1))
    mean = weights @ keys / weights.sum()
    spread = weights @ keys**2 / weights.sum() + 1 / beta - mean**2
    assert np.all(np.abs(states.mean(axis=0) - mean) < 4 * np.sqrt(spread / CHAINS))
    assert np.all(np.abs(states.var(axis=0) - spread) < 4 * spread * np.sqrt(3 / CHAINS))


@dataclass(frozen=True)
class HalfSquare(Similarity):
    """−½|x − k|²: with the softmax, the energy of a mixture of Gaussians."""

    def __call__(self, cues, keys):
        return cues @ keys.mT - 0.5 * (keys * keys).sum(-1) - 0.5 * (cues * cues).sum(-1)[..., None]

    def cue_term(self, cues):
        return -0.5 * (cues * cues).sum(-1)


ONE_NEURON = {
    "modern": (ha.memories.modern([[0.8], [-0.5]], beta=3.0), 4.0),
    "powers": (ha.Memory([[1.0], [-0.5]], separation="power", activation="tanh"), 1.0),
    "graded": (ha.memories.graded([[1.0], [-1.0]]), 1.0),
    "superposed": (ha.memories.random_features([[1.0], [-0.5]], n=20, rng=0), 4.0),
    "mean shift": (ha.Memory([[1.0], [-0.5]], similarity=HalfSquare(), beta=4.0), 4.0),
}


@pytest.mark.parametrize("name", ONE_NEURON)
@pytest.mark.parametrize("update", [ha.Metropolis(0.3, width=1.5), ha.Langevin(0.3, dt=0.3)])
def test_of_one_neuron_in_space_and_in_the_cube_the_mean_energy_is_that_by_quadrature(name, update):
    """600 chains; the derivatives at the edges of the cube are infinite, and the density is exact all the same."""
    memory, edge = ONE_NEURON[name]
    start = np.random.default_rng(0).uniform(-0.9, 0.9, (CHAINS, 1))
    states = last_states(memory, update, start)
    assert np.all(np.abs(states) <= edge)
    places, weights = nodes(-edge, edge)
    require_mean_energy(memory, states, 0.3, places[:, None], weights)


def with_gradient():
    """Memories of each kind whose energy has a gradient, over PyTorch's arrays or NumPy's."""
    keys = np.random.default_rng(4).normal(size=(5, 3))
    yield "modern", keys, lambda k: ha.memories.modern(k, beta=2.0)
    yield "sparse", keys, lambda k: ha.memories.sparse(k, beta=2.0)
    yield "sphere", keys, lambda k: ha.memories.spherical(k, separation="exponential", beta=2.0)
    yield "mean shift", keys, lambda k: ha.Memory(k, similarity=HalfSquare(), beta=2.0)
    yield "graded", keys, lambda k: ha.Memory(k, separation="power", activation=ha.activations["tanh"](1.5))
    yield "logistic", keys, lambda k: ha.Memory(k, separation="softmax", activation="logistic", beta=2.0)
    yield "sink", keys, lambda k: ha.Memory(k, separation="softmax", beta=2.0, sink=0.5)
    yield "log-sum-ReLU", keys, lambda k: ha.memories.log_sum_relu(k, beta=0.4)
    yield "superposed", keys, lambda k: ha.memories.random_features(k, beta=0.5, n=50, rng=0)
    yield "couplings", keys[:3] + keys[:3].T, lambda k: ha.Hopfield(k, bias=0.2, activation="tanh", patterns=k)


@pytest.mark.parametrize(("name", "numbers", "build"), list(with_gradient()))
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_gradient_of_the_energy_is_that_of_pytorch(name, numbers, build, dtype):
    torch = pytest.importorskip("torch")
    states = np.random.default_rng(5).uniform(0.1, 0.6, size=(4, 3))
    states = (ha.unit(states) if name == "sphere" else states).astype(dtype)
    followed = torch.tensor(states, requires_grad=True)
    build(torch.tensor(numbers.astype(dtype))).energy(followed).sum().backward()
    found, expected = build(numbers.astype(dtype)).gradient(states), followed.grad.numpy()
    if name == "sphere":
        found, expected = (one - np.sum(one * states, axis=1, keepdims=True) * states for one in (found, expected))
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, atol=200 * np.finfo(dtype).eps * np.abs(expected).max())


@pytest.mark.parametrize("name", ["sphere", "space"])
def test_a_move_and_the_move_back_are_in_detailed_balance(name):
    """c = T log q(x→y)/q(y→x) with q written out: a Gaussian of v, and on the sphere (|v|/sin|v|)^(dim−2)."""
    keys, temperature, dt, dim = np.random.default_rng(6).normal(size=(6, 5)), 0.3, 0.2, 5
    memory = ha.memories.spherical(keys, beta=1.0) if name == "sphere" else ha.memories.modern(keys)
    x, noise = ha.unit(np.random.default_rng(7).normal(size=(50, dim))), np.random.default_rng(8).normal(size=(50, dim))
    y, cost = ha.Langevin(temperature, dt=dt).move(memory, x, noise, mask=None)

    def along(vectors, x):
        return vectors - np.sum(vectors * x, axis=1, keepdims=True) * x if name == "sphere" else vectors

    def log_density(x, y):
        v, area = y - x, 0.0
        if name == "sphere":
            angle = np.arccos(np.clip(np.sum(x * y, axis=1), -1, 1))
            v = along(y, x) / np.sin(angle)[:, None] * angle[:, None]
            area = (dim - 2) * np.log(angle / np.sin(angle))
        return area - np.sum((v + dt * along(memory.gradient(x), x)) ** 2, axis=1) / (4 * dt * temperature)

    expected = temperature * (log_density(x, y) - log_density(y, x))
    short = cost < np.inf
    assert short.sum() >= 40
    np.testing.assert_allclose(cost[short], expected[short], atol=1e-9)


@pytest.mark.parametrize("patterns", [1, 20])
def test_the_overlap_on_the_sphere_is_that_of_lucibello_and_mezard(patterns):
    """The overlap φ with the cued pattern is (√(T² + 4) − T)/2 for N → ∞: Lucibello & Mézard (2024), PRL 132, 077301.

    Their states and patterns have |x|² = N, and −ξ·x/T is −N φ/T in ours of unit magnitude: our temperature is T/N, and
    our β is N λ. For a finite N and one pattern the density of φ goes like exp(Nφ/T) (1 − φ²)^((N−3)/2), with the mean
    I_{N/2}(N/T) / I_{N/2−1}(N/T): .6204 for N = 64 and T = 1, where the limit is .6180. 150 chains, each the mean of
    150 steps; 20 patterns have no share in it at λ = 2.
    """
    n, temperature = 64, 1.0
    keys = ha.unit(np.random.default_rng(0).normal(size=(patterns, n)))
    memory = ha.memories.spherical(keys, separation="exponential", beta=2 * n)
    start, update = np.repeat(keys[:1], 150, axis=0), ha.Langevin(temperature / n, dt=0.1)
    drawn = memory.recall(start, update=update, max_steps=200, rng=1, keep=("trajectory",)).trajectory
    means = (drawn[51:] @ keys[0]).mean(axis=0)
    exact = ive(n / 2, n / temperature) / ive(n / 2 - 1, n / temperature)
    assert abs(exact - (np.sqrt(temperature**2 + 4) - temperature) / 2) < 0.2 / n
    assert means.std(ddof=1) / np.sqrt(150) < 0.005
    assert abs(means.mean() - exact) < 4 * means.std(ddof=1) / np.sqrt(150)


def test_without_the_correction_the_variance_is_off_by_the_order_of_a_step():
    """E = ½|x − ξ|² moves by x⁺ = (1 − dt) x + dt ξ + √(2 dt T) z, whose variance is T / (1 − ½dt)."""
    memory = ha.memories.modern([[0.3, -0.2]])
    start = np.zeros((CHAINS, 2))
    for correction, variance in ((False, 0.5 / 0.7), (True, 0.5)):
        states = last_states(memory, ha.Langevin(0.5, dt=0.6, correction=correction), start)
        assert np.all(np.abs(states.var(axis=0) - variance) < 4 * variance * np.sqrt(2 / CHAINS))


COLD = {
    "space": ha.memories.modern(PATTERNS, beta=4.0),
    "sphere": ha.memories.spherical(PATTERNS, beta=4.0),
    "cube": ha.memories.graded([[1.0, -1.0]]),
    "logistic": ha.Memory(PATTERNS, activation="logistic", beta=4.0),
    "kernels": ha.memories.log_sum_relu(PATTERNS, beta=2.0),
}


@pytest.mark.parametrize("name", COLD)
def test_as_the_temperature_falls_to_0_langevin_descends_to_a_fixed_point(name):
    memory, start = COLD[name], 0.4 + 0.2 * around_circle(10)
    start = ha.unit(start) if name == "sphere" else start
    assert memory.descends(ha.Langevin(0, dt=0.2)) and not memory.descends(ha.Langevin(1e-12))
    for temperature in (1e-12, 0):
        found = memory.recall(start, update=ha.Langevin(temperature, dt=0.2), max_steps=300, tol=1e-5, rng=0)
        assert np.all(np.diff(found.energies, axis=0) <= 1e-9)
    assert np.all(found.converged)
    np.testing.assert_allclose(memory.step(found.state), found.state, atol=2e-5)


def test_a_cold_cue_inside_the_sphere_goes_to_it_downhill():
    memory = COLD["sphere"]
    found = memory.recall(np.array([[0.0, 0.0], [0.2, 0.1]]), update=ha.Langevin(0), max_steps=500, tol=1e-6, rng=0)
    np.testing.assert_allclose(np.linalg.norm(found.state, axis=1), 1, atol=1e-12)
    assert np.all(found.converged) and np.all(np.diff(found.energies, axis=0) <= 1e-12)


def test_at_temperature_0_metropolis_takes_only_moves_that_lower_the_energy():
    memory = ha.memories.modern(PATTERNS, beta=4.0)
    found = memory.recall(around_circle(20), update=ha.Metropolis(0), max_steps=60, rng=0)
    assert memory.descends(ha.Metropolis(0)) and not memory.descends(ha.Metropolis(0.1))
    assert np.all(np.diff(found.energies, axis=0) <= 0) and not found.converged.any()


def test_a_state_that_a_step_leaves_has_the_same_bytes_with_the_same_seed_alone_and_in_a_batch():
    memory = ha.memories.spherical(PATTERNS, beta=2.0)
    for update in (METROPOLIS, LANGEVIN):
        one, again, other = (memory.recall(around_circle(3), update=update, max_steps=9, rng=rng) for rng in (3, 3, 4))
        assert one.state.tobytes() == again.state.tobytes() != other.state.tobytes()
        alone = memory.recall(around_circle(3)[:1], update=update, max_steps=9, rng=3)
        np.testing.assert_array_equal(alone.state, one.state[:1])


def test_a_move_of_half_the_circle_or_more_is_refused():
    memory, x = ha.memories.spherical(PATTERNS, beta=2.0), around_circle(50)
    moved = memory.recall(x, update=ha.Langevin(10.0, dt=50.0), max_steps=1, rng=0).state
    stays = np.all(moved == x, axis=1)
    assert stays.sum() > 40


SCENARIO = """
schema = 1\ntitle = "at a temperature"\nsource = "ours"\nkind = "memory"
vocabulary = {{ axes = ["one", "two"], magnitude = "normalise", words = {{ A = [1, 0], B = [-0.3, 0.9] }} }}
memory = {{ patterns = ["A", "B"], model = {{ name = "{model}", beta = 2 }}, update = {update}, max_steps = 9 }}
input = {{ tokens = ["A", "B"] }}
"""


@pytest.mark.parametrize("model", ["modern", "spherical"])
@pytest.mark.parametrize(
    ("text", "update"),
    [
        ('{ name = "metropolis", temperature = 0.4, width = 1.2 }', METROPOLIS),
        ('{ name = "langevin", temperature = 0.4, dt = 0.5 }', LANGEVIN),
        ('{ name = "langevin", temperature = 0.4, correction = false }', ha.Langevin(0.4, correction=False)),
    ],
)
def test_a_scenario_samples_the_same_states_as_a_call(model, text, update):
    patterns = ha.unit(PATTERNS)
    found = ha.run(parsed(SCENARIO.format(model=model, update=text)))
    rng = np.random.default_rng(0)
    rng.integers(2**63)  # the root of the memory's and the cues' own draws
    memory = getattr(ha.memories, model)(patterns, beta=2.0)
    expected = memory.recall(patterns, update=update, max_steps=9, rng=rng)
    np.testing.assert_array_equal(found.runs[0].arrays["state"].values, expected.state)
    assert found.runs[0].arrays["status"].values.tolist() == ["limit"] * 2


@pytest.mark.parametrize(
    "memory", [ha.memories.modern(PATTERNS), ha.memories.spherical(PATTERNS), ha.memories.graded([[1.0, -1.0]])]
)
def test_a_start_of_the_right_density_keeps_it(memory):
    """Moves from x and y, weighed by exp(−E/T), go as often one way as the other: the mean energy stays."""
    for update in (ha.Metropolis(0.7), ha.Langevin(0.7, dt=0.3)):
        start = 0.5 * around_circle(800)
        start = start * 2 if memory.activation.directional else start
        long = memory.recall(start, update=update, max_steps=60, rng=3).energies
        early, late = long[40], long[60]
        assert abs(early.mean() - late.mean()) < 4 * np.sqrt((early.var() + late.var()) / 800)
        assert np.all(np.isfinite(long))


def plane(low, high):
    """Nodes and weights of a square, `(10000, 2)` and `(10000,)`."""
    places, weights = nodes(low, high)
    return np.stack(np.meshgrid(places, places), -1).reshape(-1, 2), np.multiply.outer(weights, weights).ravel()


CIRCLE = np.linspace(0, 2 * np.pi, 200, endpoint=False)
SQUARE, JOINED = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([[0, 0.5], [0.5, 0]])
FROM_0 = {
    "sign": (2.0 * SQUARE - 1, 1.0, np.zeros_like),
    "step": (1.0 * SQUARE, 1.0, np.zeros_like),
    "tanh": (*plane(-1, 1), lambda x: (entr(1 + x) + entr(1 - x)) / -2),
    "logistic": (*plane(0, 1), lambda x: -entr(x) - entr(1 - x)),
    "identity": (*plane(-12, 12), lambda x: x**2 / 2),
    "unit": (np.stack([np.cos(CIRCLE), np.sin(CIRCLE)], axis=1), 1.0, np.zeros_like),
}
"""Of each activation a grid of states, its weights, and Φ* of an entry."""


@pytest.mark.parametrize(
    ("activation", "update"),
    [("sign", ha.Glauber(1.0)), ("step", ha.Glauber(1.0))]
    + [(name, ha.Metropolis(1.0, width=1.4)) for name in ("tanh", "logistic", "identity", "unit")]
    + [("logistic", ha.Langevin(1.0, dt=0.02))]  # with a longer step no move leaves the steep edge
    + [(name, ha.Langevin(1.0, dt=0.1)) for name in ("tanh", "identity", "unit")],
)
def test_chains_of_couplings_without_patterns_leave_a_start_of_almost_nothing(activation, update):
    """x₁ + x₁x₂ of 1,000 chains is within 4 standard errors of its mean over the density by enumeration or quadrature.

    No pattern and no cue gives a scale by which the first move could be called growth.
    """
    network, (grid, weights, conjugate) = (
        ha.Hopfield(JOINED, bias=[0.2, 0.0], activation=activation),
        FROM_0[activation],
    )
    energy = conjugate(grid).sum(axis=1) - 0.5 * np.sum(grid @ JOINED * grid, axis=1) - 0.2 * grid[:, 0]
    start = np.zeros((1000, 2)) if activation in ("sign", "step", "unit") else np.full((1000, 2), 1e-9)
    found = network.recall(start, update=update, max_steps=60, rng=2)
    assert set(found.status) == {"limit"}
    mass, (of_grid, of_chains) = weights * np.exp(-energy), (x[:, 0] * (1 + x[:, 1]) for x in (grid, found.state))
    mean = mass @ of_grid / mass.sum()
    spread = mass @ (of_grid - mean) ** 2 / mass.sum()
    assert abs(of_chains.mean() - mean) < 4 * np.sqrt(spread / len(start))


def test_the_free_neurons_of_a_clamped_machine_leave_zero():
    """Both fields are 0, so that each neuron fires in half of the samples: a mean of ½ with the error ½/√2000."""
    layers = ha.networks.Layer("seen", 1, "step"), ha.networks.Layer("hidden", 2, "step")
    machine = ha.networks.Network(layers, [ha.networks.Dense(np.ones((2, 1))).on("hidden", "seen")])
    found = machine.recall(np.zeros((1000, 3)), update=ha.Glauber(1.0), clamp="seen", max_steps=20, rng=3)
    assert abs(found.state[:, 1:].mean() - 0.5) < 4 * 0.5 / np.sqrt(2000)


def test_a_chain_whose_energy_has_no_least_value_diverges():
    """E = −x²: a step is x⁺ = 1.2 x + noise."""
    network, update = ha.Hopfield([[3.0]], activation="identity"), ha.Langevin(1.0, dt=0.1, correction=False)
    found = network.recall(np.zeros((20, 1)), update=update, max_steps=400, rng=0)
    assert set(found.status) == {"diverged"} and np.all(np.isfinite(found.state))
