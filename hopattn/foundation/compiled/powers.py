"""Powers by polynomials, several numbers at once: 2ˣ in both dtypes, and xʸ in float64.

A power of two is 2ˣ = 2ⁿ · 2ᶠ with n the whole number nearest to x, and 2ᶠ a polynomial that interpolates it at
Chebyshev's points between −½ and ½: of degree 6 in float32 and 11 in float64, each within 1.1 units of the last digit.
It is written as 1 + f·q(f), so that 2⁰ is 1. Results below the smallest normal number are gradual, and NaN stays NaN.
"""

from typing import Any

import numpy as np

from hopattn.foundation.compiled.jit import by_dtype, inner, nearest, read_as_float, read_as_int

_NARROW = (
    *(np.float32(0.6931471880262288), np.float32(0.24022650760568126), np.float32(0.05550357114219078)),
    *(np.float32(0.009618082557277852), np.float32(0.0013390863364671234), np.float32(0.0001545316294512069)),
)
_WIDE = (
    *(0.6931471805599453, 0.24022650695910097, 0.0555041086648216, 0.009618129107606888, 0.0013333558146416936),
    *(0.0001540353044173605, 1.525273382983612e-05, 1.321544258792169e-06, 1.0178062445845774e-07),
    *(7.072585949269223e-09, 4.4549605981865186e-10),
)
"""The coefficients of q, from f⁰ on."""


@inner
def _narrow_part(f: Any) -> Any:
    """2ᶠ in float32."""
    c = _NARROW
    return np.float32(1) + f * (c[0] + f * (c[1] + f * (c[2] + f * (c[3] + f * (c[4] + f * c[5])))))


@inner
def _wide_part(f: Any) -> Any:
    """2ᶠ in float64; two halves of the polynomial run side by side."""
    c = _WIDE
    low = c[0] + f * (c[1] + f * (c[2] + f * (c[3] + f * (c[4] + f * c[5]))))
    high = c[6] + f * (c[7] + f * (c[8] + f * (c[9] + f * c[10])))
    cube = f * f * f
    return 1.0 + f * (low + cube * cube * high)


def _narrow_small(x: Any) -> Any:
    whole = nearest(x)
    n = np.int32(np.int32(whole) << np.int32(23))
    return read_as_float(np.int32(read_as_int(_narrow_part(x - whole)) + n))


def _wide_small(x: Any) -> Any:
    whole = nearest(x)
    n = np.int64(np.int32(whole)) << 52
    return read_as_float(read_as_int(_wide_part(x - whole)) + n)


def _narrow_negative(x: Any) -> Any:
    x = np.float32(-252) if x < np.float32(-252) else x  # NaN passes the comparison
    whole = nearest(x)
    n = np.int32(whole)
    half = np.int32(n >> np.int32(1))
    scaled = read_as_float(np.int32(read_as_int(_narrow_part(x - whole)) + np.int32(half << np.int32(23))))
    return scaled * read_as_float(np.int32((n - half + np.int32(127)) << np.int32(23)))


def _wide_negative(x: Any) -> Any:
    x = -2044.0 if x < -2044.0 else x
    whole = nearest(x)
    n = np.int32(whole)
    half = np.int32(n >> np.int32(1))
    scaled = read_as_float(read_as_int(_wide_part(x - whole)) + (np.int64(half) << 52))
    return scaled * read_as_float(np.int64(np.int32(n - half + np.int32(1023))) << 52)


power_of_small = by_dtype(_narrow_small, _wide_small)
"""2ˣ for an x at which it is a normal number."""
power_of_negative = by_dtype(_narrow_negative, _wide_negative)
"""2ˣ for an x of 0 or less, or NaN."""

_ROOT_HALF = 0x3FE6A09E667F3BCD
"""The bits of √½."""
_ONE = 0x3FF0000000000000
"""The bits of 1."""
_SHIFTED = 0x4330000000000000
"""The bits of 2⁵², whose last ones hold a whole number that is added."""
_SERIES = tuple(2 / (np.log(2) * (2 * k + 1)) for k in range(11))
"""The coefficients of log₂((1 + s) / (1 − s)) = Σ c_k s²ᵏ⁺¹."""


@inner
def _logarithm(x: Any) -> Any:
    """log₂ x of a normal float64 above 0, to about one unit of its last digit.

    x = 2ⁿ m with m between √½ and √2, and log₂ m is the series above at s = (m − 1)/(m + 1), which is .172 at most.
    """
    bits = read_as_int(x)
    n = (bits + np.int64(_ONE - _ROOT_HALF)) >> np.int64(52)
    m = read_as_float(bits - ((n - np.int64(1023)) << np.int64(52)))
    s = (m - 1) / (m + 1)
    q, c = s * s, _SERIES
    high = c[5] + q * (c[6] + q * (c[7] + q * (c[8] + q * (c[9] + q * c[10]))))
    low = c[0] + q * (c[1] + q * (c[2] + q * (c[3] + q * c[4])))
    fourth = q * q * q * q
    whole = read_as_float(n | np.int64(_SHIFTED)) - (2.0**52 + 1023)
    return whole + s * (low + fourth * q * high)


@inner
def power_up_to_one(x: Any, exponent: Any) -> Any:
    """x to a power of 0 or more, for a normal float64 x above 0 and at most 1, give or take its rounding.

    The relative error is about |log₂ of the result| · 2⁻⁵³.
    """
    return power_of_negative(exponent * _logarithm(x))
