"""The spread of a head's weight: the fewest keys that hold most of it, its entropy, its operating class (NumPy)."""

import numpy as np

from hopattn.foundation.arrays import Array, Mask, as_numpy, require_finite, shaped
from hopattn.foundation.boundary import public
from hopattn.foundation.checks import real
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.vectors import nonzero
from hopattn.foundation.writing import Word
from hopattn.retrieval.masks import resolve

MASS = 0.9
"""The share of a row's weight that Ramsauer et al. (2021) ask for."""
FEWEST_KEYS = 32
"""The least number of keys of a row that has an operating class: of fewer keys, one is already more than 1/32."""
NO_CLASS = f"not defined below {FEWEST_KEYS} keys"
"""The reason why rows of fewer keys have no operating class."""


class OperatingClass(Word):
    """The class of a head by the number of keys that share its weight; `meaning` describes it in a sentence."""

    I = "I", "it averages over most of the keys: nine tenths of the weight need more than a half"  # noqa: E741
    II = "II", "it averages over many keys: more than an eighth, at most a half"
    III = "III", "it averages over some keys: more than a thirty-second, at most an eighth"
    IV = "IV", "it averages over few keys, or takes a single one: at most a thirty-second"


BOUNDS = (1 / 2, 1 / 8, 1 / 32, 0.0)
"""The share of the keys that nine tenths of the weight exceed, of each class."""


def least_number(weights: Array, mass: float = MASS) -> np.ndarray:
    """The least number of weights that hold this share of their sum, `(…,)` for weights `(…, n_keys)`.

    weights: 0 or more; a row need not sum to 1. mass: above 0, at most 1. A row of zeros needs 0. A sum that falls
    short by rounding alone counts as reached. Raises `InvalidInput` for a weight below 0, a NaN or an infinity, and
    another mass. Source: Ramsauer et al. (2021), ICLR, section 3 (their k, with mass 0.9).

    >>> least_number([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]]).tolist()
    [3, 1]
    """
    share = real(mass, "mass", above=0.0, most=1.0)
    shares = shares_of(weights)
    sums = np.cumsum(-np.sort(-shares, axis=-1), axis=-1)
    short = sums < share * (1 - 4 * shares.shape[-1] * np.finfo(shares.dtype).eps)
    return np.asarray(np.where(shares.any(axis=-1), np.minimum(short.sum(axis=-1) + 1, shares.shape[-1]), 0))


def entropy(weights: Array) -> np.ndarray:
    """−Σ p ln p in nats with p = w / Σw, `(…,)` for weights `(…, n_keys)`: 0 for one key, ln n_keys for equal weights.

    A row of zeros gives 0. Raises `InvalidInput` as `least_number` does.

    >>> float(entropy([0.5, 0.5, 0.0]).round(4))
    0.6931
    """
    shares = shares_of(weights)
    return np.asarray(np.sum(shares * -np.log(nonzero(shares)), axis=-1))


@public
def operating_class(weights: Array, mask: Mask = None) -> OperatingClass:
    """The operating class of one head, from its weights `(n_queries, n_keys)`: I to IV, from averaging to single keys.

    k is the least number of weights that hold 90 % of a row, N the number of keys that the row may attend to by the
    mask (a name, a rule, or booleans that broadcast to the weights). The median of k/N over the rows decides: I above
    1/2, II above 1/8, III above 1/32, IV at most 1/32. A row with fewer than 32 keys has no class, because one key of
    31 is already more than 1/32; such a row does not count, nor does one with nothing to attend to. Raises
    `InvalidInput` for weights of another shape or below 0, a mask that does not fit, weights that are all 0, and where
    every row has fewer than 32 keys.
    Source: Ramsauer et al. (2021), ICLR, section 3 (where N is the same for all rows).

    >>> import hopattn as ha
    >>> even, one = [[1 / 32] * 32], [[1.0] + [0.0] * 31]
    >>> str(ha.retrieval.operating_class(even)), str(ha.retrieval.operating_class(one))
    ('I', 'IV')
    """
    rows = np.atleast_2d(shares_of(weights))
    if rows.ndim != 2:
        raise InvalidInput(f"weights: expected one head, (n_queries, n_keys), not shape {rows.shape}")
    allowed = resolve(mask, rows)
    visible = np.count_nonzero(np.broadcast_to(True if allowed is None else allowed, rows.shape), axis=-1)
    return class_of(least_number(rows), visible)


def class_of(least: np.ndarray, visible: np.ndarray) -> OperatingClass:
    """The class, from the least number k of keys and the number N of visible keys of each row, `(n_queries,)` each.

    Raises `InvalidInput` if no row has any weight, and if those that have some see fewer than 32 keys.
    """
    has_weight = (least > 0) & (visible > 0)
    if not has_weight.any():
        raise InvalidInput("weights: no row has any weight, so there is no operating class")
    has_class = has_weight & (visible >= FEWEST_KEYS)
    if not has_class.any():
        most = int(visible[has_weight].max())
        raise InvalidInput(f"weights: the operating class is {NO_CLASS}, and no row has more than {most}")
    middle = float(np.median(least[has_class] / visible[has_class]))
    return next(name for name, bound in zip(OperatingClass, BOUNDS, strict=True) if middle > bound)


def shares_of(weights: Array) -> np.ndarray:
    """The weights of each row divided by their sum; a zero row stays zero. Raises `InvalidInput` if a weight is < 0."""
    rows = shaped(as_numpy(weights, "weights"), "weights", "… n_keys")
    require_finite(rows, "weights")
    if (rows < 0).any():
        raise InvalidInput(f"weights: {rows.min():.6g} is below 0, so these are not shares")
    ratios = rows / nonzero(rows.max(axis=-1, keepdims=True))
    return np.asarray(ratios / nonzero(ratios.sum(axis=-1, keepdims=True)))
