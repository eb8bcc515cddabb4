"""Recall to a fixed point x* = f(x*), and its gradient by the implicit function theorem.

    ∂x*/∂θ = (I − J)⁻¹ ∂f/∂θ,    J = ∂f/∂x = β Kᵀ ∇²Ψ K

Where the states are compared with the keys that they are made of, by a convex Ψ, and the activation is the identity, J
is symmetric and positive semidefinite. So conjugate gradients solve (I − J) u = g for the gradient g of the loss, each
cue for itself, and the gradient of θ is that of one step with u in the place of g. No step before the last is kept.
Source: Bai, Kolter & Koltun (2019), NeurIPS, "Deep equilibrium models", theorem 1 (their z* is our x*).
"""

import warnings
from dataclasses import dataclass
from typing import Any

import torch
from torch.autograd.function import once_differentiable
from torch.utils.checkpoint import checkpoint

from hopattn.foundation.arrays import tolerance, widened
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.vectors import largest_change, largest_entries, nonzero, row_length
from hopattn.retrieval.activation import Identity
from hopattn.torch.association import Association

METASTABLE = 1 - 1e-3
"""The largest eigenvalue of J above which a fixed point counts as metastable: a gradient there is not reliable."""
HEAD_TOLERANCE = 1e-4
"""The default of hopfield-layers for the change of the weights."""
ROUNDS = 50
"""The most rounds of the power iteration."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Rest:
    """How the cues of a call came to rest.

    steps: the updates of each cue, `(batch, heads, n)`. residual: what a stop is judged by, the last |x⁺ − x| of an
    entry, or with stop="head" the last change of the head's weights, `(batch, heads, n)`. reached: whether it is
    within the tolerance. largest_eigenvalue: that of J at the fixed point, `(batch, heads, n)`, known after the
    backward pass; None before. It is the largest of those directions that the gradient has.
    """

    steps: Any
    residual: Any
    reached: Any
    largest_eigenvalue: Any = None

    @property
    def metastable(self) -> Any:
        """Where the largest eigenvalue is above .999, `(batch, heads, n)`; None before the backward pass."""
        return None if self.largest_eigenvalue is None else ~(self.largest_eigenvalue <= METASTABLE)

    def __repr__(self) -> str:
        parts = [f"{self.reached.numel()} cues, {int(self.reached.sum())} at rest after {int(self.steps.max())} steps"]
        parts += [f"largest residual {float(self.residual.max()):.3g}"]
        if self.largest_eigenvalue is not None:
            parts += [f"largest eigenvalue {float(self.largest_eigenvalue.max()):.4g}"]
        return f"Rest({', '.join(parts)})"


@torch.compiler.disable(reason="how many steps a fixed point takes is known at run time; give steps=")  # type: ignore[untyped-decorator]
def at_rest(association: Association, cues: Any, stop: str, tol: float | None, max_steps: int) -> tuple[Any, Rest]:
    """The states in which cues `(batch, heads, n, dim)` come to rest, with their gradient, and the record of it."""
    one = association.in_single()
    with torch.no_grad():
        states, rest = (_by_head if stop == "head" else _by_cue)(one, widened(cues), tol, max_steps)
    if torch.is_grad_enabled():
        image = checkpoint(one, states, use_reentrant=False)
        if image.requires_grad:
            _require_symmetric(one)
            states = _FixedPoint.apply(states, image, one, rest)
    return states.to(cues.dtype), rest


def _require_symmetric(association: Association) -> None:
    """Raise `InvalidInput` where J need not be symmetric and positive semidefinite."""
    separation, activation = association.step.separation, association.step.activation
    convex = separation.convex and not separation.why_no_potential
    part = f"the separation {quoted(separation)}" if not convex else f"the activation {quoted(activation)}"
    if not (convex and isinstance(activation, Identity)):
        reason = "the gradient at a fixed point needs a convex separation and the identity activation"
        cure = "give a number of steps, or call the layer under torch.no_grad()"
        raise InvalidInput(f"steps: {reason}, not {part}; {cure}")


def _by_cue(association: Association, x: Any, tol: float | None, max_steps: int) -> tuple[Any, Rest]:
    """Each cue goes on until |x⁺ − x| ≤ tol · max(|x⁺|, |cue|), and then keeps its state."""
    bound = tolerance(x.dtype, torch) if tol is None else tol
    shape = *torch.broadcast_shapes(x.shape[:-2], association.keys.shape[:-2]), x.shape[-2]
    x = x.expand(*shape, x.shape[-1])
    moving, size = torch.ones(shape, dtype=torch.bool, device=x.device), largest_entries(x)
    steps, residual = moving.long() * 0, torch.full_like(size, torch.inf)
    for _ in range(max_steps):
        after = association(x)
        residual = torch.where(moving, largest_change(x, after), residual)
        x = torch.where(moving[..., None], after, x)
        steps += moving
        moving = moving & ~(residual <= bound * torch.maximum(size, largest_entries(after)))
        if not moving.any():
            break
    return x, Rest(steps=steps, residual=residual, reached=~moving)


def _by_head(association: Association, x: Any, tol: float | None, max_steps: int) -> tuple[Any, Rest]:
    """A head goes on until its weights change by no more than tol, in the text of the batch where they change most.

    The change is the root of the sum of squares over all queries and keys.
    """
    bound, before = HEAD_TOLERANCE if tol is None else tol, association.weights(x)
    x = x.expand(*before.shape[:-1], x.shape[-1])
    moving = torch.ones(before.shape[1], dtype=torch.bool, device=x.device)
    steps, residual = moving.long() * 0, torch.full_like(before[0, :, 0, 0], torch.inf)
    for _ in range(max_steps):
        x = torch.where(moving[:, None, None], association(x), x)
        weights = association.weights(x)
        change = torch.linalg.vector_norm(weights - before, dim=(-2, -1)).amax(0)
        residual, before = torch.where(moving, change, residual), weights
        steps += moving
        moving = moving & ~(residual <= bound)
        if not moving.any():
            break
    parts = {"steps": steps, "residual": residual, "reached": ~moving}
    return x, Rest(**{name: part[:, None].expand(x.shape[:-1]) for name, part in parts.items()})


class _FixedPoint(torch.autograd.Function):  # type: ignore[misc]
    """The fixed points themselves, with the gradient of their image under one more step."""

    @staticmethod
    def forward(ctx: Any, states: Any, image: Any, association: Association, rest: Rest) -> Any:
        ctx.save_for_backward(states)
        ctx.association, ctx.rest = association, rest
        return states.view_as(states)

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, gradient: Any) -> tuple[Any, ...]:
        (states,), rest = ctx.saved_tensors, ctx.rest
        with torch.enable_grad():
            x = states.detach().requires_grad_()
            image = ctx.association(x)

        def product(v: Any) -> Any:
            """J v, which is vᵀ J."""
            options = {"retain_graph": True, "allow_unused": True, "materialize_grads": True}
            return torch.autograd.grad(image, x, v, **options)[0]

        solution = solved(product, gradient)
        # the solution is largest where the eigenvalue is; at 1 and above the rounds for it stop at 0
        vars(rest).update(largest_eigenvalue=largest_eigenvalue(product, solution + gradient))
        doubtful = ~rest.reached | rest.metastable
        if doubtful.any():
            worst = f"the largest residual is {float(rest.residual.max()):.3g}"
            eigenvalue = f"the largest eigenvalue {float(rest.largest_eigenvalue.max()):.6g}"
            count = f"{int(doubtful.sum())} of {doubtful.numel()} cues"
            cure = "see layer.rest; raise max_steps or beta, or give a number of steps"
            message = f"{count} are not at a stable fixed point ({worst}, {eigenvalue}), so that their gradient may be"
            warnings.warn(f"{message} wrong; {cure}", RuntimeWarning, stacklevel=2)
        return None, solution, None, None


def solved(product: Any, b: Any) -> Any:
    """The u of (I − J) u = b, `(…, dim)`, each row for itself, by conjugate gradients.

    product: the function that gives J v of rows v. A row in which I − J is not positive stays at the last u.
    """
    scale = nonzero(row_length(b))[..., None]
    r = p = b / scale
    u, square = torch.zeros_like(r), (r * r).sum(-1, keepdim=True)
    bound = tolerance(b.dtype, torch) ** 2
    for _ in range(2 * b.shape[-1] + 2):  # dim steps without rounding
        if not (square > bound).any():
            break
        image = p - product(p)
        curvature = (p * image).sum(-1, keepdim=True)
        goes_on = (square > bound) & (curvature > 0)
        length = torch.where(goes_on, square / nonzero(curvature), 0.0)
        u, r = u + length * p, r - length * image
        before, square = square, torch.where(goes_on, (r * r).sum(-1, keepdim=True), 0.0)
        p = r + square / nonzero(before) * p
    return u * scale


def largest_eigenvalue(product: Any, v: Any) -> Any:
    """The largest eigenvalue of J among the directions of v, `(…,)`, by power iteration; 0 for a v of 0.

    The estimates rise, since J is symmetric and positive semidefinite.
    """
    estimate = torch.zeros_like(v[..., 0])
    for _ in range(ROUNDS):
        v = v / nonzero(row_length(v))[..., None]
        image = product(v)
        before, estimate = estimate, (v * image).sum(-1)
        if not ((estimate - before).abs() > 1e-4).any():
            break
        v = image
    return estimate
