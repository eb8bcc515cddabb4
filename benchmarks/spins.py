"""One sweep of asynchronous updates, against the loop over neurons and against the least that it could cost."""

from collections.abc import Iterator
from functools import partial

import numpy as np

import hopattn as ha
from benchmarks.measuring import Measured, Options, Row, Target, Times, Wrong, attempted, interleaved, ratio

NEURONS, PATTERNS, CUES = 4000, 300, 128
LOOPED = 2
"""How many of the cues the loop is timed on."""
DENSE_NEURONS, DENSE_PATTERNS = 2000, 5000
TRIED = 20
"""How many of the neurons the energies are evaluated for."""
FLIPPED = 0.15


def rows(options: Options) -> Iterator[Row]:
    """Loop over sweep, sweep over product; for the dense memory, energies over sweep."""
    size = f"{NEURONS:,} neurons, {PATTERNS} patterns, {CUES} cues"
    times: Times = {}
    yield attempted(f"neuron by neuron / sweep, {size}", Target("≥", 15), partial(_loop_over_sweep, times, options))
    yield attempted(f"sweep / product W·S, {size}", Target("≤", 7), partial(ratio, times, "hopattn", "product W·S"))
    dense = f"{DENSE_NEURONS:,} neurons, {DENSE_PATTERNS:,} patterns, one cue"
    yield attempted(f"energies by definition / dense sweep, {dense}", Target("≥", 20), partial(_dense, options))


def _loop_over_sweep(times: Times, options: Options) -> Measured:
    """Fills `times`, so that the next row holds the same sweeps against the product."""
    patterns, cues, rng = _drawn(NEURONS, PATTERNS, CUES)
    network, order = ha.hopfield(patterns), rng.permutation(NEURONS)
    couplings = np.asarray(network.couplings)
    whole_numbers, states, product = np.rint(NEURONS * couplings), cues.T.copy(), np.empty((NEURONS, CUES))
    update = ha.Asynchronous(order=order)

    def loop(matrix: np.ndarray) -> np.ndarray:
        found = cues[:LOOPED].copy()
        for state in found:
            for i in order:
                field = matrix[i] @ state
                state[i] = np.sign(field) if field else state[i]
        return found

    _same_spins(loop(whole_numbers), network.recall(cues, update=update, max_steps=1).state[:LOOPED])
    works = {
        "loop": lambda: loop(couplings),
        "hopattn": lambda: network.recall(cues, update=update, max_steps=1),
        "product W·S": lambda: np.matmul(couplings, states, out=product),
    }
    times.update(interleaved(works, options))
    return ratio(times, "loop", "hopattn", parts=CUES / LOOPED)


def _dense(options: Options) -> Measured:
    patterns, cues, rng = _drawn(DENSE_NEURONS, DENSE_PATTERNS, 1)
    memory, order = ha.dense(patterns, n=3), rng.permutation(DENSE_NEURONS)
    update = ha.Asynchronous(order=order)

    def energy(state: np.ndarray) -> float:
        return -float((np.maximum(patterns @ state, 0) ** 3).sum()) / 3

    def by_definition() -> np.ndarray:
        state: np.ndarray = cues[0].copy()
        for i in order[:TRIED]:
            up, down = state.copy(), state.copy()
            up[i], down[i] = 1, -1
            state = up if energy(up) < energy(down) else down
        return state

    found = memory.recall(cues[0], update=update, max_steps=1).state
    tried = order[:TRIED]  # each neuron has one turn, so that these are at the end what their turn made them
    _same_spins(by_definition()[tried], found[tried])
    works = {
        "energies": by_definition,
        "hopattn": lambda: memory.recall(cues[0], update=update, max_steps=1),
    }
    return ratio(interleaved(works, options), "energies", "hopattn", parts=DENSE_NEURONS / TRIED)


def _drawn(neurons: int, n_patterns: int, n_cues: int) -> tuple[np.ndarray, np.ndarray, np.random.Generator]:
    """Patterns of spins, and cues that are the first of them with some neurons flipped."""
    rng = np.random.default_rng(0)
    patterns = rng.choice([-1.0, 1.0], (n_patterns, neurons))
    cues = patterns[:n_cues] * rng.choice([-1.0, 1.0], (n_cues, neurons), p=[FLIPPED, 1 - FLIPPED])
    return patterns, cues, rng


def _same_spins(ours: np.ndarray, theirs: np.ndarray) -> None:
    if not np.array_equal(ours, theirs):
        raise Wrong(f"{int((ours != theirs).sum())} of {ours.size} spins differ")
