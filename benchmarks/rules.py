"""Learning rules compared with the least memory traffic that they need."""

from collections.abc import Iterator
from functools import partial

import numpy as np

import hopattn as ha
from benchmarks.measuring import Measured, Options, Row, Target, interleaved, measured_row, ratio
from benchmarks.plain import require_close

NEURONS, PATTERNS = 2000, 200
CHECKED = 3
"""The number of patterns for which the rule is checked against its printed formula."""


def rows(options: Options) -> Iterator[Row]:
    """The time of Storkey's rule over that of one in-place pass through the couplings per pattern."""
    work = f"Storkey / one pass in place a pattern, {NEURONS:,} neurons, {PATTERNS} patterns"
    yield measured_row(work, Target("≤", 4), partial(_storkey, options))


def _storkey(options: Options) -> Measured:
    patterns = np.random.default_rng(0).choice([-1.0, 1.0], (PATTERNS, NEURONS))
    require_close(ha.learning.storkey(patterns[:CHECKED]), _as_printed(patterns[:CHECKED]))
    matrix = np.zeros((NEURONS, NEURONS))

    def passes() -> None:
        for _ in range(PATTERNS):
            np.add(matrix, 1.0, out=matrix)

    works = {"Storkey": lambda: ha.learning.storkey(patterns), "passes": passes}
    return ratio(interleaved(works, options), "Storkey", "passes")


def _as_printed(patterns: np.ndarray) -> np.ndarray:
    """W_ij ← W_ij + (1/N)(ξ_i ξ_j − ξ_i h_ji − h_ij ξ_j), h_ij = Σ_{k≠i,j} W_ik ξ_k, with a zero diagonal."""
    n = patterns.shape[1]
    couplings = np.zeros((n, n))
    for pattern in patterns:
        terms = couplings * pattern
        h = terms.sum(axis=1)[:, None] - np.diag(terms)[:, None] - terms
        couplings += (np.outer(pattern, pattern) - pattern[:, None] * h.T - h * pattern) / n
        np.fill_diagonal(couplings, 0)
    return couplings
