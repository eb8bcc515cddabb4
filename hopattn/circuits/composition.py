"""Composition: how much of what one head writes a later head reads, beside matrices that have nothing to do with it.

    C = |W_in W_out|_F / (|W_in|_F |W_out|_F)

For keys W_in is W_QᵀW_K of the later head, for queries its transpose, for values its W_O W_V. W_out is W_O W_V of the
earlier head.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hopattn.circuits.given_matrices import numpy_matrix
from hopattn.foundation.arrays import require_dim
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.objects import instance
from hopattn.foundation.scalars import REPEATED, real, whole
from hopattn.foundation.seeds import Seed, generator
from hopattn.transformer.heads import Head

ROUNDING = 1e-12
"""Draws whose deviation is this part of their mean, or less, differ by rounding alone."""


@dataclass(frozen=True)
class Baseline:
    """Composition scores of random matrices: their mean, their standard deviation, and the number of draws."""

    mean: float
    deviation: float
    n_draws: int

    def deviations(self, score: float) -> float:
        """The distance of a score from the mean in deviations; raises `InvalidInput` if all draws are alike."""
        if self.deviation <= ROUNDING * self.mean:
            told = "all draws have the same score, as with dim 1 or a rotation, so that there is no scale"
            raise InvalidInput(f"deviations: {told}")
        return (real(score, "score") - self.mean) / self.deviation


@dataclass(frozen=True)
class Compositions:
    """The composition of a later head with an earlier one through its queries, its keys and its values."""

    query: float
    key: float
    value: float


def composition(w_out: Any, w_in: Any) -> float:
    """|W_in W_out|_F / (|W_in|_F |W_out|_F), from 0 to 1.

    w_out: what the earlier head writes, `(dim, dim_read)`. w_in: what the later head reads, `(dim_written, dim)`. 0: it
    reads nothing of it. 1: both have rank 1, and it reads just what is written. Matrices of rank r with equal singular
    values reach 1/√r at most. A matrix that is turned at random has C² = 1/dim on average, whatever its rank: see
    `composition_baseline`. Raises `InvalidInput` for matrices that do not fit, are not finite, or are all 0.
    Source: Elhage et al. (2021), Virtual attention heads and composition.

    >>> composition([[1.0], [0.0]], [[1.0, 0.0]]), composition([[1.0], [0.0]], [[0.0, 1.0]])
    (1.0, 0.0)
    """
    written, read = _normalised(w_out, w_in)
    return float(np.linalg.norm(read @ written))


def composition_baseline(w_out: Any, w_in: Any, n_draws: int = 100, *, seed: Seed = None, rng: Seed = None) -> Baseline:
    """The composition of the same two matrices where the later one reads turned directions, a random turn each draw.

        C² = |W_in R W_out|_F² / (|W_in|_F² |W_out|_F²)          R uniform over all rotations and reflections

    A turn keeps every singular value, so that rank and shape are those of the heads. Over all turns the mean of C² is
    1/dim: E R W_out W_outᵀ Rᵀ commutes with every turn, so it is |W_out|_F²/dim times the identity. The mean of C is
    therefore at most 1/√dim. n_draws: at least 2. seed, rng: a whole number or a generator. Raises `InvalidInput` as
    `composition` does, and for fewer draws.
    Source: Elhage et al. (2021), who subtract the score of random matrices of the same shape; the turn is ours.

    >>> import numpy as np
    >>> found = composition_baseline(np.eye(16)[:, :4], np.eye(16)[:4], seed=0)
    >>> abs(found.mean - 0.25) < 0.02, found.deviations(composition(np.eye(16)[:, :4], np.eye(16)[:4])) > 4
    (True, True)
    """
    written, read = _normalised(w_out, w_in)
    draws, random = whole(n_draws, "n_draws", least=2, most=REPEATED), generator(seed, rng)
    scores = [float(np.linalg.norm(read @ _turn(random, len(written)) @ written)) for _ in range(draws)]
    return Baseline(float(np.mean(scores)), float(np.std(scores, ddof=1)), draws)


def head_compositions(earlier: Head, later: Head, w_out: Any = None, later_w_out: Any = None) -> Compositions:
    """The composition of two heads of one model through queries, keys and values.

    w_out, later_w_out: the columns of the output matrix of the earlier and of the later layer that belong to the head,
    `(dim, dim_out)`; without it the head's output is added as it is. Biases do not count. Raises `InvalidInput` for
    heads that do not fit one another.
    Source: Elhage et al. (2021), Path expansion of attention scores QK circuit: |W_QKᵀ W_OV|, |W_QK W_OV| and
    |W_OV W_OV| for queries, keys and values, each over the norms of both matrices.
    """
    written = _ov(instance(earlier, Head, "earlier"), w_out, ("earlier", "w_out"))
    keys = _qk(instance(later, Head, "later"))
    reads = {"query": keys.T, "key": keys, "value": _ov(later, later_w_out, ("later", "later_w_out"))}
    return Compositions(**{name: composition(written, read) for name, read in reads.items()})


def _ov(head: Head, w_out: Any, names: tuple[str, str]) -> np.ndarray:
    """W_O W_V, `(dim, dim)`, or W_V where there is no W_O. names: of the head and of W_O, for messages."""
    values = numpy_matrix(head.w_value, names[0])
    if w_out is None:
        return values
    out = numpy_matrix(w_out, names[1])
    require_dim(out, len(values), names[1], f"the values of the {names[0]} head")
    return np.asarray(out @ values)


def _qk(head: Head) -> np.ndarray:
    """W_QᵀW_K, `(dim, dim)`: row i, column j is the score of a query at element i and a key at element j."""
    return np.asarray(numpy_matrix(head.w_query, "later").T @ numpy_matrix(head.w_key, "later"))


def _normalised(w_out: Any, w_in: Any) -> tuple[np.ndarray, np.ndarray]:
    """Both matrices divided by their norms."""
    written, read = numpy_matrix(w_out, "w_out"), numpy_matrix(w_in, "w_in")
    require_dim(read, len(written), "w_in", "w_out")
    for matrix, name in ((written, "w_out"), (read, "w_in")):
        if not matrix.any():
            raise InvalidInput(f"{name}: all entries are 0, so that it has no direction to compare")
    written, read = written / np.abs(written).max(), read / np.abs(read).max()
    return written / np.linalg.norm(written), read / np.linalg.norm(read)


def _turn(rng: np.random.Generator, dim: int) -> np.ndarray:
    """A uniform random orthogonal matrix, `(dim, dim)`: Q of a Gaussian matrix, with the signs of R's diagonal."""
    q, r = np.linalg.qr(rng.standard_normal((dim, dim)))
    return np.asarray(q * np.where(np.diagonal(r) < 0, -1.0, 1.0))
