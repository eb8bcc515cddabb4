"""Where a rule leads: the cycles of a map, and the probabilities of the ends of a random descent.

States are numbers from 0 to 2^N − 1; neuron i is the bit 2^(N−1−i). `turns` is boolean, `(2^N, N)`: whether a neuron of
a state turns when it is updated alone.
"""

from typing import Any, NamedTuple

import numpy as np

from hopattn.foundation.arrays import Array
from hopattn.foundation.checks import require_room


def bits(n: int) -> np.ndarray:
    """The bit of each of n neurons in the number of a state, `(n,)`."""
    return np.asarray(1 << np.arange(n - 1, -1, -1))


class Cycles(NamedTuple):
    """The cycles of a map.

    attractor: `(K,)`, the least state of each. period: `(K,)`. reached: `(n,)`, the index of the cycle that each state
    leads to.
    """

    attractor: np.ndarray
    period: np.ndarray
    reached: Array


def cycles(successor: np.ndarray) -> Cycles:
    """The cycles of a map of n states onto themselves, `(n,)`; a fixed point has the period 1.

    After k rounds, `far` is the map applied 2^k times, and `least` the least of the 2^k states before it. With 2^k ≥ n
    every state of `far` is on its cycle, and has seen it whole.
    """
    far, least = successor, np.arange(len(successor))
    for _ in range(len(successor).bit_length()):
        far, least = far[far], np.minimum(least, least[far])
    attractor, reached = np.unique(least[far], return_inverse=True)
    period = np.bincount(reached[np.unique(far)])
    return Cycles(attractor, period, reached)


def swept(turns: np.ndarray, order: np.ndarray) -> np.ndarray:
    """The state that one sweep in a fixed order leads each state to, `(2^N,)`."""
    after, bit = np.arange(len(turns)), bits(turns.shape[1])
    for i in order:
        after = after ^ bit[i] * turns[after, i]
    return after


def descended(turns: np.ndarray) -> np.ndarray:
    """The state after each one if the first of its neurons that turn does so, `(2^N,)`."""
    return np.asarray(np.arange(len(turns)) ^ bits(turns.shape[1])[turns.argmax(axis=1)] * turns.any(axis=1))


class WaysDown:
    """The random sequential update: one neuron at random each time; it turns where `turns` says so.

    A neuron that stays costs time alone. So the next state is one of those that a turn leads to, with equal
    probability, and p(state) is the mean of p over them. `levels` goes through the states so that all of these come
    first: the level of a state is the length of its longest way down.
    """

    def __init__(self, turns: np.ndarray) -> None:
        from scipy.sparse import csr_array

        n, (rows, neurons) = len(turns), np.nonzero(turns)
        count = turns.sum(axis=1)
        starts, targets = np.concatenate([[0], np.cumsum(count)]), rows ^ bits(turns.shape[1])[neurons]
        self.moves: Any = csr_array((1 / count[rows], targets, starts), shape=(n, n))
        self.levels: list[np.ndarray] = []
        back, front, degree = self.moves.T.tocsr(), np.flatnonzero(count == 0), count
        while front.size:
            self.levels.append(front)
            seen = np.bincount(back[front].indices, minlength=n)
            degree = degree - seen
            front = np.flatnonzero((seen > 0) & (degree == 0))

    @property
    def ends(self) -> bool:
        """Whether every way ends; where one leads back to its state, the level of that state has no number."""
        return bool(sum(map(len, self.levels)) == self.moves.shape[0])

    def sizes(self) -> np.ndarray:
        """The sum over all states of the probability of each end, `(K,)`: each state sends its share down."""
        mass = np.ones(self.moves.shape[0])
        for level in self.levels[:0:-1]:
            mass += self.moves[level].T @ mass[level]
        return np.asarray(mass[self.levels[0]])

    def probabilities(self) -> np.ndarray:
        """The probability of each end from each state, `(2^N, K)`."""
        ends, n = self.levels[0], self.moves.shape[0]
        require_room(n * len(ends), f"the probabilities of {len(ends):,} minima from {n:,} states")
        p = np.zeros((n, len(ends)))
        p[ends, np.arange(len(ends))] = 1
        for level in self.levels[1:]:
            p[level] = self.moves[level] @ p
        return p
