"""One step of all heads of a call, on tensors of PyTorch.

The formulas are those of `hopattn.retrieval.step`. The softmax without a sink is PyTorch's fused attention, which holds
no matrix of all weights, on each device, in half precision, with dropout and inside a compiled function. Blocks of keys
bound the memory of a softmax where PyTorch has no such kernel, and that of its gradient: each block gives Ψ_b and its
answer x_b, and

    x⁺ = Σ_b p_b x_b,    p = softmax of the Ψ_b,    Ψ = Ψ of the Ψ_b

since Ψ_b = β⁻¹ log Σ exp(βs) of its keys: the sum over blocks is a softmax step too, a sink included.
"""

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from hopattn.foundation.arrays import narrowed, widened
from hopattn.retrieval.fused import added_numbers
from hopattn.retrieval.masks import NO_MASK, Causal, NoMask, joint, terms_of
from hopattn.retrieval.separation.base import scaled, with_sink
from hopattn.retrieval.separation.softmax import Softmax
from hopattn.retrieval.step import Step, summed


@dataclass(frozen=True, eq=False)
class Association:
    """What the cues of a call, `(batch, heads, n, dim)`, are compared with.

    step: the dot product, the separation with the sinks of all heads, and the activation. beta: the factor of the
    cues, a number or a tensor that broadcasts to them. keys: `(batch, heads, m, dim)`. bias: masks and numbers on the
    scores `(batch, heads, n, m)`, as `masks.joint` gives them. block: the number of keys at once; 0 for all.
    """

    step: Step
    beta: Any
    keys: Any
    bias: Any = NO_MASK
    block: int = 0

    def __call__(self, cues: Any, values: Any = None, dropout: float = 0.0) -> Any:
        """x⁺ = ∇Φ(Vᵀ p), `(batch, heads, n, dim_out)`. dropout: the share of the weights that are set to 0."""
        values, separation = self.keys if values is None else values, self.step.separation
        if type(separation) is Softmax and separation.sink is None and not self.block:
            return self.step.activation(self._fused(cues, values, dropout))
        if dropout:
            return self.step.activation(summed(functional.dropout(self.weights(cues), dropout), values))
        if self.block:
            return self.step.activation(self._by_blocks(cues, values)[0])
        return self.step._answer(scaled(cues, self.beta), self.keys, values, self.bias).state

    def weights(self, cues: Any) -> Any:
        """p, `(batch, heads, n, m)`."""
        return self.step._weights(scaled(cues, self.beta), self.keys, self.bias)

    def energy(self, states: Any) -> Any:
        """E(x) = Φ*(x) − Ψ(K x), `(batch, heads, n)`, at least of single precision."""
        x, step = widened(states), self.step
        if self.block:
            psi = self._by_blocks(states, None)[1]
        else:
            psi = step._read(step.separation, scaled(x, self.beta), widened(self.keys), None, self.bias, energy=True)
            psi = psi.potential
        beta = self.beta[..., 0] if isinstance(self.beta, torch.Tensor) and self.beta.ndim else self.beta
        return step._conjugate(x) - psi / beta

    def _fused(self, cues: Any, values: Any, dropout: float) -> Any:
        """The softmax step by PyTorch's attention."""
        scale, n, m = self.step.separation.beta, cues.shape[-2], self.keys.shape[-2]
        if isinstance(self.beta, float):
            queries, scale = cues, scale * self.beta
        else:
            queries = scaled(cues, self.beta)
        leading = torch.broadcast_shapes(*(text.shape[:-2] for text in (queries, self.keys, values)))
        causal = isinstance(self.bias, Causal) and n == m
        numbers = added_numbers((*leading, n, m), queries, NoMask() if causal else self.bias)
        q, k, v = (text.expand(*leading, *text.shape[-2:]) for text in (queries, self.keys, values))
        return functional.scaled_dot_product_attention(q, k, v, numbers, dropout, causal, scale=scale)

    def _by_blocks(self, cues: Any, values: Any) -> tuple[Any, Any]:
        """The field of the softmax, and Ψ, from blocks of keys; the scores of a block are computed anew for a gradient.

        values: None where only Ψ is asked for.
        """
        queries, m = scaled(widened(cues), self.beta), self.keys.shape[-2]
        alone = self.step.separation if self.step.separation.sink is None else with_sink(self.step.separation, None)
        leading = torch.broadcast_shapes(queries.shape[:-2], self.keys.shape[:-2])
        none = all(isinstance(part, NoMask) for part in terms_of(self.bias))
        numbers = None if none else added_numbers((*leading, queries.shape[-2], m), queries, self.bias)

        def of_block(start: int) -> tuple[Any, Any, Any]:
            rows = slice(start, start + self.block)
            keys, block_values = (None if text is None else widened(text[..., rows, :]) for text in (self.keys, values))
            bias = NO_MASK if numbers is None else joint(bias=numbers[..., rows])
            field = self.step._read(alone, queries, keys, block_values, bias, energy=True)
            seen = torch.ones_like(field.potential, dtype=torch.bool)
            seen = seen if numbers is None else seen & (numbers[..., rows] > -torch.inf).any(-1)
            return (field.potential if values is None else field.array), field.potential, seen

        starts = range(0, m, self.block)
        fields, potentials, seen = zip(*(checkpoint(of_block, i, use_reentrant=False) for i in starts), strict=True)
        shares = self.step.separation(torch.stack(potentials, -1), torch.stack(seen, -1), potential=True)
        if values is None:
            return None, shares.potential
        total = sum(shares.p[..., i, None] * field for i, field in enumerate(fields))
        return narrowed(total, cues, self.keys), shares.potential

    def in_single(self) -> "Association":
        """The same with keys of at least single precision, for many steps."""
        return replace(self, keys=widened(self.keys))
