"""One sweep of asynchronous updates, compared with a plain loop over neurons and with a single matrix product."""

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

import hopattn as ha
from benchmarks.measuring import Measured, Options, Row, Target, Times, Wrong, interleaved, measured_row, ratio
from hopattn.dynamics.updates.base import StepContext, Update

NEURONS, PATTERNS, CUES = 4000, 300, 128
LOOP_CUES = 2
"""The number of cues for which the loop is timed."""
DENSE_NEURONS, DENSE_PATTERNS = 2000, 5000
TRIED_NEURONS = 20
"""The number of neurons for which the energies are evaluated."""
FLIPPED = 0.15
"""The probability that a neuron of a cue is flipped."""


TEMPERATURE = 0.1
"""The temperature of Glauber's update."""


def rows(options: Options) -> Iterator[Row]:
    """The ratios loop / sweep and sweep / product, recall / sweep; for the dense memory, energies / sweep."""
    size, kernels = f"{NEURONS:,} neurons, {PATTERNS} patterns, {CUES} cues", options.setting.words
    compiled, problem = options.setting.compiled, _Problem()
    least = Target("≥", 35 if compiled else 18), Target("≥", 28) if compiled else None
    work = f"neuron by neuron / sweep, {size}, {kernels}"
    yield measured_row(work, least[0], partial(problem.loop_over_sweep, 0.0, options))
    work = f"sweep / product W·S, {size}, {kernels}"
    yield measured_row(work, Target("≤", 7), lambda: ratio(problem.times, "sweep", "product W·S"))
    work = f"recall of one sweep / sweep, {size}, {kernels}"
    yield measured_row(work, Target("≤", 1.3), lambda: ratio(problem.times, "recall", "sweep"))
    work = f"neuron by neuron / Glauber's sweep, {size}, {kernels}"
    yield measured_row(work, least[1], partial(problem.loop_over_sweep, TEMPERATURE, options))
    dense = f"{DENSE_NEURONS:,} neurons, {DENSE_PATTERNS:,} patterns, one cue, {kernels}"
    yield measured_row(f"energies by definition / dense sweep, {dense}", Target("≥", 20), partial(_dense, options))


class _Problem:
    """A network of Hebb's rule, damaged patterns and an order of its neurons, with the times of the last comparison."""

    def __init__(self) -> None:
        patterns, self.cues, rng = _random_cues(NEURONS, PATTERNS, CUES)
        self.network, self.order = ha.memories.hopfield(patterns), rng.permutation(NEURONS)
        self.times: Times = {}

    def loop_over_sweep(self, temperature: float, options: Options) -> Measured:
        """The ratio loop / sweep; keeps the times of sweep, recall and product beside it."""
        couplings = np.asarray(self.network.couplings)
        states, product = self.cues.T.copy(), np.empty((NEURONS, CUES))
        update = ha.Glauber(temperature) if temperature else ha.Asynchronous(order=self.order)
        _same_spins(self._loop(np.rint(NEURONS * couplings), NEURONS * temperature), self._sweep(update)[:LOOP_CUES])
        works = {
            "loop": lambda: self._loop(couplings, temperature),
            "sweep": lambda: self._sweep(update),
            "recall": lambda: self.network.recall(self.cues, update=update, max_steps=1),
            "product W·S": lambda: np.matmul(couplings, states, out=product),
        }
        self.times = interleaved(works, options)
        return ratio(self.times, "loop", "sweep", parts=CUES / LOOP_CUES)

    def _sweep(self, update: Update) -> np.ndarray:
        rng = np.random.default_rng(0)
        context = StepContext(0, rng, tuple(rng.spawn(CUES)))
        neurons = self.network._single_neuron_states(self.cues)
        if isinstance(update, ha.Glauber):
            neurons.sweep(rng.permutation(NEURONS), update.limits(context, NEURONS))
        else:
            neurons.sweep(self.order)
        return neurons.states

    def _loop(self, matrix: np.ndarray, temperature: float) -> np.ndarray:
        """The states of the first cues after a sweep, one neuron after the other."""
        rng = np.random.default_rng(0)
        own, order = rng.spawn(CUES)[:LOOP_CUES], rng.permutation(NEURONS) if temperature else self.order
        updated = self.cues[:LOOP_CUES].copy()
        for state, each in zip(updated, own, strict=True):
            draws = each.random(NEURONS) if temperature else None
            for i in order:
                field = matrix[i] @ state
                if draws is None:
                    state[i] = np.sign(field) if field else state[i]
                else:
                    state[i] = 1.0 if draws[i] < 0.5 * (1 + math.tanh(field / temperature)) else -1.0
        return updated


def _dense(options: Options) -> Measured:
    patterns, cues, rng = _random_cues(DENSE_NEURONS, DENSE_PATTERNS, 1)
    memory, order = ha.memories.dense(patterns, n=3), rng.permutation(DENSE_NEURONS)
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
