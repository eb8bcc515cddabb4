"""Learned similarities: scores by matrices that a network learns, so that cue and key may differ in dim.

They carry their matrices with them, so no name stands for them: give an object, `Head(…, similarity=Bilinear(matrix))`.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from hopattn.foundation.arrays import Array, as_float, as_matrix, namespace, require_dim
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.in_range import in_range
from hopattn.foundation.vectors import linear, row_length
from hopattn.retrieval.similarity import Similarity


@dataclass(frozen=True, eq=False)
class Bilinear(Similarity):
    """s_μ = xᵀ W k_μ, any real number; the dot product where W is the identity.

    matrix: W, `(dim of the cues, dim of the keys)`: it maps a key to a cue. The score (W₁x)·(W₂k) of two matrices is
    W = W₁ᵀW₂. Raises `InvalidInput` for another shape, and for cues or keys that do not fit it.
    Source: Luong, Pham & Manning (2015), EMNLP, section 3.1, "general" (their W_a is our W, h_t our cue, h̄_s our key).

    >>> import numpy as np
    >>> Bilinear([[1.0, 0.0, 2.0], [0.0, 1.0, 0.0]])(np.array([[1.0, 10.0]]), np.eye(3))
    array([[ 1., 10.,  2.]])
    """

    matrix: Any
    source: ClassVar[str] = "Luong et al. 2015"

    def __post_init__(self) -> None:
        object.__setattr__(self, "matrix", as_matrix(self.matrix, "matrix"))

    @in_range
    def __call__(self, cues: Array, keys: Array) -> Array:
        cues, keys = _texts(cues, keys, self.matrix)
        require_dim(cues, self.matrix.shape[0], "cues", "the rows of the bilinear similarity's matrix")
        require_dim(keys, self.matrix.shape[1], "keys", "the bilinear similarity's matrix")
        return linear(cues, self.matrix.mT) @ keys.mT

    def rounding(self, cues: Array, keys: Array) -> Array:
        """The largest rounding error of a score that is 0: ε · (both dims) · |x||W||k|, with W's Frobenius norm."""
        eps = float(namespace(cues).finfo(cues.dtype).eps)
        own, stored = row_length(cues), row_length(keys)
        size = eps * sum(self.matrix.shape) * _length(self.matrix)
        return size * (own * stored if cues.ndim == 1 else own[..., None] * stored[..., None, :])


@dataclass(frozen=True, eq=False)
class Additive(Similarity):
    """s_μ = vᵀ tanh(W x + U k_μ), from −Σ|v| to Σ|v|: a network with one hidden layer compares cue and key.

    w_cue: W, `(dim_hidden, dim of the cues)`. w_key: U, `(dim_hidden, dim of the keys)`. v: `(dim_hidden,)`. The
    computation holds the hidden layer of all pairs, `(…, n_cues, n_patterns, dim_hidden)`. Raises `InvalidInput` for
    matrices that do not fit one another, and for cues or keys that do not fit them.
    Source: Bahdanau, Cho & Bengio (2015), ICLR, appendix A.1.2 (their W_a, U_a, v_a; s_{i−1} is our cue, h_j our key).

    >>> import numpy as np
    >>> Additive([[1.0]], [[1.0]], [2.0])(np.array([[0.5]]), np.array([[-0.5], [9.5]])).round(3)
    array([[0., 2.]])
    """

    w_cue: Any
    w_key: Any
    v: Any
    by_entries: ClassVar[bool] = True
    source: ClassVar[str] = "Bahdanau et al. 2015"

    def __post_init__(self) -> None:
        w_cue = as_matrix(self.w_cue, "w_cue")
        w_key, v = as_matrix(self.w_key, "w_key", like=w_cue), as_float(self.v, "v", like=w_cue)
        if w_key.shape[0] != w_cue.shape[0]:
            raise InvalidInput(f"w_key: {w_key.shape[0]} rows do not fit the {w_cue.shape[0]} rows of w_cue")
        if tuple(v.shape) != (w_cue.shape[0],):
            raise InvalidInput(
                f"v: expected ({w_cue.shape[0]},), one number for each row of w_cue, not {tuple(v.shape)}"
            )
        for name, array in (("w_cue", w_cue), ("w_key", w_key), ("v", v)):
            object.__setattr__(self, name, array)

    @in_range
    def __call__(self, cues: Array, keys: Array) -> Array:
        cues, keys = _texts(cues, keys, self.w_cue)
        require_dim(cues, self.w_cue.shape[1], "cues", "the additive similarity's w_cue")
        require_dim(keys, self.w_key.shape[1], "keys", "the additive similarity's w_key")
        own, stored = linear(cues, self.w_cue), linear(keys, self.w_key)
        hidden = own[..., None, :] + (stored if cues.ndim == 1 else stored[..., None, :, :])
        return namespace(hidden).tanh(hidden) @ self.v

    def rounding(self, cues: Array, keys: Array) -> Array:
        """The largest rounding error of a score that is 0: that of both products, of tanh, and of the sum over v."""
        xp = namespace(cues)
        own = self.w_cue.shape[1] * _length(self.w_cue) * row_length(cues)
        stored = self.w_key.shape[1] * _length(self.w_key) * row_length(keys)
        of_pairs = own + stored if cues.ndim == 1 else own[..., None] + stored[..., None, :]
        return float(xp.finfo(cues.dtype).eps) * xp.sum(xp.abs(self.v)) * (of_pairs + self.v.shape[0] + 4)


def _texts(cues: Any, keys: Any, matrix: Array) -> tuple[Array, Array]:
    """Cues and keys as arrays; raises `InvalidInput` for keys that are no rows."""
    own, stored = as_float(cues, "cues", like=matrix), as_float(keys, "keys", like=matrix)
    if stored.ndim < 2:
        raise InvalidInput(f"keys: expected (…, n_patterns, dim), not shape {tuple(stored.shape)}")
    return own, stored


def _length(matrix: Array) -> Array:
    """The Frobenius norm of a matrix, which bounds |W x| / |x|."""
    return row_length(namespace(matrix).reshape(matrix, (-1,)))
