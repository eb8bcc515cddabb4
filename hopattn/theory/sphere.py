"""The exponential memory of P = exp(αN) random patterns on the sphere |x|² = N, for N → ∞ and at finite N.

    E(x) = −β⁻¹ log Σ_μ exp(β ξ_μ·x)          φ = ξ·x/N, the overlap of a state with a pattern

In units of unit length, as in `ha.memories`, the scale is βN, and the temperature of exp(−E/T) is T/N.

A random pattern has the overlap φ with the density (1 − φ²)^((N−3)/2). The sum over all other patterns grows as
exp(N n(α)), and that of the pattern itself as exp(Nβφ). The mean of exp(βNφ), with its maximum at φ*, gives n:

    φ* = (√(1+4β²) − 1)/2β          g = ½ ln(1 − φ*²) + βφ*          n(α) = α + g        where α ≥ α* = −½ ln(1 − φ*²)

Below α* no pattern has the overlap φ*, and the nearest one rules the sum: n(α) = β √(1 − exp(−2α)). So the memory of
the pattern ends where n = β, at α_c = β − g, which is above α*. At a temperature T a state near the pattern has the
density exp(Nφ/T) (1 − φ²)^(N/2), whose maximum is φ_eq = ½(√(T²+4) − T). Since φ* is φ_eq at T = 1/β, the state is in
the valley of the pattern, φ_eq > n/β, up to

    α(T) = βφ_eq − g    for T ≤ 1/β          α(T) = −½ ln(1 − φ_eq²)    for T ≥ 1/β, whatever β is

Source: Lucibello & Mézard (2024), Phys. Rev. Lett. 132, 077301 (their λ is our β) for T = 0; the line α(T), and the
sums at finite N, are derived here by the same argument.
"""

import math
from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np

from hopattn.foundation.arrays import NumberOrArray
from hopattn.foundation.boundary import formula
from hopattn.foundation.checks import require_time, whole
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.roots import bisected
from hopattn.foundation.shown_types import Word
from hopattn.theory.replica_symmetric import Numbers, each_number, given_numbers, peak, root

LARGEST_BETA = 1e100  # of β and of 1/β, so that no square of them leaves the numbers


def _scales(values: Any, what: str) -> np.ndarray:
    array = given_numbers(values, what, zero=False)
    if np.any((array > LARGEST_BETA) | (array < 1 / LARGEST_BETA)):
        raise InvalidInput(f"{what}: expected numbers from {1 / LARGEST_BETA:g} to {LARGEST_BETA:g}")
    return array


Scale = Annotated[NumberOrArray, _scales]
Neurons = Annotated[Any, Word("int"), partial(whole, least=2, most=10**6)]
LEFT_OUT = 40.0  # a sum leaves out what is exp(−LEFT_OUT) of it
LEAST_LOG_WEIGHT = 800.0  # −log of a weight that is below all numbers
ROOTS = 60  # points among which the largest load at finite N is searched for
LOG_STEP = 0.25  # of log t: the rule of equal steps errs by exp(−π²/LOG_STEP) for a function of exp(−t)


def _thermal(temperature: Any) -> np.ndarray:
    """φ_eq = ½(√(T²+4) − T), without the difference of two large numbers."""
    half = temperature / 2
    return np.asarray(1 / (half + np.hypot(half, 1)))


def _sharp(overlap: np.ndarray, temperature: Any) -> np.ndarray:
    """−½ ln(1 − φ²) of an overlap φ that is φ_eq at this T, where 1 − φ² = Tφ."""
    near = np.log(np.where((temperature > 0) & (temperature < 1), temperature * overlap, 1))
    return np.asarray(-0.5 * np.where(temperature < 1, near, np.log1p(-(np.minimum(overlap, 0.9) ** 2))))


def _gap(beta: np.ndarray) -> np.ndarray:
    """α_c = β − g = φ*/(1 + φ*) + α*, since β(1 − φ*) = φ*/(1 + φ*)."""
    overlap = _thermal(1 / beta)
    return np.asarray(overlap / (1 + overlap) + _sharp(overlap, 1 / beta))


def _noise(beta: np.ndarray) -> np.ndarray:
    """g = βφ* − α*: of β² − ½β² for a small β, whose digits a difference to β would lose."""
    overlap = _thermal(1 / beta)
    return np.asarray(np.where(beta < 1, beta * overlap - _sharp(overlap, 1 / beta), beta - _gap(beta)))


def _together(*named: tuple[str, np.ndarray]) -> list[np.ndarray]:
    """Arrays in one shape; raises `InvalidInput` for those that do not fit each other."""
    try:
        return list(np.broadcast_arrays(*(array for _, array in named)))
    except ValueError:
        shapes = " and ".join(f"{name} of shape {np.shape(array)}" for name, array in named)
        raise InvalidInput(f"{shapes} do not fit each other") from None


@formula
def sphere_load(beta: Scale, temperature: Numbers = 0.0, neurons: Neurons = None) -> np.ndarray:
    """The load α = ln P/N up to which a state stays near a pattern, `(...)`; at T = 0, α_c(β).

    Parameters
    ----------
    beta : β, above 0.
    temperature
        T, 0 or more; an array fits β. At T > 0 it is the spinodal: above it no minimum of the free energy is left near
        the pattern. No temperature is too high for a load small enough. For large β, α_c is ½ + ½ ln β: it has no
        bound.
    neurons : N, 2 to 10⁶, at T = 0; None for N → ∞.

    Raises
    ------
    InvalidInput : for other numbers, and for βN so large that it would take minutes.

    Notes
    -----
    At finite N the other patterns have their mean effect on a state mξ, with φ and g at βm, and the load is the largest
    at which the pattern has at least half of the weight, w ≥ ½:

        m = w + (1 − w)φ          w = 1/(1 + (P − 1) exp(Ng − βNm))

    Examples
    --------
    >>> sphere_load([0.25, 1, 10]).round(6), sphere_load(1, [0.1, 0.3]).round(5)
    (array([0.219654, 0.622572, 1.66379 ]), array([0.57382, 0.48376]))
    >>> sphere_load([0.25, 1], neurons=16).round(4), sphere_load([0.25, 1], neurons=10_000).round(4)
    (array([0.1395, 0.527 ]), array([0.2188, 0.6217]))
    """
    beta, t = _together(("beta", beta), ("temperature", temperature))
    if neurons is not None:
        if np.any(t > 0):
            raise InvalidInput("neurons: is for a temperature of 0; leave one of them out")
        require_time(2e4 * ROOTS * beta.size * (4 + math.sqrt(neurons)), "the loads at these β and N")
        return each_number(partial(_lost_at, neurons), beta)
    state = _thermal(t)
    cold = np.minimum(t, 1 / beta)
    lost = cold * state / (1 + state)  # 1 − φ_eq
    below = np.where(beta < 1, beta * _thermal(cold) - _noise(beta), _gap(beta) - beta * lost)
    return np.asarray(np.where(t <= 1 / beta, below, _sharp(state, t)))


@formula
def sphere_temperature(load: Numbers, beta: Scale) -> np.ndarray:
    """The temperature T up to which a state stays near a pattern, `(...)`: the inverse of `sphere_load`.

    Parameters
    ----------
    load : α, 0 or more.
    beta : β, above 0.

    Notes
    -----
    NaN above α_c(β), where the pattern is lost at every temperature; ∞ at α = 0.

    Examples
    --------
    >>> sphere_temperature([0.48376, 0.62, 0.63], beta=1).round(3)
    array([0.3  , 0.005,   nan])
    """
    load, beta = _together(("load", load), ("beta", beta))
    mild = np.minimum(load, _gap(beta))
    below, noise = (_gap(beta) - mild) / beta, (mild + _noise(beta)) / beta  # 1 − n/β and n/β
    with np.errstate(divide="ignore", over="ignore"):
        sharp = np.exp(-2 * load) / np.sqrt(-np.expm1(-2 * load))
        t = np.where(load < _sharp(_thermal(1 / beta), 1 / beta), sharp, below * (1 + noise) / noise)
    return np.asarray(np.where(load <= _gap(beta), t, np.nan))


@formula
def sphere_overlap(temperature: Numbers, neurons: Neurons = None) -> np.ndarray:
    """The mean overlap φ with the one pattern whose valley the state is in, `(...)`: φ_eq, or that of N neurons.

    Parameters
    ----------
    temperature : T, 0 or more.
    neurons : N, 2 to 10⁶, for ∫φ dp = I_{N/2}(N/T) / I_{N/2−1}(N/T), Bessel's I_n; without other patterns.

    Notes
    -----
    Whether the valley is there at all says `sphere_load`.

    Examples
    --------
    >>> sphere_overlap([0.25, 1]).round(4), sphere_overlap([0.25, 1], neurons=100).round(4)
    (array([0.8828, 0.618 ]), array([0.8837, 0.6196]))
    """
    if neurons is None:
        return _thermal(temperature)
    return each_number(lambda t: _tilted(neurons, neurons / t).overlap if t > 1 / LARGEST_BETA else 1.0, temperature)


@formula
def sphere_noise(beta: Scale, neurons: Neurons = None) -> np.ndarray:
    """g, the logarithm of the mean of exp(βNφ) over the sphere, divided by N, `(...)`.

    Parameters
    ----------
    beta : β, above 0.
    neurons
        N, 2 to 10⁶, for the mean Γ(N/2) (2/βN)^(N/2−1) I_{N/2−1}(βN), Bessel's I_n; without them its limit for N → ∞. β
        − g is the load at which the other patterns weigh as much as the pattern, on average.

    Examples
    --------
    >>> sphere_noise([1, 2]).round(4), sphere_noise([1, 2], neurons=16).round(4)
    (array([0.3774, 1.0912]), array([0.3823, 1.1059]))
    """
    if neurons is None:
        return _noise(beta)
    return each_number(lambda b: _tilted(neurons, b * neurons).noise / neurons, beta)


@formula
def sphere_bound(beta: Scale) -> np.ndarray:
    """The load α up to which Ramsauer's bound promises that a pattern is recalled, `(...)`; below `sphere_load`.

    The error of one step is at most 2(P − 1) |ξ| exp(−βΔ), with Δ = N(1 − φ) of the nearest pattern: as if all other
    patterns were as near as that one. Of P = exp(αN) patterns, the nearest has φ = √(1 − exp(−2α)). The bound vanishes
    for N → ∞ where α < β(1 − √(1 − exp(−2α))).

    Parameters
    ----------
    beta : β, above 0.

    Notes
    -----
    Source: Ramsauer et al. (2021), ICLR, theorem 5, whose error this is; the limit is derived here.

    Examples
    --------
    >>> sphere_bound([0.25, 0.5, 1, 2, 10]).round(6)
    array([0.13027 , 0.208201, 0.315747, 0.454544, 0.887231])
    """

    def excess(load: np.ndarray) -> np.ndarray:
        near = np.exp(-2 * load)
        return np.asarray(beta * near / (1 + np.sqrt(-np.expm1(-2 * load))) - load)

    # Where α ≥ 1, the first term is at most β exp(−2α), so that it is at most 1 at α = ½ ln(1 + β).
    return np.asarray(bisected(excess, np.zeros_like(beta), np.minimum(beta, np.maximum(1, 0.5 * np.log1p(beta)))))


@formula
def sphere_weight(load: Numbers, beta: Scale, neurons: Neurons) -> np.ndarray:
    """The mean weight that the first step gives the pattern that the cue equals, `(...)`, at finite N, exactly.

    With X = exp(βN(φ − 1)) of each of the P − 1 other patterns, the weight is 1/(1 + ΣX), and

        E[1/(1 + ΣX)] = ∫₀^∞ exp(−t) E[exp(−tX)]^(P−1) dt

    Parameters
    ----------
    load : α = ln P/N, 0 or more.
    beta : β, above 0.
    neurons : N, 2 or more.

    Raises
    ------
    InvalidInput : for other numbers, and for βN so large that it would take minutes.

    Notes
    -----
    For N → ∞ it is 1 below α_c(β) and 0 above.

    Examples
    --------
    >>> sphere_weight([0.3, 0.5, 0.62, 0.8], beta=1, neurons=16).round(3)
    array([0.994, 0.869, 0.492, 0.051])
    """
    load, beta = _together(("load", load), ("beta", beta))
    points = neurons * (2 + 80 / math.sqrt(neurons)) * beta.sum()
    require_time(1e5 * points, "the weights at these β and N")
    return each_number(partial(_weight, neurons), load, beta)


@formula
def relu_load(beta: Scale) -> np.ndarray:
    """The load α_th of a log-sum-ReLU memory below which no other pattern is near a pattern, `(...)`; 0 up to β = 1.

    Parameters
    ----------
    beta
        β of `ha.memories.log_sum_relu` with patterns of unit length: a pattern counts where φ > 1 − 1/β, since ½|x −
        ξ|² = 1 − φ.

    Notes
    -----
    Of P = exp(αN) patterns, exp(N(α + ½ ln(1 − φ²))) have the overlap φ or more, φ > 0: none, with a probability that
    goes to 1, below α_th = −½ ln(1 − (1 − 1/β)²). There one step recalls a pattern exactly, and the sum has no noise at
    any T; above it, patterns are near in a number that grows exponentially. For β ≤ 1, nearly all patterns are near
    each other. Source: the memory, Hoover et al. (2025), NeurIPS, arXiv:2506.10801; the threshold, Petrova, Polyachenko
    & State (2026), arXiv:2604.07401, in words; the formula is derived here.

    Examples
    --------
    >>> relu_load([0.5, 2, 10]).round(4)
    array([0.    , 0.1438, 0.8304])
    """
    width, edge = np.minimum(1 / beta, 1), np.maximum(beta - 1, 0) / beta  # 1 − φ and φ
    near = np.log1p(-(np.minimum(edge, 0.5) ** 2))
    return np.asarray(-0.5 * np.where(edge > 0.5, np.log(width * (2 - width)), near))


def _nodes(neurons: int, kappa: float, step: float) -> tuple[np.ndarray, np.ndarray]:
    """The logarithms of the shares of the overlaps φ = tanh u, at equal steps of u, and u.

    The density of u is cosh(u)^(1−N), analytic for |Im u| < π/2, so that a sum over equal steps errs by exp(−π²/step).
    The points reach from 0 to the largest of cosh(u)^(1−N) exp(κφ), and beyond both as far as either counts.
    """
    wide = 1 / math.sqrt(neurons - 1)
    temperature = (neurons - 1) / kappa
    overlap = float(_thermal(temperature))
    most = max(0.0, math.log1p(overlap) - 0.5 * math.log(temperature * overlap))  # its inverse tanh, by 1 − φ² = Tφ
    step = min(step, 0.2 * wide)
    u = step * np.arange(-math.ceil(LEFT_OUT * wide / step), math.ceil((most + LEFT_OUT * wide) / step) + 1)
    log_density = -(neurons - 1) * np.log1p(2 * np.sinh(u / 2) ** 2)  # ln cosh u, with the digits of a small u
    return log_density - _log_sum(log_density), u


def _below(u: np.ndarray) -> np.ndarray:
    """φ − 1, to its last digit."""
    return np.asarray(-2 / (1 + np.exp(2 * u)))


class Tilted(NamedTuple):
    """Means over the sphere: ln E exp(κφ), ln E exp(κ(φ − 1)); and of φ and 1 − φ with the weight exp(κφ)."""

    noise: float
    below: float
    overlap: float
    away: float


def _tilted(neurons: int, kappa: float) -> Tilted:
    """The means at this κ, each to its last digits.

    Up to κ² = 16N they come from the power series E exp(κφ) = Σ_k (κ²/4)^k / (k! N/2 (N/2 + 1) … (N/2 + k − 1)). The
    sum over larger κ has steps of half of `LOG_STEP`, since there exp(κφ) grows beyond |Im u| = π/4.
    """
    if kappa**2 <= 16 * neurons:
        k = np.arange(60)
        terms = np.cumprod((kappa / 2) ** 2 / ((k + 1) * (neurons / 2 + k)))  # from k = 1 on
        noise, total = math.log1p(terms.sum()), 1 + terms.sum()
        overlap = (kappa / neurons + float(terms @ (kappa / (neurons + 2 * (k + 1))))) / total
        return Tilted(noise, noise - kappa, overlap, 1 - overlap)
    log_share, u = _nodes(neurons, kappa, LOG_STEP / 2)
    if kappa < neurons:  # φ, and not φ − 1, keeps the digits of a small overlap
        logs = log_share + kappa * np.tanh(u)
        noise = _log_sum(logs)
        overlap = float(np.exp(logs - noise) @ np.tanh(u))
        return Tilted(noise, noise - kappa, overlap, 1 - overlap)
    below = _below(u)
    total = _log_sum(log_share + kappa * below)
    away = -float(np.exp(log_share + kappa * below - total) @ below)
    return Tilted(kappa + total, total, 1 - away, away)


def _lost_at(neurons: int, beta: float) -> float:
    """The load at finite N up to which a state mξ has w ≥ ½.

    The equation for m gives 1 − w = (1 − m)/(1 − φ) and ln (P − 1) = ln (1 − w)/w + βNm − Ng. Since φ is concave in m,
    there is one m with w = ½, at which 1 − m is ½ or less, and half of 1 − φ(β) or more; above it w is larger. The
    largest P is found among points at equal distances of ln (1 − m), and then between its neighbours.
    """

    def at(log: float) -> Tilted:
        return _tilted(neurons, -beta * neurons * math.expm1(log))

    def others(log: float) -> float:
        """ln (P − 1)"""
        means = at(log)
        return log - math.log(means.away - math.exp(log)) - means.below

    half = math.log(0.5)
    least = half + math.log(_tilted(neurons, beta * neurons).away) - 1e-6  # less, so that rounding changes no sign
    end = root(lambda log: math.exp(log) - at(log).away / 2, least, half, 1e-15)
    logs = np.linspace(end - LEFT_OUT, end, ROOTS)
    i = int(np.argmax([others(log) for log in logs]))
    best = others(peak(others, logs[max(i - 1, 0)], logs[min(i + 1, ROOTS - 1)], 1e-9))
    return float(np.logaddexp(0, max(best, others(end)))) / neurons


def _weight(neurons: int, load: float, beta: float) -> float:
    """The mean weight of the pattern that the cue equals, by steps of log t up to the last that counts."""
    if load == 0:
        return 1.0
    others = load * neurons + math.log(-math.expm1(-load * neurons))  # log(P − 1)
    log_share, u = _nodes(neurons, beta * neurons, LOG_STEP / (beta * neurons))
    x = beta * neurons * _below(u)  # log X
    mean = others + _log_sum(log_share + x)  # of ΣX, in logarithms
    if mean > LEAST_LOG_WEIGHT:
        return 0.0
    weight, log_t = 0.0, -LEFT_OUT - max(0.0, mean)
    while log_t < math.log(LEFT_OUT):
        hit = -np.expm1(-np.exp(log_t + x))  # 1 − exp(−tX)
        log_hit = _log_sum(log_share + np.where(log_t + x < -LEFT_OUT, log_t + x, np.log(hit + (hit == 0))))
        # −ln E[exp(−tX)], also where all are hit, up to rounding
        rate = -math.log1p(-math.exp(log_hit)) if log_hit < -1 else -_log_sum(log_share - np.exp(log_t + x))
        exponent = others + (log_hit if log_hit < -LEFT_OUT else math.log(rate))
        if exponent > math.log(2 * LEFT_OUT):
            break
        weight += LOG_STEP * math.exp(log_t - math.exp(log_t) - math.exp(exponent))
        log_t += LOG_STEP
    return min(weight, 1.0)  # by rounding above 1


def _log_sum(logarithms: np.ndarray) -> float:
    """The logarithm of a sum of exponentials."""
    largest = logarithms.max()
    return float(largest + np.log(np.sum(np.exp(logarithms - largest))))
