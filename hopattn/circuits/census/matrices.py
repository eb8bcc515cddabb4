"""Copying and composition from the matrices of heads, without products of the size of the model.

The formulas are those of `circuits/paths.py`. A head's matrices have a rank of at most its own dim, so that

    eigenvalues of O V Eᵀ U    are those of V Eᵀ U O, and zeros
    |W_in W_out|_F = |R_A B O R_Vᵀ|_F          W_in = A B,   A = Q_A R_A;   W_out = O V,   Vᵀ = Q_V R_V

since Q_A and Q_V keep every length. Biases, norms and turns of positions are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise

import numpy as np

from hopattn.circuits.census.table import head_name
from hopattn.circuits.paths import by_eigenvalues
from hopattn.foundation.arrays import widened
from hopattn.foundation.threads import Share
from hopattn.foundation.vectors import nonzero
from hopattn.transformer.heads import Head
from hopattn.transformer.multi_head import MultiHead

THROUGH = ("query_composition", "key_composition", "value_composition")
"""The ways in which a head reads what an earlier one wrote."""


@dataclass(frozen=True, eq=False)
class Written:
    """The writings of the heads of one layer. matrices: O R_Vᵀ of each, `(dim, rank)`, of unit length, side by side.

    starts: the first column of each. layer: the number of the layer.
    """

    layer: int
    matrices: np.ndarray
    starts: np.ndarray


def columns_of(heads: MultiHead) -> list[np.ndarray]:
    """The columns of the output matrix that belong to each head, `(dim, dim_out)`."""
    ends = [0, *accumulate(head.value.dims[0] for head in heads.heads)]
    return [np.asarray(heads.w_out)[:, start:stop] for start, stop in pairwise(ends)]


def written_by(layer: int, heads: MultiHead) -> Written:
    """The writings of the heads of a layer, for those of later layers."""
    writings = [
        _unit(wide(w_out) @ _factor(wide(head.w_value).T).T)
        for head, w_out in zip(heads.heads, columns_of(heads), strict=True)
    ]
    starts = [0, *accumulate(writing.shape[1] for writing in writings)][:-1]
    return Written(layer, _as_model(np.concatenate(writings, axis=1), heads), np.array(starts))


def compositions(heads: MultiHead, earlier: Sequence[Written], share: Share) -> dict[str, tuple[np.ndarray, list[str]]]:
    """The largest composition of each head with an earlier one, `(heads,)`, and that head as "layer.head"."""
    readings: dict[str, list[np.ndarray]] = {name: [] for name in THROUGH}
    for head, w_out in zip(heads.heads, columns_of(heads), strict=True):
        query, key, value = (wide(getattr(head, f"w_{role}")) for role in ("query", "key", "value"))
        for name, outer, inner in zip(THROUGH, (key.T, query.T, wide(w_out)), (query, key, value), strict=True):
            readings[name].append(_unit(_factor(outer) @ inner))
    names = [head_name(writings.layer, i) for writings in earlier for i in range(len(writings.starts))]
    maxima = {}
    for name, parts in readings.items():
        rows, starts = _as_model(np.concatenate(parts), heads), [0, *accumulate(map(len, parts))][:-1]
        of_layer = partial(_lengths, rows, np.array(starts))
        scores = np.concatenate(share(of_layer, [(writings,) for writings in earlier]), axis=1)
        largest = np.argmax(scores, axis=1)
        maxima[name] = scores.max(axis=1), [names[i] for i in largest]
    return maxima


def head_copying(head: Head, w_out: np.ndarray, through: np.ndarray | None) -> float:
    """Σλ/Σ|λ| of one head, as `hopattn.circuits.copying` has it by eigenvalues; NaN where all are 0.

    w_out: its columns of the output matrix. through: EᵀU, `(dim, dim)`, for the words; None for the vectors themselves.
    """
    value = wide(head.w_value)
    return by_eigenvalues((value if through is None else value @ through) @ wide(w_out))


def wide(matrix: np.ndarray) -> np.ndarray:
    """A matrix in double precision."""
    return np.asarray(widened(matrix), np.float64)


def _factor(matrix: np.ndarray) -> np.ndarray:
    """R of M = Q R, whose columns have the products of those of M."""
    return np.asarray(np.linalg.qr(matrix, mode="r"))


def _unit(matrix: np.ndarray) -> np.ndarray:
    return np.asarray(matrix / nonzero(np.linalg.norm(matrix)))


def _as_model(matrix: np.ndarray, heads: MultiHead) -> np.ndarray:
    """A matrix in the precision of the model: the products of all pairs of heads are most of the work."""
    return matrix.astype(np.result_type(np.float32, heads.w_out), copy=False)


def _lengths(readings: np.ndarray, rows: np.ndarray, writings: Written) -> np.ndarray:
    """|W_in W_out|_F for each pair of heads: the first rows of the later ones, and what the earlier ones write."""
    squares = (readings @ writings.matrices) ** 2
    return np.asarray(np.sqrt(np.add.reduceat(np.add.reduceat(squares, rows, axis=0), writings.starts, axis=1)))
