"""Interventions: patterns are taken away, and a formula says what that does to a step, beside what it really does.

                          others' weights     h without             Ψ without
    softmax               p_ν / (1 − p)       (h − p v) / (1 − p)   Ψ + β⁻¹ log(1 − p)
    in proportion         p_ν / (1 − p)       (h − p v) / (1 − p)
    Σ φ(s), by its own    p_ν                 h − p v               Ψ − φ(s)

p, v and s are those of the pattern that is taken away; several add up. With a sink, p is the share of all patterns and
the null pattern. No other separation has a formula of these numbers alone: `Separation.without` gives None there.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hopattn.foundation.arrays import Array, entries, namespace, widened
from hopattn.foundation.errors import quoted
from hopattn.foundation.sentences import say
from hopattn.foundation.ties import eps_of, without_rounding
from hopattn.foundation.vectors import nonzero
from hopattn.retrieval.masks import like
from hopattn.retrieval.rounding import Ties, of_field, of_weights
from hopattn.retrieval.separation.base import Separation, scaled
from hopattn.retrieval.step import Step, summed


@dataclass(frozen=True, eq=False)
class Response:
    """The response of a memory or a head to n cues; a part that it lacks is None.

    answer: x⁺, `(…, n, dim_out)`. potential: Ψ(s), `(…, n)`. energy: E(x), `(…, n)`. fixed_point: where a recall from
    the cue ends, `(…, n, dim)`; without the patterns, where a recall from that fixed point ends.
    """

    answer: Array
    potential: Array | None = None
    energy: Array | None = None
    fixed_point: Array | None = None


@dataclass(frozen=True, eq=False)
class Worth:
    """The worth of patterns to n cues: the response with them, and without them as measured and by a formula.

    weights: `(…, n, n_taken)`, those that are taken away; `weight` is their sum, the p of the formulas. before,
    measured: the response with the patterns and without them. closed: the response without them by the formulas of
    `ha.memories.worth`; None, or None for a part, where there is no formula, with the reason in `lacks`. digits:
    `(…, n)`, about how many digits rounding leaves of the formulas: −log₁₀(ε / q), where q is the least of 1 − p and of
    the share of the other patterns in Σ|p||v|. Where none is left, it is 0, and `closed` repeats `measured`.
    settled: `(…, n)`, whether both recalls converged, the first to a stable fixed point; elsewhere the fixed point of
    `closed` repeats that of `measured`. None without a formula for fixed points.
    """

    weights: Array
    before: Response
    measured: Response
    closed: Response | None = None
    digits: Array | None = None
    settled: Array | None = None
    lacks: Mapping[str, str] = field(default_factory=dict)

    @property
    def weight(self) -> Array:
        """p, the sum of the weights that are taken away, `(…, n)`."""
        return namespace(self.weights).sum(self.weights, axis=-1)


def worth_of_step(
    step: Step,
    scores: Array,
    where: Array | None,
    values: Array,
    rows: tuple[int, ...],
    measured: Response,
    state: Array | None = None,
    slack: Any = 0.0,
) -> Worth:
    """The worth of patterns to a step of these scores `(…, n, n_patterns)`; rows: the numbers of these patterns.

    where: the mask, as an array of the shape of the scores, or None. values: `(…, n_patterns, dim_out)`. measured: the
    response without the patterns. state: the neurons before the step, as in `Step`. slack: the rounding of the
    scores; spins that it decides stay as they are.
    """
    xp, separation = namespace(scores), step._effective_separation
    all_weights = separation(scores, where, potential=not separation.why_no_potential)
    array, factor, potential, _ = all_weights
    values = widened(values)
    parts, s = (entries(numbers, rows, -1) for numbers in (array, scores))
    weights = scaled(parts, factor)
    field, error = summed(array, values), None
    if step.activation.discrete:
        spread = of_weights(separation, scores, where, slack, all_weights)
        error = of_field(spread, values, Ties(eps_of(values), values.shape[-2]))
        field = without_rounding(field, error)
    before, lacks = Response(step._activate(field, factor, state), potential), lacking(separation)
    formula = separation.without(s, weights, None if where is None else entries(where, rows, -1))
    if formula is None:
        return Worth(weights, before, measured, lacks=lacks)
    divisor, psi_change = formula
    complement = np.ones(int(array.shape[-1]), dtype=bool)
    complement[list(rows)] = False
    sizes = [xp.abs(array), xp.where(like(complement, array), xp.abs(array), 0.0)]
    total, complement_total = (xp.max(summed(size, xp.abs(values)), axis=-1) for size in sizes)
    divisor = divisor * xp.ones_like(total)
    share = xp.minimum(divisor, complement_total / nonzero(total))  # the part that the difference leaves
    digits = xp.log10(nonzero(share) / xp.finfo(share.dtype).eps)
    digits = xp.where((share > 0) & (digits >= 1), digits, 0.0)
    complement_field = field - parts @ entries(values, rows, -2)
    complement_field = complement_field if error is None else without_rounding(complement_field, 2 * error)
    formula_answer = step._activate(complement_field / nonzero(divisor)[..., None], factor, state)
    has_digits = digits > 0
    answer = xp.where(has_digits[..., None], formula_answer, measured.answer)
    psi = None if psi_change is None else xp.where(has_digits, potential + psi_change, measured.potential)
    return Worth(weights, before, measured, Response(answer, psi), digits, lacks=lacks)


def lacking(separation: Separation) -> dict[str, str]:
    """The parts that a worth lacks with these weights, "closed" or "potential", each with the reason."""
    formula = say(
        "no formula gives the weights of {} without a pattern from that pattern's weight alone", quoted(separation)
    )
    has_formula = type(separation).without is not Separation.without
    reasons = {"closed": "" if has_formula else formula, "potential": separation.why_no_potential}
    return {name: reason for name, reason in reasons.items() if reason}


def with_energies(worth: Worth, before: Array, measured: Array) -> Worth:
    """The same with the energies before and after: where E(x) = c(x) − Ψ(s), it rises by as much as Ψ falls."""
    closed = worth.closed
    if closed is not None:
        rise: Array = worth.before.potential - closed.potential  # type: ignore[operator]
        closed = replace(closed, energy=namespace(rise).where(worth.digits > 0, before + rise, measured))  # type: ignore[operator]
    responses: dict[str, Any] = {
        "before": replace(worth.before, energy=before),
        "measured": replace(worth.measured, energy=measured),
    }
    return replace(worth, closed=closed, **responses)
