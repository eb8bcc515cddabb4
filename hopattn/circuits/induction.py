"""The induction head of rotations: two layers that expect what followed the same word before, without training.

    layer 1    q = p_i             k = R p_j        v = word j, into the part "previous"
    layer 2    q = word i          k = previous j   v = word j, into the part "expected"

R turns a position by one step, so that R p_j is the position of the word after j. Scores of a head, such as prefix
matching, are in `circuits/scores.py`.
"""

import math
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np

from hopattn.foundation.arrays import Array, Mask, as_float64, as_numpy
from hopattn.foundation.boundary import Count, Of, Owner, finite, public
from hopattn.foundation.checks import positive, require_room, whole
from hopattn.foundation.errors import InvalidInput
from hopattn.positions.planes import rotation
from hopattn.retrieval.separation.base import Separation
from hopattn.transformer.blocks import AttentionLayer, BlockTrace, Stack
from hopattn.transformer.heads import Head
from hopattn.transformer.multi_head import MultiHead

SURE = 0.99
"""The share of attention that the default of β leaves to the word before."""


def _angles(turns: Any, what: str) -> np.ndarray:
    """The angle of each plane in radians, `(n_planes,)`."""
    return np.atleast_1d(as_float64(turns, what))


Angles = Annotated[Any, _angles, Of("n_planes", finite=True)]


@dataclass(frozen=True, eq=False, kw_only=True)
class InductionCircuit(Owner):
    """Two layers of one head each, and the parts of their vectors: position, word, previous word, expected word.

    Parameters
    ----------
    turns : the angle between neighbouring positions in each plane, `(n_planes,)`.
    length : the most words of a text.
    dim : of a word.
    beta : of layer 1.
    layers : for vectors of 2 · n_planes + 3 · dim elements.

    Notes
    -----
    Made by `induction_circuit`.
    """

    turns: np.ndarray
    length: int
    dim: int
    beta: float
    layers: tuple[AttentionLayer, AttentionLayer]

    def __repr__(self) -> str:
        return f"InductionCircuit({self.length} words of {self.dim} elements, beta {self.beta:.4g})"

    @property
    def parts(self) -> dict[str, slice]:
        """The elements of each part of a vector."""
        start = 2 * len(self.turns)
        ends = [start + i * self.dim for i in range(4)]
        words = {name: slice(*ends[i : i + 2]) for i, name in enumerate(("word", "previous", "expected"))}
        return {"position": slice(0, start), **words}

    @property
    def lead(self) -> float:
        """The least lead of the score of the word before over that of another word: see `position_lead`."""
        return position_lead(self.turns, self.length)

    @public
    def encode(self, words: Annotated[Array, as_numpy, Of("… n dim", finite=True)]) -> np.ndarray:
        """The vectors of a text, `(…, n, 2 · n_planes + 3 · dim)`: words and positions in their parts, the rest 0.

        Parameters
        ----------
        words : (…, n, dim)
            any vectors; compared by the dot product, so that they should be of one length.

        Raises
        ------
        InvalidInput : for another dim, for NaN, and for more than `length` words.
        """
        if (n := words.shape[-2]) > self.length:
            raise InvalidInput(f"words: got {n} words; expected at most {self.length}, which the positions tell apart")
        angles = np.arange(n)[:, None] * self.turns
        points = np.stack((np.cos(angles), np.sin(angles)), axis=-1).reshape(n, -1) / math.sqrt(len(self.turns))
        size = points.shape[-1] + 3 * self.dim
        require_room(words.size // self.dim * size, f"a text of {n:,} words")
        texts = np.zeros((*words.shape[:-1], size))
        texts[..., self.parts["position"]] = points
        texts[..., self.parts["word"]] = words
        return texts

    @public(may_be=finite)
    def trace(self, words: Array) -> list[BlockTrace]:
        """Every array of both layers for a text `(…, n, dim)`."""
        return self._stack.trace(words)

    @public
    def __call__(self, words: Array) -> np.ndarray:
        """The word that each word of a text leads to expect, `(…, n, dim)` for a text `(…, n, dim)`.

        A word without an earlier copy expects a mixture of all words that it sees.
        """
        return np.asarray(self._stack(words))

    @property
    def _stack(self) -> Stack:
        return Stack(self.encode, self.layers, lambda states: states[..., self.parts["expected"]])


@public
def position_lead(turns: Angles, length: Annotated[int, partial(whole, least=2)]) -> float:
    """The least lead of the right position over another: min over m of 1 − mean_k cos(m θ_k), m from 1 to length − 1.

    In layer 1, a word at a distance of m from the word before has a score that is lower by this. One plane with θ = 2π
    / length has the largest lead, 1 − cos θ ≈ 2π²/length²; that of several planes falls much more slowly.

    Parameters
    ----------
    turns : an angle in radians, or one for each plane.

    Raises
    ------
    InvalidInput : for other turns and for a length below 2.

    Examples
    --------
    >>> round(position_lead(2 * np.pi / 512, 512) * 512**2 / (2 * np.pi**2), 3)
    1.0
    """
    require_room(length * len(turns), f"position_lead: {length:,} positions and {len(turns):,} turns")
    return float(np.min(1 - np.cos(np.arange(1, length)[:, None] * turns).mean(axis=-1)))


@public
def induction_circuit(
    dim: Count,
    length: Annotated[int, partial(whole, least=2)],
    *,
    turns: Angles = None,
    beta: Annotated[float | None, positive] = None,
    match_beta: Annotated[float | None, positive] = None,
    mask: Mask = "strict",
    separation: str | Separation = "softmax",
) -> InductionCircuit:
    """The induction head of the lecture, for texts of any length up to `length`, in words of `dim` elements.

    Parameters
    ----------
    turns : as in `position_lead`; by default 2π / length in one plane.
    beta
        of layer 1. By default ln(99 (length − 1)) / lead: each of the other length − 1 words has a weight of at most
        exp(−β lead) beside the word before, which then keeps 99 %.
    match_beta
        of layer 2, by default 2 ln(99 (length − 1)), enough where the dot products of different unit words are at most
        1/2: of random unit words of 64 elements, all but one pair in 100,000.
    separation : of both layers; an object has its own β, and "argmax" is the limit of large β.
    mask : "strict" attends to previous words only; of "b c a a" the last a then expects a mixture of b, c and a.

    Raises
    ------
    InvalidInput
        for numbers that are not positive, and, without beta, for turns that give two positions the same place.

    Notes
    -----
    Under "causal" a word also sees itself, and "b c a a" expects a; but the first word becomes its own predecessor: if
    it comes again, it and its successor tie. A word that marks the start of the text prevents that.

    Source: LING3804 Lecture Notes 7, 7.4; Elhage et al. (2021); Olsson et al. (2022).

    Examples
    --------
    >>> their, dog, chased = np.eye(3)
    >>> circuit = induction_circuit(3, 4)
    >>> circuit([their, dog, chased, their])[-1].round(2)
    array([0., 1., 0.])
    """
    angles = np.array([2 * math.pi / length]) if turns is None else turns
    n_planes, lead = len(angles), position_lead(angles, length)
    log_odds = math.log(SURE / (1 - SURE) * (length - 1))
    if beta is None and lead < 1e-9:
        advice = f"expected angles such as 2π/{length} = {2 * math.pi / length:.3g}, or a beta"
        raise InvalidInput(f"turns: two of {length} positions have the same place; {advice}")
    size = 2 * n_planes + 3 * dim
    require_room(size**2, f"induction_circuit: words of {dim:,} elements")
    previous_beta = log_odds / lead if beta is None else beta
    match_beta = 2 * log_odds if match_beta is None else match_beta
    position, word, previous, expected = np.split(np.eye(size), 2 * n_planes + dim * np.arange(3))
    step = rotation(angles, 2 * n_planes)
    heads = (
        Head(position, step @ position, previous.T @ word, beta=previous_beta, mask=mask, separation=separation),
        Head(word, previous, expected.T @ word, beta=match_beta, mask=mask, separation=separation),
    )
    first, second = (AttentionLayer(MultiHead([head], np.eye(len(head.w_value)))) for head in heads)
    return InductionCircuit(turns=angles, length=length, dim=dim, beta=previous_beta, layers=(first, second))
