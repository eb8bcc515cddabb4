"""The least mean squared error with which a noisy vector can be denoised, and one step of attention that reaches it.

A clean vector X has a known distribution, and X̃ = X + Z has normal noise of variance σ_Z² in every component. No
function of X̃ errs less than the posterior mean E[X | X̃].

Linear: X is normal of variance σ₀² in d directions, P projects on them. E[X | X̃] = σ₀²/(σ₀² + σ_Z²) P X̃ errs by
d σ₀² σ_Z²/(σ₀² + σ_Z²). Linear attention to L clean vectors replaces P by S = Σ_t X_t X_tᵀ/(σ₀² L); since
E tr(S − P)² = d(d + 1)/L for normal vectors, its error grows by d(d + 1) σ₀⁴/((σ₀² + σ_Z²) L).

Sphere: X is uniform on a d-dimensional sphere of radius R. With ρ = |P X̃| the posterior mean has the length
R A(Rρ/σ_Z²), A(z) = I_{(d+1)/2}(z)/I_{(d−1)/2}(z). It errs by R²(1 − E A²), because E[X·f] = E|f|² for a posterior
mean f; ρ²/σ_Z² has the noncentral χ² distribution of d + 1 degrees of freedom and noncentrality R²/σ_Z².

Mixture: X is normal of variance σ₀² about one of K equally likely centres μ_a of one length. The posterior mean is
(σ₀² X̃ + σ_Z² f)/(σ₀² + σ_Z²), where f is one step of a softmax memory of the centres with β = 1/(σ₀² + σ_Z²).

Source: Smart, Bietti & Sengupta (2025), ICML, arXiv 2502.05164, propositions 1 to 4 and theorem 3.1. Their σ₀² and σ_Z²
are `signal` and `noise`. The error at a finite context and the sphere's error in this form are ours.
"""

import math
from functools import partial
from typing import Annotated, Any

import numpy as np

from hopattn.foundation.boundary import Count, Moderate, formula
from hopattn.foundation.checks import real, whole
from hopattn.theory.normal_means import STEEP, points

NODES = 400
"""The number of nodes of the quadrature over |P X̃|."""
NEARLY_ZERO = 1e-4
"""R/σ_Z below which E A² is R²/((d + 1) σ_Z²) to the last digit."""
AS_PLANE = 1e3
"""R/(σ_Z √(d + 1)) from which on the error is that of a plane less the share (d − 3/2) σ_Z²/R², to 1e-11 of it."""


def _context(value: Any, what: str) -> float:
    return math.inf if isinstance(value, float) and value == math.inf else real(value, what, above=0.0)


@formula
def linear_denoising_error(
    dim: Count, signal: Moderate, noise: Moderate, *, context: Annotated[float, _context] = math.inf
) -> float:
    """The mean squared error of the best denoiser of normal vectors in d directions; or of linear attention to L ones.

    Parameters
    ----------
    dim : d.
    signal, noise : the variances σ₀² and σ_Z².
    context : L, above 0; ∞ where the directions are known.

    Notes
    -----
    An error beyond the numbers is infinite.

    Examples
    --------
    >>> linear_denoising_error(dim=8, signal=2, noise=1), linear_denoising_error(8, 2, 1, context=500)
    (5.333333333333333, 5.525333333333333)
    """
    part = dim * (signal / (signal + noise))
    return part * noise + part * signal * (dim + 1) / context


@formula
def sphere_denoising_error(
    dim: Annotated[int, partial(whole, least=0, most=100)], radius: Moderate, noise: Moderate
) -> float:
    """The mean squared error of the best denoiser of vectors that are uniform on a d-dimensional sphere.

    Parameters
    ----------
    dim : d, from 0 to 100; 0 are the two ends ±R, and 1 is a circle.
    radius : R.
    noise : σ_Z².

    Notes
    -----
    One softmax step over L clean vectors with β = 1/σ_Z² comes to it for L → ∞. It is right to 1e-10 of it.

    Examples
    --------
    >>> round(sphere_denoising_error(dim=8, radius=1, noise=0.1), 6)
    0.463884
    """
    from scipy.special import ive

    away = radius / np.sqrt(noise)
    if away < NEARLY_ZERO:
        return float(radius**2 * (1 - away**2 / (dim + 1)))
    if dim == 0:  # the mean of 1/cosh² about ±R, by its part that is even in z
        if away > STEEP:
            return 0.0
        z, share = points(away)
        return float((radius * np.exp(-(away**2) / 4)) ** 2 * (share @ (1 / np.cosh(away * z))))
    if away > AS_PLANE * math.sqrt(dim + 1):
        return float(dim * noise * (1 - (dim - 1.5) / away**2))
    centre = np.sqrt(dim + 1 + away**2)  # ρ/σ_Z has a standard deviation of at most 1
    low, high = max(0.0, centre - 12), centre + 12
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    rho = low + (high - low) * (nodes + 1) / 2
    below, above = ive((dim - 1) / 2, away * rho), ive((dim + 1) / 2, away * rho)
    with np.errstate(divide="ignore"):  # the density is 0 where I underflows
        log_density = np.log(rho) + (dim - 1) / 2 * np.log(rho / away) - (rho - away) ** 2 / 2 + np.log(below)
    left_over = 1 - (above / np.where(below > 0, below, 1)) ** 2
    return float(radius**2 * np.sum(weights * (high - low) / 2 * np.exp(log_density) * left_over))
