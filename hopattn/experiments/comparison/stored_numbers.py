"""The size of a memory: how many numbers it stores."""

from typing import Any

import numpy as np

from hopattn.memories.memory import Memory
from hopattn.networks.associator import Associator, Bidirectional
from hopattn.networks.classical import Hopfield


def stored_numbers(*memories: Any) -> int | None:
    """How many numbers memories store together; None if one of them is of a class that is not known here.

    A memory that keeps P patterns of N numbers stores P·N, and P·M more for values of M numbers. A network of N neurons
    stores its couplings: N(N−1)/2 if they are symmetric, without self-couplings; N(N−1) if they are not symmetric; N
    more with self-couplings, and N more with a bias. An associator and a bidirectional memory store N·M.

    Source: Knoblauch, Palm & Sommer (2010), Neural Computation 22, 289, who compare memories by what they store for
    each synapse. Here a synapse is a stored number, of whatever size.
    """
    counts = [_count(memory) for memory in memories]
    return None if None in counts else sum(count for count in counts if count is not None)


def _count(memory: Any) -> int | None:
    if isinstance(memory, Memory):
        return int(np.size(memory.keys)) + (0 if memory.autoassociative else int(np.size(memory.values)))
    if isinstance(memory, Bidirectional):
        return _count(memory.forward)
    if isinstance(memory, Associator):
        return int(memory.couplings.size)
    if not isinstance(memory, Hopfield):
        return None
    n = len(memory.couplings)
    pairs = n * (n - 1) // (1 if memory.why_not("energy") else 2)
    return pairs + n * (bool(np.diag(memory.couplings).any()) + bool(memory.bias.any()))
