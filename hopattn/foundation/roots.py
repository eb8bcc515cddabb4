"""Roots: the point at which a falling function changes its sign, with its derivatives."""

import math
from collections.abc import Callable

import numpy as np

from hopattn.foundation.arrays import Array, constant, namespace
from hopattn.foundation.vectors import nonzero

Falling = Callable[[Array, Array], Array]
"""A function f(t, x) that falls in t, for an array x that it depends on."""


def root(f: Falling, slope: Falling, x: Array, low: Array, high: Array, *, steep: bool = False) -> Array:
    """The root t of f(t, x) = 0 in each interval from `low` to `high`, as a function of x with its derivatives.

    f is positive below the root. slope: −∂f/∂t, 0 or more. steep: whether the slope grows without bound.

    NumPy arrays take safeguarded Newton's steps, or halve the interval if f is steep. Arrays of other libraries halve
    it, at a constant x and a fixed number of times, so that the loop can be traced and costs a derivative nothing. Two
    Newton's steps t ← t + f/(−∂f/∂t) follow, which do depend on x. At the root they change t by rounding alone, and
    carry the implicit derivative dt/dx = (∂f/∂x)/(−∂f/∂t). A step squares the error of t as a function of x, so that
    after two of them the second derivative is right too.
    """
    if isinstance(low, np.ndarray):
        return bisected(lambda t: f(t, x), low, high) if steep else _newton(f, slope, x, low, high)
    fixed = constant(x)
    t = bisected(lambda t: f(t, fixed), constant(low), constant(high))
    for _ in range(2):
        t = t + f(t, x) / nonzero(slope(t, x))
    return t


def bisected(f: Callable[[Array], Array], low: Array, high: Array) -> Array:
    """The root of a falling function in each interval from `low` to `high`, by halving.

    The number of halvings depends on the dtype alone: 64 in float64, which leaves nothing of an interval of length 1.
    """
    xp = namespace(low)
    for _ in range(12 - round(math.log2(float(xp.finfo(low.dtype).eps)))):
        middle = 0.5 * (low + high)
        above = f(middle) > 0
        low, high = xp.where(above, middle, low), xp.where(above, high, middle)
    return 0.5 * (low + high)


def _newton(f: Falling, slope: Falling, x: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Newton's method from the lower end, from where the steps on a convex function never pass the root.

    Each step narrows the bracket. The middle of the bracket is taken instead where a step would leave it, and at every
    eighth step. The method ends when no step is longer than rounding.
    """
    t, eps = low, float(np.finfo(low.dtype).eps)
    for count in range(1, 512):
        value, fall = f(t, x), slope(t, x)
        low, high = np.where(value > 0, t, low), np.where(value > 0, high, t)
        step = t + value / np.where(fall > 0, fall, 1)
        safe = (fall > 0) & (low <= step) & (step <= high) & (count % 8 > 0)
        after = np.where(safe, step, 0.5 * (low + high))
        if np.all(np.abs(after - t) <= eps * np.maximum(np.abs(t), 1 / 64)):
            break
        t = after
    return t
