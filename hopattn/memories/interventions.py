"""The worth of a pattern to a memory: answers, energies and fixed points without it, by a formula and measured.

At a fixed point x* = T(x*) of a step T with the Jacobian J, a small change d of the step moves the fixed point by

    dx* = (I − J)⁻¹ d        d = T'(x*) − T(x*) = p (x* − v) / (1 − p)        J = β Kᵀ (diag p − p pᵀ) K

to first order: the error is of the order p². That T' is the step without the pattern, and p its weight at x*.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from hopattn.foundation.arrays import Array, Mask, as_float, entries, in_numbers_of, namespace, widened
from hopattn.foundation.boundary import not_minus_infinity, public
from hopattn.foundation.checks import require_room
from hopattn.foundation.ties import eps_of
from hopattn.foundation.vectors import nonzero
from hopattn.memories.memory import Memory
from hopattn.retrieval.interventions import Response, Worth, with_energies, worth_of_step
from hopattn.retrieval.interventions import lacking as lacking_in_step
from hopattn.retrieval.masks import like, resolve, rows_taken
from hopattn.retrieval.rounding import of_scores
from hopattn.retrieval.separation.base import remainder

ALMOST = 256.0
"""The residual at which a fixed point is reached, in units of ε."""
MOST_STEPS = 2_000
"""The most steps to a fixed point."""
VALUES_APART = "values differ from keys; the closed form of a fixed point is known only where they are the keys"


@public(may_be=not_minus_infinity)
def worth(memory: Memory, cues: Array, pattern: Any, *, mask: Mask = None) -> Worth:
    """The worth of a pattern to the memory: the effect of forgetting it on these cues, by a formula and measured.

    Parameters
    ----------
    memory : of keys and values.
    cues : (n_cues, dim) or (dim,)
    pattern : as in `Memory.without`; of several, p and p v are sums.
    mask : booleans, as in `Memory.weights`.

    Raises
    ------
    InvalidInput : as `Memory.without`, `step` and `recall` do.

    Notes
    -----
    For the softmax and a pattern v of weight p, forgetting raises the energy by −β⁻¹ ln(1 − p), and moves the answer x⁺
    to (x⁺ − p v)/(1 − p); with a sink, p is the share of all patterns and the null pattern. Weights that go by their
    own score alone (identity, powers, exponential, threshold) give x⁺ − p v and E + φ(s). These answers are fields, on
    which the activation then acts; where it uses only their direction, the exponential's weights are those of the
    softmax. For one step the formulas are exact, and rounding grows to ε/(1 − p). Other separations have no such
    formula.

    A fixed point moves by (I − J)⁻¹ times the change of the step there, to first order: with an error of the order p²,
    for the softmax without another activation. It is the fixed point that a recall from the cue reaches. Source:
    Ramsauer et al. (2021), ICLR, for energy and step (their ξ is our x); the implicit function theorem.

    Examples
    --------
    >>> import hopattn as ha
    >>> effect = ha.memories.worth(ha.Memory([[1.0, 0.0], [0.0, 1.0]], beta=2), [0.6, 0.4], 0)
    >>> effect.closed.answer.round(3), effect.measured.answer.round(3)
    (array([0., 1.]), array([0., 1.]))
    >>> float((effect.closed.energy - effect.before.energy).round(3))
    0.457
    """
    rows = rows_taken(pattern, memory.n_patterns, "pattern")
    reduced = memory.without(rows)
    states = as_float(cues, "cues", like=memory.keys)
    scores = memory.scores(states)
    xp = namespace(scores)
    where = None if mask is None else resolve(mask, scores)
    where = None if where is None else xp.broadcast_to(where, scores.shape)
    complement = np.delete(np.arange(memory.n_patterns), np.asarray(rows, dtype=np.int64))
    submask = None if where is None else entries(where, complement, -1)
    separation = memory.retrieval._effective_separation
    potential = None if separation.why_no_potential else separation.potential(reduced.scores(states), submask)
    measured = Response(reduced.step(states, submask), potential)
    before = states if memory.same_neurons else None
    slack = of_scores(memory.similarity, states, memory.keys, eps_of(memory.keys))
    effect = worth_of_step(memory.retrieval, scores, where, memory.values, rows, measured, before, slack)
    effect = replace(effect, lacks=lacking(memory))
    if not memory.why_not("energy"):
        effect = with_energies(effect, memory.energy(states, where), reduced.energy(states, submask))
    if memory.why_not("recall"):
        return effect
    return _with_fixed_points(effect, memory, reduced, states, (where, submask), rows)


def lacking(memory: Memory) -> dict[str, str]:
    """The parts that a worth lacks in a memory: "closed", "potential", "energy", "fixed_point", with reasons."""
    jacobian = memory.retrieval._why_no_jacobian or ("" if memory.autoassociative else VALUES_APART)
    reasons = {"energy": memory.why_not("energy"), "fixed_point": memory.why_not("recall") or jacobian}
    lacks = {name: reason for name, reason in reasons.items() if reason}
    return lacking_in_step(memory.retrieval._effective_separation) | lacks


def _with_fixed_points(
    effect: Worth,
    memory: Memory,
    reduced: Memory,
    cues: Array,
    masks: tuple[Array | None, Array | None],
    rows: tuple[int, ...],
) -> Worth:
    """The same with the fixed points of both memories, each from that of the other."""
    xp, options = namespace(memory.keys), dict[str, Any]()
    if "fixed_point" not in effect.lacks:  # a formula is worth as many digits as there are
        options = {"tol": ALMOST * float(xp.finfo(memory.keys.dtype).eps), "max_steps": MOST_STEPS}
    recall = memory.recall(cues, mask=masks[0], rng=0, **options)
    recall_without = reduced.recall(recall.state, mask=masks[1], rng=0, **options)
    before = replace(effect.before, fixed_point=recall.state)
    measured = replace(effect.measured, fixed_point=recall_without.state)
    if effect.closed is None or "fixed_point" in effect.lacks:
        return replace(effect, before=before, measured=measured)
    x, keys, step = _wide(recall.state), _wide(memory.keys), memory.retrieval
    dim, p = memory.dims[0], step.weights(x, keys, masks[0])
    parts = entries(p, rows, -1)
    require_room(int(np.prod(x.shape)) * dim, f"Jacobians of {dim} by {dim}")
    one_minus_p, identity = remainder(parts)[..., None], xp.eye(dim, dtype=p.dtype)
    matrix = identity - step._jacobian(x, keys, keys, masks[0])
    stable = xp.min(xp.linalg.eigvalsh(matrix), axis=-1) > float(xp.finfo(p.dtype).eps) ** 0.5
    converged = like(np.asarray(recall.converged & recall_without.converged), p)
    settled = converged & stable & (one_minus_p[..., 0] > 0)
    change = (xp.sum(parts, axis=-1)[..., None] * x - parts @ entries(keys, rows, 0)) / nonzero(one_minus_p)
    shift = xp.linalg.solve(xp.where(settled[..., None, None], matrix, identity), change[..., None])[..., 0]
    point = xp.where(settled[..., None], in_numbers_of(recall_without.state, x + shift), recall_without.state)
    closed = replace(effect.closed, fixed_point=point)
    return replace(effect, before=before, measured=measured, closed=closed, settled=settled)


def _wide(array: Array) -> Array:
    """An array in numbers for which there is linear algebra: NumPy's in float64, and no half precision."""
    return array.astype(np.float64) if isinstance(array, np.ndarray) else widened(array)
