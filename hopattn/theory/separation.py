"""How far stored patterns are apart, and what follows: the β that recalls them, and the damage that surely heals.

With Δ_ij = ξ_i·ξ_i − ξ_i·ξ_j and D_ij = |ξ_i − ξ_j|, a cue x with |x − ξ_i| ≤ r has the scores

    ξ_i·x − ξ_j·x ≥ Δ_ij − D_ij r

Softmax: p_j ≤ e_j = exp(−β(Δ_ij − D_ij r)), and the step f(x) = Σ p_j ξ_j is as near to ξ_i as

    |f(x) − ξ_i| ≤ Σ_j p_j D_ij ≤ g(r) = Σ_{j≠i} D_ij exp(−β(Δ_ij − D_ij r))

g is convex. Where it has two roots of g(r) = r, r₀ < r₁, every cue with |x − ξ_i| < r₁ comes nearer in each step, until
it is within r₀. There g' = β Σ D_ij² e_j < 1 bounds the Jacobian β Cov_p(ξ), so that one fixed point attracts it. For
β → ∞, r₁ goes to min_j Δ_ij/D_ij, the distance to the nearest state in which another pattern has the same score.

Sparse: p is exactly 1 at ξ_i where its score leads by 1/(β(α−1)): for all |x − ξ_i| ≤ min_j (Δ_ij − 1/(β(α−1)))/D_ij.

Sources: Δ_i = min_j Δ_ij and exponentially small errors: Ramsauer et al. (2021), ICLR, theorem 5 (their N is our
n_patterns); the margin of sparse weights: Hu et al. (2023), NeurIPS; Santos et al. (2024), ICML; the log-sum-ReLU:
Hoover et al. (2025), NeurIPS, arXiv 2506.10801. The bound g, which takes each pair by itself, is ours.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopattn.foundation.argument_names import PublicObject
from hopattn.foundation.arrays import Array, as_float64, require_finite, shaped
from hopattn.foundation.boundary import public
from hopattn.foundation.checks import positive, real, require_time
from hopattn.foundation.roots import bisected
from hopattn.foundation.threads import blocks

PER_PAIR = 400
"""The work of a pair of patterns besides its dot product, in multiplications: mostly the search for β."""
PAIRS_HELD = 2**22
"""The number of pairs that are held together."""
NEAR = 1e-3
"""Patterns are near whose squared distance is this part of their squared lengths, or less."""
LARGEST_ENTRY = 1e75
"""The largest entry of a pattern, so that products of products are numbers."""
TINY, ABOVE = 5e-324, 1 + 2e-13
"""The least radius r₀, and the factor by which r₀ is larger than the root of g(r) = r with its error of rounding."""
FREELY = np.errstate(divide="ignore", over="ignore", invalid="ignore")
"""For numbers that may be infinite: a β that none is enough for, a weight beyond all others."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Margins(PublicObject):
    """The margins of n patterns.

    Attributes
    ----------
    patterns : (n, dim)
    delta : Δ_i, `(n,)`; 0 or less where another pattern answers as well.
    rival : (n,)
        the pattern with the largest ξ_i·ξ_j.
    distance : (n,)
        to the nearest pattern, `neighbour`.
    reach : min_j Δ_ij/D_ij, `(n,)`, to the nearest state in which another pattern has the same score; 0 where Δ_i ≤ 0.

    Notes
    -----
    A single pattern has the margins ∞, and no rival, −1.
    """

    patterns: np.ndarray
    delta: np.ndarray
    rival: np.ndarray
    distance: np.ndarray
    neighbour: np.ndarray
    reach: np.ndarray

    @property
    def lost(self) -> np.ndarray:
        """Whether a pattern cannot be told apart by dot products, `(n,)`: another has as large a score at it."""
        return np.asarray(self.delta <= 0)

    @property
    def twins(self) -> np.ndarray:
        """Whether a pattern is there twice, `(n,)`: no memory tells these apart."""
        return np.asarray(self.distance == 0)

    @FREELY
    def exact_beta(self, alpha: float = 2.0) -> np.ndarray:
        """The least β with which a sparse memory gives exactly ξ_i at ξ_i, 1/((α − 1) Δ_i), `(n,)`; ∞ if none does."""
        return self._inverse((real(alpha, "alpha", above=1.0) - 1) * self.delta)

    def relu_beta(self) -> np.ndarray:
        """The least β of a log-sum-ReLU memory whose radius √(2/β) is half of the distance, 8/D², `(n,)`.

        Below 2/D² the pattern is no minimum; between the two, means of neighbours are minima too.
        """
        return self._inverse(self.distance**2 / 8)

    @FREELY
    def well_separated_beta(self) -> np.ndarray:
        """The β from which on Δ_i ≥ 2/(βn) + β⁻¹ log(2(n − 1)nβM²), M the longest pattern, `(n,)`; ∞ if none is enough.

        The logarithm is negative for a small β, so that the condition may hold there too. Where it holds for every β,
        the number is 1/Δ_i. Source: Ramsauer et al. (2021), ICLR, theorem 5: ξ_i is then well separated.
        """
        from scipy.special import lambertw

        n, longest = len(self.patterns), float(np.linalg.norm(self.patterns, axis=1).max())
        if n == 1:
            return np.zeros(1)
        factor, delta = 2 * (n - 1) * n * longest**2, np.where(self.lost, np.nan, self.delta)
        inside = -delta / factor * np.exp(-2 / n)  # of β Δ = 2/n + log(factor β)
        beta = -lambertw(np.maximum(inside, -np.exp(-1)), k=-1).real / delta
        return np.asarray(np.where(self.lost, np.inf, beta))

    @FREELY
    def softmax_beta(self, error: float = 0.01) -> np.ndarray:
        """The least β for which g(r) ≤ r at r = error · distance, `(n,)`; ∞ if none is enough.

        A softmax memory then has a fixed point so near to ξ_i, which every cue as near reaches.
        """
        within = np.where(np.isfinite(self.distance), positive(error, "error") * self.distance, 0.0)
        betas = [_beta_within(deltas, apart, within[rows]) for rows, deltas, apart in _pairs(self.patterns)]
        return np.asarray(np.where(within < self.reach, np.concatenate(betas), np.inf))

    @FREELY
    def sparse_radius(self, beta: float, alpha: float = 2.0) -> np.ndarray:
        """The radius within which one step of a sparse memory gives exactly ξ_i, `(n,)`; 0 where it does nowhere."""
        lead = 1 / (positive(beta, "beta") * (real(alpha, "alpha", above=1.0) - 1))
        radius = np.empty_like(self.delta)
        for rows, deltas, apart in _pairs(self.patterns):
            radius[rows] = np.min(np.where(apart > 0, (deltas - lead) / apart, -np.inf), axis=1, initial=np.inf)
        return np.asarray(np.maximum(radius, 0.0))

    @FREELY
    def softmax_radius(self, beta: float) -> tuple[np.ndarray, np.ndarray]:
        """r₁ and r₀, `(n,)` each: every cue nearer than r₁ is recalled to one state, which is within r₀ of ξ_i.

        r₁ is 0 and r₀ is ∞ where the bound g does not show an r₀ below half of the distance to the nearest pattern. r₀
        is right to 1e-12 of it, however small; it is at least 5e-324.
        """
        radii = [_roots(deltas, apart, positive(beta, "beta")) for _, deltas, apart in _pairs(self.patterns)]
        radius, error = np.concatenate(radii, axis=1)
        none = self.lost | (error >= 0.5 * self.distance)
        return np.where(none, 0.0, radius), np.where(none, np.inf, error)

    @FREELY
    def _inverse(self, numbers: np.ndarray) -> np.ndarray:
        return np.asarray(np.where(numbers > 0, 1 / np.maximum(numbers, 0), np.inf))


def multiplications(n: int, dim: int) -> float:
    """The work of the margins of n patterns, in multiplications."""
    return float(n) * n * (dim + PER_PAIR)


@public
@FREELY
def margins(patterns: Array) -> Margins:
    """How far each of the patterns is apart from the others, and what follows for every memory.

    Parameters
    ----------
    patterns : (n, dim)
        with entries up to 1e75. Squares of entries below 1e-162 are 0, so that such patterns count as equal.

    Raises
    ------
    InvalidInput : for other arrays, and for so many that it would take minutes.

    Notes
    -----
    Source: Ramsauer et al. (2021), ICLR, definition 1 (Δ_i).

    Examples
    --------
    >>> apart = margins([[1.0, 0.0], [0.0, 1.0], [2.0, 0.0]])
    >>> apart.delta, apart.lost
    (array([-1.,  1.,  2.]), array([ True, False, False]))
    >>> margins([[1.0, 0.0], [0.0, 1.0]]).sparse_radius(beta=4).round(3)
    array([0.53, 0.53])
    """
    rows = np.asarray(shaped(as_float64(patterns, "patterns"), "patterns", "n_patterns dim"))
    require_finite(rows, "patterns", LARGEST_ENTRY)
    n = len(rows)
    require_time(multiplications(*rows.shape), f"the margins of {n:,} patterns")
    delta, distance, reach = np.full((3, n), np.inf)
    rival = neighbour = np.full(n, -1)
    rival, neighbour = rival.copy(), neighbour.copy()
    for block, deltas, apart in _pairs(rows):
        if n == 1:
            break
        i = np.arange(n)[block]
        best, near = deltas.argmin(axis=1), apart.argmin(axis=1)
        delta[block], distance[block] = deltas.min(axis=1), apart.min(axis=1)
        rival[block], neighbour[block] = best + (best >= i), near + (near >= i)  # the row itself is left out
        reach[block] = np.maximum(np.min(np.where(apart > 0, deltas / apart, 0.0), axis=1), 0.0)
    return Margins(patterns=rows, delta=delta, rival=rival, distance=distance, neighbour=neighbour, reach=reach)


def _bound(deltas: np.ndarray, apart: np.ndarray, radius: np.ndarray, beta: Any, power: int = 1) -> np.ndarray:
    """Σ_j D_ij^power exp(−β(Δ_ij − D_ij r)), `(n_rows,)`: g(r) for the power 1, g'(r)/β for 2."""
    return np.asarray(np.sum(apart**power * np.exp(-beta * (deltas - apart * radius[:, None])), axis=1))


def _beta_within(deltas: np.ndarray, apart: np.ndarray, within: np.ndarray) -> np.ndarray:
    """The least β with g(r) ≤ r at these r, `(n_rows,)`, where all Δ_ij > D_ij r; elsewhere any number."""
    if not apart.size:
        return np.zeros(len(apart))
    least = (deltas - apart * within[:, None]).min(axis=1)
    most = np.where(least > 0, np.log(np.maximum(apart.sum(axis=1) / within, 1)) / least, 1.0)
    return np.asarray(
        bisected(lambda beta: _bound(deltas, apart, within, beta[:, None]) - within, np.zeros_like(most), most)
    )


def _roots(deltas: np.ndarray, apart: np.ndarray, beta: float) -> np.ndarray:
    """r₁ and r₀, `(2, n_rows)`; 0 and ∞ where g(r) > r everywhere.

    g(r) − r falls to its least, where g' = 1, and rises from there on.
    """
    zero = np.zeros(len(apart))
    if not apart.size:
        return np.stack([zero + np.inf, zero])

    def g(r: np.ndarray) -> np.ndarray:
        return _bound(deltas, apart, r, beta)

    most = np.min(np.where(apart > 0, (deltas - np.log(beta * apart**2) / beta) / apart, np.inf), axis=1)
    most = np.clip(most, 0.0, apart.sum(axis=1))  # no state of the hull is farther away
    least = bisected(lambda r: 1 - beta * _bound(deltas, apart, r, beta, 2), zero, most)
    crossing = g(least) < least
    far = 2 * least
    while np.any(outside := crossing & (g(far) < far)):
        far = np.where(outside, 2 * far, far)
    low = np.log(np.maximum(g(zero), TINY))  # g rises, so that its root is above g(0)
    inner = np.exp(bisected(lambda log: g(np.exp(log)) - np.exp(log), low, np.log(np.maximum(least, TINY)))) * ABOVE
    outer = bisected(lambda r: r - g(r), least, far)
    return np.stack([np.where(crossing, outer, 0.0), np.where(crossing, inner, np.inf)])


def _pairs(patterns: np.ndarray) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
    """Rows, and their Δ_ij = ξ_i·(ξ_i − ξ_j) and D_ij with all others, without the row itself.

    They come from one product of matrices, where it keeps their digits; those of patterns that are near, from their
    difference.
    """
    n, squares = len(patterns), np.vecdot(patterns, patterns)
    for rows in blocks(n, max(1, PAIRS_HELD // n)):
        products = patterns[rows] @ patterns.T
        deltas = squares[rows, None] - products
        apart = squares[rows, None] + squares - 2 * products
        near = np.nonzero(apart < NEAR * (squares[rows, None] + squares))
        away = patterns[rows][near[0]] - patterns[near[1]]
        deltas[near], apart[near] = np.vecdot(patterns[rows][near[0]], away), np.vecdot(away, away)
        off_diagonal = np.arange(n)[rows, None] != np.arange(n)
        shape = (len(off_diagonal), n - 1)
        yield rows, deltas[off_diagonal].reshape(shape), np.sqrt(apart[off_diagonal]).reshape(shape)
