"""Sums of values by features that are exponentials, Σ_j φ(k_j)·φ(q) v_j, each kept with its size as a logarithm.

The features come as their exponents: a = log φ(q), `(…, n, n_features)`, and b = log φ(k), `(…, m, n_features)`.
"""

from typing import NamedTuple

from hopattn.foundation.arrays import Array, namespace
from hopattn.foundation.traces import chosen, constant
from hopattn.foundation.vectors import nonzero
from hopattn.retrieval.features import least_sum, log_products, relative
from hopattn.retrieval.masks import PositionRule, like
from hopattn.retrieval.separation.scores import masked

FEW = 8
"""The number of words whose products are computed one pair at a time, where one product for all is not exact."""


class Part(NamedTuple):
    """A sum Σ_j φ(k_j)·φ(q) v_j over some keys, `(…, n, dim_out)`, divided by exp(top); top: `(…, n, 1)`, or None."""

    field: Array
    top: Array | None

    def merged(self, other: "Part") -> "Part":
        """The sum over the keys of both."""
        if self.top is None or other.top is None:
            return Part(self.field + other.field, None)
        xp = namespace(self.top, other.top)
        top = xp.where(self.top > other.top, self.top, other.top)
        return Part(xp.exp(self.top - top) * self.field + xp.exp(other.top - top) * other.field, top)


def couplings(b: Array, tops: Array, values: Array) -> Array:
    """Σ_j v_j φ(k_j)ᵀ with column i divided by exp(tops_i), `(…, dim_out, n_features)`; tops: `(…, n_features)`."""
    return values.mT @ namespace(b).exp(b - tops[..., None, :])


def read(a: Array, tops: Array, matrix: Array) -> Part:
    """The sum over all keys whose couplings these are.

    Each feature of a key is relative to the largest of all keys, and the product of a query's feature with that one is
    relative to the largest such product: what is lost is small beside the sum.
    """
    xp = namespace(a, tops)
    shifted = a + tops[..., None, :]
    top = constant(xp.max(shifted, axis=-1, keepdims=True))
    return Part(xp.exp(shifted - top) @ matrix.mT, top)


def among(a: Array, b: Array, values: Array, rule: PositionRule) -> Part:
    """The sum over the keys of a chunk that each of its queries sees by the rule, causal or strict.

    One product gives all scores, of features divided by the largest of their vector. Where the sum of a row is so small
    that it may have lost products, all sums are computed by halves, which is slower and loses nothing.
    """
    xp, n = namespace(a, b), b.shape[-2]
    (left, top), (right, tops) = relative(a), relative(b)
    products = left @ right.mT
    where, lowest = like(rule(n), products), -float(xp.finfo(products.dtype).max) / 4
    largest = constant(xp.max(masked(tops.mT, where, lowest), axis=-1, keepdims=True))
    sizes = masked(products * xp.exp(masked(tops.mT - largest, where)), where)
    lost = xp.any(where, axis=-1) & (xp.sum(sizes, axis=-1) < least_sum(a, n))

    def at_once() -> Part:
        most = nonzero(constant(xp.max(sizes, axis=-1, keepdims=True)))
        return Part((sizes / most) @ values, top + largest + xp.log(most))

    result: Part = chosen(xp.any(lost), lambda: _by_halves(a, b, values, rule), at_once)
    return result


def _by_halves(a: Array, b: Array, values: Array, rule: PositionRule) -> Part:
    """`among`: the later half of the queries sees all keys of the earlier half; each half by itself in the same way."""
    xp, n = namespace(a, b), b.shape[-2]
    if n <= FEW:
        return _by_pairs(a, b, values, rule)
    early, late = ((..., part, slice(None)) for part in (slice(None, n // 2), slice(n // 2, None)))
    tops = constant(xp.max(b[early], axis=-2))
    before = read(a[late], tops, couplings(b[early], tops, values[early]))
    halves = [_by_halves(a[half], b[half], values[half], rule) for half in (early, late)]
    fields, sizes = zip(halves[0], before.merged(halves[1]), strict=True)
    return Part(xp.concat(fields, axis=-2), xp.concat(sizes, axis=-2))


def _by_pairs(a: Array, b: Array, values: Array, rule: PositionRule) -> Part:
    """`among` by the logarithm of each score."""
    logs = log_products(a, b)
    xp = namespace(logs)
    where, lowest = like(rule(b.shape[-2]), logs), -float(xp.finfo(logs.dtype).max) / 4
    top = constant(xp.max(masked(logs, where, lowest), axis=-1, keepdims=True))
    return Part(masked(xp.exp(masked(logs - top, where)), where) @ values, top)
