"""One softmax step of PyTorch arrays by its fused attention, which holds no matrix of all scores.

The definition is `Retrieval` in `step.py`. PyTorch's kernel for the CPU gives the logarithm of Σ exp(βs + bias) with
the field, so that neither the energy nor a sink needs a second pass.
"""

import math
import sys
from typing import Any

from hopattn.foundation.arrays import Array, in_numbers_of
from hopattn.foundation.shapes import require_broadcast
from hopattn.retrieval.masks import Causal, NoMask, on_scores
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.ways import KERNEL


def fused_step(
    separation: Separation, cues: Array, keys: Array, values: Array | None, bias: Any
) -> tuple[Array, Array]:
    """h = Vᵀ p for the weights p, `(…, n, dim)`, and Ψ = β⁻¹ log Σ exp(βs + bias), `(…, n)`.

    values: the keys where there are none. bias: rules by position and arrays. A sink adds exp(sink) to the sum: p and h
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
    causal = isinstance(bias, Causal) and n == m
    addend, has_keys = _addend((*leading, n, m), cues, NoMask() if causal else bias)
    addend = None if addend is None else in_four(addend, n, m) if addend.ndim > 2 else addend
    options = {"is_causal": causal, "attn_mask": addend, "scale": separation.beta}
    field, logarithm = getattr(torch.ops.aten, KERNEL)(*texts, **options)
    field, logarithm = field.reshape(*leading, n, -1), logarithm.reshape(*leading, n)
    if separation.sink is None:
        return field, logarithm / separation.beta
    if has_keys is not None:  # the kernel gives 0 for the logarithm of an empty sum
        logarithm = torch.where(has_keys, logarithm, -math.inf)
    most = torch.finfo(cues.dtype).max ** 0.5  # as in the definition
    sink = separation.sink
    if isinstance(sink, float):
        sink = torch.full_like(logarithm, min(max(sink, -most), most))
    else:
        sink = in_numbers_of(cues, sink).clip(-most, most)
        require_broadcast(sink, tuple(logarithm.shape), "sink", "the rows of the scores")
    total = torch.logaddexp(logarithm, sink)
    return field * torch.exp(logarithm - total)[..., None], total / separation.beta


def _addend(shape: tuple[int, ...], cues: Array, bias: Any) -> tuple[Array | None, Array | None]:
    """The numbers added to βs, −∞ where a mask hides a key, and whether a row sees any key; None where all do."""
    torch: Any = sys.modules["torch"]
    zero = torch.zeros((), dtype=cues.dtype)
    where, numbers = on_scores(bias, zero.expand(shape))
    addend = None if numbers is None else in_numbers_of(cues, numbers)
    if where is not None:
        addend = torch.where(where, zero if addend is None else addend, -math.inf)
    addend = None if addend is None else addend.expand(*addend.shape[:-2], *shape[-2:])
    return addend, None if where is None else where.any(-1)
