"""The Jacobian of the softmax: the change of each weight with each score.

    ∂p/∂s = β (diag p − p pᵀ)          entry i, j:  −β p_i p_j  for i ≠ j,     β p_i Σ_{j≠i} p_j  for i = j

The weights sum to 1, so that each diagonal entry is minus the sum of the others in its row: the Jacobian is β times the
Laplacian of a graph whose edges have the weights p_i p_j. Both functions below use this form. The difference p − p² of
the first one loses every digit where the softmax saturates, which is where the size of the Jacobian is asked for.
"""

from typing import Any

import numpy as np

from hopattn.foundation.arrays import Array, as_array, as_float, namespace, require_broadcast
from hopattn.foundation.errors import InvalidInput, reject_unknown
from hopattn.foundation.in_range import in_range
from hopattn.retrieval.separation.softmax import Softmax

SIZES = ("spectral", "frobenius", "largest")


@in_range
def softmax_jacobian(scores: Any, beta: float = 1.0, where: Any = None) -> np.ndarray:
    """∂p/∂s = β (diag p − p pᵀ) of the softmax p of each row of scores, `(…, n)` to `(…, n, n)`, in float64.

    Each matrix is symmetric and positive semi-definite, and its rows sum to 0. For scores that grow by a factor t it
    vanishes like exp(−βtΔ), where Δ is the lead of the largest score over the second: its largest singular value is
    from 2β p₁p₂ to 2β (1 − p₁), for the largest weight p₁ and the second p₂. Nothing is lost to rounding: a weight of
    1 − 1e-30 gives entries of 1e-30.

    beta: a positive number. where: boolean, True = may attend; it broadcasts to the scores. Rows and columns of masked
    entries are 0. Raises `InvalidInput` for scores that are no NumPy array or list of rows with at least one entry,
    for a mask that is not boolean or does not fit, and for another β.
    Source: Ramsauer et al. (2021), ICLR, J = β (diag p − p pᵀ) (their p is our p).

    >>> softmax_jacobian([0.0, 0.0])
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    rows = in_float64(scores, "scores")
    if rows.ndim == 0 or rows.shape[-1] == 0:
        raise InvalidInput(f"scores: expected (…, n) with at least one entry, not shape {rows.shape}")
    allowed = None if where is None else as_array(where, "where")
    if allowed is not None:
        if allowed.dtype != bool:
            raise InvalidInput(f"where: expected booleans, True = may attend, not {allowed.dtype}")
        require_broadcast(allowed, rows.shape, "where", "scores")
    separation = Softmax(beta=beta)
    p = separation.weights(rows, allowed)
    edges = separation.beta * (p[..., :, None] * p[..., None, :])
    diagonal = np.eye(rows.shape[-1], dtype=bool)
    edges[..., diagonal] = 0.0
    return np.asarray(np.where(diagonal, edges.sum(axis=-1, keepdims=True), -edges))


def softmax_backward(weights: np.ndarray, upstream: np.ndarray, beta: float) -> np.ndarray:
    """g_i = β p_i (u_i − Σ_j p_j u_j) for each row: the Jacobian times the upstream gradient u of the weights.

    weights, upstream: `(…, n)`. One number added to u changes nothing, so that u is taken relative to its entry at the
    largest weight. The mean Σ_j p_j u_j is then as small as the other weights and keeps its digits.
    """
    largest = np.argmax(weights, axis=-1, keepdims=True)
    relative = upstream - np.take_along_axis(upstream, largest, axis=-1)
    return np.asarray(beta * weights * (relative - np.sum(weights * relative, axis=-1, keepdims=True)))


def size(matrices: np.ndarray, kind: str = "spectral") -> np.ndarray:
    """The size of symmetric matrices `(…, n, n)`: the largest singular value, the root of the sum of squares, or the
    largest entry without its sign.

    Each matrix is divided by its largest entry first, so that no square underflows. Raises `InvalidInput` for a kind
    other than "spectral", "frobenius" and "largest".
    """
    reject_unknown("kind", [kind], SIZES)
    largest = np.abs(matrices).max(axis=(-2, -1))
    if kind == "largest":
        return np.asarray(largest)
    scaled = matrices / np.where(largest == 0, 1.0, largest)[..., None, None]
    if kind == "spectral":
        return np.asarray(largest * np.abs(np.linalg.eigvalsh(scaled)).max(axis=-1))
    return np.asarray(largest * np.sqrt(np.sum(scaled * scaled, axis=(-2, -1))))


def in_float64(values: Any, what: str, like: Array | None = None) -> np.ndarray:
    """The values as a NumPy array in float64; raises `InvalidInput` for arrays of another library."""
    array = as_float(values, what, like)
    if not isinstance(array, np.ndarray):
        library = namespace(array).__name__.rpartition(".")[2]
        raise InvalidInput(f"{what}: expected a NumPy array, not one of {library}, which differentiates by itself")
    return array.astype(np.float64, copy=False)
