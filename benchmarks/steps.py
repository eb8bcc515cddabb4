"""Several steps against one, a small step against its bare expression, and the usual ways of taking a step."""

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

import hopattn as ha
from benchmarks.measuring import Measured, Options, Row, Skip, Target, attempted, interleaved, ratio, required
from benchmarks.plain import Size, agree, drawn, memory_of, named, refereed, softmax_step

SIZE: Size = (4096, 4096, 64)
SMALL: Size = (16, 1, 8)
STEPS = 5
BETA = 0.04
"""At which these cues all come to rest in so many steps, at the mean of all patterns."""
CALLS = 500
"""How many small steps are timed together."""


def rows(options: Options) -> Iterator[Row]:
    """Recall over step; small step over expression; NumPy and SciPy over step."""
    recall = f"recall of {STEPS} steps / step, {named(SIZE)}"
    yield attempted(recall, Target("≤", 5.5), partial(_several, options))
    yield attempted(f"step / bare NumPy, {named(SMALL)}", Target("≤", 3), partial(_small, options))
    yield attempted(f"plain NumPy / step, {named(SIZE)}", None, partial(_usual, "NumPy", options))
    yield attempted(f"scipy.special.softmax / step, {named(SIZE)}", None, partial(_usual, "SciPy", options))


def _several(options: Options) -> Measured:
    keys, cues = drawn(SIZE)
    memory = ha.Memory(keys, beta=BETA)
    found, expected = memory.recall(cues, max_steps=STEPS), cues
    if not ((found.steps == STEPS).all() and found.converged.all()):
        raise Skip(f"not all cues came to rest at step {STEPS}")
    for _ in range(STEPS):
        expected = memory.step(expected)
    agree(found.state, expected)
    works = {"recall": lambda: memory.recall(cues, max_steps=STEPS), "step": lambda: memory.step(cues)}
    return ratio(interleaved(works, options), "recall", "step")


def _small(options: Options) -> Measured:
    keys, cues = drawn(SMALL)
    cue, memory, beta = cues[0], memory_of(keys), 1 / math.sqrt(keys.shape[1])

    def bare() -> np.ndarray:
        scores = beta * (keys @ cue)
        weights = np.exp(scores - scores.max())
        return np.asarray((weights / weights.sum()) @ keys)

    def many(step: Callable[[], object]) -> None:
        for _ in range(CALLS):
            step()

    agree(memory.step(cue), bare())
    ours, theirs = f"hopattn × {CALLS}", f"NumPy × {CALLS}"
    works = {ours: lambda: many(lambda: memory.step(cue)), theirs: lambda: many(bare)}
    return ratio(interleaved(works, options), ours, theirs)


def _usual(way: str, options: Options) -> Measured:
    keys, cues = drawn(SIZE)
    memory, beta = memory_of(keys), 1 / math.sqrt(keys.shape[1])
    refereed(memory, keys, cues)
    if way == "NumPy":
        works = {way: lambda: softmax_step(keys, cues)}
    else:
        softmax = required("scipy.special").softmax
        works = {way: lambda: softmax(cues @ keys.T * beta, axis=-1) @ keys}
    agree(works[way](), memory.step(cues))
    return ratio(interleaved({**works, "hopattn": lambda: memory.step(cues)}, options), way, "hopattn")
