"""Learning: from patterns to couplings.

Each rule takes patterns `(n_patterns, N)`, finite numbers and usually ±1, and gives the couplings of N neurons,
`(N, N)`, W[i, j] from neuron j to neuron i. Without self-couplings the diagonal is 0.
"""

from typing import Any

import numpy as np

from hopattn.arrays import as_float, require_finite, whole
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


def _patterns(patterns: Any) -> np.ndarray:
    rows = as_float(patterns, "patterns")
    if rows.ndim != 2 or 0 in rows.shape:
        raise InvalidInput(
            f"patterns: expected (n_patterns, N) with at least one pattern, not shape {tuple(rows.shape)}"
        )
    require_finite(rows, "patterns")
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
