"""The way a step is computed: in one piece, over blocks, or by PyTorch's fused kernel.

| way | arrays | parts | mask, bias, sink | scores, from |
|---|---|---|---|---|
| `fused` | PyTorch's, in single or double precision on a CPU, of which no derivative is taken forwards | the dot product, the softmax with a number β, values of the dim of the keys | rules by position and arrays, of numbers too; a sink for each row | 2¹⁴ in all |
| `blocks` | NumPy's | a similarity of pairs, a number β | rules by pairs and arrays, of numbers too; a sink and an α for each text | 2²⁰ in all, 2¹⁶ of a text |
| `whole` | all others | any | any | 0 |

The definition is that in one piece, which also gives all weights; the others give the same up to rounding.
"""  # noqa: E501

import math
import sys
from typing import Any, Literal

import numpy as np

from hopattn.foundation.arrays import Array, on_host
from hopattn.foundation.traces import hidden, is_torch
from hopattn.foundation.vectors import largest_entry
from hopattn.retrieval.masks import NO_MASK, MaskRule, NoMask, PositionRule, terms_of
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.separation.softmax import Softmax
from hopattn.retrieval.similarity import Dot, Similarity

FUSED = 2**14
"""The number of scores from which PyTorch's kernel is the faster one."""
BLOCKS, OF_TEXT = 2**20, 2**16
"""The number of scores from which blocks are faster than one product of everything; that of one of several texts."""
KERNEL = "_scaled_dot_product_flash_attention_for_cpu"


def way_of(
    similarity: Similarity,
    separation: Separation,
    cues: Array,
    keys: Array,
    values: Array | None = None,
    bias: Array = NO_MASK,
) -> Literal["whole", "blocks", "fused"]:
    """The way of a step with these parts, texts and bias (a rule, an array, or a `Sum`), as the table says."""
    if not isinstance(separation.beta, float):
        return "whole"
    n = cues.shape[-2] if cues.ndim > 1 else 1
    pairs, texts = n * keys.shape[-2], max(math.prod(cues.shape[:-2]), math.prod(keys.shape[:-2]))
    if isinstance(cues, np.ndarray):
        scores = pairs * (keys.shape[-1] if similarity.by_entries else 1)
        large = scores >= OF_TEXT and scores * texts >= BLOCKS and isinstance(keys, np.ndarray)
        plain = large and similarity.by_pairs and _one_for_each_text(separation)
        if not plain:
            return "whole"
        rules = [part for part in terms_of(bias) if isinstance(part, MaskRule)]
        by_blocks = all(rule.by_pairs and (cues.ndim > 1 or not isinstance(rule, PositionRule)) for rule in rules)
        return "blocks" if by_blocks else "whole"
    if pairs * texts < FUSED or type(similarity) is not Dot or type(separation) is not Softmax or cues.ndim < 2:
        return "whole"
    arrays = [array for array in (cues, keys, values, separation.sink, *terms_of(bias)) if hasattr(array, "shape")]
    return "fused" if _has_kernel(separation.beta, cues, keys, values, bias, arrays) else "whole"


def _one_for_each_text(separation: Separation) -> bool:
    """Whether all cues of a text have one sink or none, one α, and so on."""
    parameters = (getattr(separation, name) for name in separation.variables)
    return all(
        isinstance(each, float | None) or (isinstance(each, np.ndarray) and each.shape[-1] == 1) for each in parameters
    )


def _has_kernel(beta: float, cues: Array, keys: Array, values: Array | None, bias: Any, arrays: list[Array]) -> bool:
    """Whether PyTorch has a kernel for these tensors, in which scores times β are within the range of the dtype."""
    torch: Any = sys.modules.get("torch")
    if torch is None or not hasattr(torch.ops.aten, KERNEL) or not all(map(is_torch, (cues, keys))):
        return False
    tensors = [tensor for tensor in arrays if is_torch(tensor)]
    texts = [text for text in (cues, keys, values) if text is not None]
    tangents = (torch.autograd.forward_ad.unpack_dual(tensor).tangent for tensor in tensors)  # of forward derivatives
    are_concrete = not any(map(hidden, tensors)) and all(tensor.device.type == "cpu" for tensor in tensors)
    numbers = cues.dtype in (torch.float32, torch.float64) and all(text.dtype == cues.dtype for text in texts)
    dims = values is None or values.shape[-1] == keys.shape[-1]
    rules = all(isinstance(part, (NoMask, PositionRule)) or hasattr(part, "shape") for part in terms_of(bias))
    if not (are_concrete and numbers and dims and rules) or any(tangent is not None for tangent in tangents):
        return False
    product = largest_entry(on_host(cues)) * largest_entry(on_host(keys)) * cues.shape[-1]
    return bool(max(beta, 1.0) * product < 0.5 * torch.finfo(cues.dtype).max)
