"""Features: maps φ of cues and keys whose products are scores, s = φ(k)·φ(x).

Add features by adding a frozen dataclass here.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache, partial
from typing import Annotated, ClassVar

import numpy as np

from hopattn.foundation.arrays import Array, in_numbers_of, namespace
from hopattn.foundation.boundary import Count, Declared, Flag, Of, Positive, public
from hopattn.foundation.checks import Seed, real, require_room, require_time, whole_seed
from hopattn.foundation.registry import Registry
from hopattn.foundation.threads import blocks
from hopattn.foundation.traces import cond, detached
from hopattn.foundation.vectors import random_rotation, rectified


@dataclass(frozen=True)
class Features(ABC):
    """A map φ of vectors `(…, dim)` to features `(…, n_features)`, whose products are the scores."""

    nonnegative: ClassVar[bool] = False
    """True where no feature is below 0: only then can scores be divided by their sum."""

    @abstractmethod
    def __call__(self, x: Array) -> Array: ...

    def kernel(self, cues: Array, keys: Array) -> Array:
        """φ(k)·φ(x): cues `(…, n_cues, dim)` or `(dim,)`, keys `(…, n, dim)`; gives `(…, n_cues, n)` or `(n,)`."""
        return self(cues) @ self(keys).mT


@dataclass(frozen=True)
class Identity(Features):
    """φ(x) = x."""

    def __call__(self, x: Array) -> Array:
        return x


@dataclass(frozen=True)
class Relu(Features):
    """φ(x) = max(x, 0), entry by entry."""

    nonnegative: ClassVar[bool] = True

    def __call__(self, x: Array) -> Array:
        return rectified(x)


@dataclass(frozen=True)
class Elu(Features):
    """φ(x) = elu(x) + 1, entry by entry: x + 1 above 0, exp(x) below. Source: Katharopoulos et al. (2020), ICML."""

    nonnegative: ClassVar[bool] = True

    def __call__(self, x: Array) -> Array:
        xp = namespace(x)
        return xp.where(x > 0, x + 1, xp.exp(xp.where(x > 0, 0.0, x)))


@dataclass(frozen=True)
class RandomFeatures(Declared, Features):
    """φ_i(x) = exp(√β ω_i·x − β|x|²/2) / √n: positive random features, whose product estimates exp(β k·x).

    With a damping a > 0, φ_i(x) = (1 + 4a)^(dim/4) exp(−a|ω_i|² + √((1 + 4a)β) ω_i·x − β|x|²/2) / √n.

    Parameters
    ----------
    n : the number of features.
    rng
        a seed, or a generator, which gives one; by default one is drawn. The object keeps it, so that every call has
        the same features.
    orthogonal
        directions ω_i that are orthogonal in each group of `dim`, with the lengths of normal vectors; False:
        independent normal vectors.
    beta : β, 1 by default; attention's own is 1/√dim.
    damping : a, 0 or more, by which long ω_i count less; `best_damping` of this module gives that of the least error.

    Raises
    ------
    InvalidInput
        for an n below 1, a β that is not positive, a negative damping, and anything but a seed or a generator.

    Notes
    -----
    The same seed gives the same directions for vectors of one dim.

    The mean of φ(k)·φ(x) over the seeds is exp(β k·x). The error falls like 1/√n, and grows with |k + x|; undamped and
    independent, it is √(exp(β|k + x|²) − 1)/√n of the mean. Source: Choromanski et al. (2021), ICLR (their m is our n;
    they scale q and k by d^(−1/4), which is our β); with a damping Likhosherstov et al. (2022), NeurIPS, "Chefs' random
    tables" (their A is our −a).

    Examples
    --------
    >>> import hopattn as ha, numpy as np
    >>> phi = ha.retrieval.RandomFeatures(4096, rng=0)
    >>> scores = phi.kernel(np.array([0.6, 0.8]), np.array([[1.0, 0.0], [-1.0, 0.0]]))
    >>> bool(np.allclose(scores, np.exp([0.6, -0.6]), rtol=0.1))
    True
    """

    nonnegative: ClassVar[bool] = True

    n: Count = 256
    _: KW_ONLY
    rng: Seed = None
    orthogonal: Flag = True
    beta: Positive = 1.0
    damping: Annotated[float, partial(real, least=0.0)] = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "rng", whole_seed(self.rng))

    def directions(self, dim: int) -> np.ndarray:
        """ω, `(n, dim)`: the directions for vectors of this dim, as an array of the caller's own."""
        return _directions(self.n, dim, self.rng, self.orthogonal).copy()

    def exponents(self, x: Array) -> Array:
        """log φ(x), `(…, n)`, finite for every finite x."""
        z = self._scaled(x)
        return self.projections(x) - 0.5 * namespace(x).sum(z * z, axis=-1, keepdims=True)

    def projections(self, x: Array) -> Array:
        """log φ(x) + β|x|²/2, `(…, n)`: what differs from feature to feature, with all its digits for a long x."""
        a, directions = self.damping, self.directions(x.shape[-1])
        logs = math.sqrt(1 + 4 * a) * self._scaled(x) @ in_numbers_of(x, directions).mT - 0.5 * math.log(self.n)
        if a == 0:
            return logs
        damping_terms = 0.25 * int(x.shape[-1]) * math.log1p(4 * a) - a * np.sum(directions * directions, axis=-1)
        return logs + in_numbers_of(x, damping_terms)

    def _scaled(self, x: Array) -> Array:
        """√β x; √β and each entry count as at most the fourth root of the largest number."""
        xp = namespace(x)
        bound = float(xp.finfo(x.dtype).max) ** 0.25
        root = min(max(math.sqrt(self.beta), 1 / bound), bound)
        return root * xp.clip(x, -bound / root, bound / root)

    @public
    def __call__(self, x: Annotated[Array, Of("… dim")]) -> Array:
        """φ(x), `(…, n)`; a feature is at most the fourth root of the largest number."""
        return _exp(self.exponents(x), 0.25)

    def log_kernel(self, cues: Array, keys: Array) -> Array:
        """log φ(k)·φ(x), `(…, n_cues, n)` or `(n,)`: finite for every finite cue and key."""
        a, b = self.exponents(cues), self.exponents(keys)
        return log_products(a, b) if cues.ndim > 1 else log_products(a[None, :], b)[..., 0, :]

    def kernel(self, cues: Array, keys: Array) -> Array:
        """φ(k)·φ(x), above 0; beyond the square root of the range of the numbers it counts as the nearest inside."""
        return _exp(self.log_kernel(cues, keys), 0.5)


def best_damping(square: float, dim: int) -> float:
    """The damping of the least error for vectors of this dim with β|k + x|² = square, above 0.

    Of independent ω_i, the mean square of an estimate is (1 + 4a)^dim (1 + 8a)^(−dim/2) exp(square/(1 + 8a)) of the
    squared mean. Source: Likhosherstov et al. (2022), theorem 3.4 (their ρ is our 1/(1 + 8a)).
    """
    twice = 2 * square + dim
    inverse = (math.hypot(twice, math.sqrt(8 * dim * square)) + twice) / (2 * dim)  # 1/ρ
    return max(0.0, (inverse - 1) / 8)


def log_products(a: Array, b: Array) -> Array:
    """log Σ_i exp(a_i + b_i), `(…, n, m)`, of exponents a `(…, n, n_features)` and b `(…, m, n_features)`.

    The features of each vector are divided by their largest, so that one matrix product gives all sums. A sum may be so
    small that products below the range of the numbers count; then the logarithms of its products give it again.
    """
    xp = namespace(a, b)
    (left, top), (right, tops) = relative(a), relative(b)
    sums = left @ right.mT
    underflow = sums < least_sum(a)
    logs = xp.log(xp.where(underflow, 1.0, sums)) + top + tops.mT
    return cond(xp.any(underflow), lambda: xp.where(underflow, _by_pairs(a, b, underflow), logs), lambda: logs)


def relative(exponents: Array) -> tuple[Array, Array]:
    """The features scaled so that the largest of each row is 1, and the logarithm of that scale, `(…, 1)`, a constant.

    tiny is the smallest number with all its digits; below it, products would take many times as long.
    """
    xp = namespace(exponents)
    top = detached(xp.max(exponents, axis=-1, keepdims=True))
    lowest = math.log(float(xp.finfo(exponents.dtype).smallest_normal)) + 1e-3
    return xp.exp(xp.clip(exponents - top, lowest, None)), top


def least_sum(exponents: Array, n: int = 1) -> float:
    """The least sum of products of `relative` features of n keys that loses nothing; each may be wrong by 2 tiny."""
    finfo = namespace(exponents).finfo(exponents.dtype)
    n_features: int = exponents.shape[-1]
    return 4.0 * n * n_features * float(finfo.smallest_normal) / float(finfo.eps)


def _by_pairs(a: Array, b: Array, where: Array) -> Array:
    """log Σ_i exp(a_i + b_i), `(…, n, m)`, pair by pair; of NumPy arrays, only at the pairs of the mask `where`."""
    if not isinstance(where, np.ndarray):
        return _log_sums(a[..., :, None, :] + b[..., None, :, :])
    pairs, logs, n = np.nonzero(where), np.zeros(where.shape, a.dtype), a.shape[-1]
    left = np.broadcast_to(a, (*where.shape[:-1], n))
    right = np.broadcast_to(b, (*where.shape[:-2], where.shape[-1], n))
    for part in blocks(len(pairs[0]), max(1, 2**16 // n)):
        *batch, i, j = (axis[part] for axis in pairs)
        logs[(*batch, i, j)] = _log_sums(left[(*batch, i)] + right[(*batch, j)])
    return logs


def _log_sums(logs: Array) -> Array:
    """log Σ exp of each row, `(…,)`."""
    xp = namespace(logs)
    top = detached(xp.max(logs, axis=-1, keepdims=True))
    return top[..., 0] + xp.log(xp.sum(xp.exp(logs - top), axis=-1))


def _exp(x: Array, power: float) -> Array:
    """exp(x), no more than this power of the largest number, and no less than its inverse."""
    bound = power * math.log(float(namespace(x).finfo(x.dtype).max))
    return namespace(x).exp(namespace(x).clip(x, -bound, bound))


@lru_cache(maxsize=64)
def _directions(n: int, dim: int, seed: int, orthogonal: bool) -> np.ndarray:
    """Standard normal vectors, `(n, dim)`: independent, or orthogonal in groups of dim."""
    what, groups = f"RandomFeatures: {n:,} directions of dim {dim:,}", -(-n // dim) * orthogonal
    require_room(4 * n * dim, what)
    require_time(100 * n * dim + groups * (20_000 + 4 * dim**3), what)
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, dim))
    if not orthogonal:
        return rows
    axes = [random_rotation(rng, dim).T for _ in range(groups)]
    return np.asarray(np.linalg.norm(rows, axis=1)[:, None] * np.concatenate(axes)[:n])


feature_maps: Registry[Features] = Registry("phi", Features, [__name__])


def kept(phi: str | Features) -> str | Features:
    """The features that an object keeps: those that draw when they are made are made once, for all its calls."""
    made = feature_maps.make(phi)
    return made if isinstance(made, RandomFeatures) else phi
