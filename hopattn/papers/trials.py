"""Simulations that only records name, in `trial`; those of scenarios are in `scenario/kinds/simulation.py`.

Each is a function of a generator and the record's `given`, and gives one number.
"""

import numpy as np

from hopattn import memories, theory
from hopattn.foundation import vectors
from hopattn.learning import rules
from hopattn.retrieval.features import RandomFeatures
from hopattn.retrieval.separation import separations

SOFTMAX = separations["softmax"]()
"""The weights of a softmax memory, for batches of patterns."""


def score_variance(rng: np.random.Generator, dim: int, pairs: int) -> float:
    """The variance of the dot product of two vectors with normal components: 1/(n−1) Σ (q·k − mean)² over n pairs."""
    queries, keys = rng.standard_normal((2, pairs, dim))
    return float(np.var(np.vecdot(queries, keys), ddof=1))


def hopfield_1982(rng: np.random.Generator, neurons: int, patterns: int, whole: bool) -> float:
    """The share of neurons of 0 and 1 that turn at a stored pattern, in 200 networks; or of patterns where none does.

    T_ij = Σ_s (2V_i − 1)(2V_j − 1) for i ≠ j, and V_i ← 1 where Σ_j T_ij V_j > 0, 0 where it is below. A neuron with
    the field 0 stays as it is. whole: whether patterns are counted, instead of neurons.
    """
    states = rng.integers(0, 2, (200, patterns, neurons)).astype(float)
    signs = 2 * states - 1
    couplings = signs.mT @ signs * (1 - np.eye(neurons))
    wrong = (states @ couplings) * signs < 0
    return float(np.mean(~wrong.any(axis=2)) if whole else np.mean(wrong))


def stable_patterns(rng: np.random.Generator, neurons: int, patterns: int, rule: str) -> float:
    """The share of random ±1 patterns that are fixed points of sign(W x), W from a learning rule."""
    stored = rng.choice([-1.0, 1.0], (patterns, neurons))
    fields = stored @ np.asarray(rules[rule](stored)).mT
    return float(np.mean(np.all(fields * stored > 0, axis=1)))


def spin_glass(rng: np.random.Generator, neurons: int, minima: bool) -> float:
    """All states of 200 spin glasses with normal couplings of variance 1/N: log(mean number of metastable states)/N.

    minima: False gives the mean of the least energy of a neuron instead, E/N = −½ Σ_ij J_ij σ_i σ_j / N.
    """
    bits = np.arange(2 ** (neurons - 1))[:, None] >> np.arange(neurons)  # the last one is down: a state and its reverse
    states = np.where(bits & 1, 1.0, -1.0)
    found = []
    for _ in range(200):
        couplings = np.triu(rng.standard_normal((neurons, neurons)) / np.sqrt(neurons), 1)
        aligned = states * (states @ (couplings + couplings.T))
        found.append(2 * np.sum(np.all(aligned > 0, axis=1)) if minima else -aligned.sum(axis=1).max() / 2 / neurons)
    return float(np.log(np.mean(found)) / neurons if minima else np.mean(found))


def longest_cycle(rng: np.random.Generator, neurons: int, states: int) -> float:
    """The longest cycle that random states end in under x ← sign(W x), W symmetric with normal entries."""
    couplings = rng.standard_normal((neurons, neurons))
    couplings += couplings.T
    x = rng.choice([-1.0, 1.0], (states, neurons))
    for _ in range(50 * neurons):  # longer than any transient that was seen
        x = np.where(x @ couplings > 0, 1.0, -1.0)
    length, start = np.zeros(states), x
    for step in range(1, 101):
        x = np.where(x @ couplings > 0, 1.0, -1.0)
        length = np.where((length == 0) & np.all(x == start, axis=1), step, length)
    return float(length.max() if length.all() else np.inf)


def random_features(rng: np.random.Generator, features: int, orthogonal: bool) -> float:
    """The mean squared error of exp(q·k) by positive random features, relative to exp(2 q·k), over 4,000 draws.

    q and k have 16 components each of which is 1/8: |q + k|² = 1.
    """
    vector = np.full(16, 1 / 8)
    seeds = rng.integers(2**31, size=4000)
    made = (
        RandomFeatures(features, rng=int(seed), orthogonal=orthogonal).kernel(vector, vector[None])[0] for seed in seeds
    )
    return float(np.mean((np.array([*made]) / np.exp(vector @ vector) - 1) ** 2))


def margin(rng: np.random.Generator, name: str, parameters: dict[str, float]) -> float:
    """The least lead of one of five scores over all others at which a separation gives it all the weight.

    By bisection between leads of 0 and 100, at four other scores that are drawn and end at 0.
    """
    separation = separations[name](**parameters)
    others = np.sort(rng.standard_normal(4))
    others -= others[-1]
    low, high = 0.0, 100.0
    while high - low > 1e-9:
        lead = (low + high) / 2
        whole = separation.weights(np.append(others, lead))[-1] > 1 - 1e-12
        low, high = (low, lead) if whole else (lead, high)
    return high


def dense_turns(rng: np.random.Generator, neurons: int, patterns: int, n: int) -> float:
    """The share of neurons of 20 stored patterns whose turn lowers −Σ [ξ·x]₊ⁿ."""
    stored = rng.choice([-1.0, 1.0], (patterns, neurons))
    found = []
    for state in stored[:20]:
        # A turn takes 2 from the scores of the patterns that agree at the neuron, and adds 2 to those of the others.
        less, same, more = (np.maximum(stored @ state + change, 0) ** n for change in (-2, 0, 2))
        found.append(np.sum(less + more) + state * (stored.T @ (less - more)) > 2 * np.sum(same))
    return float(np.mean(found))


def sequence_errors(rng: np.random.Generator, neurons: int, patterns: int, n: int) -> float:
    """The share of wrong neurons over all steps of a closed sequence: sign Σ_μ ξ_i^{μ+1} m^n, m without the neuron.

    m is N − 1 times the overlap, so that sums are whole numbers, and a sum of exactly 0 leaves the neuron as it is.
    """
    stored = rng.choice([-1.0, 1.0], (patterns, neurons))
    own = stored[:, None, :] * stored  # step, pattern, neuron
    m = own.sum(axis=2, keepdims=True) - own
    following = np.roll(stored, -1, axis=0)
    return float(np.mean(np.sum(m**n * following, axis=1) * following < 0))


def distance_gain(rng: np.random.Generator, neurons: int, patterns: int, activity: float, noise: float) -> float:
    """The share of cues whose nearest pattern is their own, less that of cues whose largest dot product is its.

    Patterns are of 0 and 1; each is a cue with Gaussian noise. The nearest one has the largest x·ξ − ½|ξ|².
    """
    stored = (rng.random((patterns, neurons)) < activity).astype(float)
    dots = (stored + noise * rng.standard_normal(stored.shape)) @ stored.mT
    both = (dots - np.vecdot(stored, stored) / 2, dots)
    near, large = (np.mean(scores.argmax(axis=1) == np.arange(patterns)) for scores in both)
    return float(near - large)


def update_bound(rng: np.random.Generator, contraction: bool) -> float:
    """The largest part of its bound that one update of a softmax memory has, over 10,000 random instances.

    An instance has 2 to 10 patterns on a sphere, β from .1 to 100 and a cue at a distance of up to .3 M. The error is
    that from the pattern (theorem 5); contraction: that from the fixed point, for each unit of the cue's (theorem 4).
    """
    largest = 0.0
    for _ in range(40):
        stored = vectors.unit(rng.standard_normal((250, int(rng.integers(2, 11)), int(rng.integers(2, 17)))))
        beta, damage = 10 ** rng.uniform(-1, 2), rng.uniform(0, 0.3)
        meant = stored[:, :1]
        cues = meant + damage * vectors.unit(rng.standard_normal(meant.shape))
        rest = meant
        for _ in range(100):
            rest = SOFTMAX.weights(beta * rest @ stored.mT) @ stored
        after = SOFTMAX.weights(beta * cues @ stored.mT) @ stored
        away, error = (
            np.linalg.norm(x, axis=2)[:, 0] for x in (rest - meant, after - (rest if contraction else meant))
        )
        reach = np.maximum(away, damage)
        if contraction:
            error = error / np.linalg.norm(cues - rest, axis=2)[:, 0]
        bound = theory.contraction_bound if contraction else theory.retrieval_bound
        bounds = [bound(patterns, beta, r)[0] for patterns, r in zip(stored, reach, strict=True)]
        largest = max(largest, float(np.max(error / bounds)))
    return largest


def sphere_stored(rng: np.random.Generator, dim: int, scale: float, patterns: int) -> float:
    """The share of 200 sets of random patterns of length K √(d − 1) of which every one has a fixed point of its own.

    It is the state after 100 updates from the pattern at β = 1, nearer to it than half of the smallest distance.
    """
    stored = scale * np.sqrt(dim - 1) * vectors.unit(rng.standard_normal((200, patterns, dim)))
    rest = stored
    for _ in range(100):
        rest = SOFTMAX.weights(rest @ stored.mT) @ stored
    apart = np.linalg.norm(stored[:, :, None] - stored[:, None], axis=-1) + 1e9 * np.eye(patterns)
    moved = np.linalg.norm(rest - stored, axis=-1)
    return float(np.mean(np.all(moved < apart.min(axis=(1, 2))[:, None] / 2, axis=1)))


def exactly_recalled(rng: np.random.Generator, alpha: float, margin: float, damage: float) -> float:
    """The share of 200 patterns that one step of a sparse memory gives to the last digits.

    Eight patterns are on the unit sphere in 12 dimensions. β has margin · 1/(α − 1)/β + 2 · damage = Δ_i, and the cue
    is so far from the pattern, towards its rival.
    """
    found = []
    for _ in range(200):
        apart = theory.margins(vectors.unit(rng.standard_normal((8, 12))))
        i = int(np.argmax(apart.delta))
        beta = margin / (alpha - 1) / (apart.delta[i] - 2 * damage)
        cue = apart.patterns[i] + damage * vectors.unit(apart.patterns[apart.rival[i]] - apart.patterns[i])
        weights = separations["entmax"](**{"alpha": alpha}).weights(beta * apart.patterns @ cue)
        found.append(weights[i] > 1 - 1e-12)
    return float(np.mean(found))


def sparse_error(rng: np.random.Generator, lead: float) -> float:
    """The largest error of one step of a sparsemax memory in units of that of a softmax memory, over 300 cues.

    Three patterns are on a circle, at −.5, 0 and .5 rad, and βΔ of the middle one is `lead`. The cues are in the ball
    about it whose radius is half of the smallest distance. The result is infinite unless each memory recalls all of
    them to one state in this ball, as it is with a stored pattern.
    """
    angle = np.array([0.0, 0.5, -0.5])
    patterns = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    beta, radius = lead / (1 - np.cos(0.5)), np.linalg.norm(patterns[1] - patterns[0]) / 2
    cues = patterns[0] + 0.999 * radius * np.sqrt(rng.random((300, 1))) * vectors.unit(rng.standard_normal((300, 2)))
    errors = []
    for memory in (memories.sparse(patterns, beta=beta, alpha=2), memories.modern(patterns, beta=beta)):
        rest = memory.recall(cues, max_steps=20_000).state
        if np.ptp(rest, axis=0).max() > 1e-6 or np.linalg.norm(rest[0] - patterns[0]) > radius:
            return np.inf
        errors.append(np.linalg.norm(memory.step(cues) - patterns[0], axis=1))
    return float(np.max(errors[0] / errors[1]))


def ball_recalled(rng: np.random.Generator, part: float) -> float:
    """The share of cues in balls of radius Δ about 20 patterns that log-sum-ReLU gives back, β = 2/(r − Δ)².

    The patterns are in the plane, and r is their smallest distance. part: Δ/r. 50 cues are uniform in each ball.
    """
    patterns = rng.standard_normal((20, 2))
    closest = float(theory.margins(patterns).distance.min())
    memory = memories.log_sum_relu(patterns, beta=2 / (closest * (1 - part)) ** 2)
    radius = part * closest * np.sqrt(rng.random((20, 50, 1)))
    cues = patterns[:, None] + radius * vectors.unit(rng.standard_normal((20, 50, 2)))
    ended = np.asarray(memory.recall(cues.reshape(-1, 2), max_steps=200).state).reshape(cues.shape)
    return float(np.mean(np.all(np.abs(ended - patterns[:, None]) < 1e-9, axis=2)))


def moved_mean(rng: np.random.Generator) -> float:
    """How far a step of log-sum-ReLU moves the mean of the patterns near 1.2, for patterns 1, 2, 2.3 and a range .9."""
    memory = memories.log_sum_relu(np.array([[1.0], [2.0], [2.3]]), beta=2 / 0.9**2)
    mean = memory.step(np.array([[1.2]]))
    return float(np.abs(np.asarray(memory.step(mean)) - mean)[0, 0])
