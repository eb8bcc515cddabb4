"""Roots: where a falling function changes its sign."""

from collections.abc import Callable

import numpy as np

from hopattn.foundation.arrays import Array, namespace


def root(
    excess: Callable[[Array], Array], low: Array, high: Array, slope: Callable[[Array], Array] | None = None
) -> Array:
    """Where a falling function changes its sign between low and high, by bisection.

    A fixed number of halvings, which leaves nothing of an interval of length 1 in float64, so that it can be traced.
    slope: how fast the function falls; where it is known, NumPy takes Newton's steps, a tenth as many.
    """
    if slope is not None and isinstance(low, np.ndarray):
        return _newton(excess, slope, low, high)
    xp = namespace(low)
    for _ in range(64):
        middle = 0.5 * (low + high)
        above = excess(middle) > 0
        low, high = xp.where(above, middle, low), xp.where(above, high, middle)
    return 0.5 * (low + high)


def _newton(
    excess: Callable[[Array], Array], slope: Callable[[Array], Array], low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """Newton's steps from the lower end, on which a convex function never oversteps; each narrows a bracket, of which
    the middle is taken where a step would leave it, and every eighth time, until no step is longer than rounding.
    """
    t, eps = low, float(np.finfo(low.dtype).eps)
    for count in range(1, 512):
        value, fall = excess(t), slope(t)
        low, high = np.where(value > 0, t, low), np.where(value > 0, high, t)
        step = t + value / np.where(fall > 0, fall, 1)
        safe = (fall > 0) & (low <= step) & (step <= high) & (count % 8 > 0)
        after = np.where(safe, step, 0.5 * (low + high))
        if np.all(np.abs(after - t) <= eps * np.maximum(np.abs(t), 1 / 64)):
            break
        t = after
    return t
