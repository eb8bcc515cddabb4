"""Independent softmax attention: plain NumPy, one query at a time, and PyTorch's own if it is installed.

Results of hopattn are compared with these. To share no code with hopattn, this file imports nothing from it.
"""

from importlib.util import find_spec
from typing import NamedTuple

import numpy as np


class Referee(NamedTuple):
    """The result of an independent attention. name: the library. output: `(n_queries, dim_out)`."""

    name: str
    output: np.ndarray


def plain_attention(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, beta: float, mask: np.ndarray | None = None
) -> np.ndarray:
    """softmax(β q Kᵀ) V in float64, `(n_queries, dim_out)`.

    queries: `(n_queries, dim)`. keys: `(n_keys, dim)`. values: `(n_keys, dim_out)`. mask: boolean
    `(n_queries, n_keys)`, True = may attend; a row with no True gives 0. Source: Vaswani et al. (2017)
    (their √d_k is our 1/β).

    >>> plain_attention(np.array([[0.0, 10.0]]), np.eye(2), np.eye(2), 1.0).round(4)
    array([[0., 1.]])
    """
    output = np.zeros((len(queries), values.shape[1]))
    for i, query in enumerate(np.asarray(queries, dtype=np.float64)):
        allowed = np.arange(len(keys)) if mask is None else np.flatnonzero(mask[i])
        if allowed.size:
            scores = beta * (np.asarray(keys[allowed], dtype=np.float64) @ query)
            powers = np.exp(scores - scores.max())
            output[i] = (powers / powers.sum()) @ values[allowed]
    return output


def torch_attention(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, beta: float, mask: np.ndarray | None = None
) -> np.ndarray | None:
    """`plain_attention` by PyTorch's `scaled_dot_product_attention` in float64; None if PyTorch is not installed."""
    if find_spec("torch") is None:
        return None
    import torch

    q, k, v = (torch.tensor(np.asarray(array, dtype=np.float64)) for array in (queries, keys, values))
    allowed = None if mask is None else torch.tensor(np.asarray(mask))
    attended = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=allowed, scale=beta)
    output = np.asarray(attended.numpy())
    # PyTorch's result for a row with no True in the mask differs between its versions.
    return output if mask is None else np.where(np.any(mask, axis=-1, keepdims=True), output, 0.0)


def referees(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, beta: float, mask: np.ndarray | None = None
) -> list[Referee]:
    """The results of all independent attentions; the arguments are those of `plain_attention`."""
    results = [Referee("NumPy", plain_attention(queries, keys, values, beta, mask))]
    torch = torch_attention(queries, keys, values, beta, mask)
    return results if torch is None else [*results, Referee("PyTorch", torch)]


def rounding_bound(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, beta: float) -> float:
    """The largest difference of two float64 attentions by rounding alone: ε (2βS(dim + 3) + 2n + 8) max|v|.

    S is the largest |k||q|, n the number of keys. To first order, with u = ε/2: the error of a score, a sum of dim
    products, is at most dim·u·S. β, the shift by the maximum and their rounding add 3uS, so the error of the exponent
    is βS(dim + 3)u, and exp adds 2u. The sum over n powers, the quotient and the sum over n values add (2n + 4)u and
    the error of the powers once more. The errors of two computations may have opposite signs, which doubles the bound.
    """
    size = float(np.max(np.linalg.norm(queries, axis=-1)) * np.max(np.linalg.norm(keys, axis=-1)))
    n, dim = keys.shape
    return float(np.finfo(np.float64).eps * (2 * beta * size * (dim + 3) + 2 * n + 8) * np.max(np.abs(values)))
