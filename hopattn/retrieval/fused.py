"""One softmax step of PyTorch arrays by its fused attention, which holds no matrix of all scores.

The definition is `Retrieval` in `step.py`. PyTorch's kernel for the CPU gives the logarithm of Σ exp(βs) with the
field, so that neither the energy nor a sink needs a second pass. Where a gradient is required, the definition itself is
computed.
"""

import sys
from typing import Any

from hopattn.foundation.arrays import Array, on_host
from hopattn.foundation.traces import is_torch, traced
from hopattn.foundation.vectors import largest_entry
from hopattn.retrieval.masks import NoMask
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.separation.softmax import Softmax
from hopattn.retrieval.similarity import Dot, Similarity

ENOUGH = 2**14
"""The number of scores from which the fused step is the faster one."""
KERNEL = "_scaled_dot_product_flash_attention_for_cpu"


def worth_fusing(
    similarity: Similarity, separation: Separation, texts: tuple[Array, Array, Array | None], mask: Any
) -> bool:
    """Whether cues `(n, dim)`, keys and values, the texts, are tensors for which PyTorch has a fused softmax step.

    It has one for single and double precision on the CPU, where scores times β are within the range of the dtype.
    """
    cues, keys, values = texts
    if not (is_torch(cues) and is_torch(keys)) or type(similarity) is not Dot or type(separation) is not Softmax:
        return False
    torch: Any = sys.modules["torch"]
    numbers = isinstance(separation.beta, float) and isinstance(separation.sink, float | None)
    one_text = cues.ndim == keys.ndim == 2 and cues.shape[0] * keys.shape[0] >= ENOUGH
    if not (numbers and one_text and isinstance(mask, NoMask)) or any(map(traced, filter(is_torch, texts))):
        return False
    known = all(text.device.type == "cpu" and text.dtype == cues.dtype for text in filter(is_torch, texts))
    same_dim = values is None or values.shape[-1] == keys.shape[-1]
    if not (known and same_dim and cues.dtype in (torch.float32, torch.float64) and hasattr(torch.ops.aten, KERNEL)):
        return False
    product = largest_entry(on_host(cues)) * largest_entry(on_host(keys)) * cues.shape[-1]
    return bool(max(separation.beta, 1.0) * product < 0.5 * torch.finfo(cues.dtype).max)


def fused_step(separation: Separation, cues: Array, keys: Array, values: Array | None) -> tuple[Array, Array]:
    """h = Vᵀ p for the weights p, `(n, dim)`, and Ψ = β⁻¹ log Σ exp(βs), `(n,)`; values: the keys where there are none.

    A sink adds exp(sink) to the sum: p and h of the patterns alone shrink by the ratio of the sums.
    """
    torch: Any = sys.modules["torch"]
    texts = (text[None, None] for text in (cues, keys, keys if values is None else values))
    field, logarithm = (result[0, 0] for result in getattr(torch.ops.aten, KERNEL)(*texts, scale=separation.beta))
    if separation.sink is not None:
        most = torch.finfo(cues.dtype).max ** 0.5  # as in the definition
        total = torch.logaddexp(logarithm, torch.full_like(logarithm, min(max(separation.sink, -most), most)))
        field, logarithm = field * torch.exp(logarithm - total)[:, None], total
    return field, logarithm / separation.beta
