"""Crosstalk: what the other patterns add to the pattern that a cue is made of, and the neurons that they turn."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from hopattn.dynamics.recall import AssociativeMemory
from hopattn.dynamics.single_neuron import settled
from hopattn.memories.kernels import LogSumRelu
from hopattn.memories.memory import Memory

BINS, IN_SPREAD = 81, 6
"""The number of bins of the histogram, and of bins in one standard deviation. What is beyond counts in the last bin."""


class Crosstalk(NamedTuple):
    """The signal of the cues' own patterns and the crosstalk of the others.

    signal: its mean. spread: the standard deviation of the crosstalk. wrong: the share in which the crosstalk outweighs
    the signal. centres, density: the histogram of the crosstalk, `(BINS,)` each.
    """

    signal: float
    spread: float
    wrong: float
    centres: np.ndarray
    density: np.ndarray


def compared(memory: Any) -> str:
    """The quantity in which a memory mixes its patterns: "scores" if it has one for each pattern, else "fields"."""
    return "scores" if isinstance(memory, Memory) and len(memory.keys) == len(memory.patterns) else "fields"


def weighs(memory: Any) -> bool:
    """Whether a step of a memory gives each of its patterns a weight."""
    return compared(memory) == "scores" or isinstance(memory, LogSumRelu)


def crosstalk(memory: Any, cues: np.ndarray, own: np.ndarray) -> Crosstalk:
    """Signal and crosstalk at cues `(n_cues, dim)`. own: the number of the pattern of each cue, `(n_cues,)`.

    Of a network, the field of each neuron is taken towards the pattern, ξ_i h_i. Its mean is the signal, and the
    crosstalk is what it falls short of the mean: a neuron with more crosstalk than signal turns away from its pattern.
    Of a memory with scores, the score of the own pattern is the signal, those of the others are the crosstalk, all
    relative to |ξ|². Source: Hertz, Krogh & Palmer (1991), Introduction to the Theory of Neural Computation, 2.2.

    >>> import hopattn as ha
    >>> patterns = np.array([[1.0, 1, 1, 1], [1, -1, 1, -1]])
    >>> found = crosstalk(ha.memories.modern(patterns), patterns, np.array([0, 1]))
    >>> found.signal, found.spread, found.wrong
    (1.0, 0.0, 0.0)
    """
    if compared(memory) == "scores":
        scores = np.asarray(memory.scores(cues)) / np.sum(memory.patterns**2, axis=-1)
        signals = scores[np.arange(len(cues)), own][:, None]
        others = np.arange(scores.shape[1]) != own[:, None]
        noise, signal = scores[others], float(signals.mean())
        wrong = (scores >= signals)[others]
    else:
        towards = memory.patterns[own] * np.asarray(memory.field(cues))
        signal = float(towards.mean())
        noise, wrong = (signal - towards).ravel(), towards < 0
    spread, part = (float(np.std(noise)), float(np.mean(wrong))) if noise.size else (0.0, 0.0)
    return Crosstalk(signal, spread, part, *_histogram(noise, spread, memory.patterns.shape[1]))


def updated_once(memory: AssociativeMemory, cues: np.ndarray) -> np.ndarray:
    """The spins of cues `(n_cues, N)` after one update of each neuron alone, all others as in the cue.

    Neurons that cannot be updated alone, as in a sequence, are updated all at once.
    """
    if memory.why_not("single-neuron updates"):
        return np.asarray(memory.step(cues))
    neurons = memory._single_neuron_states(cues)
    rows = [
        settled(spins, neurons.local_field(i), None, partial(neurons.gain, i)) for i, spins in enumerate(neurons.spins)
    ]
    return np.stack(rows, axis=1)


def _histogram(noise: np.ndarray, spread: float, dim: int) -> tuple[np.ndarray, np.ndarray]:
    """The middles of the bins and the densities. Spins differ by steps of 2/dim: a bin holds a whole number of them."""
    step = 2 / dim
    width = step * max(1, round(spread / (IN_SPREAD * step)))
    edges = width * (np.arange(BINS + 1) - BINS / 2) + step / np.pi  # no spins lie on an edge
    counts, _ = np.histogram(np.clip(noise, edges[0], edges[-1]), edges)
    return (edges[1:] + edges[:-1]) / 2, counts / (max(1, counts.sum()) * width)


def spread_by_theory(what: str, n_patterns: int, dim: int) -> float:
    """The standard deviation of the crosstalk among random patterns, of Hebb's network or of dot products.

    what: "fields" or "scores". The field adds the P − 1 other patterns over N − 1 neurons, divided by N.
    """
    return float(np.sqrt((n_patterns - 1) * (dim - 1)) / dim if what == "fields" else 1 / np.sqrt(dim))
