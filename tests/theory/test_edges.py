"""Every function of `ha.theory` at the ends of its domain: against limits, exact counts and other programs.

A row has a name, arguments, and what must come: numbers, the fields of an object, or the argument that is refused.
Numbers that are written out come from mpmath with 40 digits (golden section, Fourier's inversion, Bessel's functions).
"""

import inspect
import math
import sys

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom, norm

import hopattn as ha
from tests.refusal import refused

T = ha.theory
STEP = 2.0**-53
ONE = 1 - STEP  # the number below 1
BELOW, ABOVE = (lambda x: float(np.nextafter(x, -1))), (lambda x: float(np.nextafter(x, 1e9)))
LEAST, HUGE, INF, NAN = 5e-324, 1.7e308, math.inf, math.nan
WARM = 1 - 1e-9
COLD = 1 - WARM


def kept(rho):
    """α/(1 − T)² of the pattern near T = 1, ρ = αr/(1 − T), from the free energy to the second order in 1 − T."""
    return 4 * rho * (1 - rho) ** 2 / (3 - 2 * rho)


def landau(m2, rho, q, load):
    """That free energy; m² and q in units of 1 − T too."""
    noise = load / 2 * (math.log(q - 1) - q / (q - 1))
    return -m2 / 2 - rho * q / 2 + (m2**2 + 6 * m2 * rho + 3 * rho**2) / 12 + noise


def depth(rho):
    """The free energy of the pattern less that of the glass."""
    load, glass = kept(rho), 1 + math.sqrt(kept(rho))
    return landau(3 * (1 - rho), rho, 3 - 2 * rho, load) - landau(0, glass, glass, load)


def grown(kappa, neurons):
    """ln E exp(κφ)/N to the fourth order in κ."""
    return (kappa**2 / neurons / 2 - kappa**4 / (4 * neurons**2 * (neurons + 2))) / neurons


LOST, STABLE = kept((9 - math.sqrt(33)) / 8), kept(brentq(depth, 0.05, 0.3, xtol=1e-15))  # ρ of dα/dρ = 0
FROZEN = brentq(lambda a: math.log(8 * a / 9 / math.pi) / 2 - 1 / (2 * a) + 150 * math.log(10), 1e-4, 1e-2)
FAR = brentq(lambda a: 100 * math.log(10) - 2 * a - math.log(2 * a), 50, 200)  # β exp(−2α)/2 = α
GLASS = [-901412.21130830616, -79.542522746150387]
MANY = 10**6 - 1
MIXED = math.comb(998, 499) / 2**998  # ⟨|z|⟩/n for n = 999
STRONG = math.log(2 / norm.ppf(0.005) ** 2) + 999 * math.log(1490) - np.sum(np.log(np.arange(1, 1998, 2)))
FEW = 10**9 * math.log1p(-norm.sf(math.sqrt((1e9 - 1) / (3e7 - 1))))
FEWER = 2000 * (2 * 10**6 - 1) - (2 * 10**6 - 1)  # signs of 2,000 patterns of 2 · 10⁶ neurons
ROWS = [
    ("active_share", (1000, 0), 2.0**-1000),
    ("active_share", (1, 4000), 1),
    ("bit_error", (LEAST,), 0),
    ("bit_error", (1e300,), 0.5),
    ("bit_error", (1000.0, 10**9), norm.sf(math.sqrt((1e9 - 1) / (1e12 - 1))), 1e-9),
    ("bit_error", (0.001, 2 * 10**6), binom.cdf((FEWER - 2 * 10**6 + 1) // 2 - 1, FEWER, 0.5), 1e-7),
    ("bit_error", (1e9, 10**9), "load"),
    ("contraction_bound", ([[1e75]], 1.0, 1e300), [0]),
    ("contraction_bound", ([[0, 0], [0, 0]], 1.0, 1e308), [0, 0]),
    ("critical_distance", (3, 1, 5, 10**6), 0),
    ("critical_load", (WARM,), LOST * COLD**2, 1e-8),
    ("critical_load", (ONE,), LOST * STEP**2),
    ("critical_load", (HUGE,), 0),
    ("dense_capacity", (1490, 1000), math.exp(STRONG), 1e-11),
    ("dense_capacity", (1e300, 3), INF),
    ("dense_capacity", (10, 3, 0.5), "wrong"),
    ("dense_error", (3000, 16, 30), 0.02187, 1e-3),
    ("dense_error", ([1, LEAST, HUGE], 10**6, 100), [0, 0, 0]),
    ("dense_error", (MANY / 9 + 1, MANY + 1, 2, False), norm.sf(3)),  # F(a + 1) − F(a − 1) is 4a, and E a² = N − 1
    ("dichotomies", (10**4, 10**6), 2**10**4),
    ("diluted_load", (ONE,), STEP),
    ("diluted_load", (1 - 9e-7,), 9e-7, 1e-8),
    ("diluted_load", (LEAST,), 2 / math.pi),
    ("diluted_load", (HUGE,), 0),
    ("exponential_error", (3000, 16, 1e300), 2999 / 2**17, 0.05),  # an opposite one in 2^16; half of the ties
    ("exponential_error", ([1, HUGE], 16, 1e-300), [0, 0.5]),
    ("faultless_patterns", (ABOVE(1),), 2.0**51),
    ("faultless_patterns", (1,), "neurons"),
    ("faultless_share", (3 * 10**7, 10**9), math.exp(FEW), 1e-6),
    ("forgetting_load", (1e30,), 1.3315195779601164e-58),
    ("forgetting_load", (sys.float_info.min,), 0),
    ("forgetting_load", (HUGE,), 0),
    ("free_energy", (0, ONE), -math.log(2)),
    ("free_energy", ([0, 1e300], 0, True), [-1 / math.pi, -math.sqrt(2e300 / math.pi)]),
    ("free_energy", (1e300, 0), NAN),
    ("free_energy", (1e40, 2e20, True), -2e20 * math.log(2) - 1e20 / 8),
    ("free_energy", (1e30, 1.1e15, True), -1.1e15 * math.log(2) - 1e15 / 4.4),
    ("free_energy", ([2.465, 1e9], [1.7e308, 1e300], True), [-1.7e308 * math.log(2), -1e300 * math.log(2)]),
    ("free_energy", ([1e12, 1e12, 1e4], [3e5, 9e5, 50], True), [-775894.71853963869, *GLASS]),
    ("gardner_load", ([0, 1e150, HUGE],), [2, 1e-300, 0]),
    ("gardner_margin", (BELOW(2),), 2.0**-52 * math.sqrt(2 * math.pi) / 8),
    ("gardner_margin", (1e-300,), 1e150),
    ("gardner_margin", (ABOVE(2),), "load"),
    ("gaussian_load", ([1e-300, ABOVE(1), HUGE],), [1e-300, 0.5, 0.5]),
    ("glass_temperature", ([0, 1e300],), [1, 1e150]),
    ("held_share", ([0, HUGE], 0.9), [0.9, 0]),
    ("held_share", (0, 1.0), "held"),
    ("kept_sums", (2**62, 1, 1e300), 0.5),
    ("kept_sums", (1, 1), 1),
    ("linear_denoising_error", (1, 1e-100, 1e100), 1e-100),
    ("linear_denoising_error", (1, 1.0, 1.0, LEAST), INF),
    ("linear_denoising_error", (2**62, 1e100, 1e100, 1e-150), 2.0**123 * 1e250),
    ("linear_denoising_error", (8, 2.0, 1.0, float("inf")), 16 / 3),
    ("load_at_error", (BELOW(0.5),), 2.0**107 / math.pi),
    ("load_at_error", (0.5,), "error"),
    ("margins", ([[1.0]],), {"delta": [INF], "reach": [INF]}),
    ("margins", ([[1e75, 0], [0, 1e75]],), {"delta": [1e150, 1e150], "distance": [2**0.5 * 1e75] * 2}),
    ("metastable_rate", (10**15,), 0.1992284910357839),
    ("metastable_rate", (2**62,), 0.1992284910357839),
    ("metastable_rate", (2,), "neurons"),
    ("mixture_energy", (999,), -999 * MIXED**2 / 2),
    ("mixture_load", (1,), 0.13790556649493, 1e-10),
    ("mixture_overlap", (3, [LEAST, ONE, HUGE]), [0.5, math.sqrt(3 * STEP / 7), 0]),  # m² = 3(1 − T)/(3n − 2)
    ("mixture_overlap", (999, [0, 1e-300, ONE]), [MIXED, MIXED, math.sqrt(3 * STEP / 2995)]),
    ("mixture_temperature", (1,), 1),
    ("noisy_load", (100,), 0.0042114423839011835),
    ("noisy_load", ([1e5, 1e14],), [6.111854806243605e-06, 6.365938520812162e-15]),
    ("noisy_load", (1e300,), 2e-300 / math.pi),
    ("overlap", (0, [LEAST, ONE, 1, HUGE]), [1, math.sqrt(3 * STEP), 0, 0]),
    ("overlap", ([LEAST, 1e300], 0), [1, 0]),
    ("overlap", (1.001 * LOST * COLD**2, WARM), 0),
    ("random_storage", (2, 1e-100, 1e-100, 1e-100), {"c": INF, "patterns": 1e150 / math.sqrt(2 * math.e)}),
    ("random_storage", (10**12, 1.0, 1.7745347419198776e-10, 1.0), {"patterns": 1638709.49905899}),
    ("random_storage", (2**62, 0.2076988775608405, 4.035342152609398e-17, 1.0), "scale"),  # √p c^((d−1)/4) is .338
    ("relu_load", ([1, ABOVE(1), 1e100],), [0, 2.0**-105, 50 * math.log(10) - math.log(2) / 2]),
    ("replica_load", (1e-150,), FROZEN, 1e-9),
    ("replica_load", (ONE,), LOST * STEP**2),
    ("replica_load", (BELOW(1e-150),), "temperature"),
    ("replica_temperature", (0.0015,), math.sqrt(8 * 0.0015 / 9 / math.pi) * math.exp(-1 / 0.003)),
    ("replica_temperature", ([0, 0.1382, HUGE],), [0, NAN, NAN]),
    ("retrieval_bound", ([[1e75]], 1.0, 1e300), [0]),
    ("retrieval_bound", ([[0, 0], [0, 0]], 1.0, 1e308), [0, 0]),
    ("retrieval_bound", ([[1e-200, 0], [0, 1e-200]], 1.0, 1.0), [2e-200, 2e-200]),
    ("retrieval_temperature", ([1e-13, LEAST, 1e300],), [1 - math.sqrt(1e-13 / LOST), 1, NAN]),
    ("retrieval_temperatures", (1e-20,), [0, 1 - math.sqrt(1e-20 / LOST)], 1e-15),
    ("sdm_error", (1000, 0, 1, 1, 1000), 0.5),
    ("sdm_error", (1, 1, 10**12, 1), 0),
    ("separable_share", (10**6, 5 * 10**5), 0.5),
    ("separable_share", (10**6, 1), 0),
    ("sequence_capacity", (HUGE, "exponential", True), INF),
    ("sequence_capacity", (ABOVE(1),), 2.0**51),
    ("sequence_error", (3000, 16, "exponential"), 0.02187, 1e-3),
    ("sequence_error", (10**5, 16, 1000), 0.3419, 1e-3),
    ("sequence_error", (10**12, 10**6, 1000), 0),
    ("shared_overlap", (ONE, 2**62), STEP * math.exp(-512)),
    ("shared_overlap", (ABOVE(1),), "empty"),
    ("shared_share", (1000, 0, 0), 2.0**-1000),
    ("shared_share", (4000, 4000, 4000), 1.0),
    ("sparse_load", (ONE,), 0.05057445, 2e-5),  # the largest of a grid of 801 by 1,401 points
    ("sparse_load", (1e-301,), "activity"),
    ("sparse_overlap", ([0, LEAST, HUGE], 1e-300, 0.5), [1, 1, 0]),
    ("sparse_overlap", (0, 1e-100, BELOW(0)), 1),
    ("sparse_overlap", (0, 0.01, 0.99), "threshold"),
    ("sparse_overlap", ([49863294.762357555, 1e7], 1e-10, 0.5), [0.9921369, 1], 1e-7),
    ("sparse_overlap", ([1e17, 2892049298812107.5], 1e-18, 0.5), [0, 0]),
    ("sparse_overlap", ([1e95, 7.761031095924998e96], 1e-100, 0.6), [1, 0]),
    ("sphere_bound", ([1e-100, 1e100],), [1e-100, FAR]),
    ("sphere_denoising_error", (0, 10, 1.0), 2.3883834712711397e-21),
    ("sphere_denoising_error", (8, 1e100, 1.0), 8),
    ("sphere_denoising_error", (100, 1e-100, 1e100), 1e-200),
    ("sphere_denoising_error", (0, 38.5e50, 1e100), 6.55634648685822e-221),
    ("sphere_denoising_error", (0, 39e50, 1e100), 2.55752193079385e-229),
    ("sphere_denoising_error", (1, 19900.0, 1.0), 1.0000000012626, 1e-13),  # by the next term of 1/R²
    ("sphere_denoising_error", (100, 20100.0, 1.0), 99.9999756, 1e-9),
    ("sphere_denoising_error", (100, 9900.0, 1.0), 99.999899500150224, 1e-9),
    ("sphere_denoising_error", (1, 1500.0, 1.0), 1.0000002222224691),
    ("sphere_load", ([1e-50, 1e100],), [1e-50, 0.5 + 50 * math.log(10)]),
    ("sphere_load", (1e-9, [1e9, 1e300]), [5e-19, 0], 1e-7),
    ("sphere_load", (1e-100, 0.0, 2), math.log(2) / 2),
    ("sphere_load", ([1, 10], 0.0, 3), [0.588219110783771, 1.3646856930363709]),
    ("sphere_load", ([1, 10], [[0.0], [0.0]], 3), [[0.588219110783771, 1.3646856930363709]] * 2),
    ("sphere_noise", (1e-100,), 5e-201),
    ("sphere_noise", (1e-9, 16), 5e-19),
    ("sphere_noise", ([1.0001e-6, 1e-4], 10**6), [grown(1.0001, 10**6), grown(100, 10**6)]),
    ("sphere_overlap", ([LEAST, 1e300],), [1, 1e-300]),
    ("sphere_overlap", ([1e-101, 1e100], 3), [1, 1e-100]),
    ("sphere_overlap", ([1e5, 1e298], 10**6), [1e-5 * (1 - 1e-4 / (1e6 + 2)), 1e-298]),
    ("sphere_temperature", ([0, LEAST, HUGE], 1), [INF, 1 / math.sqrt(2 * LEAST), NAN]),
    ("sphere_weight", ([0, 1e-9, 0.1, HUGE], 1e-100, 1000), [1, math.exp(-1e-6), math.exp(-100), 0]),
    ("sphere_weight", (1e-18, 0.001, 2), 1),
    ("stable_load", (WARM,), STABLE * COLD**2, 1e-8),
    (
        "stable_load",
        ([1 - 9.9e-5, 0.999, 0.996],),
        [1.45438187805069e-9, 1.48316458031077e-7, 2.36910552929552e-6],
        1e-11,
    ),
    ("stable_load", (0.9999999,), STABLE * (1 - 0.9999999) ** 2, 1e-7),
    ("stable_load", (1,), 0),
    ("stable_temperature", ([1e-20, 1e300],), [1 - math.sqrt(1e-20 / STABLE), NAN], 1e-15),
    ("stable_temperatures", (1e-20,), [0, 1 - math.sqrt(1e-20 / STABLE)], 1e-15),
]


def called(name, arguments):
    """The result of a function for arguments in the order of its signature, where some must be given by name."""
    function = getattr(T, name)
    return function(**dict(zip(inspect.signature(function).parameters, arguments, strict=False)))


@pytest.mark.parametrize(("name", "arguments", "expected", "within"), [(*row, 1e-12)[:4] for row in ROWS])
def test_a_function_is_right_at_the_ends_of_its_domain(name, arguments, expected, within):
    if isinstance(expected, str):
        refused(lambda: called(name, arguments), f"{expected}:")
        return
    fields = expected if isinstance(expected, dict) else {"": expected}
    for field, numbers in fields.items():
        found = getattr(called(name, arguments), field) if field else called(name, arguments)
        if isinstance(numbers, int):
            assert found == numbers
        else:
            assert np.asarray(found) == pytest.approx(np.asarray(numbers), rel=within, abs=0, nan_ok=True)


def test_every_function_has_a_row():
    functions = {name for name in T.__all__ if inspect.isfunction(getattr(T, name))}
    assert functions == {row[0] for row in ROWS}


@pytest.mark.parametrize(("name", "arguments"), {row[0]: row[:2] for row in ROWS if row[2] != str(row[2])}.values())
def test_numbers_come_alone_in_arrays_without_axes_and_in_none(name, arguments):
    """Where a number of numbers may come, so many come back."""
    first, *others = arguments
    if np.ndim(first) > 1 or name == "mixture_overlap":  # one array of patterns; a whole number comes first
        return
    others = [np.ravel(one)[0].item() if isinstance(one, list) else one for one in others]
    number = np.ravel(first)[0].item()
    alone = called(name, (number, *others))
    if isinstance(alone, np.ndarray):
        np.testing.assert_array_equal(called(name, (np.array(number), *others)), alone)
        np.testing.assert_array_equal(called(name, ([number, number], *others)), [alone, alone])
        assert called(name, ([], *others)).shape == (0, *alone.shape)


def test_the_radius_of_softmax_is_right_however_small_it_is():
    """Of two patterns at the distance √2, r₀ = √2 exp(−β (1 − √2 r₀)); rounding makes the bound only larger."""
    apart = T.margins([[1, 0], [0, 1]])
    for beta in (10, 50, 100, 200, 700):
        r = apart.softmax_radius(beta)[1][0]
        right = math.sqrt(2) * math.exp(-beta) * math.exp(beta * math.sqrt(2) * r)
        assert right <= r <= right * (1 + 1e-12)
    assert 0 < apart.softmax_radius(1000)[1][0] < 1e-323


def test_shapes_that_do_not_fit_are_refused_at_finite_n_too():
    refused(lambda: T.sphere_load([1.0, 2.0], [0.0, 0.0, 0.0], 16), "beta", "(2,)", "(3,)", "do not fit")
