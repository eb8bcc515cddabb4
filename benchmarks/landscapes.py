"""All states of a small network: their energies and the exact basins, compared with a plain loop over states."""

import statistics
from collections.abc import Iterator
from functools import partial

import numpy as np

import hopattn as ha
from benchmarks.measuring import Measured, Options, Row, Target, Times, Wrong, interleaved, measured_row, ratio

NEURONS, PATTERNS = 16, 3


def rows(options: Options) -> Iterator[Row]:
    """The ratio loop / hopattn, and the seconds of hopattn."""
    size, times = f"{NEURONS} neurons, {2**NEURONS:,} states, {PATTERNS} patterns", dict[str, list[float]]()
    work = f"plain NumPy state by state / energies and exact basins, {size}"
    yield measured_row(work, Target("≥", 5), partial(_ratio, times, options))
    yield measured_row(f"seconds for energies and exact basins, {size}", Target("≤", 0.5), partial(_seconds, times))


def _ratio(times: Times, options: Options) -> Measured:
    patterns = np.random.default_rng(1).choice([-1.0, 1.0], size=(PATTERNS, NEURONS))
    (energies, ends), (ours, basins) = _by_loop(patterns), _all_states(patterns)
    if not np.allclose(energies, ours) or not np.allclose(ends, basins, rtol=1e-12, atol=1e-12):
        raise Wrong("the energies or the probabilities differ")
    works = {"loop": lambda: _by_loop(patterns), "hopattn": lambda: _all_states(patterns)}
    times |= interleaved(works, options)
    return ratio(times, "loop", "hopattn")


def _seconds(times: Times) -> Measured:
    low, middle, high = statistics.quantiles(times["hopattn"], n=4, method="inclusive")
    return Measured(middle, low, high)


def _all_states(patterns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The energies, and the probability of each minimum from each state."""
    whole = ha.landscapes.spin_states(ha.memories.hopfield(patterns))
    return whole.energies, whole.basins("random").probability


def _by_loop(patterns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same, for one state after the other in the order of their energies."""
    couplings = patterns.T @ patterns / NEURONS
    np.fill_diagonal(couplings, 0)
    bits = 1 << np.arange(NEURONS - 1, -1, -1)
    states = np.where(np.arange(2**NEURONS)[:, None] & bits, 1.0, -1.0)
    fields = states @ couplings
    energies = -0.5 * (states * fields).sum(axis=1)
    turns = fields * states < 0
    minima = np.flatnonzero(~turns.any(axis=1))
    ends = np.zeros((len(states), len(minima)))
    ends[minima, np.arange(len(minima))] = 1
    for state in np.argsort(energies, kind="stable"):
        if turns[state].any():
            ends[state] = ends[state ^ bits[turns[state]]].mean(axis=0)
    return energies, ends
