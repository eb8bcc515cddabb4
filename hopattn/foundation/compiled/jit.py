"""The way in which the loops are compiled, and arithmetic that Python has no word for."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from hopattn.foundation.compiled.needed import fits

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


def loop(*signatures: Any) -> Callable[[F], F]:
    """Compile a function for these types at its import, or read it from the cache; it runs without Python's lock.

    numba asks only whether the file of the function has changed since it was cached; here, whether a file of this
    folder has. Raises an error where the folder of the cache cannot be written.
    """

    def compiled(function: F) -> F:
        made = numba.njit(nogil=True, cache=True, error_model="numpy", fastmath=FLAGS)(function)
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


def matrix(dtype: Any) -> Any:
    """The type of a matrix that is written: `(n, m)`, row after row."""
    return types.Array(dtype, 2, "C")


def vector(dtype: Any) -> Any:
    """The type of a vector that is written."""
    return types.Array(dtype, 1, "C")


def read_matrix(dtype: Any, layout: str = "A") -> Any:
    """The type of a matrix that is only read."""
    return types.Array(dtype, 2, layout, readonly=True)


def read_vector(dtype: Any) -> Any:
    """The type of a vector that is only read."""
    return types.Array(dtype, 1, "C", readonly=True)


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
def read_as_float(_: Any, bits: Any) -> Any:
    """The floating-point number with these bits: float32 of int32, float64 of int64."""
    number = types.float32 if bits == types.int32 else types.float64

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(number))

    return number(bits), generate


@_primitive
def read_as_int(_: Any, number: Any) -> Any:
    """The bits of a floating-point number: int32 of float32, int64 of float64."""
    bits = types.int32 if number == types.float32 else types.int64

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(bits))

    return bits(number), generate
