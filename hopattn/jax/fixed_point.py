"""Recall of some steps, or to a fixed point x* = f(x*) with its derivative by the implicit function theorem.

    ∂x*/∂θ = (I − J)⁻¹ ∂f/∂θ,    J = ∂f/∂x = β Kᵀ ∇²Ψ K

`jax.lax.custom_root` holds this rule, forwards and backwards, so that no step before the last is kept. The linear
equations are solved by conjugate gradients where J is symmetric and positive semidefinite (dot products, a convex Ψ,
the identity as activation), and by GMRES elsewhere.
Source: Bai, Kolter & Koltun (2019), NeurIPS, "Deep equilibrium models", theorem 1 (their z* is our x*).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Unpack

import jax
import jax.numpy as jnp

from hopattn.foundation.arrays import Array, Mask, narrowed, tolerance, widened
from hopattn.foundation.boundary import Count, public
from hopattn.foundation.checks import real, whole
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.vectors import largest_change, largest_entries, nonzero, row_length
from hopattn.retrieval.activation import Identity
from hopattn.retrieval.similarity import Dot
from hopattn.retrieval.step import Keys, Rows, Step, StepParts

Steps = Annotated[int | None, lambda value, what: None if value is None else whole(value, what)]
Tolerance = Annotated[float | None, lambda value, what: None if value is None else real(value, what, least=0.0)]
METASTABLE = 1 - 1e-3
"""The largest eigenvalue of J above which a gradient at a fixed point is not reliable."""
ROUNDS = 100
"""The rounds of the power iteration."""


@jax.tree_util.register_dataclass
@dataclass(frozen=True, eq=False, kw_only=True)
class Recalled:
    """What a recall gives: the states `(…, n_cues, dim)`, and a record of each cue, `(…, n_cues)`.

    steps: the number of updates. residual: the last |x⁺ − x| of an entry. reached: whether that is within the
    tolerance; elsewhere the derivative of a recall to the fixed point is not that of the state.
    """

    state: Any
    steps: Any
    residual: Any
    reached: Any


@public(parts=Step)
def recall(
    cues: Rows,
    keys: Keys,
    *,
    steps: Steps = None,
    tol: Tolerance = None,
    max_steps: Count = 200,
    mask: Mask = None,
    bias: Array = None,
    **parts: Unpack[StepParts],
) -> Recalled:
    """Repeat x⁺ = ∇Φ(Kᵀ ∇Ψ(sim(K, x))) from each cue, some steps or to its fixed point.

    Parameters
    ----------
    cues : `(…, n_cues, dim)` or `(dim,)`, arrays of JAX.
    keys : `(…, n_patterns, dim)`.
    steps
        the number of steps, through which derivatives go; None for recall until |x⁺ − x| ≤ tol · max(|x⁺|, |cue|), each
        cue for itself, with the derivative of the fixed point: by the keys, a bias, and what is learned of the parts,
        such as β and α. A fixed point does not depend on its cue, and its derivative by the cue is 0.
    tol : ε^¾ by default, 1.8e-12 in float64.
    max_steps : the most steps to a fixed point.
    mask, bias : as of `hopattn.Step`, whose other options are `**parts`.

    Raises
    ------
    InvalidInput : for arrays and parts that do not fit, and for an activation that jumps.

    Notes
    -----
    `jax.jit`, `jax.vmap`, and derivatives forwards and backwards work. See `largest_eigenvalue` for fixed points whose
    derivative is not reliable.

    Examples
    --------
    >>> rest = recall(jnp.array([1.0, 0.2]), jnp.eye(2), beta=8.0)
    >>> rest.state.round(2).tolist(), bool(rest.reached)
    ([1.0, 0.0], True)
    """
    image, symmetric = _image(keys, mask, bias, parts)
    return recalled(image, jnp.asarray(cues), steps, tol, max_steps, symmetric)


@public(parts=Step)
def largest_eigenvalue(
    states: Rows, keys: Keys, *, mask: Mask = None, bias: Array = None, **parts: Unpack[StepParts]
) -> Any:
    """The largest |eigenvalue| of J = ∂x⁺/∂x at states `(…, n, dim)`, `(…, n)`, by power iteration.

    Above .999 a fixed point counts as metastable: a small change of the keys moves it far or ends it, and its
    derivative is not reliable. Above 1 it is not stable. The arguments are those of `recall` and of `hopattn.Step`.
    """
    image, _ = _image(keys, mask, bias, parts)
    x = widened(jnp.asarray(states))

    def grown(_: Any, v: Any) -> Any:
        return jax.jvp(image, (x,), (v / nonzero(row_length(v))[..., None],))[1]

    return row_length(jax.lax.fori_loop(0, ROUNDS, grown, jax.random.normal(jax.random.key(0), x.shape, x.dtype)))


def _image(keys: Any, mask: Any, bias: Any, parts: Any) -> tuple[Callable[[Any], Any], bool]:
    """f of recall among these keys, and whether its J is symmetric and positive semidefinite."""
    step = Step(**parts)
    return partial(step, keys=widened(jnp.asarray(keys)), mask=mask, bias=bias), has_symmetric_slope(step)


def has_symmetric_slope(step: Step) -> bool:
    """Whether J = ∂x⁺/∂x of a step is symmetric and positive semidefinite; raises `InvalidInput` where x⁺ jumps."""
    separation, activation = step.separation, step.activation
    for part, jumps in ((separation, separation.jumps), (activation, activation.discrete)):
        if jumps:
            cure = "hopattn.Memory recalls with it"
            raise InvalidInput(f"recall: needs a step without jumps, not {quoted(part)}; {cure}")
    convex = separation.convex and not separation.why_no_potential
    return convex and isinstance(step.similarity, Dot) and isinstance(activation, Identity)


def recalled(
    image: Callable[[Any], Any], cues: Any, steps: int | None, tol: float | None, max_steps: int, symmetric: bool
) -> Recalled:
    """Repeat x⁺ = f(x) from cues `(…, dim)`. image: f. symmetric: whether J is symmetric and positive semidefinite."""
    start = widened(cues)
    start = jnp.broadcast_to(start, jax.eval_shape(image, start).shape)
    bound = tolerance(start.dtype, jnp) if tol is None else tol
    size = largest_entries(jax.lax.stop_gradient(start))

    def moves(x: Any, after: Any) -> tuple[Any, Any]:
        residual = largest_change(x, after)
        return residual, ~(residual <= bound * jnp.maximum(size, largest_entries(after)))

    if steps is not None:

        def one(x: Any, _: Any) -> tuple[Any, None]:
            return image(x), None

        before, _ = jax.lax.scan(one, start, length=steps - 1)
        state = image(before)
        residual, moving = moves(*map(jax.lax.stop_gradient, (before, state)))
        taken = jnp.full(size.shape, steps)
        return Recalled(state=narrowed(state, cues), steps=taken, residual=residual, reached=~moving)

    def solve(_: Any, x: Any) -> tuple[Any, Any]:
        def go_on(loop: Any) -> Any:
            return (loop[0] < max_steps) & loop[-1].any()

        def update(loop: Any) -> Any:
            count, x, taken, residual, moving = loop
            after = image(x)
            change, away = moves(x, after)
            still = jnp.where(moving[..., None], after, x)
            return count + 1, still, taken + moving, jnp.where(moving, change, residual), moving & away

        record = jnp.zeros_like(size), jnp.full_like(size, jnp.inf), jnp.ones(size.shape, bool)
        _, x, taken, residual, moving = jax.lax.while_loop(go_on, update, (0, x, *record))
        return x, (taken, residual, moving.astype(size.dtype))  # the rule of JAX takes floating-point numbers alone

    def solved(slope: Callable[[Any], Any], b: Any) -> Any:
        """The u of (I − J) u = b. slope: u ↦ (I − J) u."""
        solver = jax.scipy.sparse.linalg.cg if symmetric else jax.scipy.sparse.linalg.gmres
        tol, most = 0.1 * tolerance(start.dtype, jnp), 4 * start.shape[-1] + 40

        def solution(slope: Callable[[Any], Any], b: Any) -> Any:
            return solver(slope, b, tol=tol, maxiter=most)[0]

        return jax.lax.custom_linear_solve(slope, b, solution, solution, symmetric)

    state, record = jax.lax.custom_root(
        lambda x: x - image(x), jax.lax.stop_gradient(start), solve, solved, has_aux=True
    )
    taken, residual, moving = jax.lax.stop_gradient(record)
    state = narrowed(state, cues)
    return Recalled(state=state, steps=taken.astype(int), residual=residual, reached=moving == 0)
