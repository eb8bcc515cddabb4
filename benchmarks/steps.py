"""Several steps compared with one, a small step with its plain expression, and a step with plain NumPy and SciPy."""

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

import hopattn as ha
from benchmarks.measuring import Measured, Options, Row, Skip, Target, import_or_skip, interleaved, measured_row, ratio
from benchmarks.plain import Size, check_step, memory_of, random_arrays, require_close, size_label, softmax_step

SIZE: Size = (4096, 4096, 64)
SMALL: Size = (16, 1, 8)
STEPS = 5
BETA = 0.04
"""The β for which all cues converge in `STEPS` steps, to the mean of all patterns."""
CALLS = 500
"""The number of small steps that are timed together."""


def rows(options: Options) -> Iterator[Row]:
    """The ratios recall / step, small step / expression, free energy / step, NumPy / step and SciPy / step."""
    recall = f"recall of {STEPS} steps / step, {size_label(SIZE)}"
    yield measured_row(recall, Target("≤", 5.5), partial(_several, options))
    yield measured_row(f"step / bare NumPy, {size_label(SMALL)}", Target("≤", 3), partial(_small, options))
    yield measured_row(f"free energy / step, {size_label(SIZE)}", None, partial(_free_energy, options))
    yield measured_row(f"plain NumPy / step, {size_label(SIZE)}", None, partial(_usual, "NumPy", options))
    yield measured_row(f"scipy.special.softmax / step, {size_label(SIZE)}", None, partial(_usual, "SciPy", options))


def _several(options: Options) -> Measured:
    keys, cues = random_arrays(SIZE)
    memory = ha.Memory(keys, beta=BETA)
    recall, expected = memory.recall(cues, max_steps=STEPS), cues
    if not ((recall.steps == STEPS).all() and recall.converged.all()):
        raise Skip(f"not all cues came to rest at step {STEPS}")
    for _ in range(STEPS):
        expected = memory.step(expected)
    require_close(recall.state, expected)
    works = {"recall": lambda: memory.recall(cues, max_steps=STEPS), "step": lambda: memory.step(cues)}
    return ratio(interleaved(works, options), "recall", "step")


def _small(options: Options) -> Measured:
    keys, cues = random_arrays(SMALL)
    cue, memory, beta = cues[0], memory_of(keys), 1 / math.sqrt(keys.shape[1])

    def bare() -> np.ndarray:
        scores = beta * (keys @ cue)
        weights = np.exp(scores - scores.max())
        return np.asarray((weights / weights.sum()) @ keys)

    def many(step: Callable[[], object]) -> None:
        for _ in range(CALLS):
            step()

    require_close(memory.step(cue), bare())
    ours, theirs = f"hopattn × {CALLS}", f"NumPy × {CALLS}"
    works = {ours: lambda: many(lambda: memory.step(cue)), theirs: lambda: many(bare)}
    return ratio(interleaved(works, options), ours, theirs)


def _free_energy(options: Options) -> Measured:
    keys, cues = random_arrays(SIZE)
    memory = memory_of(keys)
    logsumexp = import_or_skip("scipy.special").logsumexp
    require_close(memory.free_energy(cues).free, -logsumexp(memory.beta * cues @ keys.T, axis=-1) / memory.beta)
    works = {"free energy": lambda: memory.free_energy(cues), "step": lambda: memory.step(cues)}
    return ratio(interleaved(works, options), "free energy", "step")


def _usual(way: str, options: Options) -> Measured:
    keys, cues = random_arrays(SIZE)
    memory, beta = memory_of(keys), 1 / math.sqrt(keys.shape[1])
    check_step(memory, keys, cues)
    if way == "NumPy":
        works = {way: lambda: softmax_step(keys, cues)}
    else:
        softmax = import_or_skip("scipy.special").softmax
        works = {way: lambda: softmax(cues @ keys.T * beta, axis=-1) @ keys}
    require_close(works[way](), memory.step(cues))
    return ratio(interleaved({**works, "hopattn": lambda: memory.step(cues)}, options), way, "hopattn")
