"""The capacity of a memory of outer products: how many keys of random directions one matrix leads to their values.

W = Σ_k v_k u_kᵀ          s_ji = v_j·W u_i = Σ_k (v_j·v_k)(u_k·u_i)          key i is recalled if s_ii is the largest
"""

import math

import numpy as np

from hopattn.foundation.scalars import positive, whole

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)
"""Points and weights for means over a normal distribution; the weights sum to √(2π)."""


def recall_width(n_keys: int, spread: float = 1.0) -> float:
    """√(8 n ln n): the width from which a memory of outer products loses about one of n random keys, or less.

    For unit vectors of dim d, s_ii − s_ji = 1 + noise. The noise is a sum of about 2n terms of variance 1/d², so that
    s_ji is the larger one with a probability of at most exp(−d²/4n). There are n² such pairs, and none is expected to
    fail from n² exp(−d²/4n) = 1 on, which is d² = 8 n ln n. The count is for large n: by `outer_product_recall`, at
    this width 0.8 of 65 keys are lost on average with spread 1, and 1.5 with spread 2; of 1024 keys 0.4 and 0.5.

    spread: d times the variance of the product u_i·u_j of two keys, by which the noise grows: √(8 spread n ln n). It is
    1 for random directions, and 2 for random directions that a matrix with entries of variance 1/d has mapped. Raises
    `InvalidInput` for fewer than two keys and a spread that is not positive. The derivation is ours; McEliece et al.
    (1987), IEEE Transactions on Information Theory 33, 461, count the patterns of a Hopfield network in the same way.

    >>> round(recall_width(65))
    47
    """
    n = whole(n_keys, "n_keys", least=2)
    return math.sqrt(8 * positive(spread, "spread") * n * math.log(n))


def outer_product_recall(n_keys: int, width: int, spread: float = 1.0) -> float:
    """The share of n random keys that a memory of outer products recalls, on average, from 0 to 1.

        E_z [E_a Φ(c (1 + σz) / √(σ² + κc²/d))]^(n−1)          c² = (1 − a)/(1 + a),     σ² = κ (n − 2)/d²

    Keys and values are independent random vectors of dim d = width. Alone, the pair of keys i and j adds (1 − a)(1 − b)
    to s_ii − s_ji, with a = v_i·v_j and b = u_i·u_j, of variance 1/d and κ/d. All others add the noise σz to s_ii, and
    a noise of correlation a with it to s_ji. z, a and b are taken as normal, and the rivals j as independent: a share
    above 1/4 is right to .06, and one above .95 to .02. Exact is the share of two keys, 1, and that of width 1, where
    all products are ±1 and ties are no recall. spread: κ, as for `recall_width`. Raises `InvalidInput` for
    fewer than two keys, a width below 1, and a spread that is not positive.

    >>> round(outer_product_recall(65, 32), 2), round(outer_product_recall(65, 64), 2)
    (0.81, 1.0)
    """
    n, d, wide = whole(n_keys, "n_keys", least=2), whole(width, "width"), positive(spread, "spread")
    if d == 1:  # all other values are opposite, and of the n − 1 products of the key no more are 1 than −1
        even = math.exp(math.lgamma(n) - 2 * math.lgamma((n + 1) / 2) - (n - 1) * math.log(2)) if n % 2 else 0.0
        return float((1 + even) * 0.5**n)
    if n == 2:
        return 1.0  # (1 − a)(1 − b) is never negative
    noise, weights = math.sqrt(wide * (n - 2)) / d, WEIGHTS / WEIGHTS.sum()
    alike = np.clip(NODES / math.sqrt(d), -0.999, 0.999)
    scale = np.sqrt((1 - alike) / (1 + alike))
    leads = scale * (1 + noise * NODES[:, None]) / np.sqrt(noise**2 + wide * scale**2 / d)
    ahead = np.array([0.5 * math.erfc(-lead / math.sqrt(2)) for lead in leads.flat]).reshape(leads.shape)
    return float(weights @ (ahead @ weights) ** (n - 1))
