"""Softmax retrieval as it is usually written, and the referee that every benchmark of it is checked with."""

import math
from typing import Any

import numpy as np

import hopattn as ha
from benchmarks.measuring import Wrong

Size = tuple[int, int, int]
"""How many patterns, how many cues, their dim."""
SIZES: tuple[Size, ...] = ((4096, 4096, 64), (16384, 2048, 64), (65536, 1024, 128), (4096, 4096, 384))
TOLERANCE = 1e-4
REFEREED = 16
"""How many cues the referee looks at."""
BLOCK = 8192
"""How many patterns the referee looks at together."""


def drawn(size: Size, dtype: str = "float32") -> tuple[np.ndarray, np.ndarray]:
    """Keys `(n_patterns, dim)` and cues `(n_cues, dim)`, normal numbers."""
    n_patterns, n_cues, dim = size
    rng = np.random.default_rng(0)
    keys, cues = (rng.standard_normal((n, dim), dtype="float32").astype(dtype) for n in (n_patterns, n_cues))
    return keys, cues


def named(size: Size) -> str:
    """A size as the table shows it: patterns × cues × dim."""
    return " × ".join(f"{number:,}" for number in size)


def memory_of(keys: np.ndarray) -> ha.Memory:
    """The memory whose step is attention: β = 1/√dim."""
    return ha.Memory(keys, beta=1 / math.sqrt(keys.shape[1]))


def softmax_step(keys: np.ndarray, cues: np.ndarray) -> np.ndarray:
    """The bare expression in NumPy, whole matrices at once."""
    scores = cues @ keys.T * (1 / math.sqrt(keys.shape[1]))
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True) @ keys)


def referee(keys: np.ndarray, cues: np.ndarray) -> np.ndarray:
    """The same in float64, over blocks of keys, so that keys may lie in a file."""
    beta, wide = 1 / math.sqrt(keys.shape[1]), cues.astype("float64")
    blocks = range(0, len(keys), BLOCK)
    largest = np.max([(wide @ keys[i : i + BLOCK].T).max(axis=1) for i in blocks], axis=0)
    total, field = np.zeros((len(cues), 1)), np.zeros(wide.shape)
    for i in blocks:
        block = keys[i : i + BLOCK].astype("float64")
        weights = np.exp(beta * (wide @ block.T - largest[:, None]))
        total, field = total + weights.sum(axis=1, keepdims=True), field + weights @ block
    return field / total


def refereed(memory: ha.Memory, keys: np.ndarray, cues: np.ndarray, found: np.ndarray | None = None) -> None:
    """Raise `Wrong` unless the step of the first and the last cues is what the referee says."""
    rows = np.r_[:REFEREED, -REFEREED:0] if len(cues) > 2 * REFEREED else np.arange(len(cues))
    answers = memory.step(cues) if found is None else found
    agree(answers[rows], referee(keys, cues[rows]))


def agree(ours: Any, theirs: Any) -> None:
    """Raise `Wrong` unless two arrays agree, relative to the largest entry."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    apart = float(np.abs(ours - theirs).max() / np.abs(theirs).max()) if ours.shape == theirs.shape else math.inf
    if not apart <= TOLERANCE:
        raise Wrong(f"the two sides are {apart:.1e} apart, and may be {TOLERANCE:g}")
