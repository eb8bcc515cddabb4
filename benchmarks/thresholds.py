"""Weights of sparse separations: milliseconds for 256 × 1,024 scores, and times the softmax of the same scores."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks.measuring import Measured, Options, Row, Target, interleaved, measured_row, ratio
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.separation.entmax import Entmax, KSubsets, Normmax, Sparsemax
from hopattn.retrieval.separation.softmax import Softmax

SHAPE = 256, 1024
MOST = {
    "entmax 1.5": (8, 2),
    "entmax 1.3": (60, 2),
    "sparsemax": (8, 2),
    "normmax 2": (10, 2),
    "4 of k-subsets": (20, 2),
}
"""The milliseconds that each may take, with NumPy and compiled."""


def rows(options: Options) -> Iterator[Row]:
    """The time of each separation, in milliseconds, and the ratio to softmax beside it."""
    made: dict[str, Separation] = {
        "entmax 1.5": Entmax(),
        "entmax 1.3": Entmax(alpha=1.3),
        "sparsemax": Sparsemax(),
        "normmax 2": Normmax(),
        "4 of k-subsets": KSubsets(k=4),
    }
    scores = np.random.default_rng(0).normal(size=SHAPE)
    for name, separation in made.items():
        work = f"ms, {name}, 256 × 1,024 scores, {options.setting.words}"
        target = Target("≤", MOST[name][options.setting.compiled])
        yield measured_row(work, target, partial(_milliseconds, name, separation, scores, options))


def _milliseconds(name: str, separation: Separation, scores: np.ndarray, options: Options) -> Measured:
    works = {name: lambda: separation.weights(scores), "softmax": lambda: Softmax().weights(scores)}
    times = interleaved(works, options)
    low, middle, high = np.quantile(np.array(times[name]) * 1e3, (0.25, 0.5, 0.75))
    return Measured(float(middle), float(low), float(high), f"{ratio(times, name, 'softmax').value:.2f} softmaxes")
