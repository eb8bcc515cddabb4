"""One sweep of asynchronous updates, compared with a plain loop over neurons and with a single matrix product."""

from collections.abc import Iterator
from functools import partial

import numpy as np

import hopattn as ha
from benchmarks.measuring import Measured, Options, Row, Target, Times, Wrong, interleaved, measured_row, ratio
from hopattn.dynamics.updates.asynchronous import aligned

NEURONS, PATTERNS, CUES = 4000, 300, 128
LOOP_CUES = 2
"""The number of cues for which the loop is timed."""
DENSE_NEURONS, DENSE_PATTERNS = 2000, 5000
TRIED_NEURONS = 20
"""The number of neurons for which the energies are evaluated."""
FLIPPED = 0.15
"""The probability that a neuron of a cue is flipped."""


def rows(options: Options) -> Iterator[Row]:
    """The ratios loop / sweep, sweep / product and recall / sweep; for the dense memory, energies / sweep."""
    size = f"{NEURONS:,} neurons, {PATTERNS} patterns, {CUES} cues"
    times: Times = {}
    yield measured_row(f"neuron by neuron / sweep, {size}", Target("≥", 18), partial(_loop_over_sweep, times, options))
    yield measured_row(f"sweep / product W·S, {size}", Target("≤", 7), partial(ratio, times, "hopattn", "product W·S"))
    yield measured_row(
        f"recall of one sweep / sweep, {size}", Target("≤", 1.3), partial(ratio, times, "hopattn", "sweep")
    )
    dense = f"{DENSE_NEURONS:,} neurons, {DENSE_PATTERNS:,} patterns, one cue"
    yield measured_row(f"energies by definition / dense sweep, {dense}", Target("≥", 20), partial(_dense, options))


def _loop_over_sweep(times: Times, options: Options) -> Measured:
    """The ratio loop / sweep; fills `times`, so that the next row compares the same sweeps with the product."""
    patterns, cues, rng = _random_cues(NEURONS, PATTERNS, CUES)
    network, order = ha.hopfield(patterns), rng.permutation(NEURONS)
    couplings = np.asarray(network.couplings)
    whole_numbers, states, product = np.rint(NEURONS * couplings), cues.T.copy(), np.empty((NEURONS, CUES))
    update = ha.Asynchronous(order=order)

    def loop(matrix: np.ndarray) -> np.ndarray:
        updated = cues[:LOOP_CUES].copy()
        for state in updated:
            for i in order:
                field = matrix[i] @ state
                state[i] = np.sign(field) if field else state[i]
        return updated

    _same_spins(loop(whole_numbers), network.recall(cues, update=update, max_steps=1).state[:LOOP_CUES])
    works = {
        "loop": lambda: loop(couplings),
        "hopattn": lambda: network.recall(cues, update=update, max_steps=1),
        "sweep": lambda: network.single_neuron_states(cues).sweep(np.asarray(order), aligned),
        "product W·S": lambda: np.matmul(couplings, states, out=product),
    }
    times.update(interleaved(works, options))
    return ratio(times, "loop", "hopattn", parts=CUES / LOOP_CUES)


def _dense(options: Options) -> Measured:
    patterns, cues, rng = _random_cues(DENSE_NEURONS, DENSE_PATTERNS, 1)
    memory, order = ha.dense(patterns, n=3), rng.permutation(DENSE_NEURONS)
    update = ha.Asynchronous(order=order)

    def energy(state: np.ndarray) -> float:
        return -float((np.maximum(patterns @ state, 0) ** 3).sum()) / 3

    def by_definition() -> np.ndarray:
        state: np.ndarray = cues[0].copy()
        for i in order[:TRIED_NEURONS]:
            up, down = state.copy(), state.copy()
            up[i], down[i] = 1, -1
            state = up if energy(up) < energy(down) else down
        return state

    swept = memory.recall(cues[0], update=update, max_steps=1).state
    tried = order[:TRIED_NEURONS]  # each neuron is updated once, so the first ones stay as they are after their update
    _same_spins(by_definition()[tried], swept[tried])
    works = {
        "energies": by_definition,
        "hopattn": lambda: memory.recall(cues[0], update=update, max_steps=1),
    }
    return ratio(interleaved(works, options), "energies", "hopattn", parts=DENSE_NEURONS / TRIED_NEURONS)


def _random_cues(neurons: int, n_patterns: int, n_cues: int) -> tuple[np.ndarray, np.ndarray, np.random.Generator]:
    """Spin patterns, cues (the first patterns with flipped neurons), and the generator that drew them."""
    rng = np.random.default_rng(0)
    patterns = rng.choice([-1.0, 1.0], (n_patterns, neurons))
    cues = patterns[:n_cues] * rng.choice([-1.0, 1.0], (n_cues, neurons), p=[FLIPPED, 1 - FLIPPED])
    return patterns, cues, rng


def _same_spins(ours: np.ndarray, theirs: np.ndarray) -> None:
    if not np.array_equal(ours, theirs):
        raise Wrong(f"{int((ours != theirs).sum())} of {ours.size} spins differ")
