"""What the records take from elsewhere, computed again: numbers that no paper prints, and references."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import erf
from scipy.stats import binom, norm

from hopattn.papers import records
from tests.papers import independent as other

COMPUTED = {
    "retrieval-slope": lambda: 1 - 1.95e-4,
    "stable-slope": lambda: 1 - 2.6e-4,
    "glass-temperature": lambda: 1 + math.sqrt(0.04),
    "mixture-energy": lambda: -1 / math.pi,
    "glass-energy": lambda: -1 / math.pi - math.sqrt(0.2 / math.pi),
    "diluted-load": lambda: 2 / math.pi,
    "dichotomies": lambda: 2 * sum(math.comb(3, k) for k in range(3)),
    "cover-simulated": lambda: sum(math.comb(35, k) for k in range(20)) / 2**35,
    "kinzel-first-step": lambda: erf(0.6 / math.sqrt(0.2)),
    "sparse-limit": lambda: 1 / (0.02 * math.log(100)),
    "sequence-error": lambda: norm.cdf(-math.sqrt(100 / 30)),
    "sequence-error-2": lambda: norm.cdf(-math.sqrt(60**2 / 900)),
    "feature-error": lambda: (math.e - 1) / 16,
    "orthogonal-error": lambda: (math.e - 1) / 16 - 30 / (16 * 18) * (1 - math.exp(-0.5)) ** 2,
    "multitasking-second": lambda: 0.4 * 0.6,
    "multitasking-third": lambda: 0.4**2 * 0.6,
    "gaussian-load-half": lambda: 0.5 * (1 - 0.25),
    **dict.fromkeys(["denoising-bound", "denoising-in-context", "projection-error"], lambda: 16 / 3),
    **dict.fromkeys(["sphere-denoising", "sphere-denoising-in-context"], other.sphere_error),
    "gardner-load-half": lambda: other.gardner(0.5),
    "gardner-load-one": lambda: other.gardner(1.0),
    "sphere-load-025": lambda: other.sphere(0.25),
    "sphere-load-05": lambda: other.sphere(0.5),
    "sphere-load-1": lambda: other.sphere(1),
    "sphere-load-2": lambda: other.sphere(2),
    "sphere-load-10": lambda: other.sphere(10),
    "sphere-bound-025": lambda: other.promised(0.25),
    "sphere-bound-1": lambda: other.promised(1),
    "sphere-bound-10": lambda: other.promised(10),
}
"""The published numbers of the kind "computed"."""
LOADS = ["newman-bound", "loukianova-bound", "hopfield-capacity", "neurodynamics-load", "broken-symmetry-load"]
REFERENCES = {
    **dict.fromkeys([*LOADS, "simulated-load"], other.load),
    "stable-load": lambda: other.brentq(other.depth, 0.02, 0.12, xtol=1e-13),
    "stable-load-first": lambda: other.brentq(other.depth, 0.02, 0.12, xtol=1e-13),
    "mixture-load": lambda: other.load(3),
    "mixture-energy": lambda: -999 / 2 * (math.comb(998, 499) / 2**998) ** 2,
    "recall-error": lambda: erf(other.peak(other.width, 1, 3)),
    "sparse-limit": lambda: (
        -minimize(
            lambda at: -other.sparse(at), (0.6, -3.1), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-13}
        ).fun
    ),
    "sdm-critical-distance": other.critical_distance,
    "dense-capacity-2": lambda: norm.isf(0.005) ** -2,
    "sphere-half": lambda: other.sphere(1),
    "storage-exponent": lambda: other.exponent(20, 3),
    "storage-exponent-small": lambda: other.exponent(75, 1),
    "random-patterns-stored": lambda: 1,
    "random-patterns-stored-small": lambda: 1,
    "short-patterns-stored": lambda: 0,
    "contraction": lambda: other.update(contraction=True),
    "retrieval-error": lambda: other.update(contraction=False),
    "wide-ball-recalled": lambda: 4 / 9,
    "mean-is-minimum": lambda: 4 / 15,
    "projection-error": lambda: 8,
    "longest-cycle": lambda: 2,
    "orthogonal-error": other.orthogonal,
    "hopfield-bit-error": lambda: sum(binom.pmf(k, 99, 0.5) * binom.cdf(4 * k - 1, 9 * k, 0.5) for k in range(100)),
    "dense-error-3": lambda: other.dense(100, 1005, 3, unit=8),
    "dense-error-4": lambda: other.dense(32, 658, 4, unit=16),
    "sequence-error": lambda: other.sequence(100, 30, 1),
    "sequence-error-2": lambda: other.sequence(60, 300, 2),
    "hebb-error-105": lambda: norm.sf(0.105**-0.5),
    "hebb-error-185": lambda: norm.sf(0.185**-0.5),
}
SIMULATED = {
    "hopfield-simulated": (other.hopfield, 60),
    "hopfield-no-error": (other.hopfield, 60),
    "storkey-capacity": (lambda rng: other.stable(rng, 76, "storkey"), 40),
    "hebb-absolute-capacity": (lambda rng: other.stable(rng, 23, "hebb"), 200),
    "ground-state": (other.ground, 10),
    "distance-gain": (other.gain, 60),
    "sparse-never-worse": (other.worst, 400),
    "sphere-denoising-in-context": (other.denoised, 1000),
}
"""The references that are means over random draws: one draw, and how many the test makes."""


def test_each_computed_number_and_each_reference_has_a_row():
    every = records().values()
    assert {one.name for one in every if one.kind == "computed"} == {*COMPUTED}
    assert {one.name for one in every if one.reference} == {*REFERENCES, *SIMULATED}


@pytest.mark.parametrize("name", COMPUTED)
def test_a_computed_number_has_the_digits_that_another_program_gives(name):
    published = records()[name].published
    digits = len(str(published).partition(".")[2])
    assert COMPUTED[name]() == pytest.approx(published, abs=0.5001 * 10.0**-digits)


@pytest.mark.parametrize("name", REFERENCES)
def test_a_reference_is_what_another_program_gives(name):
    reference = records()[name].reference
    assert REFERENCES[name]() == pytest.approx(reference.value, rel=0, abs=reference.within)


@pytest.mark.parametrize("name", SIMULATED)
def test_a_simulated_reference_is_near_another_simulation(name):
    """`within` is four standard errors of the reference; those of the draws here are added."""
    draw, draws = SIMULATED[name]
    rng = np.random.default_rng(11)
    found = [draw(rng) for _ in range(draws)]
    error = np.std(found, ddof=1) / math.sqrt(draws)
    reference = records()[name].reference
    assert 0 < reference.within < 0.1 * abs(reference.value)
    assert np.mean(found) == pytest.approx(reference.value, rel=0, abs=reference.within + 4 * error)
