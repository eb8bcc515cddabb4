"""Linear attention: attention whose scores are products of features, computed without the scores.

    Σ_j (φ(k_j)·φ(q)) v_j = (Σ_j v_j φ(k_j)ᵀ) φ(q)

The left side takes time that grows like n², the right side like n.
"""

from typing import Any

from hopattn.foundation.arrays import Array, as_float
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.in_range import in_range
from hopattn.retrieval.features import Features
from hopattn.retrieval.masks import Causal, NoMask, Strict, as_mask
from hopattn.transformer.attention import require_texts
from hopattn.transformer.linear_state import LinearState


@in_range
def linear_attention(
    q: Any,
    k: Any,
    v: Any,
    *,
    features: str | Features = "elu",
    mask: Any = None,
    normalise: bool = True,
    chunk: int = 64,
) -> Array:
    """Linear attention, Σ_j s_j v_j / Σ_j s_j with s_j = φ(k_j)·φ(q), in time and memory that grow like n.

    q: `(…, n_queries, dim)`. k: `(…, n_keys, dim)`. v: `(…, n_keys, dim_out)`. features: φ, "identity", "relu", "elu",
    or an object; with `ha.RandomFeatures(n, seed, beta=dim**-0.5)` the output estimates that of `ha.attention`. mask:
    "none", "causal" or "strict"; with fewer queries than keys the queries are the last words. normalise: divide by the
    sum of the scores; it needs features that are not negative, and a row whose scores are all 0 gives 0. A sum of
    features of keys times values must lie in the range of the numbers; the size of a query may be any. chunk: the
    number of words whose scores are computed at once under a mask; it changes the time alone. Gives
    `(…, n_queries, dim_out)`, as a head or a memory with the similarity `feature_map` gives it by all scores: with
    other masks, use those. `ha.LinearState` takes a text word by word.

    Raises `InvalidInput` for shapes that do not fit, unknown features, a normalised identity and another mask.
    Source: Katharopoulos et al. (2020), ICML (their φ is ours); Choromanski et al. (2021), ICLR.

    >>> import hopattn as ha
    >>> ha.linear_attention([[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], [[3.0], [5.0]]).round(3)
    array([[3.889]])
    """
    keys = as_float(k, "k")
    queries, values = as_float(q, "q", like=keys), as_float(v, "v", like=keys)
    require_texts(queries, keys, values)
    state, rule = LinearState(features, normalise), as_mask(mask)
    if isinstance(rule, NoMask):
        return state.extended(keys, values).read(queries)
    if not isinstance(rule, (Causal, Strict)):
        raise InvalidInput(
            f"mask: expected 'none', 'causal' or 'strict', not {quoted(rule)}; "
            "a head with the similarity 'feature_map' and the separation 'proportional' takes any mask"
        )
    before = keys.shape[-2] - queries.shape[-2]
    if before < 0:
        raise InvalidInput(f"mask: {queries.shape[-2]} queries are more than {keys.shape[-2]} keys")
    if before:
        state = state.extended(keys[..., :before, :], values[..., :before, :])
    last = (..., slice(before, None), slice(None))
    outputs, _ = state.attended(queries, keys[last], values[last], isinstance(rule, Strict), chunk)
    return outputs
