"""The way in which the loops are compiled, LLVM operations that Python does not expose, and powers.

A power of two is 2ˣ = 2ⁿ · 2ᶠ with n the whole number nearest to x, and 2ᶠ a polynomial that interpolates it at
Chebyshev's points between −½ and ½: of degree 6 in float32 and 11 in float64, each within 1.1 units of the last digit.
It is written as 1 + f·q(f), so that 2⁰ is 1. Results below the smallest normal number are gradual, and NaN stays NaN.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from hopattn.foundation.kernels import fits

if not fits(numba.__version__):
    raise ImportError(f"numba {numba.__version__} is too old for the loops")

F = TypeVar("F", bound=Callable[..., Any])
_primitive: Callable[[Callable[..., Any]], Any] = intrinsic
FLAGS = {"reassoc", "contract", "nsz"}
"""Sums in any order, so that they run in vectors; a product and a sum as one. NaN and infinity stay what they are."""
_STAMP = tuple(
    (file.name, file.stat().st_mtime, file.stat().st_size) for file in sorted(Path(__file__).parent.glob("*.py"))
)
"""The names, times and sizes of the files of this folder."""


def loop(*signatures: Any, fastmath: Any = FLAGS) -> Callable[[F], F]:
    """Compile a function for these types at its import, or read it from the cache; it runs without Python's lock.

    fastmath: what LLVM may change; False where a tie depends on the last digit. The cache holds until a file of this
    folder changes. Raises an error where its folder cannot be written.
    """

    def compiled(function: F) -> F:
        made = numba.njit(nogil=True, cache=True, error_model="numpy", fastmath=fastmath)(function)
        made._cache._cache_file._source_stamp = _STAMP
        for signature in signatures:
            made.compile(signature)
        made.disable_compile()
        return cast(F, made)

    return compiled


def inner(function: F) -> F:
    """A part of a loop, compiled with it."""
    return cast(F, numba.njit(nogil=True, error_model="numpy", fastmath=FLAGS)(function))


def by_dtype(narrow: Callable[..., Any], wide: Callable[..., Any]) -> Callable[..., Any]:
    """A part of a loop whose only argument chooses its form: `narrow` for float32, `wide` for float64.

    Products and sums are taken in the order in which they are written.
    """

    def form(x: Any) -> Any:
        raise TypeError("for compiled loops only")

    def choose(x: Any) -> Any:
        return narrow if x == types.float32 else wide

    overload(form, jit_options={"error_model": "numpy", "fastmath": {"contract"}}, inline="never")(choose)
    return form


def read_matrix(dtype: Any, layout: str = "A") -> Any:
    """The type of a matrix that is only read."""
    return types.Array(dtype, 2, layout, readonly=True)


@_primitive
def nearest(_: Any, x: Any) -> Any:
    """The whole number nearest to x, as a floating-point number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function = builder.module.declare_intrinsic("llvm.nearbyint", [arguments[0].type])
        return builder.call(function, arguments)

    return x(x), generate


@_primitive
def larger(_: Any, x: Any, y: Any) -> Any:
    """The larger of two numbers of one dtype; NaN where one of them is."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        name = f"llvm.maximum.{'f32' if x == types.float32 else 'f64'}"
        kind = ir.FunctionType(arguments[0].type, [arguments[0].type] * 2)
        return builder.call(builder.module.declare_intrinsic(name, fnty=kind), arguments)

    return x(x, y), generate


@_primitive
def same_bits(_: Any, x: Any) -> Any:
    """The number with these bits: int32 of float32, int64 of float64, and the other way."""
    pairs = {types.float32: types.int32, types.float64: types.int64}
    dtype = (pairs | {whole: real for real, whole in pairs.items()})[x]

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(dtype))

    return dtype(x), generate


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


def _powers(real: Any, whole: Any, digits: int, bias: int, part: Any) -> tuple[Any, Any]:
    """2ˣ of a normal number, and 2ˣ for an x of 0 or less or NaN, which is scaled in two steps.

    real, whole: a dtype and that of its bits. digits, bias: of its format. part: 2ᶠ.
    """
    lowest, ahead = real(2 - 2 * bias), np.int32(bias)

    def small(x: Any) -> Any:
        nearby = nearest(x)
        return same_bits(whole(same_bits(part(x - nearby)) + (whole(np.int32(nearby)) << whole(digits))))

    def negative(x: Any) -> Any:
        x = lowest if x < lowest else x  # NaN passes the comparison
        nearby = nearest(x)
        n = np.int32(nearby)
        half = np.int32(n >> np.int32(1))
        scaled = same_bits(whole(same_bits(part(x - nearby)) + (whole(half) << whole(digits))))
        return scaled * same_bits(whole(whole(np.int32(n - half + ahead)) << whole(digits)))

    return small, negative


_narrow_small, _narrow_negative = _powers(np.float32, np.int32, 23, 127, _narrow_part)
_wide_small, _wide_negative = _powers(np.float64, np.int64, 52, 1023, _wide_part)
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
    bits = same_bits(x)
    n = (bits + np.int64(_ONE - _ROOT_HALF)) >> np.int64(52)
    m = same_bits(bits - ((n - np.int64(1023)) << np.int64(52)))
    s = (m - 1) / (m + 1)
    q, c = s * s, _SERIES
    high = c[5] + q * (c[6] + q * (c[7] + q * (c[8] + q * (c[9] + q * c[10]))))
    low = c[0] + q * (c[1] + q * (c[2] + q * (c[3] + q * c[4])))
    fourth = q * q * q * q
    whole = same_bits(n | np.int64(_SHIFTED)) - (2.0**52 + 1023)
    return whole + s * (low + fourth * q * high)


@inner
def power_up_to_one(x: Any, exponent: Any) -> Any:
    """x to a power of 0 or more, for a normal float64 x above 0 and at most 1, give or take its rounding.

    The relative error is about |log₂ of the result| · 2⁻⁵³.
    """
    return power_of_negative(exponent * _logarithm(x))
