"""Attention: one step of recall for queries, keys and values that are given.

attention(q, k, v) = Σ_j p_j v_j,   p = ∇Ψ(q Kᵀ)
"""

from typing import Any

import numpy as np

from hopattn.foundation.arrays import Array, as_float, namespace, require_dim, require_one_dtype
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.in_range import in_range
from hopattn.retrieval.activation import Identity
from hopattn.retrieval.masks import joint
from hopattn.retrieval.separation import separation_of
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.similarity import Dot
from hopattn.retrieval.step import Retrieval
from hopattn.transformer.from_torch import knows_torch_words


@knows_torch_words
@in_range
def attention(
    q: Any,
    k: Any,
    v: Any,
    *,
    beta: float | None = None,
    mask: Any = None,
    separation: str | Separation = "softmax",
    bias: Any = None,
) -> Array:
    """Scaled dot-product attention, softmax(β q Kᵀ) V, or the same with another separation.

    q: `(…, n_queries, dim)`. k: `(…, n_keys, dim)`. v: `(…, n_keys, dim_out)`. The leading axes broadcast. beta: 1/√dim
    by default; a separation given as an object has its own. mask: boolean, True = may attend, broadcast to
    `(…, n_queries, n_keys)`, or a rule such as "causal"; a row with no True gives 0. separation: a name or an object.
    bias: numbers that are added to the scaled scores, softmax(β q Kᵀ + bias) V; they broadcast to the scores, are taken
    in the dtype of the scores, and −inf masks an entry (PyTorch's float mask). With fewer queries than keys, the rule
    "causal" takes the queries as the last words of the text, and PyTorch's `is_causal` takes them as the first. Gives
    `(…, n_queries, dim_out)`. Raises `InvalidInput` for shapes that do not fit, and for a bias that is NaN or +inf.
    Source: Vaswani et al. (2017) (their √d_k is our 1/β).

    >>> import hopattn as ha
    >>> e = [[1, 0], [1, 0], [0, 1], [1, 0]]
    >>> ha.attention([[0, 10]], e, e, beta=1.0).round(3)
    array([[0., 1.]])
    """
    keys = as_float(k, "k")
    queries, values = as_float(q, "q", like=keys), as_float(v, "v", like=keys)
    require_texts(queries, keys, values)
    finite = None
    if bias is not None:
        allowed, finite = split_bias(as_float(bias, "bias", like=keys))
        mask = joint(mask, allowed)
    step = Retrieval(Dot(), separation_of(separation, beta, default=float(keys.shape[-1]) ** -0.5), Identity())
    return step(queries, keys, values, mask, finite).state


def split_bias(bias: Array) -> tuple[Array, Array]:
    """A bias as a mask and as finite numbers: −inf becomes a masked entry with a bias of 0.

    Raises `InvalidInput` for NaN and +inf, which are looked for in NumPy arrays only: the numbers of another library
    may not be known yet.
    """
    if isinstance(bias, np.ndarray) and not np.all(bias < np.inf):
        raise InvalidInput("bias: holds NaN or +inf; expected finite numbers, or −inf for an entry that is masked")
    xp = namespace(bias)
    finite = bias > -xp.inf
    return finite, xp.where(finite, bias, xp.zeros_like(bias))


def require_texts(queries: Array, keys: Array, values: Array) -> None:
    """Raise `InvalidInput` unless queries, keys and values fit each other, as `attention` expects them."""
    try:
        namespace(queries, keys, values)
    except InvalidInput as error:
        raise InvalidInput(f"q, k, v: {error}") from None
    for array, what in ((queries, "q"), (keys, "k"), (values, "v")):
        if array.ndim < 2 or 0 in array.shape[-2:]:
            raise InvalidInput(f"{what}: got shape {tuple(array.shape)}; expected (…, n, dim) with at least one row")
    require_dim(queries, keys.shape[-1], "q", "k")
    require_one_dtype(queries, keys, "q", "k")
    require_one_dtype(values, keys, "v", "k")
    if keys.shape[-2] != values.shape[-2]:
        raise InvalidInput(f"v: {values.shape[-2]} rows do not fit {keys.shape[-2]} keys")
    leading_axes("q, k, v", queries, keys, values)


def leading_axes(what: str, *texts: Array) -> tuple[int, ...]:
    """The axes before the words to which texts `(…, n, dim)` broadcast; raises `InvalidInput` if they do not."""
    leading = [tuple(text.shape[:-2]) for text in texts]
    try:
        return np.broadcast_shapes(*leading)
    except ValueError:
        raise InvalidInput(f"{what}: the leading axes {', '.join(map(str, leading))} do not broadcast") from None
