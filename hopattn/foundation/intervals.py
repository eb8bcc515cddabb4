"""The intervals that numbers have everywhere: Wilson's of a share, Student's t of a mean, both at 95 %."""

from typing import Any

import numpy as np

LEVEL = 0.95
"""The confidence level: of many such intervals, this fraction holds the true value."""
ROUNDING = 1e-14
"""A standard error below this part of its mean is a rounding error: NumPy keeps 16 digits."""


def wilson(share: Any, trials: Any, level: float = LEVEL) -> np.ndarray:
    """Wilson's interval of shares `(…)` of independent trials, `(…, 2)`, the lower end first.

    trials: their number, `(…)`; it need not be whole. Source: Wilson (1927), J. Am. Stat. Assoc. 22, 209.
    """
    from scipy.special import ndtri

    p, n, z = np.asarray(share, float), np.asarray(trials, float), float(ndtri(0.5 + 0.5 * level))
    doubled = 2 * (n + z**2)
    centre, half = (2 * n * p + z**2) / doubled, z / doubled * np.sqrt(4 * n * p * (1 - p) + z**2)
    low, high = np.where(p == 0, 0.0, centre - half), np.where(p == 1, 1.0, centre + half)
    return np.stack([np.minimum(low, p), np.maximum(high, p)], axis=-1)  # rounded, an end may lie beyond a tiny share


def mean_interval(values: Any, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
    """The mean of independent trials `(…, n)`, and Student's t interval of it, `(…, 2)`.

    A trial that is NaN is none. The mean is NaN without a trial; the interval is NaN below two, and where all agree up
    to rounding: equal numbers do not say how far another one may lie.
    """
    count, mean, error = _summary(values)
    half = np.where(error > 0, student(count, level) * error, np.nan)
    return mean, np.stack([mean - half, mean + half], axis=-1)


def share_interval(values: Any, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
    """The mean of shares `(…, n)`, one of each independent draw, and Wilson's interval of it, `(…, 2)`.

    The draw is the unit, because the outcomes within a draw are not independent. Shares of 0 and 1 alone are outcomes,
    and n is the number of trials of the interval. Shares between vary less than outcomes of the same mean p: by
    s²/n instead of p(1 − p)/n. The number of trials is then the effective one, as many outcomes as would vary so,

        n* = p (1 − p) / (s²/n) · (z / t)²,        and at least n

    with the quantiles of the normal distribution and of Student's t for n − 1. NaN: as in `mean_interval`; but draws
    that agree have an interval. Source: Korn & Graubard (1998), Survey Methodology 24, 193 (n*); Dean & Pagano
    (2015), J. Surv. Stat. Methodol. 3, 484 (Wilson's interval with it).
    """
    from scipy.special import ndtri

    count, mean, error = _summary(values)
    share, z = np.clip(mean, 0, 1), ndtri(0.5 + 0.5 * level)
    with np.errstate(all="ignore"):
        effective = np.where(error > 0, share * (1 - share) / error**2 * (z / student(count, level)) ** 2, 0.0)
    ends = wilson(share, np.maximum(np.maximum(effective, count), 1), level)
    return mean, np.where(count[..., None] > 1, ends, np.nan)


def _summary(values: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of trials `(…, n)` the number that is known, their mean and its standard error s/√n; 0 for rounding alone."""
    rows = np.asarray(values, float)
    known = ~np.isnan(rows)
    count = known.sum(axis=-1)
    with np.errstate(all="ignore"):
        mean = np.where(known, rows, 0.0).sum(axis=-1) / count
        square = np.where(known, rows - mean[..., None], 0.0) ** 2
        error = np.sqrt(square.sum(axis=-1) / (count - 1) / count)
        return count, mean, np.where(error > ROUNDING * np.abs(mean), error, 0.0)


def student(count: Any, level: float = LEVEL) -> np.ndarray:
    """Half of Student's t interval of a mean of so many numbers, in standard errors."""
    from scipy.special import stdtrit

    return np.asarray(stdtrit(np.maximum(np.asarray(count) - 1, 1), (1 + level) / 2))
