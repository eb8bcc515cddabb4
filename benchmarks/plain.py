"""Softmax retrieval in plain NumPy, and the reference result that checks every benchmark of it."""

import math
from typing import Any

import numpy as np

import hopattn as ha
from benchmarks.measuring import Wrong

Size = tuple[int, int, int]
"""The number of patterns, the number of cues, and their dim."""
SIZES: tuple[Size, ...] = ((4096, 4096, 64), (16384, 2048, 64), (65536, 1024, 128), (4096, 4096, 384))
TOLERANCE = 1e-4
CHECKED = 16
"""The number of first cues, and of last cues, that are checked."""
BLOCK = 8192
"""The number of patterns in a block of the reference computation."""


def random_arrays(size: Size, dtype: str = "float32") -> tuple[np.ndarray, np.ndarray]:
    """Gaussian keys `(n_patterns, dim)` and cues `(n_cues, dim)`."""
    n_patterns, n_cues, dim = size
    rng = np.random.default_rng(0)
    keys, cues = (rng.standard_normal((n, dim), dtype="float32").astype(dtype) for n in (n_patterns, n_cues))
    return keys, cues


def size_label(size: Size) -> str:
    """A size as text for the table: patterns × cues × dim."""
    return " × ".join(f"{number:,}" for number in size)


def memory_of(keys: np.ndarray) -> ha.Memory:
    """A softmax memory with β = 1/√dim: its step is attention."""
    return ha.Memory(keys, beta=1 / math.sqrt(keys.shape[1]))


def softmax_step(keys: np.ndarray, cues: np.ndarray) -> np.ndarray:
    """One softmax step as a plain NumPy expression, with whole matrices."""
    scores = cues @ keys.T * (1 / math.sqrt(keys.shape[1]))
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True) @ keys)


def referee(keys: np.ndarray, cues: np.ndarray) -> np.ndarray:
    """One softmax step in float64, over blocks of keys, so that the keys may be mapped from a file."""
    beta, wide = 1 / math.sqrt(keys.shape[1]), cues.astype("float64")
    blocks = range(0, len(keys), BLOCK)
    largest = np.max([(wide @ keys[i : i + BLOCK].T).max(axis=1) for i in blocks], axis=0)
    total, field = np.zeros((len(cues), 1)), np.zeros(wide.shape)
    for i in blocks:
        block = keys[i : i + BLOCK].astype("float64")
        weights = np.exp(beta * (wide @ block.T - largest[:, None]))
        total, field = total + weights.sum(axis=1, keepdims=True), field + weights @ block
    return field / total


def check_step(memory: ha.Memory, keys: np.ndarray, cues: np.ndarray, field: np.ndarray | None = None) -> None:
    """Raise `Wrong` unless the step of the first and last cues agrees with the referee.

    field: the result of the step, if it has been computed already.
    """
    rows = np.r_[:CHECKED, -CHECKED:0] if len(cues) > 2 * CHECKED else np.arange(len(cues))
    answers = memory.step(cues) if field is None else field
    require_close(answers[rows], referee(keys, cues[rows]))


def require_close(ours: Any, theirs: Any) -> None:
    """Raise `Wrong` unless the arrays agree within `TOLERANCE`, relative to the largest entry."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    difference = float(np.abs(ours - theirs).max() / np.abs(theirs).max()) if ours.shape == theirs.shape else math.inf
    if not difference <= TOLERANCE:
        raise Wrong(f"the two sides are {difference:.1e} apart, and may be {TOLERANCE:g}")
