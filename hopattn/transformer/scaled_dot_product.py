"""Attention: one step of recall for queries, keys and values that are given.

attention(q, k, v) = Σ_j p_j v_j,   p = ∇Ψ(q Kᵀ)
"""

from typing import Annotated, Any, NamedTuple

import numpy as np

from hopattn.foundation.arrays import (
    Array,
    Mask,
    NumberOrArray,
    as_float,
    namespace,
    require_one_device,
    shaped,
)
from hopattn.foundation.boundary import Of, Text, finite, public
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.shapes import common_axes, require_broadcast
from hopattn.positions.distance_biases import Alibi
from hopattn.retrieval.activation import Identity
from hopattn.retrieval.free_energies import FreeEnergy
from hopattn.retrieval.masks import as_bias, joint, placed, require_below_infinity, seen_keys, without_padding
from hopattn.retrieval.separation import separation_of
from hopattn.retrieval.separation.base import Separation, with_sink
from hopattn.retrieval.similarity import Dot
from hopattn.retrieval.step import Step

DOT, IDENTITY = Dot(), Identity()


class Texts(NamedTuple):
    """The texts of queries, keys and values, `(…, n, dim)` and `(…, m, dim)`."""

    queries: Array
    keys: Array
    values: Array

    @property
    def pairs(self) -> tuple[int, ...]:
        """The shape of one score for each query and key, `(…, n, m)`; raises `InvalidInput` if the texts do not fit."""
        leading = common_axes("x, source", tuple(self.queries.shape[:-2]), tuple(self.keys.shape[:-2]))
        return *leading, self.queries.shape[-2], self.keys.shape[-2]


@public
def attention(
    q: Text,
    k: Annotated[Array, Of("… m dim")],
    v: Annotated[Array, Of("… m dim_out")],
    *,
    beta: float | None = None,
    mask: Mask = None,
    separation: str | Separation = "softmax",
    bias: Array = None,
    sink: NumberOrArray = None,
) -> Array:
    """Scaled dot-product attention, softmax(β q Kᵀ) V, or the same with another separation.

    Parameters
    ----------
    q : (…, n_queries, dim)
    k : (…, n_keys, dim)
    v : (…, n_keys, dim_out)
        The leading axes broadcast.
    beta : 1/√dim by default; a separation given as an object has its own.
    mask
        boolean, True = may attend, broadcast to `(…, n_queries, n_keys)`, or a rule such as "causal"; a row with no
        True gives 0. That of padded texts is `ha.padding(lengths)`.
    separation : a name or an object.
    bias
        numbers that are added to the scaled scores, softmax(β q Kᵀ + bias) V; they broadcast to the scores, are taken
        in the dtype of the scores, and −inf masks an entry (PyTorch's float mask). With fewer queries than keys, the
        rule "causal" takes the queries as the last words of the text, and PyTorch's `is_causal` takes them as the
        first.
    sink
        the logit of a null pattern, exp(sink) more in the denominator of the softmax: a number, or one for each head
        `(n_heads,)` of queries `(…, n_heads, n_queries, dim)`; 0 is softmax₁, and a row with no True still gives 0.

    Returns
    -------
    `(…, n_queries, dim_out)`.

    Raises
    ------
    InvalidInput
        for shapes that do not fit, for a bias that is NaN or +inf, and for a sink that does not fit the heads, is not
        finite, or is for a separation whose weights do not compete.

    Notes
    -----
    Source: Vaswani et al. (2017) (their √d_k is our 1/β); Agarwal et al. (2025), arXiv:2508.10925, for learned sinks.

    Examples
    --------
    >>> import hopattn as ha
    >>> e = [[1, 0], [1, 0], [0, 1], [1, 0]]
    >>> ha.attention([[0, 10]], e, e, beta=1.0).round(3)
    array([[0., 1.]])
    """
    leading = np.broadcast_shapes(tuple(q.shape[:-2]), tuple(k.shape[:-2]), tuple(v.shape[:-2]))
    scores = (*leading, q.shape[-2], k.shape[-2])
    total = placed(joint(mask, bias=None if bias is None else as_bias(bias, k, "k")), scores, k)
    sep = _separation_of_heads(separation, beta, sink, k, leading)
    texts = texts_without_padding(Texts(q, k, v), seen_keys(total, scores, k))
    return Step(DOT, sep, IDENTITY)._answer(*texts, total).state


@public(may_be=finite)
def free_energy(
    q: Text,
    k: Annotated[Array, Of("… m dim")],
    *,
    beta: float | None = None,
    mask: Mask = None,
    separation: str | Separation = "softmax",
    sink: NumberOrArray = None,
) -> FreeEnergy:
    """The free energy of the weights of `attention`, F = U − S/β, of each query: arrays `(…, n_queries)`.

    The arguments are those of `attention`. Many queries of NumPy take one pass over blocks of keys, without a matrix of
    all weights. Raises `InvalidInput` as `attention` does, and for a separation whose weights are not a distribution.

    >>> import hopattn as ha
    >>> ha.transformer.free_energy([[0, 10]], [[1, 0], [1, 0], [0, 1], [1, 0]], beta=1.0).effective_keys.round(2)
    array([1.])
    """
    sep = _separation_of_heads(separation, beta, sink, k, np.broadcast_shapes(tuple(q.shape[:-2]), tuple(k.shape[:-2])))
    return Step(DOT, sep, IDENTITY)._free_energy(q, k, mask)


def _separation_of_heads(separation: Any, beta: Any, sink: Any, keys: Array, leading: tuple[int, ...]) -> Separation:
    """The separation of texts with these leading axes, whose default β is 1/√dim, with a sink of each head."""
    sinks = None if sink is None else sinks_of_heads(sink, leading[-1] if leading else 0, keys)
    sep = separation_of(separation, beta, float(keys.shape[-1]) ** -0.5, sink if sinks is None else 0.0)
    if not isinstance(sep.beta, float):
        require_one_device(sep.beta, keys, "beta", "k")
    return sep if sinks is None else with_sink(sep, sinks[:, None])


def sinks_of_heads(sink: NumberOrArray, n_heads: int, like: Array) -> Array | None:
    """The sinks of so many heads, `(n_heads,)`; None for none, and for a number, which all heads share.

    n_heads: 0 where there is no axis of heads. like: lists become an array of its library. Raises `InvalidInput` for
    another number of sinks.
    """
    if sink is None or isinstance(sink, (str, int, float)) or getattr(sink, "ndim", 1) == 0:
        return None
    sinks = as_float(sink, "sink", like)
    if tuple(sinks.shape) != (n_heads,):
        heads = f"({n_heads},), one for each head" if n_heads else "q, k and v with an axis of heads"
        raise InvalidInput(f"sink: got shape {tuple(sinks.shape)}; expected a number, or {heads}")
    require_one_device(sinks, like, "sink", "the keys")
    return sinks


def head_bias(bias: Array) -> Any:
    """A head's own bias: None, an `Alibi`, or an array `(n, m)`; raises `InvalidInput` for anything else."""
    if bias is None or isinstance(bias, Alibi):
        return bias
    if isinstance(bias, str):
        raise InvalidInput("bias: expected an hopattn.positions.Alibi with its slope, or numbers (n, m), not a text")
    numbers = shaped(bias, "bias", "n m")
    require_below_infinity(numbers)
    return numbers


def own_bias(bias: Array, shape: tuple[int, ...]) -> Array:
    """The bias of one head, an `Alibi` or numbers, as an array of this shape."""
    if isinstance(bias, Alibi):
        return bias(*shape)
    require_broadcast(bias, shape, "bias of the head", "scores")
    return namespace(bias).broadcast_to(bias, shape)


def texts_without_padding(texts: Texts, seen: Array | None) -> Texts:
    """Texts of queries, keys and values, as `without_padding` gives those of keys and values.

    Where queries and keys are one text, so are its queries: the derivative by a word that counts for nothing is then 0.
    """
    if seen is None:
        return texts
    queries, keys, values = texts
    plain = without_padding(keys, seen)
    return Texts(
        plain if queries is keys else queries, plain, plain if values is keys else without_padding(values, seen)
    )
