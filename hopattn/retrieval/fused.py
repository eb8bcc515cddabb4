"""One softmax step of PyTorch arrays by its fused attention, which holds no matrix of all scores.

The definition is `Retrieval` in `step.py`. PyTorch's kernel for the CPU gives the logarithm of Σ exp(βs + bias) with
the field, so that neither the energy nor a sink needs a second pass.
"""

import math
import sys
from typing import Any

from hopattn.foundation.arrays import Array, in_numbers_of, require_broadcast
from hopattn.retrieval.masks import Causal, NoMask, PositionRule, like, masks_of, require_on_scores
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.ways import KERNEL


def fused_step(
    separation: Separation, cues: Array, keys: Array, values: Array | None, mask: Any = None, bias: Array | None = None
) -> tuple[Array, Array]:
    """h = Vᵀ p for the weights p, `(…, n, dim)`, and Ψ = β⁻¹ log Σ exp(βs + bias), `(…, n)`.

    values: the keys where there are none. mask: rules by position and arrays. A sink adds exp(sink) to the sum: p and h
    of the patterns alone shrink by the ratio of the sums. A row with nothing to attend to has a field of 0.
    """
    torch: Any = sys.modules["torch"]
    values = keys if values is None else values
    leading = torch.broadcast_shapes(*(text.shape[:-2] for text in (cues, keys, values)))
    n, m = cues.shape[-2], keys.shape[-2]
    four = math.prod(leading[:-1]), *(leading[-1:] or (1,))

    def in_four(text: Array, *last: int) -> Array:
        return text.expand(*leading, *last).reshape(*four, *last)

    texts = [in_four(text, *text.shape[-2:]) for text in (cues, keys, values)]
    parts = [part for part in masks_of(mask) if not isinstance(part, NoMask) and part is not None]
    causal = len(parts) == 1 and isinstance(parts[0], Causal) and n == m and bias is None
    added, seen = _added((*leading, n, m), cues, [] if causal else parts, bias)
    added = None if added is None else in_four(added, n, m) if added.ndim > 2 else added
    options = {"is_causal": causal, "attn_mask": added, "scale": separation.beta}
    field, logarithm = getattr(torch.ops.aten, KERNEL)(*texts, **options)
    field, logarithm = field.reshape(*leading, n, -1), logarithm.reshape(*leading, n)
    if separation.sink is None:
        return field, logarithm / separation.beta
    if seen is not None:  # the kernel gives 0 for the logarithm of an empty sum
        logarithm = torch.where(seen, logarithm, -math.inf)
    most = torch.finfo(cues.dtype).max ** 0.5  # as in the definition
    sink = separation.sink
    if isinstance(sink, float):
        sink = torch.full_like(logarithm, min(max(sink, -most), most))
    else:
        sink = in_numbers_of(cues, sink).clip(-most, most)
        require_broadcast(sink, tuple(logarithm.shape), "sink", "the rows of the scores")
    total = torch.logaddexp(logarithm, sink)
    return field * torch.exp(logarithm - total)[..., None], total / separation.beta


def _added(shape: tuple[int, ...], cues: Array, parts: list[Any], bias: Array | None) -> tuple[Array, Array | None]:
    """The numbers added to βs, −∞ where a mask hides a key, and whether a row sees any key; None where all do."""
    torch: Any = sys.modules["torch"]
    if bias is not None:
        require_on_scores(bias, shape, "bias")
        bias = in_numbers_of(cues, bias)
        bias = bias.expand(*bias.shape[:-2], *shape[-2:])
    if not parts:
        return bias, None
    arrays = [part(*shape[-2:]) if isinstance(part, PositionRule) else part for part in parts]
    for array in arrays:
        require_on_scores(array, shape, "mask")
    allowed = like(arrays[0], cues)
    for array in arrays[1:]:
        allowed = allowed & like(array, cues)
    numbers = torch.zeros((), dtype=cues.dtype) if bias is None else bias
    added = torch.where(allowed, numbers, -math.inf)
    return added.expand(*added.shape[:-2], *shape[-2:]), allowed.any(-1)
