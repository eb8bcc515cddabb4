"""Random named memories for the certificate of descent: their size, load, scale, bias and parameters are drawn.

`DRAWS` draws every parameter of a constructor, so that what all draws guarantee is guaranteed.
"""

from collections.abc import Callable, Collection, Mapping
from inspect import signature
from typing import Any, get_args

import numpy as np

from hopattn.dynamics.recall import AssociativeMemory
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.vectors import unit
from hopattn.learning import rules
from hopattn.memories.models.addressed import Feature
from hopattn.memories.models.card import Card
from hopattn.memories.models.classical import NEURONS, OF_0_AND_1
from hopattn.memories.models.hidden import Visible
from hopattn.retrieval.activation import activations
from hopattn.retrieval.separation import separations
from hopattn.retrieval.separation.base import Competing, Separation
from hopattn.retrieval.separation.softmax import Softmax
from hopattn.retrieval.similarity import similarities

Arguments = Mapping[str, Any]


def random_memory(card: Card, rng: np.random.Generator, given: Collection[str] | None = None) -> AssociativeMemory:
    """A named memory with random size, load and parameters; given: the parameters that are drawn, by default all.

    Arguments that the constructor refuses, such as patterns that a rule cannot learn, are drawn again; after 100
    refusals it raises `InvalidInput`.
    """
    for _ in range(100):
        arguments = DRAWS[card.name](rng)
        chosen = {name: value for name, value in arguments.items() if given is None or name in given}
        try:
            memory: AssociativeMemory = card.build(**chosen)
        except InvalidInput as error:
            reason = error
        else:
            return memory
    raise InvalidInput(f"{card.name}: the arguments of 100 draws are refused: {reason}")


def _shape(rng: np.random.Generator) -> tuple[int, int]:
    """`(n_patterns, N)`: N from 2 to 16 neurons, and about 0.1 N to 3 N patterns, at least one."""
    n = int(rng.integers(2, 17))
    return max(1, round(n * 10 ** rng.uniform(-1, 0.5))), n


def _spins(rng: np.random.Generator) -> np.ndarray:
    """Patterns of ±1 with a random shape and a random probability of +1."""
    return np.where(rng.random(_shape(rng)) < rng.uniform(0.3, 0.7), 1.0, -1.0)


def random_reals(rng: np.random.Generator) -> np.ndarray:
    """Gaussian patterns with a random shape: with equal probability of unit magnitude, or on a random scale."""
    rows = rng.normal(size=_shape(rng)) * 10 ** rng.uniform(-1, 1)
    return np.asarray(unit(rows)) if rng.random() < 0.5 else rows


def _pairs(rng: np.random.Generator, keys: np.ndarray) -> dict[str, Any]:
    """Keys, and in a quarter of the draws Gaussian values of the same shape."""
    return {"keys": keys} if rng.random() < 0.75 else {"keys": keys, "values": rng.normal(size=keys.shape)}


def random_beta(rng: np.random.Generator) -> float:
    """A β from 10⁻² to 10², uniform in its logarithm."""
    return float(10 ** rng.uniform(-2, 2))


def _sink(rng: np.random.Generator, separation: type[Separation] = Softmax) -> float | None:
    """No sink in half of the draws, and where the weights of the separation do not compete; else a Gaussian logit.

    It is drawn apart, so that the other parameters are those of memories without a sink.
    """
    own = rng.spawn(1)[0]
    return float(own.normal(0, 3)) if issubclass(separation, Competing) and own.random() < 0.5 else None


def _learned(rng: np.random.Generator) -> dict[str, Any]:
    others = [rule for rule in rules if rule != "outer_products"]  # N times Hebb's
    rule, patterns = str(rng.choice(others)), _spins(rng)
    has_diagonal = "self_coupling" in signature(rules[rule]).parameters
    if not has_diagonal:  # the perceptron learns few sets near its capacity, and those slowly
        patterns = patterns[: max(1, patterns.shape[1] // 2)]
    return {"patterns": patterns, "rule": rule, "self_coupling": has_diagonal and bool(rng.random() < 0.3)}


def _hopfield(rng: np.random.Generator) -> Arguments:
    learned, activation = _learned(rng), str(rng.choice(NEURONS))
    activation = activation if learned["rule"] in OF_0_AND_1 else "sign"
    if activation == "step":
        learned["patterns"] = (learned["patterns"] + 1) / 2
    threshold = float(rng.spawn(1)[0].normal(0, 0.5))
    bias = float(rng.choice([0.0, rng.normal(0, 0.5)]))
    return {**learned, "activation": activation, "bias": bias, "threshold": 0.0 if bias else threshold}


def _bam(rng: np.random.Generator) -> Arguments:
    left, own = _spins(rng), rng.spawn(1)[0]
    right = rng.choice([-1.0, 1.0], size=(len(left), int(rng.integers(2, 17))))
    activation = str(own.choice(NEURONS))
    if activation == "step":
        left, right = (left + 1) / 2, (right + 1) / 2
    return {"left": left, "right": right, "activation": activation, "rule": "hebb"}


def _universal(rng: np.random.Generator) -> Arguments:
    similarity = "dot" if rng.random() < 0.5 else str(rng.choice([*similarities]))
    separation, activation = str(rng.choice([*separations])), str(rng.choice([*activations]))
    names = {"similarity": similarity, "separation": separation, "activation": activation}
    given = {**_pairs(rng, random_reals(rng) / 4), **names, "beta": random_beta(rng)}
    return {**given, "sink": _sink(rng, separations[separation])}


def _sdm(rng: np.random.Generator) -> Arguments:
    addresses = _spins(rng)
    values = rng.choice([-1.0, 1.0], size=addresses.shape)
    n, own = addresses.shape[1], rng.random() < 0.7
    drawn = {"addresses": addresses, "values": values, "radius": int(rng.integers(0 if own else n // 2, n + 1))}
    return drawn if own else {**drawn, "locations": int(rng.integers(30, 60)), "rng": int(rng.integers(100))}


def _linear(rng: np.random.Generator) -> Arguments:
    feature_map = "identity" if rng.random() < 0.5 else str(rng.choice(get_args(Feature)))
    normalise = feature_map != "identity" and bool(rng.random() < 0.5)
    return {**_pairs(rng, random_reals(rng) / 4), "feature_map": feature_map, "normalise": normalise}


def _delta(rng: np.random.Generator) -> Arguments:
    shape = _shape(rng)
    pairs = {"keys": rng.normal(size=shape), "values": rng.normal(size=shape)}
    return {**pairs, "rate": float(rng.uniform(0.1, 1.9)), "sweeps": int(rng.integers(1, 4))}


def _k_subsets(rng: np.random.Generator) -> Arguments:
    rows = random_reals(rng)
    return {"patterns": rows, "k": int(rng.integers(1, len(rows) + 1)), "beta": random_beta(rng)}


def _spherical(rng: np.random.Generator) -> Arguments:
    name = rng.choice([*separations])
    given = {"patterns": random_reals(rng), "separation": str(name), "beta": random_beta(rng)}
    return {**given, "sink": _sink(rng, separations[str(name)])}


def _input_driven(rng: np.random.Generator) -> Arguments:
    rows = _spins(rng)
    own = {"beta": random_beta(rng), "self_coupling": bool(rng.random() < 0.7)}
    return {"patterns": rows, "input": rng.normal(size=len(rows)) @ rows, **own}


def _log_sum_relu(rng: np.random.Generator) -> Arguments:
    """Patterns with a β whose range is of the size of their distances, so that some are near a state."""
    rows = random_reals(rng)
    return {"patterns": rows, "beta": random_beta(rng) / float(np.mean(rows * rows) * rows.shape[1]), "epsilon": 1e-6}


def _random_features(rng: np.random.Generator) -> Arguments:
    drawn = {"n": int(rng.integers(1, 200)), "orthogonal": bool(rng.random() < 0.5), "rng": int(rng.integers(100))}
    return {"patterns": random_reals(rng) / 4, "beta": random_beta(rng), **drawn}


DRAWS: dict[str, Callable[[np.random.Generator], Arguments]] = {
    "hopfield": _hopfield,
    "graded": lambda rng: {**_learned(rng), "beta": random_beta(rng)},
    "bam": _bam,
    "dense": lambda rng: {"patterns": _spins(rng), "n": int(rng.integers(2, 8)), "rectified": bool(rng.random() < 0.7)},
    "exponential": lambda rng: {"patterns": _spins(rng), "beta": float(10 ** rng.uniform(-2, 0.5))},
    "sequence": lambda rng: {"patterns": _spins(rng), "n": int(rng.integers(2, 6)), "cyclic": bool(rng.random() < 0.7)},
    "modern": lambda rng: {"patterns": random_reals(rng), "beta": random_beta(rng), "sink": _sink(rng)},
    "sparse": lambda rng: {
        "patterns": random_reals(rng),
        "alpha": float(12 ** rng.random()),
        "beta": random_beta(rng),
        "sink": _sink(rng),
    },
    "normmax": lambda rng: {
        "patterns": random_reals(rng),
        "alpha": float(1 + 10 ** rng.uniform(-1, 1)),
        "beta": random_beta(rng),
        "sink": _sink(rng),
    },
    "k_subsets": _k_subsets,
    "spherical": _spherical,
    "input_driven": _input_driven,
    "log_sum_relu": _log_sum_relu,
    "random_features": _random_features,
    "threshold_layer": lambda rng: {
        "patterns": random_reals(rng),
        "threshold": float(rng.uniform(-0.2, 1)),
        "activation": str(rng.choice(get_args(Visible))),
    },
    "nearest": lambda rng: _pairs(rng, random_reals(rng)),
    "universal": _universal,
    "sdm": _sdm,
    "linear": _linear,
    "delta": _delta,
}
"""Random arguments for each named memory, by its name."""
