"""Roots: the point at which a falling function changes its sign."""

from collections.abc import Callable

import numpy as np

from hopattn.foundation.arrays import Array, namespace


def root(
    excess: Callable[[Array], Array], low: Array, high: Array, slope: Callable[[Array], Array] | None = None
) -> Array:
    """The root of a falling function in each interval from `low` to `high`.

    excess: the function f. It is positive below the root.
    slope: −f′, if it is known. NumPy arrays then take Newton's steps, a tenth as many as halvings.
    Without it the interval is halved 64 times. In float64 nothing is left of an interval of length 1. The number is
    fixed, so that the function can be traced.
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
    """Newton's method from the lower end, from where the steps on a convex function never pass the root.

    Each step narrows the bracket. The middle of the bracket is taken instead where a step would leave it, and at every
    eighth step. The method ends when no step is longer than rounding.
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
