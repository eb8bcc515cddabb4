"""Linear attention with the delta rule: each word corrects what the state answers to its key.

W_t = W_{t−1} + η_t (v_t − W_{t−1} φ(k_t)) φ(k_t)ᵀ / |φ(k_t)|²          output = W_t φ(q_t)
"""

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np

from hopattn.foundation.arrays import Array, NumberOrArray, as_float, in_numbers_of, namespace, widened
from hopattn.foundation.boundary import Count, Text, finite, public
from hopattn.foundation.checks import real
from hopattn.foundation.shapes import require_broadcast
from hopattn.foundation.vectors import normalised, row_length
from hopattn.retrieval.features import Features, kept
from hopattn.retrieval.separation.base import masked
from hopattn.transformer.linear_state import StateOfText, Values, by_chunks


@dataclass(frozen=True, eq=False)
class DeltaState(StateOfText):
    """The state of a text under the delta rule: a matrix W. A later pair overwrites the earlier value of its key.

    Parameters
    ----------
    features, dims, length : as of `ha.transformer.LinearState`.
    couplings : W, `(…, dim_out, n_features)`; None before the first key.

    Raises
    ------
    InvalidInput : for unknown features.

    Notes
    -----
    The next state comes from `extended` or `attended`; its size does not grow. Source: Schlag, Irie & Schmidhuber
    (2021), ICML (their β is our η; they divide φ by the sum of its entries, not by its length, so that at their β = 1 a
    pair is not stored exactly).

    Examples
    --------
    >>> import hopattn as ha
    >>> _, state = ha.transformer.DeltaState().attended([[1.0, 0.0]] * 2, [[1.0, 0.0]] * 2, [[3.0], [5.0]])
    >>> state.read([[1.0, 0.0]])
    array([[5.]])
    """

    features: str | Features = "identity"
    _: KW_ONLY
    couplings: Array = None
    dims: tuple[int, int] | None = None
    length: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", kept(self.features))

    @public
    def read(self, q: Text) -> Array:
        """W φ(q), `(…, n, dim_out)`, of queries `(…, n, dim)`; raises `InvalidInput` for a state without keys."""
        self._require_keys()
        return namespace(q).astype(self.phi(widened(q)) @ self.couplings.mT, q.dtype)

    @public(may_be=finite)
    def extended(self, k: Text, v: Values, *, rate: NumberOrArray = 1.0, chunk: Count = 64) -> "DeltaState":
        """The state behind further keys `(…, n, dim)` and values `(…, n, dim_out)`; the rest is as in `attended`."""
        return by_chunks(self, (k, k, v, _rates(rate, widened(k))), chunk, DeltaState._next)[1]

    @public(may_be=finite)
    def attended(
        self, q: Text, k: Text, v: Values, *, rate: NumberOrArray = 1.0, chunk: Count = 64
    ) -> tuple[Array, "DeltaState"]:
        """The outputs of further words, each read after its own key is learned, and the state behind them.

        Parameters
        ----------
        q, k : (…, n, dim)
        v : (…, n, dim_out)
        rate, chunk : see `ha.transformer.delta_attention`, which raises the same.
        """
        return by_chunks(self, (q, k, v, _rates(rate, widened(k))), chunk, DeltaState._next)

    def _next(self, q: Array, k: Array, v: Array, rates: Array) -> tuple[Array, "DeltaState"]:
        """The outputs of one chunk of words, and the state behind it.

        The errors e of its words, for keys u of length 1, solve e_i = v_i − W u_i − Σ_{j<i} η_j (u_j·u_i) e_j.
        """
        xp, cues, keys = namespace(q, k, v), self.phi(q), self.phi(k)
        units, lengths = normalised(keys), row_length(keys)[..., None]
        normal = lengths >= float(xp.finfo(lengths.dtype).smallest_normal)
        units, targets = masked(units, normal), v / xp.where(normal, lengths, 1.0)
        products = xp.tril(units @ units.mT, k=-1) * rates.mT
        residuals = targets if self.couplings is None else targets - units @ self.couplings.mT
        errors = xp.linalg.solve(products + in_numbers_of(products, np.eye(products.shape[-1])), residuals)
        changes = rates * errors
        outputs, couplings = xp.tril(cues @ units.mT) @ changes, changes.mT @ units
        if self.couplings is not None:
            outputs, couplings = outputs + cues @ self.couplings.mT, couplings + self.couplings
        dims, length = (k.shape[-1], v.shape[-1]), self.length + k.shape[-2]
        return outputs, replace(self, couplings=couplings, dims=dims, length=length)


@public
def delta_attention(
    q: Array, k: Array, v: Array, *, rate: NumberOrArray = 1.0, features: str | Features = "identity", chunk: Count = 64
) -> Array:
    """Causal linear attention with the delta rule: word t is answered by W_t φ(q_t), after its own pair was learned.

    Parameters
    ----------
    q, k : (…, n, dim)
    v : (…, n, dim_out)
    rate
        η, above 0 and below 2, or an array of rates that broadcasts to `(…, n)`, which is not checked; at 1 a pair is
        stored exactly.
    features
        φ, as in `ha.transformer.linear_attention`; a key whose features are all 0, or of a length below the smallest
        normal number, is not learned. v / |φ(k)| must be finite.
    chunk : the number of words at once; it changes the time alone.

    Returns
    -------
    `(…, n, dim_out)`.

    Raises
    ------
    InvalidInput : for shapes that do not fit, a rate outside its range and unknown features.

    Notes
    -----
    Source: Schlag, Irie & Schmidhuber (2021), ICML (see `ha.transformer.DeltaState`); Yang et al. (2024), NeurIPS, for
    chunks.

    Examples
    --------
    >>> import hopattn as ha
    >>> keys = [[1.0, 0.0], [1.0, 0.0]]
    >>> ha.transformer.delta_attention(keys, keys, [[3.0], [5.0]])
    array([[3.],
           [5.]])
    """
    return DeltaState(features).attended(q, k, v, rate=rate, chunk=chunk)[0]


def _rates(rate: Any, keys: Array) -> Array:
    """η of each key, `(…, n, 1)`; raises `InvalidInput` for a number outside its range and a shape that misfits."""
    xp = namespace(keys)
    is_number = isinstance(rate, (int, float, str, np.generic)) or (isinstance(rate, np.ndarray) and rate.ndim == 0)
    if is_number or rate is None:
        number = real(rate, "rate", above=0.0, below=2.0, cure="from 2 on errors grow")
        return xp.full_like(keys[..., :1], number)
    rates = in_numbers_of(keys, as_float(rate, "rate", like=keys))
    require_broadcast(rates, tuple(keys.shape[:-1]), "rate", "the keys")
    return xp.broadcast_to(rates, tuple(keys.shape[:-1]))[..., None]
