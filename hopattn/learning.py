"""Learning: from patterns to couplings.

Each rule takes patterns `(n_patterns, N)`, finite numbers and usually ±1, and gives the couplings of N neurons,
`(N, N)`, W[i, j] from neuron j to neuron i. Without self-couplings the diagonal is 0. `associate` and `delta` take
pairs of patterns instead, and give the couplings from one side to the other.
"""

from typing import Any

import numpy as np

from hopattn.arrays import normalised, real, require_room, row_length, stored_rows, whole
from hopattn.errors import InvalidInput


def hebb(patterns: Any, self_coupling: bool = False) -> np.ndarray:
    """W_ij = (1/N) Σ_μ ξ_i ξ_j: neurons that are active together are coupled.

    Source: Hopfield (1982), PNAS 79, 2554, eq. 2 (their 2V − 1 is our ξ; theirs is not divided by N).

    >>> hebb([[1, -1], [1, 1]], self_coupling=True)
    array([[1., 0.],
           [0., 1.]])
    """
    rows = _patterns(patterns)
    return np.asarray(_diagonal(rows.T @ rows, self_coupling) / rows.shape[1])


def covariance(patterns: Any, self_coupling: bool = False) -> np.ndarray:
    """W_ij = (1/N) Σ_μ (ξ_i − a)(ξ_j − a), a the mean of all entries: Hebb's rule for patterns that are mostly silent.

    Source: Amit, Gutfreund & Sompolinsky (1987), Phys. Rev. A 35, 2293, eq. 2.5 (their a is ours).
    """
    rows = _patterns(patterns)
    return hebb(rows - rows.mean(), self_coupling)


def pseudo_inverse(patterns: Any, self_coupling: bool = True) -> np.ndarray:
    """W = (1/N) Σ_μν ξ^μ (Q⁻¹)_μν ξ^ν, Q_μν = ξ^μ·ξ^ν / N: the projection on the patterns, which are its fixed points.

    Without self-couplings a pattern is no longer mapped on itself, but its signs are. Raises `InvalidInput` naming the
    pattern that depends on those before it: then there is no Q⁻¹.
    Source: Personnaz, Guyon & Dreyfus (1985), J. Physique Lett. 46, L359; without the diagonal, Kanter & Sompolinsky
    (1987), Phys. Rev. A 35, 380.
    """
    rows = _patterns(patterns)
    _require_independent(rows)
    return _diagonal(rows.T @ np.linalg.solve(rows @ rows.T, rows), self_coupling)


def storkey(patterns: Any) -> np.ndarray:
    """W_ij ← W_ij + (1/N)(ξ_i ξ_j − ξ_i h_ji − h_ij ξ_j), pattern by pattern, with h_ij = Σ_{k≠i,j} W_ik ξ_k.

    There are no self-couplings. Each pattern is stored with what the network already says of it taken off; the order of
    the patterns matters.
    Source: Storkey & Valabregue (1999), Neural Networks 12, 869, eq. 1.
    """
    rows = _patterns(patterns)
    n = rows.shape[1]
    couplings = np.zeros((n, n))
    for pattern in rows:
        field = couplings @ pattern  # the diagonal is 0, so neuron i itself is left out already
        local = field[:, None] - couplings * pattern
        change = pattern[:, None] * local.T
        couplings = _diagonal(couplings + (np.outer(pattern, pattern) - change - change.T) / n, self_coupling=False)
    return couplings


def perceptron(patterns: Any, stability: float = 0.0, max_sweeps: int = 1000) -> np.ndarray:
    """W_i ← W_i + (1/N) ξ_i ξ for each pattern and neuron with ξ_i h_i ≤ κ |W_i|, until there is none.

    There are no self-couplings. Starts from Hebb's rule; every neuron learns by itself, so the couplings are not
    symmetric and have no energy. stability: Gardner's κ, 0 or more. Raises `InvalidInput` where some pattern is still
    unstable after `max_sweeps`: couplings can hold no more than 2N random patterns at κ = 0, and fewer at a larger κ.
    Source: Gardner (1988), J. Phys. A 21, 257, section 4.
    """
    rows = _patterns(patterns)
    if not (isinstance(stability, (int, float)) and 0 <= stability < float("inf")):
        raise InvalidInput(f"stability: expected a finite number of at least 0, not {stability!r}")
    n = rows.shape[1]
    couplings = _diagonal(
        rows.T @ rows, self_coupling=False
    )  # N times the couplings: whole numbers for ±1 patterns, so that a field of 0 is seen as 0
    for _ in range(whole(max_sweeps, "max_sweeps")):
        stable = True
        for pattern in rows:
            weak = pattern * (couplings @ pattern) <= stability * np.linalg.norm(couplings, axis=1)
            couplings = couplings + _diagonal(np.outer(weak * pattern, pattern), self_coupling=False)
            stable = stable and not weak.any()
        if stable:
            return np.asarray(couplings / n)
    raise InvalidInput(
        f"patterns: {len(rows)} patterns of {n} neurons are not all stable after {max_sweeps} sweeps; "
        "store fewer, ask for less stability, or allow more sweeps"
    )


def associate(left: Any, right: Any) -> np.ndarray:
    """W_ij = (1/N) Σ_μ y_i x_j: Hebb's rule from the patterns x of one side, `(n_patterns, N)`, to those of another.

    right: y, `(n_patterns, M)`. Gives `(M, N)`; where both sides are one it is Hebb's rule with self-couplings. Raises
    `InvalidInput` where the sides differ in number. Source: Kosko (1988), IEEE Trans. SMC 18, 49, eq. 7 (his M is the
    transpose of our W, and not divided by N).
    """
    cause, effect = _pairs(left, right)
    return np.asarray(effect.T @ cause / cause.shape[1])


def delta(keys: Any, values: Any, rate: float = 1.0, sweeps: int = 1) -> np.ndarray:
    """W ← W + η (v − W k) kᵀ / |k|², pair by pair: what the couplings already answer is taken off first.

    keys: `(n_patterns, dim)`, values: `(n_patterns, dim_out)`; gives `(dim_out, dim)`. rate: η, above 0 and below 2;
    at 1 a pair is learned at once, and overwrites what its key was paired with before. sweeps: how often all pairs are
    gone through; for independent keys all pairs are learned in the end (Kaczmarz's method). Raises `InvalidInput` for
    sides that differ in number, a key that is zero, and a rate or number of sweeps outside.
    Source: Widrow & Hoff (1960); as fast weights Schlag, Irie & Schmidhuber (2021), ICML, eq. 24 (their β is our η,
    their keys of length 1 are ours divided by |k|).
    """
    cues, answers = _pairs(keys, values)
    if real(rate, "rate", above=0.0) >= 2:
        raise InvalidInput(f"rate: expected a number below 2, not {rate:g}: from there on errors grow")
    for i, key in enumerate(cues):
        if not key.any():
            raise InvalidInput(f"keys: row {i} is zero; nothing can be learned from it")
    couplings = np.zeros((answers.shape[1], cues.shape[1]))
    for _ in range(whole(sweeps, "sweeps", most=100_000)):
        for key, value in zip(cues, answers, strict=True):
            error, length = value - couplings @ key, row_length(key)
            couplings = couplings + np.outer(rate * error / length, normalised(key))
    return couplings


def _pairs(left: Any, right: Any) -> tuple[np.ndarray, np.ndarray]:
    cause, effect = _patterns(left), _patterns(right)
    if len(cause) != len(effect):
        raise InvalidInput(f"patterns: {len(cause)} on one side, {len(effect)} on the other; expected pairs")
    return cause, effect


def _patterns(patterns: Any) -> np.ndarray:
    rows = stored_rows(patterns, "patterns")
    require_room(rows.shape[1] ** 2, f"couplings of {rows.shape[1]:,} neurons")
    return np.asarray(rows, dtype=float)


def _diagonal(couplings: np.ndarray, self_coupling: bool) -> np.ndarray:
    """The couplings with or without their diagonal."""
    return couplings if self_coupling else couplings * (1 - np.eye(len(couplings)))


def _require_independent(rows: np.ndarray) -> None:
    """Raise `InvalidInput` naming the first pattern that is a sum of multiples of those before it (Gram–Schmidt)."""
    basis: list[np.ndarray] = []
    for i, pattern in enumerate(rows):
        rest = pattern
        for _ in range(2):  # twice, so that rounding leaves nothing of the others
            rest = rest - sum((direction * (direction @ rest) for direction in basis), np.zeros_like(rest))
        length = float(np.linalg.norm(rest))
        if length <= 1e-10 * float(np.linalg.norm(pattern)):
            raise InvalidInput(f"patterns: row {i} depends on those before it; leave it out")
        basis.append(rest / length)
