"""Simulations of records for which no scenario has a kind: functions of a generator and the record's `given`.

Each gives one number; a record names one in `trial`.
"""

import numpy as np

from hopattn.networks.learning import rules
from hopattn.retrieval.features import RandomFeatures
from hopattn.retrieval.separation import separations


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
    made = (RandomFeatures(features, int(seed), orthogonal).kernel(vector, vector[None])[0] for seed in seeds)
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
