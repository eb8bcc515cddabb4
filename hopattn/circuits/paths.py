"""Matrices of heads: whether a head copies the words it attends to, and how much of what it writes a later head reads.

    M = W_U W_OV W_Eᵀ          M_ij: the number that word j, where it is attended to, adds to the logit of word i

    C = |W_in W_out|_F / (|W_in|_F |W_out|_F)

For keys W_in is W_QᵀW_K of the later head, for queries its transpose, for values its W_O W_V. W_out is W_O W_V of the
earlier head.
"""

import math
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np

from hopattn.foundation.arrays import Array, as_float64, require_finite, shaped
from hopattn.foundation.boundary import Of, public
from hopattn.foundation.checks import REPEATED, Seed, generator, real, whole
from hopattn.foundation.errors import InvalidInput, reject_unknown
from hopattn.foundation.threads import blocks
from hopattn.foundation.traces import detached
from hopattn.foundation.vectors import random_rotation
from hopattn.transformer.heads import Head

LOGITS_HELD = 2**22
"""The number of logits that are held at a time: columns of M, one for each word that is attended to."""
DRAWS_ALIKE = 1e-12
"""Draws whose deviation is this part of their mean, or less, differ by rounding alone."""


def numpy_matrix(values: Any, what: str) -> np.ndarray:
    """A matrix (out, in) of any library as a NumPy array in float64; raises `InvalidInput` unless it is finite."""
    matrix = as_float64(detached(shaped(values, what, "out in")), what)
    require_finite(matrix, what)
    return matrix


Written = Annotated[Any, numpy_matrix, Of("dim dim_read")]
Read = Annotated[Any, numpy_matrix, Of("dim_written dim")]


@public
def copying(
    w_ov: Annotated[Array, numpy_matrix, Of("dim_out dim")],
    embed: Annotated[Array, numpy_matrix, Of("n_words dim")],
    unembed: Annotated[Array, numpy_matrix, Of("n_words dim_out")] = None,
    *,
    by: str = "logits",
) -> float:
    """The copying score of a head, from −1 to 1: 1 where each word raises its own logit and no other.

        by = "logits"       mean_j of 2 [M_jj − m_j]₊ / Σ_i [M_ij − m_j]₊ − 1,     m_j the mean of column j of M
        by = "eigenvalues"  Σ λ / Σ |λ| over the eigenvalues λ of M

    Parameters
    ----------
    w_ov : W_O W_V, `(dim, dim)`, (out, in).
    embed, unembed : the vector of each word, `(n_words, dim)`; without unembed the words are read as they are written.

    Raises
    ------
    InvalidInput : for matrices that do not fit or are not finite, for one word, and where no logit is raised.

    Notes
    -----
    Words that raise no logit above another do not count. Chance, for random matrices: near 2/n_words − 1 by logits, 0
    by eigenvalues. Source: Olsson et al. (2022), appendix, for "logits" (their score of a random sample, here of all
    words once); Elhage et al. (2021), Detecting copying behavior, for "eigenvalues".

    Examples
    --------
    >>> copying(np.eye(3), np.eye(3)), copying(-np.eye(3), np.eye(3))
    (1.0, -1.0)
    """
    reject_unknown("by", [by], ("logits", "eigenvalues"))
    unembed = shaped(embed, "unembed", "n_words dim_out", dim_out=(len(w_ov), "w_ov")) if unembed is None else unembed
    if len(embed) < 2:
        raise InvalidInput("embed: got one word, which has no other to raise; expected at least two")
    # without overflow in the products
    w_ov, embed, unembed = (matrix / (np.abs(matrix).max() or 1.0) for matrix in (w_ov, embed, unembed))
    if by == "logits":
        return _by_logits(w_ov, embed, unembed)
    score = by_eigenvalues(w_ov @ embed.T @ unembed)  # the eigenvalues of M but for zeros, from only dim rows
    if np.isnan(score):
        raise InvalidInput("w_ov: all eigenvalues are 0, so that there is nothing to score")
    return score


def by_eigenvalues(matrix: np.ndarray) -> float:
    """Σ λ / Σ |λ| over the eigenvalues λ of a matrix; NaN where all are 0."""
    eigenvalues = np.linalg.eigvals(matrix)
    total = np.abs(eigenvalues).sum()
    return float(eigenvalues.sum().real / total) if total else math.nan


def _by_logits(w_ov: np.ndarray, embed: np.ndarray, unembed: np.ndarray) -> float:
    """The score by logits; M is computed in blocks of columns: that of a vocabulary of 50,257 words has 20 GB."""
    n = len(embed)
    shares: list[np.ndarray] = []
    for words in blocks(n, max(LOGITS_HELD // n, 1)):
        logits = unembed @ (w_ov @ embed[words].T)
        largest = np.abs(logits).max(axis=0)
        logits -= logits.mean(axis=0)
        excess = np.maximum(logits, 0.0, out=logits)
        total = excess.sum(axis=0)
        counts = total > n * np.finfo(np.float64).eps * largest
        diagonal = excess[np.arange(n)[words], np.arange(len(total))]
        shares.append(diagonal[counts] / total[counts])
    if not any(map(len, shares)):
        raise InvalidInput("w_ov: no word raises any logit above the others, so that there is nothing to score")
    return float(np.mean(2 * np.concatenate(shares) - 1))


@public
def composition(w_out: Written, w_in: Read) -> float:
    """|W_in W_out|_F / (|W_in|_F |W_out|_F), from 0 to 1.

    Parameters
    ----------
    w_out : what the earlier head writes, `(dim, dim_read)`.
    w_in
        what the later head reads, `(dim_written, dim)`. 1 is reached with rank 1 alone; equal singular values of rank r
        reach 1/√r at most.

    Raises
    ------
    InvalidInput : for matrices that do not fit, are not finite, or are all 0.

    Notes
    -----
    Chance: see `composition_baseline`. Source: Elhage et al. (2021), Virtual attention heads and composition.

    Examples
    --------
    >>> composition([[1.0], [0.0]], [[1.0, 0.0]]), composition([[1.0], [0.0]], [[0.0, 1.0]])
    (1.0, 0.0)
    """
    w_out, w_in = _normalised(w_out, w_in)
    return float(np.linalg.norm(w_in @ w_out))


@dataclass(frozen=True)
class Baseline:
    """Composition scores of random matrices: their mean, their standard deviation, and the number of draws."""

    mean: float
    deviation: float
    n_draws: int

    def deviations(self, score: float) -> float:
        """The distance of a score from the mean in deviations; raises `InvalidInput` if all draws are alike."""
        if self.deviation <= DRAWS_ALIKE * self.mean:
            raise InvalidInput("deviations: all draws have the same score, as with dim 1 or a rotation")
        return (real(score, "score") - self.mean) / self.deviation


@public
def composition_baseline(
    w_out: Written,
    w_in: Read,
    *,
    n_draws: Annotated[int, partial(whole, least=2, most=REPEATED)] = 100,
    rng: Seed = None,
) -> Baseline:
    """The composition of the same two matrices where the later one reads turned directions, a random turn each draw.

        C² = |W_in R W_out|_F² / (|W_in|_F² |W_out|_F²)          R uniform over all rotations and reflections

    A turn keeps every singular value. The mean of C² is 1/dim, since E R W_out W_outᵀ Rᵀ is |W_out|_F²/dim times the
    identity; so the mean of C is at most 1/√dim.

    Parameters
    ----------
    n_draws : at least 2.
    rng : a whole number or a generator; without it every call draws others.

    Raises
    ------
    InvalidInput : as `composition` does, and for fewer than 2 draws.

    Notes
    -----
    Source: Elhage et al. (2021), who subtract the score of random matrices of the same shape; the turn is ours.

    Examples
    --------
    >>> baseline = composition_baseline(np.eye(16)[:, :4], np.eye(16)[:4], rng=0)
    >>> abs(baseline.mean - 0.25) < 0.02, baseline.deviations(composition(np.eye(16)[:, :4], np.eye(16)[:4])) > 4
    (True, True)
    """
    (w_out, w_in), random = _normalised(w_out, w_in), generator(rng=rng)
    scores = [float(np.linalg.norm(w_in @ random_rotation(random, len(w_out)) @ w_out)) for _ in range(n_draws)]
    return Baseline(float(np.mean(scores)), float(np.std(scores, ddof=1)), n_draws)


@dataclass(frozen=True)
class Compositions:
    """The composition of a later head with an earlier one through its queries, its keys and its values."""

    query: float
    key: float
    value: float


@public
def head_compositions(earlier: Head, later: Head, *, w_out: Array = None, later_w_out: Array = None) -> Compositions:
    """The composition of two heads of one model through queries, keys and values.

    Parameters
    ----------
    earlier, later : the heads.
    w_out, later_w_out
        the columns of the layer's output matrix that belong to the head, `(dim, dim_out)`; without it the head's output
        is added as it is.

    Raises
    ------
    InvalidInput : for heads that do not fit.

    Notes
    -----
    Biases do not count. Source: Elhage et al. (2021), Path expansion of attention scores QK circuit: |W_QKᵀ W_OV|,
    |W_QK W_OV| and |W_OV W_OV| for queries, keys and values, each over the norms of both matrices.
    """
    w_ov = _ov(earlier, w_out, ("earlier", "w_out"))
    query, key = (numpy_matrix(matrix, "later") for matrix in (later.w_query, later.w_key))
    ways = {"query": key.T @ query, "key": query.T @ key, "value": _ov(later, later_w_out, ("later", "later_w_out"))}
    return Compositions(**{name: composition(w_ov, w_in) for name, w_in in ways.items()})


def _ov(head: Head, w_out: Any, names: tuple[str, str]) -> np.ndarray:
    """W_O W_V, `(dim, dim)`, or W_V where there is no W_O. names: of the head and of W_O, for messages."""
    values = numpy_matrix(head.w_value, names[0])
    if w_out is None:
        return values
    return np.asarray(shaped(numpy_matrix(w_out, names[1]), names[1], "dim dim_out", dim_out=len(values)) @ values)


def _normalised(w_out: np.ndarray, w_in: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both matrices divided by their norms; raises `InvalidInput` where one is 0."""
    for matrix, name in ((w_out, "w_out"), (w_in, "w_in")):
        if not matrix.any():
            raise InvalidInput(f"{name}: all entries are 0, so that it has no direction to compare")
    w_out, w_in = w_out / np.abs(w_out).max(), w_in / np.abs(w_in).max()
    return w_out / np.linalg.norm(w_out), w_in / np.linalg.norm(w_in)
