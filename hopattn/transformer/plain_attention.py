"""Softmax attention written apart: plain NumPy, one query after the other, and PyTorch's own where it is installed.

What hopattn computes is held against these. They share nothing with it: this file imports nothing of hopattn.
"""

from importlib.util import find_spec
from typing import NamedTuple

import numpy as np


class Referee(NamedTuple):
    """An attention that nobody derived from a memory: its name, and its outputs `(n_queries, dim_out)`."""

    name: str
    output: np.ndarray


def plain_attention(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, beta: float, mask: np.ndarray | None = None
) -> np.ndarray:
    """softmax(β q Kᵀ) V in float64, `(n_queries, dim_out)`.

    queries: `(n_queries, dim)`; keys: `(n_keys, dim)`; values: `(n_keys, dim_out)`; mask: boolean
    `(n_queries, n_keys)`, True = may attend; a row with nothing to attend to gives 0. Source: Vaswani et al. (2017),
    eq. 1 (their √d_k is our 1/β).

    >>> plain_attention(np.array([[0.0, 10.0]]), np.eye(2), np.eye(2), 1.0).round(4)
    array([[0., 1.]])
    """
    output = np.zeros((len(queries), values.shape[1]))
    for i, query in enumerate(np.asarray(queries, dtype=np.float64)):
        seen = np.arange(len(keys)) if mask is None else np.flatnonzero(mask[i])
        if seen.size:
            scores = beta * (np.asarray(keys[seen], dtype=np.float64) @ query)
            powers = np.exp(scores - scores.max())
            output[i] = (powers / powers.sum()) @ values[seen]
    return output


def torch_attention(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, beta: float, mask: np.ndarray | None = None
) -> np.ndarray | None:
    """The same from PyTorch's `scaled_dot_product_attention` in float64; None where PyTorch is not installed."""
    if find_spec("torch") is None:
        return None
    import torch

    q, k, v = (torch.tensor(np.asarray(array, dtype=np.float64)) for array in (queries, keys, values))
    allowed = None if mask is None else torch.tensor(np.asarray(mask))
    attended = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=allowed, scale=beta)
    found = np.asarray(attended.numpy())
    # What PyTorch gives for a row with nothing to attend to has changed between its versions.
    return found if mask is None else np.where(np.any(mask, axis=-1, keepdims=True), found, 0.0)


def referees(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, beta: float, mask: np.ndarray | None = None
) -> list[Referee]:
    """What each attention written apart makes of the same queries, keys, values and mask."""
    found = [Referee("NumPy", plain_attention(queries, keys, values, beta, mask))]
    torch = torch_attention(queries, keys, values, beta, mask)
    return found if torch is None else [*found, Referee("PyTorch", torch)]


def rounding_bound(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, beta: float) -> float:
    """How far two attentions in float64 may lie apart by rounding alone: ε (2βS(dim + 3) + 2n + 8) max|v|.

    S is the largest |k||q|, n the number of keys. To first order, with u = ε/2: a score of dim products is off by
    dim·u·S at most, and β, the shift by the maximum and their rounding add 3uS, so that the exponent is off by
    βS(dim + 3)u and the power by 2u more; the sum over n powers, the quotient and the sum over n values add (2n + 4)u
    and the error of the powers a second time. Two computations may err in opposite ways, which doubles it.
    """
    size = float(np.max(np.linalg.norm(queries, axis=-1)) * np.max(np.linalg.norm(keys, axis=-1)))
    n, dim = keys.shape
    return float(np.finfo(np.float64).eps * (2 * beta * size * (dim + 3) + 2 * n + 8) * np.max(np.abs(values)))
