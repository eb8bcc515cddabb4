"""Flows: the solution of y' = f(y) from many starts at once, each with a step size of its own.

The method is that of Dormand and Prince, of order 8, with Hairer's estimate of the error. Its coefficients are those of
`scipy.integrate.DOP853`, and so is the choice of the step, so that both give the same numbers up to rounding.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from hopattn.foundation.arrays import Array, device_of, namespace

LEAST_STEP = 1e20
"""The least step of a bounded y, in units of the least number of full precision."""
Rate = Callable[[Array], Array]
"""f(y), `(n, dim)` for y `(n, dim)`."""
ORDER = 7
"""The order of the estimate of the error."""
SAFETY, LEAST_FACTOR, MOST_FACTOR = 0.9, 0.2, 10.0
"""The part of the step that the error allows, and the least and the largest factor from one step to the next."""


def flowed(
    rate: Rate, start: Array, time: float, relative: float, absolute: Array, bounded: Array | bool = False
) -> Array:
    """y after a time from each start `(n, dim)`; infinite where no step is small enough, as where y diverges.

    relative: the error of a step relative to y; at least 100 ε. absolute: the error added to it, `(n, 1)`. bounded:
    whether y is known not to diverge, a flag or `(n,)`: then a step may be so small that the time does not show it.
    Source: Hairer, Nørsett & Wanner (1993), Solving Ordinary Differential Equations I, sections II.4 and II.5.
    """
    xp, n = namespace(start), start.shape[0]
    relative = max(relative, 100 * float(xp.finfo(start.dtype).eps))
    y, t = start, xp.zeros(n, dtype=start.dtype, device=device_of(start))
    active, rejected, failed = t < time, t > time, t > time
    normal, bounded = float(xp.finfo(start.dtype).smallest_normal), (t == t) & bounded
    with np.errstate(all="ignore"):
        f = rate(y)
        size = _first_step(rate, y, f, time, absolute + relative * xp.abs(y))
        while bool(xp.any(active)):
            shown = 10 * (xp.nextafter(t, t + math.inf) - t)
            least = xp.where(bounded, LEAST_STEP * normal, shown)
            failed = failed | (active & rejected & (size < least))
            size = xp.maximum(size, least)
            reached = xp.clip(t + size, None, time)
            step = xp.where(size < shown, size, reached - t)
            after, slope, error = _stepped(rate, y, f, step[:, None])
            scale = absolute + relative * xp.maximum(xp.abs(y), xp.abs(after))
            norm = _error_norm(*(estimate / scale for estimate in error)) * step
            factor = SAFETY * xp.where(norm > 0, norm, 1.0) ** (-1 / (ORDER + 1))
            factor = xp.where(norm == 0, MOST_FACTOR, factor)
            factor = xp.where(xp.isnan(norm), LEAST_FACTOR, factor)
            factor = xp.clip(factor, LEAST_FACTOR, MOST_FACTOR)
            size = step * xp.where(rejected, xp.clip(factor, None, 1.0), factor)
            success = active & ~failed & (norm < 1)
            y, f = xp.where(success[:, None], after, y), xp.where(success[:, None], slope, f)
            t, rejected = xp.where(success, reached, t), ~success
            active = (t < time) & ~failed
        return xp.where(failed[:, None], math.inf, y)


def _first_step(rate: Rate, y: Array, f: Array, time: float, scale: Array) -> Array:
    """The size of the first step, `(n,)`, from the first two derivatives of y."""
    xp, length, slope = namespace(y), _length(y / scale), _length(f / scale)
    short = (length < 1e-5) | (slope < 1e-5)
    size = xp.clip(xp.where(short, 1e-6, 0.01 * length / slope), None, time)
    bend = _length((rate(y + size[:, None] * f) - f) / scale) / size
    flat = (slope <= 1e-15) & (bend <= 1e-15)
    curved = (0.01 / xp.maximum(slope, bend)) ** (1 / (ORDER + 1))
    h1 = xp.where(flat, xp.clip(size * 1e-3, 1e-6, None), curved)
    return xp.clip(xp.minimum(100 * size, h1), None, time)


def _stepped(rate: Rate, y: Array, f: Array, step: Array) -> tuple[Array, Array, tuple[Array, Array]]:
    """y after one step `(n, 1)`, its slope there, and the two estimates of the error, each divided by the step."""
    from scipy.integrate import DOP853

    slopes = [f]
    for row in DOP853.A[1:]:
        slopes.append(rate(y + step * _sum(row, slopes)))
    after = y + step * _sum(DOP853.B, slopes)
    slopes.append(rate(after))
    return after, slopes[-1], (_sum(DOP853.E5, slopes), _sum(DOP853.E3, slopes))


def _sum(factors: Sequence[float], slopes: Sequence[Array]) -> Array:
    """Σ a_j k_j over the slopes known so far."""
    parts = [float(a) * k for a, k in zip(factors, slopes, strict=False) if a != 0]
    return sum(parts[1:], parts[0])


def _error_norm(five: Array, three: Array) -> Array:
    """The error of a step divided by its size and by what is allowed, `(n,)`, from estimates of order 5 and 3."""
    xp = namespace(five)
    fifth, third = xp.sum(five * five, axis=-1), xp.sum(three * three, axis=-1)
    below = fifth + 0.01 * third
    return xp.where(below == 0, 0.0, fifth / xp.sqrt(below * five.shape[-1]))


def _length(x: Array) -> Array:
    """The root of the mean square of each row, `(n,)`."""
    xp = namespace(x)
    return xp.sqrt(xp.mean(x * x, axis=-1))
