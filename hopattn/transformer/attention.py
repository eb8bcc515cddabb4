"""Attention: one step of recall for queries, keys and values that are given.

attention(q, k, v) = Σ_j p_j v_j,   p = ∇Ψ(q Kᵀ)
"""

from typing import Any

import numpy as np

from hopattn.foundation.arrays import Array, as_float, namespace, require_dim, require_one_dtype
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.in_range import in_range
from hopattn.retrieval.activation import Identity
from hopattn.retrieval.joint_mask import joint
from hopattn.retrieval.separation import separations
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.similarity import Dot
from hopattn.retrieval.step import Retrieval
from hopattn.transformer.torch_words import knows_torch_words


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
    if isinstance(separation, Separation) and beta is None:
        made = separation
    else:
        made = separations.make(separation, beta=float(keys.shape[-1]) ** -0.5 if beta is None else beta)
    allowed, finite = split_bias(bias, keys)
    whole_mask = mask if allowed is None else joint(mask, allowed)
    return Retrieval(Dot(), made, Identity()).step(queries, keys, values, whole_mask, bias=finite)


def split_bias(bias: Any, keys: Array) -> tuple[Array | None, Array | None]:
    """A bias as a mask and as finite numbers: −inf becomes a masked entry with a bias of 0. None gives None and None.

    keys: the array whose library the bias takes. Raises `InvalidInput` for NaN and +inf, which are looked for in NumPy
    arrays only: the numbers of another library may not be known yet.
    """
    if bias is None:
        return None, None
    given = as_float(bias, "bias", like=keys)
    if isinstance(given, np.ndarray) and not np.all(given < np.inf):
        raise InvalidInput("bias: holds NaN or +inf; expected finite numbers, or −inf for an entry that is masked")
    xp = namespace(given)
    finite = given > -xp.inf
    return finite, xp.where(finite, given, xp.zeros_like(given))


def require_texts(queries: Array, keys: Array, values: Array) -> None:
    """Raise `InvalidInput` unless queries, keys and values fit one another, as `attention` expects them."""
    try:
        namespace(queries, keys, values)
    except InvalidInput as error:
        raise InvalidInput(f"q, k, v: {error}") from None
    for array, what in ((queries, "q"), (keys, "k"), (values, "v")):
        if array.ndim < 2 or 0 in array.shape[-2:]:
            raise InvalidInput(f"{what}: expected (…, n, dim) with at least one row, not shape {tuple(array.shape)}")
    require_dim(queries, keys.shape[-1], "q", "k")
    require_one_dtype(queries, keys, "q", "k")
    require_one_dtype(values, keys, "v", "k")
    if keys.shape[-2] != values.shape[-2]:
        raise InvalidInput(f"v: {values.shape[-2]} rows do not fit {keys.shape[-2]} keys")
    leading = [tuple(array.shape[:-2]) for array in (queries, keys, values)]
    try:
        np.broadcast_shapes(*leading)
    except ValueError:
        raise InvalidInput(f"q, k, v: the leading axes {', '.join(map(str, leading))} do not broadcast") from None
