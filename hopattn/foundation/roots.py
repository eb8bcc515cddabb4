"""Roots: the point at which a falling function changes its sign, with its derivatives."""

import math
import sys
from collections.abc import Callable

import numpy as np

from hopattn.foundation.arrays import Array, namespace
from hopattn.foundation.traces import detached, is_jax, requires_grad
from hopattn.foundation.vectors import nonzero

Mass = Callable[[Array, Array, Array | None], Array]
"""Σ φ(x_i − t) over the entries of each row, `(…, 1)`, as a function of t, x and a mask of x.

φ is non-decreasing, and 0 on (−∞, 0]."""
TRIED_FIRST = 32
"""The number of largest entries of a row that are tried first: weights that are sparse seldom need more."""
STAGE = 4
"""The factor by which more entries are tried where they were not enough."""


def level(
    mass: Mass,
    slope: Mass,
    x: Array,
    total: Array,
    bracket: tuple[Array, Array],
    where: Array | None = None,
    *,
    degree: float = 1.0,
) -> Array:
    """The level t at which each row of x `(…, n)` has a given mass, `(…, 1)`, as a function of x with its derivatives.

    mass: Σ φ(x_i − t), falling in t. slope: −∂mass/∂t, 0 or more. total: that mass, `(…, 1)`. bracket: bounds of the
    level, `(…, 1)` each. where: a mask that broadcasts to x. degree: that of φ where φ is a power; below 1 its slope
    grows without bound.

    Arrays of other libraries halve the bracket at a constant x, so that the loop can be traced, and
    `with_derivatives` adds the derivatives of t.

    NumPy looks at the largest entries of a row first. Their level is that of all where the least of them does not rise
    above it, and below it otherwise. The other rows try more of their entries, from that level on.
    """
    if not isinstance(x, np.ndarray):
        fixed, (low, high) = detached(x), bracket
        t = bisected(lambda t: mass(t, fixed, where) - total, detached(low), detached(high))
        return with_derivatives(t, lambda t: (mass(t, x, where) - total) / nonzero(slope(t, x, where)))
    n, eps = x.shape[-1], float(np.finfo(x.dtype).eps)
    low, high, sums = (np.broadcast_to(each, (*x.shape[:-1], 1)).reshape(-1, 1) for each in (*bracket, total))
    entries = np.array(x if where is None else np.where(where, x, bracket[0] - 1)).reshape(-1, n)
    t, rows, size = low.copy(), np.arange(len(entries)), max(TRIED_FIRST, 2 * int(sums.max(initial=0)))
    while rows.size:
        if size < n:
            entries.partition(n - size, axis=-1)
        largest, masses, least = np.ascontiguousarray(entries[:, max(n - size, 0) :]), sums[rows], t[rows]
        if degree < 1:
            f, least = lambda t, y=largest, m=masses: mass(t, y, None) - m, least - 4 * eps * abs(least)
            levels = bisected(f, least, high[rows])
        else:
            levels = _newton(mass, slope, largest, masses, least, high[rows], degree)
        t[rows] = levels
        above = (largest.min(axis=-1) > levels[:, 0]) & (size < n)
        rows, entries, size = rows[above], entries[above], STAGE * size
    return np.asarray(t.reshape(*x.shape[:-1], 1))


def with_derivatives(t: Array, step: Callable[[Array], Array]) -> Array:
    """A root t of f, known as a constant, with its first and second derivatives by all that f depends on.

    step: Newton's f/(−∂f/∂t) at t. Two steps are taken, of which only the derivatives are kept: the value of a step is
    rounding, and large where the slope of f is lost. They carry the implicit derivative dt/dx = (∂f/∂x)/(−∂f/∂t). A
    step squares the error of t as a function of x, so that after two of them the second derivative is right too.
    """
    for _ in range(2):
        change = step(t)
        t = t + (change - detached(change))
    return t


def bisected(f: Callable[[Array], Array], low: Array, high: Array) -> Array:
    """The root of a falling function in each interval from `low` to `high`, by halving, 64 times in float64."""
    xp = namespace(low)

    def half(bracket: tuple[Array, Array]) -> tuple[Array, Array]:
        low, high = bracket
        middle = 0.5 * (low + high)
        above = f(middle) > 0
        return xp.where(above, middle, low), xp.where(above, high, middle)

    bracket, count = (low, high), 12 - round(math.log2(float(xp.finfo(low.dtype).eps)))
    if is_jax(low) and requires_grad(low):  # a loop of JAX is compiled much faster than all its rounds
        bracket = sys.modules["jax"].lax.fori_loop(0, count, lambda _, bracket: half(bracket), bracket)
    else:
        for _ in range(count):
            bracket = half(bracket)
    return 0.5 * (bracket[0] + bracket[1])


def _newton(
    mass: Mass, slope: Mass, x: np.ndarray, total: np.ndarray, low: np.ndarray, high: np.ndarray, degree: float
) -> np.ndarray:
    """Newton's method from the lower end, from where the steps on a convex function never pass the root.

    The function is g = (mass / total)^(1/degree) − 1, which is nearly straight for a power φ. The middle of the bracket
    is taken instead where a step would leave it, and at every eighth step. A row keeps its level after the
    first step that is no longer than rounding.
    """
    t, eps, done = low, float(np.finfo(x.dtype).eps), np.zeros(low.shape, bool)
    for count in range(1, 512):
        value, fall = mass(t, x, None), slope(t, x, None)
        low, high = np.where(value > total, t, low), np.where(value > total, high, t)
        excess = value - total  # g · ∂mass/∂g
        if degree != 1:
            excess = -degree * value * np.expm1(-np.log(nonzero(value) / total) / degree)
        step = t + excess / nonzero(fall)
        safe = (fall > 0) & (low <= step) & (step <= high) & (count % 8 > 0)
        after = np.where(value == total, t, np.where(safe, step, 0.5 * (low + high)))
        moved = np.abs(after - t) > 4 * eps * np.maximum(np.abs(t), 1 / 64)
        t = np.where(done, t, after)
        done |= ~moved
        if done.all():
            break
    return np.where(np.isnan(value), value, t)
