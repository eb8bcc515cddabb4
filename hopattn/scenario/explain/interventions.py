"""The arithmetic of a worth: the change of the energy and the answer, by the formula and as measured."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from hopattn.foundation.writing import number
from hopattn.retrieval.activation import Identity
from hopattn.retrieval.interventions import Worth
from hopattn.retrieval.separation.base import Elementwise
from hopattn.retrieval.step import Step
from hopattn.scenario.explain.arithmetic import added, equals, weighted_sum, written

LOST = "1 − p is 0 up to rounding, so that the formula has no digits left"


def explain_worth(
    found: Worth, i: int, step: Step, names: Sequence[str], values: np.ndarray, shown: Callable[[Any], str] | None
) -> Iterator[str]:
    """The arithmetic of row i of a worth.

    step: the step from which patterns or tokens are taken. names, values: of these, `(n_taken, dim_out)`. shown: writes
    a vector; None where vectors are pictures, which are not written.
    """
    weights, before, closed, measured = found.weights[i], found.before, found.closed, found.measured
    p, divides = written(np.sum(weights)), not isinstance(step._effective_separation, Elementwise)
    if not np.any(weights):
        yield "p = 0: nothing changes"
        return
    left = float(1 - np.sum(weights))
    yield f"p = {number(float(np.sum(weights)))}" + f", 1 − p {equals(left, 1 - p)} {number(left)}" * divides
    if known := closed is not None and bool(found.digits[i] > 0):  # type: ignore[index]
        change, answer = [f"{part} " for part in _formulas(found, i, step, names, values, shown)]
    else:
        yield found.lacks.get("closed", LOST)
        change = answer = ""
    if before.potential is not None:
        rise = float(before.potential[i] - measured.potential[i])  # type: ignore[index]
        verb = "potential falls" if "energy" in found.lacks else "energy rises"
        yield f"{verb} by {change}{number(rise)} as measured"
    if shown is not None:
        yield f"answer: {answer}{shown(measured.answer[i])} as measured"
    if shown is not None and known and closed is not None and closed.fixed_point is not None:
        moved = "to first order, (I − J)⁻¹ moves it to" if found.settled[i] else "the formula does not hold;"  # type: ignore[index]
        points = [shown(one.fixed_point[i]) for one in (before, closed, measured)]  # type: ignore[index]
        yield f"fixed point {points[0]}: {moved} {points[1]}, {points[2]} as measured"


def _formulas(
    found: Worth, i: int, step: Step, names: Sequence[str], values: np.ndarray, shown: Callable[[Any], str] | None
) -> tuple[str, str]:
    """The formulas of the change of the potential and of the answer, each with its result and a semicolon."""
    before, closed, weights = found.before, found.closed, found.weights[i]
    divides, left = not isinstance(step._effective_separation, Elementwise), float(1 - np.sum(weights))
    change = answer = ""
    if closed is None:
        return change, answer
    if closed.potential is not None:
        fall = float(before.potential[i] - closed.potential[i])  # type: ignore[index]
        beta = step.separation.beta
        by_hand = -np.log(np.maximum(written(left), 1e-300)) / written(beta)
        over = "" if beta == 1 else f"/{number(beta)}"
        change = f"−log({number(left)}){over} {equals(fall, by_hand)} " if divides else ""
        change += f"{number(fall)};"
    if shown is not None and not isinstance(step.activation, Identity):
        answer = f"{shown(closed.answer[i])};"  # the formula is that of the field
    elif shown is not None:
        lost = weighted_sum(weights, names)
        difference = f"{shown(before.answer[i])} − {f'({lost})' if ' + ' in lost else lost}"
        divisor = float(written(left)) if divides else 1.0
        worked = (written(before.answer[i]) - added(written(weights) * np.asarray(values).T)) / (divisor or 1.0)
        whole = f"({difference})/{number(left)}" if divides else difference
        answer = f"{whole} {equals(closed.answer[i], worked)} {shown(closed.answer[i])};"
    return change, answer
