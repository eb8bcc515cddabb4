"""Sparse coding: neurons of 0 and 1, patterns with activity a, the covariance rule, and one threshold θ, at T = 0.

    J_ij = Σ_μ (η_i − a)(η_j − a) / (N a(1 − a))        V_i ← 1 where Σ_j J_ij V_j > θ, else 0

With P = αN random patterns and N → ∞, a neuron of the pattern has the mean field (1 − a) m, another one −a m, and both
have the noise σ. With x₁ and x₀, their distances to the threshold in units of σ, and the normal distribution F with its
density f,

    x₁ = ((1 − a) m − θ + g)/σ         x₀ = (−a m − θ + g)/σ         σ² = αq/(1 − C)²         g = αC/(2(1 − C))
    m = F(x₁) − F(x₀)      q = a F(x₁) + (1 − a) F(x₀)      C = [a f(x₁) + (1 − a) f(x₀)]/σ

m: overlap; q: share of active neurons; C: susceptibility; g: half of a neuron's action on itself by way of the others.

Source: Tsodyks & Feigel'man (1988), Europhys. Lett. 6, 101; the equations in this form by the signal-to-noise analysis
of Shiino & Fukai (1992), J. Phys. A 25, L375.
"""

import math
from functools import lru_cache, partial
from typing import Annotated

import numpy as np

from hopattn.foundation.arrays import Array
from hopattn.foundation.boundary import Real, formula
from hopattn.foundation.checks import real
from hopattn.foundation.errors import InvalidInput
from hopattn.theory.replica_symmetric import Numbers, each_number, given_numbers

LEAST_ACTIVITY = 1e-300  # the least activity
MOST_ROUNDS, LEAST_CHANGE = (
    20_000,
    1e-13,
)  # of the equations: rounds, and the change of their numbers that ends them
NO_LOAD = 5e-324  # stands for a load of 0 in the equations, where the noise is no 0
FAR = 1e3  # stands for all larger x, for which F is 0 or 1
LOST = 1e-3  # the overlap m below which a pattern counts as lost: the solution without it has m = 0


_activity = partial(real, least=LEAST_ACTIVITY, below=1.0)


@formula
def sparse_overlap(load: Numbers, activity: Annotated[float, _activity], threshold: Real) -> np.ndarray:
    """The cosine of the retrieved state with its pattern, F(x₁) √(a/q), `(...)` as the load; 0 where it is lost.

    Parameters
    ----------
    load : α = P/N, 0 or more.
    activity : a, above 0 and below 1.
    threshold
        θ, above −a and below 1 − a, where one pattern alone is stable. It is the `overlap` of `kind = "ensemble"` with
        `sort = "binary"`.

    Raises
    ------
    InvalidInput : for other numbers.

    Notes
    -----
    The equations are followed from the pattern itself, as a recall is.

    Examples
    --------
    >>> sparse_overlap([0.1, 0.3, 0.5], activity=0.1, threshold=0.5).round(3)
    array([1.   , 0.991, 0.   ])
    """
    from scipy.special import ndtr

    a = activity
    if not -a < threshold < 1 - a:
        raise InvalidInput(f"threshold: expected a number above {-a:g} and below {1 - a:g}, not {threshold:g}")
    alpha = np.maximum(load, NO_LOAD).ravel()
    cosine, moving = np.zeros_like(alpha), np.arange(alpha.size)
    m, q, c = np.ones_like(alpha), np.full_like(alpha, a), np.zeros_like(alpha)
    before = np.full((5, alpha.size), np.inf)
    for _ in range(MOST_ROUNDS):
        sigma = np.sqrt(alpha) * np.sqrt(q) / (1 - c)
        with np.errstate(over="ignore"):
            level = threshold - alpha * (c / (2 * (1 - c)))
            x = np.clip(np.stack([(1 - a) * m - level, -a * m - level]) / sigma, -FAR, FAR)
            (p1, p0), f = ndtr(x), np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
            m, q, c = p1 - p0, a * p1 + (1 - a) * p0, (a * f[0] + (1 - a) * f[1]) / sigma
        lost = (c >= 0.999) | (m < LOST)
        q = np.where(lost, a, q)  # which may be 0
        cosine[moving] = np.where(lost, 0.0, p1 * np.sqrt(a / q))
        now = np.stack([m, q / a, c, *x])  # m alone is still long before the others, where a is small
        loads = ~lost & np.any(np.abs(now - before) > LEAST_CHANGE * np.maximum(1, np.abs(now)), axis=0)
        moving, alpha, m, q, c, before = moving[loads], alpha[loads], m[loads], q[loads], c[loads], now[:, loads]
        if not moving.size:
            break
    return np.where(load > 0, cosine.reshape(np.shape(load)), 1.0)


@formula
def sparse_load(activity: Annotated[Array, partial(given_numbers, zero=False)]) -> np.ndarray:
    """The largest load α_c at which the equations keep an overlap with the best threshold, `(...)` as the activity.

    Parameters
    ----------
    activity : a, above 0 and below 1.

    Notes
    -----
    For N → ∞ first and then a → 0, α_c approaches 1/(2a |ln a|) from below, slowly: it is .40 of it at a = .01, and .86
    at a = 1e-200. At a = ½ it is about half the critical load of spins. A recall that starts from the pattern itself
    loses it at most 8 % earlier (`sparse_overlap`); for a ≥ .05, 1 % earlier.

    Examples
    --------
    >>> sparse_load([0.5, 0.1, 0.01]).round(3)
    array([0.069, 0.441, 4.368])
    """
    return each_number(lambda a: _largest(_activity(a, "activity")), activity)


@lru_cache(maxsize=4096)
def _largest(a: float) -> float:
    """The largest α that any x₁ and x₀ give: from them follow m, σ = m/(x₁ − x₀), C and α, and then θ."""
    from scipy.optimize import minimize
    from scipy.special import ndtr

    def missing(at: np.ndarray) -> float:
        x, wide = at[0], math.exp(at[1])
        p1, p0 = ndtr([x, x - wide])
        sigma = (p1 - p0) / wide
        f = (a * math.exp(-(x**2) / 2) + (1 - a) * math.exp(-((x - wide) ** 2) / 2)) / math.sqrt(2 * math.pi)
        return float(-((sigma - f) ** 2) / (a * p1 + (1 - a) * p0) * a * abs(math.log(a)))

    start = (1.0, math.log(2 + math.sqrt(2 * abs(math.log(a)))))
    options = {"xatol": 1e-8, "fatol": 1e-14, "maxiter": 4000}
    return float(-minimize(missing, start, method="Nelder-Mead", options=options).fun) / (a * abs(math.log(a)))
