"""The crosstalk of a memory's other patterns, and the spins after one update of each neuron alone."""

from functools import partial
from typing import Any

import numpy as np

from hopattn.dynamics.recall import AssociativeMemory
from hopattn.dynamics.single_neuron import settled
from hopattn.memories.memory import Memory


def compared(memory: Any) -> str:
    """The quantity in which a memory mixes its patterns: "scores" if it has one for each pattern, else "fields"."""
    return "scores" if isinstance(memory, Memory) and len(memory.keys) == len(memory.patterns) else "fields"


def crosstalk(memory: Any, cues: np.ndarray, targets: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """The signal of the cues' own patterns, the crosstalk of the others, `(n,)`, and where it outweighs the signal.

    cues: `(n_cues, dim)`. targets: the number of the pattern of each, `(n_cues,)`.

    Of a network, the field of each neuron is taken towards the pattern, ξ_i h_i. Its mean is the signal, and the
    crosstalk is what it falls short of the mean: a neuron with more crosstalk than signal turns away from its pattern.
    Of a memory with scores, the score of the own pattern is the signal, those of the others are the crosstalk, all
    relative to |ξ|². Source: Hertz, Krogh & Palmer (1991), Introduction to the Theory of Neural Computation, 2.2.

    >>> import hopattn as ha
    >>> patterns = np.array([[1.0, 1, 1, 1], [1, -1, 1, -1]])
    >>> crosstalk(ha.memories.modern(patterns), patterns, np.array([0, 1]))
    (1.0, array([0., 0.]), array([False, False]))
    """
    if compared(memory) == "scores":
        scores = np.asarray(memory.scores(cues)) / np.sum(memory.patterns**2, axis=-1)
        signals = scores[np.arange(len(cues)), targets][:, None]
        others = np.arange(scores.shape[1]) != targets[:, None]
        return float(signals.mean()), scores[others], (scores >= signals)[others]
    towards = memory.patterns[targets] * np.asarray(memory.field(cues))
    return float(towards.mean()), (float(towards.mean()) - towards).ravel(), (towards < 0).ravel()


def histogram(noise: np.ndarray, spread: float, dim: int) -> tuple[np.ndarray, np.ndarray]:
    """The middles of the bins and the densities. What is beyond counts in the last bin.

    Spins differ by steps of 2/dim. A bin holds a whole number of them, and six bins are about a standard deviation.
    """
    step = 2 / dim
    width = step * max(1, round(spread / (6 * step)))
    edges = width * np.arange(-40.5, 41) + step / np.pi  # no spins lie on an edge
    counts, _ = np.histogram(np.clip(noise, edges[0], edges[-1]), edges)
    return (edges[1:] + edges[:-1]) / 2, counts / (max(1, counts.sum()) * width)


def updated_once(memory: AssociativeMemory, cues: np.ndarray) -> np.ndarray:
    """The spins of cues `(n_cues, N)` after one update of each neuron alone, all others as in the cue.

    Neurons that cannot be updated alone, as in a sequence, are updated all at once.
    """
    if memory.why_not("single-neuron updates"):
        return np.asarray(memory.step(cues))
    one = memory._single_neuron_states(cues)
    rows = [settled(spins, one.local_field(i), None, partial(one.gain, i)) for i, spins in enumerate(one.spins)]
    return np.stack(rows, axis=1)
