"""Symmetric mixtures in a Hopfield network of few patterns, P/N → 0: states with one overlap m with each of n patterns.

    f(m) = ½ Σ_μ m_μ² − T ⟨log 2 cosh(Σ_μ m_μ ξ_μ/T)⟩          m = (1/n) ⟨z tanh(m z/T)⟩          z = Σ_{μ≤n} ξ_μ

⟨ ⟩ is the mean over independent signs ξ, so that z is binomial. With q = ⟨tanh²(m z/T)⟩ and Q = ⟨ξ₁ξ₂ tanh²(m z/T)⟩,
the second derivatives of f have the eigenvalues 1 − (1 − q)/T − Q/T for a change between two of the patterns, that with
+(n − 1) Q/T for all of them alike, and 1 − (1 − q)/T for another pattern. A mixture is a minimum where all are above 0.
An even number of patterns has z = 0 in some neurons, whose field is 0: such a mixture is a minimum nowhere.

With P = αN patterns, the others add a normal noise of variance αr to the field. At T = 0, with y = m/√(2αr),

    m = (1/n) ⟨z erf(z y)⟩      C = ⟨exp(−z²y²)⟩ √(2/(παr))      r = 1/(1 − C)²

so that √(2α) = m/y − (2/√π) ⟨exp(−z²y²)⟩, which for one pattern is the equation of its largest load.

Source: Amit, Gutfreund & Sompolinsky (1985), Phys. Rev. A 32, 1007, section III (their β is our 1/T); at a
load: the same authors (1987), Ann. Phys. 173, 30.
"""

import math
from typing import Annotated, Any

import numpy as np

from hopattn.foundation.boundary import formula
from hopattn.foundation.checks import whole
from hopattn.foundation.errors import InvalidInput
from hopattn.theory.normal_means import lag
from hopattn.theory.replica_symmetric import COLDEST, ROOT_ERROR, WARM, Numbers, each_number, peak, root

COLD = 1e-3  # the lowest temperature of the search; tanh(m z/T) is a sign there, up to rounding


def _odd(value: Any, what: str) -> int:
    n = whole(value, what, most=999)
    if n % 2 == 0:
        raise InvalidInput(f"{what}: got {n}; expected an odd number: a mixture of an even one is no minimum")
    return n


Odd = Annotated[int, _odd]


@formula
def mixture_overlap(n: Odd, temperature: Numbers = 0.0) -> np.ndarray:
    """The overlap m with each of n patterns of a mixture, `(...)` as the temperature; 0 from T = 1 on.

    Parameters
    ----------
    n : odd, 1 to 999; 1 is a pattern itself.
    temperature : T, 0 or more.

    Raises
    ------
    InvalidInput : for other numbers.

    Notes
    -----
    Where T is above `mixture_temperature`, the state is a saddle.

    Examples
    --------
    >>> mixture_overlap(3, [0, 0.3, 0.9]).round(4), round(float(mixture_overlap(5)), 4)
    (array([0.5   , 0.4804, 0.2019]), 0.375)
    """
    return each_number(lambda t: _overlap(n, t), temperature)


@formula
def mixture_energy(n: Odd) -> float:
    """The energy of a neuron, −½ n m², of a mixture of n patterns at T = 0; that of a pattern is −½, for n → ∞ −1/π.

    >>> mixture_energy(1), mixture_energy(3), round(mixture_energy(5), 4)
    (-0.5, -0.375, -0.3516)
    """
    return -n * _overlap(n, 0.0) ** 2 / 2


@formula
def mixture_temperature(n: Odd) -> float:
    """The temperature up to which a mixture of n patterns is a minimum of the free energy; 1 for a pattern itself.

    >>> [round(mixture_temperature(n), 4) for n in (3, 5, 7)]
    [0.4598, 0.3847, 0.3439]
    """
    if n == 1:
        return 1.0
    return root(lambda t: _least_eigenvalue(n, t), COLD, 0.9)


@formula
def mixture_load(n: Odd) -> float:
    """The largest load P/N at which the equations keep a mixture of n patterns, T = 0; that of one is `critical_load`.

    >>> [round(mixture_load(n), 4) for n in (1, 3, 5)]
    [0.1379, 0.0299, 0.0163]
    """
    from scipy.special import erf

    z, share = _signs(n)

    def width(y: float) -> float:
        """√(2α) at a ratio y of signal and noise."""
        return float(share @ (z * erf(z * y))) / n / y - 2 / math.sqrt(math.pi) * float(share @ np.exp(-((z * y) ** 2)))

    return width(peak(width, 1.0, 3.0, 1e-9)) ** 2 / 2


def _signs(n: int) -> tuple[np.ndarray, np.ndarray]:
    """The values of z, and their probabilities."""
    from scipy.stats import binom

    k = np.arange(n + 1)
    return 2.0 * k - n, binom.pmf(k, n, 0.5)


def _overlap(n: int, temperature: float) -> float:
    """The overlap above 0 that solves the equation; 0 where there is none."""
    z, share = _signs(n)
    coldest = float(share @ np.abs(z)) / n
    if temperature < COLDEST:
        return coldest
    if temperature >= 1:
        return 0.0

    def excess(m: float) -> float:
        """⟨z tanh(m z/T)⟩/n − m; in the warm by what tanh falls short of its argument, since ⟨z²⟩ = n."""
        if temperature > WARM:
            return m * (1 - temperature) / temperature - float(share @ (z * lag(m * z / temperature))) / n
        return float(share @ (z * np.tanh(m * z / temperature))) / n - m

    scale = math.sqrt(1 - temperature)
    return root(excess, 1e-3 * scale * coldest, 1.001 * coldest, 1e-3 * ROOT_ERROR * scale)


def _least_eigenvalue(n: int, temperature: float) -> float:
    """That of a change between two of the patterns; ⟨ξ₁ξ₂ g(z)⟩ is ⟨(z² − n) g(z)⟩/(n² − n)."""
    z, share = _signs(n)
    squared = np.tanh(_overlap(n, temperature) * z / temperature) ** 2
    q, shared = share @ squared, share @ ((z**2 - n) * squared) / (n * n - n)
    return float(1 - (1 - q + shared) / temperature)
