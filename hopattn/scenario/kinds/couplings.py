"""The couplings of a network as an array, and the sum that gives one of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from hopattn.foundation.sentences import say
from hopattn.foundation.writing import number
from hopattn.memories.memory import Memory
from hopattn.networks.associator import Bidirectional
from hopattn.networks.classical import Coupled
from hopattn.results.labelled import Labelled
from hopattn.retrieval.separation.elementwise import Identity
from hopattn.retrieval.similarity import Dot
from hopattn.scenario.arithmetic import dot
from hopattn.scenario.arrays import Arrays, Name, labelled

COUPLINGS = "couplings"
MOST_SHOWN = 20
"""The number of neurons up to which the couplings are among the arrays of a whole result."""


def is_matrix(memory: Any) -> bool:
    """Whether the field of a memory is a matrix times the state."""
    if isinstance(memory, Memory):
        return isinstance(memory.separation, Identity) and isinstance(memory.similarity, Dot)
    return isinstance(memory, Coupled | Bidirectional)


def couplings_of(memory: Any) -> np.ndarray:
    """W `(dim_out, dim)`, from neuron j of the cue to neuron i of the field; W = β Vᵀ K of keys K and values V."""
    matrix = memory.beta * memory.values.T @ memory.keys if isinstance(memory, Memory) else memory.couplings
    return np.asarray(matrix)


def add_matrix(arrays: Arrays, compute: Callable[[], Any], axes: Mapping[str, Sequence[str]], stage: str = "") -> None:
    """Add a matrix of couplings: now if its neurons are few, else when it is asked for.

    compute: as pickle takes it, which keeps it with the result. stage: as of `Name`.
    """
    name, matrix = str(Name(COUPLINGS, stage=stage)), partial(_labelled, compute, axes)
    if max(map(len, axes.values())) <= MOST_SHOWN:
        arrays[name] = matrix()
    else:
        arrays.add_on_demand(name, matrix)


def _labelled(compute: Callable[[], Any], axes: Mapping[str, Sequence[str]]) -> Labelled:
    return labelled(compute(), axes)


def add_couplings(
    arrays: Arrays, build: Callable[[], Any], neurons: Sequence[str], answers: Sequence[str] | None = None
) -> None:
    """Add the couplings of a memory that is a matrix.

    build: makes the memory, so that nothing keeps its couplings. neurons: the names of those of the cue. answers: the
    names of those of the answer; by default they are the same.
    """
    axes = {"to": neurons if answers is None else answers, "from": neurons}
    add_matrix(arrays, partial(_built_couplings, build), axes)


def _built_couplings(build: Callable[[], Any]) -> np.ndarray:
    return couplings_of(build())


def explained_coupling(memory: Any, neurons: Sequence[str], answers: Sequence[str] | None = None) -> Iterator[str]:
    """The first coupling of two neurons that is not 0, as the sum over the patterns that gives it; nothing without one.

    Where the couplings are no such sum it is the number alone. neurons, answers: as for `add_couplings`.
    """
    matrix = couplings_of(memory) if is_matrix(memory) else np.zeros((0, 0))
    apart = (matrix != 0) if answers else (matrix != 0) & (np.eye(*matrix.shape) == 0)
    if not apart.any():
        return
    i, j = np.argwhere(apart)[0]
    told, row, n = say("coupling from {} to {}:", neurons[j], (answers or neurons)[i]), matrix[i], matrix.shape[1]
    left = right = memory.patterns
    value, scales = number(row[j]), {"": 1.0, say(", divided by {}", str(n)): 1 / n}
    if isinstance(memory, Memory):
        left, right, scales = memory.values, memory.keys, {"": 1.0, say(", times {}", number(memory.beta)): memory.beta}
    elif isinstance(memory, Bidirectional):
        left, right = memory.forward.patterns, memory.backward.patterns
    if left.shape[1:] == (len(matrix),) and right.shape[1:] == (n,):
        if memory.activation.silent == 0 and not isinstance(memory, Memory):
            left, right = 2 * left - 1, 2 * right - 1
        sums = left[:, i] @ right
        for scaled, scale in scales.items():
            if np.allclose(scale * sums[apart[i]], row[apart[i]], rtol=1e-9, atol=1e-12):
                yield f"{told} {dot(left[:, i], right[:, j])}{scaled and f'{scaled}: {value}'}"
                return
    yield f"{told} {value}"
