"""One softmax step of PyTorch arrays by its fused attention, which holds no matrix of all scores.

The definition is `Step` in `step.py`. PyTorch's kernel for the CPU gives the logarithm of Σ exp(βs + bias) with
the field, so that neither the energy nor a sink needs a second pass. A gradient is PyTorch's fused one too; where it is
to be differentiated again, or an energy is differentiated, the scores are computed anew.
"""

import math
import sys
from functools import cache
from typing import Any

import numpy as np

from hopattn.foundation.arrays import Array, in_numbers_of
from hopattn.foundation.shapes import require_broadcast
from hopattn.retrieval.masks import Causal, NoMask, on_scores
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.ways import KERNEL


def fused_step(
    separation: Separation, cues: Array, keys: Array, values: Array | None, bias: Array
) -> tuple[Array, Array]:
    """h = Vᵀ p for the weights p, `(…, n, dim)`, and Ψ = β⁻¹ log Σ exp(βs + bias), `(…, n)`.

    values: the keys where there are none. bias: rules by position and arrays. A row with nothing to attend to has a
    field of 0.
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
    addend = added_numbers((*leading, n, m), cues, NoMask() if causal else bias)
    addend = None if addend is None else in_four(addend, n, m) if addend.ndim > 2 else addend
    sink = separation.sink
    if sink is not None:
        most = torch.finfo(cues.dtype).max ** 0.5  # as in the definition
        sink = in_numbers_of(cues, np.asarray(sink) if isinstance(sink, float) else sink).clip(-most, most)
        require_broadcast(sink, (*leading, n), "sink", "the rows of the scores")
        sink = in_four(sink, n)
    field, total = _kernel().apply(*texts, addend, sink, causal, separation.beta)
    return field.reshape(*leading, n, -1), total.reshape(*leading, n) / separation.beta


@cache
def _kernel() -> Any:
    """PyTorch's kernel as a function that can be differentiated any number of times."""
    torch: Any = sys.modules["torch"]
    forward_kernel, backward_kernel = (getattr(torch.ops.aten, name) for name in (KERNEL, f"{KERNEL}_backward"))

    class Kernel(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(
            ctx: Any, q: Array, k: Array, v: Array, bias: Any, sink: Any, causal: bool, beta: float
        ) -> tuple[Array, Array]:
            """Vᵀp and L = log Σ exp(βs + bias). A sink adds exp(sink) to the sum: Vᵀp shrinks by the ratio of both."""
            options = {"is_causal": causal, "attn_mask": bias, "scale": beta}
            field, total = forward_kernel(q, k, v, **options)
            if sink is not None:
                # the kernel gives 0 for the logarithm of an empty sum
                of_keys = total if bias is None else torch.where((bias > -math.inf).any(-1), total, -math.inf)
                total = torch.logaddexp(of_keys, sink)
                field = field * torch.exp(of_keys - total)[..., None]
            ctx.save_for_backward(q, k, v, bias, sink, field, total)
            ctx.options = options
            ctx.set_materialize_grads(False)
            return field, total

        @staticmethod
        def backward(ctx: Any, d_field: Array | None, d_total: Array | None) -> tuple[Array | None, ...]:
            """The products of the derivatives of L and of the loss: d(βs) = p (V d_field − d_field · field + d_L)."""
            q, k, v, bias, sink, field, total = ctx.saved_tensors
            d_field = torch.zeros_like(field) if d_field is None else d_field
            d_mean = (d_field * field).sum(-1)
            d_mean = d_mean if d_total is None else d_mean - d_total
            d_sink = None if sink is None else -torch.exp(sink - total) * d_mean
            if d_total is None and not ctx.needs_input_grad[3] and not torch.is_grad_enabled():
                return (
                    *backward_kernel(d_field, q, k, v, field, total, 0.0, **ctx.options),
                    *(None, d_sink, None, None),
                )
            beta, causal = ctx.options["scale"], ctx.options["is_causal"]
            scores = beta * (q @ k.mT)
            scores = scores if bias is None else scores + bias
            if causal:
                scores = torch.where(scores.new_ones(scores.shape[-2:], dtype=torch.bool).tril(), scores, -math.inf)
            p = torch.exp(scores - total[..., None])
            d_scores = p * (d_field @ v.mT - d_mean[..., None])
            d_bias = d_scores.sum_to_size(bias.shape) if ctx.needs_input_grad[3] else None
            return beta * (d_scores @ k), beta * (d_scores.mT @ q), p.mT @ d_field, d_bias, d_sink, None, None

    return Kernel


def added_numbers(shape: tuple[int, ...], cues: Array, bias: Any) -> Array | None:
    """The numbers added to βs, −∞ where a mask hides a key; None where all keys are seen."""
    torch: Any = sys.modules["torch"]
    zero = torch.zeros((), dtype=cues.dtype, device=cues.device)
    where, numbers = on_scores(bias, zero.expand(shape))
    addend = None if numbers is None else in_numbers_of(cues, numbers)
    if where is not None:
        addend = torch.where(where, zero if addend is None else addend, -math.inf)
    return None if addend is None else addend.expand(*addend.shape[:-2], *shape[-2:])
