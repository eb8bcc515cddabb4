"""Matrix products of compiled loops, by the BLAS that SciPy brings."""

from typing import Any

import numpy as np
from llvmlite import binding
from numba import types
from numba.extending import get_cython_function_address, overload
from scipy.linalg import cython_blas

from hopattn.foundation.compiled.jit import inner


def _external(name: str) -> Any:
    """A function of BLAS for compiled loops; raises `ImportError` where its whole numbers have not 32 bits."""
    if str(cython_blas.__pyx_capi__[name]).count("int *") != 6:
        raise ImportError(f"{name} of this SciPy takes other whole numbers")
    symbol = f"hopattn_{name}"
    binding.add_symbol(symbol, get_cython_function_address("scipy.linalg.cython_blas", name))
    return types.ExternalFunction(symbol, types.void(*[types.intp] * 13))


_SGEMM, _DGEMM = _external("sgemm"), _external("dgemm")


def _gemm(a: Any, kinds: Any, sizes: Any, factors: Any, start_a: Any, start_b: Any, result: Any) -> None:
    """C ← A B + factor · C in Fortran's order. start_a, start_b: where A and B begin in memory."""
    raise TypeError("for compiled loops only")


def _typed(a: Any, kinds: Any, sizes: Any, factors: Any, start_a: Any, start_b: Any, result: Any) -> Any:
    gemm = _SGEMM if a.dtype == types.float32 else _DGEMM
    wide = 4 if a.dtype == types.float32 else 8

    def multiply(a: Any, kinds: Any, sizes: Any, factors: Any, start_a: Any, start_b: Any, result: Any) -> None:
        kind, one, size = kinds.ctypes.data, factors.ctypes.data, sizes.ctypes.data
        m, n, k, lead_a, lead_b, lead = size, size + 4, size + 8, size + 12, size + 16, size + 20
        c = result.ctypes.data
        gemm(kind, kind + 1, m, n, k, one, start_a, lead_a, start_b, lead_b, one + wide, c, lead)

    return multiply


overload(_gemm)(_typed)


@inner
def _lead(rows: Any) -> Any:
    """The distance from one row to the next, in numbers."""
    return max(rows.strides[0] // rows.itemsize, rows.shape[1])


@inner
def _call(transposed: Any, left: Any, right: Any, columns: Any, shared: Any, kept: Any, result: Any) -> None:
    sizes, kinds, factors = np.empty(6, np.int32), np.empty(2, np.uint8), np.empty(2, left.dtype)
    sizes[0], sizes[1], sizes[2] = columns, left.shape[0], shared
    sizes[3], sizes[4], sizes[5] = _lead(right), left.shape[1], result.shape[1]
    kinds[0], kinds[1] = 84 if transposed else 78, 78  # "T" or "N", and "N"
    factors[0], factors[1] = 1, kept
    _gemm(result, kinds, sizes, factors, right.ctypes.data, left.ctypes.data, result)


@inner
def product_with_rows(left: Any, right: Any, result: Any) -> None:
    """result = left · rightᵀ, for rows `(n, dim)` and `(m, dim)` without gaps; the result is `(n, m)`."""
    _call(True, left, right, right.shape[0], left.shape[1], 0, result)


@inner
def add_product(left: Any, right: Any, result: Any) -> None:
    """result += left · right, for matrices `(n, m)` and `(m, dim)` with rows without gaps; the result is `(n, dim)`."""
    _call(False, left, right, right.shape[1], right.shape[0], 1, result)
