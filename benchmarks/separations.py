"""The weights of sparse separations, in milliseconds, and beside the weights of the softmax of the same scores."""

import statistics
from collections.abc import Iterator
from functools import partial

import numpy as np

import hopattn as ha
from benchmarks.measuring import Measured, Options, Row, Target, Wrong, duration, interleaved, measured_row
from hopattn.retrieval.separation.base import Separation

CUES, PATTERNS = 256, 1024
CHECKED = 8
"""The number of first cues whose weights are checked by halving."""
TARGETS = {"entmax 1.5": 8.0, "entmax 1.3": 60.0, "sparsemax": 8.0, "k-subsets 4": 20.0, "normmax 2": 5.0}


def rows(options: Options) -> Iterator[Row]:
    """The milliseconds of the weights of each separation."""
    for name, most in TARGETS.items():
        work = f"{name}, weights of {CUES} × {PATTERNS:,} scores, ms"
        yield measured_row(work, Target("≤", most), partial(_weights, name, options))


def _weights(name: str, options: Options) -> Measured:
    scores = np.random.default_rng(0).normal(size=(CUES, PATTERNS))
    separation, softmax = _made(name), ha.separations["softmax"]()
    difference = float(np.abs(separation.weights(scores[:CHECKED]) - _by_halving(name, scores[:CHECKED])).max())
    if not difference <= 1e-12:
        raise Wrong(f"the weights are {difference:.1e} from those of halving")
    times = interleaved({name: lambda: separation.weights(scores), "softmax": lambda: softmax.weights(scores)}, options)
    low, middle, high = (1e3 * each for each in statistics.quantiles(times[name], n=4, method="inclusive"))
    return Measured(middle, low, high, "; ".join(f"{work} {duration(taken)}" for work, taken in times.items()))


def _made(name: str) -> Separation:
    kind, _, number = name.partition(" ")
    parameters = {"entmax": "alpha", "normmax": "alpha", "k-subsets": "k"}
    given = {parameters[kind]: int(number) if kind == "k-subsets" else float(number)} if number else {}
    return ha.separations[kind.replace("-", "_")](**given)


def _by_halving(name: str, scores: np.ndarray) -> np.ndarray:
    """The weights by a hundred halvings over all scores, `(n_cues, n_patterns)`."""
    kind, _, number = name.partition(" ")
    alpha = float(number) if kind in ("entmax", "normmax") else 2.0
    top, total = (np.inf, 1.0) if kind != "k-subsets" else (1.0, float(number))
    scaled = (alpha - 1 if kind == "entmax" else 1.0) * (scores - scores.max(axis=1, keepdims=True))
    power = 1 / (alpha - 1)
    degree = power + 1 if kind == "normmax" else power
    low, high = (np.full((len(scores), 1), each) for each in (scaled.min() - 1, 0.0))
    for _ in range(100):
        middle = (low + high) / 2
        above = (np.clip(scaled - middle, 0, top) ** degree).sum(axis=1, keepdims=True) > total
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    weights = np.clip(scaled - low, 0, top) ** power
    return np.asarray(total * weights / weights.sum(axis=1, keepdims=True))
